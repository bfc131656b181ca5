"""Selections: the elements for which an expression is true, and first ones of runs."""

import functools

import numpy as np
import pyopencl
import pyopencl.array
from pyopencl.tools import ScalarArg, VectorArg

import clwave

from ._shared import As, falls_back, is_plain, known_type, pyopencl_own, refuse, written
from ._texts import Loop, texts_of


def _flags(ary, predicate, extra_args, preamble, queue, wait_for):
    """One byte for each element: whether a predicate in `ary[i]` and `i` is true of it."""
    flags = pyopencl.array.empty(queue, ary.shape, np.int8, allocator=ary.allocator)
    arguments = [VectorArg(ary.dtype, "ary", with_offset=True), VectorArg(np.int8, "own_flags", with_offset=True)]
    values = [ary, flags]
    for name, value in extra_args:
        if isinstance(value, pyopencl.array.Array):
            arguments.append(VectorArg(value.dtype, name, with_offset=True))
        else:
            arguments.append(ScalarArg(np.asarray(value).dtype, name))
        values.append(value)
    loop = _flag_loop(queue.context, tuple(arguments), predicate, preamble)
    flags.add_event(loop(queue, ary.size, values, wait_for))
    return flags


@functools.lru_cache(maxsize=64)
def _flag_loop(context, arguments, predicate, preamble):
    return Loop(context, arguments, f"own_flags[i] = ({predicate}) ? 1 : 0", preamble, [])


def _predicate(ary, predicate, extra_args, preamble):
    """The predicate as a map of clwave, or None."""
    if preamble or not is_plain(ary.dtype):
        return None
    arguments, values = [VectorArg(ary.dtype, "ary")], [ary]
    for name, value in extra_args:
        if isinstance(value, pyopencl.array.Array):
            return None
        arguments.append(ScalarArg(np.asarray(value).dtype, name))
        values.append(value)
    plain = texts_of(predicate, arguments, values)
    return None if plain is None else clwave.Map(plain[0], values=plain[2], name="predicate")


def _count(queue, allocator):
    """A number for PyOpenCL, which is signed there."""
    return pyopencl.array.empty(queue, (), np.int64, allocator=allocator)


def copy_if(ary, predicate, extra_args=None, preamble="", queue=None, wait_for=None):
    """pyopencl.algorithm.copy_if: (selected, count, event)."""
    queue, extra_args = queue or ary.queue, extra_args or []
    (n,) = ary.shape
    out, count = pyopencl.array.empty_like(ary), _count(queue, ary.allocator)
    options = {"out": out, "count": As(count, np.uint64), "queue": queue, "after": list(wait_for or [])}
    apply = _predicate(ary, predicate, extra_args, preamble)
    if apply is not None:
        made = clwave.copy_if(ary, apply, **options)
    else:
        made = clwave.copy_flagged(ary, _flags(ary, predicate, extra_args, preamble, queue, wait_for), **options)
    return out, count, written(made, out, count)


def remove_if(ary, predicate, extra_args=None, preamble="", queue=None, wait_for=None):
    """pyopencl.algorithm.remove_if: the elements for which the predicate is false, their number, and an event."""
    return copy_if(ary, f"!({predicate})", extra_args, preamble, queue, wait_for)


def partition(ary, predicate, extra_args=None, preamble="", queue=None, wait_for=None):
    """pyopencl.algorithm.partition: (true ones, false ones, number of true ones, event)."""
    queue, extra_args = queue or ary.queue, extra_args or []
    out_true, out_false, count = pyopencl.array.empty_like(ary), pyopencl.array.empty_like(ary), _count(queue, ary.allocator)
    apply = _predicate(ary, predicate, extra_args, preamble)
    if apply is not None:
        made = clwave.partition_copy(ary, apply, out=(out_true, out_false), count=As(count, np.uint64), queue=queue,
                                     after=list(wait_for or []))
    else:
        flags = _flags(ary, predicate, extra_args, preamble, queue, wait_for)
        clwave.copy_flagged(ary, flags, out=out_true, count=As(count, np.uint64), queue=queue)
        others = clwave.transform(flags, map="x == 0", queue=queue)
        made = clwave.copy_flagged(ary, others, out=out_false, count=As(_count(queue, ary.allocator), np.uint64), queue=queue)
    return out_true, out_false, count, written(made, out_true, out_false, count)


def unique(ary, is_equal_expr="a == b", extra_args=None, preamble="", queue=None, wait_for=None):
    """pyopencl.algorithm.unique: (first elements of runs of equal neighbours, their number, event)."""
    if extra_args:
        if falls_back():
            return pyopencl_own["unique"](ary, is_equal_expr, extra_args, preamble, queue, wait_for)
        refuse("`extra_args` of unique")
    queue = queue or ary.queue
    known_type(ary.dtype)
    out, count = pyopencl.array.empty_like(ary), _count(queue, ary.allocator)
    same = None if is_equal_expr == "a == b" else clwave.Op(is_equal_expr, declarations=preamble)
    made = clwave.unique(ary, same, out=out, count=As(count, np.uint64), queue=queue, after=list(wait_for or []))
    return out, count, written(made, out, count)
