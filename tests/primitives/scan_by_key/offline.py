"""What the proofs without a device need of scan_by_key (tests/offline/parts.py)."""
from case import Case


def _by_key(op, kind, *more, name=""):
    return Case(f"scan_by_key {op} {kind} {name}".strip(),
                ("scan_by_key", "--op", op, "--type", kind, "--n", "64M", *more))


CASES = [
    _by_key("sum", "f32"), _by_key("sum", "f64", "--keys", "u64", "--exclusive"), _by_key("sum", "u8", "--acc", "u32", name="in u32"),
    # Of few keys groups tell each other of blocks.
    Case("scan_by_key sum f32 of few", ("scan_by_key", "--op", "sum", "--type", "f32", "--n", "1M")),
    Case("scan_by_key sum f64 of few", ("scan_by_key", "--op", "sum", "--type", "f64", "--n", "256K", "--exclusive")),
    _by_key("sum", "f32", "--count-on-device", name="counted"), Case("scan_by_key structure of 12 bytes"), Case("scan_by_key non-commutative f32"),
]

EXPECT = r"""
# A block's elements wait in registers.
# So do a window's, in 64 registers; a few words wait in memory where the limit is (us of scans by key of 2^26 on an H100 with 64, 72
# and 80 registers: 332, 330, 343; of runs of 1000 393, 401, 431).
sm_*              scan_by_key*                  segmented_scan  scratch <= 64
sm_*              scan_by_key*                  segmented_scan  spills <= 160
sm_*              scan_by_key*                  scan_by_key     scratch <= 64
sm_*              scan_by_key*                  scan_by_key     spills <= 160
sm_*              scan_by_key*                  *               lacks call\.uni
gfx*              scan_by_key*                  *               lacks s_swappc
gfx*              scan_by_key sum f32           scan_by_key_begins  has (load_dwordx4|load_b128)
gfx*              scan_by_key sum f32 of few    scan_by_key     has (load_dwordx4|load_b128)
sm_*              scan_by_key sum f32 of few    scan_by_key     has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
sm_*              scan_by_key sum f32           scan_by_key_begins  has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
"""

KNOWN = {
    **{name: ("scan-by-key,scan-by-key-short", "scan_by_key sum f32*", "scan_by_key,scan_by_key_calls")
       for name in ("scan_by_key", "scan_by_key_begins", "scan_by_key_one_launch", "scan_by_key_clear")},
}
IN_PLACE = {"scan-by-key", "scan-by-key-short"}
