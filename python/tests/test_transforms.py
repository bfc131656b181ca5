"""Functions of some elements, of indices and of neighbours, and other orders, against NumPy."""

import numpy as np
import pytest
from conftest import as_device, host

import clwave

SIZES = [0, 1, 2, 7, 255, 257, 4096, 8193, 65537]


@pytest.mark.parametrize("n", SIZES)
def test_some_elements(given, random, n):
    x = random.integers(-50, 50, n).astype(np.float32)
    flags = random.integers(0, 2, n).astype(bool)
    before = random.standard_normal(n).astype(np.float32)
    out = as_device(before)
    clwave.transform_if(given(x), out, map="2 * x", predicate="x > 3").wait()
    assert (out.get() == np.where(x > 3, 2 * x, before)).all()
    out = as_device(before)
    clwave.transform_if(given(x), out, map="x + i", predicate="y", y=given(flags.astype(np.float32))).wait()
    assert (out.get() == np.where(flags, x + np.arange(n), before)).all()
    here = as_device(x)
    clwave.transform_if(here, here, map="-x", predicate="i % 2").wait()
    assert (here.get() == np.where(np.arange(n) % 2, -x, x)).all()
    for value in 7, np.float32(-2.5):
        here = as_device(x)
        clwave.replace_if(here, "x > 3", value).wait()
        assert (here.get() == np.where(x > 3, np.float32(value), x)).all()


def test_values_that_replace():
    vectors = pytest.importorskip("pyopencl").cltypes
    x = np.zeros(5, vectors.float2)
    x["x"] = np.arange(5)
    made = as_device(x)
    clwave.replace_if(made, "x.x > 2", vectors.make_float2(-1, 4)).wait()
    assert made.get()["x"].tolist() == [0, 1, 2, -1, -1] and made.get()["y"].tolist() == [0, 0, 0, 4, 4]
    halves = as_device(np.arange(5, dtype=np.float16))
    clwave.replace_if(halves, clwave.Map("x > least", values={"least": 2.0}), 0.5).wait()
    assert halves.get().tolist() == [0, 1, 2, 0.5, 0.5]


@pytest.mark.parametrize("n", SIZES)
def test_indices(n):
    out = clwave.Array(n, np.float32)
    clwave.generate(out, "i * 0.5f").wait()
    assert (out.get() == np.arange(n, dtype=np.float32) * np.float32(0.5)).all()
    clwave.generate(out, clwave.Map("k * i", values={"k": 3.0})).wait()
    assert (out.get() == np.arange(n, dtype=np.float32) * 3).all()
    for dtype in np.uint8, np.int16, np.int32, np.uint64, np.float64:
        out = clwave.Array(n, dtype)
        clwave.iota(out).wait()
        assert (out.get() == np.arange(n).astype(dtype)).all()
        clwave.iota(out, 5).wait()
        assert (out.get() == (5 + np.arange(n)).astype(dtype)).all()
        clwave.iota(out, 5, 3).wait()
        assert (out.get() == (5 + 3 * np.arange(n)).astype(dtype)).all()
        clwave.iota(out, step=3).wait()
        assert (out.get() == (3 * np.arange(n)).astype(dtype)).all()
    out = clwave.Array(min(n, 2000), np.float16)
    clwave.iota(out, -1.5, 0.25).wait()
    assert (out.get() == (-1.5 + 0.25 * np.arange(min(n, 2000))).astype(np.float16)).all()


@pytest.mark.parametrize("n", SIZES)
def test_differences(given, random, n):
    x = random.integers(-50, 50, n, dtype=np.int32)
    right = np.diff(x, prepend=0) if n else x
    assert (host(clwave.adjacent_difference(given(x))) == right).all()
    assert (host(clwave.adjacent_difference(given(x), dtype=np.float64)) == right).all()
    products = x.copy()
    products[1:] = x[1:] * x[:-1] + np.arange(1, n)
    assert (host(clwave.adjacent_difference(given(x), "x * y + i")) == products).all()
    here = as_device(x)
    clwave.adjacent_difference(here, out=here).wait()
    assert (here.get() == right).all()
    # And back.
    assert (clwave.inclusive_scan(here).get() == x).all()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.complex128, [("a", "i4"), ("b", "f8"), ("c", "u1")]])
def test_other_orders(given, random, n, dtype):
    x = np.zeros(n, dtype)
    x.view(np.uint8)[:] = random.integers(0, 256, x.nbytes, dtype=np.uint8)
    same = lambda a, b: host(a).tobytes() == b.tobytes()  # noqa: E731
    assert same(clwave.reverse(given(x)), x[::-1].copy())
    for first in {0, n // 3, max(n - 1, 0)}:
        assert same(clwave.rotate(given(x), first), np.concatenate([x[first:], x[:first]]))
    out = clwave.Array(n, dtype)
    clwave.reverse(as_device(x), out=out).wait()
    assert same(out, x[::-1].copy())
    clwave.rotate(as_device(x), n // 2, out=out).wait()
    assert same(out, np.roll(x, -(n // 2)))


def test_shapes(given):
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert host(clwave.reverse(given(x))).tolist() == [[5, 4, 3], [2, 1, 0]]
    assert host(clwave.adjacent_difference(given(x))).shape == (2, 3)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x: clwave.transform_if(x, np.ones(5, np.float32), map="x", predicate="x"), "NumPy"),
        (lambda x: clwave.transform_if(x, x[:4], map="x", predicate="x"), "5"),
        (lambda x: clwave.replace_if(np.ones(5), "x", 3), "NumPy"),
        (lambda x: clwave.replace_if(clwave.Array(3, [("a", "f4"), ("b", "i4")]), "x.a", (1, 2)), "values are numbers"),
        (lambda x: clwave.generate(np.ones(5), "i"), "NumPy"),
        (lambda x: clwave.iota(clwave.Array(3, np.complex64), 1), "numbers"),
        (lambda x: clwave.adjacent_difference(x, out=x[:4]), "."),
        (lambda x: clwave.adjacent_difference(x[1:], out=x[:4]), "overlap"),
        (lambda x: clwave.adjacent_difference(x, dtype=np.float32, out=clwave.Array(5, np.float32)), "`dtype` is that of `out`"),
        (lambda x: clwave.adjacent_difference(np.zeros(3, [("a", "i4")])), "."),
        (lambda x: clwave.reverse(x, out=x), "overlap"),
        (lambda x: clwave.rotate(x, 5), "5"),
        (lambda x: clwave.rotate(x, 1, out=clwave.Array(5, np.int32)), "type"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(clwave.BadCall, match=text):
        call(as_device(np.ones(5, np.float32)))


def test_indices_that_cannot_be():
    x = clwave.Array(5, np.float32)
    for first in -1, 1.5, "a":
        with pytest.raises(TypeError):
            clwave.rotate(x, first)
