"""Tests the files that the clwave tool reads and writes: python3 tests/tool/tool_files_test.py <path to clwave>"""

import array
import gzip
import io
import os
import pty
import re
import resource
import signal
import socket
import struct
import subprocess
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

from tool_common import PATIENCE, check, clwave, finish, folder, limited, npy, packed, path_of, read_npy, run, run_json, some, write

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
values = [float(i) for i in range(24)]
data = packed("f", values)


def header(text, content=data, version=1):
    """A .npy file whose header is this text, right or wrong."""
    text = text.encode() + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + content


def refused(what, name, content, words, *options):
    path = write(name, content)
    code, out, err = run("reduce", path, *options)
    check(f"{what} is refused: 2, one line", code == 2 and out == "" and err.count("\n") == 1, (code, out, err))
    check(f"{what}: the line says {words}", words in err, err)


def test_good_and_bad_files():
    for what, content in (
        ("version 2", npy("<f4", [24], data, version=2)),
        ("version 3", npy("<f4", [24], data, version=3)),
        ("2 x 12", npy("<f4", [2, 12], data)),
        ("one dimension, Fortran", npy("<f4", [24], data, fortran=True)),
        ("a row, Fortran", npy("<f4", [1, 24, 1], data, fortran=True)),
        ("more bytes after it", npy("<f4", [24], data + b"more")),
    ):
        result = run_json("reduce", write("good.npy", content))
        check(f".npy of {what}", (result["value"], result["n"]) == (276.0, 24), result)
    result = run_json("reduce", write("bool.npy", npy("|b1", [5], bytes([1, 0, 1, 1, 0]))))
    check("bools are counted", (result["value"], result["type"]) == (3, "u8"), result)
    run_json("sort", path_of("bool.npy"), "-o", path_of("sorted.npy"))
    with open(path_of("sorted.npy"), "rb") as file:
        check("sorted bools are bools", b"'|b1'" in file.read())
    result = run_json("reduce", write("scalar.npy", npy("<i4", [], packed("i", [-7]))))
    check("a .npy without dimensions", (result["value"], result["n"]) == (-7, 1), result)
    result = run_json("reduce", write("empty.npy", npy("<f4", [0], b"")))
    check("an empty .npy", (result["value"], result["n"]) == (0.0, 0), result)
    result = run_json("reduce", write("raw.bin", data), "--type", "f32")
    check("raw floats", (result["value"], result["type"]) == (276.0, "f32"), result)
    result = run_json("reduce", write("raw.bin", bytes(range(256)) * 3 + b"\xff"), "--type", "u8")
    check("raw bytes", (result["value"], result["n"]) == (3 * 255 * 128 + 255, 769), result)

    for what, content, word in (
        ("cut short", npy("<f4", [24], data[:-1]), "cut short"),
        ("cut in its header", npy("<f4", [24], data)[:40], "header"),
        ("cut in its magic", b"\x93NUM", "no .npy file"),
        ("big-endian", npy(">f4", [24], data), "big-endian"),
        ("structures", npy([("a", "<f4")], [24], data), "structures"),
        ("a huge shape", npy("<f4", [1 << 40, 1 << 40], data), "2^64"),
        ("a shape past its bytes", npy("<f8", [1 << 61], data), "cut short"),
        ("an unknown version", npy("<f4", [24], data, version=9), "version 9"),
        ("no shape", header("{'descr': '<f4', 'fortran_order': False}"), "has no 'shape'"),
    ):
        code, out, err = run("reduce", write("bad.npy", content))
        check(f".npy {what} is refused", code == 2 and word in err and out == "", (code, err))
    code, _, err = run("reduce", path_of("good.npy"), "--type", "f64")
    check("--type against the .npy's own", code == 2 and "f32" in err, (code, err))
    code, _, err = run("reduce", write("odd.bin", bytes(7)), "--type", "f32")
    check("raw bytes that are no whole elements", code == 2 and "7 bytes" in err, (code, err))
    # Sparse, so that it costs no disk; far more than any device's memory.
    with open(path_of("huge.bin"), "wb") as file:
        try:
            file.truncate(1 << 42)
            huge = True
        except OSError:
            huge = False
    if huge:
        code, _, err = run("sort", path_of("huge.bin"), "--type", "f32")
        check("a file larger than the device: 8", code == 8 and "more than the device has" in err, (code, err))


