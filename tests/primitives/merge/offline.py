"""What the proofs without a device need of merge (tests/offline/parts.py)."""
from case import Case


def _merge(kind, *more, name="", core=False):
    return Case(" ".join(("merge", kind, name)).strip(), ("merge", "--type", kind, "--n", "128M", *more), core)


CASES = [
    _merge("u32", core=True), _merge("f64", "--descending", "--check"), _merge("u8"), _merge("f16", "--text", "fabs(a) < fabs(b)", name="by a text"),
    _merge("u32", "--count-on-device", name="counted"), Case("merge u32 few", ("merge", "--type", "u32", "--n", "64K")),
    _merge("f32", "--values", "f64", name="with f64"), Case("merge structures of 12 bytes"),
]

EXPECT = r"""
gfx*              merge*                        *               lacks s_swappc
sm_[1-8]*         merge*                        *               scratch = 0
sm_[1-8]*         merge*                        *               spills = 0
sm_90             merge [us]*                   *               scratch = 0
sm_90             merge [us]*                   *               spills = 0
sm_90             merge f[16]*                  *               scratch = 0
sm_90             merge f[16]*                  *               spills = 0
# 64 registers, four groups a unit, are faster than more, though values leave some of what is held in memory (profiles.cpp).
sm_90             merge f32 with f64            merge_tiles     scratch <= 24
sm_90             merge f32 with f64            merge_tiles     spills <= 56
sm_90             merge f32 with f64            merge_tiles     vgprs <= REGISTERS
sm_*              merge*                        *               lacks call\.uni
"""

_MERGES = ("merge", "merge u32", "merge,merge_calls,merge_no_order")
KNOWN = {"merge": _MERGES, "merge_path": _MERGES, "merge_tile": _MERGES, "sorted_keys": _MERGES}
