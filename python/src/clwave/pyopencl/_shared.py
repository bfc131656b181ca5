"""What all of the drop-in share: PyOpenCL's own classes and functions, refusals, and arrays between both libraries."""

import functools
import re
import sys

import numpy as np
import pyopencl
import pyopencl.algorithm
import pyopencl.array
import pyopencl.reduction
import pyopencl.scan
from pyopencl.tools import dtype_to_ctype

import clwave

# PyOpenCL's own, which install() may put something else in place of.
pyopencl_own = {
    "ReductionKernel": pyopencl.reduction.ReductionKernel,
    "GenericScanKernel": pyopencl.scan.GenericScanKernel,
    "InclusiveScanKernel": pyopencl.scan.InclusiveScanKernel,
    "ExclusiveScanKernel": pyopencl.scan.ExclusiveScanKernel,
    "unique": pyopencl.algorithm.unique,
    **{name: getattr(pyopencl.array, name) for name in (
        "sum", "dot", "vdot", "max", "min", "subset_dot", "subset_max", "subset_min", "any", "all", "cumsum",
        "take")},
    "reverse": pyopencl.array.Array.reverse,
}


class NotServed(NotImplementedError):
    """A call that clwave has no way to carry out."""


def falls_back():
    """Whether PyOpenCL's own does what clwave cannot: what the user set clwave.pyopencl.fallback to."""
    return sys.modules["clwave.pyopencl"].fallback


def refuse(what):
    raise NotServed(f"clwave.pyopencl does not serve {what}; with clwave.pyopencl.fallback = True PyOpenCL's own does")


class As:
    """An array's elements as elements of another type of their size."""

    def __init__(self, array, dtype):
        self.base_data, self.offset, self.queue = array.base_data, array.offset, array.queue
        self.size, self.shape, self.strides, self.events = array.size, array.shape, array.strides, array.events
        self.dtype = np.dtype(dtype)


def event_of(made):
    return pyopencl.Event.from_int_ptr(made.int_ptr)


def written(made, *arrays):
    """PyOpenCL's event of a call, which its arrays wait for from now on."""
    event = event_of(made)
    for array in arrays:
        array.add_event(event)
    return event


def is_plain(dtype):
    """A number that means the same in texts of both libraries."""
    return np.dtype(dtype).kind in "iuf" and np.dtype(dtype).itemsize != 2


@functools.lru_cache(maxsize=None)
def known_type(dtype):
    """The dtype, known to clwave by the name that PyOpenCL knows it by."""
    if dtype.names is not None and clwave._types.vector_name(dtype) is None:
        clwave._types._names.setdefault(dtype, dtype_to_ctype(dtype))
    return dtype


def without_types(preamble, dtype):
    """A preamble without the structure that clwave declares by itself."""
    if dtype.names is None:
        return preamble
    return re.sub(r"typedef\s+struct\s*(?:\w+\s*)?\{[^}]*\}\s*" + re.escape(dtype_to_ctype(dtype)) + r"\s*;", "", preamble)