def test_files_in_pieces():
    # A dozen pieces, the last of which ends inside a tile.
    floats = array.array("f", ((i * 7919 % 10007 - 5000) / 3 for i in range(3_000_005)))
    floats[2_345_678] = -9000.0
    path = write("pieces.npy", npy("<f4", [len(floats)], floats.tobytes()))
    for words in some([], ["--op", "argmin"], ["--op", "max"], ["--acc", "f64", "--op", "sumsq"]):
        whole = run_json("reduce", path, *words)
        check(f"{words}: fits on the device", whole["streamed"] is False and len(whole["devices"]) == 1 and whole["calls"] > 1, whole)
        for devices in ("0:0", "all"):
            parts = run_json("reduce", path, *words, "--devices", devices)
            same = [name for name in ("value", "hex", "index", "n", "op", "type", "acc", "schema")
                    if whole.get(name) != parts.get(name)]
            check(f"{words} --devices {devices}: as on one device", same == [], (whole, parts))
            check(f"{words} --devices {devices}: is streamed", parts["streamed"] is True and parts["calls"] == 1 and parts["seconds"] > 0, parts)
            check(f"{words} --devices {devices}: JSON has the same fields", list(parts) == list(whole), parts)
    listed = run_json("info", "-l")["devices"]
    check("--devices all: names all", len(run_json("reduce", path, "--devices", "all")["devices"]) == len(listed), listed)
    if len(listed) > 1:
        both = ",".join(each["place"] for each in listed[:2])
        result = run_json("reduce", path, "--devices", both)
        check("--devices of two: as of one", result["hex"] == run_json("reduce", path)["hex"] and len(result["devices"]) == 2, result)
    code, out, err = run("reduce", path, "--devices", "0:0")
    check("in words: the value alone, and beside it one call, as it was read",
          code == 0 and float(out) == run_json("reduce", path)["value"] and "one call, as it was read" in err, (out, err))
    check("argmin of pieces has its place", run_json("reduce", path, "--devices", "0:0", "--op", "argmin")["index"] == 2_345_678)
    raw = write("pieces.bin", floats.tobytes())
    check("a raw file in pieces", run_json("reduce", raw, "--type", "f32", "--devices", "all")["hex"] == run_json("reduce", path)["hex"])
    empty = run_json("reduce", write("no-pieces.npy", npy("<f4", [0], b"")), "--devices", "all")
    check("an empty file in pieces", (empty["value"], empty["n"], empty["streamed"]) == (0.0, 0, True), empty)
    for words, word in ((["--devices", "0:0,"], "no list"), (["--devices", "0:0,0:0"], "twice"), (["--devices", ",0:0"], "no list"),
                        (["--devices", "0:0", "-d", "0:0"], "excludes")):
        code, out, err = run("reduce", path, *words)
        check(f"{words} is refused: 2", code == 2 and out == "" and word in err, (code, err))
    code, _, err = run("reduce", path, "--devices", "0:0,7:7")
    check("a device of a list that there is not: 4", code == 4 and "7:7" in err, (code, err))


