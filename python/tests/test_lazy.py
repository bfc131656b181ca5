"""Inputs that are no arrays, against NumPy."""

import gc
import weakref

import numpy as np
import pytest
from conftest import as_device, host

import clwave

N = 5003


@pytest.fixture
def inputs(given, random):
    """Pairs of a LazyArray and the array that it stands for."""
    x = random.integers(-50, 50, N, dtype=np.int32)
    indices = random.integers(-3, N + 3, N, dtype=np.int64)
    inside = (indices >= 0) & (indices < N)
    gathered = np.where(inside, x[np.clip(indices, 0, N - 1)], 7)
    weights = random.integers(0, 9, N, dtype=np.uint8)
    return [
        (clwave.generated(N, "(int)(i % 17) - 8", np.int32), (np.arange(N) % 17 - 8).astype(np.int32)),
        (clwave.gather_of(given(x), given(indices), 7), gathered),
        (clwave.strided(given(x), 3), x[::3]),
        (clwave.reversed(given(x)), x[::-1]),
        (clwave.transformed(given(x), map="x * 2 + (int)i", dtype=np.int64), 2 * x.astype(np.int64) + np.arange(N)),
        (
            clwave.transformed(given(x), clwave.reversed(given(x)), given(weights), map="x * z - y"),
            x * weights - x[::-1],
        ),
        (clwave.transformed(*[given(x)] * 5, map="x0 + x1 + x2 + x3 - x4"), 3 * x),
    ]


def test_results(inputs):
    for lazy, x in inputs:
        assert (lazy.size, len(lazy), lazy.dtype) == (len(x), len(x), x.dtype)
        assert clwave.reduce(lazy) == x.sum()
        assert clwave.reduce(lazy, "max") == x.max()
        assert clwave.count_if(lazy, "x > 3") == (x > 3).sum()
        assert tuple(clwave.minmax(lazy)) == (x.min(), x.max())
        assert clwave.reduce_async(lazy).get() == x.sum()
        assert (host(clwave.inclusive_scan(lazy)) == np.cumsum(x)).all()
        assert (host(clwave.copy_if(lazy, "x > 3")) == x[x > 3]).all()
        assert [host(part).tolist() for part in clwave.partition_copy(lazy, "x > 3")] == [
            x[x > 3].tolist(), x[x <= 3].tolist()]
        values, lengths = clwave.run_lengths(lazy)
        starts = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
        assert (host(values) == x[starts]).all() and (host(lengths) == np.diff(np.append(starts, len(x)))).all()
        assert (host(clwave.histogram(lazy, 10, (-50, 50))) == np.histogram(x[x != 50], 10, (-50, 50))[0]).all()
        assert (host(clwave.transform(lazy, map="x - 1")) == x - 1).all()
        out = as_device(np.zeros(len(x), np.float64))
        clwave.transform(lazy, map="x", out=out).wait()
        assert (out.get() == x).all()
        rows = len(x) // 10
        if len(x) == rows * 10:
            assert (host(clwave.reduce_rows(lazy, shape=(rows, 10))) == x.reshape(rows, 10).sum(1)).all()


def test_rows_and_plans(random):
    x = random.integers(-50, 50, 6000, dtype=np.int32)
    lazy = clwave.reversed(as_device(x))
    assert (host(clwave.reduce_rows(lazy, shape=(60, 100))) == x[::-1].reshape(60, 100).sum(1)).all()
    assert (host(clwave.reduce_columns(lazy, shape=(60, 100))) == x[::-1].reshape(60, 100).sum(0)).all()
    assert "made where they are needed" in str(clwave.plan(clwave.reduce, lazy))
    assert repr(lazy) == "clwave.LazyArray(6000, int32)"


class Held(np.ndarray):
    """An array that may hold what is made of it."""


class Foreign:
    """An array of another library that may do so."""

    def __init__(self):
        own = clwave.Array(1, np.uint64)
        self.own, self.int_ptr, self.dtype, self.size, self.shape = own, own.int_ptr, own.dtype, own.size, own.shape


@pytest.mark.parametrize(
    "make, of",
    [
        (clwave.reversed, lambda: np.arange(4).view(Held)),
        (lambda x: clwave.transformed(np.arange(4), x, map="x + y"), lambda: np.arange(4).view(Held)),
        (lambda x: clwave.gather_of(np.arange(4), x), lambda: np.arange(4).view(Held)),
        (lambda x: clwave.CountedArray(x, clwave.Array(1, np.uint64)), Foreign),
        (lambda x: clwave.CountedArray(clwave.Array(1, np.uint64), x), Foreign),
        (lambda x: clwave.CountedSegments(x, x), Foreign),
    ],
)
def test_circles_are_collected(make, of):
    x = of()
    x.made = make(x)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", [clwave.LazyArray, clwave.CountedArray, clwave.CountedSegments])
@pytest.mark.filterwarnings("ignore:nanobind")
def test_without_a_constructor(kind):
    made = kind.__new__(kind)
    for call in (
        clwave.reduce,
        lambda x: clwave.transform(x, map="x"),
        lambda x: clwave.segmented_reduce(np.ones(3, np.float32), x),
        lambda x: clwave.transformed(x, map="x"),
        lambda x: clwave.fill(x, 1),
    ):
        with pytest.raises((TypeError, clwave.BadCall)):
            call(made)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: clwave.sort(clwave.reversed(x)), "lie nowhere"),
        (lambda x: clwave.merge(clwave.reversed(x), x), "."),
        (lambda x: clwave.reduce(x, y=clwave.reversed(x)), "."),
        (lambda x: clwave.fill(clwave.reversed(x), 1), "lie nowhere"),
        (lambda x: clwave.copy_if(x, "x", out=clwave.reversed(x)), "lie nowhere"),
        (lambda x: clwave.strided(x, 0), "0"),
        (lambda x: clwave.gather_of(clwave.reversed(x), x), "transformed takes both"),
        (lambda x: clwave.gather_of(x, x.astype(np.float32)), "."),
        (lambda x: clwave.transformed(map="x"), "1 to 8"),
        (lambda x: clwave.transformed(*[x] * 9, map="x0"), "1 to 8"),
        (lambda x: clwave.transformed(x, x[1:], map="x + y"), "elements"),
        (lambda x: clwave.transformed(clwave.transformed(x, map="-x"), map="x"), "function already"),
        (lambda x: clwave.reduce_rows(clwave.reversed(x)), "dimensions"),
        (lambda x: clwave.generated(3, "i", object), "no such type"),
        (lambda x: clwave.transformed(x, map="x", dtype=object), "no such type"),
        (lambda x: clwave.CountedArray(clwave.reversed(x), as_device(x[:1].astype(np.uint32))), "on the device"),
        (lambda x: as_device(x).first(clwave.generated(1, "i", np.uint32)), "on the device"),
    ],
)
def test_refusals(call, message):
    x = np.arange(100, dtype=np.int32)
    with pytest.raises(clwave.BadCall, match=message):
        clwave.reduce(call(x))
