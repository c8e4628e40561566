"""Ratings: what predicts a match, and how it is learnt from results.

`Elo` and `MElo` are stateless models; `Online` and `BradleyTerry` are learners that hold ratings
and take results one at a time; `bradley_terry` fits a whole crosstable at once, with its
uncertainty; `Posterior` keeps ratings and pair effects with all that is not known of them;
`hodge` splits a game into an order and circles. A `Tally` counts results by seat, `fit_seats`
rates it, and `best_odds`, `credible_set` and `lead_certainty` say who may be the best.
"""

from maxin.ratings.base import Learner, RatingModel
from maxin.ratings.bradley_terry import BradleyTerry, Fit, bradley_terry, crosstable
from maxin.ratings.elo import Elo, Online
from maxin.ratings.hodge import Hodge, cyclic_factor, hodge
from maxin.ratings.melo import MElo
from maxin.ratings.odds import best_odds, credible_set, lead_certainty
from maxin.ratings.posterior import Posterior
from maxin.ratings.seats import SeatFit, Tally, fit_seats

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
    "SeatFit",
    "Tally",
    "best_odds",
    "bradley_terry",
    "credible_set",
    "crosstable",
    "cyclic_factor",
    "fit_seats",
    "hodge",
    "lead_certainty",
]
