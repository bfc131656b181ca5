#!/usr/bin/env python3
"""Runs every kernel under oclgrind, which sees data races, uninitialised reads and addresses that a load's or a store's type
does not allow: any line it logs fails.

oclgrind is an OpenCL 1.2 device without sub-groups, C11 atomics or inline assembly: the lanes are emulated
through local memory and the last group's work is a second launch, except in the parts ONE_LAUNCH. It exits 0 whatever it found, so what it
writes to stderr is what counts; a file that --log names is emptied by each new context. It is about a thousand times slower than a CPU:
sizes stay small.

It must compile without optimisation: what lies outside an array may be optimised away, and it knows no `freeze` and no
saturating subtraction, and takes the undefined lanes that optimisers put into vectors for uninitialised reads.
"""
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import parts as primitives
import targets

# The sets of parts that are run in ways of their own are those of the primitives (parts.py).

# oclgrind 21.10 crashes on these where it looks for uninitialised reads: it takes the number of LLVM's class of undefined
# values for the mark of an undefined element in a shuffle's mask (src/plugins/Uninitialized.cpp, ShuffleVector), so
# that it reads before its memory for such an element, and calls element 11 undefined. What widens or joins vectors
# meets that. They are still checked for races, and for what lies outside an array.
CRASHES = primitives.union("CRASHES")

# What reduce.cl and the parts of the fold are in.
FOLDS = primitives.union("FOLDS")

# oclgrind 21.10 takes a scatter's claims, which one launch stores, for uninitialised in the next one, whatever is stored (a
# constant, or by atomic_xchg); all results are right. Why is not known. Races are looked for.
MISTAKEN = {"gather"}

# All levels in one launch, in AMD's order of groups, whose fences are left out. oclgrind runs the groups one after
# another but knows of no order that counters make: a result that one group writes and a later one reads counts for
# a race there, and so do messages. Two groups that write one result, one that reads what nobody wrote yet, and what is not in
# order within a group are findings as ever.
ONE_LAUNCH = primitives.union("ONE_LAUNCH")
ORDERED_BY_COUNTERS = re.compile(
    r"Read-write data race at global(?!.*Group(\([0-9,]+\)).*Group\1)|Read-write data race at global(?:.*volatile i(?:32|64)){2}"
    r"|Write-write data race.*atomic_inc", re.S)

# Groups take their tiles from the last to the first, so that none finds a message that it looks for. Who folds another's
# tile posts what that one's own group will post again: the same words, each as a whole.
BACKWARDS = primitives.union("BACKWARDS")
POSTED_AGAIN = re.compile(r"Write-write data race at global.*store volatile i(?:32|64).*store volatile i(?:32|64)", re.S)

# Of a group's reads and another's writes, which counters order too: those of the counters of bad segments themselves.
ORDERED = primitives.union("ORDERED")
ANY_ORDER = re.compile(r"Read-write data race at global|Write-write data race.*atomic_inc", re.S)

# In place a group stores results where other work-items of it loaded elements before a barrier of local memory, which for
# oclgrind orders no global memory. What was loaded had to be there to be put into local memory before that barrier.
IN_PLACE = primitives.union("IN_PLACE")
IN_ONE_GROUP = re.compile(r"Read-write data race at global.*Group(\([0-9,]+\)).*Group\1", re.S)

# Candidates are counted in many rounds, each of few.
FEW_AT_ONCE = primitives.union("FEW_AT_ONCE")

# Where a barrier is missing a group may go on for ever, and say so each time: oclgrind is ended where its log is this long.
MOST_OF_A_LOG = 16 << 20

# Once among the GPUs' profiles will do.
ONCE = primitives.union("ONCE")

# Oclgrind sees where a load or a store has an address that its type does not allow, but not what vloadN and vstoreN are given:
# each of them first loads, or stores, its first component.
ALIGNED = "\n".join(f"#define vload{n}(k, p) ((void)(p)[(k) * {n}], vload{n}(k, p))\n"
                    f"#define vstore{n}(v, k, p) ((p)[(k) * {n}] = (v).s0, vstore{n}(v, k, p))" for n in (2, 4, 8, 16))

KERNELS = Path(__file__).resolve().parent.parent.parent / "cl_kernels"


