"""Rounds of informative matches: a tree of them, or pairs of everyone."""

from __future__ import annotations

import numpy as np
import scipy

from maxin.core import Match
from maxin.core.arrays import Floats, Ints
from maxin.kernels.information import rating_gains
from maxin.kernels.matching import heavy_matching
from maxin.schedulers.practice.base import RoundScheduler

DIGITS = 9  # gains that agree in these are equal: their order is random


class InformationRounds(RoundScheduler):
    """Rounds of informative matches; while a whole round is pending, the best other match.

    That match is the most informative one if the pending ones are counted.

    Args:
        n_players: how many players take part.
        rng: draws the order of equally informative matches.
        half_life: see `Posterior`.
    """

    def __init__(
        self, n_players: int, *, rng: np.random.Generator, half_life: float | None = None
    ) -> None:
        super().__init__(n_players, rng=rng, half_life=half_life)
        self._begin()

    def _choose(self) -> Match | None:
        match = self._plan.next_match()
        if match is not None:
            return match
        gains = np.triu(rating_gains(self.state_with_pending()), 1)
        first, second = np.unravel_index(int(gains.argmax()), gains.shape)
        return Match(int(first), int(second))


class Information(InformationRounds):
    """Learns all ratings: batches of n - 1 matches that reveal as much about them as possible.

    A batch is the spanning tree of the players with the largest sum of expected information gains
    (ASAP, Mikhailiuk et al. 2020): it connects everyone, and has no match twice.

    >>> from maxin.core import Result
    >>> scheduler = Information(5, rng=np.random.default_rng(0))
    >>> for _ in range(40):  # the lower number always loses
    ...     match = scheduler.ask()
    ...     scheduler.tell(Result(match, float(match.first > match.second)))
    >>> np.argsort(scheduler.ratings())
    array([0, 1, 2, 3, 4])
    """

    def _paired(self, rng: np.random.Generator) -> Ints:
        return spanning_pairs(rating_gains(self.posterior.state), rng)


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


def by_falling_weight(weights: Floats, rng: np.random.Generator) -> Ints:
    """All pairs i < j as rows, the heaviest first, those of equal weight in random order.

    >>> weights = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    >>> by_falling_weight(weights, np.random.default_rng(0)).tolist()
    [[1, 2], [0, 2], [0, 1]]
    """
    first, second = np.triu_indices(len(weights), 1)
    heaviest = np.lexsort((rng.permutation(len(first)), -weights[first, second].round(DIGITS)))
    return np.stack([first[heaviest], second[heaviest]], axis=1)


def spanning_pairs(weights: Floats, rng: np.random.Generator) -> Ints:
    """The pairs of a spanning tree with the largest sum of weights, the heaviest first.

    >>> weights = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    >>> spanning_pairs(weights, np.random.default_rng(0)).tolist()
    [[1, 2], [0, 2]]
    """
    pairs = by_falling_weight(weights, rng)
    ranks = np.arange(1, len(pairs) + 1)  # the tree depends on the order of the weights alone
    graph = scipy.sparse.csr_array((ranks, tuple(pairs.T)), shape=weights.shape)
    kept = scipy.sparse.csgraph.minimum_spanning_tree(graph).data.astype(np.int64)
    tree: Ints = pairs[np.sort(kept) - 1]
    return tree


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
