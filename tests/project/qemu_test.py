#!/usr/bin/env python3
"""Runs tests of the library, built for ARM64 Linux, under qemu's emulation of a process, with PoCL for ARM64: Debian's
packages of it, unpacked into a folder that the program takes for the whole system.

Exits with 77 where there is no qemu, no program for ARM64, no right to change the root folder, or no package to be had.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

QEMU, LINKER = "qemu-aarch64-static", "aarch64-linux-gnu-ld"
SYSTEM = ("proc", "sys", "dev")
# What the tests link, and the headers of PoCL's compiler; the rest are what these depend on.
PACKAGES = ["pocl-opencl-icd", "ocl-icd-libopencl1", "libstdc++6", "libclang-common-15-dev"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def fetch(work):
    """Downloads the packages without a word to this system's own list of packages."""
    for folder in ("lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "status").touch()
    apt = ["apt-get", "-qq", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64", "-o", "APT::Sandbox::User=root",
           "-o", f"Dir::State::Lists={work}/lists", "-o", f"Dir::Cache={work}/cache", "-o", f"Dir::State::status={work}/status"]
    for words in (["update"], ["install", "--download-only", "--yes", "--no-install-recommends", *PACKAGES]):
        if subprocess.run(apt + words, stdin=subprocess.DEVNULL).returncode != 0:
            skip("Debian's packages for ARM64 cannot be had")
    return sorted((work / "cache/archives").glob("*.deb"))


def take_along(root, program, name):
    """A program of this machine's, which qemu hands on to its kernel: with its libraries, under that name."""
    libraries = re.findall(r"/\S+", subprocess.run(["ldd", program], text=True, capture_output=True).stdout)
    for file in libraries:
        to = root / file.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
    shutil.copy(program, root / "usr/bin" / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for the system; emptied first")
    parser.add_argument("build", type=pathlib.Path, help="the build folder of cross_build_test.py")
    words = parser.parse_args()
    tests = words.build / "tests" / "clwave_tests"
    for program in (QEMU, LINKER, "apt-get", "dpkg", "chroot", "unshare"):
        if shutil.which(program) is None:
            skip(f"there is no {program}")
    if not tests.exists():
        skip(f"{tests} was not built: there is no compiler for ARM64")
    if os.geteuid() != 0:
        skip("only root can change the root folder")
    work = words.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    root = work / "root"
    for folder in ("usr/bin", "tmp", *SYSTEM):
        (root / folder).mkdir(parents=True)
    for package in fetch(work):
        subprocess.run(["dpkg", "-x", package, root], check=True)
    # PoCL links what it compiles by the linker that it finds, which may be this machine's own for ARM64.
    take_along(root, shutil.which(LINKER), "ld")
    shutil.copy(shutil.which(QEMU), root / "usr/bin")
    shutil.copy(tests, root)
    environment = {"PATH": "/usr/bin", "HOME": "/tmp", "CLWAVE_CONFIG_DIR": "off", "CLWAVE_CACHE_DIR": "/tmp/clwave",
                   "POCL_CACHE_DIR": "/tmp", **{name: value for name, value in os.environ.items() if name.startswith("CLWAVE_TEST_")}}
    # PoCL asks the system for its processors and memory. What is mounted in a name space of its own goes with the process.
    there = shlex.quote(str(root))
    script = " && ".join([f"mount --rbind /{each} {there}/{each}" for each in SYSTEM] + [f"exec chroot {there} /usr/bin/{QEMU} /clwave_tests"])
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", script], env={**environment, "PATH": f"{environment['PATH']}:{os.environ['PATH']}"})
    if ran.returncode != 0:
        sys.exit(f"the exit code is {ran.returncode}")


if __name__ == "__main__":
    main()
