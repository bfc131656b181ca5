"""Functions of arrays: sums, extremes, scalar products, truths, running sums, and elements by their index."""

import builtins

import numpy as np
import pyopencl
import pyopencl.array

import clwave

from ._shared import As, falls_back, known_type, pyopencl_own, refuse, written

_IS_TRUE, _IS_TRUE_COMPLEX = clwave.Map("x != 0"), clwave.Map("x.x != 0 || x.y != 0")


def _as_pyopencl_does(name, array, *others):
    """Whether PyOpenCL's own is to do it: of arrays that clwave does not take, and where that is allowed."""
    if builtins.all(one.flags.c_contiguous for one in (array, *others)):
        return False
    if not falls_back():
        refuse(f"{name} of arrays with gaps or in Fortran's order")
    return True


def _to_scalar(array, op, dtype, queue, initial=None, **more):
    queue = queue or array.queue
    out = pyopencl.array.empty(queue, (), dtype, allocator=array.allocator)
    if initial is None:
        written(clwave.reduce(array, op, out=out, queue=queue, **more), out)
        return out
    # The initial value is one more element of what is left.
    pair = pyopencl.array.empty(queue, 2, dtype, allocator=array.allocator)
    pair[1:].fill(initial)
    if array.size == 0:
        return _to_scalar(pair[1:], op, dtype, queue)
    clwave.reduce(array, op, out=pair[:1], queue=queue, **more)
    return _to_scalar(pair, op, dtype, queue)


def _given(initial):
    return {} if initial is None else {"initial": initial}


def sum(a, dtype=None, queue=None, slice=None, initial=None):
    """pyopencl.array.sum."""
    queue = queue or a.queue
    initial = None if initial is pyopencl.array._NoValue else initial
    dtype = np.dtype(a.dtype if dtype is None else dtype)
    if slice is not None:
        if a.ndim != 1 or _as_pyopencl_does("sum", a):
            return pyopencl_own["sum"](a, dtype, queue, slice, **_given(initial))
        a = _cut(a, slice, queue)
    if _as_pyopencl_does("sum", a):
        return pyopencl_own["sum"](a, dtype, queue, **_given(initial))
    return _to_scalar(a, "plus", dtype, queue, initial)


def _cut(a, slice, queue):
    """The elements of a slice, side by side."""
    begin, end, step = slice.indices(a.size)
    if step == 1:
        return a[slice]
    return clwave.gather(a, pyopencl.array.arange(queue, begin, end, step, dtype=np.int64), queue=queue)


def dot(a, b, dtype=None, queue=None, slice=None):
    """pyopencl.array.dot."""
    return _dot("dot", a, b, dtype, queue, slice)


def vdot(a, b, dtype=None, queue=None, slice=None):
    """pyopencl.array.vdot: the scalar product with the conjugate of `a`."""
    if a.dtype.kind == "c":
        a = a.conj()
    return _dot("vdot", a, b, dtype, queue, slice)


def _dot(name, a, b, dtype, queue, slice):
    if dtype is None:
        dtype = np.result_type(a.dtype, b.dtype)
    if slice is not None:
        a, b = _cut(a, slice, queue or a.queue), _cut(b, slice, queue or a.queue)
    if _as_pyopencl_does(name, a, b):
        return pyopencl_own[name](a, b, dtype, queue)
    common = np.result_type(a.dtype, b.dtype)
    queue = queue or a.queue
    a, b = (one if one.dtype == common else one.astype(common, queue=queue) for one in (a, b))
    return _to_scalar(a, "plus", dtype, queue, y=b, map="product")


def _extreme(name):
    def extreme(a, queue=None, initial=None):
        initial = None if initial is pyopencl.array._NoValue else initial
        if a.size == 0 and initial is None:
            raise ValueError(f"zero-size array to reduction '{name}' which has no identity")
        if _as_pyopencl_does(name, a):
            return pyopencl_own[name](a, queue, **_given(initial))
        return _to_scalar(a, name, a.dtype, queue, initial)

    extreme.__name__, extreme.__doc__ = name, f"pyopencl.array.{name}."
    return extreme


max = _extreme("max")
min = _extreme("min")


def _of_subset(name):
    def of_subset(subset, a, queue=None, slice=None):
        if slice is not None:
            subset = _cut(subset, slice, queue or a.queue)
        queue = queue or a.queue
        return _to_scalar(clwave.gather(a, subset, queue=queue), name, a.dtype, queue)

    of_subset.__name__, of_subset.__doc__ = f"subset_{name}", f"pyopencl.array.subset_{name}."
    return of_subset


subset_max = _of_subset("max")
subset_min = _of_subset("min")


def subset_sum(subset, a, dtype=None, queue=None, slice=None):
    """pyopencl.array.subset_sum."""
    if slice is not None:
        subset = _cut(subset, slice, queue or a.queue)
    queue = queue or a.queue
    return _to_scalar(clwave.gather(a, subset, queue=queue), "plus", a.dtype if dtype is None else dtype, queue)


def any(a, queue=None, wait_for=None):
    """pyopencl.array.any."""
    return _truth(a, "any", queue, wait_for)


def all(a, queue=None, wait_for=None):
    """pyopencl.array.all."""
    return _truth(a, "all", queue, wait_for)


def _truth(a, name, queue, wait_for):
    if len(a) == 0:
        return np.bool_(name == "all")
    if _as_pyopencl_does(name, a):
        return pyopencl_own[name](a, queue, wait_for)
    queue = queue or a.queue
    out = pyopencl.array.empty(queue, (), np.int8, allocator=a.allocator)
    search = clwave.any_of if name == "any" else clwave.all_of
    known_type(a.dtype)
    is_true = _IS_TRUE_COMPLEX if a.dtype.kind == "c" else _IS_TRUE
    written(search(a, is_true, out=As(out, np.bool_), queue=queue, after=list(wait_for or [])), out)
    return out


def reverse(a, queue=None):
    """pyopencl.array.Array.reverse: a copy whose elements, in the order of memory, are in the opposite one."""
    if _as_pyopencl_does("reverse", a):
        return pyopencl_own["reverse"](a, queue)
    out = a._new_like_me()
    known_type(a.dtype)
    written(clwave.reverse(a, out=out, queue=queue or a.queue), out)
    return out


def cumsum(a, output_dtype=None, queue=None, wait_for=None, *, return_event=False):
    """pyopencl.array.cumsum."""
    output_dtype = a.dtype if output_dtype is None else np.dtype(output_dtype)
    if _as_pyopencl_does("cumsum", a):
        return pyopencl_own["cumsum"](a, output_dtype, queue, wait_for, return_event=return_event)
    queue = queue or a.queue
    out = pyopencl.array.empty(queue, a.shape, output_dtype, allocator=a.allocator)
    event = written(clwave.inclusive_scan(a, out=out, queue=queue, after=list(wait_for or [])), out)
    return (event, out) if return_event else out


def take(a, indices, out=None, queue=None, wait_for=None):
    """pyopencl.array.take."""
    if _as_pyopencl_does("take", a, indices):
        return pyopencl_own["take"](a, indices, out, queue, wait_for)
    queue = queue or a.queue
    if out is None:
        out = type(a)(queue, indices.shape, a.dtype, allocator=a.allocator)
    known_type(a.dtype)
    written(clwave.gather(a, indices, out=out, queue=queue, after=list(wait_for or [])), out)
    return out
