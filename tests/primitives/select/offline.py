"""What the proofs without a device need of select (tests/offline/parts.py)."""
from case import Case


def _select(kind, of, *more, core=False, n="256M", name=""):
    return Case(f"select {name or kind} {of}", ("select", "--kind", kind, "--type", of, "--n", n, *more), core)


CASES = [
    _select("if", "f32", core=True), _select("if", "f64"), _select("if", "u8"), _select("flagged", "f32"),
    _select("partition", "f32", core=True), _select("partition-copy", "f32", core=True),
    _select("partition-three", "f32"), _select("partition-three", "u8", "--count-on-device", name="partition-three-counted"),
    _select("partition", "f32", n="100K", name="partition-few"), _select("unique", "f32"),
    _select("unique", "f16"),
    _select("unique-by-key", "f32", core=True),
    _select("run-lengths", "f32", core=True), _select("run-offsets", "f32"),
    _select("if", "i32", "--count-on-device", name="if-counted"), _select("partition", "i32", "--count-on-device", name="partition-counted"),
    _select("if", "i32", "--input", "gather_of", name="if-gathered"), _select("unique", "f16", "--input", "zip", name="unique-zip"),
    _select("flagged-if", "f32", "--flags", "f32", "--text", "y > 0.5f"),
]

EXPECT = r"""
sm_*              select*                       *               scratch = 0
sm_*              select*                       *               spills = 0
sm_*              select*                       *               lacks call\.uni
gfx*              select* f32                   *               has (load_dwordx4|load_b128)
sm_*              select* f32                   *               has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
gfx[789]*         select*                       select_kept     lacks (buffer_wbinvl1|buffer_wbl2|buffer_inv)
sm_[789]*         select*                       select_kept     has ld\.relaxed\.gpu\.global\.u64
sm_*              select*                       *               lacks (membar|fence)
# Five groups of 128 on a unit, each with 64 elements a work-item in registers and then in local memory.
sm_90             select if f32                 select_kept     vgprs <= 100
sm_90             select partition-copy f32     select_kept     vgprs <= 100
# Sums that are right in every lane.
gfx[89]*          select if f32                 select_kept     has _dpp .*row_bcast:31
gfx1*             select if f32                 select_kept     has v_permlanex16_b32
gfx1*-wave64      select if f32                 select_kept     has v_readlane_b32
gfx700            select if f32                 select_kept     has ds_swizzle_b32
sm_[789]*         select if f32                 select_kept     has shfl\.sync\.up\.b32
sm_1*             select if f32                 select_kept     has shfl\.sync\.up\.b32
sm_[356]*         select if f32                 select_kept     has shfl\.up\.b32
subgroup-*        select if f32                 select_kept     has sub_group_shuffle_up
# Every barrier of the group. Where lanes are emulated, their sums end with a barrier, which hides that one is missing.
sm_*              select if f32                 select_kept     times bar\.sync 8
"""

_SELECTIONS = ("select-backwards,select", "select if f32", "select,select_runs")
KNOWN = {
    "select": _SELECTIONS, "select_load": _SELECTIONS, "select_tile": _SELECTIONS, "look_back_counts": _SELECTIONS,
    **{name: _SELECTIONS for name in ("select_one_pass", "select_launches", "select_split", "select_sums", "select_serial",
                                      "select_groups", "select_two", "select_two_serial", "select_others", "give_kept",
                                      "give_others", "give_carried", "give_lengths", "give_offsets")},
    **{name: ("select", "select if f32", "select,select_runs")
       for name in ("kept", "kept_elements", "kept_keys", "keeps_if", "keeps_flagged", "keeps_unlike")},
    **{name: ("select", "select partition-three f32", "partition_three")
       for name in ("select_three", "select_three_groups", "select_three_serial")},
    "lanes_local": ("select", "", ""), "lanes_nvidia": ("", "select if f32,select unique f32", ""), "lanes_subgroup": ("", "", "select"),
}
ONE_LAUNCH = {"select", "select-backwards"}
BACKWARDS = {"select-backwards"}
