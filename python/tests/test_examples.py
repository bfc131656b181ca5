"""The programs of examples/python, each run as its reader runs it."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
PROGRAMS = sorted(FOLDER.glob("*.py"))


def test_there_are_examples():
    assert PROGRAMS


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_example(program, tmp_path):
    if "pyopencl" in program.name:
        pytest.importorskip("pyopencl")
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout
