"""What a call costs from Python over the same call from C++: sums of one float, with `out=` and with a value.

  call_cost.py --cpp PROGRAM [--rounds 200] [--calls 200]

PROGRAM is call_cost.cpp, built with the library:

  c++ -O2 -std=c++20 -I include python/benchmarks/call_cost.cpp libclwave.a -lOpenCL -lpthread -ldl -o call_cost

Each round makes a batch of calls from C++, in a process that waits in between, and then the same from here, so that both meet the
same state of the machine. With `out=` the time is that until all calls of a batch have returned, and what they enqueued is waited
for behind it: else the device's time would hide some of the calls'. A value is waited for each time. Printed are the medians of all rounds and the quarters around them, in microseconds a call; and the same of the differences
between the two halves of each round, which are Python's own cost. Where the quarters are far apart, others used the machine: such
figures are not to be quoted without them.
"""
import argparse
import statistics
import subprocess
import time

import numpy as np

import clwave


def batches(calls):
    """By name, the word for the program in C++ and a function that makes a batch here."""
    x, out = clwave.Array.from_numpy(np.ones(1, np.float32)), clwave.Array(1, np.float32)

    def enqueued(x, out):
        begin = time.perf_counter()
        for _ in range(calls):
            last = clwave.reduce(x, out=out)
        end = time.perf_counter()
        last.wait()
        return end - begin

    def values(x):
        begin = time.perf_counter()
        for _ in range(calls):
            got = clwave.reduce(x)
        end = time.perf_counter()
        assert got == 1
        return end - begin

    rows = {"out=": ("out", lambda: enqueued(x, out)), "value": ("value", lambda: values(x))}
    try:
        import pyopencl
        import pyopencl.array
    except ImportError as missing:
        print(f"PyOpenCL's arrays are left out: {missing}")
        return rows
    # On a queue of their own: a queue that others may use is waited for in another way.
    queue = pyopencl.CommandQueue(pyopencl.Context.from_int_ptr(clwave.default_queue().context_int_ptr))
    theirs, to = pyopencl.array.to_device(queue, np.ones(1, np.float32)), pyopencl.array.empty(queue, 1, np.float32)
    queue.finish()
    rows["out=, PyOpenCL"] = ("out", lambda: enqueued(theirs, to))
    rows["value, PyOpenCL"] = ("value", lambda: values(theirs))
    return rows


def quarters(times):
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{middle:7.2f} ({low:.2f} to {high:.2f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpp", required=True)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--calls", type=int, default=200)
    given = parser.parse_args()
    rows = batches(given.calls)
    program = subprocess.Popen([given.cpp, str(given.calls)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def from_cpp(word):
        program.stdin.write(word + "\n")
        program.stdin.flush()
        return float(program.stdout.readline())

    for word, batch in rows.values():
        from_cpp(word), batch()
    times = {name: ([], []) for name in rows}
    for _ in range(given.rounds):
        for name, (word, batch) in rows.items():
            times[name][0].append(from_cpp(word))
            times[name][1].append(1e6 * batch() / given.calls)
    program.stdin.close()
    if program.wait() != 0:
        raise SystemExit("the program in C++ failed")
    print(f"a sum of one float on {clwave.default_queue().device}, {given.rounds} rounds of {given.calls} calls, microseconds a call")
    for name, (cpp, python) in times.items():
        own = [there - here for here, there in zip(cpp, python)]
        print(f"{name:16} C++ {quarters(cpp)}  Python {quarters(python)}  Python's own {quarters(own)}")


main()
