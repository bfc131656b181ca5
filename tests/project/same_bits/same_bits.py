"""The same bits from Python, C and C++: random calls are made by the package, and replayed by a program in C, through
clwave.h, and one in C++, through the typed templates. Every byte of every result must be the same.

  same_bits.py --c PROGRAM --cpp PROGRAM --work FOLDER [--calls 1000] [--seed 1] [--kinds 200]

`--kinds` kinds of calls are drawn at random (a call, its types, operators and expressions), and each is made with random sizes,
elements and numbers: so there are fewer programs to build than calls. Another seed draws other ones. `--call NAME` makes calls of
that name alone, and `--spoil` changes one byte of what C++ gave, to see that the comparison finds it.
"""
import argparse
import collections
import itertools
import pathlib
import random
import struct
import subprocess
import sys
import time

import numpy as np

import clwave

LARGEST = 5000
INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
FLOATS = ["f32", "f64"]
NUMBERS = INTEGERS + FLOATS
SORTED = [*NUMBERS, "f16", "bf16"]
SECOND = ["u8", "i32", "u32", "i64", "f32", "f64"]
NAMES = {"i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "i32": "i4", "u32": "u4", "i64": "i8", "u64": "u8", "f32": "f4", "f64": "f8",
         "f16": "f2", "cf32": "c8", "bool": "?"}
SAMPLE = clwave.structure("sample", [("x", np.float32), ("tag", np.uint32)])


def dtype_of(name):
    if name == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return SAMPLE if name == "sample" else np.dtype(NAMES[name])


class Draw:
    """Random elements and numbers, of one seed."""

    def __init__(self, seed):
        self.of = random.Random(seed)
        self.numpy = np.random.default_rng(seed)

    def size(self, least=0):
        kind = self.of.random()
        if kind < 0.15:
            return max(least, self.of.choice([0, 1, 2, 3, 31, 32, 33, 64, 255, 256, 257, 1023, 1024, 1025, 4096]))
        return self.of.randint(least, LARGEST)

    def elements(self, name, n, specials=True):
        """Few different values or many, over a small range or the whole one; some NaNs, infinities and zeros with a sign."""
        dtype = dtype_of(name)
        few = self.of.random() < 0.3
        if name == "sample":
            made = np.zeros(n, SAMPLE)
            made["x"], made["tag"] = self.elements("f32", n, specials), self.numpy.integers(0, 50, n)
            return made
        if name == "bool":
            return self.numpy.integers(0, 2, n).astype(bool)
        if name == "cf32":
            return (self.numpy.standard_normal(n) + 1j * self.numpy.standard_normal(n)).astype(dtype)
        if name in INTEGERS:
            info = np.iinfo(dtype)
            if few:
                return self.numpy.integers(0, 8, n).astype(dtype)
            if self.of.random() < 0.5:
                return self.numpy.integers(max(info.min, -100), 100, n, endpoint=True).astype(dtype)
            return self.numpy.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
        made = self.numpy.integers(-4, 5, n).astype(np.float64) if few else self.numpy.standard_normal(n) * 10 ** self.of.uniform(-2, 2)
        made = made.astype(dtype)
        if specials and n and self.of.random() < 0.2:
            for value in (np.nan, np.inf, -np.inf, 0.0, -0.0):
                made[self.numpy.integers(0, n, 3)] = value
        return made

    def keys(self, name, n):
        """Runs of equal neighbours."""
        return np.repeat(self.elements(name, n, False), self.numpy.integers(1, 9, n))[:n]

    def ordered(self, name, n, descending=False):
        made = np.sort(self.elements(name, n, False))
        return np.ascontiguousarray(made[::-1]) if descending else made

    def offsets(self, n):
        cuts = np.sort(self.numpy.integers(0, n + 1, self.of.randint(0, 40)))
        return np.concatenate([[0], cuts, [n]]).astype(np.uint32)


class Made:
    """One call: what it is given, and how Python makes it. `python(*inputs)` returns the results."""

    def __init__(self, name, inputs, outputs, python, **fields):
        self.name, self.inputs, self.outputs, self.python = name, inputs, outputs, python
        self.fields = {key: value for key, value in fields.items() if value is not None and value is not False}


def wide_of(of, name):
    """A type that elements of `name` are accumulated in: their own, or a larger one."""
    if name in ("f16", "bf16"):
        return of.choice(["f32", "f64"])
    if name in ("cf32", "f64", "i64", "u64"):
        return name
    if of.random() < 0.5 and name in ("i32", "u32", "f32"):
        return name
    return {"f": "f64", "i": "i64", "u": "u64"}[name[0]]


