"""PyOpenCL's reductions, scans, selections and sorts, carried out by clwave: one import line moves a program.

    from clwave.pyopencl import ReductionKernel, InclusiveScanKernel, copy_if, RadixSort

Classes and functions have PyOpenCL's names, arguments and results. What clwave has no way to do raises NotServed, which
names it; with `clwave.pyopencl.fallback = True` PyOpenCL's own does it instead. docs/python.md lists what is served.
"""

import builtins
import functools
import re

import numpy as np
import pyopencl
import pyopencl.algorithm
import pyopencl.array
import pyopencl.elementwise
import pyopencl.reduction
import pyopencl.scan
from pyopencl.tools import (
    ScalarArg,
    VectorArg,
    dtype_to_ctype,
    get_arg_offset_adjuster_code,
    parse_arg_list,
)

import clwave

#: True: PyOpenCL's own does what clwave cannot.
fallback = False

# PyOpenCL's own, which install() may put something else in place of.
_own = {
    "ReductionKernel": pyopencl.reduction.ReductionKernel,
    "GenericScanKernel": pyopencl.scan.GenericScanKernel,
    "InclusiveScanKernel": pyopencl.scan.InclusiveScanKernel,
    "ExclusiveScanKernel": pyopencl.scan.ExclusiveScanKernel,
    **{name: getattr(pyopencl.array, name) for name in (
        "sum", "dot", "vdot", "max", "min", "subset_dot", "subset_max", "subset_min", "any", "all", "cumsum",
        "take")},
}

# Not carried out by clwave, as they need no primitive of it.
ElementwiseKernel = pyopencl.elementwise.ElementwiseKernel
arange = pyopencl.array.arange


class NotServed(NotImplementedError):
    """A call that clwave has no way to carry out."""


def _refuse(what):
    raise NotServed(f"clwave.pyopencl does not serve {what}; with clwave.pyopencl.fallback = True PyOpenCL's own does")


class _As:
    """An array's elements as elements of another type of their size."""

    def __init__(self, array, dtype):
        self.base_data, self.offset, self.queue = array.base_data, array.offset, array.queue
        self.size, self.shape, self.strides, self.events = array.size, array.shape, array.strides, array.events
        self.dtype = np.dtype(dtype)


def _event(made):
    return pyopencl.Event.from_int_ptr(made.int_ptr)


def _written(made, *arrays):
    """PyOpenCL's event of a call, which its arrays wait for from now on."""
    event = _event(made)
    for array in arrays:
        array.add_event(event)
    return event


def _is_plain(dtype):
    """A number that means the same in texts of both libraries."""
    return np.dtype(dtype).kind in "iuf" and np.dtype(dtype).itemsize != 2


@functools.lru_cache(maxsize=None)
def _named(dtype):
    """The dtype, known to clwave by the name that PyOpenCL knows it by."""
    if dtype.names is not None and clwave._types.vector_name(dtype) is None:
        clwave._types._names.setdefault(dtype, dtype_to_ctype(dtype))
    return dtype


def _without_types(preamble, dtype):
    """A preamble without the structure that clwave declares by itself."""
    if dtype.names is None:
        return preamble
    return re.sub(r"typedef\s+struct\s*(?:\w+\s*)?\{[^}]*\}\s*" + re.escape(dtype_to_ctype(dtype)) + r"\s*;", "", preamble)


_COMPLEX = {"add": "plus", "mul": "multiplies"}


