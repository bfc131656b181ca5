"""The calls whose programs are compiled: a spread of types, operators and primitives."""
from dataclasses import dataclass
from pathlib import Path

import targets


@dataclass(frozen=True)
class Case:
    name: str  # its first word is the primitive
    words: tuple = ()  # what the tool is told; empty: offline_plans knows the case by its name
    core: bool = False


def _reduce(op, kind, *more, core=False):
    return Case(" ".join(("reduce", op, kind, *more)),
                ("reduce", "--op", op, "--type", kind, *(("--acc", more[1]) if more else ()), "--n", "256M"), core)


def _scan(op, kind, *more, name="", core=False):
    return Case(" ".join(("scan", op, kind, name)).strip(), ("scan", "--op", op, "--type", kind, *more, "--n", "256M"), core)


def _select(kind, of, core=False):
    return Case(f"select {kind} {of}", ("select", "--kind", kind, "--type", of, "--n", "256M"), core)


def _sort(kind, *more, name="", core=False):
    return Case(" ".join(("sort", kind, name)).strip(), ("sort", "--type", kind, *more), core)


def _of_matrix(primitive, op, kind, shape, name, core=False):
    return Case(f"{primitive} {op} {kind} {name}", (primitive, "--op", op, "--type", kind, "--shape", shape), core)


def _rows(*case, **more):
    return _of_matrix("reduce_rows", *case, **more)


def _columns(*case, **more):
    return _of_matrix("reduce_columns", *case, **more)


def _segments(op, kind, *more, name="", core=False):
    return Case(f"segmented_reduce {op} {kind} {name}".strip(),
                ("segmented_reduce", "--op", op, "--type", kind, "--n", "64M", "--segments", "1M", *more), core)


def _segmented_scan(op, kind, *more, name=""):
    return Case(f"segmented_scan {op} {kind} {name}".strip(),
                ("segmented_scan", "--op", op, "--type", kind, "--n", "64M", "--segments", "1M", *more))


def _by_key(op, kind, *more, name="", core=False):
    return Case(f"reduce_by_key {op} {kind} {name}".strip(),
                ("reduce_by_key", "--op", op, "--type", kind, "--n", "64M", *more), core)


_MIXED = ("layout", "--n", "16M", "--size", "32", "--fields", "8@0,4@8,4@12,2@20,1@22,1@23,8@24")


def _gemm(kind, name="", *more, core=False):
    return Case(" ".join(("gemm", kind, name)).strip(), ("gemm", "--type", kind, *more), core)


