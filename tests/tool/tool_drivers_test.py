"""Tests what the clwave tool does with drivers at fault: python3 tests/tool/tool_drivers_test.py <path to clwave>"""

import json
import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from tool_common import PATIENCE, check, finish, npy, packed, path_of, run, run_json, run_patiently, write

BAD_DRIVER = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int recurse(volatile int depth) { volatile char frame[4096]; frame[0] = depth; return recurse(depth + 1) + frame[0]; }
static void fork_and_stay(void) { if (fork() == 0) for (;;) pause(); }
static void close_all(void) { for (int f = 0; f < 1024; ++f) close(f); }
#ifndef ANSWER
#define ANSWER -1
#endif
static void act(void) { puts("{\\"noise\\": 1}"); fflush(stdout); ACT; }
#ifdef IN_CONSTRUCTOR
__attribute__((constructor)) static void start(void) { act(); }
#endif
int clGetPlatformInfo(void* p, unsigned w, size_t s, void* o, size_t* r) { return -30; }
int clIcdGetPlatformIDsKHR(unsigned n, void** p, unsigned* c) { act(); return ANSWER; }
void* clGetExtensionFunctionAddress(const char* name) {
  return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void*)clIcdGetPlatformIDsKHR : NULL;
}
"""


def vendors(name, *lines):
    """A folder of .icd files with these libraries, and the environment in which the loader finds no others."""
    place = path_of(name)
    os.mkdir(place)
    for i, line in enumerate(lines):
        with open(os.path.join(place, f"{i:02}.icd"), "w") as file:
            file.write(line + "\n")
    return {"OCL_ICD_VENDORS": place + "/", "OCL_ICD_FILENAMES": None, "OPENCL_VENDOR_PATH": None}


# By this word in their environment the processes that we started are known, and what those started. It ends with what they
# were started for, where several are at work at a time.
MARK = "DRIVERS_TEST_MARK"
os.environ[MARK] = f"drivers-{os.getpid()}-"


def marked(name):
    return {MARK: os.environ[MARK] + name}


def left_behind(name=""):
    """The processes of ours, or those of that name, that still run a while after all that we waited for have ended."""
    mark = f"{MARK}={os.environ[MARK]}{name}".encode() + (b"\0" if name else b"")
    for _ in range(1500):
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    if mark in file.read():
                        found.append(process)
            except OSError:
                pass
        if not found:
            break
        time.sleep(0.04)
    return found


# Who waits for what should not be waited for waits for this deadline, and `run` loses its patience.
NO_WAITING = {"CLWAVE_DRIVER_DEADLINE": str(2 * PATIENCE)}


def run_at_once(commands, right, deadline, **variables):
    """What each gives, patiently: they wait for drivers that hang, for the most part."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda words: run_patiently(right, *words, deadline=deadline, **variables), commands))


