"""Whether the lanes of a warp are together where NVIDIA's instructions read other lanes: `astray` lists those in PTX
that stand behind a branch, or a predicate, that lanes of one warp may take differently.

PTX has no mask to follow, so what a predicate is made of is followed instead. A value is the same in all lanes, or
it is the same plus a multiple of the lane's number, or it may be anything. A work-item's number is 32 * warp + lane:
its bits from the fifth on are the same in all lanes, and so is what is left when the lane's multiple is taken away. A
load gives all lanes one value where its address is the same.
"""
import re
from dataclasses import dataclass

import gpucode

READS_LANES = re.compile(r"\b(shfl|redux|vote|match|ldmatrix|mma|bar\.warp)\b")
LANE_BITS = 5
# Inline assembly of several instructions, of which a warp's lanes get no whole numbers: it waits, or multiplies.
GIVES_NO_NUMBERS = re.compile(r"\{\.reg \.pred (p; again: mbarrier|adds, always)")


@dataclass(frozen=True)
class Value:
    """The same in all lanes + times * lane. `apart`: the bits of the second part are 0 in the first."""
    times: int = 0
    apart: bool = True


SAME, ANY, NOT_YET = Value(), None, "not yet computed"


def either(a, b):
    """What a register may hold that two instructions set."""
    if a == NOT_YET or b == NOT_YET:
        return b if a == NOT_YET else a
    if a is ANY or b is ANY or a.times != b.times:
        return ANY
    return Value(a.times, a.apart and b.apart)


def register(operand):
    found = re.match(r"!?(%[a-zA-Z]+\d+)$", operand)
    return found.group(1) if found else ""


def number(operand):
    return int(operand, 0) if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", operand) else None


def split(text):
    """(predicate, name, operands) of an instruction; what stands in {} or [] is one operand."""
    predicate, text = re.fullmatch(r"(?:@(!?%p\d+)\s+)?(.*?);?\s*", text).groups()
    name, _, rest = text.partition(" ")
    operands = [o.strip() for o in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,]+", rest.replace("\t", " ")) if o.strip()]
    return predicate, name.strip(), operands


def shift_of(times):
    """k where times is 2 to the k; None otherwise."""
    return times.bit_length() - 1 if times > 0 and times & (times - 1) == 0 else None


def computed(name, operands, known):
    """The value of an instruction, whose first operand is its target."""
    def value(operand):
        if operand == "%tid.x" or operand == "%laneid":
            return Value(1)
        inside = re.findall(r"%[a-zA-Z]+\d+", operand)
        if register(operand):
            return known(register(operand))
        parts = [known(r) for r in inside]
        return NOT_YET if NOT_YET in parts else SAME if all(p == SAME for p in parts) else ANY

    sources = [value(o) for o in operands[1:]]
    base = name.split(".")[0]
    if base in ("atom", "shfl", "ldmatrix", "mma", "match") or name.startswith(("ld.local", "activemask")):
        return ANY
    if NOT_YET in sources:
        return NOT_YET
    if base in ("redux", "vote") or all(s == SAME for s in sources):
        return SAME
    if any(s is ANY for s in sources) or base == "ld":
        return ANY
    first = sources[0]
    constant = number(operands[2]) if len(operands) > 2 else None
    at = shift_of(first.times) if first.apart else None
    if base in ("mov", "cvta") or (base == "cvt" and re.search(r"\.u(32|64)\.u(32|64)$", name)):
        return first
    if base == "cvt" and re.search(r"\.[us]64\.[us]32$", name) and first.apart:
        return first
    if base in ("add", "sub") and len(sources) == 2:
        times = first.times + (sources[1].times if base == "add" else -sources[1].times)
        return SAME if times == 0 else Value(times, False)
    if base == "shl" and constant is not None:
        return Value(first.times << constant, first.apart)
    if base == "mul" and constant is not None and ".hi" not in name:
        return Value(first.times * constant, first.apart and shift_of(constant) is not None)
    if base == "mad" and constant is not None and ".hi" not in name:
        times = first.times * constant + sources[2].times
        return SAME if times == 0 else Value(times, False)
    if base == "neg":
        return Value(-first.times, False)
    if at is None or constant is None:
        return ANY
    # Which warps a work-item's number is below, or not: those of whole warps.
    relation = re.match(r"setp\.(lt|ge|lo|hs|gt|le|hi|ls)\.[us]32$", name)
    if relation and at == 0:
        edge = constant + (relation.group(1) in ("gt", "le", "hi", "ls"))
        return SAME if edge % (1 << LANE_BITS) == 0 else ANY
    field = ((1 << LANE_BITS) - 1) << at
    if base == "and":
        return SAME if constant & field == 0 else first if constant & field == field else ANY
    if base == "or":
        return first if constant & field == 0 else ANY
    if base == "bfe":
        return SAME if constant >= at + LANE_BITS else ANY
    if base == "shr":
        return SAME if constant >= at + LANE_BITS else Value(first.times >> constant) if constant <= at else ANY
    return ANY


