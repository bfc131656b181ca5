"""What the proofs without a device need of lower_bound and upper_bound (tests/offline/parts.py)."""
from case import Case


def _bounds(kind, *more, name="", core=False):
    return Case(" ".join(("bounds", kind, name)).strip(), ("bounds", "--type", kind, *more), core)


CASES = [
    _bounds("u32", core=True), _bounds("f64", "--upper", "--results", "u64"), _bounds("f16", "--text", "fabs(a) < fabs(b)", name="by a text"),
    _bounds("u32", "--needles", "1M", name="few needles"), Case("bounds structures of 12 bytes"),
]

EXPECT = r"""
gfx*              bounds*                       *               lacks s_swappc
sm_*              bounds*                       *               scratch = 0
sm_*              bounds*                       *               spills = 0
sm_*              bounds*                       *               lacks call\.uni
"""

KNOWN = {"bounds": ("bounds", "bounds u32", "bounds"), "sorted_keys": ("bounds", "bounds u32", "bounds")}
