"""Kinds of selections, sorts, searches in sorted ranges, moves, histograms and products, as those of kinds_of_folds.py."""
import numpy as np

import clwave

from draw import INTEGERS, NUMBERS, SECOND, SORTED, Made, as_map, dtype_of, map_text


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


KINDS = [kind_selection, kind_sort, kind_sort_by_key, kind_top_k, kind_sorted_ranges, kind_move, kind_transform,
         kind_histogram, kind_gemm]
