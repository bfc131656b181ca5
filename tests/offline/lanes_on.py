"""Which lanes are on where AMD's instructions read other lanes: `astray` lists those that stand where some may be off.

A group is a whole number of lane sets, and the kernels hand over values where all lanes are on. A compiler may not
move such an instruction, nor what it reads, into a branch that only some lanes take: what a lane reads there was never
computed by the lane it reads it from. Some compilers do (LLVM below 22 takes v_permlanex16 for an ordinary
instruction), so the code is looked at.

EXEC is the mask of the lanes that are on. The analysis goes over the control-flow graph and keeps which registers hold
masks that together make all lanes: {EXEC} says that all are on; after `s_and_saveexec s0` it is {s0}; the two sides of
an if-else are {EXEC, s0}. What it cannot show is taken for lanes that are off. Branches by scalars narrow nothing.
"""
import re
from dataclasses import dataclass

import gpucode
import lanes_together

# What reads lanes other than its own. v_readfirstlane is not among them: it takes any lane that is on, and stands where
# all have the same value. v_readlane reads lanes that are off too, so what counts is where its source was computed. And
# where it reads the first lane of a mask (s_ff1, s_ctz), as compilers do in loops of their own over lanes that are on,
# that lane is on.
READS_LANES = re.compile(r"_dpp|\bdpp8:|\brow_|\bquad_perm|\bwave_(shl|shr|rol|ror)|^v_permlane|^ds_(b?permute|swizzle)"
                         r"|^v_(mfma|smfmac|wmma|swmmac)")
NO_RESULT = ("s_cmp", "s_bitcmp", "s_branch", "s_cbranch", "s_waitcnt", "s_wait_", "s_barrier", "s_nop", "s_endpgm",
             "s_setprio", "s_sleep", "s_sendmsg", "s_setreg", "s_clause", "s_delay", "s_inst_prefetch", "s_dcache",
             "s_icache", "s_trap", "s_sethalt", "s_ttrace", "s_code_end", "s_version", "s_round", "s_denorm",
             "s_store", "s_scratch_store", "s_atc", "s_gl1", "s_prefetch", "s_set_gpr", "s_setpc", "s_setvskip",
             "s_barrier_")
# Vector instructions whose second operand is a scalar result: carries, and the flags of a division.
CARRIES = re.compile(r"^v_(add|sub|subrev|addc|subb|subbrev)_|^v_div_scale|^v_mad_[iu]64")
MOST_MASKS = 3  # registers in one cover; more than nested branches need


def halves(operand):
    """The 32-bit scalar registers of an operand, from the lowest; () if it is none."""
    operand = operand.strip()
    if found := re.fullmatch(r"([sv]|ttmp)(\d+)", operand):
        return (operand,) if found.group(1) != "v" else ()
    if found := re.fullmatch(r"(s|ttmp)\[(\d+):(\d+)\]", operand):
        return tuple(f"{found.group(1)}{i}" for i in range(int(found.group(2)), int(found.group(3)) + 1))
    if operand in ("exec", "vcc"):
        return (operand + "_lo", operand + "_hi")
    return (operand,) if operand in ("exec_lo", "exec_hi", "vcc_lo", "vcc_hi", "m0") else ()


def vectors(operand):
    """The vector registers of an operand."""
    if found := re.match(r"\|?-?\|?[va](\d+)\b", operand.strip()):
        return {int(found.group(1))}
    if found := re.match(r"[va]\[(\d+):(\d+)\]", operand.strip()):
        return set(range(int(found.group(1)), int(found.group(2)) + 1))
    return set()


@dataclass(frozen=True)
class Instruction:
    name: str
    operands: tuple  # as text; the last has the modifiers behind it
    text: str


def parse(text):
    text = re.sub(r"\s*(//|;).*", "", text)
    name, _, rest = text.partition(" ")
    name = name.strip()
    return Instruction(name, tuple(o.strip() for o in rest.split(",")) if rest.strip() else (), text)


# ---------------------------------------------------------------------------- covers
def simplest(covers):
    """Without covers that another is part of."""
    kept = []
    for cover in sorted(set(covers), key=len):
        if len(cover) <= MOST_MASKS and not any(k <= cover for k in kept):
            kept.append(cover)
    return frozenset(kept)


def both(a, b):
    """What holds after either of two ways."""
    return simplest(x | y for x in a for y in b)


def without(covers, registers):
    return frozenset(c for c in covers if not c & registers)


def assigned(covers, target, parts):
    """After target := a mask that includes each of `parts` wherever the masks with it are off: parts are pairs of a
    register (or None: all lanes) and the registers to add in its place beside the target."""
    new = [c for c in covers if target not in c]
    added = []
    for register, beside in parts:
        if target in beside:
            continue
        if register is None:
            added.append(frozenset({target}) | beside)
        else:
            added += [c - {register} | {target} | beside
                      for c in covers if register in c and target not in c - {register}]
    return simplest(new + added)


