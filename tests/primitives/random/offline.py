"""What the proofs without a device need of random and shuffle (tests/offline/parts.py)."""
from case import Case


def _random(*more, name="", core=False):
    return Case(f"random {name}", ("random", "--n", "256M", *more), core)


CASES = [
    _random("--type", "u32", name="u32", core=True), _random("--type", "u64", name="u64"), _random("--type", "u8", name="u8"),
    _random("--type", "u32", "--first", "1", name="u32 of two blocks"), _random("--type", "f32", name="f32"), _random("--type", "f64", name="f64"),
    _random("--type", "f16", name="f16"), _random("--kind", "normal", name="normal f32", core=True),
    _random("--kind", "normal", "--type", "f64", name="normal f64"), _random("--kind", "normal", "--type", "bf16", name="normal bf16"),
    _random("--type", "u32", "--below", "6", name="below u32"), _random("--type", "i64", "--below", "10000000000", name="below i64"),
    _random("--kind", "permutation", "--type", "u32", name="permutation u32"), _random("--kind", "permutation", "--type", "u64", name="permutation u64"),
    Case("random shuffled f32", ("shuffle", "--n", "256M")), Case("random shuffled 24 bytes", ("shuffle", "--bytes", "24", "--n", "256M")),
]

# Packets are stored by one access; words stay in registers.
EXPECT = r"""
gfx*              random*                       *               lacks s_swappc
sm_*              random u*                     *               scratch = 0
sm_*              random f32                    *               scratch = 0
sm_*              random f64                    *               scratch = 0
sm_*              random normal f*              *               scratch = 0
sm_*              random below*                 *               scratch = 0
sm_*              random permutation*           *               scratch = 0
sm_*              random shuffled*              *               scratch = 0
aim sm_*          random f16                    *               scratch = 0
aim sm_*          random normal bf16            *               scratch = 0
sm_*              random*                       *               spills = 0
sm_*              random*                       *               lacks call\.uni
sm_*              random u32                    random          has st\.global\.v4\.u32
gfx*              random u32                    random          has (global|flat)_store_(dwordx4|b128)
"""

KNOWN = {"random": ("random", "random u32", "random"), "philox": ("random", "random u32", "random"),
         "normal": ("random", "random normal f32,random normal f64", "normal"),
         "permutation": ("shuffle", "random shuffled f32,random permutation u32", "permutation")}
