"""What the proofs without a device need of reduce_by_key (tests/offline/parts.py)."""
from case import Case


def _by_key(op, kind, *more, name="", core=False):
    return Case(f"reduce_by_key {op} {kind} {name}".strip(),
                ("reduce_by_key", "--op", op, "--type", kind, "--n", "64M", *more), core)


CASES = [
    _by_key("sum", "f32", core=True), _by_key("sum", "f64", "--keys", "u64"), _by_key("sum", "u8"), _by_key("sum", "f16"),
    _by_key("sum", "f32", "--count-on-device", name="counted"), _by_key("argmax", "f32"), Case("reduce_by_key structure of 12 bytes"), Case("reduce_by_key non-commutative f32"),
]

EXPECT = r"""
# The values of short runs wait in registers while a group looks back.
gfx[!19]*         reduce_by_key*                *               scratch = 0
gfx90*            reduce_by_key*                *               scratch = 0
gfx9*             reduce_by_key [!a]*           *               scratch = 0
gfx10*            reduce_by_key*                *               scratch = 0
# With 32 lanes and on gfx942 clang 19 sets a place aside for scalar registers that then go to lanes of a vector register
# instead: nothing is ever stored there.
gfx1[12]*         reduce_by_key*                *               scratch <= 68
gfx1[12]*         reduce_by_key*                *               lacks scratch_
gfx94*            reduce_by_key argmax*         *               scratch <= 68
gfx94*            reduce_by_key argmax*         *               lacks scratch_
sm_*              reduce_by_key*                *               scratch = 0
sm_*              reduce_by_key*                *               spills = 0
sm_*              reduce_by_key*                *               lacks call\.uni
gfx*              reduce_by_key*                *               lacks s_swappc
gfx*              reduce_by_key sum f32         select_*        has (load_dwordx4|load_b128)
sm_*              reduce_by_key sum f32         select_*        has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
"""

KNOWN = {
    "reduce_by_key": ("by-key", "reduce_by_key sum f32*", "reduce_by_key"),
    **{name: ("by-key,by-key-short,by-key-in-order", "reduce_by_key sum f32*", "reduce_by_key")
       for name in ("fold_runs", "fold_runs_groups", "fold_runs_serial")},
    "give_folds": ("by-key,by-key-short,by-key-in-order", "reduce_by_key sum f32*", "reduce_by_key"),
    "fold_long_runs": ("by-key-backwards,by-key-one-pass,by-key", "reduce_by_key sum f32*", "reduce_by_key"),
    "fold_segments": ("by-key", "reduce_by_key sum f32", "reduce_by_key"),
}
CRASHES = {("cpu", "by-key"), ("cpu", "by-key-one-pass"), ("cpu", "by-key-backwards")}
ONE_LAUNCH = {"by-key-one-pass", "by-key-backwards"}
BACKWARDS = {"by-key-backwards"}
