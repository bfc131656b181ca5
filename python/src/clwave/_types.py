"""Structures and vectors: what NumPy's structured dtypes are called on a device."""

import hashlib
import re

import numpy as np

_SCALARS = {
    "b1": "bool", "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64", "u1": "u8", "u2": "u16", "u4": "u32",
    "u8": "u64", "f2": "f16", "f4": "f32", "f8": "f64", "c8": "cf32", "c16": "cf64",
}
_OPENCL = {
    "b1": "uchar", "i1": "char", "i2": "short", "i4": "int", "i8": "long", "u1": "uchar", "u2": "ushort",
    "u4": "uint", "u8": "ulong", "f2": "half", "f4": "float", "f8": "double", "c8": "float2", "c16": "double2",
}

# (number, name, declaration) by dtype, and by name.
_described: dict = {}
_by_name: dict = {}
# Names that programs gave to their dtypes.
_names: dict = {}


def structure(name, dtype):
    """Says what a structured dtype is called in texts; returns the dtype with the layout of C.

    Without a call of this, the type has a name that is made of its fields.

    >>> point = clwave.structure("point", [("x", np.float32), ("y", np.float32)])
    >>> points = np.array([(3, 4), (1, 2)], point)
    >>> clwave.sort(points, less="a.x < b.x")["x"]
    array([1., 3.], dtype=float32)
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ValueError(f"{name!r} is no identifier")
    dtype = np.dtype(dtype, align=True)
    if dtype.names is None:
        raise ValueError(f"{dtype} is no structured dtype")
    _names[dtype] = name
    _described.pop(dtype, None)
    return dtype


def vector_name(dtype):
    """The library's name of an OpenCL vector such as pyopencl.cltypes.float4, or None."""
    if dtype.names is None or dtype.subdtype is not None:
        return None
    kinds = {dtype.fields[name][0] for name in dtype.names}
    count = len(dtype.names)
    if len(kinds) != 1 or count not in (2, 4, 8, 16):
        return None
    (of,) = kinds
    if of.str[1:] not in _SCALARS or of.kind not in "iuf" or of.itemsize * count != dtype.itemsize:
        return None
    titled = all(name == f"s{i}" or name.startswith("padding") for i, name in enumerate(dtype.names))
    if not titled:
        return None
    return f"{_SCALARS[of.str[1:]]}x{count}"


def _members(dtype, packed):
    """The text of a structure's members, in the order of their offsets, with the gaps between them."""
    text, at, gaps = "", 0, 0
    for name, (of, offset, *_) in sorted(dtype.fields.items(), key=lambda field: field[1][1]):
        if name not in dtype.names:
            continue
        if packed and offset > at:
            text += f"uchar own_gap{gaps}[{offset - at}]; "
            gaps += 1
        shape = ""
        base = of
        if of.subdtype is not None:
            base, sides = of.subdtype
            shape = "".join(f"[{side}]" for side in sides)
        word = _OPENCL.get(base.str[1:])
        if word is None:
            return None
        text += f"{word} {name}{shape}; "
        at = offset + of.itemsize
    if packed and dtype.itemsize > at:
        text += f"uchar own_gap{gaps}[{dtype.itemsize - at}]; "
    return text


def _is_laid_out_as_in_opencl(dtype):
    """Whether the gaps are those of OpenCL C, which need not be written out. It aligns a complex number, a vector of two, to its
    size, where NumPy takes half of that."""
    end, widest = 0, 1
    for of, offset, *_ in (dtype.fields[name] for name in dtype.names):
        base = of.subdtype[0] if of.subdtype is not None else of
        if base.names is not None:
            return False
        if offset != -(-end // base.itemsize) * base.itemsize:
            return False
        end, widest = offset + of.itemsize, max(widest, base.itemsize)
    return dtype.itemsize == -(-end // widest) * widest


def _description(dtype):
    """(name, declaration) of an element type, with "" for a built-in one; None where there is none."""
    if dtype.name == "bfloat16":
        return "bf16", ""
    if not dtype.isnative:
        return None
    if dtype.names is None:
        name = _SCALARS.get(dtype.str[1:])
        return None if name is None else (name, "")
    vector = vector_name(dtype)
    if vector is not None and dtype not in _names:
        return vector, ""
    packed = not _is_laid_out_as_in_opencl(dtype)
    members = _members(dtype, packed)
    if members is None:
        return None
    name = _names.get(dtype)
    if name is None:
        name = "record_" + hashlib.sha1(members.encode()).hexdigest()[:8]
    attribute = "__attribute__((packed)) " if packed else ""
    return name, f"typedef struct {attribute}{{ {members}}} {name};"


def describe(dtype):
    """(number, name, declaration) of a dtype, or None where clwave has no such type."""
    found = _described.get(dtype)
    if found is None:
        description = _description(dtype)
        if description is None:
            return None
        # One number for each description: dtypes may differ and mean the same.
        number = _by_name.setdefault(description, len(_by_name))
        found = (number, *description)
        _described[dtype] = found
    return found