def test_drivers_that_do_not_load(info, compiler, good):
    source = write("bad.c", BAD_DRIVER.encode())
    kinds = {
        "crash": (["-DACT=raise(SIGSEGV)"], "crashed"),
        "abort": (["-DACT=abort()", "-DIN_CONSTRUCTOR"], "crashed"),
        "leave": (["-DACT=_exit(0)"], "garbled"),
        "hang": (["-DACT=for(;;)pause()"], "hung"),
        "leave as it loads": (["-DACT=_exit(0)", "-DIN_CONSTRUCTOR"], "garbled"),
        "hang as it loads": (["-DACT=for(;;)pause()", "-DIN_CONSTRUCTOR"], "hung"),
        "stop": (["-DACT=raise(SIGSTOP)"], "hung"),
        "recurse": (["-DACT=recurse(0)"], "crashed"),
        "write without end": (["-DACT=for(;;)puts(\"noise\")"], "hung"),
        "fork and hang": (["-DACT=fork_and_stay();for(;;)pause()"], "hung"),
        "fork and crash": (["-DACT=fork_and_stay();abort()"], "crashed"),
        "fork and leave": (["-DACT=fork_and_stay();_exit(0)"], "garbled"),
        "fork and leave with 3": (["-DACT=fork_and_stay();_exit(3)"], "crashed"),
        "fork as it loads and hang": (["-DACT=fork_and_stay();for(;;)pause()", "-DIN_CONSTRUCTOR"], "hung"),
        "fork as it loads and crash": (["-DACT=fork_and_stay();raise(SIGSEGV)", "-DIN_CONSTRUCTOR"], "crashed"),
        "count": (["-DACT=", "-DANSWER=(c?(*c=0x80000000u,0):0)"], "crashed"),
    }
    # What does harm to nobody who asks in a process of its own.
    harmless = {
        "fork and stay": ["-DACT=fork_and_stay()"],
        "close": ["-DACT=close_all()"],
    }
    data = write("good.npy", npy("<f4", [3], packed("f", [1.5, 2.5, 4.0])))
    everything = path_of("vendors-all")
    os.mkdir(everything)
    def build(name, flags):
        library = path_of(f"lib{name}.so")
        subprocess.run([compiler, "-w", "-shared", "-fPIC", *flags, source, "-o", library], check=True)
        return library

    for name, flags in harmless.items():
        only = vendors("vendors-" + name, build(name, flags), *good)
        code, out, err = run("info", "--json", **NO_WAITING, **only)
        names = [device["name"] for device in json.loads(out)["devices"]]
        check(f"a driver that does {name} beside a good one", sorted(names) == sorted(d["name"] for d in info["devices"]), (code, names, err))
        check(f"{name}: nothing is left behind", left_behind() == [], left_behind())

    def try_alone(name, flags):
        library = build(name, flags)
        with open(os.path.join(everything, name + ".icd"), "w") as file:
            file.write(library + "\n")
        only = vendors("vendors-" + name, library) | marked(name) | {"CLWAVE_DRIVER_DEADLINE": "1"}
        code, out, err = run("info", **only)
        check(f"a driver that does {name} alone: 5", code == 5 and library in out and library in err, (code, out, err))
        code, _, err = run("reduce", data, **only)
        check(f"reduce, a driver that does {name} alone: 5", code == 5 and library in err, (code, err))
        check(f"{name}: nothing is left behind", left_behind(name) == [], left_behind(name))

    # Several at once: they wait, for the most part.
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(try_alone, name, flags) for name, (flags, _) in kinds.items()]:
            done.result()
    # Before the deadline a driver is not given up, and it is the deadline that is told of.
    for deadline in (1, 3):
        began = time.monotonic()
        code, out, err = run("info", CLWAVE_DRIVER_DEADLINE=str(deadline), **vendors(f"vendors-hang-{deadline}", path_of("libhang.so")))
        check("a driver that hangs is stopped at the deadline", time.monotonic() - began >= deadline and
              f"stopped after {deadline} s" in out, (code, out, err))
    for i, library in enumerate(good):
        with open(os.path.join(everything, f"good{i}.icd"), "w") as file:
            file.write(library + "\n")

    mixed = {
        "OCL_ICD_VENDORS": everything + "/",
        "OCL_ICD_FILENAMES": None,
        "OPENCL_VENDOR_PATH": None,
        "TMPDIR": path_of("tmp"),
    }
    os.mkdir(path_of("tmp"))
    hanging = [path_of(f"lib{name}.so") for name, (_, outcome) in kinds.items() if outcome == "hung" or name == "count"]

    def only_these_hang(code, out, err):
        if out.startswith("{") and '"drivers"' in out:
            return all(driver["outcome"] != "hung" or driver["library"] in hanging for driver in json.loads(out)["drivers"])
        return code == 0

    of_info, of_reduce = run_at_once((("info", "--json"), ("reduce", data, "--json")), only_these_hang, 8, **mixed)
    code, out, err = of_info
    check("bad drivers among good ones: 5", code == 5, (code, err))
    shown = json.loads(out)
    check(
        "the good devices are still listed",
        sorted(d["name"] for d in shown["devices"]) == sorted(d["name"] for d in info["devices"]),
        [d["name"] for d in shown["devices"]],
    )
    outcomes = {driver["library"]: driver["outcome"] for driver in shown["drivers"]}
    for name, (_, outcome) in kinds.items():
        found = outcomes.get(path_of(f"lib{name}.so"))
        # Some loaders see for themselves that the count cannot be, others go through as many platforms.
        check(f"{name} is {outcome}", found == outcome or (name == "count" and found in ("no platform", "hung")), outcomes)
    code, out, err = of_reduce
    check("reduce goes on with the good ones", code == 0 and json.loads(out)["value"] == 8.0, (code, out, err))
    for name in kinds.keys() - {"count"}:
        check(f"and says so of {name}", f"going on without driver {path_of(f'lib{name}.so')}" in err, err)
    check("no process is left behind", left_behind() == [], left_behind())
    check("no folder is left behind", os.listdir(path_of("tmp")) == [], os.listdir(path_of("tmp")))
    code, _, err = run("info", CLWAVE_DRIVER_DEADLINE="soon")
    check("a deadline that is none: 2", code == 2, (code, err))


