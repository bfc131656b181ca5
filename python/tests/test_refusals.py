"""Calls that cannot be served say why, and nothing crashes."""

import ast
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import HEED_CTRL_C, as_device, as_pyopencl

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
        (lambda: clwave.gemv([[1.0]], np.ones(1, np.float32)), "no shape"),
        (lambda: clwave.transpose(clwave.Array(4, np.float32).first(clwave.Array(1, np.uint32))), "no shape"),
        (lambda: clwave.top_k(np.ones(3, np.float32), 4), "elements"),
        (lambda: clwave.reversed(Pretender()), "the array's size is no number"),
        (lambda: clwave.CountedArray(SHARED[0], OfNoSize()), "the array's size is no number"),
        (lambda: clwave.sort(clwave.Sharded([SHARED[0]])), "no array in shards"),
        (lambda: clwave.reduce(clwave.reversed(clwave.Sharded([SHARED[0]]))), "no array in shards"),
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


@pytest.mark.parametrize(
    "call",
    [
        lambda x, f, i, n: clwave.transform_to(x, maps=["x", "2 * x"], out=(f(3), f(3))),
        lambda x, f, i, n: clwave.copy_if(x, "x > 0", out=f(3), count=n(1)),
        lambda x, f, i, n: clwave.partition_copy(x, "x > 0", "x < 0", out=(f(3), f(3), f(3)), count=n(2)),
        lambda x, f, i, n: clwave.sort_by_key(x, x, out=(f(3), f(3))),
        lambda x, f, i, n: clwave.merge_by_key(x, x, x, x, out=(f(6), f(6))),
        lambda x, f, i, n: clwave.reduce_by_key(x, x, out=(f(3), f(3)), count=n(1)),
        lambda x, f, i, n: clwave.top_k(x, 2, out=(f(2), i(2))),
        lambda x, f, i, n: clwave.segmented_top_k(x, np.array([0, 3], np.uint32), 2, out=(f(2), i(2))),
    ],
)
def test_outputs_say_the_queue(call):
    # Of arrays of NumPy into arrays of a queue in a context of its own: it is that of the first array on the device.
    there = lambda dtype: lambda n: clwave.Array(n, dtype, queue=ELSEWHERE)  # noqa: E731
    call(np.ones(3, np.float32), there(np.float32), there(np.uint32), there(np.uint64)).wait()


ELSEWHERE = clwave.Queue()


