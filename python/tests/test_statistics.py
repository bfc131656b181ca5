"""Counts, both ends, moments and start values, against NumPy in float64 or in integers."""

import math

import numpy as np
import pytest
from conftest import as_device, host

import clwave

SIZES = [1, 2, 7, 257, 8191, 8193, 65537]
NUMBERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


def some(random, n, dtype):
    if np.dtype(dtype).kind == "f":
        return (random.standard_normal(n) * 3 + 1000).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


def check_moments(found, x, dtype):
    exact = x.astype(np.longdouble)
    mean = exact.mean() if len(x) else 0
    squares = ((exact - mean) ** 2).sum()
    near = 1e-5 if dtype == np.float32 else 1e-13
    assert int(found[0]) == len(x)
    assert float(found[1]) == pytest.approx(float(mean), rel=near, abs=near * float(np.abs(exact).max() if len(x) else 0))
    # Of large numbers in floats the elements themselves are rounded.
    assert float(found[2]) == pytest.approx(float(squares), rel=1e-3 if dtype == np.float32 else 1e-9, abs=1e-6)


@pytest.mark.parametrize("n", SIZES)
def test_counts(given, random, n):
    x, y = random.integers(-50, 50, n, dtype=np.int32), random.integers(-50, 50, n, dtype=np.int32)
    assert clwave.count_if(given(x), "x > 3") == (x > 3).sum()
    assert clwave.count_if(given(x), "x + (int)i > 100") == (x + np.arange(n) > 100).sum()
    assert clwave.count_if(given(x), "x > y", y=given(y)) == (x > y).sum()
    assert clwave.count_if_async(given(x), "x > 3").get() == (x > 3).sum()
    assert clwave.count_if(given(x), clwave.Map("x > least", values={"least": 10})) == (x > 10).sum()
    out = as_device(np.full(2, 77, np.uint64))
    clwave.count_if(as_device(x), "x > 3", out=out).wait()
    assert out.get().tolist() == [(x > 3).sum(), 77]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_both_ends(given, random, dtype):
    for n in SIZES:
        x = some(random, n, dtype)
        found = clwave.minmax(given(x))
        assert found == (x.min(), x.max()) and isinstance(found, tuple)
        assert clwave.minmax_async(given(x)).get() == found
    out = clwave.Array(2, clwave.minmax_dtype(dtype))
    clwave.minmax(as_device(x), out=out[1:]).wait()
    assert out.get()[1].tolist() == (x.min(), x.max())
    least, most = clwave.minmax(given(x[:0]))
    if np.dtype(dtype).kind == "f":
        assert (least, most) == (math.inf, -math.inf)
    else:
        assert (least, most) == (np.iinfo(dtype).max, np.iinfo(dtype).min)


def test_ends_of_floats():
    x = np.array([1, -2, np.nan, 4], np.float32)
    assert all(math.isnan(each) for each in clwave.minmax(x))
    assert math.copysign(1, clwave.minmax(np.array([0.0, -0.0], np.float64))[0]) == -1
    assert clwave.minmax(np.array([1, -2, 4], np.float16)) == (-2, 4)
    assert clwave.minmax_dtype(np.float16) == clwave.minmax_dtype(np.float32)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_moments(given, random, dtype):
    wide = np.float64 if np.dtype(dtype).itemsize > 4 or (np.dtype(dtype).kind != "f" and np.dtype(dtype).itemsize == 4) else np.float32
    for n in SIZES:
        x = some(random, n, dtype)
        found = clwave.mean_and_variance(given(x))
        check_moments(found, x, wide)
        assert clwave.mean_and_variance_async(given(x)).get() == found
        check_moments(clwave.mean_and_variance(given(x), dtype=np.float64), x, np.float64)
    for computed in np.float32, np.float64:
        out = clwave.Array(1, clwave.moments_dtype(computed))
        clwave.mean_and_variance(as_device(x), out=out).wait()
        assert out.get()[0].tolist() == tuple(clwave.mean_and_variance(x, dtype=computed))


def test_what_moments_are():
    found = clwave.mean_and_variance(np.array([1, 2, 3, 4], np.float64))
    assert found == clwave.Moments(4, 2.5, 5.0) and (found.n, found.mean, found.squares) == (4, 2.5, 5.0)
    assert found.variance == 1.25 and found.sample_variance == 5 / 3
    none = clwave.mean_and_variance(np.zeros(0, np.float32))
    assert none == (0, 0, 0) and math.isnan(none.variance) and math.isnan(none.sample_variance)
    one = clwave.mean_and_variance(np.array([7], np.uint8))
    assert one == (1, 7, 0) and one.variance == 0 and math.isnan(one.sample_variance)


@pytest.mark.parametrize("shape", [(41, 29), (3, 17, 8), (1, 9000), (9000, 1)])
def test_lines(given, random, shape):
    x = some(random, int(np.prod(shape)), np.int16).reshape(shape)
    for axis, words in ((-1, "rows"), (-2, "columns")):
        ends = host(getattr(clwave, f"minmax_{words}")(given(x)))
        assert (ends["min"] == x.min(axis).ravel()).all() and (ends["max"] == x.max(axis).ravel()).all()
        found = host(getattr(clwave, f"mean_and_variance_{words}")(given(x), dtype=np.float64))
        lines = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
        assert len(found) == len(lines)
        for one, line in zip(found[:50], lines):
            check_moments(one.tolist(), line, np.float64)
        out = clwave.Array(len(lines), clwave.moments_dtype(np.float32))
        getattr(clwave, f"mean_and_variance_{words}")(as_device(x.ravel()), shape=shape, out=out).wait()
        assert (out.get()["n"] == x.shape[axis]).all()


