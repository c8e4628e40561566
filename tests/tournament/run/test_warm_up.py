"""What a run compiles is announced, once, and only if it is compiled."""

import os
import subprocess
import sys

import pytest

from maxin.core.compile import COMPILING
from maxin.tournament.run.warm_up import warm_up
from tests.helpers.processes import ROOT

TWICE = """
import numpy as np
from maxin.core.compile import compiled, sigmoid

@compiled
def double(x):
    return 2.0 * x

double(1.0)  # compiled for another program, which is none of our concern
print("ours", flush=True)
sigmoid(0.5)
sigmoid(np.float32(0.5))  # compiled for another type
"""


def said(cache, program=TWICE):
    """What a process says on standard error, with its machine code in a folder."""
    words = [sys.executable, "-c", program]
    where = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, env=where, capture_output=True, text=True, check=True)
    return done.stderr


def test_only_what_is_compiled_is_announced(tmp_path):
    assert said(tmp_path) == f"{COMPILING}\n"
    assert said(tmp_path) == ""


@pytest.mark.slow
def test_processes_that_compile_say_so_once(tmp_path):
    program = "from maxin.experiments.pool import _processes as p\n"
    program += "from maxin.tournament.run.warm_up import warm_up\n"
    program += "if __name__ == '__main__':\n    with p(2) as pool:\n"
    program += "        [one.result() for one in [pool.submit(warm_up) for _ in range(2)]]\n"
    assert said(tmp_path, program) == f"{COMPILING}\n"


def test_the_warm_up_compiles_without_an_error():
    warm_up()
