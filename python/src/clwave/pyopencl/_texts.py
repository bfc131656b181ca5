"""Expressions of PyOpenCL as operators and maps of clwave, and kernels of those that are more than that."""

import builtins
import re

import numpy as np
import pyopencl
import pyopencl.array
from pyopencl.tools import VectorArg, get_arg_offset_adjuster_code

import clwave

from ._shared import falls_back, is_plain, refuse, without_types

_COMPLEX = {"add": "plus", "mul": "multiplies"}


def operator_of(dtype, expression, neutral, preamble):
    """A reduction's or a scan's expression in a and b."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        found = re.fullmatch(r"\s*c(?:float|double)_(add|mul)\(\s*a\s*,\s*b\s*\)\s*", expression)
        if found is None:
            if falls_back():
                return None
            refuse(f"the complex operator {expression!r}: sums and products alone")
        return _COMPLEX[found.group(1)]
    if re.sub(r"\s", "", expression) in ("a+b", "(a+b)") and neutral == "0" and not preamble and is_plain(dtype):
        return "plus"
    return clwave.Op(expression, identity=neutral, declarations=without_types(preamble, dtype), name="pyopencl_op")


class Loop:
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


def refuse_gaps(what, arguments, values):
    """As PyOpenCL does."""
    for description, value in zip(arguments, values):
        if isinstance(description, VectorArg) and isinstance(value, pyopencl.array.Array) and not value.flags.forc:
            raise RuntimeError(f"{what} cannot deal with non-contiguous arrays")


def first_array(arguments, values):
    for description, value in zip(arguments, values):
        if isinstance(description, VectorArg) and isinstance(value, pyopencl.array.Array):
            return value
    return None


def texts_of(expression, arguments, values, index="i"):
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
            if re.search(rf"\b{name}\b", cut) or np.dtype(description.dtype) != value.dtype or not is_plain(value.dtype):
                return None
            if cut != expression:
                expression = cut
                arrays.append(value)
        else:
            if not is_plain(description.dtype):
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


def macro(name, parameters, expression):
    """A macro of an expression that may have several lines."""
    text = " ".join(line for line in expression.replace("\\\n", "\n").splitlines())
    if "//" in text:
        raise RuntimeError("end-of-line comments ('//') may not be used in code snippets")
    return f"#define {name}({parameters}) ({text})"
