"""Calls that cannot be served say why, and nothing crashes."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import as_device, as_pyopencl

import clwave


def test_kinds():
    with pytest.raises(TypeError, match="incompatible"):
        clwave.reduce(None)
    assert issubclass(clwave.BadCall, (clwave.Error, ValueError)) and issubclass(clwave.OutOfMemory, MemoryError)
    with pytest.raises(clwave.BuildError) as caught:
        clwave.transform(np.ones(3, np.float32), map="x +* 2")
    assert caught.value.log and caught.value.primitive == "transform" and caught.value.code != 0
    with pytest.raises(clwave.DeviceAbsent):
        clwave.Queue("name~no such device")
    with pytest.raises(clwave.OutOfMemory):
        clwave.Array(1 << 50, np.uint8)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: clwave.reduce([1, 2]), "no array"),
        (lambda: clwave.reduce(np.array(["a"])), "no such type"),
        (lambda: clwave.reduce(np.ones(3, ">f4")), "order"),
        (lambda: clwave.reduce(np.ones(3, np.float32), "maximum"), "names nothing"),
        (lambda: clwave.reduce(np.ones(3, np.float32), 5), "clwave.Op"),
        (lambda: clwave.sort(np.ones(3, np.complex64)), "sort"),
        (lambda: clwave.inclusive_scan(np.ones(3, np.float32), out=np.ones(3, np.float32)), "NumPy"),
        (lambda: clwave.inclusive_scan(np.ones(3, np.float32), out=clwave.Array(2, np.float32)), "."),
        (lambda: clwave.gather(np.ones(3), np.array([7], np.uint32), checked=True), "outside"),
        (lambda: clwave.gemm(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)), "rows"),
        (lambda: clwave.top_k(np.ones(3, np.float32), 4), "elements"),
        (lambda: clwave.Array(5, np.float32)[::2], "contiguous"),
        (lambda: clwave.Array(5, np.float32).reshape(2, 2), "shape"),
        (lambda: clwave.histogram(np.ones(3), 4), "range"),
        (lambda: clwave.reduce(clwave.Array(3, np.float32), after=[3]), "after"),
        (lambda: clwave.reduce(clwave.Array(3, np.float32), queue=3), "queue"),
    ],
)
def test_bad_calls(call, text):
    with pytest.raises(clwave.BadCall, match=text):
        call()


def test_released_array():
    x = as_device(np.ones(3, np.float32))
    x.release()
    assert "released" in repr(x)
    with pytest.raises(clwave.BadCall, match="released"):
        clwave.reduce(x)
    with pytest.raises(clwave.BadCall, match="released"):
        x.get()


def test_array_of_another_context():
    x = clwave.Array.from_numpy(np.ones(3, np.float32), queue=clwave.Queue())
    with pytest.raises(clwave.BadCall, match="context"):
        clwave.reduce(x, queue=clwave.default_queue())


def test_gaps():
    x = as_pyopencl(np.arange(10, dtype=np.float32))
    with pytest.raises(clwave.BadCall, match="gaps"):
        clwave.reduce(x[::2])
    assert clwave.reduce(x[3:7]) == 18.0
    # NumPy's arrays are copied, whatever their strides.
    assert clwave.reduce(np.arange(10, dtype=np.float32)[::2]) == 20.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_child():
    clwave.reduce(np.ones(3, np.float32))
    code = (
        "import os, numpy as np, clwave\n"
        "x = clwave.Array.from_numpy(np.ones(3, np.float32)); clwave.reduce(x)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n"
        "        clwave.reduce(x)\n"
        "    except clwave.BadCall as refused:\n"
        "        os._exit(42 if 'fork' in str(refused) else 1)\n"
        "    os._exit(2)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


# A text that takes long, and a wait for it.
SLOW = (
    "import numpy as np, clwave, sys\n"
    "x = clwave.Array(1 << 22, np.float32); clwave.fill(x, 1.0).wait()\n"
    "slow = clwave.Map('f(x)', declarations='float f(float x) { for (int i = 0; i < 4000; ++i) x = sin(x) + 1; return x; }')\n"
    "y = clwave.Array(1 << 22, np.float32)\n"
    "e = clwave.transform(x, map=slow, out=y)\n"
    "print('waiting', flush=True)\n"
    "try:\n"
    "    e.wait()\n"
    "except KeyboardInterrupt:\n"
    "    print('interrupted', flush=True)\n"
    "    import os; os._exit(0)\n"
)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_ctrl_c_ends_a_wait():
    process = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "waiting\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - began < 2
    process.wait(30)


def test_threads():
    x = as_device(np.ones(10_000, np.float32))
    wrong = []

    def work():
        for _ in range(20):
            if clwave.reduce(x) != 10_000:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def hostile(random):
    """An argument of any type."""
    choices = [
        None, 0, -1, 2**70, 1.5, "", "plus", "x > 0", "a < b", b"x", [], [1], (), (1, 2), {}, object(), int,
        np.float32(1), np.zeros(0), np.zeros(3), np.zeros((2, 3), np.float32), np.zeros(3, np.complex64),
        np.zeros(3, [("a", np.int32)]), np.array("a"), np.array([None]), np.zeros(4, np.uint32)[::2], np.float64,
        SHARED[0], SHARED[1], SHARED[2], COUNTED[0], COUNTED[1], Pretender(), OddShape(), clwave.default_queue(), DONE[0],
    ]
    return choices[random.integers(len(choices))]


class Pretender:
    """Has what an array has, of wrong types."""

    int_ptr = "no number"
    dtype = np.dtype(np.float32)
    size = -3
    shape = ("a",)
    strides = 5


class OddShape(Pretender):
    int_ptr = 0
    size = np.int32(1)
    shape = (np.int32(1), "a")
    strides = ("b", None)


SHARED = [clwave.Array(3, np.float32), clwave.Array(0, np.int32), clwave.Array((2, 2), np.float64)]
DONE = [clwave.fill(SHARED[0], 1.0)]
COUNTED = [SHARED[n].first(clwave.Array.from_numpy(np.array([2], np.uint32))) for n in (0, 1)]


def test_hostile_arguments(random):
    """Calls with arguments of any type raise, or work; CLWAVE_PYTHON_FUZZ says how many, 10**5 for a long run."""
    calls = [
        getattr(clwave, name)
        for name in clwave.__all__
        if callable(getattr(clwave, name)) and name not in ("set_default_queue", "info", "trim", "structure", "Error")
        and not isinstance(getattr(clwave, name), type)
    ]
    calls += [clwave.Array, clwave.CountedArray, clwave.Op, clwave.Map, clwave.Array.from_numpy, SHARED[0].first]
    words = ["op", "map", "out", "queue", "after", "dtype", "count", "start", "same", "less", "by", "bits", "x"]
    for _ in range(int(os.environ.get("CLWAVE_PYTHON_FUZZ", "2000"))):
        call = calls[random.integers(len(calls))]
        positional = [hostile(random) for _ in range(random.integers(4))]
        named = {words[random.integers(len(words))]: hostile(random) for _ in range(random.integers(3))}
        try:
            call(*positional, **named)
        except (clwave.Error, TypeError, ValueError, OverflowError, IndexError, KeyError, AttributeError, RuntimeError):
            pass
    assert clwave.reduce(np.ones(3, np.float32)) == 3.0


@pytest.mark.parametrize(
    "call",
    [
        lambda x, out: clwave.gather(x, np.array([0], np.uint32), dtype=np.float64, out=out),
        lambda x, out: clwave.reduce_rows(x.reshape(1, 3), dtype=np.float64, out=out),
        lambda x, out: clwave.reduce_columns(x.reshape(3, 1), dtype=np.float64, out=out),
        lambda x, out: clwave.segmented_reduce(x, np.array([0, 3], np.uint32), dtype=np.float64, out=out),
        lambda x, out: clwave.reduce_by_key(x, x, dtype=np.float64, out=(clwave.Array(3, np.float32), out)),
        lambda x, out: clwave.inclusive_scan(x, dtype=np.float64, out=out),
        lambda x, out: clwave.transform(x, map="x", dtype=np.float64, out=out),
    ],
)
def test_a_dtype_beside_out(call):
    # Where `out` is, its dtype is the one: the same one is refused, too, so that none is ever ignored.
    with pytest.raises(clwave.BadCall, match="`dtype` is that of `out`"):
        call(np.ones(3, np.float32), clwave.Array(3, np.float32))


@pytest.mark.parametrize(
    "identity, expected",
    [
        (float("inf"), np.inf),
        (-np.inf, -np.inf),
        (np.nan, np.nan),
        (np.float32("inf"), np.inf),
        (0.1, 0.1),
        (True, 1),
        (np.int16(-3), -3),
        (2**64 - 1, 2.0**64),
        (-(2**63), -(2.0**63)),
        ("INFINITY", np.inf),
    ],
)
def test_identities(identity, expected):
    for dtype in np.float32, np.float64:
        smallest = clwave.Op("a < b ? a : b", identity=identity)
        got = clwave.reduce(np.zeros(0, dtype), smallest)
        np.testing.assert_equal(dtype(got), dtype(expected))
        first = clwave.exclusive_scan(np.array([5, 3], dtype), smallest)[0]
        np.testing.assert_equal(first, dtype(expected))


def test_integer_identities():
    for dtype in np.int64, np.uint64:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        for identity in (int(least), int(most), least, most):
            assert clwave.reduce(np.zeros(0, dtype), clwave.Op("a + b", identity=identity)) == identity
    for bad in (2**64, -(2**63) - 1, 1j, np.complex64(1), [1], np.zeros(2)):
        with pytest.raises(clwave.BadCall, match="identity"):
            clwave.Op("a + b", identity=bad)
