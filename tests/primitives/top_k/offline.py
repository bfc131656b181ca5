"""What the proofs without a device need of top_k (tests/offline/parts.py)."""
from case import Case


def _top_k(kind, *more, name="", core=False):
    return Case(" ".join(("top_k", kind, name)).strip(), ("top_k", "--type", kind, *more), core)


def _segments(kind, *more, name=""):
    return Case(" ".join(("segmented_top_k", kind, name)).strip(), ("segmented_top_k", "--type", kind, "--n", "64M", *more))


CASES = [
    _top_k("f32", "--n", "256M", core=True), _top_k("f64", "--n", "8G", "--indices", "u64", name="many"), _top_k("u8", "--n", "256M"),
    _top_k("f16", "--n", "1000", "--ascending", name="small"), _top_k("f32", "--n", "16M", "--k", "100000", name="sorted"),
    _top_k("f32", "--n", "256M", "--count-on-device", name="counted"),
    _segments("f32"), _segments("f64", "--indices", "u64", "--offsets", "u32", "--ascending", "--count-bad", name="u64"), _segments("u8"),
]

EXPECT = r"""
gfx*              top_k*                        *               lacks s_swappc
sm_*              top_k f*                      top_k_*         scratch = 0
sm_*              top_k u8                      top_k_[!b]*     scratch = 0
# Of bytes the one group's bound, which it stores once, is put together there.
sm_*              top_k u8                      top_k_bound     scratch <= 8
sm_*              top_k*                        top_k_*         spills = 0
gfx*              segmented_top_k*              *               lacks s_swappc
sm_*              segmented_top_k*              *               scratch = 0
sm_*              segmented_top_k*              *               spills = 0
sm_*              segmented_top_k*              *               lacks call\.uni
sm_*              top_k*                        *               lacks call\.uni
gfx*              top_k f32                     top_k_filter    has (load_dwordx4|load_b128)
sm_*              top_k f32                     top_k_filter    has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
"""

_TOP_K = ("top-k", "top_k f32", "top_k")
_SEGMENTS = ("top-k-segments", "segmented_top_k f32", "segmented_top_k")
KNOWN = {
    "top_k": ("top-k,top-k-most,top-k-sorted", "top_k f32*", "top_k"), "top_k_take": ("top-k-sorted", "top_k f32 sorted", "top_k"),
    "top_k_bound": _TOP_K, "key_order": _TOP_K, "key_packets": _TOP_K,
    "segmented_sort": _SEGMENTS, "segmented_sort_serial": _SEGMENTS, "segmented_sort_tiles": _SEGMENTS,
}
FEW_AT_ONCE = {"top-k"}
