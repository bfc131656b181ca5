"""NumPy arrays that pass through the device in pieces: the bits of one call, little memory, and Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import as_device

import clwave

# Arrays of 32 MiB are streamed; these are larger by something odd, and smaller by one element.
N = (1 << 23) + 12_345


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(7).standard_normal(N, dtype=np.float32)


@pytest.fixture(scope="module")
def on_device(x):
    return as_device(x)


def test_reductions(x, on_device):
    assert clwave.reduce(x) == clwave.reduce(on_device)
    assert clwave.reduce(x, "max", map="x * i") == clwave.reduce(on_device, "max", map="x * i")
    assert clwave.reduce(x, dtype=np.float64) == clwave.reduce(on_device, dtype=np.float64)
    assert clwave.dot(x, x) == clwave.dot(on_device, on_device)
    assert clwave.argmin(x) == clwave.argmin(on_device) == (x.min(), x.argmin())
    assert clwave.argmax(x) == (x.max(), x.argmax())
    small = (x * 10).astype(np.int8).repeat(4)
    assert clwave.reduce(small) == small.sum(dtype=np.int64)
    before = x[: (1 << 23) - 1]  # 4 bytes less than are streamed
    assert clwave.reduce(before) == clwave.reduce(as_device(before))


@pytest.mark.parametrize("call", [clwave.inclusive_scan, clwave.exclusive_scan])
def test_scans(call, x, on_device):
    assert (call(x) == call(on_device).get()).all()
    wide = call(x, "plus", map="fabs(x)", start=2.5, dtype=np.float64)
    assert wide.dtype == np.float64
    assert (wide == call(on_device, "plus", map="fabs(x)", start=2.5, dtype=np.float64).get()).all()


def test_shapes_and_orders(x):
    matrix = x[: 1 << 23].reshape(2048, 4096)
    result = clwave.inclusive_scan(matrix)
    assert result.shape == matrix.shape and (result.ravel() == clwave.inclusive_scan(matrix.ravel())).all()
    # Elements with gaps, or in another order than C's, are seen in C's order.
    assert clwave.reduce(x[::-1], "max", map="x + i") == clwave.reduce(x[::-1].copy(), "max", map="x + i")
    turned = clwave.inclusive_scan(matrix.T, "max")
    assert (turned.ravel() == np.maximum.accumulate(matrix.T.ravel())).all()


def test_histograms(x, on_device):
    assert (clwave.histogram(x, 50, (-3, 3)) == clwave.histogram(on_device, 50, (-3, 3)).get()).all()
    edges = [-2.0, 0.0, 0.5, 2.0]
    assert (clwave.histogram(x, edges) == clwave.histogram(on_device, edges).get()).all()
    pixels = (x[: 1 << 23] * 20).astype(np.int32)
    channels = clwave.histogram(pixels, 40, (-20, 20), channels=4)
    assert (channels == clwave.histogram(as_device(pixels), 40, (-20, 20), channels=4).get()).all() and channels.sum() > N // 2


def test_events_and_plans(x):
    before = clwave.inclusive_scan(as_device(x), out=clwave.Array(N, np.float32))
    assert clwave.reduce(x, after=before) == clwave.reduce(x) and before.done
    assert clwave.plan(clwave.reduce, x)["n"] == N
    assert clwave.plan(clwave.inclusive_scan, x)["primitive"] == "scan"
    # A result on the device comes from a copy there, by a call that returns at once.
    out = clwave.Array(1, np.float32)
    clwave.reduce(x, out=out).wait()
    assert out.get()[0] == clwave.reduce(x)


def test_refusals(x):
    with pytest.raises(clwave.BadCall):
        clwave.reduce(x, y=x[:-100], map="x * y")
    with pytest.raises(clwave.BuildError):
        clwave.inclusive_scan(x, map="x +* 2")
    with pytest.raises(clwave.BadCall, match="order"):
        clwave.reduce(x.astype(">f4"))
    with pytest.raises(clwave.BadCall, match="edges|rise|bins"):
        clwave.histogram(x, [1.0, 0.0])
    assert clwave.reduce(x) == clwave.reduce(x)


def test_memory():
    # The pages of zeros that are only read take no memory, so what is taken is the call's own.
    text = """
import resource, numpy as np, clwave
x = np.zeros(1 << 30, np.uint8)
clwave.reduce(x[: 1 << 26], "max")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert clwave.reduce(x, "max") == 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    taken = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    assert int(taken) < 300 << 10, "KiB for an array of 1 GiB"


def test_interrupt(heeds_ctrl_c):
    # Each element loops, so that the whole takes many seconds.
    slow = clwave.Map("spin(x)", declarations="uchar spin(uchar x) { for (int i = 0; i < 50; ++i) x = x * 5 + 1; return x; }")
    x = np.zeros(1 << 31, np.uint8)
    part = x[: 1 << 26]
    clwave.reduce(part, "max", map=slow)
    # The processor's time, of which a machine that others use has its share.
    begin = time.process_time()
    clwave.reduce(part, "max", map=slow)
    of_part = time.process_time() - begin
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        clwave.reduce(x, "max", map=slow)
    assert time.process_time() - begin < of_part * 16, "half of the array's 32 parts were folded"
    assert clwave.reduce(np.ones(3, np.float32)) == 3
