"""Reads compiled GPU code: AMD disassembly and notes, PTX, and what ptxas says about registers."""
import heapq
import re
from dataclasses import dataclass, field


@dataclass
class Figures:
    """What a kernel takes. None: the compiler does not say."""
    vgprs: int | None = None  # on NVIDIA: registers of a work-item
    sgprs: int | None = None
    lds: int | None = None
    scratch: int | None = None  # bytes of a work-item; on NVIDIA its stack frame
    spills: int | None = None  # on AMD of vector registers; a scalar one spills into a vector register's lane
    sgpr_spills: int | None = None
    wave: int | None = None


@dataclass
class Kernel:
    name: str
    text: list = field(default_factory=list)  # instructions as text, in order
    targets: dict = field(default_factory=dict)  # index of a branch -> index of where it goes
    figures: Figures = field(default_factory=Figures)


# ---------------------------------------------------------------------------- AMD
def amd_kernels(disassembly, notes):
    """Kernels by name, from llvm-objdump -d and llvm-readobj --notes."""
    kernels = _amd_figures(notes)
    kernel, offsets, pending = None, {}, {}

    def finish():
        if kernel:
            kernel.targets = {i: offsets[to] for i, to in pending.items() if to in offsets}

    for line in disassembly.splitlines():
        head = re.match(r"[0-9a-f]+ <(\S+)>:", line)
        if head:
            finish()
            kernel, offsets, pending, start = kernels.get(head.group(1)), {}, {}, None
            continue
        found = re.match(r"\s+(\S.*?)\s*// ([0-9A-F]{12}):[^<]*(?:<\S+?(?:\+0x([0-9a-f]+))?>)?\s*$", line)
        if not kernel or not found:
            continue
        address = int(found.group(2), 16)
        start = address if start is None else start
        offsets[address - start] = len(kernel.text)
        if re.match(r"s_c?branch", found.group(1)):
            pending[len(kernel.text)] = int(found.group(3) or "0", 16)
        kernel.text.append(found.group(1))
    finish()
    return kernels


def _amd_figures(notes):
    """The kernels of the metadata, still without code. Each begins at its own list item."""
    kernels = {}
    for item in re.split(r"\n  - ", notes)[1:]:
        def number(name):
            found = re.search(rf"\.{name}:\s+(\d+)", item)
            return int(found.group(1)) if found else None

        name = re.search(r"\n    \.name:\s+(\S+)", item)
        if name:
            kernels[name.group(1)] = Kernel(name.group(1), figures=Figures(
                number("vgpr_count"), number("sgpr_count"), number("group_segment_fixed_size"),
                number("private_segment_fixed_size"), number("vgpr_spill_count"), number("sgpr_spill_count"),
                number("wavefront_size")))
    return kernels


def amd_assembly(text, notes):
    """The same from what clang -S writes, for a target that has no disassembler."""
    kernels = _amd_figures(notes)
    kernel, labels, branches = None, {}, {}
    for line in text.splitlines():
        line = line.split(";")[0].rstrip()
        label = re.match(r"([\w.$]+):", line)
        instruction = re.match(r"\t([a-z]\w*\b.*)", line)
        if label and label.group(1) in kernels:
            kernel, labels, branches = kernels[label.group(1)], {}, {}
        elif label and kernel and label.group(1).startswith(".Lfunc_end"):
            kernel.targets = {i: labels[to] for i, to in branches.items() if to in labels}
            kernel = None
        elif label and kernel:
            labels[label.group(1)] = len(kernel.text)
        elif instruction and kernel:
            branch = re.match(r"s_c?branch\S*\s+(\S+)", instruction.group(1))
            if branch:
                branches[len(kernel.text)] = branch.group(1)
            kernel.text.append(instruction.group(1))
    return kernels