FAKE_DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_driver.c")


def fake_driver(compiler, kind, name=""):
    name = name or f"fake {kind}"
    library = path_of(f"libfake_{kind}_{name.replace(' ', '_')}.so")
    subprocess.run([compiler, "-w", "-shared", "-fPIC", f"-DKIND={kind}", f'-DNAME="{name}"', FAKE_DRIVER, "-o", library], check=True)
    return library


def test_drivers_that_fail_later(info, compiler, good):
    """They list their device well; what selecting and using it asks for is what goes wrong."""
    fatal = {"INFO_CRASHES": "crashed", "INFO_HANGS": "hung", "FORGES": "garbled", "CONTEXT_CRASHES": "ok"}
    harmless = ["NO_PLATFORM", "NULL_DEVICE", "PRINTS", "LEAVES"]
    fakes = {kind: fake_driver(compiler, kind) for kind in [*fatal, *harmless]}
    data = write("later.npy", npy("<f4", [3], packed("f", [1.5, 2.5, 4.0])))
    name = next(d["name"] for d in info["devices"] if d["driver"] in good)
    ours = ["-d", f'name~"{name}"']

    everything = vendors("vendors-later", *fakes.values(), *good)

    def only_these_hang(code, out, err):
        if out.startswith("{") and '"drivers"' in out:
            hung = {driver["library"] for driver in json.loads(out)["drivers"] if driver["outcome"] == "hung"}
            return hung == {fakes["INFO_HANGS"]}
        return code == 0 and err.count("hung") == 1

    of_reduce, of_info = run_at_once((("reduce", data, "--json", *ours), ("info", "--json")), only_these_hang, 10, **everything)
    code, out, err = of_reduce
    check("reduce goes on with the good driver", code == 0 and json.loads(out)["value"] == 8.0, (code, out, err))
    for kind, outcome in fatal.items():
        check(f"reduce leaves out {kind}", (fakes[kind] in err) == (outcome != "ok"), err)
    code, out, err = of_info
    shown = json.loads(out)
    outcomes = {driver["library"]: driver["outcome"] for driver in shown["drivers"]}
    names = [device["name"] for device in shown["devices"]]
    check("info with drivers at fault: 5", code == 5, (code, err))
    check("the good device is listed", name in names, names)
    for kind in ("INFO_CRASHES", "INFO_HANGS", "FORGES"):
        check(f"info says of {kind}", outcomes[fakes[kind]] == fatal[kind], outcomes)
    for kind in ("NULL_DEVICE", "PRINTS", "NO_PLATFORM"):
        check(f"info lists the device of {kind}", f"fake {kind}" in names, names)

    # The device at fault itself is what is asked for.
    def try_alone(kind, expected):
        only = vendors("vendors-only-" + kind, fakes[kind])
        code, out, err = run_patiently(lambda code, out, err: kind == "INFO_HANGS" or "hung" not in err, "reduce", data, "-d",
                                       f'name~"fake {kind}"', deadline=3, **only)
        check(f"reduce on {kind} alone", code == expected and out == "" and "clwave: " in err, (code, out, err[-500:]))

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(try_alone, kind, 5 if kind in fatal else 8) for kind in fakes]:
            done.result()

    # With a good driver beside it, the tool's own code and its own output are all that is seen.
    for kind in harmless:
        beside = vendors("vendors-beside-" + kind, fakes[kind], *good)
        code, out, err = run("reduce", data, "--json", *ours, **beside)
        check(f"reduce beside {kind}", code == 0 and out.startswith("{") and json.loads(out)["value"] == 8.0, (code, out, err))
        code, _, err = run("reduce", data, "--op", "nonsense", **beside)
        check(f"a wrong word beside {kind}: 2", code == 2, (code, err))


