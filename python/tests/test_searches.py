"""Searches that stop early, against NumPy: places at both ends and between, and none at all."""

import numpy as np
import pytest
from conftest import as_device

import clwave

N = 30_011
PLACES = [0, 1, 300, N // 2, N - 1, None]


@pytest.mark.parametrize("at", PLACES)
def test_predicates(given, random, at):
    x = random.integers(2, 100, N, dtype=np.int32)
    if at is not None:
        x[at:] = np.where(random.random(N - at) < 0.1, 1, x[at:])
        x[at] = 1
    made = given(x)
    assert clwave.find_if(made, "x == 1") == at
    assert clwave.any_of(made, "x == 1") is (at is not None)
    assert clwave.none_of(made, "x == 1") is (at is None)
    assert clwave.all_of(made, "x != 1") is (at is None)
    assert clwave.find_if_async(made, "x == 1").get() == at
    assert clwave.any_of_async(made, "x == 1").get() is (at is not None)
    assert clwave.none_of_async(made, "x == 1").get() is (at is None)
    assert clwave.all_of_async(made, "x != 1").get() is (at is None)
    assert clwave.find_if(made, clwave.Map("x == which", values={"which": 1})) == at


@pytest.mark.parametrize("at", PLACES)
def test_two_inputs(given, random, at):
    x = random.integers(0, 100, N, dtype=np.int16)
    y = x.copy()
    if at is not None:
        y[at:] += random.integers(0, 2, N - at, dtype=np.int16)
        y[at] = x[at] + 1
    a, b = given(x), given(y)
    assert clwave.mismatch(a, b) == clwave.mismatch_async(a, b).get() == at
    assert clwave.equal(a, b) is clwave.equal_async(a, b).get() is (at is None)
    assert clwave.equal(a, b, "b - a < 2") is True and clwave.mismatch(a, b, "b - a < 2") is None


@pytest.mark.parametrize("at", PLACES[2:])
def test_orders(given, at):
    x = np.arange(N, dtype=np.float32) // 3
    if at is not None:
        x[at] = -1
    assert clwave.is_sorted(given(x)) is clwave.is_sorted_async(given(x)).get() is (at is None)
    assert clwave.is_sorted(given(-x), descending=True) is (at is None)
    assert clwave.is_sorted(given(-x), less="b < a") is (at is None)
    assert clwave.is_sorted(given(x), descending=True) is False
    # Of -1 this bit is 1, of all others 0: in order where it is the last one.
    assert clwave.is_sorted(given(x.astype(np.int32)), bits=(30, 31)) is (at in (None, N - 1))


def test_none_and_one(given):
    none = given(np.zeros(0, np.float32))
    assert clwave.find_if(none, "x") is None and clwave.mismatch(none, none) is None
    assert (clwave.any_of(none, "x"), clwave.all_of(none, "x"), clwave.none_of(none, "x")) == (False, True, True)
    assert clwave.equal(none, none) is True and clwave.is_sorted(none) is True
    assert clwave.is_sorted(given(np.ones(1, np.float32))) is True


def test_other_elements():
    x = np.array([1, np.nan, 3], np.float32)
    assert clwave.mismatch(x, x) == 1 and clwave.equal(x, x, "a == b || (a != a && b != b)")
    point = clwave.structure("search_point", [("x", np.float32), ("tag", np.uint32)])
    points = np.zeros(1000, point)
    points["tag"][700:] = 5
    assert clwave.find_if(points, "x.tag == 5") == 700
    assert clwave.is_sorted(points, less="a.tag < b.tag")
    assert clwave.equal(points, points[::-1].copy(), "a.x == b.x")
    assert clwave.any_of(np.array([0, 1j], np.complex64), "x.y > 0")
    with pytest.raises(clwave.BadCall, match="operator"):
        clwave.equal(points, points)


def test_outputs():
    x = as_device(np.arange(1000, dtype=np.int32))
    index, truth = as_device(np.full(2, 77, np.uint64)), as_device(np.array([False, True]))
    clwave.find_if(x, "x == 500", out=index).wait()
    assert index.get().tolist() == [500, 77]
    clwave.find_if(x, "x < 0", out=index).wait()
    assert index.get().tolist() == [clwave.nowhere, 77]
    clwave.mismatch(x, x, out=index).wait()
    assert index.get().tolist() == [clwave.nowhere, 77]
    for call, right in (
        (lambda out: clwave.any_of(x, "x > 5", out=out), True),
        (lambda out: clwave.all_of(x, "x > 5", out=out), False),
        (lambda out: clwave.none_of(x, "x < 0", out=out), True),
        (lambda out: clwave.equal(x, x, out=out), True),
        (lambda out: clwave.is_sorted(x, descending=True, out=out), False),
    ):
        call(truth).wait()
        assert truth.get().tolist() == [right, True]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x: clwave.all_of(x, "square"), "own"),
        (lambda x: clwave.equal(x, x[:4]), "5"),
        (lambda x: clwave.mismatch(x, np.ones(5)), "f64"),
        (lambda x: clwave.find_if(x, "x", out=clwave.Array(1, np.int64)), "i64"),
        (lambda x: clwave.any_of(x, "x", out=clwave.Array(1, np.uint8)), "u8"),
        (lambda x: clwave.is_sorted(np.ones(3, np.complex64)), "cf32"),
        (lambda x: clwave.is_sorted(x, less="a < b", descending=True), "order"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(clwave.BadCall, match=text):
        call(as_device(np.ones(5, np.float32)))
