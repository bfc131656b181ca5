"""Sorts, and lists of lists."""

import builtins
import re

import numpy as np
import pyopencl
import pyopencl.algorithm
import pyopencl.array
from pyopencl.tools import VectorArg, dtype_to_ctype, parse_arg_list

import clwave

from ._scans import GenericScanKernel
from ._shared import As, known_type, written
from ._texts import Loop, first_array


class RadixSort:
    """pyopencl.algorithm.RadixSort."""

    def __init__(self, context, arguments, key_expr, sort_arg_names, bits_at_a_time=2, index_dtype=np.int32, key_dtype=np.uint32,
                 scan_kernel=None, options=None):
        self.context = context
        self.arguments = parse_arg_list(arguments)
        self.key_expr, self.names, self.key_dtype, self.options = key_expr, list(sort_arg_names), np.dtype(key_dtype), options
        self.loop = None

    def __call__(self, *args, queue=None, allocator=None, key_bits=None, wait_for=None, **kwargs):
        named = {one.name: value for one, value in zip(self.arguments, args)}
        arrays = [named[name] for name in self.names]
        first = first_array(self.arguments, args)
        queue, allocator = queue or first.queue, allocator or first.allocator
        (n,) = first.shape
        bits = None if key_bits is None else (0, builtins.min(int(key_bits), 8 * self.key_dtype.itemsize))
        outs = [pyopencl.array.empty(queue, n, array.dtype, allocator=allocator) for array in arrays]
        if n == 0:
            return tuple(outs), pyopencl.enqueue_marker(queue, wait_for=wait_for)
        # The keys are an array itself where the expression says so, and their bits are counted from the lowest one.
        found = re.fullmatch(r"\s*(\w+)\s*\[\s*i\s*\]\s*", self.key_expr)
        keys, after = named.get(found.group(1)) if found else None, list(wait_for or [])
        if keys is None or keys.dtype.kind not in "iu" or keys.dtype.itemsize != self.key_dtype.itemsize:
            keys = pyopencl.array.empty(queue, n, self.key_dtype, allocator=allocator)
            if self.loop is None:
                self.loop = Loop(self.context, [*self.arguments, VectorArg(self.key_dtype, "own_keys", with_offset=True)],
                                  f"own_keys[i] = {self.key_expr}", "", self.options)
            after = [self.loop(queue, n, [*args, keys], wait_for)]
        keys_as = As(keys, self.key_dtype)
        if len(arrays) == 1 and arrays[0] is keys:
            event = written(clwave.sort(keys_as, bits=bits, out=As(outs[0], self.key_dtype), queue=queue, after=after), *outs)
        elif len(arrays) == 1:
            spare = pyopencl.array.empty(queue, n, self.key_dtype, allocator=allocator)
            known_type(arrays[0].dtype)
            event = written(clwave.sort_by_key(keys_as, arrays[0], bits=bits, out=(spare, outs[0]), queue=queue, after=after), *outs)
        else:
            order = pyopencl.array.empty(queue, n, np.uint32, allocator=allocator)
            made = clwave.argsort(keys_as, bits=bits, out=order, queue=queue, after=after)
            for array, out in zip(arrays, outs):
                known_type(array.dtype)
                made = clwave.gather(array, order, out=out, queue=queue, after=[made])
            event = written(made, *outs)
        return tuple(outs), event


class KeyValueSorter:
    """pyopencl.algorithm.KeyValueSorter."""

    def __init__(self, context):
        self.context = context

    def __call__(self, queue, keys, values, nkeys, starts_dtype, allocator=None, wait_for=None):
        allocator = allocator or values.allocator
        sorted_keys = pyopencl.array.empty(queue, keys.size, keys.dtype, allocator=allocator)
        lists = pyopencl.array.empty(queue, values.size, values.dtype, allocator=allocator)
        known_type(values.dtype)
        made = clwave.sort_by_key(keys, values, out=(sorted_keys, lists), queue=queue, after=list(wait_for or []))
        # Behind the greatest key of the type lies the end.
        n_needles = builtins.min(nkeys + 1, int(np.iinfo(keys.dtype).max) + 1)
        needles = pyopencl.array.to_device(queue, np.arange(n_needles).astype(keys.dtype))
        found = pyopencl.array.empty(queue, nkeys + 1, np.uint32 if keys.size < 2**32 else np.uint64, allocator=allocator)
        made = clwave.lower_bound(sorted_keys, needles, out=found[:n_needles], queue=queue, after=[made, *needles.events])
        if n_needles < nkeys + 1:
            made = clwave.fill(found[n_needles:], keys.size, queue=queue, after=[made])
        starts = pyopencl.array.empty(queue, nkeys + 1, starts_dtype, allocator=allocator)
        made = clwave.copy(found, out=starts, queue=queue, after=[made])
        return starts, lists, written(made, starts, lists)


class ListOfListsBuilder(pyopencl.algorithm.ListOfListsBuilder):
    """pyopencl.algorithm.ListOfListsBuilder, whose scans are clwave's."""

    def get_scan_kernel(self, index_dtype):
        return GenericScanKernel(
            self.context, index_dtype, arguments=f"__global {dtype_to_ctype(index_dtype)} *ary", input_expr="ary[i]",
            scan_expr="a+b", neutral="0", output_statement="ary[i+1] = item;")