def findings(log):
    """The messages of a log."""
    return [text.strip() for text in re.split(r"\n(?=\S)", log) if text.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True, help="the program oclgrind_run")
    parser.add_argument("--work", type=Path, required=True, help="a folder for logs; emptied first")
    parser.add_argument("--jobs", type=int, default=2)
    # A profile of 32 lanes, one of 64 (both have matrix instructions), and the one for CPUs, which has code of its own.
    parser.add_argument("--profiles", default="sm_90,gfx90a,cpu")
    parser.add_argument("--parts", default="", help="only these parts of oclgrind_run, e.g. sum,argmax")
    parser.add_argument("--share", type=targets.share, default=(1, 1), metavar="I/N",
                        help="each part with one profile in N; with I other ones")
    parser.add_argument("--first", action="store_true", help="end at the first finding")
    asked = parser.parse_args()
    if not shutil.which("oclgrind"):
        print("SKIPPED: oclgrind is not here")
        return 77  # what ctest takes for a skip

    shutil.rmtree(asked.work, ignore_errors=True)
    asked.work.mkdir(parents=True)
    listed = subprocess.run([asked.program], capture_output=True, text=True)
    parts = listed.stdout.split()
    started = time.time()

    # AMD goes over tiles in its own way, which no other device takes: those kernels with the word that asks for it.
    def kernels_with(name, line="", behind=""):
        kernels = asked.work / name
        shutil.copytree(os.environ.get("CLWAVE_KERNEL_DIR", KERNELS), kernels)
        for file, lines in (("target.cl", f"{ALIGNED}\n{line}"), ("message.cl", behind)):
            with open(kernels / "device" / file, "a") as text:
                text.write(lines + "\n")
        return kernels

    no_fence = "#define __builtin_amdgcn_fence(order, scope)"
    as_they_are = kernels_with("as_they_are")
    go_as_amd = kernels_with("go_as_amd", "#define GO_AS_AMD 1")
    one_launch = kernels_with("one_launch", no_fence)
    backwards = kernels_with("backwards", no_fence, """
#define get_group_id(dimension) (get_num_groups(dimension) - 1 - get_group_id(dimension))
#define take_number(counter, count) ((count) - 1 - take_number(counter, count))""")
    few_at_once = kernels_with("few_at_once", "#define BEST_AT_ONCE 100")
    one_launch_as_amd = kernels_with("one_launch_as_amd", "#define GO_AS_AMD 1\n" + no_fence)

    def visit(job):
        profile, part = job
        log = asked.work / f"{profile}-{part}.log"
        environment = {**os.environ, "CLWAVE_PROFILE": profile, "CLWAVE_CACHE_DIR": "off", "CLWAVE_KERNEL_DIR": str(as_they_are)}
        as_amd = profile.startswith("gfx") and part in FOLDS
        if part in BACKWARDS:
            environment["CLWAVE_KERNEL_DIR"] = str(backwards)
        elif part in ONE_LAUNCH:
            environment["CLWAVE_KERNEL_DIR"] = str(one_launch_as_amd if as_amd else one_launch)
        elif part in FEW_AT_ONCE:
            environment["CLWAVE_KERNEL_DIR"] = str(few_at_once)
        elif as_amd:
            environment["CLWAVE_KERNEL_DIR"] = str(go_as_amd)
        checks = ["--build-options", "-cl-opt-disable", *([] if job in CRASHES or part in MISTAKEN else ["--uninitialized"])]
        with open(log, "w") as messages:
            done = subprocess.run(["oclgrind", "--data-races", "--uniform-writes", *checks, "--num-threads", "1", "--max-errors", "1000000",
                                   asked.program, part],
                                  stdout=subprocess.PIPE, stderr=messages, text=True, errors="replace", env=environment,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_OF_A_LOG, MOST_OF_A_LOG)))
        found = findings(log.read_text(errors="replace"))
        if part in ONE_LAUNCH | ORDERED:
            order = ORDERED_BY_COUNTERS if part in ONE_LAUNCH else ANY_ORDER
            found = [message for message in found if not order.match(message)]
        if part in IN_PLACE:
            found = [message for message in found if not IN_ONE_GROUP.match(message)]
        if part in BACKWARDS:
            found = [message for message in found if not POSTED_AGAIN.match(message)]
        return done, found

    failed, ran = 0, 0
    profiles = asked.profiles.split(",")
    lanes = [profile for profile in profiles if profile != "cpu"]
    wanted = asked.parts.split(",") if asked.parts else parts
    own, shares = asked.share
    jobs = [(profile, part) for k, part in enumerate(parts) if part in wanted for p, profile in enumerate(profiles)
            if (k + p) % shares == own - 1 and not (part in ONCE and profile in lanes[1:])]
    jobs.sort(key=lambda job: wanted.index(job[1]))  # as they are asked for: the cheapest first where the first finding ends all
    with ThreadPoolExecutor(asked.jobs) as pool:
        for (profile, part), (done, found) in zip(jobs, pool.map(visit, jobs)):
            ran += done.stdout.count("ran ")
            if found or done.returncode != 0:
                failed += 1
                print(f"FAILED {profile}, {part}: exit {done.returncode}, {len(found)} messages")
                print("\n".join([*found[:3], done.stdout[-500:]]))
                if asked.first:
                    pool.shutdown(cancel_futures=True)
                    break
    for profile, part in sorted(CRASHES & set(jobs)):
        print(f"SKIPPED uninitialised reads of {profile}, {part}: oclgrind crashes; races were checked")
    print(f"{ran} calls in {len(jobs)} runs under oclgrind, {failed} runs with findings, {time.time() - started:.0f} s")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
