#!/usr/bin/env python3
"""Breaks the kernels on purpose, one place at a time, and sees whether any check notices.

A mutant is a copy of cl_kernels with one barrier, fence or lane synchronisation taken out, or one bound
weakened by one. Of the checks, those come first that are cheap and know the broken file: its primitive under
oclgrind, the compiled code as expect.txt says, and (with --tests) its tests on the machine's own device and on
real sub-groups (--sub-groups). They end at the first that fails. What survives is printed and written to --output.
The checks may be asked on several machines: a run without --plans or --program asks fewer of them, and what it saw
noticed a later run takes from --seen.

Some mutants compute the same: equivalent.txt lists them, each with the reason. They do not count in the score,
but go through oclgrind and the compilers as the others do: one that is noticed fails the run, for its reason is wrong.
"""
import argparse
import datetime
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import parts

HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "cl_kernels"

# What is taken out: a whole statement, wherever one of these starts.
TAKEN_OUT = [r"#pragma OPENCL FP_CONTRACT OFF", r"barrier\([^;#]*\);", r"GROUP(?:_GLOBAL)?_BARRIER\(\);", r"__builtin_amdgcn_fence\([^;]*\);",
             r'__asm__ volatile\("(?:fence|membar)[^;]*;[^;]*;',
             r"\bwait_for_copies\(\);", r"\bend_of_copies\(\);", r"\brelease_own_writes\(\);", r"\bmessage_before_stores\(\);",
             # What holds an exchange where all lanes are on, and what stands in for elements that there are not.
             r'__asm__ volatile\("" : "\+v"\(word\)\);', r"if \(fold_lacks_columns\(count\)\) fold_stand_in\([^;#]*;"]
# What is put in place of what: a weaker bound, a lane set or an order that is not kept.
WEAKENED = [
    (r"< existing\b", "<= existing"), (r"< count\b", "<= count"), (r"< rows\b", "<= rows"), (r"< left\b", "<= left"),
    (r"< n\b", "<= n"), (r">= n\b", "> n"), (r"< width\b", "<= width"), (r"< head\b", "<= head"), (r"< bytes\b", "<= bytes"),
    (r">= packets\b", "> packets"), (r"< packets\b", "<= packets"), (r">= distance\b", "> distance"), (r"< end\b", "<= end"),
    (r"< columns\b", "<= columns"), (r"< whole_end\b", "<= whole_end"), (r"< m\b", "<= m"), (r"< k\b", "<= k"),
    (r"== groups - 1", "== groups"), (r">= LANES\b", ">= LANES - 1"), (r"== LANES - 1", "== LANES - 2"),
    (r"< whole\b", "<= whole"), (r"== SCAN_TILE\b", ">= SCAN_TILE - 1"), (r"== SCAN_RUN\b", ">= SCAN_RUN - 1"),
    (r"< SCAN_RUN\b(?=; \+\+e)", "< SCAN_RUN - 1"), (r"d >= stretch\b", "d > stretch"), (r"d < stretch\b", "d <= stretch"),
    (r"there != is_fold\b", "there"), (r"== SCAN_TILES - 1\b", "== SCAN_TILES"),
    (r"== FOLD_TILE\b", ">= FOLD_TILE - 1"), (r"== FOLD_WAITING\b", "== FOLD_WAITING + 1"),
    (r"\.acq_rel\.gpu", ".relaxed.gpu"), (r"shfl\.sync", "shfl"), (r'before "\.sync" after', "before after"), (r"memory_order_acq_rel", "memory_order_relaxed"),
    (r"\blane \+ 1 - min", "lane - min"), (r" && !message_is_there\([^;]*\)(?=;)", ""),
    # Zeros in place of a lane's own word, and a branch that all lanes of a set take, but the compiler cannot know it.
    (r"update_dpp\(\(int\)\(word\), \(int\)\(word\), control, 0xf, 0xf, false\)",
     "mov_dpp((int)(word), control, 0xf, 0xf, true)"),
    (r"SAME_IN_LANES\((?=existing <= set_column)", "("),
    # The texts of the call before the pragmas.
    (r'#include "device/target\.cl"\n#include "texts of the call"', '#include "texts of the call"\n#include "device/target.cl"'),
]

