"""Tests `clwave scan` on files: python3 tests/primitives/scan/scan_file_test.py <path to clwave>"""

from pathlib import Path
import itertools
import os
import subprocess
import sys
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tool_common import check, finish, folder, limited, npy, packed, path_of, read_npy, run, run_json, write  # noqa: E402

values = [float(i) for i in range(24)]
data = packed("f", values)


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
    code, out, _ = run("scan", source)
    check("in words, without a file", code == 0 and f"the last result: {sums[-1]} " in out, out)
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


finish(main)
