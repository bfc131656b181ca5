"""What the proofs without a device need of set operations (tests/offline/parts.py)."""
from case import Case


def _sets(kind, of, *more, core=False):
    return Case(f"set_operations {kind} {of}", ("set_operations", "--kind", kind, "--type", of, "--n", "128M", *more), core)


CASES = [
    _sets("union", "u32", core=True), _sets("intersection", "f64"), _sets("difference", "u8"), _sets("symmetric-difference", "f32"),
    Case("set_operations union u32 counted", ("set_operations", "--type", "u32", "--n", "128M", "--count-on-device")),
    Case("set_operations structures of 12 bytes"),
]

EXPECT = r"""
gfx*              set_operations*               *               lacks s_swappc
sm_[1-8]*         set_operations*               *               scratch = 0
sm_[1-8]*         set_operations*               *               spills = 0
sm_90             set_operations struc*         *               scratch = 0
sm_90             set_operations struc*         *               spills = 0
# 64 registers, four groups a unit, are faster than more, though some of what is held is left in memory (profiles.cpp).
sm_90             set_operations [!s]*          set_kept        scratch <= 24
sm_90             set_operations [!s]*          set_kept        spills <= 40
sm_90             set_operations sy*            set_kept        spills <= 40
sm_90             set_operations [!s]*          set_kept        vgprs <= REGISTERS
sm_*              set_operations*               *               lacks call\.uni
# Messages between groups are relaxed, and nothing is written back or dropped while a group looks back.
gfx[789]*         set_operations union u32      set_kept        lacks (buffer_wbinvl1|buffer_wbl2|buffer_inv)
sm_[789]*         set_operations union u32      set_kept        has ld\.relaxed\.gpu\.global\.u64
sm_[789]*         set_operations union u32      set_kept        has st\.relaxed\.gpu\.global\.u64
"""

_SETS = ("set,set-messages,set-backwards", "set_operations union u32", "set_operations,set_operations_no_order")
KNOWN = {"set_operations": _SETS, "merge_path": _SETS, "merge_tile": _SETS, "kept_counts": _SETS, "look_back_counts": ("set-backwards", "", "set_operations")}
ONE_LAUNCH = {"set-messages", "set-backwards"}
BACKWARDS = {"set-backwards"}
