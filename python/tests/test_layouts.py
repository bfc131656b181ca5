"""Arrays of structures and structures of arrays, and matrices that are transposed in place."""

import numpy as np
import pytest
from conftest import as_device, host

import clwave

POINT = np.dtype([("x", np.float32), ("tag", np.uint8), ("y", np.float64), ("n", np.int16)], align=True)
SIZES = [0, 1, 31, 33, 1000, 4097]


def some(random, n):
    points = np.zeros(n, POINT)
    points["x"], points["tag"] = random.standard_normal(n), random.integers(0, 256, n)
    points["y"], points["n"] = random.standard_normal(n), random.integers(-999, 999, n)
    return points


@pytest.mark.parametrize("n", SIZES)
def test_there_and_back(given, random, n):
    points = some(random, n)
    arrays = clwave.aos_to_soa(given(points))
    assert list(arrays) == list(POINT.names)
    for name in POINT.names:
        assert host(arrays[name]).dtype == POINT[name] and (host(arrays[name]) == points[name]).all()
    assert (host(clwave.soa_to_aos(arrays, POINT)) == points).all()
    some_fields = clwave.aos_to_soa(given(points), fields=["y", "tag"])
    assert list(some_fields) == ["y", "tag"] and (host(some_fields["y"]) == points["y"]).all()
    part = host(clwave.soa_to_aos(some_fields, POINT))
    assert (part["tag"] == points["tag"]).all() and not part["x"].any() and not part["n"].any()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("block", [1, 7, 32])
def test_blocks(given, random, n, block):
    points = some(random, n)
    blocks = clwave.aos_to_aosoa(given(points), block)
    assert (host(clwave.aosoa_to_aos(blocks, block, n, POINT)) == points).all()
    if n:
        # The first block begins with the first field of `block` structures.
        first = min(n, block)
        assert (host(blocks)[: 4 * first].view(np.float32) == points["x"][:first]).all()
    out = clwave.Array(n, POINT)
    clwave.aosoa_to_aos(as_device(host(blocks)), block, out=out).wait()
    assert (out.get() == points).all()


def test_outputs(random):
    points = some(random, 100)
    out = {name: clwave.Array(100, POINT[name]) for name in POINT.names}
    event = clwave.aos_to_soa(as_device(points), out=out)
    again = clwave.Array(100, POINT)
    clwave.soa_to_aos(out, out=again, after=event).wait()
    assert (again.get() == points).all()
    blocks = clwave.Array(100 * 15 + 60, np.uint8)
    clwave.aos_to_aosoa(as_device(points), 4, out=blocks).wait()
    assert clwave.plan(clwave.aos_to_soa, points)["primitive"]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x: clwave.aos_to_soa(np.ones(3)), "structured"),
        (lambda x: clwave.aos_to_soa(x, fields=["z"]), "no field 'z'"),
        (lambda x: clwave.aos_to_soa(x, fields="xy"), "list of names"),
        (lambda x: clwave.aos_to_soa(x, fields=["x", "x"]), "overlap"),
        (lambda x: clwave.aos_to_soa(x, out={"x": clwave.Array(3, np.float32)}), "dict with an array for each"),
        (lambda x: clwave.aos_to_soa(np.zeros(2, [("v", "f4", 3)])), "array itself"),
        (lambda x: clwave.soa_to_aos({}, POINT), "dict"),
        (lambda x: clwave.soa_to_aos({"x": x["x"].copy()}), "`dtype` is needed"),
        (lambda x: clwave.soa_to_aos({"x": np.ones(3, np.int32)}, POINT), "the field of float32"),
        (lambda x: clwave.soa_to_aos({"x": np.ones(3, "f4"), "y": np.ones(2, "f8")}, POINT), "length"),
        (lambda x: clwave.aosoa_to_aos(np.zeros(8, np.uint8), 1), "`n` and `dtype`"),
        (lambda x: clwave.aosoa_to_aos(np.zeros(8, np.uint8), 1, 3, POINT), "."),
        (lambda x: clwave.aos_to_aosoa(x, 0), "."),
        (lambda x: clwave.transpose_in_place(clwave.Array((2, 3), "f4")), "."),
        (lambda x: clwave.transpose_in_place(np.ones((2, 2))), "NumPy"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(clwave.BadCall, match=text):
        call(np.zeros(3, POINT))


def test_transpose_in_place(random):
    for shape in [(1, 1), (33, 33), (3, 64, 64)]:
        x = random.standard_normal(shape).astype(np.float32)
        device = as_device(x)
        clwave.transpose_in_place(device).wait()
        assert (device.get() == np.swapaxes(x, -1, -2)).all()
