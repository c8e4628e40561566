"""Schedulers: who plays next.

All speak the same protocol, `Scheduler`: `ask` for a match, `tell` its result, `withdraw` what
never came back, read the `ratings`. `maxin.py` is the paper's algorithm; start there.
"""

from maxin.schedulers.base import BaseScheduler, Draws, LearningScheduler, Scheduler
from maxin.schedulers.knockout import Knockout
from maxin.schedulers.paper.alpha_ig import AlphaIG
from maxin.schedulers.paper.dbgd import DBGD
from maxin.schedulers.paper.maxin import MaxIn
from maxin.schedulers.paper.maxinp import MaxInP
from maxin.schedulers.paper.rg_ucb import RGUCB
from maxin.schedulers.paper.widths import PairUncertainty
from maxin.schedulers.posterior.double_thompson import DoubleThompson
from maxin.schedulers.posterior.ranking import Ranking
from maxin.schedulers.posterior.top_two import TopTwo
from maxin.schedulers.random import Random
from maxin.schedulers.registry import SCHEDULERS, make_scheduler
from maxin.schedulers.round_robin import RoundRobin

__all__ = [
    "DBGD",
    "RGUCB",
    "SCHEDULERS",
    "AlphaIG",
    "BaseScheduler",
    "DoubleThompson",
    "Draws",
    "Knockout",
    "LearningScheduler",
    "MaxIn",
    "MaxInP",
    "PairUncertainty",
    "Random",
    "Ranking",
    "RoundRobin",
    "Scheduler",
    "TopTwo",
    "make_scheduler",
]
