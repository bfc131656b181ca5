"""What compare.py compares: the rows' elements, and each peer's calls on them."""
import functools
import os
import platform
import time
import typing

import numpy as np

K = 100


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def call_of(row):
    """Makes a call and blocks until its result is there."""
    return row.value or (lambda: row.wait(row.enqueue()))


def seconds_of(row):
    """The least time of three calls behind one that builds what is needed."""
    return min([timed(call_of(row)) for _ in range(4)][1:])


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


class Data:
    """The elements of all rows, and what is right for each."""

    def __init__(self, n):
        random = np.random.default_rng()
        self.n = n
        self.x = random.random(n, dtype=np.float32) - np.float32(0.5)
        # Sums of up to 2^15 are exact in steps of 2^-9, and those of 2^26 such elements, whose mean is 0, stay far below that.
        self.steps = (random.integers(-256, 257, n, dtype=np.int16) / np.float32(512)).astype(np.float32)
        self.runs = np.cumsum(random.random(n, dtype=np.float32) < min(0.25, 2**23 / n), dtype=np.int32).astype(np.float32)

    @functools.cached_property
    def sorted(self):
        return np.sort(self.x)

    def is_sum(self, got):
        return got == self.steps.sum(dtype=np.float64)

    def is_scan(self, got):
        return np.array_equal(got, np.cumsum(self.steps, dtype=np.float64))

    def is_sort(self, got):
        return np.array_equal(got, self.sorted)

    def is_argsort(self, got):
        return np.array_equal(self.x[got], self.sorted) and np.bincount(got, minlength=self.n).max() == 1

    def is_unique(self, got):
        return np.array_equal(got, self.runs[np.concatenate(([True], self.runs[1:] != self.runs[:-1]))])

    def is_copy_if(self, got):
        return np.array_equal(got, self.x[self.x > 0])

    def is_top_k(self, got):
        return np.array_equal(np.sort(got), self.sorted[-K:])


ROWS = [name[3:] for name in vars(Data) if name.startswith("is_")]


class Row(typing.NamedTuple):
    enqueue: typing.Callable  # begins the work, and returns what `wait` and `result` take
    wait: typing.Callable  # blocks until it is done
    result: typing.Callable  # the result on the host
    value: typing.Callable = None  # does the work and returns its value; without it a call is enqueue and wait


class Clwave:
    def __init__(self, data):
        global clwave
        import clwave

        self.about = {"clwave": clwave.__version__, "device": clwave.default_queue().device}
        self.x, self.steps, self.runs = map(clwave.Array.from_numpy, (data.x, data.steps, data.runs))
        self.out = clwave.Array.from_numpy(np.full(data.n, np.nan, np.float32))
        self.count = clwave.Array(1, np.uint64)

    def row(self, enqueue, result=None, value=None):
        return Row(enqueue, lambda event: event.wait(), result or (lambda _: self.out.get()), value)

    def sum(self):
        total = clwave.Array(1, np.float32)
        return self.row(lambda: clwave.reduce(self.steps, out=total), lambda _: total.get()[0], lambda: clwave.reduce(self.steps))

    def scan(self):
        return self.row(lambda: clwave.inclusive_scan(self.steps, out=self.out))

    def sort(self):
        return self.row(lambda: clwave.sort(self.x, out=self.out))

    def argsort(self):
        order = clwave.Array(self.x.size, np.uint32)
        return self.row(lambda: clwave.argsort(self.x, out=order), lambda _: order.get())

    def unique(self):
        return self.row(lambda: clwave.unique(self.runs, out=self.out, count=self.count), self.kept)

    def copy_if(self):
        return self.row(lambda: clwave.copy_if(self.x, "x > 0", out=self.out, count=self.count), self.kept)

    def kept(self, _):
        return self.out.get()[: int(self.count.get()[0])]

    def top_k(self):
        best = clwave.Array(K, np.float32), clwave.Array(K, np.uint32)
        return self.row(lambda: clwave.top_k(self.x, K, out=best), lambda _: best[0].get())


class CuPy:
    def __init__(self, data):
        global cupy
        import cupy

        name = cupy.cuda.runtime.getDeviceProperties(0)["name"]
        self.about = {"cupy": cupy.__version__, "cuda_device": name.decode() if isinstance(name, bytes) else name}
        self.x, self.steps, self.runs = map(cupy.asarray, (data.x, data.steps, data.runs))
        self.out, self.mask = cupy.full_like(self.x, np.nan), cupy.empty(data.n, bool)

    def row(self, enqueue, result=None, value=None):
        wait = cupy.cuda.get_current_stream().synchronize
        return Row(enqueue, lambda _: wait(), result or (lambda got: got.get()), value)

    def sum(self):
        total = cupy.empty((), np.float32)
        return self.row(lambda: self.steps.sum(out=total), lambda _: float(total), lambda: float(self.steps.sum()))

    def scan(self):
        return self.row(lambda: cupy.cumsum(self.steps, out=self.out), lambda _: self.out.get())

    def sort(self):
        return self.row(lambda: (cupy.copyto(self.out, self.x), self.out.sort()), lambda _: self.out.get())

    def argsort(self):
        return self.row(lambda: cupy.argsort(self.x))

    def unique(self):
        self.mask[0] = True
        return self.row(lambda: (cupy.not_equal(self.runs[1:], self.runs[:-1], out=self.mask[1:]), self.runs[self.mask])[1])

    def copy_if(self):
        return self.row(lambda: (cupy.greater(self.x, 0, out=self.mask), self.x[self.mask])[1])

    def top_k(self):
        # Only for the smallest elements does CuPy partition without a sort.
        negated = -self.x
        partition = self.row(lambda: (cupy.copyto(self.out, negated), self.out.partition(K - 1)), lambda _: -self.out[:K].get())
        sort = self.row(lambda: (cupy.copyto(self.out, self.x), self.out.sort()), lambda _: self.out[-K:].get())
        return min((partition, sort), key=seconds_of)