# For each part of the kernels: oclgrind_run's parts that reach it; targets and programs to compile; the files of tests.
KNOWN = parts.known()
FOLD = KNOWN["fold"]
REDUCE = FOLD[2]



def mutants():
    """(file, line number, description, the file's new text). Comments are left alone."""
    for path in sorted(KERNELS.rglob("*.cl")):
        text = path.read_text()
        code = re.sub(r"//[^\n]*", lambda c: " " * len(c.group()), text)
        for pattern, to in [(p, None) for p in TAKEN_OUT] + WEAKENED:
            pattern = re.sub(r"^(?=[<>])", r"(?<![<>])", pattern)  # a shift is no bound
            for found in re.finditer(pattern, code):
                line = code.count("\n", 0, found.start()) + 1
                what = " ".join(found.group().split())
                new = ";" if to is None else to
                changed = text[:found.start()] + new + text[found.end():]
                yield str(path.relative_to(KERNELS)), line, f"without {what}" if to is None else f"{what} -> {' '.join(to.split())}", changed


def line_of(mutant):
    """The line that a mutant changes, without blanks round it."""
    name, number, _, _ = mutant
    return (KERNELS / name).read_text().splitlines()[number - 1].strip().removesuffix("\\").strip()


def read_equivalents():
    """(file, line of code, mutation) -> why nothing changes. Entries are four lines each."""
    entries = {}
    lines = [line for line in (HERE / "equivalent.txt").read_text().splitlines() if not line.startswith("#")]
    for entry in "\n".join(lines).strip().split("\n\n"):
        name, code, what, *why = entry.splitlines()
        entries[name, code, what] = " ".join(why)
    return entries


# What no emulation compiles: only the code for that device can tell.
OF_A_DEVICE = r"FP_CONTRACT|asm|amdgcn|_dpp|SAME_IN_LANES|\.gpu|shfl|memory_order|_copies|release_own"


def has_tests_of_lanes(name):
    found = [*HERE.parent.rglob(f"{name}_test.cpp")]
    return 'test_suite lanes("lanes")' in found[0].read_text()


def checks(asked, work, name, mutant):
    """(what, command) for a mutant of a file, from the cheapest to the dearest."""
    runs, programs, tests = KNOWN.get(Path(name).stem, ("", "reduce sum f32", REDUCE))
    if "_dpp" in mutant:
        programs = "reduce structure of 12 bytes"  # an operator of the user
    races = [sys.executable, HERE / "races.py", "--program", asked.program, "--work", work / "races", "--jobs", "1", "--first",
             "--parts", runs]
    compiled = [sys.executable, HERE / "compile.py", "--tool", asked.tool, "--plans", asked.plans, "--work", work / "compile",
                "--jobs", "1", "--case", programs, "--target"]
    order = [("code for AMD", [*compiled, "gfx[19]*[034]0"]), ("code for NVIDIA", [*compiled, "sm_[69]0"])] if programs else []
    if "memory_order" in mutant:
        order = [("code for sub-groups", [*compiled, "subgroup-*"])]
    if not asked.plans:
        order = []
    alone = re.search(OF_A_DEVICE, mutant) is not None
    if asked.program and runs and not alone:
        order.insert(0, ("oclgrind", races))
    yield from order
    if asked.tests:
        yield "tests", [asked.tests, "--source-file=" + ",".join(f"*/{each}_test.cpp" for each in tests.split(","))]
        # Real lanes, where the machine's own device has none: the files that have such tests. What reduce is made of is
        # in all others.
        real = [f"*/{each}_test.cpp" for each in tests.split(",") if has_tests_of_lanes(each)]
        if real and asked.sub_groups:
            files = ["--source-file=" + ",".join(real)] if tests != REDUCE else []
            yield "tests on sub-groups", ["env", f"OCL_ICD_VENDORS={asked.sub_groups}", "CLWAVE_PROFILE=subgroup-8", asked.tests,
                                          "--test-suite=lanes", *files]