def united(covers, target, sources):
    """target := the union of sources (names; None among them is all lanes)."""
    if None in sources:
        return simplest([*without(covers, {target}), frozenset({target})])
    result = [c for c in covers if target not in c]
    for c in covers:
        if c & set(sources):
            rest = c - set(sources)
            if target not in rest:
                result.append(rest | {target})
    return simplest(result)


def one_half(covers, name, target, a, b):
    """The covers after `name target, a, b` on one 32-bit half; a and b are registers, "-1", or other text."""
    all_of = {"-1": None}

    def source(x):
        return all_of.get(x, x)

    kind = re.sub(r"_(b32|b64)$", "", name)
    if kind in ("s_mov", "s_or") or (kind == "s_cmov" and a == target):
        return united(covers, target, [source(x) for x in ([a] if kind == "s_mov" else [a, b])])
    # D = A & ~B and D = A ^ B: with B, D holds all of A (and in the second with A all of B).
    if kind in ("s_andn2", "s_and_not1"):
        return assigned(covers, target, [(source(a), frozenset({b}))])
    if kind == "s_xor":
        if "-1" in (a, b):
            return assigned(covers, target, [(None, frozenset({b if a == "-1" else a}))])
        return assigned(covers, target, [(a, frozenset({b})), (b, frozenset({a}))])
    if kind == "s_not":
        return assigned(covers, target, [(None, frozenset({a}))])
    if kind in ("s_orn2", "s_or_not1"):
        return simplest([*united(covers, target, [source(a)]), *assigned(covers, target, [(None, frozenset({b}))])])
    if kind == "s_cselect":
        ways = [united(covers, target, [source(x)]) for x in (a, b)]
        return both(*ways)
    if kind == "s_and":
        ways = [c - {a} for c in covers if a in c]
        others = [c - {b} for c in covers if b in c]
        if a == "-1" or b == "-1":
            return united(covers, target, [b if a == "-1" else a])
        joined = [x | y | {target} for x in ways for y in others if target not in x | y]
        return simplest([*without(covers, {target}), *joined])
    return without(covers, {target})


def after(universes, instruction):
    """The covers of the low and the high 32 lanes after an instruction."""
    name, operands = instruction.name, instruction.operands

    def kill(registers):
        gone = set(registers)
        return tuple(without(u, gone) for u in universes)

    if name.startswith(NO_RESULT) or not operands:
        return universes
    if re.match(r"s_\w+_saveexec_b(32|64)$", name):
        wide = name.endswith("64")
        # One register holds EXEC, as it was, before EXEC is made of it and the other.
        target, source = halves(operands[0]), halves(operands[1])
        operation = re.sub(r"_saveexec.*", "", name)
        results = []
        for i, covers in enumerate(universes):
            if not wide and i == 1:
                results.append(without(covers, set(target)))
                continue
            executed = ("exec_lo", "exec_hi")[i]
            mask = source[i] if source else operands[1]
            # The source may be the target: EXEC and it change places, so the old one goes by another name.
            covers = united(covers, "old", [mask] if mask != "-1" else [None])
            covers = united(covers, target[i], [executed])
            first, second = {"s_andn1": ("exec", "old"), "s_and_not0": ("exec", "old"),
                             "s_orn1": ("exec", "old"), "s_or_not0": ("exec", "old")}.get(operation, ("old", "exec"))
            plain = {"s_andn1": "s_andn2", "s_and_not0": "s_andn2", "s_orn1": "s_orn2", "s_or_not0": "s_orn2",
                     "s_and_not1": "s_andn2", "s_or_not1": "s_orn2"}.get(operation, operation)
            names = {"exec": target[i], "old": "old"}
            covers = one_half(covers, plain, executed, names[first], names[second])
            results.append(without(covers, {"old", *(target[1 - i:2 - i] if wide else ())}))
        return tuple(results)
    target = halves(operands[0])
    if name.startswith("s_") and target:
        sources = [halves(o) or (o, o) for o in operands[1:]]
        if re.search(r"_b64$", name) and len(target) == 2 and sources:
            results = []
            for i, covers in enumerate(universes):
                picked = [s[min(i, len(s) - 1)] for s in sources]
                covers = one_half(covers, name, target[i], picked[0], picked[1] if len(picked) > 1 else "")
                results.append(without(covers, {target[1 - i]}))
            return tuple(results)
        if re.search(r"_b32$", name) and len(target) == 1 and sources:
            picked = [s[0] for s in sources]
            return tuple(one_half(covers, name, target[0], picked[0], picked[1] if len(picked) > 1 else "")
                         for covers in universes)
        return kill(target)
    if name.startswith("v_cmpx"):
        return kill({"exec_lo", "exec_hi", *target})
    # A scalar register may be kept in a lane of a vector register.
    if name == "v_writelane_b32":
        slot = f"{operands[0]}[{operands[2]}]"
        scalar = halves(operands[1])
        return tuple(united(u, slot, [scalar[0]]) if scalar else without(u, {slot}) for u in universes)
    if name.startswith("v_readlane"):
        slot = f"{operands[1]}[{operands[2]}]"
        return tuple(united(u, target[0], [slot]) for u in universes)
    if name.startswith("v_"):
        gone = set(target)
        if len(operands) > 1 and (operands[1].startswith("vcc") or CARRIES.match(name)):
            gone |= set(halves(operands[1]))
        registers = vectors(operands[0])
        for covers in universes:
            gone |= {r for c in covers for r in c if r[0] == "v" and "[" in r and vectors(r.split("[")[0]) & registers}
        return kill(gone) if gone else universes
    return universes


