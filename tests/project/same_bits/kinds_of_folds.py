"""Kinds of reductions and scans. Each function draws a kind, and returns a function that makes a call of it of a Draw."""
import clwave

from draw import NUMBERS, SORTED, Made, as_map, as_op, dtype_of, fold_text, map_text, wide_of


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


KINDS = [kind_reduce, kind_extreme, kind_lines, kind_segments, kind_scan, kind_by_key]
