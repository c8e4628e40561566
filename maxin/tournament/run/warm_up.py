"""Compile what a run needs, once on a machine, while its players start."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from maxin.core import Match, Result
from maxin.ratings import Tally
from maxin.ratings.posterior import posterior_kernels
from maxin.schedulers import make_scheduler
from maxin.views import Belief

LAST = "strength_cov"  # of the kernels in `posterior_kernels`, what `compile_all` compiles last
COMPILING = "compiling, once on this machine; this takes about ten seconds"


def warm_up(say: Callable[[str], None], source: str | None = posterior_kernels.__file__) -> None:
    """Say that something must be compiled, and compile it in a thread of its own.

    Nothing happens if that was done before.

    Args:
        say: is called with a sentence.
        source: the file whose code stands for all that is compiled.
    """
    if source is None or is_compiled(Path(source)):
        return
    say(COMPILING)
    threading.Thread(target=compile_all, name="maxin-compiler").start()


def is_compiled(source: Path) -> bool:
    """Whether machine code younger than a source file lies beside it, or is kept elsewhere.

    >>> is_compiled(Path("/nowhere/kernels.py"))
    True
    """
    cache = source.parent / "__pycache__"
    if "NUMBA_CACHE_DIR" in os.environ or not os.access(source.parent, os.W_OK):
        return True
    written = [index.stat().st_mtime for index in cache.glob(f"{source.stem}.{LAST}-*.nbi")]
    return bool(written) and max(written) >= source.stat().st_mtime


def compile_all() -> None:
    """Ask, tell, fit and judge once."""
    scheduler = make_scheduler("top-two", 3, np.random.default_rng(0))
    for _ in range(6):  # the fifth result refits
        match = scheduler.ask() or Match(0, 1)
        scheduler.ask()  # with one in flight
        scheduler.tell(Result(match, 1.0))
    tally = Tally(2)
    tally.add(0, 1, 1.0)
    Belief(["one", "two"], tally).top_verdict(1, confidence=0.95)
