"""Calls on as many elements as a number on the device says: the bits of the same calls on as many as the host says."""

import functools
import gc

import numpy as np
import pytest
from conftest import as_device, as_pyopencl, host

import clwave

N = 3001
COUNTS = [0, 1, 700, N - 1, N, N + 50]

# Each takes the elements (floats, and keys in runs), indices, and a function that gives an array beside them their length.
CALLS = {
    "reduce": lambda x, keys, at, beside: clwave.reduce(x),
    "reduce with a map": lambda x, keys, at, beside: clwave.reduce(keys, "max", map="x + 3", dtype=np.int64),
    "reduce of bytes": lambda x, keys, at, beside: clwave.reduce(beside.counted(BYTES), "min"),
    "reduce of two": lambda x, keys, at, beside: clwave.reduce(x, y=beside(Y), map="x * y"),
    "reduce_async": lambda x, keys, at, beside: clwave.reduce_async(x, "max").get(),
    "dot": lambda x, keys, at, beside: clwave.dot(x, beside(Y)),
    "transform": lambda x, keys, at, beside: clwave.transform(x, map="2 * x + i", dtype=np.float64),
    "transform of two": lambda x, keys, at, beside: clwave.transform(x, beside(Y), map="x - y"),
    "inclusive_scan": lambda x, keys, at, beside: clwave.inclusive_scan(x),
    "exclusive_scan": lambda x, keys, at, beside: clwave.exclusive_scan(keys, "max", start=3),
    "gather": lambda x, keys, at, beside: clwave.gather(Y, at, outside=7.0),
    "gather that checks": lambda x, keys, at, beside: clwave.gather(Y, at, map="x / 2", checked=True),
    "copy_if": lambda x, keys, at, beside: clwave.copy_if(x, "x > 0"),
    "copy_flagged": lambda x, keys, at, beside: clwave.copy_flagged(x, beside(BYTES)),
    "partition": lambda x, keys, at, beside: clwave.partition(x, "x > 0"),
    "partition_copy": lambda x, keys, at, beside: clwave.partition_copy(x, "x > 0"),
    "unique": lambda x, keys, at, beside: clwave.unique(keys),
    "unique_by_key": lambda x, keys, at, beside: clwave.unique_by_key(keys, beside(Y)),
    "run_lengths": lambda x, keys, at, beside: clwave.run_lengths(keys),
    "run_offsets": lambda x, keys, at, beside: clwave.run_offsets(keys),
    "sort": lambda x, keys, at, beside: clwave.sort(x, descending=True),
    "argsort": lambda x, keys, at, beside: clwave.argsort(keys),
    "reduce with a start": lambda x, keys, at, beside: clwave.reduce(keys, "a - b", start=3),
    "count_if": lambda x, keys, at, beside: clwave.count_if(x, "x > 0"),
    "count_if of two": lambda x, keys, at, beside: clwave.count_if(x, "x > y", y=beside(Y)),
    "minmax": lambda x, keys, at, beside: clwave.minmax(x),
    "minmax_async": lambda x, keys, at, beside: clwave.minmax_async(keys).get(),
    "mean_and_variance": lambda x, keys, at, beside: clwave.mean_and_variance(x),
    "find_if": lambda x, keys, at, beside: clwave.find_if(x, "i == 2999") or -1,
    "any_of": lambda x, keys, at, beside: clwave.any_of(keys, "i > 699"),
    "all_of": lambda x, keys, at, beside: clwave.all_of(keys, "i < 700"),
    "none_of": lambda x, keys, at, beside: clwave.none_of_async(keys, "i > 699").get(),
    "is_sorted": lambda x, keys, at, beside: clwave.is_sorted(x),
    "top_k": lambda x, keys, at, beside: clwave.top_k(x, beside.least(100)),
    "histogram": lambda x, keys, at, beside: clwave.histogram(x, 9000, (-2, 2)),
    "reduce_by_key": lambda x, keys, at, beside: clwave.reduce_by_key(keys, beside(Y)),
    "inclusive_scan_by_key": lambda x, keys, at, beside: clwave.inclusive_scan_by_key(keys, beside(Y)),
    "exclusive_scan_by_key": lambda x, keys, at, beside: clwave.exclusive_scan_by_key(keys, beside(Y), start=2.5),
    "sort by an operator": lambda x, keys, at, beside: clwave.sort(x, less="b < a"),
    "argsort by keys": lambda x, keys, at, beside: clwave.argsort(x, by=[("x * x", np.float32)]),
    "sort_by_key": lambda x, keys, at, beside: clwave.sort_by_key(keys, beside(Y)),
    "merge": lambda x, keys, at, beside: clwave.merge(beside.counted(RISING), beside.counted(RISING)),
    "merge_by_key": lambda x, keys, at, beside: clwave.merge_by_key(beside.counted(RISING), beside(Y), RISING, Y),
    "set_union": lambda x, keys, at, beside: clwave.set_union(RISING, beside.counted(RISING)),
    "set_intersection": lambda x, keys, at, beside: clwave.set_intersection(beside.counted(RISING), RISING),
}

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal(N).astype(np.float32)
KEYS = np.repeat(RANDOM.integers(-5, 5, N), RANDOM.integers(1, 5, N))[:N].astype(np.int32)
AT = RANDOM.permutation(N).astype(np.uint32)
Y = as_device(RANDOM.standard_normal(N).astype(np.float32))
RISING = as_device(np.sort(KEYS))
BYTES = as_device(RANDOM.integers(0, 3, N).astype(np.uint8))


