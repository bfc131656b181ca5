#!/usr/bin/env python3
"""Programs for AMD compiled for wavefronts of other than LANES lanes must not compile: a compiler that says how many
there are is believed.

    wavefront.py --tool build/bin/clwave --work FOLDER
"""
import argparse
import shutil
import subprocess
import sys
from pathlib import Path

BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
WORDS = "a wavefront has not LANES lanes"


def compile_log(folder, options):
    command = ["clang-15", "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1030", "-O1",
               f"--rocm-device-lib-path={BITCODE}", *options, *(folder / "options.txt").read_text().split(),
               "-S", "-o", str(folder / "code.s"), str(folder / "source.cl")]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--tool", required=True)
    words.add_argument("--work", type=Path, required=True)
    given = words.parse_args()
    if shutil.which("clang-15") is None or not Path(BITCODE).is_dir():
        print("skipped: needs clang-15 and rocm-device-libs")
        return 77
    wrong = 0
    for row, right, other in (("gfx1030", [], ["-mwavefrontsize64"]), ("gfx1030-wave64", ["-mwavefrontsize64"], [])):
        folder = given.work / row
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([given.tool, "emulate", row, "--dump", str(folder), "reduce"], check=True,
                       stdout=subprocess.DEVNULL)
        code, log = compile_log(folder, right)
        if code != 0:
            wrong += 1
            print(f"{row}: does not compile for its own wavefronts\n{log}")
        code, log = compile_log(folder, other)
        if code == 0 or WORDS not in log:
            wrong += 1
            print(f"{row}: compiles for wavefronts of another size\n{log}")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