def run(command, environment, seconds):
    """The exit status; None where it took longer. Its children end with it."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment, start_new_session=True)
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="a folder to work in")
    parser.add_argument("--tool", type=Path, help="the program clwave, with --plans")
    parser.add_argument("--plans", type=Path, help="the program offline_plans; without it no code is compiled and looked at")
    parser.add_argument("--program", type=Path, help="the program oclgrind_run; without it nothing runs under oclgrind")
    parser.add_argument("--tests", type=Path, help="the program clwave_tests")
    parser.add_argument("--sub-groups", type=Path, help="the ICD file of a driver that has sub-groups, e.g. Intel's for CPUs")
    parser.add_argument("--only", default="", help="only mutants whose 'file:line: change' this regular expression finds")
    parser.add_argument("--every", type=int, default=1, help="only one mutant of so many")
    parser.add_argument("--seed", type=int, default=None, help="which ones; printed, to repeat them")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for a check; a check that takes more has noticed")
    parser.add_argument("--minutes", type=float, default=0, help="begin no mutant later than this; 0: no limit")
    parser.add_argument("--seen", type=Path, help="what an earlier run printed, perhaps cut off: the mutants that it saw noticed count, "
                        "and are not run again")
    parser.add_argument("--list", action="store_true", help="print the mutants and end")
    parser.add_argument("--output", type=Path, help="where the result is written, e.g. tools/results/mutation.md")
    asked = parser.parse_args()
    for name in ("tool", "plans", "program", "work", "tests", "sub_groups"):
        if getattr(asked, name):
            setattr(asked, name, getattr(asked, name).resolve())
    started = time.time()

    equivalents = read_equivalents()
    every = list(mutants())
    unknown = set(equivalents) - {(m[0], line_of(m), m[2]) for m in every}
    if unknown:
        sys.exit(f"equivalent.txt names mutants that there are not: {sorted(unknown)}")
    every = [m for m in every if re.search(asked.only, f"{m[0]}:{m[1]}: {m[2]}")]
    seed = random.randrange(1 << 16) if asked.seed is None else asked.seed
    # Files in turn, so that a sample, or a run cut short, has some of each.
    chosen = sorted(random.Random(seed).sample(range(len(every)), -(-len(every) // asked.every)))
    chosen = [every[i] for i in chosen]
    random.Random(seed).shuffle(chosen)
    print(f"{len(chosen)} of {len(every)} mutants, --every {asked.every} --seed {seed}", flush=True)
    if asked.list:
        print("\n".join(f"{name}:{line}: {what}" for name, line, what, _ in chosen))
        return 0

    def prepare(work, name, text):
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(KERNELS, work / "kernels")
        if text:
            (work / "kernels" / name).write_text(text)
        (work / "driver").mkdir()
        return {**os.environ, "CLWAVE_KERNEL_DIR": str(work / "kernels"), "CLWAVE_CACHE_DIR": "off",
                "POCL_CACHE_DIR": str(work / "driver")}

    # A check that fails the kernels as they are says nothing of a mutant. Each is asked when it first fails one; mutants
    # that other checks fail do not wait for it.
    sound, one_each, asking = {}, {}, threading.Lock()

    def seconds_of_the_whole(name, mutant, what):
        known = (KNOWN.get(Path(name).stem, FOLD), what)
        with asking:
            own = one_each.setdefault(known, threading.Lock())
        with own:
            if known not in sound:
                work = asked.work / f"whole-{abs(hash(known))}"
                environment = prepare(work, name, "")
                command = dict(checks(asked, work, name, mutant))[what]
                begun = time.time()
                passes = run(command, environment, 4 * asked.timeout) in (0, 77)
                sound[known] = time.time() - begun if passes else None
                shutil.rmtree(work, ignore_errors=True)
            return sound[known]

    def first_failure(number, name, mutant, text, is_equivalent):
        """Which check notices; "" if none does."""
        work = asked.work / str(number)
        environment = prepare(work, name, text)
        try:
            for what, command in checks(asked, work, name, mutant):
                if is_equivalent and what.startswith("tests"):
                    continue
                status = run(command, environment, asked.timeout)
                if status in (0, 77):
                    continue
                of_whole = seconds_of_the_whole(name, mutant, what)
                if of_whole is None:
                    raise RuntimeError(f"{what} fails the kernels as they are, so that it says nothing of mutants")
                # A check that is slow says nothing, until it takes several times as long as with the kernels as they are.
                if status is None and 4 * of_whole > asked.timeout:
                    status = run(command, environment, 4 * of_whole)
                if status in (0, 77):
                    continue
                return what if status is not None else f"{what}, by taking too long"
            return ""
        finally:
            shutil.rmtree(work, ignore_errors=True)

    killed, survivors, equal, wrong = Counter(), [], [], []

    def why_equivalent(name, line, what):
        return equivalents.get((name, line_of((name, line, what, "")), what), "")

    seen = {}
    if asked.seen:
        for found in re.finditer(r"^\d+ s (.*?:\d+: .*): (.*)$", asked.seen.read_text(), re.MULTILINE):
            if found.group(2) not in ("SURVIVED", "equivalent"):
                seen[found.group(1)] = found.group(2)

    def visit(job):
        number, (name, line, what, text) = job
        if f"{name}:{line}: {what}" in seen:
            return job, seen[f"{name}:{line}: {what}"]
        if asked.minutes and time.time() - started > 60 * asked.minutes:
            return job, None
        try:
            return job, first_failure(number, name, what, text, why_equivalent(name, line, what) != "")
        except RuntimeError as no_answer:
            print(f"{name}:{line}: {what} is left out: {no_answer}", flush=True)
            return job, None

    with ThreadPoolExecutor(asked.jobs) as pool:
        for done in as_completed([pool.submit(visit, job) for job in enumerate(chosen)]):
            (_, (name, line, what, _)), by = done.result()
            if by is None:
                continue
            text, why = f"{name}:{line}: {what}", why_equivalent(name, line, what)
            print(f"{time.time() - started:.0f} s {text}: {by or ('equivalent' if why else 'SURVIVED')}", flush=True)
            if why:
                (wrong if by else equal).append(f"`{text}`: {f'noticed by {by}, though ' if by else ''}{why}")
                continue
            killed[by] += 1
            if not by:
                survivors.append(text)
    total = sum(killed.values())
    not_run = len(every) - total - len(equal) - len(wrong)
    score = 100 * (total - len(survivors)) / total if total else 0
    whole = 100 * (total - len(survivors)) / (total + len(equal)) if total else 0
    said = [f"{score:.1f} % of {total} mutants were noticed (--every {asked.every} --seed {seed}). "
            f"{len(equal)} more compute the same and were not; counted too, it would be {whole:.1f} %. "
            + (f"There are {len(every)} in all, of which {not_run} were not run: of these nothing is known." if not_run else
               f"These are all of the {len(every)} that there are."),
            *(f"- by {by}: {count}" for by, count in killed.most_common() if by),
            *(f"- survived: `{text}`" for text in sorted(survivors)),
            *(f"- NOT equivalent: {text}" for text in sorted(wrong)),
            *(f"- equivalent: {text}" for text in sorted(equal))]
    print("\n".join(said))
    if asked.output:
        asked.output.write_text("# Mutation check of the kernels\n\nWritten by `tests/offline/mutate.py`, "
                                f"{datetime.date.today().isoformat()}. {said[0]}\n\n" + "\n".join(said[1:]) + "\n")
    return 0 if score >= 95 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
