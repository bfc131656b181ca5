#!/usr/bin/env python3
"""Breaks the kernels on purpose, one place at a time, and sees whether any check notices.

A mutant is a copy of cl_kernels with one barrier, fence or lane synchronisation taken out, or one bound
weakened by one. The checks, cheapest first, end at the first that fails: the compiled code as expect.txt says,
the kernels under oclgrind, and (with --grid) the grid of tests on the machine's own device. What survives is
printed and written to --output.
"""
import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "cl_kernels"

# What is taken out: a whole statement, wherever one of these starts.
TAKEN_OUT = [r"barrier\([^;]*\);", r"__builtin_amdgcn_fence\([^;]*\);", r'__asm__ volatile\("(?:fence|membar)[^;]*;[^;]*;']
# What is put in place of what: a weaker bound, a lane set or an order that is not kept.
WEAKENED = [
    (r"< existing\b", "<= existing"), (r"< count\b", "<= count"), (r"< rows\b", "<= rows"), (r"< left\b", "<= left"),
    (r"< n\b", "<= n"), (r">= n\b", "> n"), (r"< width\b", "<= width"), (r"< head\b", "<= head"), (r"< bytes\b", "<= bytes"),
    (r">= packets\b", "> packets"), (r">= distance\b", "> distance"), (r"< end\b", "<= end"), (r"== groups - 1", "== groups"),
    (r">= LANES\b", ">= LANES - 1"), (r"== LANES - 1", "== LANES - 2"), (r"== FOLD_TILE\b", ">= FOLD_TILE - 1"),
    (r"== FOLD_WAITING\b", "== FOLD_WAITING + 1"), (r"\.acq_rel\.gpu", ".relaxed.gpu"), (r"shfl\.sync", "shfl"),
    (r"memory_order_acq_rel", "memory_order_relaxed"), (r"\blane \+ 1 - min", "lane - min"),
]


def mutants():
    """(file, line number, description, the file's new text). Comments are left alone."""
    for path in sorted(KERNELS.glob("*.cl")):
        text = path.read_text()
        code = re.sub(r"//[^\n]*", lambda c: " " * len(c.group()), text)
        for pattern, to in [(p, None) for p in TAKEN_OUT] + WEAKENED:
            for found in re.finditer(pattern, code):
                line = code.count("\n", 0, found.start()) + 1
                what = " ".join(found.group().split())
                new = ";" if to is None else to
                changed = text[:found.start()] + new + text[found.end():]
                yield path.name, line, f"without {what}" if to is None else f"{what} -> {to}", changed


def checks(asked):
    """(name, command) from the cheapest to the dearest."""
    compile_all = [sys.executable, HERE / "compile.py", "--tool", asked.tool, "--plans", asked.plans, "--work",
                   asked.work / "compile", "--expect", HERE / "expect.txt"]
    yield "ISA, gfx", [*compile_all, "--target", "gfx90[06a]", "--case", "*um f32"]
    yield "ISA, sm", [*compile_all, "--target", "sm_[69]?", "--case", "*um f32"]
    yield "oclgrind", [sys.executable, HERE / "races.py", "--program", asked.program, "--work", asked.work / "races",
                       "--profiles", "gfx906,cpu"]
    if asked.grid:
        yield "grid", [asked.grid, "--part", "1/64"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tool", "plans", "program", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--grid", type=Path, help="the program clwave_grid")
    parser.add_argument("--only", default="", help="only mutants of files whose name has this in it")
    parser.add_argument("--output", type=Path, help="where the result is written, e.g. tools/results/mutation.md")
    asked = parser.parse_args()

    def first_failure(kernels):
        environment = {**os.environ, "CLWAVE_KERNEL_DIR": str(kernels), "CLWAVE_CACHE_DIR": "off"}
        for name, command in checks(asked):
            try:
                done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment,
                                      timeout=600)
            except subprocess.TimeoutExpired:
                return f"{name}: hangs"
            if done.returncode not in (0, 77):
                return name
        return ""

    place = asked.work / "kernels"

    def plant(name="", text=""):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(KERNELS, place)
        if name:
            (place / name).write_text(text)

    plant()
    if broken := first_failure(place):
        print(f"the kernels as they are fail {broken}: nothing can be learnt from mutants")
        return 1
    killed, survivors = {}, []
    for name, line, what, text in mutants():
        if asked.only in name:
            plant(name, text)
            by = first_failure(place)
            killed[by] = killed.get(by, 0) + 1
            if not by:
                survivors.append(f"{name}:{line}: {what}")
            print(f"{name}:{line}: {what}: {by or 'SURVIVED'}", flush=True)
    total = sum(killed.values())
    score = 100 * (total - len(survivors)) / total if total else 0
    said = [f"{score:.0f} % of {total} mutants were noticed.",
            *(f"- by {by}: {count}" for by, count in killed.items() if by),
            *(f"- survived: `{text}`" for text in survivors)]
    print("\n".join(said))
    if asked.output:
        asked.output.write_text("# Mutation check of the kernels\n\nWritten by `tests/offline/mutate.py`, "
                                f"{datetime.date.today().isoformat()}. {said[0]}\n\n" + "\n".join(said[1:]) + "\n")
    return 0 if score >= 95 else 1


if __name__ == "__main__":
    sys.exit(main())
