"""What the proofs without a device need of histogram (tests/offline/parts.py)."""
from case import Case


def _histogram(kind, *more, name="", core=False):
    return Case(" ".join(("histogram", kind, name)).strip(), ("histogram", "--type", kind, *more), core)


_AROUND_0 = ("--n", "256M", "--lo=-1", "--hi", "1")
CASES = [
    _histogram("u8", "--n", "256M", core=True), _histogram("u8", "--n", "192M", "--channels", "3", name="of pixels"),
    _histogram("f32", *_AROUND_0, "--bins", "4096", name="joined", core=True),
    _histogram("f32", *_AROUND_0, "--bins", "64K", name="many", core=True),
    _histogram("f64", *_AROUND_0, name="fixed"), _histogram("f16", *_AROUND_0),
    _histogram("i32", "--n", "8G", "--counts", "u64", "--bins", "1000000", name="of 64 bits"),
    _histogram("f32", "--n", "256M", "--bins", "5000", "--edges", name="edges"), _histogram("u8", "--n", "256M", "--count-on-device", name="counted"),
    _histogram("f32", *_AROUND_0, "--input", "gather_of", name="gathered"),
    _histogram("f32", *_AROUND_0, name="rounded down"), _histogram("f32", "--n", "256M", "--hi", "25", "--bins", "250", name="guessed", core=True),
    _histogram("u8", "--n", "64K", name="in one launch"),
]

EXPECT = r"""
# Counters are counted in without asking what they were, packets are loaded whole, and nothing leaves its registers.
gfx*              histogram*                    *               lacks s_swappc
sm_*              histogram*                    *               scratch = 0
sm_*              histogram*                    *               spills = 0
sm_*              histogram*                    *               lacks call\.uni
gfx*              histogram u8                  histogram       has ds_add_u32
gfx*              histogram u8                  histogram       lacks ds_add_rtn
gfx*              histogram u8                  histogram       has (load_dwordx4|load_b128)
gfx*              histogram f32 many            histogram_many  has (load_dwordx4|load_b128)
sm_*              histogram u8                  histogram       has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
sm_*              histogram f32 many            histogram_many  has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
"""

_TESTS = "histogram,histogram_calls"
_HISTOGRAMS = ("histogram,histogram-many", "histogram u8,histogram f32 many", _TESTS)
KNOWN = {
    "histogram": _HISTOGRAMS, **{f"histogram_{part}": ("histogram,histogram-many", "histogram f32*", _TESTS)
                                    for part in ("bins", "edges", "itself", "shifted", "floored", "exact", "guessed", "fixed")},
    "key_order": ("histogram", "histogram f32 many", _TESTS), "key_packets": _HISTOGRAMS,
}