def fold_text(of, name, structures=True):
    """(operator, identity) for elements that are accumulated in `name`."""
    any_number = [("plus", None), ("multiplies", None)]
    if name == "cf32":
        return of.choice(any_number)
    any_number += [("min", None), ("max", None), ("logical_and", None), ("logical_or", None), ("a > b ? a : b", "0"),
                   ("a + b + a * b", "0")]
    if name[0] in "iu":
        any_number += [("bit_and", None), ("bit_or", None), ("bit_xor", None), ("(a & b) | (a ^ b)", "0")]
    return of.choice(any_number)


def map_text(of, name, second=False):
    if second:
        return of.choice(["product", "x * y", "x > y ? x : y", "x - y + 1"]) if name != "cf32" else "product"
    if name == "cf32":
        return of.choice([None, "identity"])
    return of.choice([None, None, "identity", "abs", "square", "x * 2 + 1", "k * x + 1", "x + i % 7", "x > 3"])


def as_map(text, draw, fields):
    """The text as Python's call takes it; a text with `k` has a value, which the fields tell the others."""
    if text is None or "k *" not in text:
        return text
    # A float of NumPy: one of Python would be a double beside doubles.
    number = np.float32(draw.of.choice([0.5, 0.1, 3, -2.25]))
    fields["k"] = repr(float(number))
    return clwave.Map(text, values={"k": number})


def as_op(op, identity):
    return clwave.Op(op, identity=identity) if identity is not None else op


# Kinds of calls. Each function draws a kind, and returns a function that makes a call of it of a Draw.


def kind_reduce(of):
    form = of.choice(["reduce", "reduce", "reduce_two", "dot", "reduce_into"])
    name = of.choice([*NUMBERS, "f16", "bf16", "cf32"])
    wide = wide_of(of, name)
    op, identity = fold_text(of, wide)
    text = map_text(of, name, form == "reduce_two")

    def make(draw):
        fields = {}
        n = draw.size()
        x, y = draw.elements(name, n), draw.elements(name, n)
        if form == "dot":
            start, last = starting(draw, wide, "plus", fields)
            return Made("dot", [(name, x), (name, y), *last], [(wide, 1)],
                        lambda x, y, *_: [clwave.dot(x, y, dtype=dtype_of(wide), start=start)], **fields)
        given = as_map(text, draw, fields)
        start, last = starting(draw, wide, op, fields)
        if form == "reduce_two":
            return Made(form, [(name, x), (name, y), *last], [(wide, 1)],
                        lambda x, y, *_: [clwave.reduce(x, as_op(op, identity), y=y, map=given, dtype=dtype_of(wide), start=start)],
                        op=op, identity=identity, map=text, **fields)
        if form == "reduce_into":
            def into(x, *_):
                out = clwave.Array(1, dtype_of(wide))
                clwave.reduce(x, as_op(op, identity), map=given, start=start, out=out).wait()
                return [out]
            return Made(form, [(name, x), *last], [(wide, 1)], into, op=op, identity=identity, map=text, **fields)
        return Made(form, [(name, x), *last], [(wide, 1)],
                    lambda x, *_: [clwave.reduce(x, as_op(op, identity), map=given, dtype=dtype_of(wide), start=start)], op=op,
                    identity=identity, map=text, **fields)

    return make


def starting(draw, wide, op, fields):
    """A reduction's value before the first element, or None, and the inputs that tell it the others."""
    if op.startswith("logical") or draw.of.random() < 0.6:
        return None, []
    value = draw.elements(wide, 1, False)
    fields["value"] = "1"
    return value[0], [(wide, value)]


def kind_extreme(of):
    form, name = of.choice(["argmin", "argmax"]), of.choice(SORTED)
    value = "f32" if name in ("f16", "bf16") else name

    def make(draw):
        x = draw.elements(name, draw.size(1))
        return Made(form, [(name, x)], [(value, 1), ("u64", 1)], lambda x: list(getattr(clwave, form)(x)))

    return make


def kind_lines(of):
    form, name = of.choice(["reduce_rows", "reduce_columns"]), of.choice([*NUMBERS, "f16", "cf32"])
    wide = wide_of(of, name)
    op, identity = fold_text(of, wide)
    text = map_text(of, name)

    def make(draw):
        fields = {}
        rows, columns = draw.of.randint(0, 70), draw.of.randint(0, 70)
        x = draw.elements(name, rows * columns)
        given = as_map(text, draw, fields)
        return Made(form, [(name, x)], [(wide, rows if form == "reduce_rows" else columns)],
                    lambda x: [getattr(clwave, form)(x, as_op(op, identity), map=given, shape=(rows, columns), dtype=dtype_of(wide))],
                    op=op, identity=identity, map=text, rows=str(rows), columns=str(columns), **fields)

    return make