def test_drivers_that_fail_at_copies(info, compiler, good):
    """Whatever info asks they answer well; the child that times copies is where they fail."""
    for kind, outcome in (("COPIES_CRASH", "crashed"), ("COPIES_HANG", "hung")):
        fake = fake_driver(compiler, kind)
        beside = vendors("vendors-copies-" + kind, fake, *good)

        def others_are_timed(code, out, err):
            if not out.startswith("{"):
                return code == 5
            shown = json.loads(out)
            hung = {driver["library"] for driver in shown["drivers"] if driver["outcome"] == "hung"}
            return hung <= {fake} and all(device["within"]["gb_per_s"] for device in shown["devices"] if device["name"] != f"fake {kind}")

        as_json, as_text = run_at_once((("info", "--topology", "--json"), ("info", "--topology")), others_are_timed, 5, **beside)
        code, out, err = as_json
        check(f"{kind} is told of", code == 5 and fake in err, (code, err))
        shown = json.loads(out)
        outcomes = {driver["library"]: (driver["outcome"], driver["what"]) for driver in shown["drivers"]}
        check(f"{kind} is {outcome}", outcomes[fake][0] == outcome and "while copies were timed: device 0:0, a context" in outcomes[fake][1], outcomes)
        for device in shown["devices"]:
            within = device["within"]
            if device["name"] == f"fake {kind}":
                check(f"{kind}: nothing was timed, and why", within["gb_per_s"] is None and outcome in within["why"], device)
            else:
                check(f"beside {kind} copies are timed", within["gb_per_s"] > 0, device)
        check(f"{kind}: nothing is left behind", left_behind() == [], left_behind())
        code, out, err = as_text
        check(f"{kind} in text", code == 5 and outcome in out and "a driver crashed or hung" in err, (code, out, err))


def test_icd_files_that_hang_a_loader(info, compiler, good):
    data = write("icd.npy", npy("<f4", [3], packed("f", [1.5, 2.5, 4.0])))
    for what, make in (("a FIFO", os.mkfifo), ("an endless device", lambda path: os.symlink("/dev/zero", path))):
        place = vendors("vendors-icd-" + what.split()[-1], *good)
        strange = os.path.join(place["OCL_ICD_VENDORS"], "strange.icd")
        make(strange)
        code, out, err = run("info", "--json", **NO_WAITING, **place)
        drivers = {driver["named_by"]: driver["outcome"] for driver in json.loads(out)["drivers"]}
        check(f"info, {what} for an .icd: 5", code == 5 and drivers.get(strange) == "unreadable", (code, drivers, err))
        code, out, err = run("reduce", data, "--json", **NO_WAITING, **place)
        check(f"reduce, {what} for an .icd", code == 0 and json.loads(out)["value"] == 8.0 and strange in err, (code, out, err))
        alone = vendors("vendors-icd-alone-" + what.split()[-1])
        make(os.path.join(alone["OCL_ICD_VENDORS"], "strange.icd"))
        code, out, err = run("reduce", data, **alone)
        check(f"reduce, {what} for the only .icd: 5", code == 5 and "strange.icd" in err, (code, out, err))


def test_platforms_without_devices(info, compiler, good):
    """A driver is there: none is to be installed, and its usual reason to have no device is told."""
    data = write("empty.npy", npy("<f4", [3], packed("f", [1.5, 2.5, 4.0])))
    commands = (["info"], ["info", "-l"], ["info", "--raw"], ["info", "--prop", "CL_PLATFORM_NAME"], ["info", "--topology"],
                ["info", "--report"], ["info", "--json"], ["info", "-d", "0:0"], ["reduce", data], ["reduce", data, "-d", "gpu"],
                ["scan", data], ["sort", data], ["demo", data], ["why", "reduce"], ["warm", "reduce --type f32 --n 9"])
    for kind, name, reason in (("EMPTY", "rusticl", "RUSTICL_ENABLE"), ("EMPTY_SUCCESS", "Portable Computing Language", "POCL_CACHE_DIR"),
                               ("EMPTY", "Quite Another", "hidden by a variable")):
        driver = fake_driver(compiler, kind, name)
        alone = vendors(f"vendors-empty-{name}", driver)
        for words in commands:
            code, out, err = run(*words, **alone)
            check(f"{words}, where {name} has no device: 3", code == 3 and "no OpenCL device" in err and err.count("\n") == 1, (code, out, err))
            check(f"{words} names {name}, and why", f"the platform {name} lists no device" in err and reason in err, err)
            check(f"{words}: nothing is to be installed", "install" not in out + err, (out, err))
        shown = json.loads(run("info", "--json", **alone)[1])["drivers"][0]
        check(f"{name} in JSON", shown["platforms"] == [name] and shown["outcome"] == "ok" and reason in shown["what"], shown)
        raw = run("info", "--raw", **alone)[1]
        check(f"{name} in --raw", re.search(rf"(?m)^\[0:\*\] +CL_PLATFORM_NAME +{name}$", raw), raw)
        beside = vendors(f"vendors-empty-beside-{name}", driver, *good)
        for words in (["info"], ["info", "-l"]):
            code, out, err = run(*words, **beside)
            check(f"{words} names {name} beside others", code == 0 and reason in out and not err, (code, out, err))
        raw = run("info", "--raw", **beside)[1]
        check(f"{name} in --raw beside others", re.search(rf"(?m)^\[\d+:\*\] +CL_PLATFORM_NAME +{name}$", raw), raw)
        code, out, err = run("reduce", data, "--json", **beside)
        check(f"reduce beside {name}", code == 0 and json.loads(out)["value"] == 8.0 and "lists no device" not in err, (code, out, err))
        code, out, err = run("reduce", data, "-d", "name~none-such", **beside)
        check(f"a device that may be of {name}: 4", code == 4 and reason in err, (code, err))


