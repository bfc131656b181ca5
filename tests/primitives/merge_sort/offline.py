"""What the proofs without a device need of sorts by comparison (tests/offline/parts.py)."""
from case import Case


def _sort(kind, *more, name="", core=False):
    return Case(" ".join(("merge_sort", kind, name)).strip(), ("merge_sort", "--type", kind, *more), core)


CASES = [
    _sort("u32", core=True), _sort("f64", "--text", "fabs(a) < fabs(b)"), _sort("f32", "--values", "f64", name="with f64"),
    _sort("f16", "--indices", "u64", name="indices"), _sort("u32", "--n", "64K", name="few"), _sort("f32", "--values", "f64", "--n", "64K", name="few with f64"),
    _sort("u32", "--count-on-device", name="counted"), Case("merge_sort structures of 12 bytes"),
]

EXPECT = r"""
gfx*              merge_sort*                   *               lacks s_swappc
sm_*              merge_sort*                   *               scratch = 0
sm_*              merge_sort*                   *               spills = 0
sm_*              merge_sort*                   *               lacks call\.uni
"""

_SORTS = ("merge-sort", "merge_sort u32", "merge_sort,merge_sort_no_order")
KNOWN = {"merge_sort": _SORTS, "merge_path": _SORTS, "merge_tile": _SORTS}
