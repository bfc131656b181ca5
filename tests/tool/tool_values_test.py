"""Tests what the clwave tool makes of files of all types and of standard input, and where it prints it:
python3 tests/tool/tool_values_test.py <path to clwave>"""

import json
import math
import os
import pty
import re
import statistics
import struct
import subprocess
import tempfile

from tool_common import PATIENCE, check, clwave, finish, npy, packed, path_of, read_npy, run, run_json, write

values = [float(i) for i in range(24)]
data = packed("f", values)


def test_types_that_numpy_writes():
    z = [complex(k, -k / 2) for k in range(12)]
    for dtype, code in (("<c8", "f"), ("<c16", "d")):
        pairs = [part for each in z for part in (each.real, each.imag)]
        path = write("complex.npy", npy(dtype, [3, 4], packed(code, pairs)))
        result = run_json("reduce", path)
        check(f"a sum of {dtype}", (result["value"], result["n"]) == ([66.0, -33.0], 12), result)
        check(f"a mean of {dtype}", run_json("reduce", path, "--op", "mean")["value"] == [5.5, -2.75], dtype)
        check(f"a count of {dtype}", run_json("reduce", path, "--op", "count")["value"] == 11, dtype)
        into = path_of("complex_scan.npy")
        run_json("scan", path, "-o", into)
        check(f"running sums of {dtype}", read_npy(into)[0] == dtype and read_npy(into)[2][-2 * struct.calcsize(code):] == packed(code, [66, -33]))
        for words in (["sort", path], ["reduce", path, "--op", "max"], ["reduce", path, "--op", "std"], ["histogram", path]):
            code_of, out, err = run(*words)
            check(f"{words} of {dtype} is refused: 2", code_of == 2 and out == "" and err.count("\n") == 1, (code_of, out, err))
    numbers = [1.5, -2.0, 0.25, 96.0]
    brain = write("brain.npy", npy("<V2", [4], b"".join(packed("f", [x])[2:] for x in numbers)))
    result = run_json("reduce", brain)
    check("a sum of bfloat16", (result["value"], result["type"], result["acc"]) == (sum(numbers), "bf16", "f32"), result)
    into = path_of("brain_sorted.npy")
    run_json("sort", brain, "-o", into)
    check("sorted bfloat16", read_npy(into) == ("<V2", (4,), b"".join(packed("f", [x])[2:] for x in sorted(numbers))), into)
    run_json("sort", write("brain.bin", b"".join(packed("f", [x])[2:] for x in numbers)), "--type", "bf16", "-o", into)
    check("sorted raw bfloat16", read_npy(into) == ("<V2", (4,), b"".join(packed("f", [x])[2:] for x in sorted(numbers))), into)
    code, _, err = run("reduce", write("void.npy", npy("|V2", [4], bytes(8))))
    check("two bytes of nothing known are no bfloat16", code == 2 and "|V2" in err, err)


def test_fortran_order():
    columns = [float(r * 4 + c) for c in range(4) for r in range(3)]  # of 3 x 4, the first index the fastest
    path = write("fortran.npy", npy("<f4", [3, 4], packed("f", columns), fortran=True))
    for op, value in (("sum", 66.0), ("max", 11.0), ("mean", 5.5)):
        result = run_json("reduce", path, "--op", op)
        check(f"{op} in Fortran order", (result["value"], result["n"]) == (value, 12), result)
    check("and it says so", "Fortran" in run("reduce", path)[2])
    check("a histogram in Fortran order", run_json("histogram", path, "--range", "0", "12", "--bins", "2")["counts"] == [6, 6])
    for words in (["reduce", path, "--op", "argmax"], ["scan", path], ["sort", path], ["rows", path], ["histogram", path, "--channels", "2"]):
        code, out, err = run(*words)
        check(f"{words} in Fortran order is refused: 2", code == 2 and out == "" and "ascontiguousarray" in err, (code, out, err))


