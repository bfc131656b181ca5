"""What the proofs without a device need of reduce (tests/offline/parts.py)."""
from case import Case


def _reduce(op, kind, *more, core=False):
    return Case(" ".join(("reduce", op, kind, *more)),
                ("reduce", "--op", op, "--type", kind, *(("--acc", more[1]) if more else ()), "--n", "256M"), core)


CASES = [
    _reduce("sum", "f32", core=True), _reduce("sum", "f64", core=True), _reduce("sum", "i32", core=True),
    _reduce("sum", "i32", "in", "i32", core=True), _reduce("max", "i32", core=True), _reduce("min", "f32", core=True),
    _reduce("sum", "u8"), _reduce("max", "u8"), _reduce("min", "i16"), _reduce("sum", "f16"), _reduce("sum", "i64"),
    _reduce("max", "u64"), _reduce("xor", "u32"), _reduce("and", "u64"), _reduce("prod", "f32"),
    _reduce("sum", "bf16"), _reduce("sum", "bool"), _reduce("prod", "cf32"), _reduce("sum", "f32", "in", "f64"), _reduce("sumsq", "f32"),
    _reduce("abs-sum", "f64"), _reduce("argmin", "f32", core=True), _reduce("argmax", "i64"), _reduce("argmax", "f16"),
    # Of one tile, which has a kernel of its own.
    *[Case(f"reduce short {op} {kind}", ("reduce", "--op", op, "--type", kind, "--n", "8000"), core=(kind == "f32"))
      for op, kind in (("sum", "f32"), ("max", "i32"))],
    Case("reduce counted", ("reduce", "--n", "256M", "--count-on-device")),
    Case("reduce counted short", ("reduce", "--op", "max", "--type", "i32", "--n", "8000", "--count-on-device")),
    *[Case(f"reduce {name} f32", ("reduce", *words, "--n", "256M"))
      for name, words in (("ends", ("--statistic", "minmax")), ("count", ("--statistic", "count_if")), ("from a start", ("--start",)))],
    *[Case(f"reduce {kind} to moments", ("reduce", "--type", kind, "--statistic", "mean_and_variance", "--n", "256M"))
      for kind in ("f32", "f64", "u8")],
    *[Case(f"reduce of {what}", ("reduce", "--n", "256M", "--input", what)) for what in ("gather_of", "strided", "generate", "zip")],
    Case("reduce dot f32", core=True), Case("reduce sum f32 misaligned"), Case("reduce sum f32x4"), Case("reduce piece f32"),
    Case("reduce structure of 8 bytes"), Case("reduce structure of 12 bytes", core=True),
    Case("reduce non-commutative f32"), Case("reduce mul-add f32"), Case("reduce mul-add f64"), Case("reduce values f32"),
    *[Case(f"reduce sum u8 in groups of {size}") for size in (64, 512, 1024)],
    *[Case(f"reduce sum f32 in groups of {size}") for size in (64, 128, 512, 1024)],
    Case("reduce max u8 in groups of 512"), Case("reduce sum f64 in groups of 1024"),
]

EXPECT = r"""
# Nothing leaves its registers, no call is left (its registers would not be counted), and what runs is what
# the plan says.
sm_[2-8]*         reduce [!d]*                  *               scratch = 0
sm_[2-8]*         reduce [!d]*                  *               spills = 0
sm_1*             reduce [!d]*                  *               scratch = 0
sm_1*             reduce [!d]*                  *               spills = 0
# A limit of 80 registers: what the levels above the first need costs a word or three, none of them in the main loop.
sm_90             reduce [!do]*                 *               scratch <= 8
sm_90             reduce [!do]*                 *               spills <= 12
# Elements that lie nowhere, of four views: their addresses wait beside what is folded. With 64 bytes an H200 takes as long as
# with 48, 0.99 to 1.005 of the time (lazy/zip-4).
sm_90             reduce of*                    *               scratch <= 72
sm_90             reduce of*                    *               spills <= 64
# 1024 work-items leave 64 registers to each, and 16 columns of bytes take some more with the levels above. No profile has so many.
gfx*              reduce sum u8 in groups of 1024  *            scratch <= 16
gfx*              reduce sum u8 in groups of 1024  *            spills <= 7
sm_[1-8]*         reduce dot f32                *               spills = 0
# Measured with these few bytes, which short tiles and results of tiles cause: without the code for either there are
# none. 80 registers are three groups a unit, 88, where none spill, only two.
sm_90             reduce dot f32                *               spills <= 28
gfx*              reduce*                       *               lacks s_swappc
sm_*              reduce*                       *               lacks call\.uni
gfx*              reduce*                       reduce          wave = LANES
gfx*              reduce*                       reduce_tile     wave = LANES
*                 reduce*                       reduce          lds <= 8192
# Nothing is fused, not in the functions that users bring either. (v_mad and v_mac round the product, as v_mul does.)
gfx*              reduce mul-add f??            *               lacks v_(pk_)?(fma|fmac)(_legacy)?_f(32|64)
sm_*              reduce mul-add f??            *               lacks fma\.rn\.f(32|64)
# Loads of 16 bytes, where the plan's packet has them.
gfx[789]*         reduce s?m* [fiu]32           reduce          has (flat|buffer|global)_load_dwordx4
gfx[789]*         reduce m* [fiu]32             reduce          has (flat|buffer|global)_load_dwordx4
gfx[789]*         reduce dot f32                reduce          has (flat|buffer|global)_load_dwordx4
gfx10*            reduce s?m* [fiu]32           reduce          has global_load_dwordx4
gfx10*            reduce m* [fiu]32             reduce          has global_load_dwordx4
gfx1[12]*         reduce s?m* [fiu]32           reduce          has global_load_b128
# Packets where the input begins between two of them, or a column is a run of elements: lanes hand on what they load.
sm_[3-9]*         reduce sum f32 misaligned     reduce          has v4\.u32
sm_1*             reduce sum f32 misaligned     reduce          has v4\.u32
sm_[3-9]*         reduce sum f32 misaligned     reduce          has shfl\.(sync\.)?idx
sm_[3-9]*         reduce non-commutative f32    reduce          has v4\.u32
sm_1*             reduce non-commutative f32    reduce          has v4\.u32
sm_[3-9]*         reduce non-commutative f32    reduce          has shfl\.(sync\.)?idx
gfx1[12]*         reduce m* [fiu]32             reduce          has global_load_b128
sm_[789]*         reduce s?m* [f]32             reduce          has ld\.global\.(nc\.)?L1::no_allocate\.v4\.u32
sm_[789]*         reduce m* [fiu]32             reduce          has ld\.global\.(nc\.)?L1::no_allocate\.v4\.u32
sm_1*             reduce s?m* [f]32             reduce          has ld\.global\.(nc\.)?L1::no_allocate\.v4\.u32
sm_1*             reduce m* [fiu]32             reduce          has ld\.global\.(nc\.)?L1::no_allocate\.v4\.u32
sm_[2356]*        reduce s?m* [f]32             reduce          has ld\.global(\.nc)?\.v4\.
gfx*              reduce sum f32                reduce          loads <= 0.25
# The lane mechanism that the profile promises.
gfx[89]*          reduce * [fiu]32              reduce          has _dpp .*row_shr:8
gfx[89]*          reduce * [fiu]32              reduce          has _dpp .*row_bcast:15
gfx[89]*          reduce * [fiu]32              reduce          has _dpp .*row_bcast:31
gfx[89]*          reduce * [fiu]32              reduce_tile     has _dpp .*row_bcast:31
# To an operator of the user it gives lanes that have none below their own word, no zeros: what a move does not write
# is what it moves.
gfx[89]*          reduce structure*             *               lacks _dpp .*bound_ctrl
gfx[89]*          reduce structure*             *               lacks \bv_(?!mov_b32)\w+_dpp
gfx[89]*          reduce structure*             *               lacks v_mov_b32_dpp (v\d+), (?!\1 )
gfx[89]*          reduce structure*             reduce          has _dpp .*row_bcast:31
gfx1*             reduce structure*             *               lacks _dpp .*bound_ctrl
gfx1*             reduce structure*             *               lacks \bv_(?!mov_b32)\w+_dpp
gfx1*             reduce structure*             *               lacks v_mov_b32_dpp (v\d+), (?!\1 )
gfx1*             reduce structure*             reduce          has _dpp .*row_shr:8
gfx*              reduce non-commutative f32    *               lacks _dpp .*bound_ctrl
gfx1*             reduce * [fiu]32              reduce          has _dpp.*row_shr:8
gfx1*             reduce * [fiu]32              reduce          has v_permlanex16_b32
gfx1*             reduce * [fiu]32              reduce_tile     has v_permlanex16_b32
gfx1*             reduce * [fiu]32              reduce          lacks row_bcast
gfx1*-wave64      reduce * [fiu]32              reduce          has v_readlane_b32
gfx700            reduce * [fiu]32              reduce          has ds_swizzle_b32
gfx700            reduce * [fiu]32              reduce          lacks _dpp
gfx[89]*          reduce * [fiu]32              reduce          lacks ds_(swizzle|bpermute)
sm_7*             reduce * [fiu]32              reduce          has shfl\.sync\.up\.b32
sm_[89]*          reduce * [fiu]32              reduce          has shfl\.sync\.up\.b32
sm_[789]*         reduce * [fiu]32              reduce_tile     has shfl\.sync\.up\.b32
sm_1*             reduce * [fiu]32              reduce          has shfl\.sync\.up\.b32
sm_[89]*          reduce max i32                reduce          has redux\.sync\.max\.s32
sm_[89]*          reduce sum i32 in i32         reduce          has redux\.sync\.add
sm_1*             reduce max i32                reduce          has redux\.sync\.max\.s32
sm_7*             reduce max i32                reduce          lacks redux
sm_[356]*         reduce * [fiu]32              reduce          has shfl\.up\.b32
sm_[356]*         reduce * [fiu]32              reduce          lacks shfl\.sync
sm_20             reduce * [fiu]32              reduce          lacks shfl
subgroup-*        reduce * [fiu]32              reduce          has sub_group_shuffle_up
subgroup-*        reduce * [fiu]32              reduce_tile     has sub_group_shuffle_up
# Acquire and release, for all of the device.
subgroup-*        reduce * [fiu]32              reduce          has atomic_fetch_add_explicit.*i32( noundef)? 1, i32( noundef)? 4, i32( noundef)? 2\)
xe2               reduce * [fiu]32              reduce          has sub_group_shuffle_up
# Before the last group's ticket every wave releases its own stores, whatever types and group sizes let store.
gfx*              reduce*                       reduce          releases (flat|buffer|global)_atomic_(add|inc)
sm_*              reduce*                       reduce          releases atom\.(?!shared)
# Around the ticket: the write-back before it where the machine has one, stale lines gone after it (LLVM's AMDGPUUsage).
gfx[78]*          reduce * [fiu]32              reduce          around (flat|buffer|global)_atomic : s_waitcnt.*vmcnt\(0\) : buffer_wbinvl1_vol
gfx90[068a]       reduce * [fiu]32              reduce          around (flat|global)_atomic : s_waitcnt.*vmcnt\(0\) : buffer_wbinvl1_vol
gfx94*            reduce * [fiu]32              reduce          around (flat|global)_atomic : buffer_wbl2 : buffer_inv
gfx10*            reduce * [fiu]32              reduce          around (flat|global)_atomic : s_waitcnt.*vmcnt\(0\)|s_barrier : buffer_gl0_inv
gfx10*            reduce * [fiu]32              reduce          around (flat|global)_atomic : s_waitcnt_vscnt : buffer_gl1_inv
gfx11*            reduce * [fiu]32              reduce          around (flat|global)_atomic : s_waitcnt.*vmcnt\(0\)|s_barrier : buffer_gl0_inv
gfx11*            reduce * [fiu]32              reduce          around (flat|global)_atomic : s_waitcnt_vscnt : buffer_gl1_inv
gfx12*            reduce * [fiu]32              reduce          around global_atomic : global_wb : global_inv
sm_[789]*         reduce * [fiu]32              reduce          has atom\.acq_rel\.gpu|fence\.acq_rel\.gpu
sm_1*             reduce * [fiu]32              reduce          has atom\.acq_rel\.gpu|fence\.acq_rel\.gpu
sm_[2356]*        reduce * [fiu]32              reduce          around atom.*\.inc\.u32|atom.*add : membar\.gl : membar\.gl
# The group's writes are all made before it, and all work-items read what it gave: a barrier on both sides.
gfx*              reduce * [fiu]32              reduce          around (flat|buffer|global)_atomic : s_barrier : s_barrier
sm_*              reduce * [fiu]32              reduce          around atom\.(?!shared) : bar\.sync : bar\.sync
subgroup-*        reduce * [fiu]32              reduce          around atomic_fetch_add_explicit : barrierj\(i32( noundef)? 3\) : barrierj\(i32( noundef)? 3\)
# And those that emulated lanes hide: what comes before the next exchange stands behind a barrier there in any case. Twice,
# for the input's elements and for results: before parts are folded, and before their places are used again.
gfx*              reduce sum f32                reduce          times s_barrier 6
sm_*              reduce sum f32                reduce          times bar\.sync 4
# Sets of 16 lanes and fewer leave more parts than a work-item folds in registers: a step more, each time.
subgroup-8        reduce sum f32                reduce          times barrierj\( 8
subgroup-16       reduce sum f32                reduce          times barrierj\( 8
xe2               reduce sum f32                reduce          times barrierj\( 8
subgroup-8        reduce short sum f32          reduce_tile     times barrierj\( 2
subgroup-16       reduce short sum f32          reduce_tile     times barrierj\( 2
# An input of one tile: its parts are put down before they are read.
gfx*              reduce * [fiu]32              reduce_tile     has s_barrier
sm_[2-9]*         reduce * [fiu]32              reduce_tile     has bar\.sync
sm_1*             reduce * [fiu]32              reduce_tile     has bar\.sync
# As many loads under way as the plan says; of results and of short tiles several, too, but for what stands in for columns
# without elements where the operator is the user's, and for operators that see elements in order.
gfx*              reduce * [fiu]32              reduce          in_flight >= ITEMS
gfx*              reduce * f64                  reduce          in_flight >= ITEMS
gfx*              reduce s?m* [fiu]32           reduce          lone_loads = 0
gfx*              reduce m[ai][xn] [fiu]32      reduce          lone_loads = 0
gfx*              reduce sum* f64               reduce          lone_loads = 0
gfx*              reduce short *                reduce_tile     lone_loads = 0
# Registers for the waves of a plan's groups on a unit: 4 groups of 256 on 4 SIMDs. RDNA's unit is a work-group processor.
gfx*              reduce * [fiu]32              reduce          waves >= 4
gfx[89]*          reduce * f64                  reduce          waves >= 4
gfx1*             reduce * f64                  reduce          waves >= 4
# One fewer for a user's operator of doubles.
gfx700            reduce * f64                  reduce          waves >= 3
gfx1*             reduce sum f??                reduce          waves >= 8
# Structures of 16 and 24 bytes are folded in fewer.
gfx*              reduce f?? to moments         reduce          waves >= 2
# The main loop half as long as rocPRIM's (7.1 instructions an element).
gfx*              reduce sum f32                reduce          instructions <= 3.5
sm_90             reduce*                       reduce          vgprs <= REGISTERS
"""

