"""Tests what the clwave tool computes and measures: python3 tests/tool/tool_calls_test.py <path to clwave>"""

import math
import os
import random
import re
import shutil
import struct
from concurrent.futures import ThreadPoolExecutor

from tool_common import check, check_occupancy, finish, fold, has_fields, hex_of, npy, packed, path_of
from tool_common import run, run_json, some, subcommands, to_f32, write


def has_fp64(info, place):
    device = next(d for d in info["devices"] if d["place"] == place)
    return any(fact["name"] == "fp64" and fact["value"] == "yes" for fact in device["facts"])


def test_reduce(info):
    integers = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}
    random.seed(7)
    n = 3001

    def test_integer(dtype, code):
        bits = 8 * struct.calcsize("<" + code)
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)
        values = [random.randint(low, high) for _ in range(n)]
        name = dtype[0] + str(bits)
        path = write(name + ".npy", npy(("|" if bits == 8 else "<") + dtype, [n], packed(code, values)))
        result = run_json("reduce", path)
        wide = 1 << 64
        total = sum(values) % wide
        if code.islower() and total >= wide // 2:
            total -= wide
        check(f"sum of {name}", result["value"] == total, (result, total))
        check(f"hex of the sum of {name}", int(result["hex"], 16) == sum(values) % wide, result)
        check(f"type of {name}", (result["type"], result["n"]) == (name, n), result)
        if dtype in ("i1", "u2", "i8"):
            result = run_json("reduce", path, "--op", "max")
            check(f"max of {name}", result["value"] == max(values) and result["acc"] == name, result)

    # Two at a time, for each has a kernel of its own to build. u1 and u4 are read again below.
    chosen = {"u1", "u4", *some(*sorted(integers))}
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(test_integer, chosen, (integers[dtype] for dtype in chosen)))
    result = run_json("reduce", path_of("u32.npy"), "--op", "xor")
    expected = 0
    for value in struct.unpack(f"<{n}I", open(path_of("u32.npy"), "rb").read()[-4 * n :]):
        expected ^= value
    check("xor of u32", result["value"] == expected and result["hex"] == f"0x{expected:08x}", result)
    result = run_json("reduce", path_of("u8.npy"), "--acc", "u8")
    check("--acc u8 wraps", result["value"] == run_json("reduce", path_of("u8.npy"))["value"] % 256, result)

    # Floats, to the last bit of the fold order.
    floats = [to_f32(random.uniform(-1, 1)) for _ in range(20011)]
    path = write("floats.npy", npy("<f4", [len(floats)], packed("f", floats)))
    result = run_json("reduce", path)
    has_fields("reduce --json", result, "value", "hex", "n", "seconds", "gb_per_s", "device", "profile", "op", "type", "acc")
    expected = fold(floats, to_f32)
    check("f32 sum in the fold order", result["hex"] == hex_of("f", expected) and result["value"] == expected, (result, expected))
    check("f32 sum is near fsum", abs(result["value"] - math.fsum(floats)) < 1e-3, result)
    check("it took time", result["seconds"] > 0 and result["gb_per_s"] > 0, result)
    for op, value in (("min", min(floats)), ("max", max(floats))):
        result = run_json("reduce", path, "--op", op)
        check(f"f32 {op}", result["value"] == value and result["hex"] == hex_of("f", value), result)
    for op, value in (("argmin", min(floats)), ("argmax", max(floats))):
        result = run_json("reduce", path, "--op", op)
        check(f"f32 {op}", (result["value"], result["index"]) == (value, floats.index(value)), result)
    for op, values in (("sumsq", [x * x for x in floats]), ("abs-sum", [abs(x) for x in floats])):
        result = run_json("reduce", path, "--op", op)
        check(f"f32 {op}", abs(result["value"] / math.fsum(values) - 1) < 1e-5, (result, math.fsum(values)))
    halves = [i % 64 / 8 - 3 for i in range(999)]
    result = run_json("reduce", write("halves.npy", npy("<f2", [999], packed("e", halves))))
    check("f16 sum", (result["value"], result["acc"], result["type"]) == (sum(halves), "f32", "f16"), result)
    _, value, beside = run("reduce", path)
    check("reduce prints the value, and beside it the bits", float(value) == float(f"{expected:.9g}") and hex_of("f", expected) in beside and
          re.search(r" [kMG]?B/s \(median", beside), (value, beside))

    place = result["device"].split()[0]
    if has_fp64(info, place):
        doubles = [random.uniform(-1e9, 1e9) for _ in range(9001)]
        result = run_json("reduce", write("doubles.npy", npy("<f8", [9001], packed("d", doubles))))
        expected = fold(doubles, float)
        check("f64 sum in the fold order", result["hex"] == hex_of("d", expected), (result, expected))
        result = run_json("reduce", path, "--acc", "f64")
        check("f32 sum in f64", result["hex"] == hex_of("d", fold(floats, float)), result)
    else:
        print("skipped: f64, which the device does not have")
    special = [1.0, math.inf, 2.0]
    result = run_json("reduce", write("inf.bin", packed("f", special)), "--type", "f32")
    check("infinity is a string", result["value"] == "inf" and result["hex"] == "0x7f800000", result)
    result = run_json("reduce", write("nan.bin", packed("f", special + [-math.inf])), "--type", "f32")
    check("NaN is a string, and canonical", result["value"] == "nan" and result["hex"] == "0x7fc00000", result)


