"""Programs that are built ahead: calls find them, and what is wrong is told."""

import functools
import os
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pytest
from conftest import as_device

import clwave


def test_prepared_calls_run(random):
    x = as_device(random.standard_normal(1000).astype(np.float32))
    out, pair = clwave.Array(1000, np.float32), (clwave.Array(1000, np.float32), clwave.Array(1000, np.float32))
    # Texts and values that are gone before their programs are built.
    calls = [
        (clwave.reduce, x),
        (clwave.argmin, x),
        functools.partial(clwave.sort, x, descending=True, out=x),
        functools.partial(clwave.sort, x, by=("x * x", np.float32, True)),
        functools.partial(clwave.inclusive_scan, x, clwave.Op("a + b * 1.5f", identity=0), start=3.0, out=x),
        lambda: clwave.sort_by_key(x, x, out=pair),
        functools.partial(clwave.transform, x, map=clwave.Map("k * x", values={"k": 2.0}), out=x),
        functools.partial(clwave.histogram, x, [0.0, 1.0, 2.0]),
        functools.partial(clwave.gather, x, np.array([1], np.uint32), outside=1.5),
        functools.partial(clwave.fill, out, 2.5),
        functools.partial(clwave.copy_ranges, x, np.zeros(3, np.uint32), np.ones(3, np.uint32), out, np.arange(3, dtype=np.uint32)),
        functools.partial(clwave.copy_if, x, "x > 0"),
        functools.partial(clwave.reduce_by_key, x, x, "max", same="a == b"),
        functools.partial(clwave.inclusive_scan_by_key, x, x),
        functools.partial(clwave.merge, x, x, less="a > b"),
        functools.partial(clwave.aos_to_soa, np.zeros(9, [("a", "f4"), ("b", "i2")])),
        functools.partial(clwave.set_union, x, x),
        functools.partial(clwave.top_k, x, 5),
        functools.partial(clwave.count_if, x, clwave.Map("x > least", values={"least": 0.5})),
        functools.partial(clwave.minmax, x),
        functools.partial(clwave.mean_and_variance, x, out=clwave.Array(1, clwave.moments_dtype(np.float32))),
        functools.partial(clwave.minmax_rows, np.ones((3, 4), np.int8)),
        functools.partial(clwave.reduce, x, clwave.Op("a > b ? a : b"), start=1.5),
        functools.partial(clwave.generate, x, "i * 2.0f"),
        functools.partial(clwave.iota, x, 1.5, 2.0),
        functools.partial(clwave.transform_if, x, x, map="x * 3", predicate=clwave.Map("x > 7")),
        functools.partial(clwave.replace_if, x, "x > 7", 1.5),
        functools.partial(clwave.adjacent_difference, x, out=x),
        functools.partial(clwave.adjacent_difference, x, "x * y"),
        functools.partial(clwave.reverse, x),
        functools.partial(clwave.rotate, x, 3),
        functools.partial(clwave.shuffle, x, 42),
        functools.partial(clwave.random, 42, kind="normal", out=x),
        functools.partial(clwave.random_permutation, 42, 1000),
        functools.partial(clwave.find_if, x, "x > 7"),
        functools.partial(clwave.all_of_async, x, "x > 7"),
        functools.partial(clwave.equal, x, x, "a > b"),
        functools.partial(clwave.is_sorted, x, descending=True),
        functools.partial(clwave.gemm, np.ones((3, 3), np.float32), np.ones((3, 3), np.float32)),
    ]
    before = x.get()
    ready = clwave.prepare(*calls, threads=2)
    ready.wait()
    assert ready.done and ready.prepared == len(calls)
    assert (x.get() == before).all()  # no call was made
    assert clwave.reduce(x) == clwave.reduce(before)
    assert clwave.prepare().done