def kind_segments(of):
    form = of.choice(["segmented_reduce", "segmented_inclusive_scan", "segmented_exclusive_scan"])
    name = of.choice([*NUMBERS, "f16", "cf32"])
    wide = wide_of(of, name)
    op, identity = fold_text(of, wide)
    text = map_text(of, name)

    def make(draw):
        fields = {}
        n = draw.size()
        x, offsets = draw.elements(name, n), draw.offsets(n)
        given = as_map(text, draw, fields)
        inputs = [(name, x), ("u32", offsets)]
        if form == "segmented_reduce":
            return Made(form, inputs, [(wide, len(offsets) - 1)],
                        lambda x, o: [clwave.segmented_reduce(x, o, as_op(op, identity), map=given, dtype=dtype_of(wide))], op=op,
                        identity=identity, map=text, **fields)
        return with_start(draw, form, inputs, wide, n, op, identity, text, given, fields)

    return make


def with_start(draw, form, inputs, wide, n, op, identity, text, given, fields, **more):
    """A scan, which may have a value before its first element."""
    start = draw.elements(wide, 1, False) if draw.of.random() < 0.4 else None
    if start is not None:
        fields["value"] = "1"
        inputs = [*inputs, (wide, start)]

    def python(*arrays):
        arrays = arrays[:-1] if start is not None else arrays
        return [getattr(clwave, form)(*arrays, as_op(op, identity), map=given, dtype=dtype_of(wide),
                                      start=None if start is None else start[0], **more)]

    return Made(form, inputs, [(wide, n)], python, op=op, identity=identity, map=text, same=more.get("same"), **fields)


def kind_scan(of):
    form, name = of.choice(["inclusive_scan", "exclusive_scan"]), of.choice([*NUMBERS, "f16", "bf16", "cf32"])
    wide = wide_of(of, name)
    op, identity = fold_text(of, wide)
    text = map_text(of, name)

    def make(draw):
        fields = {}
        n = draw.size()
        given = as_map(text, draw, fields)
        return with_start(draw, form, [(name, draw.elements(name, n))], wide, n, op, identity, text, given, fields)

    return make


def kind_by_key(of):
    form = of.choice(["reduce_by_key", "unique_by_key", "inclusive_scan_by_key", "exclusive_scan_by_key"])
    key, name = of.choice(NUMBERS), of.choice(["i32", "u32", "i64", "f32", "f64"])
    op, identity = fold_text(of, name)
    text = map_text(of, name)
    same = of.choice([None, None, "a == b", "a / 2 == b / 2"])

    def make(draw):
        fields = {}
        n = draw.size()
        inputs = [(key, draw.keys(key, n)), (name, draw.elements(name, n))]
        if form == "unique_by_key":
            return Made(form, inputs, [(key, n), (name, n)], lambda k, v: list(clwave.unique_by_key(k, v, same)), same=same)
        given = as_map(text, draw, fields)
        if form == "reduce_by_key":
            return Made(form, inputs, [(key, n), (name, n)],
                        lambda k, v: list(clwave.reduce_by_key(k, v, as_op(op, identity), map=given, same=same, dtype=dtype_of(name))),
                        op=op, identity=identity, map=text, same=same, **fields)
        return with_start(draw, form, inputs, name, n, op, identity, text, given, fields, same=same)

    return make


def kind_selection(of):
    form = of.choice(["copy_if", "copy_flagged", "partition", "partition_copy", "unique", "run_lengths", "run_offsets"])
    name = of.choice([*NUMBERS, "f16", "cf32", "bool", "sample"])
    predicate = {"sample": "x.tag % 3 == 0", "cf32": "x.x > 0"}.get(name) or of.choice(["x > 3", "i % 3 == 1", "x > k * x", "x"])
    if name == "sample":
        same = "a.tag == b.tag"
    else:
        same = of.choice([None, None, "a == b" if name != "cf32" else "a.x == b.x"])

    def make(draw):
        fields = {}
        n = draw.size()
        x = draw.elements(name, n) if form in ("copy_if", "copy_flagged", "partition", "partition_copy") else draw.keys(name, n)
        if form == "copy_flagged":
            flags = draw.numpy.integers(0, 3, n).astype(np.uint8)
            return Made(form, [(name, x), ("u8", flags)], [(name, n)], lambda x, f: [clwave.copy_flagged(x, f)])
        if form in ("copy_if", "partition", "partition_copy"):
            given = as_map(predicate, draw, fields)
            outputs = {"copy_if": [(name, n)], "partition": [(name, n), ("u64", 1)], "partition_copy": [(name, n)] * 2}[form]
            return Made(form, [(name, x)], outputs, lambda x: every(getattr(clwave, form)(x, given)), map=predicate, **fields)
        outputs = {"unique": [(name, n)], "run_lengths": [(name, n), ("u64", n)], "run_offsets": [("u64", n + 1)]}[form]
        return Made(form, [(name, x)], outputs, lambda x: every(getattr(clwave, form)(x, same)), same=same)

    return make


