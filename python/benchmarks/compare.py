"""clwave beside PyOpenCL, NumPy, CuPy and PyTorch, as far as they are there: medians of checked calls on random data.

  compare.py [--n 1048576] [--repeats 15] [--picture FILE.svg]

Each row runs the same work on the same elements. A time is from the call until its result is there on the device, or on the
host for a sum; the median of the repeats, and the quarters around it. CuPy and PyTorch run on their own device. The last rows
are Python's own cost: the same enqueued sum of one float from here, to be held against `clwave bench` or a loop in C++.
"""
import argparse
import statistics
import time

import numpy as np

import clwave


def timed(call, repeats):
    """Microseconds: the median, and the quarters around it."""
    call()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(1e6 * (time.perf_counter() - begin))
    low, middle, high = statistics.quantiles(times, n=4)
    return middle, low, high


def of_clwave(x, flags):
    device, out = clwave.Array.from_numpy(x), clwave.Array(x.size, x.dtype)
    count = clwave.Array(1, np.uint64)
    ordered = clwave.Array.from_numpy(np.sort(x))
    return {
        "sum": (lambda: clwave.reduce(device), lambda got: np.isclose(got, x.sum(), rtol=1e-4)),
        "scan": (lambda: (clwave.inclusive_scan(device, out=out).wait(), out)[1], lambda got: np.allclose(got.get(), np.cumsum(x), rtol=1e-3)),
        "sort": (lambda: (clwave.sort(device, out=out).wait(), out)[1], lambda got: (got.get() == np.sort(x)).all()),
        "unique": (lambda: (clwave.unique(ordered, out=out, count=count).wait(), count)[1], lambda got: got.get()[0] == np.unique(x).size),
        "copy_if": (lambda: (clwave.copy_if(device, "x > 0.5f", out=out, count=count).wait(), count)[1], lambda got: got.get()[0] == flags.sum()),
    }


def of_pyopencl(x, flags):
    import pyopencl
    import pyopencl.algorithm
    import pyopencl.array
    import pyopencl.scan

    queue = pyopencl.CommandQueue.from_int_ptr(clwave.default_queue().int_ptr)
    device, ordered = pyopencl.array.to_device(queue, x), pyopencl.array.to_device(queue, np.sort(x))
    out = pyopencl.array.empty_like(device)
    scan = pyopencl.scan.InclusiveScanKernel(queue.context, np.float32, "a+b", "0")
    keys = pyopencl.array.to_device(queue, x.view(np.uint32))
    sort = pyopencl.algorithm.RadixSort(queue.context, "uint *ary", "ary[i]", ["ary"])
    copied = lambda: (lambda all: (queue.finish(), all[1])[1])(pyopencl.algorithm.copy_if(device, "ary[i] > 0.5f"))
    unique = lambda: (lambda all: (queue.finish(), all[1])[1])(pyopencl.algorithm.unique(ordered))
    return {
        "sum": (lambda: pyopencl.array.sum(device).get(), lambda got: np.isclose(got, x.sum(), rtol=1e-4)),
        "scan": (lambda: (scan(device, out), queue.finish(), out)[2], lambda got: np.allclose(got.get(), np.cumsum(x), rtol=1e-3)),
        # The bits of floats that are not negative have their order.
        "sort": (lambda: (sort(keys), queue.finish())[0][0][0], lambda got: (got.get().view(np.float32) == np.sort(x)).all()),
        "unique": (unique, lambda got: int(got.get()) == np.unique(x).size),
        "copy_if": (copied, lambda got: int(got.get()) == flags.sum()),
    }


def of_numpy(x, flags):
    ordered = np.sort(x)
    return {
        "sum": (lambda: x.sum(), lambda got: True),
        "scan": (lambda: np.cumsum(x), lambda got: True),
        "sort": (lambda: np.sort(x), lambda got: True),
        "unique": (lambda: ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))], lambda got: got.size == np.unique(x).size),
        "copy_if": (lambda: x[x > 0.5], lambda got: got.size == flags.sum()),
    }


