"""What the proofs without a device need of transpose (tests/offline/parts.py)."""
from case import Case

CASES = [
    *[Case(f"transpose {kind}", ("transpose", "--type", kind, "--shape", "4096x4096"), kind == "f32")
      for kind in ("u8", "u16", "f32", "f64", "f32x4")],
    Case("transpose f32 misaligned", ("transpose", "--type", "f32", "--shape", "4095x4095")),
    Case("transpose of 3 bytes"),
    Case("transpose f32 in place", ("transpose", "--type", "f32", "--shape", "4096x4096", "--in-place"), True),
]

EXPECT = r"""
sm_*              transpose*                    *               scratch = 0
sm_*              transpose*                    *               spills = 0
# Accesses of 16 bytes on both sides and in local memory.
gfx*              transpose f??                 transpose       has (load_dwordx4|load_b128)
gfx*              transpose f??                 transpose       has (store_dwordx4|store_b128)
sm_*              transpose f??                 transpose       has ld\.global(\.nc)?\.v4\.u32
sm_*              transpose f??                 transpose       has st\.global\.v4\.u32
sm_*              transpose f??                 transpose       has ld\.shared\.v4\.u32
sm_*              transpose u8                  transpose       has prmt\.b32
gfx[89]*          transpose u8                  transpose       has v_perm_b32
gfx1*             transpose u8                  transpose       has v_perm_b32
sm_*              transpose f??                 transpose       vgprs <= 64
# Words on both sides, whatever an element has.
gfx*              transpose of 3 bytes          transpose       has (global|flat|buffer)_load_(dword|b32|b96)
sm_*              transpose of 3 bytes          transpose       has ld\.global(\.nc)?\.u32
sm_*              transpose of 3 bytes          transpose       has st\.global\.u32
sm_*              transpose of 3 bytes          transpose       vgprs <= 80
"""

_TRANSPOSES = ("transpose,transpose-bytes,transpose-u16,transpose-words,transpose-in-place", "transpose f32", "transpose")
KNOWN = {f"transpose{part}": _TRANSPOSES
         for part in ("", "_units", "_packets", "_words", "_groups", "_blocks", "_elements", "_serial")}
