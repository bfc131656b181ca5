"""Figures of a kernel that expect.txt and tools/offline-report speak of."""
import math
import re

import gpucode

WIDE_LOAD = r"(global|flat|buffer)_load_(dwordx4|b128)"
LOAD = r"(global|flat|buffer)_load_"
# What waits until so many loads at most are under way: of gfx12, and of those before it.
WAITS = re.compile(r"s_wait_loadcnt\w* (0x[0-9a-f]+)|s_waitcnt .*?vmcnt\((\d+)\)")
LAST_STEP = {64: r"row_bcast:31|v_readlane", 32: "v_permlanex16"}
PART_STORE = r"ds_(write|store)"


def main_loop(kernel, target, case, words):
    """The instructions of the full-tile way on AMD, and how many elements a work-item takes on it; [] where
    there is no such way or no rule how to find it.

    reduce: the loop over tiles, from the packet loads by the last lane step and the store of the part back to
    the loads (the parts are folded once in FOLD_WAITING tiles: not counted). copy and scan: from the kernel's start
    by the packet loads to its end; a work-item does that once."""
    if target.kind != "amd" or kernel.figures.wave not in LAST_STEP:
        return [], 0
    if case.name.startswith("reduce") and kernel.name == "reduce":
        vector, group = int(words["VECTOR"]), int(words["GROUP_SIZE"])
        team = min(int(words["FOLD_ACCUMULATORS"]) // vector, group)
        way = gpucode.path_through(kernel, [WIDE_LOAD, LAST_STEP[kernel.figures.wave], PART_STORE], closed=True)
        return way, int(words["FOLD_TILE"]) // team
    if case.name.startswith("scan") and kernel.name == "scan":
        elements = math.prod(int(words[f"SCAN_{part}"]) for part in ("RUN", "RUNS", "STRIPS", "BLOCKS"))
        return gpucode.path_through(kernel, [WIDE_LOAD, r"store_(dwordx4|b128)"], closed=False), elements // int(words["GROUP_SIZE"])
    if kernel.name in ("copy_16", "copy_16_whole"):
        packets = min(16, int(words["ITEMS"]) * int(words["VECTOR_BYTES"]) // 16)
        return gpucode.path_through(kernel, [WIDE_LOAD, r"store_(dwordx4|b128)"], closed=False), packets * 4
    return [], 0


def _left_by(text):
    """How many loads a wait leaves under way; None if the instruction waits for none."""
    found = WAITS.match(text)
    return int(found.group(1) or found.group(2), 0) if found else None


def in_flight(way):
    """The most loads under way at a time."""
    under_way, most = 0, 0
    for text in way:
        if re.match(LOAD, text):
            under_way += 1
            most = max(most, under_way)
        elif (left := _left_by(text)) is not None:
            under_way = min(under_way, left)
    return most


def lone_loads(kernel):
    """How many loads a wave waits for before the next one, in blocks that have no other."""
    count = 0
    for first, end, _ in gpucode.blocks_of(kernel):
        loads = [i for i in range(first, end) if re.match(LOAD, kernel.text[i])]
        if len(loads) == 1:
            count += any(_left_by(text) == 0 for text in kernel.text[loads[0] + 1:end])
    return count


def value_of(name, kernel, target, case, words):
    """A figure by the name that expect.txt uses; None where it is not known."""
    if name == "waves":
        if kernel.figures.vgprs is None or target.kind != "amd":
            return None
        return gpucode.waves_per_simd(target.cpu or target.name, kernel.figures.wave, kernel.figures.vgprs)
    if name == "lone_loads":
        return lone_loads(kernel) if target.kind == "amd" else None
    if name in ("instructions", "loads", "in_flight"):
        way, elements = main_loop(kernel, target, case, words)
        if not way:
            return None
        if name == "in_flight":
            return in_flight(way)
        if name == "instructions":
            return len(way) / elements
        return sum(bool(re.match(LOAD, text)) for text in way) / elements
    return getattr(kernel.figures, name)
