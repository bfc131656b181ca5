"""What random calls are drawn from: types, elements and numbers, texts."""
import random

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
