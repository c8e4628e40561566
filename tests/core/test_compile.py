"""Kernels: the compiled sigmoid, and a compiler that is loaded at the first call."""

import subprocess
import sys

import numpy as np
import pytest

from maxin.core.compile import sigmoid

SCRIPT = """
import sys
import numpy as np
from maxin.core.compile import sigmoid
from maxin.core import compile
from maxin.ratings.fitting import pair_kernels
from maxin.ratings.posterior import advantage_kernels
from maxin.evaluation import stopping_kernels

assert "numba" not in sys.modules
early = sigmoid
assert early.__doc__.startswith("1 / (1 + exp(-x))")
assert "numba" not in sys.modules
assert early(0.0) == 0.5

from numba.core.dispatcher import Dispatcher
for module in (compile, advantage_kernels, pair_kernels, stopping_kernels):
    waiting = [name for name, value in vars(module).items() if type(value).__name__ == "_Waiting"]
    assert waiting == [], (module, waiting)
assert isinstance(compile.sigmoid, Dispatcher)
assert advantage_kernels.sigmoid is compile.sigmoid
assert early.py_func(0.0) == 0.5  # a name from before still works

from maxin.schedulers.posterior import information  # kernels that are defined after that
assert isinstance(information.drawn_match, Dispatcher)
"""


@pytest.mark.parametrize("x", [-800.0, -3.0, 0.0, 1e-9, 2.5, 800.0])
def test_sigmoid_equals_the_formula_and_never_overflows(x):
    with np.errstate(over="ignore"):
        assert sigmoid(x) == pytest.approx(1.0 / (1.0 + np.exp(-x)), abs=1e-15)


def test_kernels_wait_for_the_first_call_and_are_then_all_compiled_functions():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_threads_may_call_the_first_kernels_at_the_same_time():
    script = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from maxin.core.compile import sigmoid\n"
        "with ThreadPoolExecutor(8) as threads:\n"
        "    assert list(threads.map(sigmoid, [0.0] * 64)) == [0.5] * 64\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
