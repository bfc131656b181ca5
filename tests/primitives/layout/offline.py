"""What the proofs without a device need of layout (tests/offline/parts.py)."""
from case import Case

_MIXED = ("layout", "--n", "16M", "--size", "32", "--fields", "8@0,4@8,4@12,2@20,1@22,1@23,8@24")
CASES = [
    Case("layout 3 floats apart", ("layout", "--n", "16M"), True),
    Case("layout 3 floats together", ("layout", "--n", "16M", "--to-aos"), True),
    Case("layout mixed apart", _MIXED), Case("layout mixed together", (*_MIXED, "--to-aos")),
    Case("layout mixed in blocks", (*_MIXED, "--block", "32")),
]

EXPECT = r"""
sm_*              layout*                       *               scratch = 0
sm_*              layout*                       *               spills = 0
# Accesses of 16 bytes on the side of structures.
gfx*              layout * apart                aos_to_soa      has (load_dwordx4|load_b128)
gfx*              layout * together             soa_to_aos      has (store_dwordx4|store_b128)
sm_*              layout * apart                aos_to_soa      has ld\.global(\.nc)?\.v4\.u32
sm_*              layout * together             soa_to_aos      has st\.global\.v4\.u32
"""

KNOWN = {
    **dict.fromkeys(("layout", "layout_groups", "layout_serial"),
                    ("layout,layout-shorts,layout-blocks", "layout 3 floats apart", "layout")),
    "memory": ("layout", "", ""),
}
