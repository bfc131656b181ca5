"""What the tests share: a queue, and arrays of every kind that calls take."""

import signal

import numpy as np
import pytest

import clwave


@pytest.fixture(scope="session")
def queue():
    return clwave.default_queue()


@pytest.fixture
def random():
    return np.random.default_rng(20261128)


# A shell that starts the tests in the background has them ignore Ctrl-C, and Python then raises nothing.
HEED_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


@pytest.fixture
def heeds_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def as_device(array):
    return clwave.Array.from_numpy(array)


def as_pyopencl(array):
    cl = pytest.importorskip("pyopencl")
    import pyopencl.array

    own = clwave.default_queue()
    return pyopencl.array.to_device(cl.CommandQueue.from_int_ptr(own.int_ptr), array)


def host(array):
    """The elements of any kind of array."""
    return array if isinstance(array, np.ndarray) else array.get()


@pytest.fixture(params=["numpy", "clwave", "pyopencl"])
def given(request):
    """Makes an array of each kind of a NumPy array."""
    return {"numpy": np.array, "clwave": as_device, "pyopencl": as_pyopencl}[request.param]
