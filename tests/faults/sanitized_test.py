#!/usr/bin/env python3
"""Builds the library and the tests of threads, streams, events, chains and operands with a sanitizer, and runs them; with
--tool also the tool, and gives it command lines that nobody means."""
import argparse
import pathlib
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cmake", required=True)
parser.add_argument("--ctest", required=True)
parser.add_argument("--generator", required=True)
parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder to build in")
parser.add_argument("--define", action="append", default=[])
parser.add_argument("--tool", action="store_true", help="the tool too")
parser.add_argument("sanitizers", help="as after -fsanitize=")
given = parser.parse_args()

root = pathlib.Path(__file__).resolve().parent.parent.parent
# Without optimisation: this takes our compiler two thirds of the time, and the tests wait for the driver's.
configure = [
    given.cmake, "-S", root, "-B", given.work, "-G", given.generator, f"-DCLWAVE_SANITIZE={given.sanitizers}",
    "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -g1", f"-DCLWAVE_BUILD_TOOLS={given.tool}",
    *(f"-D{each}" for each in given.define),
]
targets = ["clwave_surroundings", *(["clwave_tool"] if given.tool else [])]
tests = "^(surroundings|command_lines)$" if given.tool else "^surroundings$"
for command in (configure,
                [given.cmake, "--build", given.work, "--parallel", "1", "--target", *targets],
                [given.ctest, "--test-dir", given.work, "--tests-regex", tests, "--verbose", "--no-tests=error"]):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "unexpected memory mapping" in done.stdout:
        print(f"skipped: the sanitizer {given.sanitizers} does not start under this kernel's layout of memory")
        sys.exit(77)
    if done.returncode != 0:
        print(done.stdout[-20000:])
        sys.exit(f"ended with {done.returncode}: {' '.join(map(str, command))}")
# What the tests counted, and how many there were.
for line in done.stdout.splitlines():
    words = line.partition(": ")[2]
    if words[:1].isdigit() or words.startswith("[doctest]"):
        print(words)
