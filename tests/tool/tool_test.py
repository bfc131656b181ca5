"""Tests the clwave tool as its users see it, its words and what it tells: python3 tests/tool/tool_test.py <path to clwave>"""

import json
import os
import re
import shutil
import subprocess

from tool_common import ACCUMULATORS, TILE, check, check_occupancy, clwave, finish, folder, has_fields, path_of
from tool_common import run, run_json, subcommands, write


def test_help_and_usage():
    check("the commands are there", {"info", "why", "emulate", "reduce", "demo", "warm"} <= set(subcommands()), subcommands())
    for words in (*([command] for command in subcommands()), ["why", "reduce"], []):
        code, out, err = run(*words, "--help")
        check(f"{words} --help exits 0", code == 0, err)
        check(f"{words} --help helps", "Usage" in out and "-h" in out, out)
    check("--help lists the exit codes", "driver crashed or hung" in run("--help")[1])
    check("--version", run("--version")[1].splitlines()[0].count(".") == 2)
    small = write("usage.bin", bytes(12))
    for words in (
        ["nonsense"],
        ["info", "--nonsense"],
        ["reduce"],
        ["reduce", path_of("is-not-there")],
        ["reduce", folder],
        ["reduce", small],
        ["reduce", small, "--type", "f32", "--op", "nonsense"],
        ["reduce", small, "--type", "nonsense"],
        ["reduce", small, "--type", "f32x4"],
        ["reduce", small, "--type", "f32", "--acc", "nonsense"],
        ["reduce", small, "--type", "f64"],
        ["reduce", small, "--type", "f32", "--op", "and"],
        ["reduce", small, "--type", "f32", "--op", "argmin", "--acc", "f64"],
        ["why"],
        ["why", "nonsense"],
        ["why", "reduce", "--n", "many", "--emulate", "sm_90"],
        ["why", "reduce", "--n", "-1", "--emulate", "sm_90"],
        ["why", "reduce", "--n", "1.5", "--emulate", "sm_90"],
        ["why", "reduce", "--emulate", "sm_90", "-d", "0:0"],
        ["why", "reduce", "--emulate", "nonsense"],
        ["emulate", "sm_90", "reduce"],
        ["tune"],
        ["tune", "gemm"],
        ["tune", "copy", "--n", "many"],
        ["tune", "copy", "--n", "0"],
        ["tune", "copy", "--type", "f16"],
        ["tune", "copy", "--budget", "-1"],
        ["tune", "copy", "--list", "--forget"],
        ["emulate", "nonsense", "--dump", path_of("nonsense"), "reduce"],
        ["scan", small, "--type", "f32", "-o", ""],
        ["histogram", small, "--type", "f32", "--bins="],
        ["sort", small, "--type", "f32", "--key", ""],
        ["reduce", small, "--type", "f32", "--devices", ""],
        ["why", "--emulate", "", "reduce"],
        ["reduce", ""],
    ):
        code, out, err = run(*words)
        check(f"{words} exits 2", code == 2, (code, out, err))
        check(f"{words} says why in a line", err.startswith("clwave: ") and err.count("\n") == 1, err)


def test_no_driver():
    empty = path_of("no-drivers")
    os.mkdir(empty)
    # A loader told of no driver at all.
    none = {"OCL_ICD_VENDORS": empty + "/", "OCL_ICD_FILENAMES": None, "OPENCL_VENDOR_PATH": None}
    data = write("none.bin", bytes(8))
    for words in (["info"], ["info", "-l"], ["info", "--json"], ["reduce", data, "--type", "f32"], ["demo"], ["why", "reduce"]):
        code, out, err = run(*words, **none)
        check(f"{words} without a driver exits 3", code == 3 and "no OpenCL device" in err, (code, err))
    check("info --profiles needs no driver", run("info", "--profiles", **none)[0] == 0)
    check("why --emulate needs no driver", run("why", "reduce", "--emulate", "gfx906", **none)[0] == 0)


# Where a driver builds, its compiler may write to our standard error what it thinks of the kernels.


def test_silent_compiler():
    new = path_of("new-driver-cache")
    os.mkdir(new)
    data = write("silent.bin", os.urandom(1 << 16))
    for words in (["reduce", data, "--type", "f32", "--op", "min"], ["scan", data, "--type", "f32", "-o", path_of("silent.npy")]):
        code, out, err = run(*words, CLWAVE_CACHE_DIR="off", POCL_CACHE_DIR=new)
        check(f"{words[0]} that builds its programs shows no compiler's warnings", code == 0 and "warning" not in err, (code, err))