def _op(dtype, expression, neutral, preamble):
    """A reduction's or a scan's expression in a and b."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        found = re.fullmatch(r"\s*c(?:float|double)_(add|mul)\(\s*a\s*,\s*b\s*\)\s*", expression)
        if found is None:
            if fallback:
                return None
            _refuse(f"the complex operator {expression!r}: sums and products alone")
        return _COMPLEX[found.group(1)]
    if re.sub(r"\s", "", expression) in ("a+b", "(a+b)") and neutral == "0" and not preamble and _is_plain(dtype):
        return "plus"
    return clwave.Op(expression, identity=neutral, declarations=_without_types(preamble, dtype), name="pyopencl_op")


class _Loop:
    """A kernel of PyOpenCL's with a body for each index `i` from 0 to before N."""

    def __init__(self, context, arguments, body, preamble, options, index_ctype="int"):
        self.arguments = list(arguments)
        adjust = get_arg_offset_adjuster_code(self.arguments)
        needs = {np.dtype(argument.dtype) for argument in self.arguments}
        head = ""
        if builtins.any(dtype in (np.dtype(np.float64), np.dtype(np.complex128)) for dtype in needs):
            head += "#define PYOPENCL_DEFINE_CDOUBLE\n"
        head += "#include <pyopencl-complex.h>\n"
        declarators = ", ".join(argument.declarator() for argument in self.arguments)
        source = f"""{head}
typedef {index_ctype} index_type;
{preamble}
__kernel void clwave_loop({declarators}, long own_n)
{{
  {adjust}
  const index_type N = (index_type)own_n;
  for (index_type i = (index_type)get_global_id(0); i < N; i += (index_type)get_global_size(0)) {{
    {body};
  }}
}}
"""
        self.kernel = pyopencl.Program(context, source).build(list(options or [])).clwave_loop

    def __call__(self, queue, n, values, wait_for):
        arguments, waits = [], list(wait_for or [])
        for description, value in zip(self.arguments, values):
            if not isinstance(description, VectorArg):
                arguments.append(np.dtype(description.dtype).type(value))
            elif isinstance(value, pyopencl.array.Array):
                waits.extend(value.events)
                if description.with_offset:
                    arguments += [value.base_data, np.int64(value.offset)]
                else:
                    arguments.append(value.base_data if value.offset == 0 else value.data)
            else:
                arguments += [value, np.int64(0)] if description.with_offset else [value]
        size = builtins.max(1, builtins.min(n, 1 << 16))
        return self.kernel(queue, (size,), None, *arguments, np.int64(n), wait_for=waits)


def _refuse_gaps(what, arguments, values):
    """As PyOpenCL does."""
    for description, value in zip(arguments, values):
        if isinstance(description, VectorArg) and isinstance(value, pyopencl.array.Array) and not value.flags.forc:
            raise RuntimeError(f"{what} cannot deal with non-contiguous arrays")


def _first_array(arguments, values):
    for description, value in zip(arguments, values):
        if isinstance(description, VectorArg) and isinstance(value, pyopencl.array.Array):
            return value
    return None


def _texts_of(expression, arguments, values, index="i"):
    """An expression in `name[i]` as clwave's map of x and y: (map text, arrays, named values), or None.

    None where it is more than that: other indices, other types, or literals that are doubles in OpenCL C.
    """
    arrays, numbers = [], {}
    if re.search(r"\d\.\d*(?![\dfF.])|(?<![\w.])\.\d", expression):
        return None
    for description, value in zip(arguments, values):
        name = re.escape(description.name)
        if isinstance(description, VectorArg):
            if not isinstance(value, pyopencl.array.Array) or not value.flags.c_contiguous:
                return None
            cut = re.sub(rf"\b{name}\s*\[\s*{index}\s*\]", f" own_{len(arrays)} ", expression)
            if re.search(rf"\b{name}\b", cut) or np.dtype(description.dtype) != value.dtype or not _is_plain(value.dtype):
                return None
            if cut != expression:
                expression = cut
                arrays.append(value)
        else:
            if not _is_plain(description.dtype):
                return None
            expression = re.sub(rf"\b{name}\b", f"v_{description.name}", expression)
            numbers[f"v_{description.name}"] = np.dtype(description.dtype).type(value)
    if not 1 <= len(arrays) <= 2 or builtins.any(array.dtype != arrays[0].dtype for array in arrays):
        return None
    # An index elsewhere is signed in PyOpenCL, and not in clwave's maps.
    if re.search(rf"\b(?:x|y|z|a|b|i|{index})\b", expression):
        return None
    for number, name in enumerate("xy"):
        expression = re.sub(rf"\bown_{number}\b", name, expression)
    numbers = {name: value for name, value in numbers.items() if re.search(rf"\b{name}\b", expression)}
    return expression.strip(), arrays, numbers


