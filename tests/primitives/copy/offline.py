"""What the proofs without a device need of copy and fill (tests/offline/parts.py)."""
from case import Case

CASES = [
    Case("copy f32", core=True), Case("copy f32 to f16"), Case("copy f16 to f32"), Case("copy f32 to u8 saturated"),
    Case("copy f32 to bf16", ("copy", "--type", "f32", "--to", "bf16", "--n", "256M")),
    Case("copy f64 to f32"), Case("copy shifted bytes"), Case("copy box f32"), Case("fill f32", core=True),
]

EXPECT = r"""
gfx*              copy*                         *               sgpr_spills = 0
# Here a half is stored by libclc's vstore_half_rte, which has variables in memory; NVIDIA's compiler has its own.
sm_*              copy*                         *               scratch <= 8
sm_*              copy*                         *               spills = 0
sm_*              fill*                         *               spills = 0
# Accesses of 16 bytes.
gfx*              copy f32                      copy_16*        loads <= 0.25
gfx*              copy f32                      copy_16*        has (load_dwordx4|load_b128)
gfx*              copy f32                      copy_16*        has (store_dwordx4|store_b128)
gfx*              fill f32                      fill            has (store_dwordx4|store_b128)
sm_*              copy f32                      copy_16*        has ld\.global(\.nc)?\.v4\.u32
sm_*              copy f32                      copy_16*        has st\.global(\.L1::no_allocate)?\.v4\.
sm_90             copy f32                      copy_16*        has st\.global\.L1::no_allocate\.v4\.
gfx*              copy f32                      copy_16_whole   in_flight >= ITEMS
gfx*              copy f32                      copy_16*        waves >= 4
sm_*              copy f32                      copy_16*        vgprs <= 64
"""

KNOWN = {
    "copy": ("copy,copy-shifted,box,convert-elements,fill", "copy f32", "copy"),
    "copy_convert": ("convert,convert-head,convert-elements", "copy f32 to f16", "copy_conversions"),
    "fill": ("fill", "fill f32", "fill"),
    "memory": ("copy-shifted", "", ""),
}
