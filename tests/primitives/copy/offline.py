"""What the proofs without a device need of copy, copy_ranges and fill (tests/offline/parts.py)."""
from case import Case


def _ranges(name, *more, ranges="1M"):
    return Case(f"copy ranges {name}", ("copy_ranges", "--n", "64M", "--ranges", ranges, *more))


CASES = [
    Case("copy f32", core=True), Case("copy f32 to f16"), Case("copy f16 to f32"), Case("copy f32 to u8 saturated"),
    Case("copy f32 to bf16", ("copy", "--type", "f32", "--to", "bf16", "--n", "256M")),
    Case("copy f64 to f32"), Case("copy shifted bytes"), Case("copy box f32"), Case("fill f32", core=True),
    _ranges("f32"), _ranges("u8", "--type", "u8", "--numbers", "u64", "--count-bad"), _ranges("6 bytes", "--bytes", "6"),
    _ranges("24 bytes", "--bytes", "24", "--numbers", "u64"), _ranges("48 bytes", "--bytes", "48"),
    _ranges("few f32", "--count-bad", ranges="100"), _ranges("few u8", "--type", "u8", ranges="100"),
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
sm_*              copy ranges*                  *               scratch = 0
gfx*              copy ranges*                  copy_ranges     has (load_dwordx4|load_b128)
gfx*              copy ranges*                  copy_ranges     has (store_dwordx4|store_b128)
sm_*              copy ranges*                  copy_ranges     has ld\.global(\.nc)?\.(v4\.u32|v2\.u64)
sm_*              copy ranges*                  copy_ranges     has st\.global(\.L1::no_allocate)?\.v[24]\.
"""

_RANGES = ("ranges", "copy ranges f32", "copy_ranges")
KNOWN = {
    **dict.fromkeys(("copy", "copy_packets", "copy_shifted", "copy_box", "copy_runs", "copy_serial", "copy_box_serial"),
                    ("copy,copy-shifted,box,convert-elements,fill", "copy f32", "copy")),
    **dict.fromkeys(("copy_convert", "copy_convert_groups", "copy_convert_serial"), ("convert,convert-head,convert-elements", "copy f32 to f16", "copy_conversions")),
    "copy_ranges": _RANGES, "copy_ranges_cells": _RANGES, "copy_ranges_serial": _RANGES,
    **dict.fromkeys(("fill", "fill_serial"), ("fill", "fill f32", "fill")),
    "memory": ("copy-shifted", "", ""),
}