_TESTS = "reduce,reduce_accumulators,reduce_errors,reduce_floats,reduce_memory,reduce_structures,argmax"
_FOLD = ("sum,sum-bytes,argmax,last,sum-wide,sum-shorts,structures,divisor,divisor-in-order,levels,levels-apart,piece", "reduce sum f32", _TESTS)
KNOWN = {
    **{stem: _FOLD for stem in ("fold", "fold_columns", "fold_load", "fold_tiles", "fold_serial", "group", "reduce", "reduce_tiles", "reduce_tile",
                               "reduce_piece", "value", "lanes_local", "lanes_amd")},
    "lanes_nvidia": ("", "reduce sum f32", _TESTS), "lanes_subgroup": ("", "reduce sum f32", "reduce"),
    "memory": ("sum", "reduce sum f32", _TESTS),
    # What a user's functions are compiled to tells whether the pragmas stand before them.
    "clwave": ("", "reduce mul-add f32", "user_text"), "target": ("", "reduce mul-add f32", "user_text"),
}
# What reduce.cl and the parts of the fold are in.
FOLDS = {"sum", "sum-bytes", "sum-wide", "argmax", "last", "divisor", "divisor-in-order", "levels", "levels-apart", "piece"}
ONE_LAUNCH = {"levels"}
CRASHES = {("cpu", part) for part in ("sum", "sum-bytes", "sum-wide", "argmax", "levels", "levels-apart")}
