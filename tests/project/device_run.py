"""Builds into build-device/ what runs on a device, and runs those tests: what `tools/test --device` does. Nothing is
installed or fetched. Headers and libraries that the machine lacks are taken from build-device-packages/, where
tools/device-packages gathered them on another machine, or from CMAKE_PREFIX_PATH.

  device_run.py [--minutes M] [CTEST-ARGUMENTS]

What has not ended M minutes after the start counts as failed. The last line is "N passed, 0 failed"; the lines before it
name what was skipped, and what is not run here.
"""
import argparse
import collections
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build-device"
PACKAGES = ROOT / "build-device-packages"
# These need no device, compilers that are not everywhere, or a second driver: tests/CMakeLists.txt says of each why.
NOT_HERE = ["--label-exclude", "^(no_device|offline|drivers)$"]


def log(*words):
    print(*words, flush=True)


def environment():
    """What the build and the tests run in: as this process, with the packages, and half of each file's test cases, with some
    of their types: with all cases 90 of 159 tests ended in six minutes on an H100's machine."""
    variables = {"CLWAVE_TEST_QUICK": "2", "CLWAVE_TEST_CASES": "2", **os.environ}
    if (PACKAGES / "usr").is_dir():
        known = [str(PACKAGES / "usr"), *filter(None, [os.environ.get("CMAKE_PREFIX_PATH")])]
        variables["CMAKE_PREFIX_PATH"] = os.pathsep.join(known)
        for name in ("C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"):  # for what tests compile themselves
            variables[name] = os.pathsep.join([str(PACKAGES / "usr/include"), *filter(None, [os.environ.get(name)])])
    variables.update(driver_without_icd_file())
    return variables


def driver_without_icd_file():
    """Containers that are given NVIDIA's driver from outside may lack the file by which OpenCL's loader finds it: a folder with
    one. Other drivers are left out then: the GPU is what is tested, and a CPU's driver beside it has faults of its own."""
    if "OCL_ICD_VENDORS" in os.environ:
        return {}
    if any("nvidia" in file.read_text() for file in pathlib.Path("/etc/OpenCL/vendors").glob("*.icd")):
        return {}
    places = ("/usr/local/nvidia", "/usr/lib", "/usr/lib64", "/usr/local", "/opt")
    found = next((file for place in places for file in pathlib.Path(place).rglob("libnvidia-opencl.so*")), None)
    if not found:
        return {}
    vendors = BUILD / "vendors"
    vendors.mkdir(parents=True, exist_ok=True)
    (vendors / "nvidia.icd").write_text(f"{found}\n")
    return {"OCL_ICD_VENDORS": f"{vendors}/", "OCL_ICD_FILENAMES": ""}