def flat(result):
    """The bytes of every part of a result."""
    if isinstance(result, tuple):
        return [part for one in result for part in flat(one)]
    if isinstance(result, (int, float)):
        return [np.asarray(result).tobytes()]
    made = host(result)
    return [(made.shape, made.tobytes())]


@pytest.mark.parametrize("make", [as_device, as_pyopencl], ids=["clwave", "pyopencl"])
@pytest.mark.parametrize("name", CALLS)
def test_results(make, name):
    x, keys, at = make(X), make(KEYS), make(AT)
    for which, n in enumerate(COUNTS):
        number = make(np.array([5, n], np.uint32 if which % 2 else np.uint64))[1:]

        def whole(array):
            return array

        def some(array):
            return array[: min(n, N)]

        whole.counted = lambda array: clwave.CountedArray(array, number)
        some.counted = some
        # A call with a number on the device writes as many as there are, where these are fewer.
        whole.least, some.least = (lambda k: k), (lambda k: min(k, n))
        expected = CALLS[name](some(x), some(keys), some(at), some)
        found = CALLS[name](whole.counted(x), whole.counted(keys), whole.counted(at), whole)
        assert flat(found) == flat(expected), n
        assert type(found) is type(expected)


@pytest.mark.parametrize("n", COUNTS)
def test_what_lies_behind_stays(n):
    x, keys = as_device(X), as_device(KEYS)
    number = as_device(np.array([n], np.uint64))
    out, second = (as_device(np.full(N, 77, np.int32)) for _ in range(2))
    length = min(n, N)
    clwave.inclusive_scan(keys.first(number), out=out).wait()
    assert (out.get()[:length] == np.cumsum(KEYS[:length])).all() and (out.get()[length:] == 77).all()
    clwave.sort_by_key(keys.first(number), keys, out=(out, second)).wait()
    assert (out.get()[:length] == np.sort(KEYS[:length])).all() and (second.get()[length:] == 77).all()
    clwave.scatter(keys, as_device(AT).first(number), out=clwave.copy(out)).wait()
    clwave.scatter(keys, as_device(AT).first(number), out, distinct=True).wait()
    assert (out.get()[AT[:length]] == KEYS[:length]).all()
    before = out.get()
    counts = clwave.Array(1, np.uint64)
    clwave.copy_if(keys.first(number), "x > 0", out=second, count=counts).wait()
    kept = KEYS[:length][KEYS[:length] > 0]
    assert counts.get()[0] == len(kept) and (second.get()[: len(kept)] == kept).all()
    clwave.replace_if(out.first(number), "x > 0", -9).wait()
    clwave.transform_if(keys.first(number), second, map="x", predicate="x < 0").wait()
    assert (out.get()[:length] <= 0).all() and (out.get()[length:] == before[length:]).all()
    here = clwave.copy(second)
    before = here.get()
    clwave.generate(here.first(number), "i * 2").wait()
    assert (here.get()[:length] == 2 * np.arange(length)).all() and (here.get()[length:] == before[length:]).all()
    clwave.iota(here.first(number), 7).wait()
    assert (here.get()[:length] == 7 + np.arange(length)).all() and (here.get()[length:] == before[length:]).all()
    value = clwave.Array(1, np.float32)
    clwave.reduce(x.first(number), "max" if length else "plus", out=value).wait()
    assert value.get()[0] == (X[:length].max() if length else 0)


