"""Every call against NumPy, on arrays of every kind, at sizes where something changes."""

import numpy as np
import pytest
from conftest import as_device, host

import clwave

SIZES = [0, 1, 2, 7, 255, 256, 257, 4096, 8191, 8192, 8193, 65537]
NUMBERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


def some(random, n, dtype=np.int32):
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(n).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(max(info.min, -100), min(info.max, 100), n, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("n", SIZES)
def test_sums_and_scans(given, random, n):
    x = some(random, n)
    assert clwave.reduce(given(x)) == x.sum()
    assert (host(clwave.inclusive_scan(given(x))) == np.cumsum(x)).all()
    expected = np.concatenate([[5], 5 + np.cumsum(x)[:-1]]) if n else x
    assert (host(clwave.exclusive_scan(given(x), start=5)) == expected).all()
    if n:
        assert clwave.reduce(given(x), "max") == x.max()
        assert clwave.argmin(given(x)) == (x.min(), x.argmin())


@pytest.mark.parametrize("n", SIZES)
def test_sorts(given, random, n):
    x = some(random, n)
    assert (host(clwave.sort(given(x))) == np.sort(x)).all()
    assert (host(clwave.sort(given(x), descending=True)) == np.sort(x)[::-1]).all()
    assert (host(clwave.argsort(given(x))) == np.argsort(x, kind="stable")).all()
    keys, values = clwave.sort_by_key(given(x), given(np.arange(n, dtype=np.int64)))
    assert (host(keys) == np.sort(x)).all()
    assert (host(values) == np.argsort(x, kind="stable")).all()
    k = min(n, 5)
    values, indices = clwave.top_k(given(x), k)
    order = np.argsort(-x.astype(np.int64), kind="stable")[:k]
    assert (host(values) == x[order]).all() and (host(indices) == order).all()


@pytest.mark.parametrize("n", SIZES)
def test_selections(given, random, n):
    x = some(random, n)
    assert (host(clwave.copy_if(given(x), "x > 3")) == x[x > 3]).all()
    flags = x > 3
    assert (host(clwave.copy_flagged(given(x), given(flags))) == x[flags]).all()
    both, first = clwave.partition(given(x), "x > 3")
    assert first == flags.sum() and (host(both) == np.concatenate([x[flags], x[~flags]])).all()
    yes, no = clwave.partition_copy(given(x), "x > 3")
    assert (host(yes) == x[flags]).all() and (host(no) == x[~flags]).all()
    ordered = np.sort(x)
    assert (host(clwave.unique(given(ordered))) == np.unique(x)).all()
    values, lengths = clwave.run_lengths(given(ordered))
    expected = np.unique(x, return_counts=True)
    assert (host(values) == expected[0]).all() and (host(lengths) == expected[1]).all()
    offsets = host(clwave.run_offsets(given(ordered)))
    assert offsets[0] == 0 and offsets[-1] == n and (np.diff(offsets.astype(np.int64)) == expected[1]).all()


@pytest.mark.parametrize("n", SIZES)
def test_moves(given, random, n):
    x = some(random, n, np.float32)
    indices = random.permutation(n).astype(np.uint32)
    assert (host(clwave.gather(given(x), given(indices))) == x[indices]).all()
    assert (host(clwave.transform(given(x), given(x), map="x * y + 1")) == (x * x + np.float32(1))).all()
    assert (host(clwave.copy(given(x), dtype=np.float64)) == x).all()
    out = as_device(np.zeros(n, np.float32))
    clwave.scatter(given(x), given(indices), out).wait()
    expected = np.zeros(n, np.float32)
    expected[indices] = x
    assert (out.get() == expected).all()
    counts = host(clwave.histogram(given(np.abs(some(random, n))), 101, (0, 101)))
    assert counts.sum() == n


@pytest.mark.parametrize("n", SIZES[:-1])
def test_several_outputs_and_parts(given, random, n):
    x = some(random, n, np.float32)
    sums, squares = clwave.transform_to(given(x), given(x), maps=["x + y", "x * x"], dtype=[np.float64, None])
    assert host(sums).dtype == np.float64 and host(squares).dtype == np.float32
    assert (host(sums) == x + x).all() and (host(squares) == x * x).all()
    on_device, out = as_device(x), clwave.Array(n, np.int32)
    clwave.transform_to(on_device, maps=["2 * x", "i"], out=(on_device, out)).wait()
    assert (on_device.get() == 2 * x).all() and (out.get() == np.arange(n)).all()

    x = some(random, n)
    ages = some(random, n, np.float64)
    assert (host(clwave.copy_flagged(given(x), given(ages), "x > 0 && y < 0")) == x[(x > 0) & (ages < 0)]).all()
    parts = clwave.partition_copy(given(x), "x > 3", "x > -5")
    middle = (x <= 3) & (x > -5)
    assert [host(part).tolist() for part in parts] == [x[x > 3].tolist(), x[middle].tolist(), x[x <= -5].tolist()]
    outs, count = tuple(as_device(np.zeros(n, np.int32)) for _ in range(3)), clwave.Array(2, np.uint64)
    clwave.partition_copy(as_device(x), "x > 3", "x > -5", out=outs, count=count).wait()
    assert count.get().tolist() == [(x > 3).sum(), middle.sum()]
    assert clwave.partition_copy(as_device(x), "x > 3", "x > -5", out=outs) == ((x > 3).sum(), middle.sum())


@pytest.mark.parametrize("n", SIZES[:-1])
def test_flags_and_segments(given, random, n):
    x, kept = some(random, n), some(random, n)
    flags, indices = some(random, n) > 0, random.permutation(n).astype(np.uint32)
    out = as_device(kept)
    clwave.gather_if(given(x), given(indices), given(flags), out).wait()
    before = np.where(flags, x[indices], kept)
    assert (out.get() == before).all()
    indices[::3] = n
    clwave.gather_if(given(x), given(indices), given(x), out, predicate="x > 0", outside=-7).wait()
    gathered = np.where(indices < n, np.append(x, np.int32(-7))[indices], -7)
    assert (out.get() == np.where(x > 0, gathered, before)).all()
    out, expected = as_device(kept), kept.copy()
    clwave.scatter_if(given(x), given(indices), given(x), out, predicate="x > 0", distinct=True).wait()
    written = (x > 0) & (indices < n)
    expected[indices[written]] = x[written]
    assert (out.get() == expected).all()

    offsets = np.concatenate([[0], np.sort(random.integers(0, n + 1, 9)), [n]]).astype(np.uint32)
    best, places = (host(each).reshape(10, 3) for each in clwave.segmented_top_k(given(x), given(offsets), 3))
    for s, (begin, end) in enumerate(zip(offsets, offsets[1:])):
        order = begin + np.argsort(-x[begin:end], kind="stable")[:3]
        assert (places[s, : len(order)] == order).all() and (best[s, : len(order)] == x[order]).all()
    with pytest.raises(clwave.BadCall, match="1 segments"):
        clwave.segmented_top_k(given(x), given(np.array([0, n + 1], np.uint32)), 1)


@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_ranges(given, random, dtype):
    x, filled = some(random, 5000, np.float32), some(random, 6000, np.float32)
    lengths = random.integers(0, 20, 300).astype(dtype)
    starts = random.integers(0, 4980, 300).astype(dtype)
    out_starts = (20 * random.permutation(300)).astype(dtype)
    expected = filled.copy()
    for start, length, to in zip(starts, lengths, out_starts):
        expected[to : to + length] = x[start : start + length]
    for checked in (False, True):
        out = as_device(filled)
        clwave.copy_ranges(given(x), given(starts), given(lengths), out, given(out_starts), checked=checked).wait()
        assert (out.get() == expected).all()
    starts[7], lengths[7] = np.array(-1).astype(dtype), 3
    clwave.copy_ranges(given(x), given(starts), given(lengths), out, given(out_starts)).wait()
    assert (out.get() == expected).all()
    with pytest.raises(clwave.BadCall, match="1 of 300 ranges leave"):
        clwave.copy_ranges(given(x), given(starts), given(lengths), out, given(out_starts), checked=True)


def test_matrices(given, random):
    a = random.standard_normal((17, 33)).astype(np.float32)
    b = random.standard_normal((33, 9)).astype(np.float32)
    product = host(clwave.gemm(given(a), given(b)))
    assert product.shape == (17, 9) and np.allclose(product, a @ b, atol=1e-4)
    assert (host(clwave.transpose(given(a))) == a.T).all()
    assert np.allclose(host(clwave.gemv(given(a), given(b[:, 0].copy()))), a @ b[:, 0], atol=1e-4)
    y = as_device(a[:, 0].copy())
    clwave.gemv(given(a), given(b[:, 1].copy()), alpha=2, beta=-1, out=y).wait()
    assert np.allclose(y.get(), 2 * (a @ b[:, 1]) - a[:, 0], atol=1e-4)
    assert np.allclose(host(clwave.gemv(given(a), given(a[:, 1].copy()), transpose_a=True)), a.T @ a[:, 1], atol=1e-4)
    assert np.allclose(host(clwave.reduce_rows(given(a))), a.sum(1), atol=1e-4)
    assert np.allclose(host(clwave.reduce_columns(given(a))), a.sum(0), atol=1e-4)
    shifted = host(clwave.broadcast(given(a), given(a[:, 0].copy()), map="x - b", per="row"))
    assert (shifted == a - a[:, :1]).all()


def test_keys_and_segments(given):
    keys, values = np.array([4, 4, 1, 9, 9, 9], np.int32), np.arange(6, dtype=np.int64)
    of, sums = clwave.reduce_by_key(given(keys), given(values))
    assert host(of).tolist() == [4, 1, 9] and host(sums).tolist() == [1, 2, 12]
    of, firsts = clwave.unique_by_key(given(keys), given(values))
    assert host(of).tolist() == [4, 1, 9] and host(firsts).tolist() == [0, 2, 3]
    assert host(clwave.inclusive_scan_by_key(given(keys), given(values))).tolist() == [0, 1, 2, 3, 7, 12]
    offsets = np.array([0, 2, 2, 6], np.uint32)
    assert host(clwave.segmented_reduce(given(values), given(offsets))).tolist() == [1, 0, 14]
    assert host(clwave.segmented_inclusive_scan(given(values), given(offsets))).tolist() == [0, 1, 2, 5, 9, 14]
    assert host(clwave.segmented_sort(given(values), given(offsets), descending=True)).tolist() == [1, 0, 5, 4, 3, 2]
    for call in (clwave.segmented_reduce, clwave.segmented_inclusive_scan):
        with pytest.raises(clwave.BadCall, match="segments"):
            call(given(values), given(np.array([0, 7], np.uint32)))


def test_sorted_ranges(given):
    a, b = np.array([1, 3, 3, 5], np.int32), np.array([3, 4], np.int32)
    assert host(clwave.merge(given(a), given(b))).tolist() == [1, 3, 3, 3, 4, 5]
    assert host(clwave.lower_bound(given(a), given(b))).tolist() == [1, 3]
    assert host(clwave.upper_bound(given(a), given(b))).tolist() == [3, 3]
    assert host(clwave.set_union(given(a), given(b))).tolist() == [1, 3, 3, 4, 5]
    assert host(clwave.set_intersection(given(a), given(b))).tolist() == [3]
    assert host(clwave.set_difference(given(a), given(b))).tolist() == [1, 3, 5]
    assert host(clwave.set_symmetric_difference(given(a), given(b))).tolist() == [1, 3, 4, 5]


@pytest.mark.parametrize("n", SIZES[:-1])
def test_pairs_in_ranges_and_segments(given, random, n):
    keys, values = some(random, n), np.arange(n, dtype=np.int64)
    offsets = np.concatenate([[0], np.sort(random.integers(0, n + 1, 9)), [n]]).astype(np.uint32)
    right_keys, right_values = keys.copy(), values.copy()
    for begin, end in zip(offsets, offsets[1:]):
        order = np.argsort(-keys[begin:end], kind="stable")
        right_keys[begin:end], right_values[begin:end] = keys[begin:end][order], values[begin:end][order]
    got = clwave.segmented_sort_by_key(given(keys), given(values), given(offsets), descending=True)
    assert (host(got[0]) == right_keys).all() and (host(got[1]) == right_values).all()
    out = clwave.Array(n, np.int32), clwave.Array(n, np.int64)
    clwave.segmented_sort_by_key(as_device(keys), as_device(values), as_device(offsets), less="a > b", out=out).wait()
    assert (out[0].get() == right_keys).all() and (out[1].get() == right_values).all()
    half = n // 3
    a, b = np.sort(keys[:half]), np.sort(keys[half:])
    got = clwave.merge_by_key(given(a), given(values[:half]), given(b), given(values[half:]))
    order = np.argsort(np.concatenate([a, b]), kind="stable")
    assert (host(got[0]) == np.sort(keys)).all() and (host(got[1]) == values[order]).all()
    clwave.merge_by_key(as_device(a), as_device(values[:half]), as_device(b), as_device(values[half:]), out=out).wait()
    assert (out[0].get() == np.sort(keys)).all() and (out[1].get() == values[order]).all()


def test_bad_segments_of_sorts(given):
    x, bad = np.arange(6, dtype=np.int32), np.array([0, 7], np.uint32)
    with pytest.raises(clwave.BadCall, match="1 segments"):
        clwave.segmented_sort(given(x), given(bad))
    with pytest.raises(clwave.BadCall, match="1 segments"):
        clwave.segmented_sort_by_key(given(x), given(x), given(bad))
    with pytest.raises(clwave.BadCall, match="pair"):
        clwave.merge_by_key(given(x), given(x), given(x), given(x), out=clwave.Array(12, np.int32))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_number_types(given, random, dtype):
    x = some(random, 1000, dtype)
    total = clwave.reduce(given(x))
    assert total == pytest.approx(x.astype(np.float64).sum(), rel=1e-4, abs=1e-4)
    assert clwave.reduce(given(x), "min") == x.min()
    assert (host(clwave.sort(given(x))) == np.sort(x)).all()
    result = clwave.inclusive_scan(given(x), "max")
    assert result.dtype == dtype and (host(result) == np.maximum.accumulate(x)).all()


def test_other_types(given, random):
    flags = random.integers(0, 2, 1000).astype(bool)
    assert clwave.reduce(given(flags), dtype=np.uint64) == flags.sum()
    assert clwave.reduce(given(flags), "any") is True and clwave.reduce(given(flags), "all") is False
    z = (random.standard_normal(100) + 1j * random.standard_normal(100)).astype(np.complex64)
    assert clwave.reduce(given(z)) == pytest.approx(z.sum(), rel=1e-4)
    halves = np.arange(50, dtype=np.float16)
    assert clwave.reduce(given(halves)) == 1225.0
    assert (host(clwave.sort(given(halves), descending=True)) == halves[::-1]).all()


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(50).astype(ml_dtypes.bfloat16)
    assert clwave.reduce(x) == 1225.0
    device = as_device(x)
    assert device.get().dtype == x.dtype and (device.get() == x).all()


def test_structures(given):
    point = clwave.structure("test_point", [("x", np.float32), ("tag", np.uint8), ("y", np.float64)])
    x = np.zeros(100, point)
    x["x"], x["tag"], x["y"] = np.arange(100)[::-1], np.arange(100) % 7, np.arange(100)
    by_tag = host(clwave.sort(given(x), by=[("x.tag", np.uint8), ("x.x", np.float32, True)]))
    order = np.lexsort((-x["x"], x["tag"]))
    assert (by_tag == x[order]).all()
    assert (host(clwave.copy_if(given(x), "x.tag == 3"))["tag"] == 3).all()
    packed = np.zeros(10, [("a", np.uint8), ("b", np.int32)])
    packed["b"] = np.arange(10)[::-1]
    assert (host(clwave.sort(given(packed), less="a.b < b.b"))["b"] == np.arange(10)).all()


def test_named_values():
    for dtype in np.float32, np.float64:
        x = np.ones(5, dtype)
        scale = clwave.Map("k * x", values={"k": 0.1})
        # A Python float is a double where the elements are.
        assert (clwave.transform(x, map=scale) == dtype(0.1)).all()
    above = clwave.Map("x > least", values={"least": np.int64(3)})
    assert clwave.copy_if(np.arange(6), above).tolist() == [4, 5]


def test_arrays_that_name_their_dtype():
    own = clwave.Array.from_numpy(np.arange(5, dtype=np.float32))

    class Foreign:
        int_ptr, dtype, size, shape = own.int_ptr, "float32", own.size, own.shape

    assert clwave.reduce(Foreign(), queue=own.queue) == 10
    Foreign.dtype = "no type"
    with pytest.raises(TypeError, match="no type"):
        clwave.reduce(Foreign(), queue=own.queue)


def test_outputs_and_events():
    x, out = as_device(np.arange(1000, dtype=np.float32)), clwave.Array(1000, np.float32)
    first = clwave.inclusive_scan(x, out=out)
    total = clwave.Array(1, np.float64)
    last = clwave.reduce(out, "max", out=total, after=[first, None])
    last.wait()
    assert last.done and last.int_ptr and total.get()[0] == 499500
    count = clwave.Array(1, np.uint64)
    clwave.copy_if(x, "x < 10", out=out, count=count).wait()
    assert count.get()[0] == 10 and clwave.copy_if(x, "x < 20", out=out) == 20
    clwave.sort(x, descending=True, out=x).wait()
    assert x[:3].get().tolist() == [999, 998, 997]


def test_the_same_bits_from_everywhere(random):
    x = random.standard_normal(100_003).astype(np.float32)
    values = {clwave.reduce(x), clwave.reduce(as_device(x)), clwave.reduce(as_device(x).reshape(-1)[:])}
    assert len(values) == 1


def test_plan():
    made = clwave.plan(clwave.sort, clwave.Array(1 << 20, np.uint32))
    assert made["primitive"] == "sort" and made["kernels"] and "kernel" in made["source"]
    with pytest.raises(clwave.BadCall):
        clwave.plan(print, 1)
    # A refused call is refused in a plan, too, and later calls run.
    with pytest.raises(clwave.BadCall):
        clwave.plan(clwave.sort, clwave.Array(4, np.complex64))
    assert clwave.reduce(np.ones(3, np.int32)) == 3


def test_edges_keep_their_type():
    x = np.array([0, 1, 1, 2, 2, 2], np.int32)
    assert clwave.histogram(x, [0.5, 1.5, 2.5]).tolist() == [2, 3]
    assert clwave.histogram(x, np.int64(3), (0, 3)).tolist() == [1, 2, 3]
    with pytest.raises(clwave.BadCall, match="range"):
        clwave.histogram(x, [0, 1, 2], (0, 2))


def test_numpy_numbers_are_sizes():
    assert clwave.Array(np.int64(5), "f4").shape == (5,)
    assert clwave.Array((np.int32(2), 3), "f4").shape == (2, 3)
    with pytest.raises(clwave.BadCall, match="negative"):
        clwave.Array(-1, "f4")


def test_structures_with_complex_members():
    dtype = np.dtype([("a", "i4"), ("z", "c8"), ("b", "f8")], align=True)
    x = np.zeros(3, dtype)
    x["a"], x["z"], x["b"] = [3, 1, 2], [1j, 2j, 3j], [0.5, 1.5, 2.5]
    assert clwave.transform(x, map="x.z.y", dtype="f4").tolist() == [1, 2, 3]
    assert clwave.transform(x, map="x.b", dtype="f8").tolist() == [0.5, 1.5, 2.5]