def test_gaps():
    x = as_pyopencl(np.arange(10, dtype=np.float32))
    with pytest.raises(clwave.BadCall, match="gaps"):
        clwave.reduce(x[::2])
    assert clwave.reduce(x[3:7]) == 18.0
    # NumPy's arrays are copied, whatever their strides.
    assert clwave.reduce(np.arange(10, dtype=np.float32)[::2]) == 20.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_child():
    # The child is refused everything, and ends as any other process does; the parent goes on.
    code = """
import gc, os, sys, numpy as np, clwave
x = clwave.Array.from_numpy(np.ones(3, np.float32)); clwave.reduce(x)
e = clwave.fill(x, 1.0)
tries = [lambda: clwave.reduce(x), lambda: clwave.sort(np.ones(3, np.float32)), lambda: x.get(), lambda: x.set(np.ones(3)),
         lambda: clwave.Array(3, np.int32), lambda: clwave.Queue(), lambda: clwave.default_queue().finish(),
         lambda: clwave.inclusive_scan(x, out=x), lambda: clwave.reduce_async(x), lambda: e.wait(), lambda: e.done,
         lambda: clwave.reduce(np.ones(1 << 23, np.float32)), lambda: clwave.trim()]
child = os.fork()
if child == 0:
    wrong = 0
    for number, each in enumerate(tries):
        try:
            each()
            wrong = 100 + number
        except clwave.BadCall as refused:
            if "fork" not in str(refused):
                wrong = 200 + number
    del x, e, tries, each
    gc.collect()
    sys.exit(wrong or 42)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert code == 42, code
assert clwave.reduce(x) == 3
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)


# A text that takes minutes, and a wait for it.
SLOW = (
    "import numpy as np, clwave, sys\n"
    "x = clwave.Array(1 << 22, np.float32); clwave.fill(x, 1.0).wait()\n"
    "slow = clwave.Map('f(x)', declarations='float f(float x) { for (int i = 0; i < 4000; ++i) x = sin(x) + 1; return x; }')\n"
    "y = clwave.Array(1 << 22, np.float32)\n"
    "clwave.transform(x[:1], map=slow), clwave.reduce(x), clwave.reduce_async(x).get()  # built\n"
    "e = clwave.transform(x, map=slow, out=y) if sys.argv[1] != 'a call' else None\n"
    "print('waiting', flush=True)\n"
    "try:\n"
    "    WAIT\n"
    "except KeyboardInterrupt:\n"
    "    print('interrupted', flush=True)\n"
    "    import os; os._exit(0)\n"
)
WAITS = {
    "an event": "e.wait()",
    "a call": "clwave.transform(x, map=slow)",
    "a value": "clwave.reduce(y)",
    "a future": "clwave.reduce_async(y).get()",
    "a queue": "clwave.default_queue().finish()",
    "a read": "y.get()",
    "an array of NumPy": "clwave.sort(np.ones(5, np.float32), after=e)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize("what", WAITS)
def test_ctrl_c_ends_a_wait(what):
    text = HEED_CTRL_C + SLOW.replace("WAIT", WAITS[what])
    process = subprocess.Popen([sys.executable, "-c", text, what], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        killer = threading.Timer(20, process.kill)
        killer.start()
        assert process.stdout.readline() == "interrupted\n"
        print(f"{what}: {(time.monotonic() - began) * 1000:.0f} ms")
        assert time.monotonic() - began < 2
        killer.cancel()
        process.wait(30)
    finally:
        process.kill()


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
        SHARED[0], SHARED[1], SHARED[2], COUNTED[0], COUNTED[1], *LAZY, SEGMENTS, Pretender(), OddShape(), clwave.default_queue(), DONE[0],
        *UNMADE,
    ]
    return choices[random.integers(len(choices))]


def fitting(random, name):
    """An argument such as a parameter of this name takes."""
    pool = FITTING.get(name, ARRAYS)
    return pool[random.integers(len(pool))]


def parameters(call):
    """What the extension defines takes: (positions without a default, names without one, names with one)."""
    signature = (call.__init__ if isinstance(call, type) else call).__nb_signature__[0][0]
    of = ast.parse(signature + ": ...").body[0].args
    plain = [each.arg for each in of.args if each.arg != "self"]
    needed = len(plain) - len(of.defaults)
    named = [(each.arg, default is None) for each, default in zip(of.kwonlyargs, of.kw_defaults)]
    return plain[:needed], [name for name, is_needed in named if is_needed], plain[needed:] + [name for name, is_needed in named if not is_needed]


class Pretender:
    """Has what an array has, of wrong types."""

    int_ptr = "no number"
    dtype = np.dtype(np.float32)
    size = -3
    shape = ("a",)
    strides = 5


class OfNoSize(Pretender):
    dtype = np.dtype(np.uint32)


class OddShape(Pretender):
    int_ptr = 0
    size = np.int32(1)
    shape = (np.int32(1), "a")
    strides = ("b", None)


SHARED = [clwave.Array(3, np.float32), clwave.Array(0, np.int32), clwave.Array((2, 2), np.float64)]
DONE = [clwave.fill(SHARED[0], 1.0)]
COUNTED = [SHARED[n].first(clwave.Array.from_numpy(np.array([2], np.uint32))) for n in (0, 1)]
LAZY = [
    clwave.generated(3, "i", np.float32), clwave.reversed(SHARED[0]), clwave.generated(2**64 - 1, "i", np.float32),
    clwave.transformed(np.ones(3, np.float32), SHARED[0], map=clwave.Map("k * x + y", values={"k": 2.0})),
]
SEGMENTS = clwave.Array.from_numpy(np.array([0, 1, 3], np.uint32)).first_segments(COUNTED[0].count)
# Without a constructor, and so without anything in them.
UNMADE = [each.__new__(each) for each in (clwave.LazyArray, clwave.CountedArray, clwave.CountedSegments)]
ARRAYS = [
    SHARED[0], SHARED[0], COUNTED[0], LAZY[0], LAZY[1], LAZY[3], np.ones(3, np.float32), np.ones(3, np.int32), np.ones((1, 3), np.float32), SHARED[2],
    np.zeros(3, [("a", np.int32), ("b", np.int16)]), np.zeros(0, np.float32), clwave.Array(3, np.uint32),
]
NUMBERS = [0, 1, 3, 1.5, np.float32(2)]
OUT = [clwave.Array(3, np.float32), clwave.Array(3, np.float32), clwave.Array(3, np.uint32), clwave.Array(1, np.float32)]
FITTING = {
    "op": ["plus", "max", "a * b", clwave.Op("a + b", identity=0)], "map": ["x", "x * 2", "x > 0", clwave.Map("x + 1")],
    "predicate": ["x > 0", "x", "i % 2"], "same": ["a == b"], "less": ["a < b", "a > b"], "descending": [True, False],
    "by": [("x", np.float32), [("x", np.int32, True)]], "bits": [(0, 8), (1, 3)], "dtype": [np.float32, np.int32, "f8", np.uint8],
    "start": NUMBERS, "value": NUMBERS, "outside": NUMBERS, "alpha": NUMBERS, "beta": NUMBERS, "k": [0, 1, 3], "block": [1, 4],
    "bins": [4, np.array([0.0, 1.0, 2.0]), SHARED[0]], "range": [(0, 4), (0.0, 1.0)], "channels": [1, 3], "per": ["row", "column"],
    "shape": [3, (3, 1), (1, 3)], "queue": [clwave.default_queue()], "after": [DONE[0], [DONE[0], None]], "fields": [["a"], None],
    "offsets": [np.array([0, 1, 3], np.uint32), np.array([2, 1], np.uint64), SEGMENTS], "count": [COUNTED[0].count, clwave.Array(1, np.uint64)],
    "first": [0, 1, 2], "step": NUMBERS, "indices": [np.array([2, 0, 9], np.uint32), np.array([-1, 1], np.int64)], "source": ["a + b", "x"], "threads": [0, 1],
    "maps": [["x"], ["x", "2 * x"], ("x + i", clwave.Map("x * x"), "i")], "second": ["x > 1", None], "n": [0, 1, 3],
    "flags": [np.array([1, 0, 1], np.uint8), np.ones(3, np.float32)], "out": [*OUT, (OUT[0], OUT[2]), (OUT[0], OUT[1], OUT[3])],
    **dict.fromkeys(["starts", "lengths", "out_starts"], [np.array([0, 1], np.uint32), np.array([2, -1], np.int32)]),
}


@pytest.mark.filterwarnings("ignore:nanobind")
def test_hostile_arguments(random):
    """Calls with arguments of any type raise, or work; CLWAVE_PYTHON_FUZZ says how many, 10**5 for a long run.

    Three of four arguments are such as the parameter takes, so that calls come far before they are refused, and some work.
    """
    calls = [
        getattr(clwave, name)
        for name in clwave.__all__
        if hasattr(getattr(clwave, name), "__nb_signature__") and name not in ("set_default_queue", "info", "trim")
    ]
    calls += [clwave.Array, clwave.CountedArray, clwave.CountedSegments, clwave.Sharded, clwave.Op, clwave.Map]
    calls += [clwave.Array.from_numpy, SHARED[0].first, SHARED[0].first_segments]
    known = {id(call): parameters(call) for call in calls}
    assert len(calls) > 60
    n, worked, refused = int(os.environ.get("CLWAVE_PYTHON_FUZZ", "500")), 0, 0
    for _ in range(n):
        call = calls[random.integers(len(calls))]
        needed, named, others = known[id(call)]
        named = named + [name for name in others if random.integers(6) == 0]
        draw = lambda name: fitting(random, name) if random.integers(4) else hostile(random)  # noqa: E731
        if random.integers(20) == 0:  # too few of them, or one too many
            needed = needed[1:] if random.integers(2) else [*needed, "x"]
        try:
            call(*[draw(name) for name in needed], **{name: draw(name) for name in named})
            worked += 1
        except clwave.Error:
            refused += 1
        except (TypeError, ValueError, OverflowError, IndexError, KeyError, AttributeError, RuntimeError):
            pass
    print(f"{worked} of {n} calls worked, {refused} were refused by clwave")
    # Else this test would see no more than what nanobind refuses.
    assert worked > n / 10 and refused > n / 10
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
