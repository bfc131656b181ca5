"""What the proofs without a device need of segmented_scan (tests/offline/parts.py)."""
from case import Case


def _segmented_scan(op, kind, *more, name=""):
    return Case(f"segmented_scan {op} {kind} {name}".strip(),
                ("segmented_scan", "--op", op, "--type", kind, "--n", "64M", "--segments", "1M", *more))


CASES = [
    _segmented_scan("sum", "f32"), _segmented_scan("sum", "f32", "--count-bad", "--offsets", "u32", "--exclusive", name="counted"),
    _segmented_scan("sum", "f64"), _segmented_scan("sum", "u8", "--acc", "u32", name="in u32"), _segmented_scan("max", "i32"),
    # Segments of so many elements are told by their offsets, those above by bits.
    Case("segmented_scan sum f32 long", ("segmented_scan", "--op", "sum", "--type", "f32", "--n", "64M", "--segments", "64K")),
    # Of few elements groups tell each other of blocks.
    Case("segmented_scan sum f32 of few", ("segmented_scan", "--op", "sum", "--type", "f32", "--n", "1M", "--segments", "16K")),
    _segmented_scan("sum", "f32", "--count-on-device", name="of counted segments"),
    Case("segmented_scan sum f32 long, of counted segments",
         ("segmented_scan", "--op", "sum", "--type", "f32", "--n", "64M", "--segments", "64K", "--count-on-device")),
    Case("segmented_scan structure of 12 bytes"), Case("segmented_scan non-commutative f32"),
]

EXPECT = r"""
# A block's elements wait in registers.
# So do a window's, in 64 registers; a few words wait in memory where the limit is (us of scans by key of 2^26 on an H100 with 64, 72
# and 80 registers: 332, 330, 343; of runs of 1000 393, 401, 431).
sm_*              segmented_scan*               segmented_scan  scratch <= 64
sm_*              segmented_scan*               segmented_scan  spills <= 160
sm_*              segmented_scan*               *               lacks call\.uni
gfx*              segmented_scan*               *               lacks s_swappc
"""

KNOWN = {
    "segmented_scan": ("segmented-scan-many,segmented-scan,segmented-scan-bad", "segmented_scan sum f32*", "segmented_scan"),
    "scan_order": ("segmented-scan-many", "", "segmented_scan"), "scan_tile": ("segmented-scan-many", "", "segmented_scan"),
    "scan_slots": ("segmented-scan-many,segmented-scan", "segmented_scan sum f32*", "segmented_scan"),
    "scan_begins": ("segmented-scan-many,segmented-scan", "segmented_scan sum f32*", "segmented_scan"),
    "scan_carry": ("segmented-scan-many,segmented-scan", "segmented_scan sum f32*", "segmented_scan"),
    "segmented_scan_begins": ("segmented-scan-many,segmented-scan,segmented-scan-bad", "segmented_scan sum f32*", "segmented_scan"),
    "segments": ("", "", "segmented_scan"),
}
ORDERED = {"segmented-scan-bad"}
IN_PLACE = {"segmented-scan", "segmented-scan-many"}