def every(results):
    return list(results) if isinstance(results, tuple) else [results]


def order_of(of, name):
    """(keyword arguments, fields) of an order."""
    if name == "sample":
        return of.choice([({"less": "a.tag < b.tag"}, {"less": "a.tag < b.tag"}),
                          ({"by": ("x.tag", np.uint32, True)}, {"by": "x.tag", "by_type": "u32", "descending": "1"}),
                          ({"by": ("x.x", np.float32)}, {"by": "x.x", "by_type": "f32"})])
    choices = [({}, {}), ({"descending": True}, {"descending": "1"}), ({"less": "b < a"}, {"less": "b < a"})]
    if name in INTEGERS:
        choices.append(({"bits": (1, 6)}, {"first_bit": "1", "last_bit": "6"}))
    return of.choice(choices)


def kind_sort(of):
    form = of.choice(["sort", "argsort", "segmented_sort"])
    name = of.choice([*SORTED, "bool", "sample"])
    order, fields = order_of(of, name)

    def make(draw):
        n = draw.size()
        # An order must hold for all pairs, which it does not where NaN is neither less nor more.
        x = draw.elements(name, n, "less" not in order)
        if form == "segmented_sort":
            return Made(form, [(name, x), ("u32", draw.offsets(n))], [(name, n)],
                        lambda x, o: [clwave.segmented_sort(x, o, **order)], **fields)
        return Made(form, [(name, x)], [("u32" if form == "argsort" else name, n)], lambda x: [getattr(clwave, form)(x, **order)],
                    **fields)

    return make


def kind_sort_by_key(of):
    key, name = of.choice(NUMBERS), of.choice(SECOND)
    form = of.choice([form for form in ("sort_by_key", "segmented_sort_by_key", "merge_by_key") if hasattr(clwave, form)])
    order, fields = order_of(of, key)
    if form == "merge_by_key":
        order, fields = of.choice([({}, {}), ({"descending": True}, {"descending": "1"})])

    def make(draw):
        n = draw.size()
        if form == "merge_by_key":
            m = draw.size()
            down = bool(order)
            inputs = [(key, draw.ordered(key, n, down)), (name, draw.elements(name, n)), (key, draw.ordered(key, m, down)),
                      (name, draw.elements(name, m))]
            return Made(form, inputs, [(key, n + m), (name, n + m)], lambda *all: list(clwave.merge_by_key(*all, **order)), **fields)
        inputs = [(key, draw.elements(key, n, "less" not in order)), (name, draw.elements(name, n))]
        if form == "segmented_sort_by_key":
            inputs.append(("u32", draw.offsets(n)))
        return Made(form, inputs, [(key, n), (name, n)], lambda *all: list(getattr(clwave, form)(*all, **order)), **fields)

    return make


def kind_top_k(of):
    name, descending = of.choice(SORTED), of.random() < 0.5

    def make(draw):
        n = draw.size()
        k = draw.of.randint(0, min(n, 300))
        return Made("top_k", [(name, draw.elements(name, n))], [(name, k), ("u32", k)],
                    lambda x: list(clwave.top_k(x, k, descending=descending)), descending="1" if descending else None)

    return make


def kind_sorted_ranges(of):
    form = of.choice(["merge", "lower_bound", "upper_bound", "set_union", "set_intersection", "set_difference",
                      "set_symmetric_difference"])
    name = of.choice(SORTED)
    down = of.random() < 0.3

    def make(draw):
        n, m = draw.size(), draw.size()
        a, b = draw.ordered(name, n, down), draw.ordered(name, m, down)
        outputs = [("u32", m)] if form.endswith("bound") else [(name, n + m)]
        return Made(form, [(name, a), (name, b)], outputs, lambda a, b: [getattr(clwave, form)(a, b, descending=down)],
                    descending="1" if down else None)

    return make


