"""What the proofs without a device need of sorts by keys of texts (tests/offline/parts.py)."""
from case import Case


def _sort(kind, *more, name="", core=False):
    return Case(" ".join(("key_sort", kind, name)).strip(), ("key_sort", "--type", kind, *more), core)


CASES = [
    _sort("u32", "--n", "256M", "--text", "x >> 7", core=True), _sort("f16", "--n", "16M", "--text", "fabs(x)", "--key-type", "f16", "--in-place"),
    _sort("f32", "--n", "16M", "--text", "x", "--text", "-x", "--key-type", "i16", "--key-type", "f64", "--values", "u8", name="two keys"),
    _sort("i32", "--n", "1000", "--text", "x & 7", "--text", "x", "--key-type", "u8", "--key-type", "i32", "--indices", "u32", name="small"),
    _sort("f32", "--n", "64M", "--text", "-x", "--key-type", "f32", "--segments", "1M", name="of segments"),
    _sort("u32", "--n", "1000", "--text", "x & 7", "--text", "x", "--key-type", "u8", "--key-type", "i64", "--values", "f64",
          "--segments", "10", "--offsets", "u32", "--count-bad", name="of few segments"),
    _sort("u32", "--n", "256M", "--text", "x >> 7", "--count-on-device", name="counted"), Case("key_sort structures of 12 bytes"),
]

EXPECT = r"""
gfx*              key_sort*                     *               lacks s_swappc
sm_*              key_sort*                     key_sort_*      scratch = 0
sm_*              key_sort*                     key_sort_*      spills = 0
sm_*              key_sort*                     *               lacks call\.uni
"""

KNOWN = {"key_sort": ("key-sort,key-sort-tiles,key-sort-segments", "key_sort u32", "key_sort,key_sort_calls,key_sort_segment_calls,key_sort_segments"),
         "convert": ("key-sort", "key_sort u32", "key_sort")}
