"""Scans: of arrays, and of what expressions make."""

import numpy as np
import pyopencl
import pyopencl.array
from pyopencl.tools import VectorArg, dtype_to_ctype, parse_arg_list

import clwave

from ._shared import event_of, known_type, pyopencl_own, written
from ._texts import Loop, macro, operator_of, refuse_gaps


class GenericScanKernel:
    """pyopencl.scan.GenericScanKernel: one kernel makes the items, clwave scans them, one kernel runs the output statement."""

    def __init__(self, ctx, dtype, arguments, input_expr, scan_expr, neutral, output_statement, is_segment_start_expr=None,
                 input_fetch_exprs=None, index_dtype=None, name_prefix="scan", options=None, preamble="", devices=None):
        if neutral is None:
            raise ValueError("must provide a 'neutral' element in scan")
        self.context, self.dtype = ctx, known_type(np.dtype(dtype))
        self.index_dtype = np.dtype(np.int32 if index_dtype is None else index_dtype)
        if np.iinfo(self.index_dtype).min >= 0:
            raise TypeError("index_dtype must be signed")
        self.parsed_args = parse_arg_list(arguments)
        self.first_array_idx = next(n for n, one in enumerate(self.parsed_args) if isinstance(one, VectorArg))
        self.is_segmented = is_segment_start_expr is not None
        fetched = ""
        by_name = {one.name: one for one in self.parsed_args}
        for name, of, offset in input_fetch_exprs or []:
            if offset not in (0, -1):
                raise RuntimeError("input_fetch_expr offsets must either be 0 or -1")
            ctype = dtype_to_ctype(by_name[of].dtype)
            # PyOpenCL leaves it undefined before the first element.
            read = f"{of}[i]" if offset == 0 else f"(i > 0 ? {of}[i - 1] : {of}[i])"
            fetched += f"const {ctype} {name} = {read};\n"
        ctype, index_ctype = dtype_to_ctype(self.dtype), dtype_to_ctype(self.index_dtype)
        self.op, scan_preamble = self._operator(scan_expr, neutral, preamble)
        self.own = None
        if self.op is None:
            self.own = pyopencl_own["GenericScanKernel"](
                ctx, dtype, arguments, input_expr, scan_expr, neutral, output_statement, is_segment_start_expr,
                input_fetch_exprs or [], self.index_dtype, name_prefix, options or [], preamble, devices)
            return
        items = VectorArg(self.dtype, "own_items", with_offset=True)
        flags = VectorArg(np.int8, "own_flags", with_offset=True)
        functions = macro("INPUT_EXPR", "i", input_expr) + "\n"
        body = fetched + f"const {ctype} a = INPUT_EXPR(i); own_items[i] = a;"
        if self.is_segmented:
            functions += macro("SEGMENT_START", "i, a", is_segment_start_expr) + "\n"
            body += " own_flags[i] = i == 0 || (SEGMENT_START(i, a)) ? 1 : 0"
        more = [items, flags] if self.is_segmented else [items]
        self.before = Loop(ctx, [*self.parsed_args, *more], body, preamble + "\n" + functions, options, index_ctype)
        begins = "own_flags[i]" if self.is_segmented else "i == 0"
        body = fetched + f"const {ctype} item = own_items[i];"
        body += f" const {ctype} prev_item = ({begins}) ? ({neutral}) : own_items[i > 0 ? i - 1 : 0];"
        if "last_item" in output_statement:
            body += f" const {ctype} last_item = own_items[N - 1];"
        body += " { " + output_statement + "; }"
        self.behind = Loop(ctx, [*self.parsed_args, *more], body, preamble, options, index_ctype)

    def _operator(self, scan_expr, neutral, preamble):
        if "across_seg_boundary" in scan_expr:
            # The library's scans of runs never combine across a boundary.
            scan_expr = f"({scan_expr})"
            preamble = preamble + "\n#define across_seg_boundary false\n"
        return operator_of(self.dtype, scan_expr, neutral, preamble), preamble

    def __call__(self, *args, queue=None, allocator=None, size=None, wait_for=None, **kwargs):
        if self.own is not None:
            return self.own(*args, queue=queue, allocator=allocator, size=size, wait_for=wait_for)
        if len(args) != len(self.parsed_args):
            raise TypeError(f"expected {len(self.parsed_args)} arguments, got {len(args)}")
        refuse_gaps("GenericScanKernel", self.parsed_args, args)
        first = args[self.first_array_idx]
        queue = queue or first.queue
        allocator = allocator or first.allocator
        n = size
        if n is None:
            (n,) = first.shape
        n = int(n)
        if n == 0:
            return pyopencl.enqueue_marker(queue, wait_for=wait_for)
        items = pyopencl.array.empty(queue, n, self.dtype, allocator=allocator)
        temporary = [items]
        if self.is_segmented:
            flags = pyopencl.array.empty(queue, n, np.int8, allocator=allocator)
            temporary.append(flags)
        made = self.before(queue, n, [*args, *temporary], wait_for)
        if self.is_segmented:
            # A run begins where the flag of the right one of two neighbours is set.
            scanned = clwave.inclusive_scan_by_key(flags, items, self.op, same="b == 0", out=items, queue=queue, after=[made])
        else:
            scanned = clwave.inclusive_scan(items, self.op, out=items, queue=queue, after=[made])
        done = self.behind(queue, n, [*args, *temporary], [event_of(scanned)])
        for description, value in zip(self.parsed_args, args):
            if isinstance(description, VectorArg) and isinstance(value, pyopencl.array.Array):
                value.add_event(done)
        return done


#: For debugging there is no other scan.
GenericDebugScanKernel = GenericScanKernel


class _ArrayScanKernel:
    def __init__(self, ctx, dtype, scan_expr, neutral=None, name_prefix="scan", options=None, preamble="", devices=None):
        if neutral is None:
            raise ValueError("must provide a 'neutral' element in scan")
        self.dtype = known_type(np.dtype(dtype))
        self.op = operator_of(self.dtype, scan_expr, neutral, preamble)
        self.own = None
        if self.op is None:
            self.own = pyopencl_own[self.own_name](ctx, dtype, scan_expr, neutral, name_prefix, options or [], preamble, devices)

    def __call__(self, input_ary, output_ary=None, allocator=None, queue=None):
        if self.own is not None:
            return self.own(input_ary, output_ary, allocator, queue)
        queue = queue or input_ary.queue or output_ary.queue
        if output_ary is None:
            output_ary = input_ary
        if isinstance(output_ary, str) and output_ary == "new":
            output_ary = pyopencl.array.empty_like(input_ary, allocator=allocator or input_ary.allocator)
        if input_ary.shape != output_ary.shape:
            raise ValueError("input and output must have the same shape")
        if not input_ary.flags.forc:
            raise RuntimeError(f"{type(self)} cannot handle non-contiguous arrays")
        (n,) = input_ary.shape
        if n:
            written(self.scan(input_ary, self.op, out=output_ary, queue=queue), output_ary)
        return output_ary


class InclusiveScanKernel(_ArrayScanKernel):
    """pyopencl.scan.InclusiveScanKernel."""

    scan = staticmethod(clwave.inclusive_scan)
    own_name = "InclusiveScanKernel"


class ExclusiveScanKernel(_ArrayScanKernel):
    """pyopencl.scan.ExclusiveScanKernel."""

    scan = staticmethod(clwave.exclusive_scan)
    own_name = "ExclusiveScanKernel"