def kind_move(of):
    form = of.choice(["copy", "fill", "gather", "scatter", "transpose", "broadcast"])
    name = of.choice([*NUMBERS, "f16"] if form in ("copy", "broadcast") else [*NUMBERS, "f16", "cf32", "bool", "sample"])
    second = of.choice(SECOND)
    saturate = of.random() < 0.5 and name in INTEGERS and second in INTEGERS
    per_row = of.random() < 0.5
    applied = of.choice([None, "2 * x", "x + k * i"]) if name in NUMBERS else None

    def make(draw):
        n = draw.size()
        x = draw.elements(name, n)
        if form == "copy":
            return Made(form, [(name, x)], [(second, n)], lambda x: [clwave.copy(x, dtype=dtype_of(second), saturate=saturate)],
                        saturate="1" if saturate else None)
        if form == "fill":
            value = draw.elements(name, 1)

            def fill(x):
                out = clwave.Array(n, dtype_of(name))
                clwave.fill(out, value[0]).wait()
                return [out]

            return Made(form, [(name, value)], [(name, n)], fill, value="1")
        if form == "gather":
            indices = draw.numpy.integers(0, n + 5, draw.size()).astype(np.uint32)
            inputs, fields = [(name, x), ("u32", indices)], {}
            given = as_map(applied, draw, fields) if applied else None
            outside = draw.elements(name, 1) if draw.of.random() < 0.5 else None
            if outside is not None:
                inputs.append((name, outside))
                fields["value"] = "1"
            return Made(form, inputs, [(name, len(indices))],
                        lambda x, i, *_: [clwave.gather(x, i, map=given, outside=None if outside is None else outside[0])],
                        map=applied, **fields)
        if form == "scatter":
            indices, fields = draw.numpy.permutation(n + 9)[:n].astype(np.uint32), {}
            given = as_map(applied, draw, fields) if applied else None

            def scatter(x, indices):
                out = clwave.Array.from_numpy(np.full((n + 5) * dtype_of(name).itemsize, 0x5A, np.uint8).view(dtype_of(name)))
                clwave.scatter(x, indices, out, map=given, distinct=True).wait()
                return [out]

            return Made(form, [(name, x), ("u32", indices)], [(name, n + 5)], scatter, map=applied, **fields)
        rows, columns = draw.of.randint(1, 70), draw.of.randint(1, 70)
        x = draw.elements(name, rows * columns)
        if form == "transpose":
            return Made(form, [(name, x)], [(name, rows * columns)], lambda x: [clwave.transpose(x.reshape(rows, columns))],
                        rows=str(rows), columns=str(columns))
        vector = draw.elements(name, rows if per_row else columns)
        return Made(form, [(name, x), (name, vector)], [(name, rows * columns)],
                    lambda x, v: [clwave.broadcast(x.reshape(rows, columns), v, map="x * 2 + b", per="row" if per_row else "column")],
                    map="x * 2 + b", rows=str(rows), columns=str(columns), per_row="1" if per_row else None)

    return make


def kind_transform(of):
    form, name, second = of.choice(["transform", "transform_two"]), of.choice([*NUMBERS, "f16", "cf32", "sample"]), of.choice(SECOND)
    text = map_text(of, name, form == "transform_two")
    if name == "cf32":
        second, text = name, "(float2)(x.y, x.x)"
    elif name == "sample":
        second, text = name, "(sample){x.x * 2, x.tag + i}"
    text = text or "x + 1"

    def make(draw):
        fields = {}
        n = draw.size()
        inputs = [(name, draw.elements(name, n)) for _ in range(2 if form == "transform_two" else 1)]
        given = as_map(text, draw, fields)
        return Made(form, inputs, [(second, n)], lambda *all: [clwave.transform(*all, map=given, dtype=dtype_of(second))], map=text,
                    **fields)

    return make


def kind_histogram(of):
    name, between = of.choice([*NUMBERS, "f16"]), of.random() < 0.5

    def make(draw):
        x = draw.elements(name, draw.size())
        if between:
            edges = np.unique(draw.elements(name, draw.of.randint(2, 40), False))
            if len(edges) < 2:
                edges = np.array([0, 1], dtype_of(name))
            return Made("histogram_between", [(name, x), (name, edges)], [("u64", len(edges) - 1)],
                        lambda x, _: [clwave.histogram(x, edges)])
        low = draw.of.choice([0.0, -3.5, -100.0])
        high, bins = low + draw.of.choice([1.0, 10.0, 256.0]), draw.of.choice([1, 10, 256, 9000])
        return Made("histogram", [(name, x)], [("u64", bins)], lambda x: [clwave.histogram(x, bins, (low, high))], low=repr(low),
                    high=repr(high))

    return make


