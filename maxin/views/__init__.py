"""Views: what is known about a tournament, as data that a terminal, a page or a program renders.

All of them are made from one `Belief`, so a finished log and a running tournament share them.
"""

from maxin.views.belief import Belief, BeliefCache
from maxin.views.best_by import BestBy
from maxin.views.costs import TotalCost
from maxin.views.ends import Ends
from maxin.views.overview import Overview
from maxin.views.standings import Advantage, Leaderboard, Standing
from maxin.views.top import Top

__all__ = [
    "Advantage",
    "Belief",
    "BeliefCache",
    "BestBy",
    "Ends",
    "Leaderboard",
    "Overview",
    "Standing",
    "Top",
    "TotalCost",
]