def test_files_larger_than_the_device():
    # PoCL of so many GiB.
    small = {"POCL_MEMORY_LIMIT": "1", "CLWAVE_DEVICE": "0:0"}
    device = run_json("info", "-d", "0:0", **small)["devices"][0]
    most = next(fact["typed"] for fact in device["facts"] if fact["name"] == "largest allocation")
    if device["platform"] != "Portable Computing Language" or most > 1 << 30:
        print(f"skipped: a file larger than the device, which has buffers of {most} bytes")
        return
    # Sparse; with what is looked for at its end.
    n = most + 123_457
    with open(path_of("larger.bin"), "wb") as file:
        file.write(b"\1\2\3")
        file.truncate(n - 2)
        file.seek(n - 2)
        file.write(b"\7\5")
    result = run_json("reduce", path_of("larger.bin"), "--type", "u8", **small)
    check("a file larger than a buffer", (result["value"], result["n"], result["streamed"]) == (18, n, True), result)
    result = run_json("reduce", path_of("larger.bin"), "--type", "u8", "--op", "argmax", **small)
    check("its greatest byte", (result["value"], result["index"]) == (7, n - 2), result)
    result = run_json("scan", path_of("larger.bin"), "--type", "u8", "--acc", "u8", **small)
    check("its running sums", (result["last"], result["n"], result["streamed"], result["calls"]) == (18, n, True, 1), result)
    result = run_json("histogram", path_of("larger.bin"), "--type", "u8", **small)
    check("its counts", (result["counts"], result["streamed"]) == ([n - 5, 1, 1, 1, 0, 1, 0, 1], True), result)
    # The elements fit, and the results do not.
    with open(path_of("wide.bin"), "wb") as file:
        file.write(b"\1\2")
        file.truncate(most // 8 + 1000)
    result = run_json("scan", path_of("wide.bin"), "--type", "u8", **small)
    check("running sums larger than a buffer", (result["last"], result["acc"], result["streamed"]) == (3, "u64", True), result)
    # What takes over two seconds says how far it is, on a terminal.
    with open(path_of("larger.bin"), "r+b") as file:
        file.truncate(24 << 30)
    ours, its = pty.openpty()
    child = subprocess.Popen([clwave, "reduce", path_of("larger.bin"), "--type", "u8"], stdout=subprocess.PIPE, stderr=its,
                             env={**os.environ, **small})
    os.close(its)
    shown = b""
    try:
        while b"% of 24 GiB" not in shown:
            shown += os.read(ours, 4096)
    except OSError:  # it has ended
        pass
    child.kill()
    child.communicate()
    os.close(ours)
    check("how far it is, on a terminal", re.search(rb"larger\.bin: \d+ % of 24 GiB, \d+ s", shown), shown)


def test_hostile_npy_headers():
    good = "{'descr': '<f4', 'fortran_order': False, 'shape': (24,), }"
    for what, text in (
        ("as NumPy writes it", good),
        ("double quotes", good.replace("'", '"')),
        ("another order", "{'shape': (24,), 'descr': '<f4', 'fortran_order': False}"),
        ("blanks and lines", "{ 'descr' :\n'<f4' ,'fortran_order':False,'shape':( 24 , ) }  \n  "),
        ("two dimensions without a last comma", good.replace("(24,)", "(2, 12)")),
        ("two dimensions with one", good.replace("(24,)", "(2, 12,)")),
        ("Python 2's long integers", good.replace("(24,)", "(24L,)")),
    ):
        result = run_json("reduce", write("header.npy", header(text)))
        check(f"a header {what}", (result.get("value"), result.get("n")) == (276.0, 24), result)

    def changed(old, new):
        assert old in good
        return header(good.replace(old, new))

    hostile = (
        ("fortran_order: Maybe", changed("False", "Maybe"), "neither True nor False"),
        ("fortran_order: Falsehood", changed("False", "Falsehood"), "neither True nor False"),
        ("fortran_order: 0", changed("False", "0"), "neither True nor False"),
        ("fortran_order in quotes", changed("False", "'False'"), "neither True nor False"),
        ("shape (2 2)", changed("(24,)", "(2 2)"), "shape"),
        ("shape (24)", changed("(24,)", "(24)"), "shape"),
        ("shape 24", changed("(24,)", "24"), "shape"),
        ("shape [24]", changed("(24,)", "[24]"), "shape"),
        ("shape (,)", changed("(24,)", "(,)"), "shape"),
        ("shape (24,,)", changed("(24,)", "(24,,)"), "shape"),
        ("shape (-24,)", changed("(24,)", "(-24,)"), "shape"),
        ("shape (+24,)", changed("(24,)", "(+24,)"), "shape"),
        ("shape (24.0,)", changed("(24,)", "(24.0,)"), "shape"),
        ("shape (1e3,)", changed("(24,)", "(1e3,)"), "shape"),
        ("shape (0x18,)", changed("(24,)", "(0x18,)"), "shape"),
        ("shape that does not end", changed("(24,), }", "(24,"), "shape"),
        ("shape of 2^64 and more", changed("(24,)", "(99999999999999999999,)"), "shape"),
        ("shape that wraps to 24", changed("(24,)", f"({(1 << 61) + 3}, 8,)"), "2^64"),
        ("shape of more than there is", changed("(24,)", "(1073741824,)"), "cut short"),
        ("no descr", header("{'fortran_order': False, 'shape': (24,)}"), "'descr'"),
        ("no fortran_order", header("{'descr': '<f4', 'shape': (24,)}"), "'fortran_order'"),
        ("one key twice", changed("}", "'shape': (1,)}"), "twice"),
        ("a key of its own", changed("}", "'color': 'red'}"), "'color'"),
        ("no comma", changed("False, ", "False "), "neither True nor False"),
        ("no colon", changed("'descr':", "'descr'"), "':'"),
        ("no opening brace", header(good[1:]), "'{'"),
        ("no closing brace", changed(", }", ""), "comma"),
        ("text after it", header(good + " import os"), "after its end"),
        ("nothing at all", header(""), "'{'"),
        ("zero bytes for blanks", header(good + "\0"), "after its end"),
        ("an escape in a key", changed("'shape'", "'sh\\x61pe'"), "cannot be read"),
        ("a text that does not end", header("{'descr': '<f4"), "cannot be read"),
        ("no byte order of several bytes", changed("<f4", "|f4"), "'|f4'"),
        ("an empty type", changed("<f4", ""), "''"),
        ("text elements", changed("<f4", "<U4"), "'<U4'"),
        ("objects", changed("<f4", "|O"), "'|O'"),
        ("dates", changed("<f4", "<M8[ns]"), "'<M8[ns]'"),
        ("long doubles", changed("<f4", "<f16"), "'<f16'"),
        ("big-endian integers", changed("<f4", ">i4"), "big-endian"),
        ("sub-arrays", changed("'<f4'", "('<f4', (3,))"), "arrays themselves"),
        ("structures", changed("'<f4'", "[('a', '<f4')]"), "structures"),
        ("minor version 1", header(good)[:7] + b"\1" + header(good)[8:], "version 1.1"),
        ("version 0", b"\x93NUMPY\0\0" + header(good)[8:], "version 0.0"),
        ("a header that ends with its length", b"\x93NUMPY\1\0\xff", "ends too early"),
    )
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda each: refused(each[0], f"hostile{hostile.index(each)}.npy", each[1], each[2]), hostile))
    # A sparse file of gigabytes whose header claims them all: only its first bytes are read.
    with open(path_of("claims.npy"), "wb") as file:
        file.write(b"\x93NUMPY\2\0" + struct.pack("<I", 3 << 30))
        file.truncate(4 << 30)
    code, out, err = run("reduce", path_of("claims.npy"))
    check("a header that claims gigabytes", code == 2 and "claims 3221225472 bytes" in err, (code, err))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # KiB, of the largest so far
    check("and is not read", most < 2 << 20, most)


