"""What importing the runners loads."""

import subprocess
import sys

import pytest

ROOMS = ["programs", "processes", "clusters", "uci", "coroutines", "open_spiel_bots"]


def imported(lines):
    """What a fresh interpreter prints after running `lines`."""
    return subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_need_no_optional_library(room):
    code = (
        "import sys; sys.modules['chess'] = sys.modules['pyspiel'] = None\n"
        f"import maxin.runners.{room}; print('imported')"
    )
    assert imported(code) == "imported"


@pytest.mark.parametrize("name", ["Uci", "OpenSpiel"])
def test_names_of_optional_runners_need_no_optional_library(name):
    code = (
        "import sys; sys.modules['chess'] = sys.modules['pyspiel'] = None\n"
        f"from maxin.runners import {name}; print({name}.__name__)"
    )
    assert imported(code) == name


def test_a_worker_loads_no_numpy():
    code = "import sys, maxin.runners.processes.worker; print('numpy' in sys.modules)"
    assert imported(code) == "False"
