"""Tests `clwave sort` on files: python3 tests/primitives/key_sort/sort_file_test.py <path to clwave>"""

from pathlib import Path
import math
import random
import struct
import sys
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tool"))
from tool_common import check, finish, folder, npy, packed, path_of, read_npy, run, run_json, some, write  # noqa: E402


def test_structures():
    into = path_of("structures.npy")
    order = random.Random()
    n = 2000
    # Packed: fields that no type is aligned in.
    packed_type = [("cell", "|u1"), ("mass", "<f8"), ("name", "|S3"), ("small", "<f2"), ("id", "<i4")]
    records = [(order.randrange(7), order.uniform(-9, 9), b"abc", float(order.randrange(-5, 5)), order.randrange(-50, 50)) for _ in range(n)]
    records[7] = (3, math.nan, b"nan", -0.0, 0)

    def write_all(all_of_them):
        return b"".join(struct.pack("<Bd3sei", *each) for each in all_of_them)

    source = write("packed.npy", npy(packed_type, [n], write_all(records)))
    falling = lambda mass: math.inf if math.isnan(mass) else mass  # noqa: E731
    for keys, of in ((["cell", "mass:descending"], lambda r: (r[0], -falling(r[1]))), (["id:descending", "small"], lambda r: (-r[4], r[3])),
                     (["small"], lambda r: r[3] if math.copysign(1, r[3]) > 0 or r[3] else -0.1)):
        words = [word for key in keys for word in ("--key", key)]
        result = run_json("sort", source, *words, "-o", into)
        check(f"structures by {keys}", (result["n"], result["type"], result["keys"]) == (n, "structure", keys), result)
        check(f"in the order of {keys}", read_npy(into) == (packed_type, (n,), write_all(sorted(records, key=of))), into)
    run_json("sort", source, "--key", "id", "--key", "cell:ascending", "--descending", "--indices", "-o", into)
    places = sorted(range(n), key=lambda i: (-records[i][4], records[i][0]))
    check("indices of structures, falling but where a key says otherwise", read_npy(into) == ("<u8", (n,), packed("Q", places)), into)
    # Aligned: bytes between fields have no name; what is no number goes along.
    aligned_type = [("flag", "|b1"), ("", "|V7"), ("time", "<M8[ns]"), ("at", "<f4", (3,)), ("in", [("a", "<u2"), ("b", "<u2")])]
    pairs = [(order.random() < 0.5, order.randrange(2**60)) for _ in range(n)]
    write_pairs = lambda all_of_them: b"".join(struct.pack("<?7xq3fHH", flag, time, 1, 2, 3, 4, 5) for flag, time in all_of_them)  # noqa: E731
    source = write("aligned.npy", npy(aligned_type, [n], write_pairs(pairs)))
    code, out, err = run("sort", source, "--key", "flag", "-o", into)
    check("aligned structures", code == 0 and f"{n} structures in rising order of flag" in err, (out, err))
    check("by a bool", read_npy(into) == (aligned_type, (n,), write_pairs(sorted(pairs, key=lambda p: p[0]))), into)
    one = write("one.npy", npy([("wide", "<i8"), ("also", "<u4"), ("", "|V4")], [2], struct.pack("<qI4xqI4x", 5, 1, -5, 2)))
    run_json("sort", one, "--key", "wide", "-o", into)
    check("a field of 8 bytes", read_npy(into)[2] == struct.pack("<qI4xqI4x", -5, 2, 5, 1), into)
    result = run_json("sort", write("none.npy", npy(packed_type, [0], b"")), "--key", "id", "-o", into)
    check("no structures", result["n"] == 0 and read_npy(into) == (packed_type, (0,), b""), result)


