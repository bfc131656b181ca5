"""What the tests of the clwave tool share: running it, checks, and files to give it."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

TILE, ACCUMULATORS = 8192, 1024  # the fold order's constants

clwave = os.path.abspath(sys.argv[1]) if len(sys.argv) == 2 else sys.exit("usage: python3 tests/tool_..._test.py <path to clwave>")
folder = tempfile.mkdtemp(prefix="clwave-tool-test-")
passed, failed = 0, 0


def check(what, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what} {str(detail)[:2000]}", flush=True)


def run(*words, **variables):
    """Runs clwave; a variable set to None is taken away. Returns (exit code, stdout, stderr)."""
    environment = {**os.environ, "CLWAVE_DRIVER_DEADLINE": "20", **variables}
    environment = {name: value for name, value in environment.items() if value is not None}
    environment.setdefault("CLWAVE_CONFIG_DIR", "off")  # not the user's own tunings
    for name in ("CLWAVE_PROFILE", "CLWAVE_DEVICE"):
        if name not in variables:
            environment.pop(name, None)
    done = subprocess.run([clwave, *words], env=environment, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_json(*words, **variables):
    code, out, err = run(*words, "--json", **variables)
    check(f"{' '.join(words)} --json exits 0", code == 0, err)
    try:
        return json.loads(out)
    except ValueError as error:
        check(f"{' '.join(words)} --json prints JSON", False, error)
        return {}


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
    header = repr({"descr": dtype, "fortran_order": fortran, "shape": tuple(shape)}).encode()
    size = struct.calcsize("<H") if version == 1 else struct.calcsize("<I")
    header += b" " * (-(6 + 2 + size + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + data


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
