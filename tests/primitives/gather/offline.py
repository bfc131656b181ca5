"""What the proofs without a device need of gather and scatter (tests/offline/parts.py)."""
from case import Case


def _moves(kind, *more, name="", core=False):
    return Case(" ".join(("gather" if kind == "gather" else "gather scatter", name)).strip(), (kind, *more), core)


CASES = [
    _moves("gather", name="f32", core=True), _moves("gather", "--indices", "u64", "--bytes", "2", "--bad", name="2 bytes by u64"),
    _moves("gather", "--bytes", "24", "--outside", name="24 bytes"), _moves("gather", "--type", "f16", "--text", "x * 2", name="by a map"),
    _moves("scatter", name="f32", core=True), _moves("scatter", "--bytes", "16", "--bad", name="16 bytes"),
    _moves("scatter", "--bytes", "24", name="24 bytes"), _moves("scatter", "--bytes", "128", "--distinct", name="128 bytes"),
    _moves("gather", "--bytes", "4", "--bad", "--count-on-device", name="counted"), _moves("scatter", "--bytes", "24", "--count-on-device", name="counted"),
    _moves("gather", "--flags", "u8", name="if f32"), _moves("gather", "--bytes", "24", "--flags", "bool", "--bad", name="if 24 bytes"),
    _moves("gather", "--type", "f16", "--text", "x * 2", "--flags", "f32", "--predicate", "x > i", name="if by a map"),
    _moves("scatter", "--flags", "u8", name="if f32"), _moves("scatter", "--bytes", "24", "--flags", "f16", "--predicate", "x > 0", name="if 24 bytes"),
    _moves("scatter", "--bytes", "12", "--flags", "u8", "--count-on-device", name="if counted"),
    Case("gather scatter to structures of 12 bytes"),
    Case("gather reversed f32", ("reverse", "--n", "256M")), Case("gather reversed 1 byte", ("reverse", "--bytes", "1", "--n", "256M")),
    Case("gather rotated f32", ("rotate", "--n", "256M")), Case("gather rotated 24 bytes", ("rotate", "--bytes", "24", "--n", "256M")),
]

# All loads that a work-item has in flight come before its first store, and indices in packets of 16 bytes.
EXPECT = r"""
sm_*              gather f32                    *               scratch = 0
sm_*              gather 2*                     *               scratch = 0
sm_*              gather scatter*               *               scratch = 0
aim sm_*          gather by a map               *               scratch = 0
sm_*              gather*                       *               spills = 0
gfx*              gather f32                    gather          has (load_dwordx4|load_b128)
gfx*              gather scatter f32            scatter         has (load_dwordx4|load_b128)
sm_*              gather f32                    gather          has ld\.global(\.nc)?\.v4\.u32
sm_*              gather scatter f32            scatter         has ld\.global(\.nc)?\.v4\.u32
"""

KNOWN = {**{name: ("gather,orders", "gather f32", "gather") for name in (
    "gather", "gather_groups", "gather_held", "gather_scatter_held", "gather_serial", "gather_scatter_serial", "gather_parts",
    "gather_parts_groups", "gather_parts_units", "gather_scatter_parts_units", "gather_parts_serial", "gather_scatter_parts_serial",
    "gather_claims")},
 "gather_operands": ("gather,flagged", "gather f32", "gather,gather_if")}
