"""Tests what `tools/test --device` says of tests that pass, fail, skip, do not end and need no device, on a project of such:
python3 tests/project/device_run_test.py --work FOLDER"""
import argparse
import contextlib
import io
import json
import pathlib
import shutil
import sys

import device_run

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(tests LANGUAGES NONE)
enable_testing()
add_custom_target(clwave_device_tests)
foreach(name IN ITEMS good better)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E true)
endforeach()
add_test(NAME bad COMMAND "${CMAKE_COMMAND}" -E false)
add_test(NAME endless COMMAND "${CMAKE_COMMAND}" -E sleep 600)
add_test(NAME cannot COMMAND "${CMAKE_COMMAND}" -E false)
set_tests_properties(cannot PROPERTIES SKIP_RETURN_CODE 1)
add_test(NAME not_built COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/is_not_there")
add_test(NAME needs_bad COMMAND "${CMAKE_COMMAND}" -E true)
set_tests_properties(bad PROPERTIES FIXTURES_SETUP bad_one)
set_tests_properties(needs_bad PROPERTIES FIXTURES_REQUIRED bad_one)
add_test(NAME skips_by_words COMMAND "${CMAKE_COMMAND}" -E echo "skip me")
set_tests_properties(skips_by_words PROPERTIES SKIP_REGULAR_EXPRESSION "skip me")
foreach(label IN ITEMS no_device offline drivers)
  add_test(NAME of_${label} COMMAND "${CMAKE_COMMAND}" -E false)
  set_tests_properties(of_${label} PROPERTIES LABELS ${label})
endforeach()
"""
PRESETS = {"version": 6, "configurePresets": [{"name": "release", "binaryDir": "${sourceDir}/build"}]}

parser = argparse.ArgumentParser()
parser.add_argument("--work", required=True, type=pathlib.Path)
given = parser.parse_args()
shutil.rmtree(given.work, ignore_errors=True)
given.work.mkdir(parents=True)
device_run.ROOT, device_run.BUILD = given.work, given.work / "build-device"
(given.work / "CMakeLists.txt").write_text(PROJECT)
(given.work / "CMakePresets.json").write_text(json.dumps(PRESETS))
failed = 0


def check(what, words, code, *lines):
    global failed
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        sys.argv = ["device_run.py", *words]
        try:
            came = device_run.main()
        except SystemExit as end:
            came = end.code
    last = said.getvalue().splitlines()[-4:]
    if came != code or not all(line in last for line in lines) or last[-1] != lines[-1]:
        failed += 1
        print(f"FAILED: {what}: {came}, {last}", flush=True)


check("tests that pass", ["-R", "good|better"], 0, "skipped: none", "failed: none", "2 passed, 0 failed")
check("what needs no device is named", ["-R", "good|of_"], 0, "not run here: of_no_device of_offline of_drivers", "1 passed, 0 failed")
check("a test that fails", ["-R", "^(good|bad)$"], 1, "failed: bad", "1 passed, 1 failed")
check("a test that skips is no success", ["-R", "cannot"], 1, "skipped: cannot", "0 passed, 0 failed")
check("skips are named beside successes", ["-R", "cannot|good"], 0, "skipped: cannot", "1 passed, 0 failed")
check("so are those that words skip", ["-R", "by_words|good"], 0, "skipped: skips_by_words", "1 passed, 0 failed")
check("what was not built has failed", ["-R", "not_built|good"], 1, "skipped: none", "failed: not_built", "1 passed, 1 failed")
check("so has what needs a test that failed", ["-R", "needs_bad"], 1, "skipped: none", "0 passed, 2 failed")
check("no test at all", ["-R", "there_is_none"], 1, "0 passed, 0 failed")
check("a test that does not end in time", ["--minutes", "0.05", "-R", "good|endless"], 1, "failed: endless", "1 passed, 1 failed")
(given.work / "CMakeLists.txt").write_text(PROJECT + "message(FATAL_ERROR broken)\n")
check("what does not build", ["-R", "good"], 1, "0 passed, 1 failed")
print("right" if not failed else f"{failed} failed")
sys.exit(1 if failed else 0)
