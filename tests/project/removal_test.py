"""Removes a primitive from a copy of the tree, by deleting its files and its lines in three lists, and sees whether what is
left builds and passes the tests that all primitives share.

  removal_test.py --cmake CMAKE --ctest CTEST --generator NAME --work FOLDER [--define A=B ...] PRIMITIVE

PRIMITIVE is one of primitives.cmake, or a number, of those that can go the one at that place, counted round. What needs it
goes with it. Which files those are: CONTRIBUTING.md, "Add a primitive".
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOUNDATION = {"reduce", "copy"}  # which all others need
# What all primitives share: plans, keys, tunings, documentation, a consumer.
SHARED = ("key|plan_sizes|plan_runs|tuning|invented_devices|locale|views|refused_types|docs|tool_info|consumer_add_subdirectory|"
          "no_test_fails")


def entries(text):
    """{primitive: {list: its words}} of primitives.cmake."""
    all_of = {}
    for body in re.findall(r"(?m)^clwave_primitive\(([^)]*)\)", text):
        name, *words = body.split()
        lists, into = {}, []
        for word in words:
            if word.isupper():
                into = lists.setdefault(word, [])
            else:
                into.append(word)
        all_of[name] = lists
    return all_of


def header_of(tree, name):
    return tree / "include/clwave" / f"{name}.hpp"


def files_of(tree, name, all_of):
    """The files and folders of a primitive, those that it must have first."""
    own = all_of[name]

    def is_its_part(stem):
        more = (*own.get("LIBRARY", ()), *own.get("KERNELS", ()))
        named = [other for other in (*all_of, *more) if stem == other or stem.startswith(f"{other}_")]
        return max(named, key=len, default="") in (name, *more)

    parts = [path for path in (tree / "cl_kernels/primitives").glob("*.cl") if is_its_part(path.stem)]
    needed = [tree / "tools/clwave/primitives" / f"{name}.cpp", tree / "tests/primitives" / name, *parts]
    # The sorts have one header.
    if header_of(tree, name).exists():
        needed.append(header_of(tree, name))
    for folder, words in (("lib/primitives", own.get("LIBRARY", [])), ("tools/clwave/bench/rows", own.get("ROWS", []))):
        needed += [tree / folder / f"{word}.cpp" for word in (name, *words)]
    needed += [tree / "tools/clwave/commands" / f"{word}.cpp" for word in own.get("COMMANDS", [])]
    peers = [*([name] if "CUDA" in own else []), *own.get("CUDA_ROWS", [])]
    needed += [tree / "tools/clwave/bench/peers/cuda" / f"{word}.cu" for word in peers]
    if "SHARDED" in own:
        needed += [tree / f"include/clwave/sharded_{name}.hpp", tree / f"lib/distributed/{name}_sharded.cpp"]
    if "HOST_ARRAY" in own:
        needed += [tree / f"include/clwave/host_array_{name}.hpp", tree / f"lib/distributed/{name}_host_array.cpp"]
    if "RANKS" in own:
        needed += [tree / f"include/clwave/ranks_{name}.hpp", tree / f"lib/distributed/{name}_ranks.cpp",
                   *(tree / "lib/distributed").glob(f"rank_{name}.cpp")]
    if "C_INTERFACE" in own:
        needed.append(tree / "lib/c_interface" / f"{name}.cpp")
    headers = [path.with_suffix(".hpp") for path in needed if path.suffix == ".cpp"]
    missing = [path for path in needed if not path.exists()]
    if not parts or missing:
        sys.exit(f"{name} has not all its files: no parts of the kernels, or without {missing}")
    # An example may call several primitives, and be gone.
    others = [*headers, *(tree / "examples" / word for word in own.get("EXAMPLES", []))]
    return [*needed, *(path for path in others if path.exists())]


def remove(tree, name):
    """Deletes the files and the lines of one primitive. Returns how many of each."""
    list_file = tree / "primitives.cmake"
    files = files_of(tree, name, entries(list_file.read_text()))
    lines = [(list_file, rf"(?m)^clwave_primitive\({name}\b[^)]*\)\n")]
    if header_of(tree, name) in files:
        lines.append((tree / "include/clwave.hpp", rf"(?m)^#include <clwave/{name}\.hpp>.*\n"))
    for of in ("sharded", "host_array", "ranks"):
        if tree / f"include/clwave/{of}_{name}.hpp" in files:
            lines.append((tree / "include/clwave.hpp", rf"(?m)^#include <clwave/{of}_{name}\.hpp>.*\n"))
    lines += [(tree / "cl_kernels/clwave.cl", rf'(?m)^#include "primitives/{path.name}"\n') for path in files if path.suffix == ".cl"]
    for path, pattern in lines:
        text, n = re.subn(pattern, "", path.read_text())
        if n != 1:
            sys.exit(f"{path.relative_to(tree)} has {n} lines like {pattern}")
        path.write_text(text)
    for path in files:
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
    return len(files), len(lines)


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-8000:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    for word in ("cmake", "ctest", "generator", "work"):
        parser.add_argument(f"--{word}", required=True)
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--tests", default=SHARED, help="a regular expression for ctest")
    parser.add_argument("primitive")
    given = parser.parse_args()
    all_of = entries((ROOT / "primitives.cmake").read_text())
    can_go = [name for name in all_of if name not in FOUNDATION]
    name = can_go[int(given.primitive) % len(can_go)] if given.primitive.isdigit() else given.primitive
    if name not in can_go:
        sys.exit(f"{name} cannot go: use one of {', '.join(can_go)}")
    tree, build = pathlib.Path(given.work) / "tree", pathlib.Path(given.work) / "build"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, ignore=lambda folder, names: [each for each in names if each.startswith(("build", ".git"))
                                                              and pathlib.Path(folder) == ROOT])
    gone = [name]
    while more := [each for each, own in all_of.items() if each not in gone and set(own.get("NEEDS", ())) & set(gone)]:
        gone += more
    for each in gone:
        print("{}: {} files and folders, {} lines".format(each, *remove(tree, each)), flush=True)
    # Joined, without optimisation and what a debugger reads, which builds fast.
    run(given.cmake, "-S", tree, "-B", build, "-G", given.generator, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=",
        "-DCLWAVE_BUILD_TESTS=ON", "-DCLWAVE_BUILD_BENCH=OFF",
        *(f"-D{each}" for each in given.define))
    run(given.cmake, "--build", build, "--parallel", "2", "--target", "clwave", "clwave_tool", "clwave_tests", "clwave_recorded",
        "offline_plans", "oclgrind_run")
    said = run(given.ctest, "--test-dir", build, "--output-on-failure", "--no-tests=error", "-R", f"^({given.tests})$")
    print(f"without {', '.join(gone)}: {said[said.rindex('tests passed') - 6:].splitlines()[0]}")


if __name__ == "__main__":
    main()
