"""Tests `clwave rows, clwave columns` on files: python3 tests/primitives/reduce_rows/matrix_file_test.py <path to clwave>"""

from pathlib import Path
import sys
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tool"))
from tool_common import check, finish, npy, packed, path_of, read_npy, run, run_json, write  # noqa: E402

values = [float(i) for i in range(24)]
data = packed("f", values)


def main():
    into = path_of("folds.npy")
    rows = [[(7 * r + 3 * c) % 11 for c in range(70)] for r in range(40)]
    matrix = write("matrix.npy", npy("|u1", [40, 70], bytes(x for row in rows for x in row)))
    result = run_json("rows", matrix, "-o", into)
    sums = [sum(row) for row in rows]
    check("sums of rows", read_npy(into) == ("<u8", (40,), packed("Q", sums)), result)
    check("the first of them", (result["first"], result["results"], result["of"]) == (sums[:16], 40, "rows"), result)
    result = run_json("columns", matrix, "-o", into, "--op", "max")
    check("largest of columns", read_npy(into) == ("|u1", (70,), bytes(map(max, zip(*rows)))), result)
    result = run_json("columns", write("batch.npy", npy("|u1", [2, 20, 70], bytes(x for row in rows for x in row))), "--op", "argmax")
    first = [max(range(20), key=lambda r: (rows[r][c], -r)) for c in range(16)]
    check("places of the largest, of a batch", (result["index"], result["results"], result["batch"]) == (first, 140, 2), result)
    result = run_json("rows", write("raw.bin", data), "--type", "f32", "--shape", "4x6")
    check("raw elements with a shape", result["first"] == [sum(values[6 * r:6 * r + 6]) for r in range(4)], result)
    code, out, err = run("rows", matrix)
    check("in words", code == 0 and out.split() == [str(each) for each in sums[:16]] and "sum of each of 40 rows of 70 u8" in err and
          "the first 16" in err and err.count("\n") == 2, (out, err))
    for what, words in (
        ("one dimension", [write("row.npy", npy("<f4", [24], data))]),
        ("another shape", [matrix, "--shape", "5x5"]),
        ("a shape past 2^64", [matrix, "--shape", "4Gx4Gx4G"]),
        ("no place for an index", [matrix, "--op", "argmin", "-o", into]),
    ):
        code, out, err = run("rows", *words)
        check(f"rows: {what}: 2, one line", code == 2 and out == "" and err.count("\n") == 1, (code, out, err))


finish(main)
