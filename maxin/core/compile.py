"""Compile inner loops: `@compiled` turns a plain function, a kernel, into machine code.

A kernel takes valid, C-contiguous arrays (float64 unless stated otherwise) and checks nothing.
Its code is cached beside its file, so only the first run on a machine has to compile. It says so,
by a warning in the log, which Python prints on standard error.
"""

from __future__ import annotations

import functools
import logging
import math
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

LOGGER = "maxin.compile"  # its name in `logging`
COMPILING = "compiling, once on this machine: this takes about half a minute"
Function = TypeVar("Function", bound=Callable[..., object])

if TYPE_CHECKING:  # numba publishes no types: to a type checker a kernel is the function it wraps

    def compiled(function: Function) -> Function:
        """Type checkers see the plain function."""
        return function

    ordered = compiled
else:

    def compiled(function, **options):
        """Compile at the first call, and cache the code if the cache can be written."""
        options = {"nogil": True, "error_model": "numpy", **options}
        if "numba" in sys.modules:
            return _dispatcher(function, options)
        return _Waiting(function, options)

    def ordered(function):
        """Compile a loop that only compares: without NaN, it can handle many values at once."""
        return compiled(function, fastmath={"nnan", "nsz"})


class _Waiting:
    """A kernel before the first call of any kernel, which loads the compiler.

    The compiler takes half a second to load, and many programs never call a kernel. Once it is
    loaded, every module that names a kernel gets the compiled one in its place, so that calls
    cost nothing more, and kernels can call each other.
    """

    everyone: ClassVar[list[_Waiting]] = []
    lock = threading.RLock()

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._options = function, options
        self._dispatcher: Any = None
        self.everyone.append(self)

    def __call__(self, *arguments: Any) -> Any:
        return self._loaded()(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python looks for by itself is no reason to load
            raise AttributeError(name)
        return getattr(self._loaded(), name)

    def _loaded(self) -> Any:
        with self.lock:
            if self._dispatcher is None:
                self._load_all()
            return self._dispatcher

    @classmethod
    def _load_all(cls) -> None:
        for kernel in cls.everyone:
            kernel._dispatcher = _dispatcher(kernel._function, kernel._options)
        homes = {kernel._function.__module__ for kernel in cls.everyone}
        for name, module in list(sys.modules.items()):
            if name in homes or name.partition(".")[0] == __package__.partition(".")[0]:
                for key, value in list(vars(module).items()):
                    if isinstance(value, _Waiting):
                        setattr(module, key, value._dispatcher)
        cls.everyone.clear()


def _dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    import numba  # not before it is needed

    _announce()
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(**options)(function)


@functools.cache
def _announce() -> None:
    """Have the first kernel that is compiled, and not loaded, log `COMPILING`."""
    from numba.core import event

    class FirstKernel(event.Listener):
        """Logs a sentence when the first kernel of ours is compiled."""

        has_said = False

        def on_start(self, happening: Any) -> None:
            """A function is about to be compiled; it may be of another program."""
            home = happening.data["dispatcher"].py_func.__module__
            if not self.has_said and home.partition(".")[0] == __package__.partition(".")[0]:
                self.has_said = True
                logging.getLogger(LOGGER).warning(COMPILING)

        def on_end(self, happening: Any) -> None:
            """Nothing happens at the end."""

    event.register("numba:compile", FirstKernel())  # type: ignore[no-untyped-call]


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)) without overflow."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    odds = math.exp(x)
    return odds / (1.0 + odds)