class ReductionKernel:
    """pyopencl.reduction.ReductionKernel."""

    def __init__(self, ctx, dtype_out, neutral, reduce_expr, map_expr=None, arguments=None, name="reduce_kernel", options=None,
                 preamble=""):
        self.context, self.dtype_out, self.neutral = ctx, _named(np.dtype(dtype_out)), neutral
        self.arguments = parse_arg_list(arguments or [], with_offset=True)
        self.map_expr = map_expr
        if map_expr is None:
            first = next((one.name for one in self.arguments if isinstance(one, VectorArg)), "in")
            self.map_expr = f"{first}[i]"
        self.options, self.preamble = options, preamble
        self.op = _op(self.dtype_out, reduce_expr, neutral, preamble)
        self.loop = None
        self.own = None
        if self.op is None:
            self.own = _own["ReductionKernel"](ctx, dtype_out, neutral, reduce_expr, map_expr, arguments, name, options or [], preamble)

    def __call__(self, *args, return_event=False, queue=None, allocator=None, wait_for=None, out=None, range=None, slice=None):
        if self.own is not None:
            return self.own(*args, return_event=return_event, queue=queue, allocator=allocator, wait_for=wait_for, out=out,
                            range=range, slice=slice)
        if len(args) != len(self.arguments):
            raise TypeError(f"expected {len(self.arguments)} arguments, got {len(args)}")
        _refuse_gaps("ReductionKernel", self.arguments, args)
        first = _first_array(self.arguments, args)
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
        if range is None and slice is None and not self.preamble and not self.options and _is_plain(self.dtype_out):
            plain = _texts_of(self.map_expr, self.arguments, args)
        if plain is not None:
            text, arrays, numbers = plain
            apply = None if text == "x" else clwave.Map(text, values=numbers, name="pyopencl_map")
            made = clwave.reduce(arrays[0], self.op, y=arrays[1] if len(arrays) == 2 else None, map=apply, out=out, queue=queue,
                                 after=list(wait_for or []))
        else:
            made = self._by_loop(args, first, queue, allocator, wait_for, out, range, slice)
        event = _written(made, out)
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
            self.loop = _Loop(self.context, [*self.arguments, *more], body, self.preamble, self.options, "long")
        after = list(wait_for or [])
        if n:
            after = [self.loop(queue, n, [*args, mapped, begin, step], wait_for)]
        return clwave.reduce(mapped, self.op, out=out, queue=queue, after=after)


class GenericScanKernel:
    """pyopencl.scan.GenericScanKernel: one kernel makes the items, clwave scans them, one kernel runs the output statement."""

    def __init__(self, ctx, dtype, arguments, input_expr, scan_expr, neutral, output_statement, is_segment_start_expr=None,
                 input_fetch_exprs=None, index_dtype=None, name_prefix="scan", options=None, preamble="", devices=None):
        if neutral is None:
            raise ValueError("must provide a 'neutral' element in scan")
        self.context, self.dtype = ctx, _named(np.dtype(dtype))
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
            self.own = _own["GenericScanKernel"](
                ctx, dtype, arguments, input_expr, scan_expr, neutral, output_statement, is_segment_start_expr,
                input_fetch_exprs or [], self.index_dtype, name_prefix, options or [], preamble, devices)
            return
        items = VectorArg(self.dtype, "own_items", with_offset=True)
        flags = VectorArg(np.int8, "own_flags", with_offset=True)
        functions = _macro("INPUT_EXPR", "i", input_expr) + "\n"
        body = fetched + f"const {ctype} a = INPUT_EXPR(i); own_items[i] = a;"
        if self.is_segmented:
            functions += _macro("SEGMENT_START", "i, a", is_segment_start_expr) + "\n"
            body += " own_flags[i] = i == 0 || (SEGMENT_START(i, a)) ? 1 : 0"
        more = [items, flags] if self.is_segmented else [items]
        self.before = _Loop(ctx, [*self.parsed_args, *more], body, preamble + "\n" + functions, options, index_ctype)
        begins = "own_flags[i]" if self.is_segmented else "i == 0"
        body = fetched + f"const {ctype} item = own_items[i];"
        body += f" const {ctype} prev_item = ({begins}) ? ({neutral}) : own_items[i > 0 ? i - 1 : 0];"
        if "last_item" in output_statement:
            body += f" const {ctype} last_item = own_items[N - 1];"
        body += " { " + output_statement + "; }"
        self.behind = _Loop(ctx, [*self.parsed_args, *more], body, preamble, options, index_ctype)

    def _operator(self, scan_expr, neutral, preamble):
        if "across_seg_boundary" in scan_expr:
            # The library's scans of runs never combine across a boundary.
            scan_expr = f"({scan_expr})"
            preamble = preamble + "\n#define across_seg_boundary false\n"
        return _op(self.dtype, scan_expr, neutral, preamble), preamble

    def __call__(self, *args, queue=None, allocator=None, size=None, wait_for=None, **kwargs):
        if self.own is not None:
            return self.own(*args, queue=queue, allocator=allocator, size=size, wait_for=wait_for)
        if len(args) != len(self.parsed_args):
            raise TypeError(f"expected {len(self.parsed_args)} arguments, got {len(args)}")
        _refuse_gaps("GenericScanKernel", self.parsed_args, args)
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
        done = self.behind(queue, n, [*args, *temporary], [_event(scanned)])
        for description, value in zip(self.parsed_args, args):
            if isinstance(description, VectorArg) and isinstance(value, pyopencl.array.Array):
                value.add_event(done)
        return done