def controlled(blocks):
    """For each block that ends in a branch of two ways the blocks that only one of them comes by for certain."""
    everything = set(range(len(blocks)))
    # The blocks that every way from a block to the end comes by.
    after = {b: {b} if not to else everything for b, (_, _, to) in enumerate(blocks)}
    changed = True
    while changed:
        changed = False
        for b in reversed(range(len(blocks))):
            if blocks[b][2]:
                new = {b} | set.intersection(*(after[to] for to in blocks[b][2]))
                if new != after[b]:
                    after[b], changed = new, True
    depends = {}
    for b, (_, _, to) in enumerate(blocks):
        if len(set(to)) > 1:
            depends[b] = {x for way in to for x in after[way] if x == b or x not in after[b]}
    return depends


def reaching(parsed, blocks, block_of, targets):
    """A function of a register and an instruction: the assignments to that register that may be the last before it."""
    before = {}  # of registers with several: for each block those that may hold where it begins
    comes_by = [[] for _ in blocks]
    for b, (_, _, to) in enumerate(blocks):
        for other in to:
            comes_by[other].append(b)
    for name, places in targets.items():
        if len(places) == 1:
            continue
        own = [[] for _ in blocks]  # behind the last that all lanes make, if there is one; and whether there is
        whole = [False] * len(blocks)
        for i in places:
            b = block_of[i]
            if not parsed[i][0]:
                own[b], whole[b] = [], True
            own[b].append(i)
        end = [set(o) for o in own]
        begin = [set() for _ in blocks]
        changed = True
        while changed:
            changed = False
            for b in range(len(blocks)):
                begin[b] = set().union(*(end[o] for o in comes_by[b]))
                new = set(own[b]) if whole[b] else begin[b] | set(own[b])
                if new != end[b]:
                    end[b], changed = new, True
        before[name] = begin

    def of(name, i):
        places = targets.get(name, [])
        if len(places) < 2:
            return places
        found, b = set(), block_of[i]
        for place in sorted((p for p in places if block_of[p] == b and p < i), reverse=True):
            found.add(place)
            if not parsed[place][0]:
                return found
        return found | before[name][b]

    return of


def astray(kernel):
    """The instructions of a kernel that read other lanes where some may not be, and how many read any at all."""
    parsed = [split(text) for text in kernel.text]
    readers = [i for i, text in enumerate(kernel.text) if READS_LANES.search(text)]
    if not readers:
        return [], 0
    blocks = gpucode.blocks_of(kernel)
    block_of = {i: b for b, (first, end, _) in enumerate(blocks) for i in range(first, end)}
    depends = controlled(blocks)

    targets = {}
    for i, (predicate, name, operands) in enumerate(parsed):
        if GIVES_NO_NUMBERS.match(kernel.text[i]):
            continue
        if operands and not name.startswith(("st.", "bra", "bar", "membar", "fence", "ret", "red.", "cp.", "prefetch")):
            for target in re.findall(r"%[a-zA-Z]+\d+", operands[0]):
                targets.setdefault(target, []).append(i)
    comes_from = reaching(parsed, blocks, block_of, targets)

    # Of each assignment. Values only get worse, until nothing changes.
    values = {i: NOT_YET for places in targets.values() for i in places}

    def known(name, i):
        """The value of a register where instruction `i` reads it."""
        value = NOT_YET
        for place in comes_from(name, i):
            value = either(value, values[place])
        return value if name in targets else SAME

    def differs(i):
        predicate = parsed[i][0]
        return bool(predicate) and known(register(predicate), i) not in (SAME, NOT_YET)

    alone = set()  # blocks where some lanes of a warp may not be
    changed = True
    while changed:
        changed = False
        for places in targets.values():
            for i in places:
                _, name, operands = parsed[i]
                # One of several assignments that not all lanes make: some have another's value.
                lacking = differs(i) or (len(places) > 1 and block_of[i] in alone)
                new = either(values[i], ANY if lacking else computed(name, operands, lambda r: known(r, i)))
                if new != values[i]:
                    values[i], changed = new, True
        for b, inner in depends.items():
            if b in alone or differs(blocks[b][1] - 1):
                if not inner <= alone:
                    alone |= inner
                    changed = True
    wrong = [kernel.text[i] for i in readers if block_of[i] in alone or differs(i)]
    return wrong, len(readers)
