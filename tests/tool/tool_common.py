"""What the tests of the clwave tool share: running it, checks, and files to give it."""

import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

TILE, ACCUMULATORS = 8192, 1024  # the fold order's constants

clwave = os.path.abspath(sys.argv[1]) if len(sys.argv) == 2 else sys.exit("usage: python3 tests/..._test.py <path to clwave>")
folder = tempfile.mkdtemp(prefix="clwave-tool-test-")
passed, failed = 0, 0
quickest = int(os.environ.get("CLWAVE_TEST_QUICK") or 0) > 1
chance = random.Random()


def some(*cases):
    """All of the cases; where the run is the quickest, half of them, others each time."""
    return chance.sample(cases, (len(cases) + 1) // 2) if quickest else cases


def check(what, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what} {str(detail)[:2000]}", flush=True)


# Nothing is to take as long as this, however much the machine has to do: what does hangs.
PATIENCE = 900


def run(*words, **variables):
    """Runs clwave; a variable set to None is taken away. Returns (exit code, stdout, stderr)."""
    # Whether a driver is slow or hangs is told by its deadline, which a machine that has much to do makes them miss.
    environment = {**os.environ, "CLWAVE_DRIVER_DEADLINE": "200", **variables}
    environment = {name: value for name, value in environment.items() if value is not None}
    environment.setdefault("CLWAVE_CONFIG_DIR", "off")  # not the user's own tunings
    for name in ("CLWAVE_PROFILE", "CLWAVE_DEVICE"):
        if name not in variables:
            environment.pop(name, None)
    done = subprocess.run([clwave, *words], env=environment, capture_output=True, timeout=PATIENCE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_patiently(right, *words, deadline, **variables):
    """Runs clwave where a driver hangs, beside others that do not: these need a while on a machine that has much to do, so with
    ever later deadlines, until what it gives is `right`, or the last is too early as well. Gives what `run` does."""
    for seconds in (deadline, 4 * deadline, 16 * deadline):
        given = run(*words, CLWAVE_DRIVER_DEADLINE=str(seconds), **variables)
        if right(*given):
            break
    return given


def run_json(*words, **variables):
    code, out, err = run(*words, "--json", **variables)
    check(f"{' '.join(words)} --json exits 0", code == 0, err)
    try:
        return json.loads(out)
    except ValueError as error:
        check(f"{' '.join(words)} --json prints JSON", False, error)
        return {}


def limited(limit, *words, **options):
    """Runs clwave where no file may grow past `limit` bytes, which raises SIGXFSZ. (Drivers write files too, and
    PoCL ends the process where it cannot: so only what asks no driver.)"""

    def narrow():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and would hand that on
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run([clwave, *words], stderr=subprocess.PIPE, timeout=PATIENCE, preexec_fn=narrow, **options)
    return done.returncode, done.stderr.decode()


def subcommands(*words):
    """Those of the tool, or of one of its commands."""
    listed = run(*words, "--help")[1].partition("Subcommands:")[2].partition("\n\n")[0]
    return re.findall(r"(?m)^  ([a-z]\w*) {2,}", listed)


def has_fields(what, record, *names):
    missing = [name for name in names if name not in record]
    check(f"{what} has its fields", not missing, f"missing {missing}")


def path_of(name):
    return os.path.join(folder, name)


def write(name, data):
    with open(path_of(name), "wb") as file:
        file.write(data)
    return path_of(name)


def npy(dtype, shape, data, version=1, fortran=False):
    """A .npy file's bytes, by hand."""
    header = repr({"descr": dtype, "fortran_order": fortran, "shape": tuple(shape)}).encode("utf8" if version == 3 else "latin1")
    size = struct.calcsize("<H") if version == 1 else struct.calcsize("<I")
    header += b" " * (-(6 + 2 + size + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + data


def read_npy(path):
    """dtype, shape, bytes of a .npy file, which has the version that numpy.save gives it."""
    content = open(path, "rb").read()
    version = content[6]
    code, encoding = ("<H", "latin1") if version == 1 else ("<I", "utf8")
    at = 8 + struct.calcsize(code)
    size = struct.unpack(code, content[8:at])[0]
    text = content[at:at + size].decode(encoding)
    beyond_latin1 = any(ord(each) > 0xff for each in text)
    check("a written .npy is one, and its elements begin at a multiple of 64", (at + size) % 64 == 0 and content[7] == 0 and
          content[:6] == b"\x93NUMPY" and version == (3 if beyond_latin1 else 1), content[:at + size])
    said = ast.literal_eval(text)
    return said["descr"], said["shape"], content[at + size:]


def packed(code, values):
    return struct.pack(f"<{len(values)}{code}", *values)


def to_f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def fold(values, rounded):
    """The sum in clwave's fixed order; `rounded` rounds to the accumulator's type."""
    while len(values) > 1:
        tiles = []
        for start in range(0, len(values), TILE):
            tile = values[start : start + TILE]
            level = tile[:ACCUMULATORS]
            for i in range(ACCUMULATORS, len(tile)):
                level[i % ACCUMULATORS] = rounded(level[i % ACCUMULATORS] + tile[i])
            while len(level) > 1:
                level = [
                    rounded(level[i] + level[i + 1]) if i + 1 < len(level) else level[i]
                    for i in range(0, len(level), 2)
                ]
            tiles.append(level[0])
        values = tiles
    return values[0]


def check_occupancy(what, plan):
    occupancy = plan["occupancy"]
    has_fields(f"{what}: occupancy", occupancy, "unit", "note", "kernels")
    names = {kernel["name"]: kernel["group_size"] for kernel in plan["kernels"]}
    check(f"{what}: each kernel has its occupancy", {k["name"]: k["group_size"] for k in occupancy["kernels"]} == names)
    for kernel in occupancy["kernels"]:
        has_fields("a kernel's occupancy", kernel, "registers", "registers_from", "local_bytes", "private_bytes",
                   "spilled_bytes", "group_limit", "groups_per_unit", "most_groups_per_unit", "lane_sets_per_unit",
                   "most_lane_sets_per_unit", "limited_by")
        check("registers, or why not", kernel["registers"] or kernel["registers_from"], kernel)
        if kernel["groups_per_unit"] is not None:
            check("no more groups than a unit holds", 0 < kernel["groups_per_unit"] <= kernel["most_groups_per_unit"], kernel)
            check("no more sets than a unit holds", 0 < kernel["lane_sets_per_unit"] <= kernel["most_lane_sets_per_unit"], kernel)
            check("something limits it", kernel["limited_by"] in ("registers", "local memory", "groups per unit",
                                                                  "lane sets per unit", "launch size"), kernel)
        if kernel["group_limit"] is not None:
            check("no group over the limit", kernel["group_size"] <= kernel["group_limit"], kernel)


def hex_of(code, value):
    return "0x" + struct.pack(">" + code, value).hex()


def finish(main):
    """Runs a test program's main; exits 1 if a check failed or none was made."""
    try:
        main()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} checks passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)
