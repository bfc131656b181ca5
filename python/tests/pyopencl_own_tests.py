"""PyOpenCL's own tests on the drop-in: fetches PyOpenCL's source package, puts clwave.pyopencl behind its names, and runs
test_algorithm.py and the tests of test_array.py that the drop-in serves.

  pyopencl_own_tests.py --work FOLDER [arguments of pytest]

Nothing of that package is kept elsewhere. Ends with 77 where pip does not get it.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tarfile

VERSION = "2026.1.4"
# Of test_array.py: those whose subject is in clwave.pyopencl.SERVED. The others are about arrays themselves.
OF_ARRAYS = ["test_sum", "test_minmax", "test_subset_minmax", "test_dot", "test_take", "test_any_all", "test_cumsum", "test_if_positive",
             "test_reduction", "test_sum_without_data"]
BEHIND_THE_NAMES = """
import clwave.pyopencl
clwave.pyopencl.install()
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True, type=pathlib.Path)
    given, more = parser.parse_known_args()
    given.work.mkdir(parents=True, exist_ok=True)
    package = given.work / f"pyopencl-{VERSION}.tar.gz"
    if not package.exists():
        got = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-binary",
                              ":all:", "-d", given.work, f"pyopencl=={VERSION}"])
        if got.returncode != 0 or not package.exists():
            print("skipped: pip does not get PyOpenCL's source package")
            return 77
    folder = given.work / "tests"
    folder.mkdir(exist_ok=True)
    with tarfile.open(package) as archive:
        for member in archive.getmembers():
            name = pathlib.PurePosixPath(member.name)
            if name.parent.name == "test" and name.name in ("test_algorithm.py", "test_array.py"):
                (folder / name.name).write_bytes(archive.extractfile(member).read())
    (folder / "conftest.py").write_text(BEHIND_THE_NAMES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=prepend", "-W", "ignore"]
    first = subprocess.run([*command, "test_algorithm.py", *more], cwd=folder, env={**os.environ, "PYOPENCL_NO_CACHE": "1"})
    served = " or ".join(OF_ARRAYS)
    second = subprocess.run([*command, "test_array.py", "-k", served, *more], cwd=folder)
    return first.returncode or second.returncode


sys.exit(main())