def _macro(name, parameters, expression):
    """A macro of an expression that may have several lines."""
    text = " ".join(line for line in expression.replace("\\\n", "\n").splitlines())
    if "//" in text:
        raise RuntimeError("end-of-line comments ('//') may not be used in code snippets")
    return f"#define {name}({parameters}) ({text})"


#: For debugging there is no other scan.
GenericDebugScanKernel = GenericScanKernel


class _ArrayScanKernel:
    def __init__(self, ctx, dtype, scan_expr, neutral=None, name_prefix="scan", options=None, preamble="", devices=None):
        if neutral is None:
            raise ValueError("must provide a 'neutral' element in scan")
        self.dtype = _named(np.dtype(dtype))
        self.op = _op(self.dtype, scan_expr, neutral, preamble)
        self.own = None
        if self.op is None:
            self.own = _own[self.own_name](ctx, dtype, scan_expr, neutral, name_prefix, options or [], preamble, devices)

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
            _written(self.scan(input_ary, self.op, out=output_ary, queue=queue), output_ary)
        return output_ary


class InclusiveScanKernel(_ArrayScanKernel):
    """pyopencl.scan.InclusiveScanKernel."""

    scan = staticmethod(clwave.inclusive_scan)
    own_name = "InclusiveScanKernel"


class ExclusiveScanKernel(_ArrayScanKernel):
    """pyopencl.scan.ExclusiveScanKernel."""

    scan = staticmethod(clwave.exclusive_scan)
    own_name = "ExclusiveScanKernel"


# Selections.


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
    return _Loop(context, arguments, f"own_flags[i] = ({predicate}) ? 1 : 0", preamble, [])


def _predicate(ary, predicate, extra_args, preamble):
    """The predicate as a map of clwave, or None."""
    if preamble or not _is_plain(ary.dtype):
        return None
    arguments, values = [VectorArg(ary.dtype, "ary")], [ary]
    for name, value in extra_args:
        if isinstance(value, pyopencl.array.Array):
            return None
        arguments.append(ScalarArg(np.asarray(value).dtype, name))
        values.append(value)
    plain = _texts_of(predicate, arguments, values)
    return None if plain is None else clwave.Map(plain[0], values=plain[2], name="predicate")


def _count(queue, allocator):
    """A number for PyOpenCL, which is signed there."""
    return pyopencl.array.empty(queue, (), np.int64, allocator=allocator)


