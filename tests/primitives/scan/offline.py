"""What the proofs without a device need of scan (tests/offline/parts.py)."""
from case import Case


def _scan(op, kind, *more, name="", core=False):
    return Case(" ".join(("scan", op, kind, name)).strip(), ("scan", "--op", op, "--type", kind, *more, "--n", "256M"), core)


CASES = [
    _scan("sum", "f32", core=True), _scan("sum", "f64"), _scan("max", "i32"), _scan("sum", "u8", "--acc", "u32", name="in u32"),
    _scan("sum", "f32", "--exclusive", name="exclusive"), _scan("sum", "f32", "--in-place", name="in place", core=True),
    _scan("sum", "f32", "--count-on-device", name="counted"), _scan("sum", "f32", "--input", "gather_of", name="gathered"), Case("scan piece f32"),
]

EXPECT = r"""
# Elements wait in registers while the levels above are folded.
sm_[1-8]*         scan [!_]*                    *               scratch = 0
sm_[1-8]*         scan [!_]*                    *               spills = 0
# 80 registers are three groups a unit. Around the loop that looks back the maximum leaves four held words in memory; H200:
# 608 us for 2^28, as sums, which left none then. What stands before a run is loaded without a test, which leaves a few: an H200
# takes 300 us for sums of 2^26 doubles, inclusive, and 329 where one of the two loads has a test, and no other time for floats. Where
# the device counts the elements, two words more wait there, and sums of 2^26 floats take 0.99 of the time on an H100.
sm_90             scan [sm]*                    scan            scratch <= 56
sm_90             scan [sm]*                    scan            spills <= 224
sm_90             scan piece*                   *               scratch = 0
sm_90             scan*                         scan            vgprs <= REGISTERS
sm_*              scan*                         *               lacks call\.uni
gfx*              scan sum f32                  scan            has (load_dwordx4|load_b128)
gfx*              scan sum f32                  scan            has (store_dwordx4|store_b128)
sm_*              scan sum f32                  scan            has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
sm_*              scan sum f32                  scan            has st\.global(\.L1::no_allocate)?\.v4\.
sm_90             scan sum f32                  scan            has st\.global\.L1::no_allocate\.v4\.
# A tile's loads are all under way together: 16384 elements by 512 work-items in packets of 4.
gfx*              scan [sm]* [fi]32*            scan            in_flight >= 8
# Messages are single words in the cache that all units share: nobody drops a cache to read them.
gfx[789]*         scan sum f32                  scan            lacks (buffer_wbinvl1|buffer_wbl2|buffer_inv)
sm_[789]*         scan sum f32                  scan            has ld\.relaxed\.gpu\.global\.u64
sm_*              scan sum f32                  scan            lacks (membar|fence)
# In place a tile's message is out before one of its results is, and is looked for after elements were loaded.
sm_[789]*         scan sum f32 in place         scan            times fence\.acq_rel\.gpu 2
sm_[356]*         scan sum f32 in place         scan            times membar\.gl 2
gfx*              scan sum f32 in place         scan            times (buffer_wbinvl1|buffer_inv|buffer_gl1_inv|global_inv) 2
subgroup-*        scan sum f32 in place         scan            times call.*atomic_work_item_fence.*i32( noundef)? 2, i32( noundef)? 4, i32( noundef)? 2\) 2
"""

_TILES = ("scan-backwards,scan,scan-steps", "scan sum f32", "scan,scan_calls")
KNOWN = {
    **{name: ("scan-backwards,scan,scan-steps", "scan sum f32*,scan piece f32", "scan,scan_calls,sharded_scan")
       for name in ("scan", "scan_one_pass", "scan_launches", "scan_pieces")},
    "scan_order": _TILES, "scan_tile": _TILES, "scan_held": _TILES, "scan_strips": _TILES, "scan_wide": ("", "", "scan"),
    "look_back": _TILES, "message": ("scan-backwards,scan", "scan sum f32*", "scan,scan_calls"), "lanes_subgroup": ("", "", "scan"),
}
ONE_LAUNCH = {"scan", "scan-backwards"}
BACKWARDS = {"scan-backwards"}
