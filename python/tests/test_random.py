"""Random numbers and orders, against Philox 4x32-10 written down in NumPy, and against one another."""

import functools

import numpy as np
import pytest
from conftest import as_device, as_pyopencl, host

import clwave

SIZES = [0, 1, 2, 7, 255, 257, 4096, 8193, 65537]
SEED = 0xFEDCBA9876543210


def words(seed, stream, first, n):
    """Words `first` to `first` + n of a stream, of 32 bits."""
    w = np.arange(first, first + n, dtype=np.uint64)
    low = np.uint64(0xFFFFFFFF)
    c = [w // 4 & low, w // 4 >> np.uint64(32), np.full(n, stream, np.uint64), np.zeros(n, np.uint64)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), b & low, (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), a & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.choose((w % 4).astype(np.intp), c).astype(np.uint32)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("stream, first", [(0, 0), (2**32 - 1, 1), (7, 2**33 + 5)])
def test_uniform_numbers(n, stream, first):
    right = words(SEED, stream, first, n)
    made = functools.partial(clwave.random, SEED, n, stream=stream, first=first)
    assert isinstance(made(np.uint32), clwave.Array)
    assert (made(np.uint32).get() == right).all()
    assert (made(np.int32).get() == right.view(np.int32)).all()
    assert (made(np.uint8).get() == right.astype(np.uint8)).all()
    assert (made(np.float32).get() == (right >> 8).astype(np.float32) / 2**24).all()
    pairs = words(SEED, stream, 2 * first, 2 * n).astype(np.uint64)
    wide = pairs[::2] | pairs[1::2] << np.uint64(32)
    assert (made("u8").get() == wide).all()
    assert (made("f8").get() == (wide >> np.uint64(11)).astype(np.float64) / 2**53).all()
    halves = made(np.float16).get()
    assert ((halves >= 0) & (halves < 1)).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.uint64])
def test_bounds(dtype):
    for below in 1, 3, 100:
        x = clwave.random(SEED, 20000, dtype, below=below, stream=3).get()
        assert x.dtype == dtype and x.min() == 0 and x.max() == below - 1
        counts = np.bincount(x.astype(np.int64))
        assert (abs(counts - 20000 / below) < 6 * (20000 / below) ** 0.5 + (below == 1)).all()
    assert clwave.random(SEED, 9, np.uint64, below=2**64 - 1).size == 9
    assert clwave.random(SEED, 9, np.uint8, below=256).size == 9


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_normal_numbers(dtype):
    x = clwave.random(SEED, 65537, dtype, kind="normal", stream=1).get().astype(np.float64)
    assert abs(x.mean()) < 6 / 256 and abs(x.var() - 1) < 8.5 / 256
    assert abs((x < 1).mean() - 0.841345) < 0.0086


def test_shapes_outputs_and_pieces():
    x = clwave.random(SEED, (3, 5), np.float32)
    assert x.shape == (3, 5)
    whole = clwave.random(SEED, 1001, np.float32).get()
    assert (x.get().ravel() == whole[:15]).all()
    assert (clwave.random(SEED, np.int64(15), np.float32).get() == whole[:15]).all()
    out = as_device(np.full(1001, -7, np.float32))
    event = clwave.random(SEED, first=3, out=out[3:500])
    assert isinstance(event, clwave.Event)
    clwave.random(SEED, first=500, out=out[500:1000], after=event).wait()
    assert (out.get()[3:1000] == whole[3:1000]).all() and (out.get()[[0, 1, 2, 1000]] == -7).all()
    foreign = as_pyopencl(np.full(1001, -7, np.float32))
    clwave.random(SEED, out=foreign).wait()
    assert (foreign.get() == whole).all()
    assert (clwave.random(SEED, 1001, np.float32, queue=foreign.queue).get() == whole).all()


@pytest.mark.parametrize("n", SIZES)
def test_permutations(given, random, n):
    p = clwave.random_permutation(SEED, n).get()
    assert p.dtype == np.uint32 and (np.sort(p) == np.arange(n)).all()
    assert n < 200 or (p == np.arange(n)).sum() < 30
    wide = clwave.random_permutation(SEED, n, np.uint64).get()
    assert wide.dtype == np.uint64 and (wide == p).all()
    assert n < 200 or (clwave.random_permutation(SEED + 1, n).get() != p).any()
    out = clwave.Array(n, np.uint32)
    clwave.random_permutation(SEED, out=out).wait()
    assert (out.get() == p).all()
    for dtype in np.uint8, np.float64, [("a", "i4"), ("b", "f8"), ("c", "u1")]:
        x = np.zeros(n, dtype)
        x.view(np.uint8)[:] = random.integers(0, 256, x.nbytes, dtype=np.uint8)
        shuffled = clwave.shuffle(given(x), SEED)
        assert host(shuffled).tobytes() == x[p].tobytes()
        out = clwave.Array(n, dtype)
        clwave.shuffle(given(x), SEED, out=out).wait()
        assert out.get().tobytes() == x[p].tobytes()


def test_shape_of_a_shuffle(given):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    made = host(clwave.shuffle(given(x), SEED))
    assert made.shape == (3, 4) and (made.ravel() == clwave.random_permutation(SEED, 12).get()).all()


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x: clwave.random(1), "`shape` and `dtype`, or `out`"),
        (lambda x: clwave.random(1, 5), "`shape` and `dtype`, or `out`"),
        (lambda x: clwave.random(1, 5, np.float32, out=x), "those of `out`"),
        (lambda x: clwave.random(1, out=np.ones(5, np.float32)), "NumPy"),
        (lambda x: clwave.random(1, 5, np.float32, kind="gauss"), "gauss"),
        (lambda x: clwave.random(1, 5, np.int32, kind="normal"), "normal"),
        (lambda x: clwave.random(1, 5, np.float32, below=3), "bound"),
        (lambda x: clwave.random(1, 5, np.uint8, below=257), "257"),
        (lambda x: clwave.random(1, 5, np.uint8, below=0), "`below` is 1 or more"),
        (lambda x: clwave.random(1, 5, np.complex64), "random elements"),
        (lambda x: clwave.random(1, -5, np.float32), "not negative"),
        (lambda x: clwave.random_permutation(1), "`n` or `out`"),
        (lambda x: clwave.random_permutation(1, 5, np.int32), "permutation"),
        (lambda x: clwave.random_permutation(1, 5, out=x), "those of `out`"),
        (lambda x: clwave.random_permutation(1, out=x), "permutation"),
        (lambda x: clwave.shuffle(x, 1, out=x), "overlap"),
        (lambda x: clwave.shuffle(x, 1, out=x[:4]), "."),
        (lambda x: clwave.shuffle(x, 1, out=clwave.Array(5, np.int32)), "type"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(clwave.BadCall, match=text):
        call(as_device(np.ones(5, np.float32)))


def test_numbers_that_cannot_be():
    for wrong in -1, 2**64, 1.5, "a", None:
        with pytest.raises(TypeError):
            clwave.random(wrong, 5, np.float32)
        with pytest.raises(TypeError):
            clwave.shuffle(np.ones(5, np.float32), wrong)
    for more in {"stream": -1}, {"stream": 2**32}, {"first": -1}, {"below": -1}, {"below": 2**64}, {"kind": 3}:
        with pytest.raises(TypeError):
            clwave.random(1, 5, np.int32, **more)
    with pytest.raises(TypeError):
        clwave.random_permutation(1, -5)