def test_a_chain_reads_nothing():
    x = as_device(np.arange(10_000, dtype=np.int32))
    kept, once, sums = (clwave.Array(10_000, np.int32) for _ in range(3))
    n, m = clwave.Array(1, np.uint64), clwave.Array(1, np.uint64)
    e = clwave.copy_if(x, "x % 3 == 0", out=kept, count=n)
    e = clwave.transform(kept.first(n), map="x / 9", out=kept, after=e)
    e = clwave.unique(kept.first(n), out=once, count=m, after=e)
    e = clwave.inclusive_scan(once.first(m), out=sums, after=e)
    e.wait()
    expected = np.cumsum(np.unique(np.arange(0, 10_000, 3) // 9))
    assert m.get()[0] == len(expected)
    assert (sums.first(m).get() == expected).all()


OFFSETS = np.sort(RANDOM.integers(0, N + 1, 401)).astype(np.uint64)
SEGMENTS = [0, 1, 123, 399, 400, 450]

# Each takes offsets, and perhaps where its results go.
SEGMENT_CALLS = {
    "segmented_reduce": lambda offsets, out=None: clwave.segmented_reduce(X_THERE, offsets, out=out),
    "segmented_minmax": lambda offsets, out=None: clwave.segmented_minmax(X_THERE, offsets, out=out),
    "segmented_mean_and_variance": lambda offsets, out=None: clwave.segmented_mean_and_variance(Y, offsets, out=out),
    "segmented_inclusive_scan": lambda offsets, out=None: clwave.segmented_inclusive_scan(X_THERE, offsets, out=out),
    "segmented_exclusive_scan": lambda offsets, out=None: clwave.segmented_exclusive_scan(X_THERE, offsets, "max", start=1, out=out),
    "segmented_sort": lambda offsets, out=None: clwave.segmented_sort(X_THERE, offsets, out=out),
    "segmented_sort by keys": lambda offsets, out=None: clwave.segmented_sort(X_THERE, offsets, by=[("x * x", np.float32)], out=out),
    "segmented_top_k": lambda offsets, out=None: clwave.segmented_top_k(X_THERE, offsets, 3, out=out),
    "segmented_sort_by_key": lambda offsets, out=None: clwave.segmented_sort_by_key(X_THERE, Y, offsets, out=out),
}
X_THERE = as_device(X)


@pytest.mark.parametrize("make", [as_device, as_pyopencl], ids=["clwave", "pyopencl"])
@pytest.mark.parametrize("name", SEGMENT_CALLS)
def test_segments(make, name):
    call = SEGMENT_CALLS[name]
    of_all = call(as_device(OFFSETS))
    parts = of_all if isinstance(of_all, tuple) else (of_all,)

    def left_by(offsets):
        outs = [as_device(np.full(2 * N, 7, np.int64).view(part.dtype)[: part.size]) for part in parts]
        call(offsets, outs[0] if len(outs) == 1 else tuple(outs)).wait()
        return [out.get().tobytes() for out in outs]

    for which, n in enumerate(SEGMENTS):
        width = np.uint32 if which % 2 else np.uint64
        number = make(np.array([5, n], np.uint64 if which % 3 else np.uint32))[1:]
        counted = clwave.CountedSegments(make(OFFSETS.astype(width)), number)
        there = make(OFFSETS[: min(n, 400) + 1].astype(width))
        assert left_by(counted) == left_by(there), n
        # A reduction without `out` gives as many results as there are segments.
        if parts[0].size == 400 and n > 0:
            assert flat(call(counted)) == flat(call(there)), n


def test_segments_of_a_chain():
    keys = as_device(KEYS)
    offsets, count, sums = clwave.Array(N + 1, np.uint64), clwave.Array(1, np.uint64), clwave.Array(N, np.float32)
    e = clwave.run_offsets(keys, out=offsets, count=count)
    segments = offsets.first_segments(count)
    assert repr(segments) == f"clwave.CountedSegments(at most {N})"
    assert segments.all is offsets and segments.count is count
    clwave.segmented_reduce(X_THERE, segments, out=sums, after=e).wait()
    expected = clwave.segmented_reduce(X_THERE, clwave.run_offsets(keys))
    assert (sums.first(count).get() == host(expected)).all()
    assert "as many segments as the device says" in str(clwave.plan(clwave.segmented_reduce, X_THERE, segments))
    clwave.prepare(functools.partial(clwave.segmented_sort, X_THERE, segments)).wait()


def test_a_number_that_changes():
    x, number = as_device(np.ones(100, np.int32)), clwave.Array(1, np.uint32)
    first = x.first(number)
    for n in 3, 50, 200:
        clwave.fill(number, n).wait()
        assert clwave.reduce(first) == min(n, 100)
        assert first.get().shape == (min(n, 100),)


def test_plans():
    x, number = as_device(X), as_device(np.array([5], np.uint64))
    out = clwave.Array(N, np.float32)
    words = "as many elements as the device says"
    assert words in str(clwave.plan(clwave.sort, x.first(number)))
    assert words not in str(clwave.plan(clwave.sort, x))
    calls = [
        functools.partial(clwave.reduce, x.first(number), "max"),
        functools.partial(clwave.transform, x.first(number), map="3 * x", out=out),
        functools.partial(clwave.copy_if, x.first(number), "x > 4"),
        functools.partial(clwave.iota, out.first(number), 1.0, 2.0),
        functools.partial(clwave.top_k, x.first(number), 3),
        functools.partial(clwave.sort, x.first(number), less="b < a", out=out),
        functools.partial(clwave.argsort, x.first(number)),
        functools.partial(clwave.gather, x, as_device(AT).first(number)),
    ]
    ready = clwave.prepare(*calls)
    del x, number
    gc.collect()
    ready.wait()
    assert ready.prepared == len(calls)


def test_what_it_is():
    x, number = as_device(X), as_device(np.array([5], np.uint64))
    first = x.first(number)
    assert repr(first) == f"clwave.CountedArray(at most {N}, float32)"
    assert first.all is x and first.count is number and first.dtype == np.float32
    assert (first.get() == X[:5]).all()
    # It keeps both arrays.
    del x, number
    gc.collect()
    assert clwave.reduce(first, "max") == X[:5].max()


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x, n: x.first(as_device(np.zeros(2, np.uint64))), "a count is one number, and not 2"),
        (lambda x, n: x.first(as_device(np.zeros(1, np.int64))), "a count is of uint32 or uint64, and not of i64"),
        (lambda x, n: x.first(np.zeros(1, np.uint64)), "`count` is an array on the device"),
        (lambda x, n: x.first(5), "`count` is an array on the device"),
        (lambda x, n: x.first(x.first(n)), "`count` is an array on the device"),
        (lambda x, n: clwave.CountedArray(X, n), "`x` is an array on the device"),
        (lambda x, n: x[:4].reshape(2, 2).first(n), "one-dimensional"),
        (lambda x, n: clwave.copy(x.first(n)), "no count on the device for `x`"),
        (lambda x, n: clwave.inclusive_scan(x, out=x.first(n)), "no count on the device for `out`"),
        (lambda x, n: clwave.copy_if(x, "x", out=clwave.Array(N, np.float32), count=n.first(n)), "no count on the device for `count`"),
        (lambda x, n: clwave.dot(x, x.first(n)), "no count on the device for `y`"),
        (lambda x, n: clwave.equal(x.first(n), x), "no count on the device for `x`"),
        (lambda x, n: clwave.reverse(x.first(n)), "no count on the device for `x`"),
        (lambda x, n: clwave.adjacent_difference(x.first(n)), "no count on the device for `x`"),
        (lambda x, n: clwave.transform(x, map="x", out=x.first(n)), "no count on the device for `out`"),
        (lambda x, n: clwave.reduce_columns(x.first(n), shape=(1, N)), "no count on the device for `x`"),
        (lambda x, n: clwave.minmax_rows(x.first(n), shape=(1, N)), "no count on the device for `x`"),
        (lambda x, n: clwave.reduce_rows(x.first(n), shape=(1, N)), "no count on the device for `x`"),
        (lambda x, n: clwave.reduce(x.first(n), "a - b"), "identity"),
        (lambda x, n: clwave.segmented_sort(x.first(n), np.array([0, 1], np.uint32)), "no count on the device for the keys"),
        (lambda x, n: clwave.inclusive_scan(x.first(released())), "`count` was released"),
        (lambda x, n: clwave.reduce(x.first(elsewhere())), "context"),
        (lambda x, n: x.first_segments(n), "offsets are of uint32 or uint64, and not of f32"),
        (lambda x, n: n.first_segments(x[:1]), "a count is of uint32 or uint64, and not of f32"),
        (lambda x, n: clwave.CountedSegments(OFFSETS, n), "`offsets` is an array on the device"),
        (lambda x, n: clwave.segmented_sort(x, n.first(n)), "no count on the device for `offsets`"),
        (lambda x, n: clwave.reduce(n.first_segments(n)), "no count on the device for `x`"),
        (lambda x, n: clwave.segmented_reduce(x, n.first_segments(elsewhere())), "context"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(clwave.BadCall, match=text):
        call(as_device(X), as_device(np.array([5], np.uint64)))


def released():
    number = as_device(np.array([5], np.uint64))
    number.release()
    return number


def elsewhere():
    return clwave.Array.from_numpy(np.array([5], np.uint64), queue=clwave.Queue())