def test_segments(given, random):
    x = some(random, 5000, np.float32)
    offsets = np.array([0, 0, 100, 101, 4000, 5000], np.uint32)
    ends = host(clwave.segmented_minmax(given(x), given(offsets)))
    moments = host(clwave.segmented_mean_and_variance(given(x), given(offsets), dtype=np.float64))
    for begin, end, pair, found in zip(offsets, offsets[1:], ends, moments):
        part = x[begin:end]
        assert pair.tolist() == ((part.min(), part.max()) if len(part) else (math.inf, -math.inf))
        check_moments(found.tolist(), part, np.float64)
    out = clwave.Array(5, clwave.minmax_dtype(np.float32))
    clwave.segmented_minmax(as_device(x), as_device(offsets), out=out).wait()
    assert (out.get() == ends).all()
    for call in clwave.segmented_minmax, clwave.segmented_mean_and_variance:
        with pytest.raises(clwave.BadCall, match="1 segments"):
            call(given(x), given(np.array([0, 7000], np.uint32)))


def test_large_numpy_arrays_are_streamed(random):
    x = random.standard_normal((1 << 23) + 12_345, dtype=np.float32)
    on_device = as_device(x)
    assert clwave.minmax(x) == clwave.minmax(on_device) == (x.min(), x.max())
    assert clwave.mean_and_variance(x) == clwave.mean_and_variance(on_device)
    assert clwave.count_if(x, "x > 1") == (x > 1).sum()
    x[77] = np.nan
    assert np.isnan(clwave.minmax(x)).all()


@pytest.mark.parametrize("n", [0, *SIZES])
def test_starts(given, random, n):
    x = random.integers(-50, 50, n, dtype=np.int8)
    assert clwave.reduce(given(x), start=1000) == 1000 + x.sum(dtype=np.int64)
    assert clwave.reduce(given(x), "max", start=20) == max([20, *x])
    assert clwave.reduce(given(x), start=1 << 40, dtype=np.int64) == (1 << 40) + x.sum(dtype=np.int64)
    assert clwave.reduce_async(given(x), map="x * x", start=3).get() == 3 + (x.astype(np.int64) ** 2).sum()
    assert clwave.dot(given(x), given(x), start=3, dtype=np.int64) == 3 + (x.astype(np.int64) ** 2).sum()
    # An operator without an identity needs none.
    assert clwave.reduce(given(x), clwave.Op("a", commutative=False), start=9) == 9
    out = clwave.Array(1, np.float64)
    clwave.reduce(as_device(x), start=0.5, out=out).wait()
    assert out.get()[0] == 0.5 + x.sum(dtype=np.int64)


def test_a_start_beside_much(random):
    x = random.standard_normal((1 << 23) + 1, dtype=np.float32)
    assert clwave.reduce(x, start=5.0) == clwave.reduce(as_device(x), start=5.0)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x: clwave.count_if(x, "abs"), "own"),
        (lambda x: clwave.count_if(x, "x > y", y=x[:4]), "differ in length"),
        (lambda x: clwave.count_if(x, "x", out=clwave.Array(1, np.uint32)), "u32"),
        (lambda x: clwave.minmax(np.ones(3, np.complex64)), "numbers"),
        (lambda x: clwave.minmax(np.ones(3, bool)), "numbers"),
        (lambda x: clwave.minmax(x, out=clwave.Array(1, np.float32)), "`out` of minmax"),
        (lambda x: clwave.minmax(x, out=clwave.Array(1, clwave.minmax_dtype(np.int32))), "`out` of minmax"),
        (lambda x: clwave.mean_and_variance(x, dtype=np.int32), "float32 or of float64"),
        (lambda x: clwave.mean_and_variance(np.zeros(3, [("a", "i4")])), "numbers"),
        (lambda x: clwave.mean_and_variance(x, out=clwave.Array(1, np.float32)), "`out` of mean_and_variance"),
        (
            lambda x: clwave.mean_and_variance(x, dtype=np.float32, out=clwave.Array(1, clwave.moments_dtype(np.float32))),
            "`dtype` is that of `out`",
        ),
        (lambda x: clwave.minmax_rows(x), "two dimensions"),
        (lambda x: clwave.segmented_minmax(x, np.zeros(0, np.uint32)), "at least one"),
        (lambda x: clwave.reduce(x, "any", start=1), "start"),
        (lambda x: clwave.reduce(clwave.Sharded([x]), start=1), "start"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(clwave.BadCall, match=text):
        call(as_device(np.ones(5, np.float32)))


def test_dtypes_of_no_numbers():
    for dtype in (bool, np.complex64, [("a", "i4")], ">f4"):
        with pytest.raises(ValueError, match="numbers"):
            clwave.minmax_dtype(np.dtype(dtype))
    with pytest.raises(ValueError, match="float32 or of float64"):
        clwave.moments_dtype(np.int64)
