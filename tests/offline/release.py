"""Whether every wave's stores are out before the group's ticket is drawn (arrives_last of cl_kernels/device/memory.cl).

A wave that has stored must have released its stores to the device when it comes to the barrier that the ticket stands
behind: on every way through the code from a store to that barrier there is what LLVM's AMDGPUUsage, or PTX's memory
model, calls a release at the device's scope. One in the wave that draws the ticket is not enough.
"""
import re
from dataclasses import dataclass

import gpucode

CLEAN, WAITED_FOR, WRITTEN = range(3)  # what became of a wave's stores, from the best to the worst


@dataclass(frozen=True)
class Release:
    """A store is WRITTEN, `write_back` makes it one that is WAITED_FOR, `wait` then makes it CLEAN."""
    store: str
    barrier: str
    write_back: str = ""  # empty: the machine needs none
    wait: str = ""        # empty: the ticket's own release carries what the barrier ordered before it


AMD_STORE = r"(flat|buffer|global)_store"


def release_of(target):
    """The release at the device's scope on a target; None where this module knows none."""
    if target.kind == "nvidia":
        store, barrier = r"(@!?%\w+\s+)?st(\.volatile)?\.global", r"bar\.sync|barrier\.sync"
        return Release(store, barrier, wait="" if int(target.name.removeprefix("sm_")) >= 70 else r"membar\.gl")
    if target.kind != "amd":
        return None
    gfx = int((target.cpu or target.name).removeprefix("gfx"), 16)
    if gfx >= 0x1200:
        return Release(AMD_STORE, "s_barrier_signal", r"global_wb scope:SCOPE_(DEV|SYS)", r"s_wait_storecnt(_dscnt)? 0x0")
    if gfx >= 0x1000:
        return Release(AMD_STORE, "s_barrier", wait=r"s_waitcnt_vscnt null, 0x0")
    return Release(AMD_STORE, "s_barrier", "buffer_wbl2.* sc1" if gfx >= 0x940 else "", r"s_waitcnt\b.*vmcnt\(0\)")


def _states(kernel, blocks, by):
    """For each instruction, the worst that may have become of a wave's stores before it."""
    def after(state, text):
        if re.match(by.store, text):
            return WRITTEN if by.write_back else WAITED_FOR if by.wait else CLEAN
        if state == WRITTEN and re.match(by.write_back, text):
            return WAITED_FOR
        return CLEAN if state == WAITED_FOR and re.match(by.wait, text) else state

    at_start, before = {0: CLEAN}, [CLEAN] * len(kernel.text)
    waiting = [0]
    while waiting:
        block = waiting.pop()
        first, end, successors = blocks[block]
        state = at_start[block]
        for i in range(first, end):
            before[i] = state
            state = after(state, kernel.text[i])
        for to in successors:
            if at_start.get(to, -1) < state:
                at_start[to] = state
                waiting.append(to)
    return before


def _last_barriers(kernel, blocks, by, ticket):
    """The barriers that stand last before an instruction on the ways to it; and a store, or the kernel's start, that a
    way without a barrier comes from (None if there is none)."""
    block_of = {i: b for b, (first, end, _) in enumerate(blocks) for i in range(first, end)}
    predecessors = {b: [] for b in range(len(blocks))}
    for b, (_, _, successors) in enumerate(blocks):
        for to in successors:
            predecessors[to].append(b)
    barriers, without, seen = set(), None, set()
    waiting = [(block_of[ticket], ticket)]
    while waiting:
        block, end = waiting.pop()
        first = blocks[block][0]
        for i in reversed(range(first, end)):
            if re.match(by.barrier, kernel.text[i]):
                barriers.add(i)
                break
            if re.match(by.store, kernel.text[i]):
                without = kernel.text[i]
                break
        else:
            if block == 0:
                without = "the kernel's start"
            for came in predecessors[block]:
                if came not in seen:
                    seen.add(came)
                    waiting.append((came, blocks[came][1]))
    return barriers, without


def unreleased(kernel, target, ticket, group_size):
    """What is wrong before the instructions that match `ticket`; "" if nothing is, None where no release is known."""
    by = release_of(target)
    if by is None:
        return None
    tickets = [i for i, text in enumerate(kernel.text) if re.search(ticket, text)]
    if not tickets:
        return "has no ticket"
    blocks = gpucode.blocks_of(kernel)
    states = _states(kernel, blocks, by)
    one_wave = group_size <= (kernel.figures.wave or 32)
    for i in tickets:
        barriers, without = _last_barriers(kernel, blocks, by, i)
        if without and not one_wave:
            return f"comes to {kernel.text[i]!r} without a barrier, from {without!r}"
        for place in (*barriers, i):
            if states[place] != CLEAN:
                return f"comes with stores it has not released to {kernel.text[place]!r}, before {kernel.text[i]!r}"
    return ""
