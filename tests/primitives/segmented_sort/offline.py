"""What the proofs without a device need of segmented_sort (tests/offline/parts.py)."""
from case import Case


def _sort(kind, *more, name="", core=False):
    return Case(" ".join(("segmented_sort", kind, name)).strip(),
                ("segmented_sort", "--type", kind, "--n", "64M", "--segments", "1M", *more), core)


CASES = [
    _sort("u32", core=True), _sort("f64", "--descending", "--count-bad", "--offsets", "u32"), _sort("u8"),
    _sort("f32", "--values", "f64", name="with f64"), _sort("u32", "--count-on-device", name="of counted segments"),
    Case("segmented_sort structures of 12 bytes"),
]

EXPECT = r"""
gfx*              segmented_sort*               *               lacks s_swappc
sm_*              segmented_sort*               *               scratch = 0
sm_*              segmented_sort*               *               spills = 0
sm_*              segmented_sort*               *               lacks call\.uni
"""

_SORTS = ("segmented-sort,segmented-sort-bad", "segmented_sort u32", "segmented_sort,segmented_sort_no_order")
_RUNS = ("segmented-sort,merge-sort", "segmented_sort u32", "segmented_sort,merge_sort,segmented_sort_no_order")
KNOWN = {"segmented_sort": _SORTS, "merge_runs": _RUNS, "merge_runs_serial": _RUNS,
         "segmented_sort_serial": _SORTS, "segmented_sort_tiles": _SORTS, "segments": _SORTS}
ORDERED = {"segmented-sort-bad"}
IN_PLACE = {"segmented-sort", "segmented-sort-bad"}
