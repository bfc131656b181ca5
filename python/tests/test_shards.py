"""Arrays in shards on several queues: the bits of one call, wherever they are cut."""

import numpy as np
import pytest
from conftest import as_device

import clwave

N = 40_001


@pytest.fixture(scope="module")
def queues():
    # The second has a context of its own.
    return [clwave.default_queue(), clwave.Queue(), clwave.default_queue()]


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(3).standard_normal(N).astype(np.float32)


@pytest.mark.parametrize("lengths", [None, [N, 0, 0], [0, 1, N - 1], [8192, 8192, N - 16384], [123, 30_000, N - 30_123]])
def test_the_bits_of_one_call(queues, x, lengths):
    cut, whole = clwave.Sharded.from_numpy(x, queues, lengths), as_device(x)
    assert len(cut) == cut.size == N and cut.dtype == np.float32 and (cut.get() == x).all()
    assert clwave.reduce(cut) == clwave.reduce(whole)
    assert clwave.reduce(cut, "max", map="x * i") == clwave.reduce(whole, "max", map="x * i")
    assert clwave.reduce(cut, dtype=np.float64) == clwave.reduce(whole, dtype=np.float64)
    assert clwave.dot(cut, cut) == clwave.dot(whole, whole)
    assert clwave.argmin(cut) == clwave.argmin(whole) == (x.min(), x.argmin())
    assert clwave.argmax(cut) == (x.max(), x.argmax())
    for call in clwave.inclusive_scan, clwave.exclusive_scan:
        assert (call(cut).get() == call(whole).get()).all()
        wide = call(cut, "plus", start=2.0, dtype=np.float64)
        assert (wide.get() == call(whole, "plus", start=2.0, dtype=np.float64).get()).all()
    assert clwave.inclusive_scan(cut, "max", out=cut) is None
    assert (cut.get() == np.maximum.accumulate(x)).all()


def test_other_types(queues):
    small = np.full(1000, 200, np.uint8)
    cut = clwave.Sharded.from_numpy(small, queues, [300, 300, 400])
    assert clwave.reduce(cut) == 200_000
    z = (np.arange(90) + 1j).astype(np.complex64)
    assert clwave.reduce(clwave.Sharded.from_numpy(z, queues[:2], [20, 70])) == clwave.reduce(z)
    halves = np.arange(50, dtype=np.float16)
    assert clwave.argmax(clwave.Sharded.from_numpy(halves, queues[:2], [20, 30])) == (49, 49)


def test_shards_are_the_given_arrays(queues, x):
    first, second = as_device(x[:100]), as_device(x[100:])
    cut = clwave.Sharded([first, second])
    before = clwave.fill(first, 0.0)
    assert clwave.reduce(cut, "max", after=before) == max(x[100:].max(), 0)
    clwave.inclusive_scan(cut.shards[0], out=cut.shards[0]).wait()
    assert not first.get().any()
    second.release()  # this object's reference; the shard has its own
    assert clwave.reduce(cut, "max") == max(x[100:].max(), 0)
    lengths = clwave.split(100_000, queues)
    assert len(lengths) == 3 and sum(lengths) == 100_000


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda s: clwave.Sharded([]), "no shard"),
        (lambda s: clwave.Sharded([np.ones(3)]), "clwave.Array"),
        (lambda s: clwave.Sharded([clwave.Array(3, "f4"), clwave.Array(3, "i4")]), "one type"),
        (lambda s: clwave.Sharded([clwave.Array((2, 3), "f4")]), "dimension"),
        (lambda s: clwave.Sharded.from_numpy(np.ones(5), []), "no queue"),
        (lambda s: clwave.Sharded.from_numpy(np.ones(5), [clwave.default_queue()], [6]), "more than"),
        (lambda s: clwave.Sharded.from_numpy(np.ones(5), [clwave.default_queue()], [4]), "less than"),
        (lambda s: clwave.reduce(s, out=clwave.Array(1, "f4")), "`out` does not go"),
        (lambda s: clwave.reduce(s, queue=clwave.default_queue()), "`queue` does not go"),
        (lambda s: clwave.reduce(s, y=np.ones(3, "f4"), map="x * y"), "in shards, as `x` is"),
        (lambda s: clwave.reduce_async(s), "comes later"),
        (lambda s: clwave.argmin_async(s), "comes later"),
        (lambda s: clwave.plan(clwave.reduce, s), "no plan"),
        (lambda s: clwave.inclusive_scan(s, out=clwave.Array(3, "f4")), "in shards, as `x` is"),
        (lambda s: clwave.inclusive_scan(s, out=clwave.Sharded([clwave.Array(3, "f4")])), "."),
        (lambda s: clwave.sort(s), "."),
    ],
)
def test_refusals(call, text):
    with pytest.raises(clwave.BadCall, match=text):
        call(clwave.Sharded([as_device(np.ones(1, np.float32)), as_device(np.ones(2, np.float32))]))