def test_profiles():
    random.seed(11)
    path = write("profiles.npy", npy("<f4", [30011], packed("f", [random.uniform(-1, 1) * 10.0 ** random.randint(-6, 6) for _ in range(30011)])))
    plain = run_json("reduce", path)
    for name in ("cpu", "gfx906", "sm_70"):
        forced = run_json("reduce", path, CLWAVE_PROFILE=name)
        check(f"CLWAVE_PROFILE={name} is taken", forced["profile"] == name, forced)
        check(f"the same bits with {name}", forced["hex"] == plain["hex"], (forced["hex"], plain["hex"]))
        shown = run_json("info", CLWAVE_PROFILE=name)["devices"][0]["profile"]
        check("info says that it is forced", shown["name"] == name and shown["forced"], shown)
    for words in (["info"], ["reduce", path], ["why", "reduce"]):
        code, _, err = run(*words, CLWAVE_PROFILE="nonsense")
        check(f"{words} with CLWAVE_PROFILE=nonsense exits 2", code == 2 and "CLWAVE_PROFILE" in err, (code, err))


def test_occupancy(info):
    plan = run_json("why", "reduce", "--emulate", "sm_90", "--n", "256M", "--compute-units", "132")
    kernel = plan["occupancy"]["kernels"][0]
    check("the compiler's limit stands in", kernel["registers"] == 80 and "at most" in kernel["registers_from"], kernel)
    check("80 registers and 256 work-items: 3 groups, 24 warps",
          (kernel["groups_per_unit"], kernel["lane_sets_per_unit"], kernel["most_lane_sets_per_unit"]) == (3, 24, 64), kernel)
    check("and the registers' limit", kernel["limited_by"] in ("registers", "launch size"), kernel)
    check("a unit's figures", plan["occupancy"]["unit"]["registers"] == 65536, plan["occupancy"]["unit"])
    there = subcommands("why")
    check("the primitives are there", {"reduce", "copy", "fill"} <= set(there), there)
    for words in ([name] for name in ("copy", "fill", "transpose", "layout", "gemm", "transform", "broadcast") if name in there):
        for row in some("sm_90", "gfx90a", "gfx1030", "gpu", "cpu"):
            plan = run_json("why", *words, "--emulate", row)
            check_occupancy(f"{words} on {row}", plan)
            kernel = plan["occupancy"]["kernels"][0]
            check("registers need a build", kernel["registers"] is None and "build" in kernel["registers_from"], kernel)
            check("cards have figures, others do not", (plan["occupancy"]["unit"] is None) == (row in ("gpu", "cpu")))
    text = run("why", "fill", "--emulate", "sm_90")[1]
    check("occupancy in words", "occupancy fill: registers unknown" in text and "limited by" in text, text)
    plan = run_json("why", "copy")
    check_occupancy("copy on the device", plan)
    kernel = plan["occupancy"]["kernels"][0]
    check("the driver was asked", kernel["local_bytes"] is not None and kernel["group_limit"], kernel)
    device = info["devices"][0]
    if device["family"] == "cpu" and plan["on"]["name"].startswith(device["place"]):
        check("a core runs one group", "one group runs on a core" in plan["occupancy"]["note"], plan["occupancy"])