def default_device(variables):
    """The device that tests take, as the tool that was built names it: its line of `clwave info -l`."""
    tool = BUILD / "bin/clwave"
    if not tool.exists():
        return "unknown, for there is no tool"
    listed = subprocess.run([tool, "info", "-l"], env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    lines = [line for line in listed.splitlines() if line[:1].isdigit()]
    return next((line for line in lines if "  CPU  " not in line), lines[0] if lines else f"none: {listed}")


def has_gpu():
    """Whether the system has a GPU, whatever OpenCL's loader finds."""
    return any(any(pathlib.Path("/dev").glob(device)) for device in ("nvidia[0-9]*", "kfd"))


def build(variables):
    """The tool with its benchmark, where that can be built, but without peers, which take long to build and are not tested."""
    def has(header):
        folders = [pathlib.Path(each) / "include" for each in variables.get("CMAKE_PREFIX_PATH", "").split(os.pathsep) if each]
        return any((folder / header).exists() for folder in [*folders, pathlib.Path("/usr/include"), pathlib.Path("/usr/local/include")])

    words = ["cmake", "--preset", "release", "-B", BUILD, "-DCLWAVE_BUILD_TESTS=ON", "-DCLWAVE_JOIN_FILES=ON", "-DCLWAVE_MPI=OFF",
             f"-DCLWAVE_BUILD_BENCH={'ON' if has('benchmark/benchmark.h') else 'OFF'}", *(f"-DCLWAVE_BENCH_WITH_{peer}=OFF" for peer in ("BOOST", "CLBLAST", "STD", "OPENMP", "CUDA"))]
    if shutil.which("ninja") and not (BUILD / "CMakeCache.txt").exists():
        words += ["-G", "Ninja"]
    for command in (words, ["cmake", "--build", BUILD, "--parallel", str(os.cpu_count()), "--target", "clwave_device_tests"]):
        done = subprocess.run(command, cwd=ROOT, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            log(done.stdout[-20000:])
            log("tools/test --device: this machine lacks something, or the tree does not build; what the tests take of other "
                "packages, tools/device-packages gathers on another machine")
            log(f"the command that failed: {' '.join(map(str, command))}")
            log("0 passed, 1 failed")
            sys.exit(1)


def names_of(tests, *words):
    listed = subprocess.run([*tests, "--show-only=json-v1", *words], text=True, capture_output=True, check=True).stdout
    return [test["name"] for test in json.loads(listed)["tests"]]


def run(tests, words, variables, end):
    """The tests of each outcome, by the file that ctest writes; what it does not name has not ended."""
    report = BUILD / "device-tests.xml"
    report.unlink(missing_ok=True)
    # As many side by side as there are processors: what takes long waits for the driver's compiler, which is one thread of ours.
    command = [*tests, "--parallel", str(os.cpu_count()), "--output-on-failure", "--output-junit", report, *words]
    if end:  # to ctest, a time that has passed is tomorrow's
        command += ["--stop-time", datetime.datetime.fromtimestamp(max(end, time.time() + 2)).strftime("%H:%M:%S")]
    subprocess.run(command, env=variables)
    outcomes = collections.defaultdict(list)
    for case in xml.parse(report).getroot().iter("testcase") if report.exists() else []:
        outcomes[outcome_of(case)].append(case.get("name"))
    return outcomes


def outcome_of(case):
    """A test that was not run has failed, unless it skips itself: its program is not there, say, or one that it needs has failed."""
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    skips_itself = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if skips_itself else "failed"


def main():
    parser = argparse.ArgumentParser(prog="tools/test --device", description="Tests on a device; further arguments go to ctest.")
    parser.add_argument("--minutes", type=float, help="what has not ended by then counts as failed")
    given, words = parser.parse_known_args()
    began = time.time()
    variables = environment()
    build(variables)
    built = time.time()
    device = default_device(variables)
    log(f"the default device is {device}")
    if has_gpu() and ("  CPU  " in device or not device[:1].isdigit()) and "CLWAVE_DEVICE" not in variables:
        log("tools/test --device: this machine has a GPU, and OpenCL's loader finds no driver of it; OCL_ICD_VENDORS names a folder of drivers")
        log("0 passed, 1 failed")
        return 1
    tests = ["ctest", "--test-dir", str(BUILD)]
    asked_for = names_of(tests, *NOT_HERE, *words)
    outcomes = run(tests, [*NOT_HERE, *words], variables, began + 60 * given.minutes if given.minutes else None)
    ended = {name for names in outcomes.values() for name in names}
    outcomes["failed"] += [name for name in asked_for if name not in ended]
    log(f"\non {device}\nbuilt in {built - began:.0f} s, tested in {time.time() - built:.0f} s")
    log("not run here:", *(name for name in names_of(tests, *words) if name not in {*asked_for, *ended}))
    for outcome in ("skipped", "failed"):
        log(f"{outcome}:", *(outcomes[outcome] or ["none"]))
    log(f"{len(outcomes['passed'])} passed, {len(outcomes['failed'])} failed")
    return 1 if outcomes["failed"] or not outcomes["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