def test_nothing_is_built_again():
    # In a process of its own with empty caches: built programs are files, of clwave's or, with PoCL, of the driver's.
    text = """
import functools, os, sys, numpy as np, clwave
x = clwave.Array.from_numpy(np.arange(1000, dtype=np.float32))
texts = [clwave.Map(f"x * {k}.5f + 3.25f") for k in range(3)]
clwave.prepare(*[functools.partial(clwave.transform, x, map=each, out=x) for each in texts]).wait()
programs = lambda: sum(name.endswith(".bin") or name == "program.bc" for _, _, files in os.walk(sys.argv[1]) for name in files)
before = programs()
for each in texts:
    clwave.transform(x, map=each, out=x).wait()
assert before >= 3 and programs() == before, (before, programs())
clwave.transform(x, map="x * 77.5f", out=x).wait()
assert programs() == before + 1, (before, programs())
"""
    with tempfile.TemporaryDirectory() as folder:
        caches = {"CLWAVE_CACHE_DIR": f"{folder}/clwave", "POCL_CACHE_DIR": f"{folder}/pocl"}
        done = subprocess.run([sys.executable, "-c", text, folder], env={**os.environ, **caches}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_operands_that_are_gone():
    # In a process of its own that overwrites memory as it frees it, where that is glibc's.
    text = """
import functools, numpy as np, clwave
x, n = clwave.Array(99, np.int32), clwave.Array(1, np.uint64)
out, few = clwave.Array(99, np.int32), clwave.Array(3, np.uint32).first_segments(n)
calls = [
    functools.partial(clwave.merge, x.first(n), x),
    functools.partial(clwave.merge, x, x.first(n)),
    functools.partial(clwave.merge_by_key, x.first(n), x, x, x),
    functools.partial(clwave.set_union, x.first(n), x),
    functools.partial(clwave.set_difference, x, x.first(n)),
    functools.partial(clwave.segmented_top_k, x, few, 3),
    functools.partial(clwave.transform_to, x.first(n), maps=["x", clwave.Map("k * x", values={"k": 2.0})]),
    functools.partial(clwave.partition_copy, clwave.reversed(x), "x > 1", clwave.Map("x > k", values={"k": 2})),
    functools.partial(clwave.copy_flagged, x.first(n), x, "x > y"),
    functools.partial(clwave.gather_if, x, clwave.Array(99, np.uint32).first(n), x, out, predicate="x > 1", outside=3),
    functools.partial(clwave.reduce, clwave.gather_of(x, clwave.Array(9, np.uint32), 5)),
]
ready = clwave.prepare(*calls)
del x, n, out, few, calls
ready.wait()
"""
    done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "MALLOC_PERTURB_": "165"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_errors():
    x = np.ones(3, np.float32)
    with pytest.raises(clwave.BadCall, match="names nothing"):
        clwave.prepare((clwave.reduce, x, "maximum"))
    with pytest.raises(clwave.BadCall, match="a call to prepare"):
        clwave.prepare(3)
    with pytest.raises(clwave.BadCall, match="makes no plan"):
        clwave.prepare((print,))
    with pytest.raises(ZeroDivisionError):
        clwave.prepare(lambda: 1 / 0)
    ready = clwave.prepare((clwave.reduce, x), functools.partial(clwave.transform, x, map="x +* 2"))
    with pytest.raises(clwave.BuildError):
        ready.wait()
    assert ready.done
    with pytest.raises(clwave.BadCall):
        clwave.prepare((clwave.sort, clwave.Array(4, np.complex64))).wait()
    assert clwave.reduce(x) == 3


def test_threads_prepare_together():
    x = clwave.Array(500, np.int32)
    failed = []

    def prepare(k):
        try:
            clwave.prepare(functools.partial(clwave.transform, x, map=f"x + {k}"), (clwave.sort, x)).wait()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=prepare, args=(k % 3,)) for k in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed


def test_plans_do_not_meet():
    x = clwave.Array(500, np.int32)
    failed = []

    def slow():
        try:
            return clwave.sort(x)
        finally:
            time.sleep(0.05)  # others plan meanwhile

    def prepare():
        try:
            clwave.prepare(slow).wait()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=prepare) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed

    def plans_another():
        assert clwave.plan(clwave.reduce, x)["primitive"] == "reduce"
        return clwave.fill(x, 5)

    clwave.fill(x, 3).wait()
    assert clwave.prepare(plans_another).wait() is None
    assert x.get()[0] == 3  # no call was made


def test_a_plan_sees_what_lies_in_place():
    x = clwave.Array(100_000, np.uint32)
    apart = clwave.plan(clwave.sort, x, out=clwave.Array(100_000, np.uint32))
    assert apart["primitive"] == clwave.plan(clwave.sort, x, out=x)["primitive"] == "sort"
