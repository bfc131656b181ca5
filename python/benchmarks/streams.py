"""NumPy arrays that are streamed beside the same calls on a copy of the whole on the device, the copy included.

  streams.py [--repeats 9]

Medians of milliseconds, and the quarters around them, of sums and scans of random floats; the results' bits are compared first.
"""
import argparse
import statistics
import time

import numpy as np

import clwave


def timed(call, repeats):
    call()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begin))
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{middle:7.1f} ({low:.1f} to {high:.1f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=9)
    given = parser.parse_args()
    print(f"on {clwave.default_queue().device}, milliseconds")
    for mib in 32, 64, 256:
        x = np.random.default_rng(1).standard_normal(mib << 18, dtype=np.float32)
        calls = {
            "sum": (lambda: clwave.reduce(x), lambda: clwave.reduce(clwave.Array.from_numpy(x))),
            "scan": (lambda: clwave.inclusive_scan(x), lambda: clwave.inclusive_scan(clwave.Array.from_numpy(x)).get()),
        }
        for name, (streamed, copied) in calls.items():
            if not np.array_equal(streamed(), copied()):
                raise SystemExit(f"the {name}s differ")
            print(f"{mib:4} MiB {name:5} streamed {timed(streamed, given.repeats)}  copied {timed(copied, given.repeats)}")


main()