def test_names_of_fields():
    """Names may have any characters; how they stand in a header is as Python's repr has it, in Latin-1 or, of version 3, in UTF-8."""
    into = path_of("names.npy")
    pairs = [(3.5, 0), (-1.0, 1), (2.0, 2), (5.0, 3), (0.5, 4)]
    right = sorted(pairs)
    names = ["größe", "质量", "\U0001d465", "it's", "both ' and \"", "a\\b", "ends in \\", "tab\tand\nline", "\x1b[31m", "\x85\xa0", "\u200b",
             "x:descending", "a, 'b': (c]"]
    for at, name in enumerate(some(*names)):
        latin1 = all(ord(each) < 256 for each in name)
        for version in (1 + at % 3,) if latin1 else (3,):
            dtype = [(name, "<f4"), ("n", "<i4")]
            source = write("names_in.npy", npy(dtype, [len(pairs)], b"".join(struct.pack("<fi", *pair) for pair in pairs), version))
            result = run_json("sort", source, "--key", name, "-o", into)
            check(f"by {name!r}, version {version}", read_npy(into) == (dtype, (len(pairs),), b"".join(struct.pack("<fi", *p) for p in right)), into)
            check(f"{name!r} is named", result["keys"] == [name], result)
            code, out, err = run("sort", source, "--key", "no such field")
            control = any(ord(each) < 32 or 127 <= ord(each) < 160 for each in err.removesuffix("\n"))
            check(f"a line that names {name!r}", code == 2 and "it has" in err and not control, err)
        if at == 0:
            down = run_json("sort", source, "--key", name + ":descending", "-o", into)
            check(f"{name!r}, falling", read_npy(into)[2] == b"".join(struct.pack("<fi", *p) for p in reversed(right)), down)
    # What no repr writes.
    good = npy([("a", "<f4")], [1], bytes(4), 3)
    for what, text in (("an escape that Python does not know", b"\\q"), ("a character cut short", b"\\x4"), ("half of a pair", b"\\ud800"),
                       ("no hexadecimal digits", b"\\u12g4"), ("a control character", b"\x01"), ("no UTF-8", b"\xff"),
                       ("UTF-8 that is too long", b"\xc1\x81"), ("no end", b"\\")):
        source = write("unreadable.npy", good[:8] + struct.pack("<I", struct.unpack("<I", good[8:12])[0] + len(text)) + good[12:].replace(b"'a'", b"'a" + text + b"'", 1))
        check("the header is changed", text in open(source, "rb").read(), text)
        code, out, err = run("sort", source, "--key", "a")
        check(f"a name of {what} is refused", code == 2 and not out and err.count("\n") == 1 and "npy header" in err, (code, err))


def test_rows_and_texts():
    into = path_of("rows.npy")
    order = random.Random()
    rows = [(order.randrange(-9, 9), order.randrange(5), order.randrange(99)) for _ in range(1500)]
    source = write("rows_in.npy", npy("<i2", [len(rows), 3], b"".join(packed("h", row) for row in rows)))
    result = run_json("sort", source, "--key", "1:descending", "--key", "0", "-o", into)
    right = sorted(rows, key=lambda row: (-row[1], row[0]))
    check("rows by columns", read_npy(into) == ("<i2", (len(rows), 3), b"".join(packed("h", row) for row in right)), into)
    check("rows", (result["n"], result["type"]) == (len(rows), "row"), result)
    numbers = [order.randrange(-1000, 1000) for _ in range(3000)]
    source = write("texts.npy", npy("<i4", [len(numbers)], packed("i", numbers)))
    run_json("sort", source, "--key", "x & 7:descending", "--key", "abs(x)", "-o", into)
    check("numbers by texts", read_npy(into)[2] == packed("i", sorted(numbers, key=lambda x: (-(x & 7), abs(x)))), into)