def test_tune():
    if "was not built" in run("tune", "copy")[2]:
        print("skipped: tune, which was not built")
        return
    config = path_of("config")
    place = {"CLWAVE_CONFIG_DIR": config}
    check("nothing is tuned yet", run_json("tune", "--list", **place)["tunings"] == [])
    check("nothing to forget", run_json("tune", "--forget", **place)["forgotten"] == 0)
    check("a forced profile is not tuned", run("tune", "copy", CLWAVE_PROFILE="gpu", **place)[0] == 2)
    result = run_json("tune", "copy", "--n", "256K", "--budget", "1", **place)
    has_fields("tune", result, "schema", "primitive", "type", "n", "device", "driver", "profile", "copy_gb_per_s", "row",
               "row_gb_per_s", "best", "best_gb_per_s", "stopped", "saved", "why", "candidates", "seconds")
    check("tune measured the row first", result["candidates"][0]["outcome"] == "the row's", result)
    check("tune measured it right", all("WRONG" not in one["outcome"] and "failed" not in one["outcome"]
                                        for one in result["candidates"]), result["candidates"])
    check("saved only if faster", not result["saved"] or result["best_gb_per_s"] > 1.01 * result["row_gb_per_s"], result)
    check("and in the file", os.path.exists(os.path.join(config, "tuning.txt")) == result["saved"], result)
    code, out, err = run("tune", "reduce", "--n", "100K", "--budget", "0", CLWAVE_CONFIG_DIR="off")
    check("tune in words", code == 0 and "not saved" in out and "the row's" in err, (code, out, err))

    # One whose numbers have names of their own.
    scanned = run_json("tune", "scan", "--n", "64K", "--budget", "0.2", **place)
    check("tune scan measured the row first, and right", scanned["candidates"][0]["outcome"] == "the row's" and
          all("WRONG" not in one["outcome"] and "failed" not in one["outcome"] for one in scanned["candidates"]), scanned)
    check("tune scan has its numbers", "looks" in scanned["row"] and set(scanned["row"]) == set(scanned["best"]) <=
          set(scanned["candidates"][0]), scanned)
    code, out, err = run("tune", "merge_sort", **place)
    check("others have no numbers of their own", code == 2 and "segmented_sort" in err, (code, err))
    if result["profile"] == "cpu":
        code, out, err = run("tune", "select", **place)
        check("a CPU has none of select", code == 2 and "no numbers on a CPU" in err, (code, err))
    run("tune", "--forget", **place)

    # A file by hand, since nobody knows what is faster here.
    plan = run_json("why", "copy", **place, CLWAVE_CACHE_DIR="off")
    numbers = dict(result["row"], items=1 if result["row"]["items"] == 2 else 2)
    scans = dict(scanned["row"], looks=777)
    rows = [f"[{name}]\ndevice = {result['device']}\ndriver = {driver}\nprofile = {result['profile']}\n"
            "date = 2026-11-21\nmeasured = by hand\n" + "".join(f"{key} = {value}\n" for key, value in own.items())
            + "gb_per_s = 12.5\nrow_gb_per_s = 10\n"
            for name, driver, own in (("copy", result["driver"], numbers), ("fill", "another", numbers),
                                      ("scan", result["driver"], scans), ("scan", "another", dict(scans, looks=0)))]
    os.makedirs(config, mode=0o700, exist_ok=True)
    file = os.path.join(config, "tuning.txt")
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write("clwave-tuning/1\n\n" + "\n".join(rows))
    saved = run_json("tune", "--list", **place)["tunings"]
    check("all rows but the one out of bounds are listed", [row["primitive"] for row in saved] == ["copy", "fill", "scan"]
          and saved[0]["numbers"] == numbers and saved[2]["numbers"] == scans, saved)
    tuned = run_json("why", "copy", "-d", plan["on"]["name"].split()[0], **place)
    check("why says that it is tuned", list(tuned["profile"]["tuned"]) == ["copy", "scan"], tuned["profile"])
    check("and has the numbers", tuned["words"]["ITEMS"] == str(numbers["items"]), tuned["words"])
    words = run_json("why", "scan", "--n", "16M", "-d", plan["on"]["name"].split()[0], **place)["words"]
    check("a scan has its own", words.get("LOOKS", "777") == "777", words)
    text = run("why", "copy", **place)[1]
    check("in words too", "tuned on this device on 2026-11-21" in text, text)
    check("of its own primitive only", "tuned on" not in run("why", "fill", **place)[1])
    check("info says it", "tuned on this device" in " ".join(run("info", **place)[1].split()))
    check("a forced row is the table's", run_json("why", "copy", CLWAVE_PROFILE=result["profile"], **place)["profile"]["tuned"] == {})
    check("off is off", run_json("why", "copy", CLWAVE_CONFIG_DIR="off")["profile"]["tuned"] == {})
    data = write("tuned.npy", npy("<f4", [20000], packed("f", [1.0 / (i + 1) for i in range(20000)])))
    check("the same bits", run_json("reduce", data, **place)["hex"] == run_json("reduce", data, CLWAVE_CONFIG_DIR="off")["hex"])
    check("one is forgotten", run_json("tune", "copy", "--forget", **place)["forgotten"] == 1)
    check("the others are not", [row["primitive"] for row in run_json("tune", "--list", **place)["tunings"]] == ["fill", "scan"])
    check("all are forgotten", run_json("tune", "--forget", **place)["forgotten"] == 2)
    with open(file, "w") as out:
        out.write("not a tuning\n")
    check("a damaged file is as none", run_json("why", "copy", **place)["profile"]["tuned"] == {})


