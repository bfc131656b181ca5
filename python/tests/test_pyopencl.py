"""The drop-in for PyOpenCL, beside PyOpenCL's own tests (pyopencl_own_tests.py): where meanings differ, what is refused, the fallback."""
import numpy as np
import pytest

pyopencl = pytest.importorskip("pyopencl")
import pyopencl.algorithm  # noqa: E402
import pyopencl.array  # noqa: E402

import clwave.pyopencl as drop_in  # noqa: E402


@pytest.fixture(scope="module")
def queue():
    context = pyopencl.create_some_context(interactive=False)
    yield pyopencl.CommandQueue(context)  # Intel's driver drops a context that its queue alone has


def test_an_index_is_signed(queue):
    x = np.arange(-20, 20, dtype=np.int32)
    given = pyopencl.array.to_device(queue, x)
    out, count, event = drop_in.copy_if(given, "ary[i] > i - 30")
    event.wait()
    right = x[x > np.arange(x.size) - 30]
    assert int(count.get()) == right.size
    assert (out.get()[: right.size] == right).all()
    kernel = drop_in.ReductionKernel(queue.context, np.int64, "0", "a+b", "x[i]*(i-5)", "int *x")
    assert kernel(given).get() == (x.astype(np.int64) * (np.arange(x.size) - 5)).sum()


def test_gaps_are_refused(queue):
    x = pyopencl.array.to_device(queue, np.arange(20, dtype=np.float32))
    with pytest.raises(RuntimeError, match="non-contiguous"):
        drop_in.ReductionKernel(queue.context, np.float32, "0", "a+b", "x[i]", "float *x")(x[::2])


def test_what_is_not_served_says_so_or_falls_back(queue):
    words = (queue.context, np.complex64, "cfloat_add(cfloat_add(a, b), cfloat_mul(a, b))", "cfloat_new(0, 0)")
    texts = {"preamble": "#include <pyopencl-complex.h>\n"}
    with pytest.raises(drop_in.NotServed):
        drop_in.InclusiveScanKernel(*words, **texts)
    drop_in.fallback = True
    try:
        x = np.array([1, 2j, 3, 4 + 1j], np.complex64)
        right = [x[0]]
        for b in x[1:]:
            right.append(right[-1] + b + right[-1] * b)
        got = drop_in.InclusiveScanKernel(*words, **texts)(pyopencl.array.to_device(queue, x))
        assert np.allclose(got.get(), right)
    finally:
        drop_in.fallback = False


def test_the_fallback_behind_pyopencls_names(queue, monkeypatch):
    # As install() does: the fallback is still PyOpenCL's own, and not the drop-in again.
    monkeypatch.setattr(pyopencl.algorithm, "unique", drop_in.unique)
    monkeypatch.setattr(drop_in, "fallback", True)
    x = pyopencl.array.to_device(queue, np.array([1, 2, 9, 10, 30], np.int32))
    words = {"is_equal_expr": "b - a <= reach", "extra_args": [("reach", np.int32(1))]}
    out, count, event = pyopencl.algorithm.unique(x, **words)
    event.wait()
    assert out.get()[: int(count.get())].tolist() == [1, 9, 30]
    monkeypatch.setattr(drop_in, "fallback", False)
    with pytest.raises(drop_in.NotServed):
        pyopencl.algorithm.unique(x, **words)


def test_a_key_sorter_of_as_many_lists_as_its_type_counts(queue):
    keys = np.random.default_rng(1).integers(0, 256, 1000).astype(np.uint8)
    values = np.arange(1000, dtype=np.int32)
    starts, lists, event = drop_in.KeyValueSorter(queue.context)(
        queue, pyopencl.array.to_device(queue, keys), pyopencl.array.to_device(queue, values), 256, np.int32)
    event.wait()
    assert (starts.get() == np.searchsorted(np.sort(keys), np.arange(257))).all()
    assert (lists.get() == np.argsort(keys, kind="stable")).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.float32, np.float64, np.complex64])
def test_truths(queue, dtype):
    for n in 1, 2, 1000, 100_003:
        x = np.zeros(n, dtype)
        for at, value in ((None, 0), (n - 1, 3), (n // 2, 1j if np.dtype(dtype).kind == "c" else 1)):
            if at is not None:
                x[at] = value
            given = pyopencl.array.to_device(queue, x)
            found = drop_in.any(given), drop_in.all(given)
            assert [one.dtype for one in found] == [np.int8, np.int8]
            assert [one.get()[()] for one in found] == [x.any(), x.all()]
        assert drop_in.all(pyopencl.array.to_device(queue, x + 1)).get()[()] == (x + 1).all()
    assert not drop_in.any(pyopencl.array.zeros(queue, 0, dtype)) and drop_in.all(pyopencl.array.zeros(queue, 0, dtype))


def test_reverse(queue, monkeypatch):
    x = np.arange(12, dtype=np.int32)
    given = pyopencl.array.to_device(queue, x)
    assert (drop_in.reverse(given).get() == x[::-1]).all() and (given.get() == x).all()
    assert (drop_in.reverse(given.reshape(3, 4)).get() == x[::-1].reshape(3, 4)).all()
    assert drop_in.reverse(pyopencl.array.zeros(queue, 0, np.float32)).shape == (0,)
    monkeypatch.setattr(pyopencl.array.Array, "reverse", drop_in.reverse)
    assert (given.reverse().get() == x[::-1]).all()
    with pytest.raises(drop_in.NotServed, match="reverse"):
        given[::2].reverse()
