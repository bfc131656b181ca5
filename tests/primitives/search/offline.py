"""What the proofs without a device need of searches that stop early (tests/offline/parts.py)."""
from case import Case


def _search(kind, *more, name="", core=False):
    return Case(" ".join(("search", kind, name)).strip(), ("search", "--kind", kind, "--n", "256M", *more), core)


CASES = [
    _search("find_if", name="f32", core=True), _search("any_of", "--type", "u8", "--text", "x == 3", name="u8"),
    _search("all_of", "--type", "f64", "--text", "isfinite(x)", name="f64"), _search("none_of", "--count-on-device", name="counted"),
    _search("mismatch", name="f32"), _search("equal", "--type", "f16", name="f16"),
    _search("is_sorted", name="f32", core=True), _search("is_sorted", "--type", "u64", "--text", "(a >> 8) < (b >> 8)", name="by a text"),
    Case("search equal structures"),
]

# All loads of a tile come before the first test, in packets of 16 bytes.
EXPECT = r"""
gfx*              search*                       *               lacks s_swappc
sm_*              search*                       *               scratch = 0
sm_*              search*                       *               spills = 0
sm_*              search*                       *               lacks call\.uni
sm_[789]*         search find_if f32            search          has ld\.global\.nc.*\.v4\.u32
sm_1*             search find_if f32            search          has ld\.global\.nc.*\.v4\.u32
gfx*              search find_if f32            search          has (global|flat)_load_(dwordx4|b128)
"""

KNOWN = {"search": ("search", "search find_if f32", "search")}