def kind_gemm(of):
    name = of.choice(["f32", "f64", "f16", "bf16"])

    def make(draw):
        m, n, inner = (draw.of.randint(1, 70) for _ in range(3))
        a, b = draw.elements(name, m * inner, False), draw.elements(name, inner * n, False)
        return Made("gemm", [(name, a), (name, b)], [(name, m * n)],
                    lambda a, b: [clwave.gemm(a.reshape(m, inner), b.reshape(inner, n), alpha=1.5, same_bits=True)], m=str(m), n=str(n),
                    inner=str(inner))

    return make


# Their forms by turns, so that none is missing.
STATISTICS = itertools.cycle(["count_if", "count_two", "minmax", "mean_and_variance", "minmax_rows", "minmax_columns",
                              "segmented_minmax", "mean_and_variance_rows", "mean_and_variance_columns",
                              "segmented_mean_and_variance"])
SEARCHES = itertools.cycle(["find_if", "any_of", "all_of", "none_of", "mismatch", "equal", "is_sorted"])
ELEMENTS = itertools.cycle(["generate", "iota", "iota_from", "iota_by", "adjacent_difference", "adjacent_difference_in_place",
                            "reverse", "rotate", "transform_if", "replace_if"])


def raw(result):
    """The bytes of structures."""
    return np.ascontiguousarray(result.get() if isinstance(result, clwave.Array) else result).view(np.uint8)


def kind_statistic(of):
    form = next(STATISTICS)
    name = of.choice([*NUMBERS, "f16", "cf32", "bool", "sample"] if form == "count_if" else SORTED)
    predicate = predicate_of(of, name)
    value, computed = "f32" if name in ("f16", "bf16") else name, of.choice(FLOATS)

    def make(draw):
        fields = {}
        n = draw.size()
        x = draw.elements(name, n)
        if form == "count_if":
            given = as_map(predicate, draw, fields)
            return Made(form, [(name, x)], [("u64", 1)], lambda x: [clwave.count_if(x, given)], predicate=predicate, **fields)
        if form == "count_two":
            return Made(form, [(name, x), (name, draw.elements(name, n))], [("u64", 1)],
                        lambda x, y: [clwave.count_if(x, "x > y", y=y)], predicate="x > y")
        if form == "minmax":
            return Made(form, [(name, x)], [(value, 1)] * 2, lambda x: list(clwave.minmax(x)))
        if form == "mean_and_variance":
            return Made(form, [(name, x)], [("u64", 1), (computed, 1), (computed, 1)],
                        lambda x: list(clwave.mean_and_variance(x, dtype=dtype_of(computed))), computed_in=computed)
        ends = "minmax" in form
        n_bytes = 2 * dtype_of(value).itemsize if ends else 8 + 2 * dtype_of(computed).itemsize
        more = {} if ends else {"dtype": dtype_of(computed)}
        fields = {} if ends else {"computed_in": computed}
        if form.startswith("segmented"):
            offsets = draw.offsets(n)
            return Made(form, [(name, x), ("u32", offsets)], [("u8", n_bytes * (len(offsets) - 1))],
                        lambda x, o: [raw(getattr(clwave, form)(x, o, **more))], **fields)
        rows, columns = draw.of.randint(0, 70), draw.of.randint(0, 70)
        return Made(form, [(name, draw.elements(name, rows * columns))], [("u8", n_bytes * (rows if form.endswith("rows") else columns))],
                    lambda x: [raw(getattr(clwave, form)(x, shape=(rows, columns), **more))], rows=str(rows), columns=str(columns),
                    **fields)

    return make


def predicate_of(of, name):
    return {"sample": "x.tag % 3 == 0", "cf32": "x.x > 0"}.get(name) or of.choice(["x > 3", "i % 3 == 1", "x > k * x", "x", "x < 0"])