def copy_if(ary, predicate, extra_args=None, preamble="", queue=None, wait_for=None):
    """pyopencl.algorithm.copy_if: (selected, count, event)."""
    queue, extra_args = queue or ary.queue, extra_args or []
    (n,) = ary.shape
    out, count = pyopencl.array.empty_like(ary), _count(queue, ary.allocator)
    options = {"out": out, "count": _As(count, np.uint64), "queue": queue, "after": list(wait_for or [])}
    apply = _predicate(ary, predicate, extra_args, preamble)
    if apply is not None:
        made = clwave.copy_if(ary, apply, **options)
    else:
        made = clwave.copy_flagged(ary, _flags(ary, predicate, extra_args, preamble, queue, wait_for), **options)
    return out, count, _written(made, out, count)


def remove_if(ary, predicate, extra_args=None, preamble="", queue=None, wait_for=None):
    """pyopencl.algorithm.remove_if: the elements for which the predicate is false, their number, and an event."""
    return copy_if(ary, f"!({predicate})", extra_args, preamble, queue, wait_for)


def partition(ary, predicate, extra_args=None, preamble="", queue=None, wait_for=None):
    """pyopencl.algorithm.partition: (true ones, false ones, number of true ones, event)."""
    queue, extra_args = queue or ary.queue, extra_args or []
    out_true, out_false, count = pyopencl.array.empty_like(ary), pyopencl.array.empty_like(ary), _count(queue, ary.allocator)
    apply = _predicate(ary, predicate, extra_args, preamble)
    if apply is not None:
        made = clwave.partition_copy(ary, apply, out=(out_true, out_false), count=_As(count, np.uint64), queue=queue,
                                     after=list(wait_for or []))
    else:
        flags = _flags(ary, predicate, extra_args, preamble, queue, wait_for)
        clwave.copy_flagged(ary, flags, out=out_true, count=_As(count, np.uint64), queue=queue)
        others = clwave.transform(flags, map="x == 0", queue=queue)
        made = clwave.copy_flagged(ary, others, out=out_false, count=_As(_count(queue, ary.allocator), np.uint64), queue=queue)
    return out_true, out_false, count, _written(made, out_true, out_false, count)


def unique(ary, is_equal_expr="a == b", extra_args=None, preamble="", queue=None, wait_for=None):
    """pyopencl.algorithm.unique: (first elements of runs of equal neighbours, their number, event)."""
    if extra_args:
        if fallback:
            return pyopencl.algorithm.unique(ary, is_equal_expr, extra_args, preamble, queue, wait_for)
        _refuse("`extra_args` of unique")
    queue = queue or ary.queue
    _named(ary.dtype)
    out, count = pyopencl.array.empty_like(ary), _count(queue, ary.allocator)
    same = None if is_equal_expr == "a == b" else clwave.Op(is_equal_expr, declarations=preamble)
    made = clwave.unique(ary, same, out=out, count=_As(count, np.uint64), queue=queue, after=list(wait_for or []))
    return out, count, _written(made, out, count)


# Sorts.


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
        first = _first_array(self.arguments, args)
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
                self.loop = _Loop(self.context, [*self.arguments, VectorArg(self.key_dtype, "own_keys", with_offset=True)],
                                  f"own_keys[i] = {self.key_expr}", "", self.options)
            after = [self.loop(queue, n, [*args, keys], wait_for)]
        keys_as = _As(keys, self.key_dtype)
        if len(arrays) == 1 and arrays[0] is keys:
            event = _written(clwave.sort(keys_as, bits=bits, out=_As(outs[0], self.key_dtype), queue=queue, after=after), *outs)
        elif len(arrays) == 1:
            spare = pyopencl.array.empty(queue, n, self.key_dtype, allocator=allocator)
            _named(arrays[0].dtype)
            event = _written(clwave.sort_by_key(keys_as, arrays[0], bits=bits, out=(spare, outs[0]), queue=queue, after=after), *outs)
        else:
            order = pyopencl.array.empty(queue, n, np.uint32, allocator=allocator)
            made = clwave.argsort(keys_as, bits=bits, out=order, queue=queue, after=after)
            for array, out in zip(arrays, outs):
                _named(array.dtype)
                made = clwave.gather(array, order, out=out, queue=queue, after=[made])
            event = _written(made, *outs)
        return tuple(outs), event


