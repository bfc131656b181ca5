#!/usr/bin/env python3
"""Builds the library for another system, with warnings as errors, and what can be run of it there; for Windows the tool too.

Exits with 77 where the cross compiler is missing.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

# The system, by the name of its toolchain file in tools/toolchains, its compiler, and what is built.
SYSTEMS = {
    "aarch64-linux-gnu": ("aarch64-linux-gnu-g++", ["clwave", "clwave_tests"]),
    # Not the tool, which takes numbers of elements for 64 bits wide everywhere.
    "arm-linux-gnueabihf": ("arm-linux-gnueabihf-g++", ["clwave"]),
    "x86_64-w64-mingw32": ("x86_64-w64-mingw32-g++-posix", ["clwave", "clwave_tool", "clwave_tests"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--generator", default="Ninja")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder to build in")
    parser.add_argument("system", choices=SYSTEMS)
    words = parser.parse_args()
    compiler, targets = SYSTEMS[words.system]
    if shutil.which(compiler) is None:
        print(f"skipped: there is no {compiler}")
        sys.exit(77)
    source = pathlib.Path(__file__).resolve().parent.parent.parent
    # Without optimisation, and many files at a time: each of them would take three times as long.
    configure = [
        words.cmake, "-S", source, "-B", words.work, "-G", words.generator,
        "--toolchain", source / "tools/toolchains" / f"{words.system}.cmake",
        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON",
        f"-DCLWAVE_BUILD_TESTS={'ON' if 'clwave_tests' in targets else 'OFF'}",
    ]
    subprocess.run(configure, check=True)
    subprocess.run([words.cmake, "--build", words.work, "--parallel", "2", "--target", *targets], check=True)
    print(f"built for {words.system}: {', '.join(targets)}")


if __name__ == "__main__":
    main()
