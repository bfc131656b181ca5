"""What the proofs without a device need of sort (tests/offline/parts.py)."""
from case import Case


def _sort(kind, *more, name="", core=False):
    return Case(" ".join(("sort", kind, name)).strip(), ("sort", "--type", kind, *more), core)


CASES = [
    _sort("u32", "--n", "256M", core=True), _sort("f64", "--n", "256M", "--descending"), _sort("u8", "--n", "256M"),
    _sort("f32", "--n", "256M", "--values", "f64", name="with f64", core=True), _sort("f16", "--n", "16M", "--indices", "u32", name="indices"),
    _sort("u64", "--n", "8G", "--indices", "u64", name="many indices"), _sort("i32", "--n", "1000", "--values", "f32", name="small"),
    _sort("u32", "--n", "256M", "--count-on-device", name="counted"), _sort("u32", "--n", "2K", "--count-on-device", name="few counted"),
    _sort("f32", "--n", "1000", name="few"), _sort("u64", "--n", "4K", "--descending", name="few"),
]

EXPECT = r"""
gfx*              sort*                         *               lacks s_swappc
sm_[1-8]*         sort*                         *               scratch = 0
sm_[1-8]*         sort*                         *               spills = 0
# 80 registers are three groups a unit: clang spills keys of 8 bytes. H200, 2^28 doubles: 16.7 ms, without a limit 18.0.
sm_90             sort [!f]*                    *               scratch = 0
sm_90             sort [!f]*                    *               spills = 0
sm_90             sort f64                      *               scratch <= 112
sm_90             sort f64                      *               spills <= 216
sm_90             sort f16*                     *               spills = 0
sm_90             sort f32*                     *               spills = 0
# Messages between groups are relaxed, and nothing is written back or dropped while a group looks back.
gfx[789]*         sort u32                      sort_move_keys  lacks (buffer_wbinvl1|buffer_wbl2|buffer_inv)
sm_[789]*         sort u32                      sort_move_keys  has ld\.relaxed\.gpu\.global\.u32
sm_[789]*         sort u32                      sort_move_keys  has st\.relaxed\.gpu\.global\.u32
sm_[789]*         sort u64 many indices         sort_move_keys  has ld\.relaxed\.gpu\.global\.u64
sm_*              sort *                        sort_move_keys  lacks (membar|fence)
# Lanes of one digit are found by masks in local memory or by ballots, and what one lane counts the others see: a barrier
# of the set before the count is changed and one behind it.
sm_[789]*         sort u32                      sort_move_keys  has atom\.shared\.or
sm_1*             sort u32                      sort_move_keys  has atom\.shared\.or
sm_[78]*          sort u32                      sort_move_keys  times bar\.warp\.sync 49
sm_90             sort u32                      sort_move_keys  times bar\.warp\.sync 88
sm_1*             sort u32                      sort_move_keys  times bar\.warp\.sync 49
subgroup-*        sort u32                      sort_move_keys  times call.*sub_group_barrierj 33
xe2               sort u32                      sort_move_keys  times call.*sub_group_barrierj 33
sm_[356]*         sort u32                      sort_move_keys  has vote\.ballot
# A small sort has no other group to wait with: its lanes match by ballots, which wait for nothing.
sm_[356]*         sort i32 small                sort_small      has vote\.ballot
sm_[789]*         sort i32 small                sort_small      has vote\.sync\.ballot
sm_1*             sort i32 small                sort_small      has vote\.sync\.ballot
sm_*              sort i32 small                sort_small      lacks atom\.shared\.or
sm_*              sort*                         *               lacks call\.uni
# Keys that are compared come four at a time, the same for all lanes.
sm_[5-9]*         sort f32 few                  sort_ranks      has ld\.shared\.v4
"""

_SORTS = ("sort,sort-few,sort-few-in-place,sort-backwards,sort-messages,sort-many-tiles,sort-tiles,argsort-tiles", "sort u32,sort i32 small", "sort,sort_calls")
KNOWN = {
    "sort": _SORTS, "sort_serial": ("", "", "sort,sort_calls"), "sort_tile": _SORTS,
    "sort_small": _SORTS, "sort_one_pass": _SORTS, "sort_launches": _SORTS, "sort_tiles": _SORTS,
    "sort_ranks": ("sort-few,sort-few-in-place", "sort f32 few", "sort"),
    "group": ("sort,sort-tiles", "", "sort"), "lanes_local": ("sort,sort-tiles", "", "sort"),
    "look_back_digits": ("sort-backwards,sort-messages", "sort u32,sort u64 many indices", "sort_calls,sort"),
}
ONCE = {"sort-many-tiles"}
ONE_LAUNCH = {"sort-messages", "sort-backwards", "sort-few-in-place"}
BACKWARDS = {"sort-backwards"}
