"""What the proofs without a device need of reduce_rows (tests/offline/parts.py)."""
from case import Case


def _rows(op, kind, shape, name, core=False):
    return Case(f"reduce_rows {op} {kind} {name}", ("reduce_rows", "--op", op, "--type", kind, "--shape", shape), core)


CASES = [
    _rows("sum", "f32", "1Mx64", "short", core=True), _rows("sum", "f32", "1Mx60", "of 60"), _rows("sum", "f32", "1Mx61", "of 61"),
    _rows("sum", "f32", "64Kx1K", "of 1024"), _rows("sum", "f32", "64Kx999", "of 999"), _rows("argmax", "f32", "1Mx64", "short"),
    _rows("sum", "f64", "1Mx64", "short"), _rows("max", "u8", "1Mx64", "short"), _rows("sum", "f16", "1Mx64", "short"),
    _rows("sum", "f32", "16Kx16K", "whole", core=True), _rows("sum", "f32", "64x1M", "cut", core=True),
    _rows("sum", "f32", "32Kx2K", "shallow", core=True), _rows("sum", "f16", "16Kx5000", "shallow"),
    _rows("argmax", "f64", "16Kx3K", "shallow"), _rows("sum", "f64", "16Kx16K", "whole"), _rows("sum", "f16", "16Kx16K", "whole"),
    _rows("argmax", "f32", "16Kx16K", "whole"),
]

EXPECT = r"""
# The packets of several rows are in flight in registers.
sm_*              reduce_rows*                  *               scratch = 0
sm_*              reduce_rows*                  *               spills = 0
sm_*              reduce_rows*                  *               lacks call\.uni
gfx*              reduce_rows*                  *               lacks s_swappc
gfx*              reduce_rows sum f32 short     reduce_rows_short  has (load_dwordx4|load_b128)
gfx*              reduce_rows sum f32 whole     reduce_rows     has (load_dwordx4|load_b128)
gfx*              reduce_rows sum f32 cut       reduce_rows     has (load_dwordx4|load_b128)
sm_*              reduce_rows sum f32 short     reduce_rows_short  has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
gfx*              reduce_rows * cut             reduce_rows     releases (flat|buffer|global)_atomic_(add|inc)
sm_*              reduce_rows * cut             reduce_rows     releases atom\.(?!shared)
*                 reduce_rows sum f32 whole     reduce_rows     times s_barrier|bar\.sync|barrierj\( 4
"""

KNOWN = {
    "matrix_results": ("rows", "reduce_rows sum f32 short", "reduce_rows"),
    **{name: ("rows,rows-whole,rows-levels", "reduce_rows sum f32 *", "reduce_rows")
       for name in ("reduce_rows", "reduce_rows_short", "reduce_rows_tiles", "reduce_rows_groups", "reduce_rows_serial")},
    "fold_rows": ("rows,rows-whole,rows-levels", "reduce_rows sum f32 short", "reduce_rows"),
    "fold_tiles": ("rows-levels", "", "reduce_rows"), "fold_identities": ("", "", "reduce_rows"),
}
FOLDS = {"rows", "rows-whole", "rows-levels"}
CRASHES = {("cpu", part) for part in ("rows", "rows-whole", "rows-levels")}