def test_statistics():
    integers = [7, 0, -3, 0, 12, 12, 0, 5]
    path = write("statistics.npy", npy("<i2", [8], packed("h", integers)))
    for op, value in (("count", 5), ("mean", sum(integers) / 8), ("std", statistics.pstdev(integers))):
        result = run_json("reduce", path, "--op", op)
        check(f"{op} of integers", math.isclose(result["value"], value, rel_tol=1e-15), (result, value))
        check(f"{op}: its accumulator", result["acc"] == ("u64" if op == "count" else "f64") and result["op"] == op, result)
    # Far from 0, where the difference of two sums would have no digit left.
    far = [1e9 + k % 10 for k in range(300_000)]
    path = write("distant.npy", npy("<f8", [len(far)], packed("d", far)))
    for devices in ([], ["--devices", "0:0"]):
        result = run_json("reduce", path, "--op", "std", *devices)
        check(f"std far from 0 {devices}", math.isclose(result["value"], math.sqrt(8.25), rel_tol=1e-6), result)
        check(f"mean far from 0 {devices}", math.isclose(run_json("reduce", path, "--op", "mean", *devices)["value"], 1e9 + 4.5, rel_tol=1e-15))
    halves = write("halves.npy", npy("<f2", [4], packed("e", [1, 2, 3, 6])))
    check("std of halves", math.isclose(run_json("reduce", halves, "--op", "std", "--acc", "f32")["value"], math.sqrt(3.5), rel_tol=1e-6))
    nothing = write("nothing.npy", npy("<f4", [0], b""))
    check("of nothing", [run_json("reduce", nothing, "--op", op)["value"] for op in ("count", "mean", "std")] == [0, "nan", "nan"])
    for words, word in ((["reduce", path, "--op", "mean", "--acc", "i64"], "f32 or f64"), (["reduce", path, "--op", "std", "--acc", "cf32"], "f32 or f64"),
                        (["reduce", path, "--op", "mean", "--acc", "f16"], "f32 or f64"), (["rows", path, "--shape", "3x100000", "--op", "std"], "clwave reduce FILE"),
                        (["why", "reduce", "--op", "mean"], "clwave reduce FILE")):
        code, out, err = run(*words)
        check(f"{words} is refused: 2", code == 2 and out == "" and word in err and err.count("\n") == 1, (code, out, err))


def test_standard_input():
    whole = npy("<f4", [24], data)
    for what, content, words in (("a .npy", whole, []), ("raw elements", data, ["--type", "f32"]), ("more than a pipe holds", bytes(4 << 20) + data, ["--type", "f32"])):
        done = subprocess.run([clwave, "reduce", "-", *words, "--json"], input=content, capture_output=True, timeout=PATIENCE)
        check(f"{what} from standard input", done.returncode == 0 and json.loads(done.stdout)["value"] == 276.0, done)
    with open(write("input.npy", whole), "rb") as file:
        done = subprocess.run([clwave, "sort", "-", "-o", path_of("from_input.npy")], stdin=file, capture_output=True, timeout=PATIENCE)
    check("a file as standard input", done.returncode == 0 and read_npy(path_of("from_input.npy"))[2] == data, done)
    done = subprocess.run([clwave, "reduce", "-"], input=b"12 34", capture_output=True, timeout=PATIENCE)
    check("text from standard input is refused", done.returncode == 2 and b"standard input: is no .npy file" in done.stderr, done)
    ours, its = pty.openpty()
    done = subprocess.run([clwave, "reduce", "-"], stdin=its, capture_output=True, timeout=PATIENCE)
    os.close(ours), os.close(its)
    check("a terminal as standard input is refused", done.returncode == 2 and b"is a terminal" in done.stderr, done)
    left = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("clwave-input-")]
    check("nothing is left of it", left == [], left)


def test_results_alone():
    path = write("alone.npy", npy("<f4", [4, 6], data))
    for words, lines in ((["reduce", path], ["276"]), (["reduce", path, "--op", "argmax"], ["23 at index 23"]), (["scan", path], ["276"]),
                         (["rows", path], ["15", "51", "87", "123"]), (["sort", path], [])):
        code, out, err = run(*words)
        check(f"{words}: the results alone", code == 0 and out.splitlines() == lines, (out, err))
        check(f"{words}: all else beside them", "median of" in err and "f32" in err, err)
        check(f"{words}: a time and a speed that are not 0", not re.search(r"\b0\.0+ ", err), err)
    check("a sort of several dimensions says that they are one", "all of its 2 dimensions in one" in run("sort", path)[2])
    check("of one dimension it has nothing to say", "dimensions" not in run("sort", write("flat.npy", npy("<f4", [24], data)))[2])


def main():
    test_types_that_numpy_writes()
    test_fortran_order()
    test_statistics()
    test_standard_input()
    test_results_alone()


finish(main)