class KeyValueSorter:
    """pyopencl.algorithm.KeyValueSorter."""

    def __init__(self, context):
        self.context = context

    def __call__(self, queue, keys, values, nkeys, starts_dtype, allocator=None, wait_for=None):
        allocator = allocator or values.allocator
        sorted_keys = pyopencl.array.empty(queue, keys.size, keys.dtype, allocator=allocator)
        lists = pyopencl.array.empty(queue, values.size, values.dtype, allocator=allocator)
        _named(values.dtype)
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
        return starts, lists, _written(made, starts, lists)


class ListOfListsBuilder(pyopencl.algorithm.ListOfListsBuilder):
    """pyopencl.algorithm.ListOfListsBuilder, whose scans are clwave's."""

    def get_scan_kernel(self, index_dtype):
        return GenericScanKernel(
            self.context, index_dtype, arguments=f"__global {dtype_to_ctype(index_dtype)} *ary", input_expr="ary[i]",
            scan_expr="a+b", neutral="0", output_statement="ary[i+1] = item;")


# Functions of arrays.


def _as_pyopencl_does(name, array, *others):
    """Whether PyOpenCL's own is to do it: of arrays that clwave does not take, and where that is allowed."""
    if builtins.all(one.flags.c_contiguous for one in (array, *others)):
        return False
    if not fallback:
        _refuse(f"{name} of arrays with gaps or in Fortran's order")
    return True



def _to_scalar(array, op, dtype, queue, initial=None, **more):
    queue = queue or array.queue
    out = pyopencl.array.empty(queue, (), dtype, allocator=array.allocator)
    if initial is None:
        _written(clwave.reduce(array, op, out=out, queue=queue, **more), out)
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
            return _own["sum"](a, dtype, queue, slice, **_given(initial))
        a = _cut(a, slice, queue)
    if _as_pyopencl_does("sum", a):
        return _own["sum"](a, dtype, queue, **_given(initial))
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
        return _own[name](a, b, dtype, queue)
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
            return _own[name](a, queue, **_given(initial))
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
        return _own[name](a, queue, wait_for)
    return _to_scalar(a, name, np.dtype(np.int8), queue, map="x != 0", after=list(wait_for or []))


def cumsum(a, output_dtype=None, queue=None, wait_for=None, *, return_event=False):
    """pyopencl.array.cumsum."""
    output_dtype = a.dtype if output_dtype is None else np.dtype(output_dtype)
    if _as_pyopencl_does("cumsum", a):
        return _own["cumsum"](a, output_dtype, queue, wait_for, return_event=return_event)
    queue = queue or a.queue
    out = pyopencl.array.empty(queue, a.shape, output_dtype, allocator=a.allocator)
    event = _written(clwave.inclusive_scan(a, out=out, queue=queue, after=list(wait_for or [])), out)
    return (event, out) if return_event else out


def take(a, indices, out=None, queue=None, wait_for=None):
    """pyopencl.array.take."""
    if _as_pyopencl_does("take", a, indices):
        return _own["take"](a, indices, out, queue, wait_for)
    queue = queue or a.queue
    if out is None:
        out = type(a)(queue, indices.shape, a.dtype, allocator=a.allocator)
    _named(a.dtype)
    _written(clwave.gather(a, indices, out=out, queue=queue, after=list(wait_for or [])), out)
    return out


#: What install() puts in place of PyOpenCL's own.
SERVED = {
    "reduction": ["ReductionKernel"],
    "scan": ["GenericScanKernel", "GenericDebugScanKernel", "InclusiveScanKernel", "ExclusiveScanKernel"],
    "algorithm": ["GenericScanKernel", "copy_if", "remove_if", "partition", "unique", "RadixSort", "KeyValueSorter",
                  "ListOfListsBuilder"],
    "array": ["sum", "dot", "vdot", "max", "min", "subset_max", "subset_min", "any", "all", "cumsum", "take"],
}


def install():
    """Puts these classes and functions behind PyOpenCL's own names, for programs that cannot be changed."""
    for module, names in SERVED.items():
        for name in names:
            setattr(getattr(pyopencl, module), name, globals()[name])
