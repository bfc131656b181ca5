"""What the proofs without a device need of reduce_columns (tests/offline/parts.py)."""
from case import Case


def _columns(op, kind, shape, name, core=False):
    return Case(f"reduce_columns {op} {kind} {name}", ("reduce_columns", "--op", op, "--type", kind, "--shape", shape), core)


CASES = [
    _columns("sum", "f32", "16Kx16K", "cut", core=True), _columns("sum", "f32", "1Mx64", "tall"),
    _columns("sum", "f32", "64x1M", "alone", core=True), _columns("sum", "f32", "1000x999", "by one"),
    _columns("sum", "f16", "16Kx16K", "cut"), _columns("sum", "f16", "64x1M", "alone"), _columns("sum", "f64", "16Kx16K", "cut"),
    _columns("sum", "u8", "16Kx16K", "cut"), _columns("argmin", "f32", "16Kx16K", "cut"), _columns("argmin", "f32", "64x1M", "alone"),
]

EXPECT = r"""
# The packets of several accumulators of a column are in flight in registers, and so are the subtrees that wait for their
# neighbours.
sm_*              reduce_columns*               *               scratch = 0
sm_*              reduce_columns*               *               spills = 0
sm_*              reduce_columns*               *               lacks call\.uni
gfx*              reduce_columns*               *               lacks s_swappc
gfx*              reduce_columns sum f?? [cta]*  reduce_columns  has (load_dwordx4|load_b128)
sm_*              reduce_columns sum f?? [cta]*  reduce_columns  has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
# Three groups of 256 on a unit; NVIDIA's own compiler, which does not unroll the loop over rows, takes less.
sm_[91]*          reduce_columns sum f32 tall   reduce_columns  vgprs <= 72
"""

KNOWN = {
    "matrix_results": ("columns", "reduce_columns sum f32 *", "reduce_columns"),
    **{name: ("columns-few,columns", "reduce_columns sum f32 *", "reduce_columns")
       for name in ("reduce_columns", "reduce_columns_groups", "reduce_columns_serial")},
    "column_passes": ("columns-few,columns", "reduce_columns sum f32 *", "reduce_columns"),
    "fold_identities": ("", "", "reduce_columns"),
}