CASES = [
    _reduce("sum", "f32", core=True), _reduce("sum", "f64", core=True), _reduce("sum", "i32", core=True),
    _reduce("sum", "i32", "in", "i32", core=True), _reduce("max", "i32", core=True), _reduce("min", "f32", core=True),
    _reduce("sum", "u8"), _reduce("max", "u8"), _reduce("min", "i16"), _reduce("sum", "f16"), _reduce("sum", "i64"),
    _reduce("max", "u64"), _reduce("xor", "u32"), _reduce("and", "u64"), _reduce("prod", "f32"),
    _reduce("sum", "bf16"), _reduce("sum", "bool"), _reduce("prod", "cf32"), _reduce("sum", "f32", "in", "f64"), _reduce("sumsq", "f32"), _reduce("abs-sum", "f64"),
    _reduce("argmin", "f32", core=True), _reduce("argmax", "i64"), _reduce("argmax", "f16"),
    Case("reduce dot f32", core=True), Case("reduce sum f32 misaligned"), Case("reduce sum f32x4"),
    Case("reduce structure of 8 bytes"), Case("reduce structure of 12 bytes", core=True),
    Case("reduce non-commutative f32"), Case("reduce mul-add f32"), Case("reduce mul-add f64"),
    Case("reduce values f32"), Case("transform values f32"),
    *[Case(f"reduce sum u8 in groups of {size}") for size in (64, 512, 1024)],
    *[Case(f"reduce sum f32 in groups of {size}") for size in (64, 128, 512, 1024)],
    Case("reduce max u8 in groups of 512"), Case("reduce sum f64 in groups of 1024"),
    _rows("sum", "f32", "1Mx64", "short", core=True), _rows("sum", "f32", "1Mx60", "of 60"), _rows("sum", "f32", "1Mx61", "of 61"),
    _rows("sum", "f32", "64Kx1K", "of 1024"), _rows("sum", "f32", "64Kx999", "of 999"), _rows("argmax", "f32", "1Mx64", "short"),
    _rows("sum", "f64", "1Mx64", "short"), _rows("max", "u8", "1Mx64", "short"), _rows("sum", "f16", "1Mx64", "short"),
    _rows("sum", "f32", "16Kx16K", "whole", core=True), _rows("sum", "f32", "64x1M", "cut", core=True),
    _rows("sum", "f32", "32Kx2K", "shallow", core=True), _rows("sum", "f16", "16Kx5000", "shallow"), _rows("argmax", "f64", "16Kx3K", "shallow"),
    _rows("sum", "f64", "16Kx16K", "whole"), _rows("sum", "f16", "16Kx16K", "whole"), _rows("argmax", "f32", "16Kx16K", "whole"),
    _columns("sum", "f32", "16Kx16K", "cut", core=True), _columns("sum", "f32", "1Mx64", "tall"),
    _columns("sum", "f32", "64x1M", "alone", core=True), _columns("sum", "f32", "1000x999", "by one"),
    _columns("sum", "f16", "16Kx16K", "cut"), _columns("sum", "f16", "64x1M", "alone"), _columns("sum", "f64", "16Kx16K", "cut"),
    _columns("sum", "u8", "16Kx16K", "cut"), _columns("argmin", "f32", "16Kx16K", "cut"), _columns("argmin", "f32", "64x1M", "alone"),
    _segments("sum", "f32", core=True), _segments("sum", "f32", "--count-bad", "--offsets", "u32", name="counted"),
    _segments("sum", "f64"), _segments("sum", "u8"), _segments("max", "u8"), _segments("sum", "f16"), _segments("argmax", "f32", "--count-bad"),
    Case("segmented_reduce structure of 12 bytes"), Case("segmented_reduce non-commutative f32"),
    _by_key("sum", "f32", core=True), _by_key("sum", "f64", "--keys", "u64"), _by_key("sum", "u8"), _by_key("sum", "f16"),
    _by_key("argmax", "f32"), Case("reduce_by_key structure of 12 bytes"), Case("reduce_by_key non-commutative f32"),
    _scan("sum", "f32", core=True), _scan("sum", "f64"), _scan("max", "i32"), _scan("sum", "u8", "--acc", "u32", name="in u32"),
    _scan("sum", "f32", "--exclusive", name="exclusive"), _scan("sum", "f32", "--in-place", name="in place", core=True),
    _segmented_scan("sum", "f32"), _segmented_scan("sum", "f32", "--count-bad", "--offsets", "u32", "--exclusive", name="counted"),
    _segmented_scan("sum", "f64"), _segmented_scan("sum", "u8", "--acc", "u32", name="in u32"), _segmented_scan("max", "i32"),
    Case("segmented_scan structure of 12 bytes"), Case("segmented_scan non-commutative f32"),
    _select("if", "f32", core=True), _select("if", "f64"), _select("if", "u8"), _select("flagged", "f32"),
    _select("partition", "f32", core=True), _select("unique", "f32"), _select("unique", "f16"),
    _select("unique-by-key", "f32", core=True),
    _select("run-lengths", "f32", core=True), _select("run-offsets", "f32"),
    _sort("u32", "--n", "256M", core=True), _sort("f64", "--n", "256M", "--descending"), _sort("u8", "--n", "256M"),
    _sort("f32", "--n", "256M", "--values", "f64", name="with f64", core=True), _sort("f16", "--n", "16M", "--indices", "u32", name="indices"),
    _sort("u64", "--n", "8G", "--indices", "u64", name="many indices"), _sort("i32", "--n", "1000", "--values", "f32", name="small"),
    Case("copy f32", core=True), Case("copy f32 to f16"), Case("copy f16 to f32"), Case("copy f32 to u8 saturated"),
    Case("copy f32 to bf16", ("copy", "--type", "f32", "--to", "bf16", "--n", "256M")),
    Case("copy f64 to f32"), Case("fill f32", core=True),
    *[Case(f"transpose {kind}", ("transpose", "--type", kind, "--shape", "4096x4096"), kind == "f32")
      for kind in ("u8", "u16", "f32", "f64", "f32x4")],
    Case("transpose f32 misaligned", ("transpose", "--type", "f32", "--shape", "4095x4095")),
    Case("transpose f32 in place", ("transpose", "--type", "f32", "--shape", "4096x4096", "--in-place"), True),
    Case("layout 3 floats apart", ("layout", "--n", "16M"), True),
    Case("layout 3 floats together", ("layout", "--n", "16M", "--to-aos"), True),
    Case("layout mixed apart", _MIXED), Case("layout mixed together", (*_MIXED, "--to-aos")),
    Case("layout mixed in blocks", (*_MIXED, "--block", "32")),
    _gemm("f32", core=True), _gemm("f64", core=True), _gemm("f16", core=True), _gemm("f32", "thin", "--n", "8"),
    _gemm("f32", "transposed", "--transpose-a", "--transpose-b"), _gemm("f32", "in parts", "--m", "64", "--n", "64"),
    _gemm("f16", "transposed", "--transpose-a", "--transpose-b"), _gemm("f16", "odd", "--n", "4095"),
    _gemm("f32", "as tf32", "--allow-tf32"),
    Case("transform f32", ("transform", "--text", "x * 2 + 1", "--n", "256M"), core=True),
    Case("transform 3 x f16", ("transform", "--type", "f16", "--inputs", "3", "--text", "x * y + z", "--n", "256M")),
    Case("transform u8 to f32", ("transform", "--type", "u8", "--to", "f32", "--text", "x / 255.0f", "--n", "256M")),
    Case("broadcast row f32", ("broadcast", "--per", "row", "--rows", "16K", "--columns", "16K"), core=True),
    Case("broadcast column f32", ("broadcast", "--per", "column", "--rows", "16K", "--columns", "16K"), core=True),
]


@dataclass(frozen=True)
class Programs:
    """The two programs that write sources and options."""
    tool: Path
    plans: Path

    def write(self, case, target, folder):
        if case.words:
            targets.run([self.tool, "emulate", target.architecture, "--dump", folder, *case.words])
        else:
            targets.run([self.plans, target.architecture, "--dump", folder, case.name])


def words_of(folder):
    """The -D choices of a program: {"ITEMS": "8", ...}."""
    words = (folder / "options.txt").read_text().split()
    return dict(word[2:].split("=", 1) for word in words if word.startswith("-D") and "=" in word)
