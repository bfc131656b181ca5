"""Reductions, of arrays and of what expressions make."""

import builtins

import numpy as np
import pyopencl
import pyopencl.array
from pyopencl.tools import ScalarArg, VectorArg, parse_arg_list

import clwave

from ._shared import is_plain, known_type, pyopencl_own, written
from ._texts import Loop, first_array, operator_of, refuse_gaps, texts_of


class ReductionKernel:
    """pyopencl.reduction.ReductionKernel."""

    def __init__(self, ctx, dtype_out, neutral, reduce_expr, map_expr=None, arguments=None, name="reduce_kernel", options=None,
                 preamble=""):
        self.context, self.dtype_out, self.neutral = ctx, known_type(np.dtype(dtype_out)), neutral
        self.arguments = parse_arg_list(arguments or [], with_offset=True)
        self.map_expr = map_expr
        if map_expr is None:
            first = next((one.name for one in self.arguments if isinstance(one, VectorArg)), "in")
            self.map_expr = f"{first}[i]"
        self.options, self.preamble = options, preamble
        self.op = operator_of(self.dtype_out, reduce_expr, neutral, preamble)
        self.loop = None
        self.own = None
        if self.op is None:
            self.own = pyopencl_own["ReductionKernel"](ctx, dtype_out, neutral, reduce_expr, map_expr, arguments, name, options or [], preamble)

    def __call__(self, *args, return_event=False, queue=None, allocator=None, wait_for=None, out=None, range=None, slice=None):
        if self.own is not None:
            return self.own(*args, return_event=return_event, queue=queue, allocator=allocator, wait_for=wait_for, out=out,
                            range=range, slice=slice)
        if len(args) != len(self.arguments):
            raise TypeError(f"expected {len(self.arguments)} arguments, got {len(args)}")
        refuse_gaps("ReductionKernel", self.arguments, args)
        first = first_array(self.arguments, args)
        if queue is None:
            queue = first.queue if first is not None else None
        if queue is None:
            raise ValueError("queue argument is required when no array arguments are specified")
        if allocator is None and first is not None:
            allocator = first.allocator
        if range is not None and slice is not None:
            raise TypeError("may not specify both range and slice keyword arguments")
        if out is None:
            out = pyopencl.array.empty(queue, (), self.dtype_out, allocator=allocator)
        plain = None
        if range is None and slice is None and not self.preamble and not self.options and is_plain(self.dtype_out):
            plain = texts_of(self.map_expr, self.arguments, args)
        if plain is not None:
            text, arrays, numbers = plain
            apply = None if text == "x" else clwave.Map(text, values=numbers, name="pyopencl_map")
            made = clwave.reduce(arrays[0], self.op, y=arrays[1] if len(arrays) == 2 else None, map=apply, out=out, queue=queue,
                                 after=list(wait_for or []))
        else:
            made = self._by_loop(args, first, queue, allocator, wait_for, out, range, slice)
        event = written(made, out)
        return (out, event) if return_event else out

    def _by_loop(self, args, first, queue, allocator, wait_for, out, range, slice):
        size = first.size if first is not None else 0
        if range is not None:
            begin, end, step = range.start or 0, range.stop, range.step or 1
            if range.stop is None:
                begin, end = 0, range.start
        elif slice is not None:
            begin, end, step = slice.indices(size)
        else:
            begin, end, step = 0, size, 1
        n = len(builtins.range(begin, end, step))
        mapped = pyopencl.array.empty(queue, builtins.max(n, 1), self.dtype_out, allocator=allocator)[:n]
        if self.loop is None:
            more = [VectorArg(self.dtype_out, "own_out", with_offset=True), ScalarArg(np.int64, "own_begin"), ScalarArg(np.int64, "own_step")]
            body = (f"const index_type own_i = i; {{ const index_type i = own_begin + own_i * own_step; "
                    f"own_out[own_i] = {self.map_expr}; }}")
            self.loop = Loop(self.context, [*self.arguments, *more], body, self.preamble, self.options, "long")
        after = list(wait_for or [])
        if n:
            after = [self.loop(queue, n, [*args, mapped, begin, step], wait_for)]
        return clwave.reduce(mapped, self.op, out=out, queue=queue, after=after)
