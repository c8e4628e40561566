"""Compile what a run needs before it begins: once on a machine."""

from __future__ import annotations

import numpy as np

from maxin.core import Match, Result
from maxin.ratings import Tally
from maxin.schedulers import make_scheduler
from maxin.views import Belief


def warm_up() -> None:
    """Ask, tell, fit and judge once, so that the kernels are compiled, or loaded if they are.

    A run does so before it holds the store or a match: compiling takes a while, in which nobody
    should have to wait for it, and in which it can be interrupted.
    """
    scheduler = make_scheduler("top-two", 3, np.random.default_rng(0))
    for _ in range(6):  # the fifth result refits
        match = scheduler.ask() or Match(0, 1)
        scheduler.ask()  # with one in flight
        scheduler.tell(Result(match, 1.0))
    tally = Tally(2)
    tally.add(0, 1, 1.0)
    Belief(["one", "two"], tally).top_verdict(1, confidence=0.95)