def test_wide_records():
    """Records that no element of the library holds: their places in order, by their keys alone."""
    into, order = path_of("wide_places.npy"), random.Random(5)
    n, columns = 1500, 40
    rows = [[order.uniform(-9, 9) if c else float(order.randrange(9)) for c in range(columns)] for _ in range(n)]
    source = write("wide_rows.npy", npy("<f8", [n, columns], b"".join(packed("d", row) for row in rows)))
    result = run_json("sort", source, "--key", "0:descending", "--key", "39", "--indices", "-o", into)
    right = sorted(range(n), key=lambda k: (-rows[k][0], rows[k][39]))
    check("places of wide rows", read_npy(into) == ("<u8", (n,), packed("Q", right)) and result["type"] == "row", result)
    dtype = [("id", "<u2"), ("much", "<f4", (50,)), ("half", "<f2"), ("brain", "<V2")]
    records = [(order.randrange(20), float(order.randrange(4)), order.randrange(3)) for _ in range(n)]
    source = write("wide_records.npy", npy(dtype, [n], b"".join(
        struct.pack("<H200xe", a, b) + packed("f", [c])[2:] for a, b, c in records)))
    run_json("sort", source, "--key", "brain", "--key", "half:descending", "--key", "id", "--indices", "-o", into)
    right = sorted(range(n), key=lambda k: (records[k][2], -records[k][1], records[k][0]))
    check("places of wide structures", read_npy(into) == ("<u8", (n,), packed("Q", right)), into)
    code, out, err = run("sort", source, "--key", "id", "-o", into)
    check("wide structures themselves are refused, and why", code == 2 and out == "" and "206 bytes" in err and "--indices" in err, err)
    # A header's claim of very many columns is held against the file before any is named.
    claims = write("claims.npy", npy("<f4", [1, 1 << 40], bytes(64)))
    code, _, err = run("sort", claims, "--key", "0", "--indices")
    check("columns that are not there", code == 2 and "cut short" in err, err)
    code, _, err = run("sort", write("columns.npy", npy("|u1", [1, 70000], bytes(70000))), "--key", "0", "--indices")
    check("too many columns", code == 2 and "65536" in err, err)


def test_refused_keys():
    fields = [("a", "<f4"), ("big", ">f4"), ("text", "|S4"), ("at", "<f4", (2,)), ("in", [("b", "<i4")])]
    source = write("fields.npy", npy(fields, [2], bytes(48)))
    rows = write("wide.npy", npy("<f8", [2, 17], bytes(272)))
    plain = write("plain.npy", npy("<f4", [2], bytes(8)))
    for what, words, says in (("no key", [source], "its elements are structures"), ("no such field", [source, "--key", "z"], "it has a, big, text, at, in"),
                              ("an empty name", [source, "--key", ":descending"], "no field or column ''"), ("big-endian", [source, "--key", "big"], "'big'"),
                              ("a text", [source, "--key", "text"], "'text'"), ("an array", [source, "--key", "at"], "'at'"),
                              ("a structure in it", [source, "--key", "in"], "'in'"), ("no such column", [rows.replace("wide", "narrow"), "--key", "2"], "0, 1"),
                              ("a wide row", [rows, "--key", "0"], "136 bytes"), ("no OpenCL C", [plain, "--key", "x)"], "map x)"),
                              ("nine keys", [plain] + ["--key", "x"] * 9, "1 to 8 keys"),
                              ("objects", [write("objects.npy", npy([("a", "|O")], [1], bytes(8))), "--key", "a"], "whose size cannot be read"),
                              ("no bytes", [write("empty.npy", npy([("a", "|S0")], [1], b"")), "--key", "a"], "0 bytes"),
                              ("large structures", [write("large.npy", npy([("a", "<f4"), ("b", "<f4", (32,))], [1], bytes(132))), "--key", "a"], "132 bytes"),
                              ("cut short", [write("short.npy", npy([("a", "<f4")], [9], bytes(35))), "--key", "a"], "cut short"),
                              ("a huge field", [write("huge.npy", npy([("a", "<f4", (2**62, 9))], [1], b"")), "--key", "a"], "whose size cannot be read"),
                              ("too deep", [write("deep.npy", npy("DEEP", [1], b"").replace(b"'DEEP'", b"[('a'," * 30)), "--key", "a"], "too many")):
        if what == "no such column":
            write("narrow.npy", npy("<f8", [2, 2], bytes(32)))
        code, out, err = run("sort", *words)
        check(f"sort by keys, {what}: 2, and why", code == 2 and out == "" and says in err, (code, out, err))
        check(f"sort by keys, {what}: one line", err.count("\n") == 1 or what in ("no OpenCL C", "nine keys"), err)


def main():
    test_structures()
    test_names_of_fields()
    test_rows_and_texts()
    test_wide_records()
    test_refused_keys()
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
    code, out, err = run("sort", source)
    check("in words, without a file", code == 0 and out == "" and "100003 i32 in rising order" in err, (out, err))
    code, out, err = run("sort", source, "-o", str(folder))
    check("sort: a folder in place of a file: 2, one line", code == 2 and out == "" and err.count("\n") == 1, (code, out, err))


finish(main)
