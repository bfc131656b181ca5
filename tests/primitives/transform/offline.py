"""What the proofs without a device need of transform and broadcast (tests/offline/parts.py)."""
from case import Case

CASES = [
    Case("transform values f32"),
    Case("transform f32", ("transform", "--text", "x * 2 + 1", "--n", "256M"), core=True),
    Case("transform 3 x f16", ("transform", "--type", "f16", "--inputs", "3", "--text", "x * y + z", "--n", "256M")),
    Case("transform u8 to f32", ("transform", "--type", "u8", "--to", "f32", "--text", "x / 255.0f", "--n", "256M")),
    Case("transform counted", ("transform", "--text", "x * 2 + 1", "--n", "256M", "--count-on-device")),
    Case("transform of zip f32", ("transform", "--text", "x * 2 + 1", "--n", "256M", "--input", "zip")),
    Case("transform to 4 x f32", ("transform", "--inputs", "2", "--outputs", "4", "--text", "x * y + 1", "--n", "256M")),
    Case("transform if f32", ("transform", "--text", "x * 2 + 1", "--if", "x > 0", "--n", "256M")),
    Case("transform replace f16", ("transform", "--type", "f16", "--text", "0", "--if", "x > 0", "--in-place", "--n", "256M")),
    Case("transform generate f32", ("transform", "--inputs", "0", "--text", "i * 0.5f", "--n", "256M")),
    Case("adjacent_difference f32", ("adjacent_difference", "--n", "256M")),
    Case("adjacent_difference u8 in place", ("adjacent_difference", "--type", "u8", "--in-place", "--n", "256M")),
    Case("broadcast row f32", ("broadcast", "--per", "row", "--rows", "16K", "--columns", "16K"), core=True),
    Case("broadcast column f32", ("broadcast", "--per", "column", "--rows", "16K", "--columns", "16K"), core=True),
]

EXPECT = r"""
# A vector cache that answers no two lanes at once: a row's values come through local memory.
gfx[789]*         broadcast row f32             broadcast       has ds_read
gfx1*             broadcast row f32             broadcast       lacks ds_(read|load)
sm_*              transform*                    *               scratch <= 16
sm_*              transform*                    *               spills = 0
sm_*              adjacent*                     *               scratch <= 16
sm_*              adjacent*                     *               spills = 0
gfx*              adjacent_difference f32       adjacent_difference  has (flat|global)_load_(dwordx4|b128)
sm_*              broadcast*                    *               scratch = 0
sm_*              broadcast*                    *               spills = 0
"""

KNOWN = {name + way: checks
         for name, checks in (("transform", ("transform,broadcast", "transform f32", "transform")),
                              ("broadcast", ("broadcast", "broadcast*", "transform")),
                              ("adjacent_difference", ("differences", "adjacent_difference f32", "adjacent_difference")))
         for way in ("", "_groups", "_serial")}
