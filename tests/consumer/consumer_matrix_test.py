"""The consumer, by every compiler that is found, in two C++ standards, against each kind of library.

  consumer_matrix_test.py --cmake CMAKE --generator NAME --work FOLDER [--define A=B ...] PREFIX...

A PREFIX is where the library was installed. The flags that the consumer is built with are in its own
CMakeLists.txt. What is not run, because no such compiler is here, is said; at least one must be. Where the run is
quick (CLWAVE_TEST_QUICK), each second version of clang is left out, and a kind of library is met in one standard.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--cmake", required=True)
parser.add_argument("--generator", required=True)
parser.add_argument("--work", required=True, type=pathlib.Path)
parser.add_argument("--define", action="append", default=[])
parser.add_argument("prefixes", nargs="+")
given = parser.parse_args()

compilers = ["g++-12", "g++-13", "g++-14", "clang++-14", "clang++-15", "clang++-16", "clang++-17", "clang++-18", "clang++-19"]
quick = int(os.environ.get("CLWAVE_TEST_QUICK") or 0) > 0
if quick:
    compilers = [name for name in compilers if name not in ("clang++-15", "clang++-17", "clang++-18")]
standards = {"static": ["20"], "shared": ["23"]} if quick else {"static": ["20", "23"], "shared": ["20", "23"]}
source = pathlib.Path(__file__).resolve().parent


def run(*command):
    got = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return got.returncode == 0, got.stdout


def kind_of(prefix):
    return "shared" if list(pathlib.Path(prefix).glob("lib*/**/libclwave.so")) else "static"


def built(compiler, prefix, folder, standards):
    right, said = run(given.cmake, "-S", str(source), "-B", str(folder), "-G", given.generator,
                      f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release",
                      "-DCMAKE_CXX_FLAGS_RELEASE=-O0", f"-DCONSUMER_STANDARDS={';'.join(standards)}",
                      *(f"-D{each}" for each in given.define))
    return run(given.cmake, "--build", str(folder)) if right else (right, said)


def built_by_pkg_config(compiler, prefix, folder):
    """The same program by what pkg-config says, and no CMake. A driver's package may be without OpenCL's own file."""
    pc = next(pathlib.Path(prefix).glob("lib*/**/clwave.pc"), None)
    if not pc:
        return False, f"no clwave.pc in {prefix}"
    environment = {**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}
    words = subprocess.run(["pkg-config", "--cflags", "--libs", "clwave"], env=environment, text=True, capture_output=True)
    version = subprocess.run(["pkg-config", "--modversion", "clwave"], env=environment, text=True, capture_output=True).stdout.strip()
    if words.returncode != 0:
        return False, words.stderr
    folder.mkdir(parents=True, exist_ok=True)
    calls = sorted(source.parent.glob("primitives/*/consumer.cpp"))
    primitives = " ".join(f"X({file.parent.name})" for file in calls)
    return run(compiler, "-std=c++20", f'-DEXPECTED_VERSION="{version}"', "-DEXPECTED_STANDARD=20", f"-I{source}",
               f"-DCONSUMER_PRIMITIVES={primitives}", str(source / "main.cpp"), str(source / "every_call.cpp"), *map(str, calls),
               *words.stdout.split(), f"-Wl,-rpath,{pc.parent.parent}", "-o", str(folder / "consumer_20"))


kinds = {kind_of(prefix) for prefix in given.prefixes}
if kinds != {"shared", "static"}:
    sys.exit(f"the libraries installed are only {kinds}")
shutil.rmtree(given.work, ignore_errors=True)
wrong = 0
families = set()  # of compilers that were given pkg-config's words, which are the same for all
for compiler in compilers:
    if not shutil.which(compiler):
        print(f"not run: {compiler} is not installed")
        continue
    for prefix in given.prefixes:
        kind = kind_of(prefix)
        folder = given.work / f"{compiler}-{kind}"
        right, said = built(compiler, prefix, folder, standards[kind])
        for standard in standards[kind]:
            ran, said_then = run(str(folder / f"consumer_{standard}")) if right else (right, said)
            print(f"{compiler}, C++{standard}, {kind} library: {'right' if ran else 'WRONG'}", flush=True)
            if not ran:
                wrong += 1
                print(said_then)
            else:
                ran_any = True
    family = compiler.split("-")[0]
    if family in families:
        continue
    families.add(family)
    if shutil.which("pkg-config") and subprocess.run(["pkg-config", "--exists", "OpenCL"]).returncode == 0:
        for prefix in given.prefixes:
            folder = given.work / f"{compiler}-{kind_of(prefix)}-pkg-config"
            right, said = built_by_pkg_config(compiler, prefix, folder)
            ran, said = run(str(folder / "consumer_20")) if right else (right, said)
            print(f"{compiler}, pkg-config, {kind_of(prefix)} library: {'right' if ran else 'WRONG'}", flush=True)
            if not ran:
                wrong += 1
                print(said)
    else:
        print(f"not run: {compiler} with pkg-config, which is not here or knows no OpenCL")
if "ran_any" not in globals():
    sys.exit("no compiler of these is here" if not wrong else 1)
sys.exit(wrong != 0)
