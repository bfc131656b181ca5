"""Values that come later."""

import gc
import subprocess
import sys

import numpy as np
import pytest
from conftest import as_device

import clwave


def test_values(given, random):
    for n in (1, 257, 8193, 65537):
        x = random.standard_normal(n).astype(np.float32)
        made = given(x)
        assert clwave.reduce_async(made, "max").get() == clwave.reduce(made, "max") == x.max()
        assert clwave.reduce_async(made, map="x * x", dtype=np.float64).get() == clwave.reduce(made, map="x * x", dtype=np.float64)
        assert clwave.reduce_async(made, y=made, map="x - y").get() == 0
        assert clwave.dot_async(made, made).get() == clwave.dot(made, made)
        assert clwave.argmin_async(made).get() == (x.min(), x.argmin())
        assert clwave.argmax_async(made).get() == (x.max(), x.argmax())
    small = np.full(1000, 200, np.uint8)
    assert clwave.reduce_async(given(small)).get() == 200_000
    assert clwave.reduce_async(given(x[:0])).get() == 0


def test_many_at_once():
    x = as_device(np.arange(100_000, dtype=np.int64))
    all_of_them = [clwave.reduce_async(x[: 1000 * k]) for k in range(1, 101)]
    assert all(isinstance(each, clwave.Future) for each in all_of_them)
    for k, each in reversed(list(enumerate(all_of_them, 1))):
        n = 1000 * k
        assert each.get() == each.get() == n * (n - 1) // 2 and each.done


def test_events_and_order():
    x = as_device(np.ones(1000, np.float32))
    later = clwave.reduce_async(x)
    event = clwave.fill(x, 3.0, after=later.event)
    second = clwave.reduce_async(x, after=[event, later.event])
    assert (later.get(), second.get()) == (1000, 3000)
    # Work that is not waited for keeps what it reads; a value that nobody fetches is dropped.
    clwave.reduce_async(as_device(np.ones(1 << 20, np.float32)))
    last = clwave.reduce_async(as_device(np.ones(1 << 20, np.float32)))
    gc.collect()
    assert last.get() == 1 << 20
    large = clwave.reduce_async(np.ones((1 << 23) + 1, np.float32))  # is copied, where reduce streams
    assert large.get() == (1 << 23) + 1


def test_refusals():
    with pytest.raises(clwave.BadCall, match="names nothing"):
        clwave.reduce_async(np.ones(3), "maximum")
    with pytest.raises(clwave.BadCall):
        clwave.argmin_async(np.zeros(0, np.float32))
    with pytest.raises(TypeError):
        clwave.Future()
    with pytest.raises(TypeError):
        clwave.reduce_async(np.ones(3), out=clwave.Array(1, np.float64))
    assert clwave.plan(clwave.reduce_async, np.ones(3))["primitive"] == "reduce"
    clwave.prepare((clwave.argmax_async, np.ones(3))).wait()


def test_a_forked_child():
    text = """
import os, numpy as np, clwave
later = clwave.reduce_async(np.ones(5, np.float32))
child = os.fork()
if child == 0:
    try:
        later.get()
    except clwave.BadCall:
        del later
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert later.get() == 5
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
