"""The same bits from Python, C and C++: random calls are made by the package, and replayed by a program in C, through
clwave.h, and one in C++, through the typed templates. Every byte of every result must be the same.

  same_bits.py --c PROGRAM --cpp PROGRAM --work FOLDER [--calls 1000] [--seed 1] [--kinds 200]

`--kinds` kinds of calls are drawn at random (a call, its types, operators and expressions), and each is made with random sizes,
elements and numbers: so there are fewer programs to build than calls. Another seed draws other ones. `--call NAME` makes calls of
that name alone, and `--spoil` changes one byte of what C++ gave, to see that the comparison finds it.
"""
import argparse
import collections
import pathlib
import struct
import subprocess
import sys
import time

import numpy as np

import clwave

import kinds_of_folds
import kinds_of_moves
import kinds_of_others
from draw import Draw, dtype_of

KINDS = kinds_of_folds.KINDS + kinds_of_moves.KINDS + kinds_of_others.KINDS


def bytes_of(result, name):
    """The bytes of a result: of a device array, or of a Python number."""
    if isinstance(result, clwave.Array):
        result = result.get()
    return np.ascontiguousarray(np.asarray(result, dtype_of(name))).reshape(-1).view(np.uint8).tobytes()


def python_results(made, draw):
    """Of arrays on the device, or of NumPy's."""
    on_device = draw.of.random() < 0.5
    inputs = [clwave.Array.from_numpy(array) if on_device else array for _, array in made.inputs]
    return [bytes_of(result, name) for result, (name, _) in zip(made.python(*inputs), made.outputs)]


def read_results(path, calls):
    with open(path, "rb") as file:
        for made in calls:
            results = []
            for _ in made.outputs:
                (n_bytes,) = struct.unpack("Q", file.read(8))
                results.append(file.read(n_bytes))
            yield results
        if file.read(1):
            sys.exit(f"{path} has more than the results of all calls")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--c", required=True)
    parser.add_argument("--cpp", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--kinds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--call")
    parser.add_argument("--spoil", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    draw = Draw(given.seed)
    # Each family has its turn, so that none is missing.
    kinds = [KINDS[i % len(KINDS)](draw.of) for i in range(given.kinds)]
    calls, data, lines, results, made_by = [], bytearray(), [], [], collections.Counter()
    begin = time.monotonic()
    while len(calls) < given.calls:
        made = kinds[draw.of.randrange(len(kinds))](draw)
        if given.call and made.name != given.call:
            continue
        fields = [f"call={made.name}"]
        for i, (name, array) in enumerate(made.inputs):
            data += b"\0" * (-len(data) % 16)
            fields.append(f"in{i}={name} {array.size} {len(data)}")
            data += array.reshape(-1).view(np.uint8).tobytes()
        fields += [f"out{i}={name} {n}" for i, (name, n) in enumerate(made.outputs)]
        fields += [f"{key}={value}" for key, value in made.fields.items()]
        lines.append("\t".join(fields))
        try:
            results.append(python_results(made, draw))
        except Exception as failed:
            sys.exit(f"Python refuses {lines[-1]}:\n{type(failed).__name__}: {failed}")
        calls.append(made)
        made_by[made.name] += 1
    print(f"Python: {len(calls)} calls in {time.monotonic() - begin:.1f} s, of {len(made_by)} names")
    (given.work / "calls").write_text("\n".join(lines) + "\n")
    (given.work / "data").write_bytes(data)
    different = []
    for language, program in (("C", given.c), ("C++", given.cpp)):
        path = given.work / f"results_{language}"
        begin = time.monotonic()
        done = subprocess.run([program, given.work / "calls", given.work / "data", path], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{program} ended with {done.returncode}: {done.stdout[-4000:]}")
        print(f"{language}: {done.stdout.strip()} in {time.monotonic() - begin:.1f} s")
        if given.spoil and language == "C++":
            bytes_ = bytearray(path.read_bytes())
            bytes_[-1] ^= 1
            path.write_bytes(bytes_)
        for i, theirs in enumerate(read_results(path, calls)):
            if theirs != results[i]:
                different.append(f"{language} differs from Python in call {i}: {lines[i]}")
    if different:
        sys.exit("\n".join(different[:20]) + f"\n{len(different)} calls differ")
    print(f"the same bits from Python, C and C++ in all {len(calls)} calls")


main()
