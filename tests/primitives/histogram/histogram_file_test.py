"""Tests `clwave histogram` on files: python3 tests/primitives/histogram/histogram_file_test.py <path to clwave>"""

from pathlib import Path
import sys
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tool"))
from tool_common import check, finish, folder, npy, packed, path_of, read_npy, run, run_json, some, write  # noqa: E402


def main():
    into = path_of("counts.npy")
    numbers = [(7919 * i) % 1009 - 500 for i in range(100003)]
    source = write("numbers.npy", npy("<i4", [len(numbers)], packed("i", numbers)))
    result = run_json("histogram", source, "--range", "-100", "300", "--bins", "40", "-o", into)
    right = [sum(1 for x in numbers if -100 + 10 * k <= x < -90 + 10 * k) for k in range(40)]
    check("counts of a range", (result["counts"], result["type"], result["bins"]) == (right, "i32", 40), result)
    check("what lies outside", result["outside"] == len(numbers) - sum(right), result)
    check("counts as a file", read_npy(into) == ("<u8", (40,), packed("Q", right)), into)
    result = run_json("histogram", source)
    check("from the least to the largest", (result["range"], result["outside"]) == ([-500, 509], 0), result)
    result = run_json("histogram", write("few.npy", npy("<u2", [5], packed("H", [3, 5, 5, 65535, 5]))), "--range", "3", "6", "--bins", "3")
    check("a bin for each whole number", (result["counts"], result["outside"]) == ([1, 0, 3], 1), result)
    floats = [3.0, float("nan"), -0.0, 0.0, float("-inf"), -1.0]
    result = run_json("histogram", write("floats.bin", packed("d", floats)), "--type", "f64", "--bins", "4")
    check("NaN and infinity are outside", (sum(result["counts"]), result["outside"]) == (4, 2), result)
    check("the largest is inside", result["counts"][3] == 1, result)
    pixels = bytes(i * 37 % 256 for i in range(300))
    result = run_json("histogram", write("pixels.bin", pixels), "--type", "u8", "--channels", "3", "--range", "0", "256", "--bins", "2")
    right = [sum(1 for i in range(c, 300, 3) if pixels[i] // 128 == half) for c in range(3) for half in (0, 1)]
    check("channels", result["counts"] == right, result)
    result = run_json("histogram", write("nothing.npy", npy("<f4", [0], b"")))
    check("no elements", result["n"] == 0 and sum(result["counts"]) == 0, result)
    for path, words in some((source, []), (source, ["--range", "-100", "300", "--bins", "40"]), (path_of("floats.bin"), ["--type", "f64"]),
                            (path_of("pixels.bin"), ["--type", "u8", "--channels", "3", "--bins", "5"])):
        whole = run_json("histogram", path, *words, "-o", into)
        counts = read_npy(into)
        check(f"histogram {words}: fits on the device", whole["streamed"] is False and len(whole["devices"]) == 1, whole)
        for devices in ("0:0", "all"):
            parts = run_json("histogram", path, *words, "-o", into, "--devices", devices)
            same = [name for name in whole if name not in ("seconds", "gb_per_s", "calls", "streamed", "device", "profile", "devices") and whole[name] != parts[name]]
            check(f"histogram {words} --devices {devices}: as on one device", same == [] and read_npy(into) == counts, (whole, parts))
            check(f"histogram {words} --devices {devices}: is streamed", parts["streamed"] is True and parts["calls"] == 1, parts)
            check(f"histogram {words} --devices {devices}: JSON has the same fields", list(parts) == list(whole), parts)
    result = run_json("histogram", path_of("nothing.npy"), "--devices", "all")
    check("no elements streamed", result["n"] == 0 and sum(result["counts"]) == 0, result)
    code, out, err = run("histogram", source, "--devices", "0:0", "--bins", "1000M")
    check("too many bins of a stream: 2", code == 2 and out == "" and "bins" in err, (code, out, err))
    code, out, err = run("histogram", source, "--bins", "200")
    check("in words: a line for neighbouring bins", code == 0 and "100003 i32 in 200 bins" in err and out.count("#\n") == 50, out)
    for words in (("--range", "5", "5"), ("--range", "a", "5"), ("--bins", "0"), ("--channels", "5"), ("-o", str(folder))):
        code, out, err = run("histogram", source, *words)
        check(f"histogram {words}: 2, one line", code == 2 and out == "" and err.count("\n") == 1, (code, out, err))


finish(main)
