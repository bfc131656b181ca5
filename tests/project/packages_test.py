"""The Debian packages: cpack makes three, lintian finds nothing in them, no file is in two, and what they hold builds and
runs a program by CMake and by pkg-config.

  packages_test.py --cmake CMAKE --generator NAME --work FOLDER [--define A=B ...]

They are built without optimisation, which is fastest; all else is as in the preset packages, so that the tool has bench and
tune where Google Benchmark is installed. What is not here is said.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--cmake", required=True)
parser.add_argument("--generator", required=True)
parser.add_argument("--work", required=True, type=pathlib.Path)
parser.add_argument("--define", action="append", default=[])
given = parser.parse_args()

root = pathlib.Path(__file__).resolve().parent.parent.parent
if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
    print("skipped: there is no dpkg-deb or no dpkg-shlibdeps (Debian: dpkg-dev)")
    sys.exit(77)


def run(*command, folder=None, **environment):
    done = subprocess.run([str(word) for word in command], cwd=folder, env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


defines = [f"-D{each}" for each in given.define]
build, unpacked = given.work / "build", given.work / "unpacked"
for old in (unpacked, given.work / "program", *build.glob("*.deb")):
    shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
given.work.mkdir(parents=True, exist_ok=True)
presets = json.loads((root / "CMakePresets.json").read_text())["configurePresets"]
preset = next(each["cacheVariables"] for each in presets if each["name"] == "packages")
with_bench = preset["CLWAVE_BUILD_BENCH"] == "ON" and bool(shutil.which("dpkg")) and subprocess.run(
    ["dpkg", "-s", "libbenchmark-dev"], capture_output=True).returncode == 0
bench = [f"-D{name}={value if with_bench else 'OFF'}" for name, value in preset.items() if "BENCH" in name]
if not with_bench:
    print("not run: clwave bench and tune, for libbenchmark-dev is not installed")
# lintian asks for a host that there is.
who = {"DEBFULLNAME": "The clwave authors", "DEBEMAIL": "clwave@lists.debian.org"}
run(given.cmake, "-S", root, "-B", build, "-G", given.generator, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0",
    "-DBUILD_SHARED_LIBS=ON", "-DCLWAVE_BUILD_TESTS=OFF", "-DCMAKE_INSTALL_PREFIX=/usr",
    "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,-z,relro,-z,now", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-z,relro,-z,now", *bench, *defines, **who)
run(given.cmake, "--build", build, "--parallel", "2")
run(pathlib.Path(given.cmake).with_name("cpack"), folder=build, **who)

packages = sorted(build.glob("*.deb"))
names = [package.name.split("_")[0] for package in packages]
version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", (build / "CMakeCache.txt").read_text(), re.M).group(1)
port = json.loads((root / "tools" / "packaging" / "vcpkg" / "vcpkg.json").read_text())["version"]
if port != version:
    sys.exit(f"the port for vcpkg is of {port}, the project of {version}")
library = f"libclwave{'.'.join(version.split('.')[:2])}"
if names != ["clwave", "libclwave-dev", library]:
    sys.exit(f"cpack made {names}")
if shutil.which("lintian"):
    print(run("lintian", "--allow-root", "--fail-on", "error,warning", *packages) or "lintian finds nothing")
else:
    print("not run: lintian is not installed")

where = collections.defaultdict(set)
for package in packages:
    for line in run("dpkg-deb", "--contents", package).splitlines():
        kind, path = line.split()[0], line.split(maxsplit=5)[5].split(" -> ")[0]
        if not kind.startswith("d"):
            where[path].add(package.name)
    run("dpkg-deb", "--extract", package, unpacked)
twice = {path: of for path, of in where.items() if len(of) > 1}
# All headers but that of a component which the packages do not have.
headers = {str(path.relative_to(root)) for path in (root / "include").rglob("*.h*")} - {"include/clwave/mpi.hpp"}
packed = {"include/" + path.split("/include/")[1] for path in where if "/include/" in path}
if twice or headers != packed:
    sys.exit(f"in two packages: {twice}; headers that are not the tree's: {headers ^ packed}")

# A program by each way; the folder of the libraries is Debian's own, for the packages are nobody's but Debian's.
usr = unpacked / "usr"
folder = next(usr.glob("lib/**/libclwave.so")).parent
program = given.work / "program"
run(given.cmake, "-S", root / "examples" / "first_sum", "-B", program, "-G", given.generator, f"-DCMAKE_PREFIX_PATH={usr}", *defines)
run(given.cmake, "--build", program)
words = run("pkg-config", "--cflags", "--libs", "clwave", PKG_CONFIG_PATH=str(folder / "pkgconfig")).split()
run("c++", "-std=c++20", root / "examples" / "first_sum" / "first_sum.cpp", *words, "-o", program / "by_pkg_config")
for each in ("first_sum", "by_pkg_config"):
    said = run(program / each, LD_LIBRARY_PATH=str(folder))
    if "sum 500000 " not in said:
        sys.exit(f"{each} said: {said}")
said = run(usr / "bin" / "clwave", "--version")
if said.split()[0] != version:
    sys.exit(f"the tool is of version {said}")
# What the tool's package says and needs follows from what it has.
listed = run(usr / "bin" / "clwave", "--help")
has = [name for name in ("bench", "tune") if re.search(rf"^  {name} ", listed, re.M)]
about = run("dpkg-deb", "--field", next(each for each in packages if each.name.startswith("clwave_")), "Depends", "Description")
if has != (["bench", "tune"] if with_bench else []):
    sys.exit(f"of bench and tune the packed tool lists {has}")
if ("libbenchmark" in about, "measures the library" in about) != (with_bench, with_bench):
    sys.exit(f"the tool's package {'has' if with_bench else 'has no'} bench, and says: {about}")
print(f"{len(packages)} packages of {len(where)} files: two programs built and run, clwave {version}")
