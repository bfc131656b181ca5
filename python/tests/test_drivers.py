"""The driver of the extra [cpu], and the command `clwave`."""

import subprocess
import sys

import pytest

from clwave import _drivers


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    """An environment with the extra's driver, on a machine with one driver of its own."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libintelocl.so").write_text("")
    system = tmp_path / "vendors"
    system.mkdir()
    (system / "other.icd").write_text("libother.so\n")
    monkeypatch.setattr(_drivers, "SYSTEM_FOLDER", system)
    monkeypatch.setattr(_drivers, "added", None)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    for name in _drivers.CHOSEN_BY:
        monkeypatch.delenv(name, raising=False)
    yield tmp_path
    _drivers.os.environ.pop("OCL_ICD_VENDORS", None)


def test_driver_is_added_to_the_others(prefix):
    environment = _drivers.os.environ
    _drivers.find()
    folder = prefix / "share" / "clwave" / "vendors"
    assert environment["OCL_ICD_VENDORS"] == str(folder)
    assert {path.name for path in folder.iterdir()} == {"other.icd", "clwave_cpu.icd"}
    assert (folder / "clwave_cpu.icd").read_text().strip() == _drivers.added


def test_a_choice_of_the_user_stays(prefix, monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", "/somewhere")
    _drivers.find()
    assert _drivers.added is None and _drivers.os.environ["OCL_ICD_VENDORS"] == "/somewhere"


def test_nothing_without_the_extra(prefix):
    (prefix / "lib" / "libintelocl.so").unlink()
    _drivers.find()
    assert _drivers.added is None and "OCL_ICD_VENDORS" not in _drivers.os.environ


def test_command():
    done = subprocess.run([sys.executable, "-m", "clwave", "info"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and ", profile " in done.stdout
