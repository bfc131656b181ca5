"""What the proofs without a device need of each primitive, from tests/primitives/NAME/offline.py of all that are in
primitives.cmake:

  CASES    its programs that are compiled (case.py)
  EXPECT   what their code must have, in the words of expect.txt
  KNOWN    for parts of the kernels, by the stem of the file: oclgrind_run's parts that reach it, programs to compile, and
           files of tests; a part that several primitives reach is known to each of them
  and, where there are some, sets of the parts of oclgrind_run that races.py runs in its own ways
"""
import functools
import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TESTS = ROOT / "tests"


@functools.cache
def modules():
    """By their primitives' names, in the order of the list."""
    names = re.findall(r"(?m)^clwave_primitive\((\w+)", (ROOT / "primitives.cmake").read_text())
    loaded = {}
    for name in names:
        path = TESTS / "primitives" / name / "offline.py"
        spec = importlib.util.spec_from_file_location(f"offline_of_{name}", path)
        loaded[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded[name])
        for word in ("CASES", "EXPECT", "KNOWN"):
            if not getattr(loaded[name], word, None):
                sys.exit(f"{path} has no {word}")
    return loaded


def cases():
    return [case for module in modules().values() for case in module.CASES]


def union(word):
    """The members of all sets of that name."""
    return set().union(*(getattr(module, word, set()) for module in modules().values()))


def known():
    """KNOWN of all together: {stem: (parts, programs, files of tests)}, each with commas between its entries."""
    joined = {}
    for module in modules().values():
        for stem, checks in module.KNOWN.items():
            before = joined.get(stem, ("", "", ""))
            joined[stem] = tuple(",".join(filter(None, pair)) for pair in zip(before, checks))
    for name in (path.stem for path in (ROOT / "cl_kernels/primitives").glob("*.cl")):
        if name not in joined:
            sys.exit(f"no offline.py knows which checks reach cl_kernels/primitives/{name}.cl")
    return joined
