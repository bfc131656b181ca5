"""Tests `clwave sort` on files: python3 tests/primitives/sort/sort_file_test.py <path to clwave>"""

from pathlib import Path
import sys
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tool_common import check, finish, folder, npy, packed, path_of, read_npy, run, run_json, write  # noqa: E402


def main():
    into = path_of("sorted.npy")
    numbers = [(7919 * i) % 100003 - 50000 for i in range(100003)]
    source = write("numbers.npy", npy("<i4", [len(numbers)], packed("i", numbers)))
    result = run_json("sort", source, "-o", into)
    check("as many as there were", (result["n"], result["type"]) == (len(numbers), "i32"), result)
    check("in order", read_npy(into) == ("<i4", (len(numbers),), packed("i", sorted(numbers))), into)
    run_json("sort", source, "-o", into, "--descending", "--indices")
    places = sorted(range(len(numbers)), key=lambda i: -numbers[i])
    check("indices of the falling order", read_npy(into) == ("<u8", (len(numbers),), packed("Q", places)), into)
    floats = [3.0, float("nan"), -0.0, 0.0, float("-inf"), -1.0]
    run_json("sort", write("floats.bin", packed("d", floats)), "--type", "f64", "-o", into)
    right = [float("-inf"), -1.0, -0.0, 0.0, 3.0, float("nan")]
    check("a NaN is the last one", read_npy(into) == ("<f8", (6,), packed("d", right)), into)
    run_json("sort", into, "-o", into, "--descending")
    check("onto itself", read_npy(into)[2] == packed("d", right[::-1]), into)
    result = run_json("sort", write("nothing.npy", npy("<f4", [0], b"")), "-o", into)
    check("no elements", result["n"] == 0 and read_npy(into) == ("<f4", (0,), b""), result)
    code, out, _ = run("sort", source)
    check("in words, without a file", code == 0 and "100003 i32 in rising order" in out, out)
    code, out, err = run("sort", source, "-o", str(folder))
    check("sort: a folder in place of a file: 2, one line", code == 2 and out == "" and err.count("\n") == 1, (code, out, err))


finish(main)
