"""Figures of a kernel that expect.txt and tools/offline-report speak of."""
import re

import gpucode

WIDE_LOAD = r"(global|flat|buffer)_load_(dwordx4|b128)"
LAST_STEP = {64: r"row_bcast:31|v_readlane", 32: "v_permlanex16"}
PART_STORE = r"ds_(write|store)"


def main_loop(kernel, target, case, words):
    """The instructions of the full-tile way on AMD, and how many elements a work-item takes on it; [] where
    there is no such way or no rule how to find it.

    reduce: the loop over tiles, from the packet loads by the last lane step and the store of the part back to
    the loads (the parts are folded once in FOLD_WAITING tiles: not counted). copy: from the kernel's start by
    the packet loads to its end; a work-item does that once."""
    if target.kind != "amd" or kernel.figures.wave not in LAST_STEP:
        return [], 0
    if case.name.startswith("reduce") and kernel.name == "reduce":
        vector, group = int(words["VECTOR"]), int(words["GROUP_SIZE"])
        team = min(int(words["FOLD_ACCUMULATORS"]) // vector, group)
        way = gpucode.path_through(kernel, [WIDE_LOAD, LAST_STEP[kernel.figures.wave], PART_STORE], closed=True)
        return way, int(words["FOLD_TILE"]) // team
    if kernel.name in ("copy_16", "copy_16_whole"):
        packets = min(16, int(words["ITEMS"]) * int(words["VECTOR_BYTES"]) // 16)
        return gpucode.path_through(kernel, [WIDE_LOAD, r"store_(dwordx4|b128)"], closed=False), packets * 4
    return [], 0


def value_of(name, kernel, target, case, words):
    """A figure by the name that expect.txt uses; None where it is not known."""
    if name == "waves":
        if kernel.figures.vgprs is None or target.kind != "amd":
            return None
        return gpucode.waves_per_simd(target.cpu or target.name, kernel.figures.wave, kernel.figures.vgprs)
    if name in ("instructions", "loads"):
        way, elements = main_loop(kernel, target, case, words)
        if not way:
            return None
        if name == "instructions":
            return len(way) / elements
        return sum(bool(re.search(r"(global|flat|buffer)_load", text)) for text in way) / elements
    return getattr(kernel.figures, name)
