#!/usr/bin/env python3
"""Runs the tool and tests of the library, built for Windows, under Wine, whose opencl.dll hands calls on to the drivers
of this machine.

Exits with 77 where there is no Wine, no program for Windows, or no device that Wine's opencl.dll shows.
"""
import argparse
import array
import json
import os
import pathlib
import shutil
import subprocess
import sys

# Debian's wine64 keeps its program where no path leads.
PLACES = ["wine64", "wine", "/usr/lib/wine/wine64"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


class Wine:
    def __init__(self, program, work):
        self.program = program
        work.mkdir(parents=True, exist_ok=True)
        self.environment = dict(os.environ, WINEPREFIX=str(work / "prefix"), WINEDEBUG="-all",
                                CLWAVE_CACHE_DIR=self.path(work / "cache"), CLWAVE_CONFIG_DIR="off")

    @staticmethod
    def path(path):
        """A path of this system as programs under Wine see it."""
        return "Z:" + str(path.resolve()).replace("/", "\\")

    def run(self, *command, allowed=(0,)):
        ran = subprocess.run([self.program, *command], env=self.environment, text=True, timeout=900,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        print(f"$ {' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}", flush=True)
        if ran.returncode not in allowed:
            sys.exit(f"the exit code is {ran.returncode}")
        return ran.stdout


def check_reduce(wine, tool, work):
    """Sums of a file whose sums are known."""
    numbers = array.array("i", range(-1000, 100000))
    file = work / "numbers.bin"
    file.write_bytes(numbers.tobytes())
    for op, value in (("sum", sum(numbers)), ("min", min(numbers)), ("max", max(numbers))):
        answer = json.loads(wine.run(tool, "reduce", wine.path(file), "--type", "i32", "--acc", "i64", "--op", op, "--json"))
        if answer["value"] != value:
            sys.exit(f"{op} is {answer['value']}, not {value}")


def check_files(wine, tool, work):
    """A file that is read and replaced, one that is not there, and a folder."""
    file = work / "scanned.npy"
    for _ in range(2):
        wine.run(tool, "scan", wine.path(work / "numbers.bin"), "--type", "i32", "-o", wine.path(file))
    sums = array.array("q", file.read_bytes()[-8 * 101000:])
    if sums[:2].tolist() != [-1000, -1999] or sums[-1] != sum(range(-1000, 100000)):
        sys.exit("the running sums are wrong")
    wine.run(tool, "reduce", wine.path(work / "absent.npy"), allowed=(2,))
    wine.run(tool, "reduce", wine.path(work), allowed=(2,))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("build", type=pathlib.Path, help="the build folder of cross_build_test.py")
    words = parser.parse_args()
    program = next(filter(None, map(shutil.which, PLACES)), None)
    if program is None:
        skip("there is no Wine (Debian: wine64)")
    tool = words.build / "bin" / "clwave.exe"
    tests = words.build / "tests" / "clwave_tests.exe"
    if not tool.exists() or not tests.exists():
        skip(f"{tool} or {tests} was not built: there is no MinGW-w64")
    wine = Wine(program, words.work)
    wine.run("wineboot", "--init")
    # Not --json nor --raw: they ask how long CL_DEVICE_EXECUTION_CAPABILITIES is, and Wine 8.0's opencl.dll crashes then.
    if not wine.run(tool, "info", "-l", allowed=(0, 3)).strip():
        skip("Wine's opencl.dll shows no device")
    if "work-group size at most" not in wine.run(tool, "info"):
        sys.exit("info shows no facts")
    check_reduce(wine, tool, words.work)
    check_files(wine, tool, words.work)
    wine.run(tests)


if __name__ == "__main__":
    main()
