"""Each of examples/ as a project of its own, against an installed library: it builds without a warning, and
prints what it should. The README's program is the first of them, word for word.

  examples_test.py --cmake CMAKE --generator NAME --work FOLDER [--define A=B ...] PREFIX
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

parser = argparse.ArgumentParser()
parser.add_argument("--cmake", required=True)
parser.add_argument("--generator", required=True)
parser.add_argument("--work", required=True, type=pathlib.Path)
parser.add_argument("--define", action="append", default=[])
parser.add_argument("prefix")
given = parser.parse_args()

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What each prints: a regular expression for the whole.
PRINTS = {
    "boost_compute": r"sum 46, of the first four 20\n1 is there 1 times\n3 is there 4 times\n5 is there 3 times\n9 is there 2 times\n",
    "clhpp": r"sum 500500\nrunning sums 1 3 6 \.\.\. 500500\n",
    "errors": r"more elements than the buffer has: a bad call\nan operator with a slip: text that does not compile, of the operator slip\n"
              r"a device that is not there: no such device\na sum: nothing was wrong\n",
    "first_sum": r"sum 500000 on .+\n",
    "matrix_rows": r"row 0: mean 2\.5, largest 4 at 3\nrow 1: mean 6\.5, largest 8 at 0\nrow 2: mean 4\.5, largest 9 at 1\n"
                   r"9 18 9 18 \n",
    "own_operator": r"farthest from zero: -?1\nbeyond 0\.25: 839\d\d\nbeyond 0\.5: 666\d\d\nbeyond 0\.75: 460\d\d\n",
    "own_structure": r"10000 throws, mean 3\.5, deviation 1\.708\n",
    "plans": r"this device gets the code of .+\n(?s:.*)sm_90: .+\n(?s:.*)gfx90a: .+\n(?s:.*)cpu: one work-item per tile.+\n(?s:.*)the sum is 262144\n",
    "pipeline": r"enqueued; the sum is 1\.57286e\+06\n",
    "several_queues": r"all together 600000\n100000 200000 300000 \n",
    "scan_and_select": r"100 103 104 108 109 114 123 125 131 136 \n4 5 9 6 5 \n",
}


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def wrong_with(name):
    """What an example prints that it should not, or why it does not run; "" if all is right."""
    folder = given.work / name
    try:
        run(given.cmake, "-S", ROOT / "examples" / name, "-B", folder, "-G", given.generator, f"-DCMAKE_PREFIX_PATH={given.prefix}",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror", *(f"-D{each}" for each in given.define))
        run(given.cmake, "--build", folder)
        said = run(folder / name)
    except RuntimeError as failed:
        return str(failed)
    return "" if re.fullmatch(PRINTS[name], said) else f"{name} printed\n{said}"


there = {folder.parent.name for folder in ROOT.glob("examples/*/CMakeLists.txt")}
if there != set(PRINTS):
    sys.exit(f"examples without an expectation, or the other way round: {sorted(there ^ set(PRINTS))}")
shutil.rmtree(given.work, ignore_errors=True)
with ThreadPoolExecutor(2) as pool:
    for name, wrong in zip(PRINTS, pool.map(wrong_with, PRINTS)):
        if wrong:
            sys.exit(wrong)
        print(f"{name}: right", flush=True)

program = re.search(r"```cpp\n((?:(?!```).)*int main\(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
if not program or program.group(1) != (ROOT / "examples/first_sum/first_sum.cpp").read_text():
    sys.exit("README's program is not examples/first_sum/first_sum.cpp")
print("README's program is the first of them")