def kind_search(of):
    form = next(SEARCHES)
    name = of.choice(SORTED if form == "is_sorted" else [*NUMBERS, "f16", "cf32", "bool", "sample"])
    predicate = predicate_of(of, name)
    same = "a.tag == b.tag" if name == "sample" else of.choice([None, None, "a == b" if name != "cf32" else "a.x == b.x"])
    order, order_fields = order_of(of, name) if form == "is_sorted" else ({}, {})

    def make(draw):
        fields = {}
        n = draw.size()
        if form == "is_sorted":
            x = draw.ordered(name, n, "descending" in order or "less" in order)
            if n and draw.of.random() < 0.3:
                x[draw.of.randrange(n)] = 3
            return Made(form, [(name, x)], [("bool", 1)], lambda x: [clwave.is_sorted(x, **order)], **order_fields)
        x = draw.elements(name, n)
        if form in ("mismatch", "equal"):
            y = x.copy()
            if n and draw.of.random() < 0.6:
                at = draw.of.randrange(n)
                y[at:] = draw.elements(name, n - at)
            output = ("u64" if form == "mismatch" else "bool", 1)
            return Made(form, [(name, x), (name, y)], [output], lambda x, y: [place(getattr(clwave, form)(x, y, same))], same=same)
        given = as_map(predicate, draw, fields)
        output = ("u64" if form == "find_if" else "bool", 1)
        return Made(form, [(name, x)], [output], lambda x: [place(getattr(clwave, form)(x, given))], predicate=predicate, **fields)

    return make


def place(found):
    return clwave.nowhere if found is None else found


def as_new(array):
    """The elements in a new array on the device."""
    return clwave.Array.from_numpy(array.get() if isinstance(array, clwave.Array) else array)


def kind_element(of):
    form = next(ELEMENTS)
    name = of.choice([*NUMBERS, "f16", "cf32", "bool", "sample"] if form in ("reverse", "rotate") else SORTED)
    second = of.choice(SECOND)
    text = of.choice(["k * i", "i % 7", "i"]) if form == "generate" else of.choice([None, "x - y", "x * 2 + y", "k * x - i"])
    predicate = of.choice(["x > 3", "i % 3 == 1", "x", "x < 0"])

    def make(draw):
        fields = {}
        n = draw.size()
        x = draw.elements(name, n)
        if form == "generate" or form.startswith("iota"):
            numbers = [draw.elements(name, 1, False) for _ in range({"iota_from": 1, "iota_by": 2}.get(form, 0))]
            given = as_map(text, draw, fields) if form == "generate" else None

            def indices(*_):
                out = clwave.Array(n, dtype_of(name))
                if form == "generate":
                    clwave.generate(out, given).wait()
                else:
                    clwave.iota(out, *[number[0] for number in numbers]).wait()
                return [out]

            return Made(form, [(name, number) for number in numbers], [(name, n)], indices,
                        map=text if form == "generate" else None, **fields)
        if form == "reverse":
            return Made(form, [(name, x)], [(name, n)], lambda x: [clwave.reverse(x)])
        if form == "rotate":
            first = draw.of.randrange(n) if n else 0
            return Made(form, [(name, x)], [(name, n)], lambda x: [clwave.rotate(x, first)], first=str(first))
        if form == "transform_if":
            applied = text if text and "y" not in text else "2 * x"
            given = as_map(applied, draw, fields)

            def some(x):
                out = clwave.Array.from_numpy(np.full(n * dtype_of(name).itemsize, 0x5A, np.uint8).view(dtype_of(name)))
                clwave.transform_if(x, out, map=given, predicate=predicate).wait()
                return [out]

            return Made(form, [(name, x)], [(name, n)], some, map=applied, predicate=predicate, **fields)
        if form == "replace_if":
            value = draw.elements(name, 1, False)

            def replaced(x, _):
                out = as_new(x)
                clwave.replace_if(out, predicate, value[0]).wait()
                return [out]

            return Made(form, [(name, x), (name, value)], [(name, n)], replaced, predicate=predicate, value="1")
        given = as_map(text, draw, fields)
        if form == "adjacent_difference":
            return Made(form, [(name, x)], [(second, n)], lambda x: [clwave.adjacent_difference(x, given, dtype=dtype_of(second))],
                        map=text, **fields)

        def in_place(x):
            out = as_new(x)
            clwave.adjacent_difference(out, given, out=out).wait()
            return [out]

        return Made(form, [(name, x)], [(name, n)], in_place, map=text, **fields)

    return make


RANDOM = itertools.cycle(["random", "random_permutation", "shuffle"])