def of_cupy(x, flags):
    import cupy

    device, wait = cupy.asarray(x), cupy.cuda.get_current_stream().synchronize
    return {
        "sum": (lambda: float(device.sum()), lambda got: np.isclose(got, x.sum(), rtol=1e-4)),
        "scan": (lambda: (cupy.cumsum(device), wait())[0], lambda got: np.allclose(got.get(), np.cumsum(x), rtol=1e-3)),
        "sort": (lambda: (cupy.sort(device), wait())[0], lambda got: (got.get() == np.sort(x)).all()),
        "copy_if": (lambda: (device[device > 0.5], wait())[0], lambda got: got.size == flags.sum()),
    }


def of_torch(x, flags):
    import torch

    if not torch.cuda.is_available():
        raise ImportError("PyTorch sees no GPU")
    device, wait = torch.from_numpy(x).cuda(), torch.cuda.synchronize
    return {
        "sum": (lambda: float(device.sum()), lambda got: np.isclose(got, x.sum(), rtol=1e-4)),
        "scan": (lambda: (torch.cumsum(device, 0), wait())[0], lambda got: np.allclose(got.cpu(), np.cumsum(x), rtol=1e-3)),
        "sort": (lambda: (torch.sort(device)[0], wait())[0], lambda got: (got.cpu().numpy() == np.sort(x)).all()),
        "copy_if": (lambda: (device[device > 0.5], wait())[0], lambda got: got.numel() == flags.sum()),
    }


def own_cost(repeats):
    """Microseconds of one call: enqueued 200 at a time, and with a value; each the least of the repeats."""
    x, out = clwave.Array.from_numpy(np.ones(1, np.float32)), clwave.Array(1, np.float32)

    def many():
        for _ in range(200):
            last = clwave.reduce(x, out=out)
        last.wait()

    def values():
        for _ in range(200):
            clwave.reduce(x)

    least = lambda call: min(timed(call, repeats)[1] for _ in range(3)) / 200
    return least(many), least(values)


def draw(rows, path):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plot

    names = sorted({name for name, _ in rows}, key=[name for name, _ in rows].index)
    peers = sorted({peer for _, peer in rows}, key=[peer for _, peer in rows].index)
    figure, axes = plot.subplots(figsize=(8, 4))
    for at, peer in enumerate(peers):
        axes.bar([place + at / (len(peers) + 1) for place in range(len(names))], [rows.get((name, peer), (0,))[0] for name in names],
                 1 / (len(peers) + 1), label=peer)
    axes.set_yscale("log")
    axes.set_ylabel("microseconds, less is better")
    axes.set_xticks([place + 0.3 for place in range(len(names))], names)
    axes.legend()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=1 << 20)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--picture")
    given = parser.parse_args()
    x = np.random.default_rng(1).random(given.n, dtype=np.float32)
    # Values come several times, so that unique has something to leave out.
    x = np.round(x, 4)
    flags = x > np.float32(0.5)
    print(f"{given.n} floats on {clwave.default_queue().device}, clwave {clwave.__version__}, NumPy {np.__version__}")
    rows = {}
    for peer, calls in (("clwave", of_clwave), ("pyopencl", of_pyopencl), ("numpy", of_numpy), ("cupy", of_cupy), ("torch", of_torch)):
        try:
            made = calls(x, flags)
        except ImportError as missing:
            print(f"{peer} is left out: {missing}")
            continue
        for name, (call, is_right) in made.items():
            if not is_right(call()):
                raise SystemExit(f"{peer}'s {name} is wrong")
            rows[name, peer] = timed(call, given.repeats)
    for (name, peer), (middle, low, high) in sorted(rows.items()):
        ratio = middle / rows[name, "clwave"][0]
        print(f"{name:8} {peer:9} {middle:10.1f} us  ({low:.1f} to {high:.1f})  {ratio:6.2f} x clwave's")
    enqueued, value = own_cost(given.repeats)
    print(f"a sum of one float: {enqueued:.2f} us with out=, 200 enqueued and waited for; {value:.2f} us with a value")
    if given.picture:
        draw(rows, given.picture)


main()
