"""Each of examples/ as a project of its own, against an installed library: it builds without a warning, and
prints what it should. The README's program is the first of them, word for word. Where the run is the quickest
(CLWAVE_TEST_QUICK), that one and two others, each time others.

  examples_test.py --cmake CMAKE --generator NAME --work FOLDER [--define A=B ...] [--mpiexec PROGRAM] PREFIX

Those that take the component mpi are run on three ranks by that program, and left out without it.
"""
import argparse
import os
import pathlib
import random
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
parser.add_argument("--mpiexec")
parser.add_argument("prefix")
given = parser.parse_args()

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What each prints, a regular expression for the whole, stands in its prints.txt.
EXAMPLES = sorted(folder.parent.name for folder in ROOT.glob("examples/*/CMakeLists.txt"))


# What Open MPI asks of who runs it in a container, and for more ranks than cores.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def takes_mpi(name):
    return "COMPONENTS mpi" in (ROOT / "examples" / name / "CMakeLists.txt").read_text()


def run(*command):
    done = subprocess.run([str(word) for word in command], env=ENVIRONMENT, text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def wrong_with(name):
    """What an example prints that it should not, or why it does not run; "" if all is right."""
    folder = given.work / name
    try:
        run(given.cmake, "-S", ROOT / "examples" / name, "-B", folder, "-G", given.generator, f"-DCMAKE_PREFIX_PATH={given.prefix}",
            "-DCMAKE_BUILD_TYPE=Release", *(f"-DCMAKE_{language}_FLAGS=-Wall -Wextra -Wpedantic -Werror" for language in ("C", "CXX")),
            *(f"-D{each}" for each in given.define))
        run(given.cmake, "--build", folder)
        said = run(*([given.mpiexec, "-n", "3"] if takes_mpi(name) else []), folder / name)
    except RuntimeError as failed:
        return str(failed)
    prints = (ROOT / "examples" / name / "prints.txt").read_text()
    return "" if re.fullmatch(prints, said) else f"{name} printed\n{said}"


if not EXAMPLES:
    sys.exit("there are no examples")
if not given.mpiexec:
    print("not run, for this clwave has no component mpi:", *filter(takes_mpi, EXAMPLES))
    EXAMPLES = [name for name in EXAMPLES if not takes_mpi(name)]
if int(os.environ.get("CLWAVE_TEST_QUICK") or 0) > 1:
    EXAMPLES = ["first_sum", *random.sample([name for name in EXAMPLES if name != "first_sum"], 2)]
shutil.rmtree(given.work, ignore_errors=True)
with ThreadPoolExecutor(2) as pool:
    for name, wrong in zip(EXAMPLES, pool.map(wrong_with, EXAMPLES)):
        if wrong:
            sys.exit(wrong)
        print(f"{name}: right", flush=True)

program = re.search(r"```cpp\n((?:(?!```).)*int main\(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
if not program or program.group(1) != (ROOT / "examples/first_sum/first_sum.cpp").read_text():
    sys.exit("README's program is not examples/first_sum/first_sum.cpp")
print("README's program is the first of them")