# ---------------------------------------------------------------------------- the walk
def states(kernel, parsed):
    """For each instruction the covers before it, or None where it is never reached."""
    blocks = gpucode.blocks_of(kernel)
    start = tuple(frozenset({frozenset({name})}) for name in ("exec_lo", "exec_hi"))
    entry = {0: start}
    waiting = [0]
    before = [None] * len(parsed)
    while waiting:
        b = waiting.pop()
        now = entry[b]
        first, end, successors = blocks[b]
        for i in range(first, end):
            before[i] = now
            now = after(now, parsed[i])
        last = parsed[end - 1].name
        for to in successors:
            out = now
            taken = end - 1 in kernel.targets and blocks[to][0] == kernel.targets[end - 1]
            falls = to == b + 1
            if (last == "s_cbranch_execz" and taken and not falls) or (last == "s_cbranch_execnz" and falls and not taken):
                # No lane is on there, so the other masks make all lanes. Where all lanes are on, nobody goes.
                out = tuple(simplest(c - {name} for c in covers) for name, covers in zip(("exec_lo", "exec_hi"), now))
                if frozenset() in out[0]:
                    continue
            old = entry.get(to)
            new = out if old is None else tuple(both(x, y) for x, y in zip(old, out))
            if new != old:
                entry[to] = new
                waiting.append(to)
    return before


def reaching(kernel, parsed, place, registers):
    """The instructions whose results `registers` may hold at `place`."""
    blocks = gpucode.blocks_of(kernel)
    block_of = {i: b for b, (first, end, _) in enumerate(blocks) for i in range(first, end)}
    before = {b: [a for a, (_, _, to) in enumerate(blocks) if b in to] for b in range(len(blocks))}
    found, seen = set(), set()
    waiting = [(place - 1, block_of[place], frozenset(registers))]
    while waiting:
        i, b, left = waiting.pop()
        while i >= blocks[b][0] and left:
            if parsed[i].operands and not parsed[i].name.startswith(("s_", "ds_write", "ds_store")) \
                    and "_store" not in parsed[i].name and (hit := left & vectors(parsed[i].operands[0])):
                found.add(i)
                left -= hit
            i -= 1
        if left:
            for a in before[b]:
                if (a, left) not in seen:
                    seen.add((a, left))
                    waiting.append((blocks[a][1] - 1, a, left))
    return found


def _of_a_mask(kernel, parsed, place, register):
    """Whether a scalar register was last made the number of a mask's first lane."""
    for i in range(place - 1, -1, -1):
        if i in kernel.targets or i + 1 in kernel.targets.values():
            return False
        if parsed[i].name.startswith("s_") and parsed[i].operands and halves(parsed[i].operands[0]) == (register,):
            return parsed[i].name.startswith(("s_ff1_", "s_ctz_"))
    return False


def astray(kernel, kind):
    """The instructions of a kernel that read other lanes where some may be off, and how many read any at all."""
    return {"amd": _amd_astray, "nvidia": lanes_together.astray}.get(kind, lambda _: ([], 0))(kernel)


def _amd_astray(kernel):
    parsed = [parse(text) for text in kernel.text]
    if not parsed:
        return [], 0
    wide = kernel.figures.wave == 64
    before = states(kernel, parsed)

    def all_on(i):
        return before[i] is None or (frozenset({"exec_lo"}) in before[i][0] and
                                     (not wide or frozenset({"exec_hi"}) in before[i][1]))

    wrong, seen = [], 0
    for i, instruction in enumerate(parsed):
        if READS_LANES.search(instruction.text):
            seen += 1
            if not all_on(i):
                wrong.append(instruction.text)
        elif instruction.name.startswith("v_readlane"):
            sources = reaching(kernel, parsed, i, vectors(instruction.operands[1]))
            if any(parsed[s].name.startswith("v_writelane") for s in sources):
                continue  # a scalar register that was put aside
            if _of_a_mask(kernel, parsed, i, instruction.operands[2]):
                continue
            seen += 1
            if not all_on(i) and any(not all_on(s) for s in sources):
                wrong.append(instruction.text)
    return wrong, seen
