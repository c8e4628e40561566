"""SwissInformation: everyone plays once per round, in informative pairs."""

from __future__ import annotations

import numpy as np

from maxin.core.arrays import Floats, Ints
from maxin.kernels.information import rating_gains
from maxin.kernels.matching import heavy_matching
from maxin.schedulers.practice.information import InformationRounds, by_falling_weight


class SwissInformation(InformationRounds):
    """Learns all ratings: rounds in which everyone plays once, in informative pairs.

    The pairs of a round have a large sum of expected information gains: the most informative pair
    first, then the best of those who are left, and then two pairs exchange their players as long
    as that is better. If the number of players is odd, one of them rests.

    >>> from maxin.core import Result
    >>> scheduler = SwissInformation(5, rng=np.random.default_rng(0))
    >>> for _ in range(40):  # the lower number always loses
    ...     match = scheduler.ask()
    ...     scheduler.tell(Result(match, float(match.first > match.second)))
    >>> np.argsort(scheduler.ratings())
    array([0, 1, 2, 3, 4])
    """

    def _paired(self, rng: np.random.Generator) -> Ints:
        return heavy_pairs(rating_gains(self.posterior.state), rng)


def heavy_pairs(weights: Floats, rng: np.random.Generator) -> Ints:
    """Pairs of all players, but for one if their number is odd, with a large sum of weights.

    >>> weights = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    >>> heavy_pairs(weights, np.random.default_rng(0)).tolist()
    [[1, 2]]
    """
    n_players = len(weights)
    table = np.pad(weights, (0, n_players % 2))  # plus a dummy player: its opponent rests
    partners = heavy_matching(table, by_falling_weight(table, rng))
    pairs = np.array([(a, b) for a, b in enumerate(partners.tolist()) if a < b < n_players])
    return pairs[np.argsort(-weights[tuple(pairs.T)], kind="stable")]
