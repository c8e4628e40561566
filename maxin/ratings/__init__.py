"""Ratings: what predicts a match, and how it is learnt from results.

`Elo` and `MElo` are stateless models; `Online` and `BradleyTerry` are learners that hold ratings
and take results one at a time; `bradley_terry` fits a whole crosstable at once, with its
uncertainty; `Posterior` keeps ratings and pair effects with all that is not known of them;
`hodge` splits a game into an order and circles.
"""

from maxin.ratings.base import Learner, RatingModel
from maxin.ratings.bradley_terry import BradleyTerry, Fit, bradley_terry, crosstable
from maxin.ratings.elo import Elo, Online
from maxin.ratings.hodge import Hodge, cyclic_factor, hodge
from maxin.ratings.melo import MElo
from maxin.ratings.posterior import Posterior

__all__ = [
    "BradleyTerry",
    "Elo",
    "Fit",
    "Hodge",
    "Learner",
    "MElo",
    "Online",
    "Posterior",
    "RatingModel",
    "bradley_terry",
    "crosstable",
    "cyclic_factor",
    "hodge",
]
