"""The compiler of inner loops: `@compiled` turns a plain function into machine code.

A kernel takes checked, C-contiguous arrays (float64 unless stated otherwise) and checks nothing.
Its code is cached beside its file, so only the first run on a machine pays for compiling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., object])

if TYPE_CHECKING:  # numba publishes no types: to a type checker a kernel is the function it wraps

    def compiled(function: Function) -> Function:
        """A kernel is what it says in Python."""
        return function

    ordered = compiled
else:
    import numba

    def compiled(function, **options):
        """Compile at the first call; cached, unless there is nowhere to keep the cache."""
        options = {"nogil": True, "error_model": "numpy", **options}
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:
            return numba.njit(**options)(function)

    def ordered(function):
        """For loops that only compare: no value is NaN, so many can be taken at a time."""
        return compiled(function, fastmath={"nnan", "nsz"})


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)) without overflow."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    odds = math.exp(x)
    return odds / (1.0 + odds)
