"""What the proofs without a device need of segmented_reduce (tests/offline/parts.py)."""
from case import Case


def _segments(op, kind, *more, name="", core=False):
    return Case(f"segmented_reduce {op} {kind} {name}".strip(),
                ("segmented_reduce", "--op", op, "--type", kind, "--n", "64M", "--segments", "1M", *more), core)


CASES = [
    _segments("sum", "f32", core=True), _segments("sum", "f32", "--count-bad", "--offsets", "u32", name="counted"),
    _segments("sum", "f64"), _segments("sum", "u8"), _segments("max", "u8"), _segments("sum", "f16"), _segments("argmax", "f32", "--count-bad"),
    _segments("sum", "f32", "--count-bad", "--count-on-device", name="of counted segments"),
    Case("segmented_reduce structure of 12 bytes"), Case("segmented_reduce non-commutative f32"),
]

EXPECT = r"""
# The packets of several segments are in flight in registers.
sm_*              segmented_reduce*             *               scratch = 0
sm_*              segmented_reduce*             *               spills = 0
sm_*              segmented_reduce*             *               lacks call\.uni
gfx*              segmented_reduce*             *               lacks s_swappc
gfx*              segmented_reduce sum f32      segmented_reduce  has (load_dwordx4|load_b128)
sm_*              segmented_reduce sum f32      segmented_reduce  has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
"""

KNOWN = {
    "segmented_reduce": ("segments,segments-levels,segments-bad", "segmented_reduce sum f32*", "segmented_reduce"),
    "fold_rows": ("segments", "", ""),
    "fold_segments": ("segments,segments-bytes,segments-levels,segments-places", "segmented_reduce sum f32*", "segmented_reduce"),
    "segments": ("segments,segments-levels,segments-bad", "segmented_reduce sum f32*", "segmented_reduce"),
}
ORDERED = {"segments-bad"}
CRASHES = {("cpu", part) for part in ("segments", "segments-bad", "segments-bytes", "segments-levels")}
