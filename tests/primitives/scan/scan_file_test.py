"""Tests `clwave scan` on files: python3 tests/primitives/scan/scan_file_test.py <path to clwave>"""

from pathlib import Path
import array
import itertools
import os
import subprocess
import sys
import time
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tool"))
from tool_common import PATIENCE, check, clwave, finish, folder, limited, npy, packed, path_of, read_npy, run, run_json, some, write  # noqa: E402

values = [float(i) for i in range(24)]
data = packed("f", values)


def streamed(counts):
    into, also = path_of("on-device.npy"), path_of("streamed.npy")
    # Several stretches, the last of which ends inside a tile; and one short tile.
    floats = array.array("f", ((i * 7919 % 10007 - 5000) / 3 for i in range(2_500_005)))
    source = write("pieces.npy", npy("<f4", [len(floats)], floats.tobytes()))
    cases = some((source, []), (source, ["--exclusive", "--acc", "f64"]), (source, ["--op", "min"]))
    for path, words in (*cases, (counts, ["--op", "max"])):  # the last one's results are scanned again below
        whole = run_json("scan", path, "-o", into, *words)
        check(f"scan {words}: fits on the device", whole["streamed"] is False and len(whole["devices"]) == 1 and whole["calls"] > 1, whole)
        for devices in ("0:0", "all"):
            parts = run_json("scan", path, "-o", also, *words, "--devices", devices)
            same = [name for name in ("last", "hex", "n", "op", "type", "acc", "exclusive", "schema") if whole[name] != parts[name]]
            check(f"scan {words} --devices {devices}: as on one device", same == [] and read_npy(into) == read_npy(also), (whole, parts))
            check(f"scan {words} --devices {devices}: is streamed", parts["streamed"] is True and parts["calls"] == 1, parts)
            check(f"scan {words} --devices {devices}: JSON has the same fields", list(parts) == list(whole), parts)
    before = read_npy(also)
    run_json("scan", also, "-o", also, "--devices", "all", "--op", "max")
    check("streamed onto itself", read_npy(also)[:2] == before[:2] and read_npy(also)[2] == before[2], also)
    result = run_json("scan", write("none.npy", npy("<f4", [0], b"")), "-o", also, "--devices", "all")
    check("no elements streamed", result["last"] is None and read_npy(also) == ("<f4", (0,), b""), result)
    code, _, err = run("scan", counts, "--devices", "0:0")
    check("in words: one call, as it was read", code == 0 and "one call, as it was read" in err, err)
    code, _, err = run("scan", counts, "--devices", "0:0", "-d", "0:0")
    check("a list excludes one device: 2", code == 2 and "excludes" in err, (code, err))


def shrinking():
    # Sparse. It is cut while it is read, once results have been written.
    source, into = path_of("shrinking.bin"), path_of("alone/results.npy")
    with open(source, "wb") as file:
        file.truncate(8 << 30)
    child = subprocess.Popen([clwave, "scan", source, "--type", "u8", "--acc", "u8", "-o", into, "--devices", "0:0"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    part = f"{into}.part-{child.pid}"
    while child.poll() is None and not (os.path.exists(part) and os.path.getsize(part) > 1 << 20):
        time.sleep(0.001)
    os.truncate(source, 1 << 20)
    _, err = child.communicate(timeout=PATIENCE)
    check("a file that is cut while it is scanned: 2", child.returncode == 2 and b"it ends too early" in err, (child.returncode, err))
    check("and no results are left", os.listdir(path_of("alone")) == [], os.listdir(path_of("alone")))


def main():
    into = path_of("scanned.npy")
    counts = [(7 * i) % 5 for i in range(100000)]
    sums = list(itertools.accumulate(counts))
    source = write("counts.npy", npy("|u1", [len(counts)], bytes(counts)))
    result = run_json("scan", source, "-o", into)
    check("the last result", (result["last"], result["n"], result["acc"]) == (sums[-1], len(sums), "u64"), result)
    check("all results", read_npy(into) == ("<u8", (len(sums),), packed("Q", sums)), into)
    run_json("scan", source, "-o", into, "--exclusive", "--acc", "u32")
    check("exclusive, in place of the older file", read_npy(into) == ("<u4", (len(sums),), packed("I", [0] + sums[:-1])), into)
    result = run_json("scan", write("raw.bin", data), "--type", "f32", "--op", "max", "-o", into)
    check("a running maximum of raw floats", read_npy(into) == ("<f4", (24,), data) and result["last"] == 23.0, result)
    run_json("scan", into, "-o", into)
    check("onto itself", read_npy(into)[2] == packed("f", list(itertools.accumulate(values))), into)
    result = run_json("scan", write("empty.npy", npy("<f4", [0], b"")), "-o", into)
    check("no elements", result["last"] is None and read_npy(into) == ("<f4", (0,), b""), result)
    code, out, err = run("scan", source)
    check("in words, without a file", code == 0 and out == f"{sums[-1]}\n" and "the last result" in err, (out, err))
    streamed(source)
    for what, words in (
        ("a folder that is not there", ["-o", path_of("nowhere/scanned.npy")]),
        ("a folder in place of a file", ["-o", str(folder)]),
        ("argmin", ["--op", "argmin"]),
    ):
        code, out, err = run("scan", source, *words)
        check(f"scan: {what}: 2, one line", code == 2 and out == "" and err.count("\n") == 1, (code, out, err))
    os.makedirs(path_of("alone"))
    code, err = limited(100, "scan", write("limited.bin", bytes(1000)), "--type", "u8", "-o", path_of("alone/full.npy"), stdout=subprocess.DEVNULL)
    check("results at the limit: 2, with the reason", code == 2 and "cannot write" in err, (code, err))
    check("and nothing of them is left", os.listdir(path_of("alone")) == [], os.listdir(path_of("alone")))
    shrinking()


finish(main)