def test_containers():
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("a.npy", npy("<f4", [24], data))
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.npy"))
    rest = bytes(600)  # a whole number of every type's elements
    for name, content, word in (
        ("a.npz", zipped.getvalue(), "zip archive"),
        ("empty.npz", b"PK\5\6" + bytes(18), "zip archive"),
        ("a.npy.gz", gzip.compress(npy("<f4", [24], data)), "gzip"),
        ("a.tar", tarred.getvalue(), "tar archive"),
        ("a.h5", b"\x89HDF\r\n\x1a\n" + rest, "HDF5"),
        ("a.parquet", b"PAR1" + rest, "Parquet"),
        ("a.arrow", b"ARROW1\0\0" + rest, "Arrow"),
        ("a.zst", b"\x28\xb5\x2f\xfd" + rest, "zstd"),
        ("a.xz", b"\xfd7zXZ\0\0\0" + rest, "xz"),
        ("a.bz2", b"BZh9" + rest, "bzip2"),
        ("a.nc", b"CDF\2" + rest, "NetCDF"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + rest, "PNG"),
        ("a.pdf", b"%PDF-1.7" + rest, "PDF"),
        ("a.so", b"\x7fELF" + rest, "ELF"),
        ("a.pickle", b"\x80\4\x95\0" + rest, "pickle"),
    ):
        refused(f"{name}", name, content, word)
        refused(f"{name} with a type", name, content, word, "--type", "f32")
    refused("raw bytes without a type", "raw.bin", data, "--type f32")
    refused("an empty raw file without a type", "none.bin", b"", "--type f32")
    result = run_json("reduce", path_of("a.so"), "--type", "u8")
    check("the bytes of a container, where they are asked for", result["value"] == sum(b"\x7fELF"), result)
    code, out, err = run("demo", path_of("a.npz"))
    check("demo refuses them too", code == 2 and "zip archive" in err, (code, err))


