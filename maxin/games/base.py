"""A game: the probability of every result, and a way to simulate a match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, Match, check_match
from maxin.games.payoffs import Table, fair_payoffs

CERTAIN = 0.99  # the probability that stands for a certain win, in ratings and simulated matches


class Game:
    """Player i beats j with probability P_ij = (payoff_ij + 1) / 2; certain wins count as 0.99.

    Certain means P = 1 exactly, where the log-odds would be infinite. All other probabilities are
    kept, even 0.999, as the regrets in the paper's figures show. So a win with P = 0.999 counts
    more in the ratings than a certain one; `mean_scores` do not have this quirk. P + P' = 1 to the
    last bit, and a game never changes.

    Args:
        name: What to call the game.
        payoffs: What the row's player wins from the column's on average, in [-1, 1]. They must be
            antisymmetric: what one player wins, the other loses.
        names: What to call the players, if they have names.

    Raises:
        InvalidInput: If the payoffs break one of these rules.

    >>> game = Game("weighted coin", [[0.0, 0.6], [-0.6, 0.0]])
    >>> game.probabilities
    array([[0.5, 0.8],
           [0.2, 0.5]])
    >>> game.ratings
    array([ 0.693, -0.693])
    """

    def __init__(self, name: str, payoffs: ArrayLike, names: Sequence[str] | None = None) -> None:
        self.name = name
        self.names = None if names is None else tuple(names)
        self.payoffs = _read_only(fair_payoffs(payoffs, f"game {name!r}"))
        self.n_players = len(self.payoffs)
        # From the favourite's chance, its complement is exact, whether it is the row or the column.
        favourite = self._favourite_chances()
        self.probabilities = _read_only(np.where(self.payoffs >= 0.0, favourite, 1.0 - favourite))

    def __repr__(self) -> str:
        return f"Game({self.name!r}, n_players={self.n_players})"

    @cached_property
    def mean_scores(self) -> Table:
        """Mean of P over all players, with certain wins as 1 and the player itself as a draw.

        >>> Game("order", [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]).mean_scores
        array([0.833, 0.5  , 0.167])
        """
        return _read_only(0.5 + _row_means(self.payoffs) / 2.0)

    @cached_property
    def ratings(self) -> Table:
        """True ratings: the row means of logit P, as in the Hodge decomposition.

        >>> Game("order", [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]).ratings
        array([ 3.063,  0.   , -3.063])
        """
        favourite = self._favourite_chances()
        advantages = np.sign(self.payoffs) * np.log(favourite / (1.0 - favourite))
        return _read_only(_row_means(advantages))

    def play(self, match: Match, rng: np.random.Generator) -> float:
        """Simulate one match: the first player's score, 1.0 with probability P and else 0.0.

        >>> game = Game("weighted coin", [[0.0, 0.6], [-0.6, 0.0]])
        >>> rng = np.random.default_rng(0)
        >>> sum(game.play(Match(0, 1), rng) for _ in range(1000))
        788.0
        """
        check_match(match, self.n_players)
        return 1.0 if rng.random() < self.probabilities.item(*match) else 0.0

    def top(self, k: int = 1) -> list[int]:
        """The players with the `k` largest true ratings, best first, with ties for the k-th place.

        >>> Game("two champions", [[0, 1, 0], [-1, 0, -1], [0, 1, 0]]).top(1)
        [0, 2]
        """
        if k < 1:
            raise InvalidInput(f"k, the size of the top, must be at least 1; got {k}")
        order = np.argsort(-self.ratings, kind="stable")
        bar = self.ratings[order[min(k, self.n_players) - 1]]
        best: list[int] = order[self.ratings[order] >= bar].tolist()
        return best

    def _favourite_chances(self) -> Table:
        """The probability, at least 0.5, that the better player of each pair wins."""
        chances: Table = (1.0 + np.abs(self.payoffs)) / 2.0
        chances[chances == 1.0] = CERTAIN
        return chances


def _row_means(table: Table) -> Table:
    """Row means, exactly rounded, so that equal players tie whatever the order of their results."""
    return np.array([math.fsum(row.tolist()) for row in table]) / len(table)


def _read_only(array: Table) -> Table:
    array.setflags(write=False)
    return array