class PyTorch:
    def __init__(self, data):
        global torch
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
        self.about = {"torch": torch.__version__, "cuda_device": torch.cuda.get_device_name()}
        self.x, self.steps, self.runs = (torch.from_numpy(each).cuda() for each in (data.x, data.steps, data.runs))
        self.out, self.mask = torch.full_like(self.x, float("nan")), torch.empty_like(self.x, dtype=torch.bool)

    def row(self, enqueue, result=None, value=None):
        return Row(enqueue, lambda _: torch.cuda.synchronize(), lambda got: (result(got) if result else got).cpu().numpy(), value)

    def sum(self):
        return self.row(lambda: self.steps.sum(), None, lambda: self.steps.sum().item())

    def scan(self):
        return self.row(lambda: torch.cumsum(self.steps, 0, out=self.out))

    def sorted(self, n, call, take):
        pair = torch.full((n,), float("nan"), device=self.x.device), torch.zeros(n, dtype=torch.int64, device=self.x.device)
        return self.row(lambda: call(pair), lambda _: pair[take])

    def sort(self):
        return self.sorted(len(self.x), lambda pair: torch.sort(self.x, out=pair), 0)

    def argsort(self):
        return self.sorted(len(self.x), lambda pair: torch.sort(self.x, out=pair), 1)

    def unique(self):
        return self.row(lambda: torch.unique_consecutive(self.runs))

    def copy_if(self):
        return self.row(lambda: (torch.gt(self.x, 0, out=self.mask), torch.masked_select(self.x, self.mask))[1])

    def top_k(self):
        return self.sorted(K, lambda pair: torch.topk(self.x, K, out=pair), 0)


class PyOpenCL:
    def __init__(self, data):
        global pyopencl
        import pyopencl
        import pyopencl.algorithm
        import pyopencl.array
        import pyopencl.scan
        import pyopencl.tools

        # On a queue of its own in the same context: clwave waits in another way for a queue that others use.
        self.queue = pyopencl.CommandQueue(pyopencl.Context.from_int_ptr(clwave.default_queue().context_int_ptr))
        self.about = {"pyopencl": pyopencl.VERSION_TEXT, "pyopencl_device": self.queue.device.name.strip()}
        self.pool = pyopencl.tools.MemoryPool(pyopencl.tools.ImmediateAllocator(self.queue))
        self.x, self.steps, self.runs = map(self.on_device, (data.x, data.steps, data.runs))
        bits = data.x.view(np.uint32)
        self.keys = np.where(bits >> 31 != 0, ~bits, bits | np.uint32(1 << 31))

    def on_device(self, array):
        return pyopencl.array.to_device(self.queue, array, allocator=self.pool)

    def row(self, enqueue, result, value=None):
        return Row(enqueue, lambda _: self.queue.finish(), result, value)

    def sum(self):
        return self.row(lambda: pyopencl.array.sum(self.steps), lambda got: got.get(), lambda: pyopencl.array.sum(self.steps).get())

    def scan(self):
        scan, out = pyopencl.scan.InclusiveScanKernel(self.queue.context, np.float32, "a+b", "0"), pyopencl.array.empty_like(self.x)
        return self.row(lambda: scan(self.steps, out), lambda _: out.get())

    def sort(self):
        sort, keys = pyopencl.algorithm.RadixSort(self.queue.context, "uint *ary", "ary[i]", ["ary"]), self.on_device(self.keys)

        def floats(got):
            key = got[0][0].get()
            return np.where(key >> 31 != 0, key & np.uint32((1 << 31) - 1), ~key).view(np.float32)

        return self.row(lambda: sort(keys), floats)

    def unique(self):
        return self.row(lambda: pyopencl.algorithm.unique(self.runs), self.kept)

    def copy_if(self):
        return self.row(lambda: pyopencl.algorithm.copy_if(self.x, "ary[i] > 0"), self.kept)

    def kept(self, got):
        return got[0].get()[: int(got[1].get())]


class NumPy:
    def __init__(self, data):
        self.about = {"processor": processor(), "threads": os.cpu_count()}
        self.x, self.steps, self.runs = data.x, data.steps, data.runs
        self.out, self.mask = np.empty_like(self.x), np.empty(data.n, bool)

    def row(self, enqueue):
        return Row(enqueue, lambda _: None, lambda got: got)

    def sum(self):
        return self.row(lambda: self.steps.sum())

    def scan(self):
        return self.row(lambda: np.cumsum(self.steps, out=self.out))

    def sort(self):
        return self.row(lambda: (np.copyto(self.out, self.x), self.out.sort(), self.out)[2])

    def argsort(self):
        return self.row(lambda: np.argsort(self.x))

    def unique(self):
        self.mask[0] = True
        return self.row(lambda: (np.not_equal(self.runs[1:], self.runs[:-1], out=self.mask[1:]), self.runs[self.mask])[1])

    def copy_if(self):
        return self.row(lambda: self.x[np.greater(self.x, 0, out=self.mask)])

    def top_k(self):
        return self.row(lambda: np.partition(self.x, self.x.size - K)[-K:])


PEERS = {"clwave": Clwave, "cupy": CuPy, "torch": PyTorch, "pyopencl": PyOpenCL, "numpy": NumPy}