def kind_random(of):
    form = next(RANDOM)
    name = of.choice({"random": SORTED, "random_permutation": ["u32", "u64"], "shuffle": [*NUMBERS, "f16", "cf32", "bool", "sample"]}[form])
    normal = name not in INTEGERS and of.random() < 0.6
    bounded = name in INTEGERS and of.random() < 0.6

    def make(draw):
        n, seed = draw.size(), draw.of.getrandbits(64)
        if form == "shuffle":
            return Made(form, [(name, draw.elements(name, n))], [(name, n)], lambda x: [clwave.shuffle(x, seed)], seed=str(seed))
        if form == "random_permutation":
            return Made(form, [], [(name, n)], lambda: [clwave.random_permutation(seed, n, dtype_of(name))], seed=str(seed))
        below = draw.of.randint(1, min(np.iinfo(dtype_of(name)).max + 1, 2**64 - 1)) if bounded else None
        stream, first = draw.of.getrandbits(32), draw.of.getrandbits(draw.of.choice([3, 40, 64]))
        return Made(form, [], [(name, n)],
                    lambda: [clwave.random(seed, n, dtype_of(name), kind="normal" if normal else "uniform", below=below,
                                           stream=stream, first=first)],
                    seed=str(seed), below=str(below or 0), stream=str(stream), first=str(first), normal=str(int(normal)))

    return make


KINDS = [kind_reduce, kind_extreme, kind_lines, kind_segments, kind_scan, kind_by_key, kind_selection, kind_sort, kind_sort_by_key,
         kind_top_k, kind_sorted_ranges, kind_move, kind_transform, kind_histogram, kind_gemm, kind_statistic, kind_search, kind_element,
         kind_random]


def bytes_of(result, name):
    """The bytes of a result: of a device array, or of a Python number."""
    if isinstance(result, clwave.Array):
        result = result.get()
    return np.ascontiguousarray(np.asarray(result, dtype_of(name))).reshape(-1).view(np.uint8).tobytes()


def python_results(made, draw):
    """Of arrays on the device, or of NumPy's."""
    on_device = draw.of.random() < 0.5
    inputs = [clwave.Array.from_numpy(array) if on_device else array for _, array in made.inputs]
    return [bytes_of(result, name) for result, (name, _) in zip(made.python(*inputs), made.outputs)]


def read_results(path, calls):
    with open(path, "rb") as file:
        for made in calls:
            results = []
            for _ in made.outputs:
                (n_bytes,) = struct.unpack("Q", file.read(8))
                results.append(file.read(n_bytes))
            yield results
        if file.read(1):
            sys.exit(f"{path} has more than the results of all calls")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--c", required=True)
    parser.add_argument("--cpp", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--kinds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--call")
    parser.add_argument("--spoil", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    draw = Draw(given.seed)
    # Each family has its turn, so that none is missing.
    kinds = [KINDS[i % len(KINDS)](draw.of) for i in range(given.kinds)]
    calls, data, lines, results, made_by = [], bytearray(), [], [], collections.Counter()
    begin = time.monotonic()
    while len(calls) < given.calls:
        made = kinds[draw.of.randrange(len(kinds))](draw)
        if given.call and made.name != given.call:
            continue
        fields = [f"call={made.name}"]
        for i, (name, array) in enumerate(made.inputs):
            data += b"\0" * (-len(data) % 16)
            fields.append(f"in{i}={name} {array.size} {len(data)}")
            data += array.reshape(-1).view(np.uint8).tobytes()
        fields += [f"out{i}={name} {n}" for i, (name, n) in enumerate(made.outputs)]
        fields += [f"{key}={value}" for key, value in made.fields.items()]
        lines.append("\t".join(fields))
        try:
            results.append(python_results(made, draw))
        except Exception as failed:
            sys.exit(f"Python refuses {lines[-1]}:\n{type(failed).__name__}: {failed}")
        calls.append(made)
        made_by[made.name] += 1
    print(f"Python: {len(calls)} calls in {time.monotonic() - begin:.1f} s, of {len(made_by)} names")
    (given.work / "calls").write_text("\n".join(lines) + "\n")
    (given.work / "data").write_bytes(data)
    different = []
    for language, program in (("C", given.c), ("C++", given.cpp)):
        path = given.work / f"results_{language}"
        begin = time.monotonic()
        done = subprocess.run([program, given.work / "calls", given.work / "data", path], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{program} ended with {done.returncode}: {done.stdout[-4000:]}")
        print(f"{language}: {done.stdout.strip()} in {time.monotonic() - begin:.1f} s")
        if given.spoil and language == "C++":
            bytes_ = bytearray(path.read_bytes())
            bytes_[-1] ^= 1
            path.write_bytes(bytes_)
        for i, theirs in enumerate(read_results(path, calls)):
            if theirs != results[i]:
                different.append(f"{language} differs from Python in call {i}: {lines[i]}")
    if different:
        sys.exit("\n".join(different[:20]) + f"\n{len(different)} calls differ")
    print(f"the same bits from Python, C and C++ in all {len(calls)} calls")


main()