def test_what_only_extensions_bring(info, compiler, good):
    """Properties that no driver here has: one that reports their extensions, and answers."""
    alone = vendors("vendors-reports", fake_driver(compiler, "REPORTS"))
    code, out, err = run("info", "--json", "--offline", "--null-platform", **alone)
    check("a driver with many extensions", code == 0, err)
    shown = json.loads(out)["devices"][0]
    add = ["CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT"]
    for name, value in (("HALF_FP_ATOMIC_CAPABILITIES_EXT", add), ("DOUBLE_FP_ATOMIC_CAPABILITIES_EXT", add),
                        ("SINGLE_FP_ATOMIC_CAPABILITIES_EXT", ["CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT", "CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT"]),
                        ("KERNEL_CLOCK_CAPABILITIES_KHR", ["CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR"]),
                        ("COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR", ["CL_QUEUE_PROFILING_ENABLE"]),
                        ("COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR", 1), ("COMMAND_BUFFER_SYNC_DEVICES_KHR", 1), ("P2P_DEVICES_AMD", 1)):
        check(f"CL_DEVICE_{name}", shown["properties"].get(f"CL_DEVICE_{name}") == value, shown["properties"])
    platform = shown["platform_properties"]
    check("CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR",
          platform.get("CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR") == ["CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR"], platform)
    check("devices that are not there", platform.get("CL_CONTEXT_OFFLINE_DEVICES_AMD") == ["gfx90a"], platform)
    check("what a null platform is answered", platform.get("clCreateContextFromType(NULL)") == "CL_OUT_OF_HOST_MEMORY", platform)
    code, out, err = run("info", "--offline", **alone)
    check("info --offline alone is one line", code == 0 and out.split() == ["[0:*]", "CL_CONTEXT_OFFLINE_DEVICES_AMD", "gfx90a"], (out, err))
    raw = run("info", "--raw", **alone)[1]
    check("without the word nobody asks for them", "OFFLINE" not in raw and "(NULL)" not in raw, raw)
    code, out, err = run("info", "--offline")
    check("where no platform has them it says so", code == 0 and all("not asked" in line for line in out.splitlines()) and out, (out, err))
    # A driver that crashes at a null platform is told of, and only where it was asked for.
    crashes = vendors("vendors-null", fake_driver(compiler, "NO_PLATFORM"))
    code, out, err = run("info", "--null-platform", **crashes)
    check("a crash at a null platform: 5", code == 5 and "crashed" in err, (code, out, err))


def main():
    info = run_json("info")
    compiler = next((c for c in (os.environ.get("CC"), "cc", "gcc", "clang") if c and shutil.which(c)), None)
    good = [driver["library"] for driver in info["drivers"] if driver["outcome"] == "ok" and driver["library"]]
    if compiler is None or not good:
        print("skipped: drivers at fault, for want of a C compiler, or of a list with the loader's own drivers")
        return
    for test in (test_what_only_extensions_bring, test_platforms_without_devices, test_drivers_that_do_not_load, test_drivers_that_fail_later, test_drivers_that_fail_at_copies,
                 test_icd_files_that_hang_a_loader):
        test(info, compiler, good)


finish(main)