def test_info():
    info = run_json("info")
    check("info's schema", info.get("schema") == "clwave-info/1")
    devices = info.get("devices", [])
    check("info lists a device", len(devices) > 0)
    for device in devices:
        has_fields("a device", device, "place", "platform", "name", "architecture", "profile", "facts", "driver")
        has_fields(
            "a profile", device["profile"], "name", "emulated", "forced", "lanes", "exchange", "order", "why"
        )
        check("a profile says why", len(device["profile"]["why"]) > 10)
        check("facts are many", len(device["facts"]) > 30, len(device["facts"]))
        for fact in device["facts"]:
            has_fields("a fact", fact, "name", "value", "unit", "provenance", "source")
            check("an unknown fact has no value, and a reason", fact["value"] is not None or fact["source"], fact)
            check("a known fact has a provenance", fact["value"] is None or fact["provenance"] != "unknown", fact)
    check("a good driver is listed", any(driver["outcome"] == "ok" for driver in info["drivers"]), info["drivers"])
    places = [device["place"] for device in devices]
    check("places are unique", len(set(places)) == len(places), places)

    code, out, _ = run("info", "-l")
    check("info -l has a line a device", code == 0 and len(re.findall(r"(?m)^\d+:\d+ ", out)) == len(devices), out)
    for device in devices:
        check("info -l shows it", any(device["place"] in line and device["profile"]["name"] in line for line in out.splitlines()), out)
        one = run_json("info", "-d", device["place"])
        check("info -d shows that device alone", [d["place"] for d in one["devices"]] == [device["place"]])
    text = run("info", "-v")[1]
    check("info shows provenance", "[query: CL_DEVICE_" in text and "profile" in text)

    table = run_json("info", "--profiles")
    names = [row["name"] for row in table.get("profiles", [])]
    check("the table has its families", {"sm_90", "gfx906", "gfx1030", "cpu"} <= set(names), names)
    for row in table["profiles"]:
        has_fields("a row", row, "name", "title", "family", "lanes", "exchange", "order", "evidence")
        check("a row has evidence", len(row["evidence"]) > 10, row)
    check("info --profiles shows all", all(name in run("info", "--profiles")[1] for name in names))

    for selector in ("99:0", "99", "sm_1", "nonsense", 'name~"no such device"', "pci=ff:ff"):
        code, _, err = run("info", "-d", selector)
        check(f"info -d {selector} exits 4", code == 4 and err.startswith("clwave: "), (code, err))
        code, _, err = run("reduce", write("four.bin", bytes(4)), "--type", "f32", "-d", selector)
        check(f"reduce -d {selector} exits 4", code == 4, (code, err))
    return info


def check_plan(what, plan, n):
    has_fields(what, plan, "schema", "primitive", "n", "type", "op", "acc", "fold", "profile", "variant", "rejected",
               "options", "kernels", "launches", "workspace_bytes", "occupancy")
    check_occupancy(what, plan)
    check(f"{what}: schema", plan["schema"] == "clwave-plan/1")
    check(f"{what}: fold", plan["fold"] == {"tile": TILE, "accumulators": ACCUMULATORS}, plan["fold"])
    check(f"{what}: n", plan["n"] == n, plan["n"])
    check(f"{what}: options", "-D" in plan["options"] and "\n" not in plan["options"], plan["options"])
    check(f"{what}: launches", plan["launches"] == len(plan["kernels"]) > 0)
    for kernel in plan["kernels"]:
        has_fields("a kernel", kernel, "name", "global_size", "local_size", "groups", "group_size", "arguments")
        check("sizes agree", kernel["global_size"] == kernel["groups"] * kernel["local_size"] > 0, kernel)
        for argument in kernel["arguments"]:
            has_fields("an argument", argument, "name", "kind", "value")
    values = {argument["name"]: argument["value"] for argument in plan["kernels"][0]["arguments"]}
    check(f"{what}: n is an argument", str(n) in values.values(), values)
    for rejected in plan["rejected"]:
        check("a rejection has its reason", rejected["name"] and rejected["reason"], rejected)


