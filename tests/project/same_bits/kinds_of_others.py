"""Kinds of statistics, searches, calls of elements and random numbers, as those of kinds_of_folds.py."""
import itertools

import numpy as np

import clwave

from draw import FLOATS, INTEGERS, NUMBERS, SECOND, SORTED, Made, as_map, dtype_of
from kinds_of_moves import order_of

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


KINDS = [kind_statistic, kind_search, kind_element, kind_random]