def test_files_that_are_none():
    os.mkfifo(path_of("fifo"))
    os.mkfifo(path_of("fifo.npy"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path_of("socket"))
    for what, path, word in (
        ("a FIFO", path_of("fifo"), "pipe (FIFO)"),
        ("a FIFO that says .npy", path_of("fifo.npy"), "pipe (FIFO)"),
        ("a folder", folder, "a folder"),
        ("a socket", path_of("socket"), "a socket"),
        ("an endless device", "/dev/zero", "a device"),
        ("a file that is made up as it is read", "/proc/self/status", "does not say its size"),
    ):
        for command in ("reduce", "demo"):
            code, out, err = run(command, path, "--type", "u8")  # which does not wait for ever
            check(f"{command}: {what} is refused", code == 2 and out == "" and word in err and err.count("\n") == 1,
                  (code, out, err))
    listener.close()
    result = run_json("reduce", write("empty.bin", b""), "--type", "f32")
    check("an empty file is empty", (result["value"], result["n"]) == (0.0, 0), result)


def test_empty_variables_are_unset():
    path = write("variables.npy", npy("<f4", [24], data))
    cache = path_of("variables-cache")
    # As unset: the cache is read and written, and no dump is made.
    empty = {name: "" for name in ("CLWAVE_DUMP_DIR", "CLWAVE_PROFILE", "CLWAVE_DEVICE", "CLWAVE_KERNEL_DIR",
                                   "CLWAVE_DRIVER_DEADLINE")}
    # PoCL keeps its programs itself.
    kept_here = run_json("info")["devices"][0]["platform"] != "Portable Computing Language"

    def entries():
        return {name: os.stat(os.path.join(cache, name)).st_ino for name in (os.listdir(cache) if os.path.isdir(cache) else ())}

    result = run_json("reduce", path, "-d", "0:0", CLWAVE_CACHE_DIR=cache, **empty)
    check("empty variables: a result", result.get("value") == 276.0, result)
    stored = entries()
    check("empty variables: programs are kept, where their driver does not", (len(stored) > 0) == kept_here, stored)
    run_json("reduce", path, "-d", "0:0", CLWAVE_CACHE_DIR=cache, **empty)
    check("empty variables: and found again, not built anew", entries() == stored, (entries(), stored))
    home = path_of("home")
    os.mkdir(home)
    run_json("reduce", path, "-d", "0:0", HOME=home, XDG_CACHE_HOME=None, CLWAVE_CACHE_DIR="", CLWAVE_CONFIG_DIR="")
    check("an empty CLWAVE_CACHE_DIR is the usual place", os.path.isdir(os.path.join(home, ".cache", "clwave")) == kept_here)
    # One function reads all of them.
    readers = []
    for place in ("lib", "include/clwave", "tools/clwave"):
        for folder_of, _, names in os.walk(os.path.join(SOURCES, place)):
            for name in names:
                with open(os.path.join(folder_of, name)) as file:
                    if name != "environment.cpp" and re.search(r"getenv\(\"(CLWAVE|HOME|XDG)", file.read()):
                        readers.append(name)
    check("variables are read in one place", readers == [], readers)


def test_the_limit_on_file_sizes():
    code, err = limited(100, "emulate", "sm_90", "--dump", path_of("limited-emulate"), "reduce", stdout=subprocess.DEVNULL)
    check("emulate at the limit: 2, with the reason", code == 2 and "could not write" in err, (code, err))
    with open(path_of("limited.txt"), "w") as file:
        code, err = limited(100, "info", "--profiles", stdout=file)
    check("output at the limit: 1, with the reason", code == 1 and "could not be written" in err, (code, err))
    if "bench was not built" in run("bench", "--benchmark_list_tests")[2]:
        print("skipped: --benchmark_out, which was not built")
        return
    words = ["bench", "--samples", "2", "--benchmark_filter=reduce/enqueue/f32/1024/opencl"]
    code, out, err = run(*words, "--benchmark_out=" + path_of("no-folder/x.json"))
    check("bench into no folder: 2", code == 2 and "cannot be written" in err, (code, out, err))


def test_output_that_cannot_be_written():
    path = write("output.npy", npy("<f4", [24], data))
    for words in (["info", "--profiles"], ["reduce", path], ["--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([clwave, *words], stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE)
        check(f"{words} to a full disk: 1", done.returncode == 1 and b"could not be written" in done.stderr, done)
        done = subprocess.run([clwave, *words], stderr=subprocess.PIPE, timeout=PATIENCE, close_fds=True,
                              preexec_fn=lambda: os.close(1))
        check(f"{words} without stdout: 1", done.returncode == 1 and b"could not be written" in done.stderr, done)


def test_interrupted():
    source, results = path_of("long.bin"), path_of("interrupted.npy")
    with open(source, "wb") as file:
        file.truncate(1 << 26)
    for stop in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        write("interrupted.npy", b"as it was")
        child = subprocess.Popen([clwave, "scan", source, "--type", "u8", "--op", "max", "-o", results],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 preexec_fn=lambda: signal.signal(stop, signal.SIG_DFL))
        parts = []
        while not parts and child.poll() is None:
            parts = [name for name in os.listdir(folder) if name.startswith("interrupted.npy.")]
        child.send_signal(stop)
        code = child.wait(timeout=PATIENCE)
        check(f"{stop.name} ends a scan as a signal does", parts != [] and code == -stop, (parts, code))
        left = [name for name in os.listdir(folder) if name.startswith("interrupted.npy")]
        check(f"{stop.name} leaves no part of the results", left == ["interrupted.npy"], left)
        check(f"{stop.name} leaves the file that was there", open(results).read() == "as it was")


def test_links():
    source, there, other = write("linked.npy", npy("<f4", [3], packed("f", [3, 1, 2]))), path_of("beyond"), path_of("far.npy")
    os.mkdir(there)
    os.symlink("beyond/sorted.npy", path_of("near.npy"))
    os.symlink(path_of("near.npy"), other)
    for what in ("what is not there yet", "what is there"):
        code, _, err = run("sort", source, "-o", other)
        made = os.path.join(there, "sorted.npy")
        check(f"results go where two links lead, {what}", code == 0 and read_npy(made)[2] == packed("f", [1, 2, 3]), err)
        check(f"the links stay, {what}", os.path.islink(other) and os.path.islink(path_of("near.npy")), os.listdir(folder))
        check(f"nothing else is left there, {what}", os.listdir(there) == ["sorted.npy"], os.listdir(there))
        write("beyond/sorted.npy", b"before")
    for name, to, word in (("circle.npy", "circle.npy", "cannot write"), ("open.npy", "/proc/self/fd/1", "an open file")):
        os.symlink(to, path_of(name))
        with open(path_of("printed.txt"), "w") as printed:
            done = subprocess.run([clwave, "sort", source, "-o", path_of(name)], stdout=printed, stderr=printed, timeout=PATIENCE)
        said = open(path_of("printed.txt")).read()
        check(f"a link to {to} is refused: 2", done.returncode == 2 and word in said and said.count("\n") == 1, said)
        check(f"the link to {to} stays", os.path.islink(path_of(name)), os.listdir(folder))


def main():
    test_good_and_bad_files()
    test_files_in_pieces()
    test_files_larger_than_the_device()
    test_hostile_npy_headers()
    test_containers()
    test_files_that_are_none()
    test_empty_variables_are_unset()
    test_the_limit_on_file_sizes()
    test_output_that_cannot_be_written()
    test_interrupted()
    test_links()


finish(main)
