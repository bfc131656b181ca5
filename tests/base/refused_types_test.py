"""Types that are no elements, and what stands in place of an operator or a view, do not compile, and the compiler says what to
write instead.

  refused_types_test.py COMPILER --flags=FLAGS FOLDERS     FOLDERS: those of the headers, with | between them

Where the run is the quickest, a third of the types is tried, others each time.
"""
import argparse
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("compiler")
parser.add_argument("--flags", default="")
parser.add_argument("folders")
given = parser.parse_args()
tests = pathlib.Path(__file__).resolve().parent.parent
advice = "write clwave::half for 16-bit floats"


def compiled(source, case):
    command = [given.compiler, *shlex.split(given.flags), "-std=c++20", "-fsyntax-only", f"-DCASE={case}",
               *(f"-I{folder}" for folder in given.folders.split("|") if folder), str(source)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


quickest = int(os.environ.get("CLWAVE_TEST_QUICK", "0")) > 1
wrong = 0
for source in (tests / "base/refused_types.cpp", *sorted(tests.glob("primitives/*/refused_types.cpp"))):
    cases = {int(number): says or advice for number, primitive, says in
             re.findall(r"(?m)^#(?:el)?if CASE == (\d+)(?:  // (?:of (\w+), )?says (.*))?$", source.read_text())
             if (tests / "primitives" / primitive).is_dir()}  # a primitive that is removed has no cases
    if 0 not in cases or len(cases) < 2:
        sys.exit(f"{source} has not what compiles, or nothing that does not")
    refused = sorted(case for case in cases if case != 0)
    for case in (0, *(random.sample(refused, (len(refused) + 2) // 3) if quickest else refused)):
        says = cases[case]
        got = compiled(source, case)
        right = got.returncode == 0 if case == 0 else got.returncode != 0 and says in got.stderr
        print(f"{source.relative_to(tests)}, case {case}: {'right' if right else 'WRONG'}")
        if not right:
            wrong += 1
            print(got.stderr)
sys.exit(wrong != 0)