def test_why_and_emulate():
    for text, n in (("16M", 1 << 24), ("1Gi", 1 << 30), ("3k", 3072), ("1e6", 10**6), ("12345", 12345), ("1.5K", 1536)):
        check_plan(f"why --n {text}", run_json("why", "reduce", "--n", text, "--emulate", "gfx906"), n)
    plan = run_json("why", "reduce", "--type", "f32", "--n", "16M")
    check_plan("why on the device", plan, 1 << 24)
    check("why knows the device's profile", plan["profile"]["name"] == run_json("info", "-d", plan["on"]["name"].split()[0])["devices"][0]["profile"]["name"])
    both = [run("why", "-d", "0", "reduce", "--n", "1M")[1], run("why", "reduce", "--n", "1M", "-d", "0")[1]]
    check("-d before or after", both[0] == both[1] != "", both)
    text = run("why", "reduce", "--type", "u8", "--op", "sum", "--acc", "u64", "--emulate", "sm_90")[1]
    for word in ("variant", "groups of", "workspace", "tile 8192", "assumed"):
        check(f"why shows {word}", word in text, text)
    check("why keeps options and files for -v", "-Dclwave" not in text and "modules" not in text, text)
    more = run("why", "reduce", "-v", "--type", "u8", "--op", "sum", "--acc", "u64", "--emulate", "sm_90")[1]
    for word in ("options   -cl-std", "-Dclwave_CUDA_SM=90", "modules   device/target.cl", "primitives/reduce.cl"):
        check(f"why -v shows {word}", word in more, more)
    listed = [line for line in more.splitlines() if ".cl" in line or "-D" in line]
    check("in lines of 80 columns", max(map(len, listed)) <= 80, more)
    for call, words in (("copy_if", ("select",)), ("copy_flagged", ("select", "--kind", "flagged")), ("argsort", ("sort", "--indices", "u32")),
                        ("upper_bound", ("bounds", "--upper")), ("exclusive_scan", ("scan", "--exclusive")), ("argmax", ("reduce", "--op", "argmax")),
                        ("set_difference", ("set_operations", "--kind", "difference"))):
        if words[0] in subcommands("why"):
            check(f"why {call} is why {' '.join(words)}", run("why", call, "--emulate", "gfx90a")[1] == run("why", *words, "--emulate", "gfx90a")[1] != "")
    plan = run_json("why", "reduce", "--emulate", "sm_90", "--compute-units", "2", "--n", "64M")
    more = run_json("why", "reduce", "--emulate", "sm_90", "--compute-units", "32", "--n", "64M")
    check("more compute units, more groups", plan["kernels"][0]["groups"] < more["kernels"][0]["groups"])
    check("argmax carries its index", run_json("why", "reduce", "--op", "argmax", "--emulate", "sm_90")["op"] == "argmax")

    # Where the loader would abort the process, no OpenCL call can have been made.
    for row in run_json("info", "--profiles")["profiles"]:
        dump = path_of("dump-" + row["name"])
        code, _, err = run("emulate", row["name"], "--dump", dump, "reduce", "--type", "f32", "--n", "1M")
        check(f"emulate {row['name']}", code == 0, err)
        check("three files", sorted(os.listdir(dump)) == ["options.txt", "plan.json", "source.cl"])
        plan = json.load(open(os.path.join(dump, "plan.json")))
        check_plan("emulate " + row["name"], plan, 1 << 20)
        check("it is that row's", plan["profile"]["name"] == row["name"] and plan["profile"]["lanes"] == row["lanes"])
        options = open(os.path.join(dump, "options.txt")).read()
        check("options.txt is the plan's line", options == plan["options"] + "\n", options)
        check("the lanes are in it", f"-Dclwave_LANES={row['lanes']}" in options.split(), options)
        source = open(os.path.join(dump, "source.cl")).read()
        for kernel in plan["kernels"]:
            check("the source has the kernel", kernel["name"] in source and "kernel" in source)
    code, _, err = run("emulate", "sm_90", "--dump", os.path.join(clwave, "x"), "reduce")
    check("a folder that cannot be made: 2", code == 2, (code, err))


def test_manual():
    code, page, err = run("manual")
    check("the man page has every command", code == 0 and page.startswith(".TH CLWAVE 1") and
          all(f".SS clwave {word}\n" in page for word in ("info", "why", "reduce", "warm", "completion")), (code, page[:200], err))
    check("and their options, and the variables", "\\-\\-json" in page and "CLWAVE_CACHE_DIR" in page, page[:200])
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, text=True, capture_output=True)
        check("groff has no complaint", done.returncode == 0 and not done.stderr, done.stderr[:300])
    code, text, err = run("completion", "bash")

    def completed(*words):
        script = (f"{text}\nCOMP_WORDS=({' '.join(words)})\nCOMP_CWORD={len(words) - 1}\n_clwave\n"
                  'echo "${COMPREPLY[@]}"')
        return subprocess.run(["bash", "-c", script], text=True, capture_output=True).stdout.split()

    check("bash completes commands", code == 0 and completed("clwave", "in") == ["info"], (completed("clwave", "in"), err))
    check("and their options", "--device" in completed("clwave", "reduce", "--de"), completed("clwave", "reduce", "--de"))
    check("and those of commands inside commands", "--type" in completed("clwave", "why", "reduce", "--ty"),
          completed("clwave", "why", "reduce", "--ty"))
    check("no such shell: 2", run("completion", "csh")[0] == 2)


def main():
    test_help_and_usage()
    test_no_driver()
    test_silent_compiler()
    test_info()
    test_why_and_emulate()
    test_manual()


finish(main)
