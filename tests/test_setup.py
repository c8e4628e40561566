"""`scripts/setup`: which interpreter makes `.venv`, and when it is made again."""

import shutil
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[1] / "scripts" / "setup"
# An interpreter by its name; its environments have a copy of it, and pip has nothing to do.
PYTHON = """#!/bin/sh
case "$1 $2" in
    "-m venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    "-c "*print*) echo {name} ;;
    --version*) echo Python {name} ;;
esac
"""


@pytest.fixture
def folder(tmp_path):
    """A project with nothing to install, and two interpreters."""
    for name in ("scripts", "requirements", "kernels"):
        (tmp_path / name).mkdir()
    shutil.copy(SETUP, tmp_path / "scripts")
    for name in ("requirements/run.txt", "requirements/build.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    for name in ("one", "two"):
        (tmp_path / name).write_text(PYTHON.format(name=name))
        (tmp_path / name).chmod(0o755)
    return tmp_path


def set_up(folder, **variables):
    return subprocess.run(
        [folder / "scripts" / "setup", "run"],
        env={"PATH": "/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
    )


def test_python_makes_the_environment_and_makes_it_again_if_another_did(folder):
    one, two = str(folder / "one"), str(folder / "two")
    assert "Creating .venv with Python one" in set_up(folder, PYTHON=one).stderr
    assert set_up(folder, PYTHON=one).stderr == ""
    (folder / ".venv" / "left-over").touch()
    assert "Creating .venv with Python two" in set_up(folder, PYTHON=two).stderr
    assert not (folder / ".venv" / "left-over").exists()
    assert set_up(folder).stderr == ""  # any interpreter will do


def test_an_invalid_python_is_refused_and_keeps_the_environment(folder):
    set_up(folder, PYTHON=str(folder / "one"))
    done = set_up(folder, PYTHON="no-such-python")
    assert done.returncode == 1
    assert done.stderr == "PYTHON must be Python 3.11 or newer; got no-such-python\n"
    assert (folder / ".venv" / "bin" / "python").exists()


def test_the_demo_has_help_and_a_refused_flag_costs_no_tournament(folder):
    shutil.copy(SETUP.parent / "demo", folder / "scripts")
    demo = folder / "scripts" / "demo"
    help = subprocess.run([demo, "--help"], capture_output=True, text=True, check=True)
    assert help.stdout.splitlines()[-1] == "Usage: scripts/demo [--serve] [FLAGS of maxin run]"
    assert not (folder / ".venv").exists()
    set_up(folder, PYTHON=str(folder / "one"))
    maxin = folder / ".venv" / "bin" / "maxin"
    maxin.write_text("#!/bin/sh\ntouch out/demo.db\nexit 2\n")
    maxin.chmod(0o755)
    (folder / "out").mkdir()
    store = folder / "out" / "demo.db"
    store.write_text("of before")
    assert subprocess.run([demo, "--no-such-flag"], capture_output=True).returncode == 2
    assert store.read_text() == "of before"
    maxin.write_text("#!/bin/sh\ntouch out/demo.db\n")
    assert subprocess.run([demo], capture_output=True).returncode == 0
    assert store.read_text() == ""
