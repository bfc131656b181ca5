"""What the proofs without a device need of merge (tests/offline/parts.py)."""
from case import Case


def _merge(kind, *more, name="", core=False):
    return Case(" ".join(("merge", kind, name)).strip(), ("merge", "--type", kind, "--n", "128M", *more), core)


CASES = [
    _merge("u32", core=True), _merge("f64", "--descending", "--check"), _merge("u8"), _merge("f16", "--text", "fabs(a) < fabs(b)", name="by a text"),
    _merge("f32", "--values", "f64", name="with f64"), Case("merge structures of 12 bytes"),
]

EXPECT = r"""
gfx*              merge*                        *               scratch = 0
gfx*              merge*                        *               spills = 0
gfx*              merge*                        *               lacks s_swappc
sm_*              merge*                        *               scratch = 0
sm_*              merge*                        *               spills = 0
sm_*              merge*                        *               lacks call\.uni
"""

_MERGES = ("merge", "merge u32", "merge,merge_calls")
KNOWN = {"merge": _MERGES, "merge_path": _MERGES, "sorted_keys": _MERGES}