def test_demo():
    values = [float(i % 100) for i in range(5000)]
    code, out, err = run("demo", write("demo.npy", npy("<f4", [5000], packed("f", values))))
    check("demo FILE", code == 0, (code, out, err))
    check("demo checks sum, min and max", out.count(" ok ") == 3 and "WRONG" not in out, out)
    check("demo shows its values", "247500" in out and "profile" in out and "copy speed" in out, out)
    check("demo of no file: 2", run("demo", path_of("is-not-there"))[0] == 2)


def test_broken_kernels():
    kernels = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cl_kernels")
    data = write("broken.npy", npy("<f4", [5000], packed("f", [float(i) for i in range(5000)])))

    def with_kernels(name, part, change):
        shutil.copytree(kernels, path_of(name))
        with open(os.path.join(path_of(name), part)) as file:
            before = file.read()
        after = change(before)
        check(f"{part} has what is to be broken", after != before)
        with open(os.path.join(path_of(name), part), "w") as file:
            file.write(after)
        return {"CLWAVE_KERNEL_DIR": path_of(name), "CLWAVE_CACHE_DIR": "off"}

    wrong = with_kernels("wrong", "blocks/value.cl", lambda text: text.replace("  return TO_ACC(OPERATOR_TEXT);", "  return a;"))
    # The "gpu" profile combines no wide values, for which there is another function.
    code, out, err = run("demo", data, CLWAVE_PROFILE="gpu", **wrong)
    check("a wrong result: 6", code == 6 and "WRONG" in out and "wrong result" in err, (code, out, err))
    no_code = with_kernels("no-code", "primitives/reduce.cl", lambda text: "this is no OpenCL C;\n" + text)
    code, out, err = run("reduce", data, **no_code)
    check("a kernel that does not build: 1, with the compiler's lines", code == 1 and "reduce.cl:1" in err, (code, err))


def main():
    info = run_json("info")
    test_reduce(info)
    test_profiles()
    test_occupancy(info)
    test_tune()
    test_demo()
    test_broken_kernels()


finish(main)