# Registers of a SIMD for one lane, the step they are given out in, and the most waves it holds (LLVM's
# AMDGPUUsage). gfx90a and later keep 512, counting those of the matrix unit, which no kernel here uses.
def waves_per_simd(target, wave, vgprs):
    gfx = int(target.removeprefix("gfx"), 16)
    if gfx >= 0x1000:
        big = gfx >= 0x1100  # most RDNA3 and 4 chips have half as many again; the smaller figure is used
        registers, step, most = (1024, 16 if big else 8, 16) if wave == 32 else (512, 8 if big else 4, 16)
        if gfx < 0x1030:
            most = 20
    elif gfx >= 0x90a:
        registers, step, most = 512, 8, 8
    else:
        registers, step, most = 256, 4, 10
    return min(most, registers // (-(-max(vgprs, 1) // step) * step))


# ---------------------------------------------------------------------------- NVIDIA and SPIR
def nvidia_kernels(ptx, report):
    """Kernels by name, from PTX and from what ptxas -v says (which may be nothing)."""
    kernels = {}
    for found in re.finditer(r"\.entry (\w+)\((.*?)\n\}", ptx, re.S):
        kernel, labels, branches = Kernel(found.group(1)), {}, {}
        for line in (line.strip() for line in found.group(2).splitlines()):
            if label := re.match(r"(\$\w+):", line):
                labels[label.group(1)] = len(kernel.text)
            elif re.match(r"[@a-z]|\{\.reg ", line):  # the last: inline assembly with registers of its own
                if branch := re.search(r"\bbra(?:\.uni)?\s+(\$\w+)", line):
                    branches[len(kernel.text)] = branch.group(1)
                kernel.text.append(line)
        kernel.targets = {i: labels[to] for i, to in branches.items() if labels[to] < len(kernel.text)}
        said = re.search(rf"Function properties for {kernel.name}\n\s+(\d+) bytes stack frame, (\d+) bytes spill "
                         r"stores, (\d+) bytes spill loads\n.*?Used (\d+) registers(.*)", report)
        if said:
            shared = re.search(r"(\d+) bytes smem", said.group(5))
            kernel.figures = Figures(vgprs=int(said.group(4)), lds=int(shared.group(1)) if shared else 0,
                                     scratch=int(said.group(1)), spills=int(said.group(2)) + int(said.group(3)), wave=32)
        kernels[kernel.name] = kernel
    return kernels


def spir_kernels(ir):
    return {found.group(1): Kernel(found.group(1), [line.strip() for line in found.group(2).splitlines()])
            for found in re.finditer(r"define[^\n]* spir_kernel void @(\w+)\((.*?)\n\}", ir, re.S)}


# ---------------------------------------------------------------------------- the path through a kernel
ENDS = re.compile(r"s_branch|s_cbranch|s_endpgm|s_setpc|(@!?%\w+\s+)?(bra|ret|exit)\b")
NEVER_GOES_ON = re.compile(r"s_branch|s_endpgm|s_setpc|(bra|ret|exit)\b")


def blocks_of(kernel):
    """Basic blocks as (first, past the last, successors)."""
    starts = {0} | set(kernel.targets.values())
    starts |= {i + 1 for i, text in enumerate(kernel.text) if ENDS.match(text)}
    starts = sorted(s for s in starts if s < len(kernel.text))
    number = {s: b for b, s in enumerate(starts)}
    blocks = []
    for b, first in enumerate(starts):
        end = starts[b + 1] if b + 1 < len(starts) else len(kernel.text)
        last, to = kernel.text[end - 1], []
        if not NEVER_GOES_ON.match(last) and end in number:
            to.append(number[end])
        if end - 1 in kernel.targets:
            to.append(number[kernel.targets[end - 1]])
        blocks.append((first, end, to))
    return blocks


def _shortest(blocks, sources, goals):
    """The cheapest ways from blocks to goals, as lists of blocks without the first one; a block costs its
    instructions. {source: {goal: path}} would be much: `sources` is {block: (cost so far, path so far)}."""
    best, heap, tie = {}, [], 0
    for block, (cost, path) in sources.items():
        for to in blocks[block][2]:
            heapq.heappush(heap, (cost + blocks[to][1] - blocks[to][0], tie := tie + 1, to, path + [to]))
    while heap:
        cost, _, block, path = heapq.heappop(heap)
        if block in best:
            continue
        best[block] = (cost, path)
        for to in blocks[block][2]:
            if to not in best:
                heapq.heappush(heap, (cost + blocks[to][1] - blocks[to][0], tie := tie + 1, to, path + [to]))
    return {goal: best[goal] for goal in goals if goal in best}


def path_through(kernel, patterns, closed):
    """The instructions of the cheapest way through the code that passes, in this order, a block with a match
    of each pattern, from the block with the most matches of the first. `closed`: back to that block, as a
    loop does; otherwise from the kernel's start and to its end. [] if there is none.

    Blocks are cheapest to skip, so this is the way of a wave for which every test goes as it does when
    nothing special is the matter: a whole tile, not the last of its batch, no edge."""
    blocks = blocks_of(kernel)

    def having(pattern):
        counts = {b: sum(bool(re.search(pattern, t)) for t in kernel.text[first:end])
                  for b, (first, end, _) in enumerate(blocks)}
        return {b: n for b, n in counts.items() if n}

    loads = having(patterns[0])
    if not loads:
        return []
    start = max(loads, key=loads.get)
    if closed:
        at = {start: (0, [])}
    else:
        size = blocks[0][1]
        at = {start: (size, [0])} if start == 0 else _shortest(blocks, {0: (size, [0])}, [start])
    for pattern in patterns[1:]:
        goals = having(pattern)
        # A block may match several patterns at once.
        stay = {b: way for b, way in at.items() if b in goals}
        at = stay | {b: way for b, way in _shortest(blocks, at, goals).items()
                     if b not in stay or way[0] < stay[b][0]}
    goals = [start] if closed else [b for b, (_, end, _) in enumerate(blocks)
                                    if kernel.text[end - 1].startswith("s_endpgm")]
    ends = {b: way for b, way in at.items() if not closed and b in goals} or _shortest(blocks, at, goals)
    if not ends:
        return []
    _, path = min(ends.values())
    return [t for b in path for t in kernel.text[blocks[b][0]:blocks[b][1]]]
