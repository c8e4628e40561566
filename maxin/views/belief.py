"""When a tournament is decided: one check, for real matches and for simulated ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxin.evaluation import Verdict, order_verdict, verdict
from maxin.ratings import Posterior, Tally


def check_every(n_players: int, n_told: int = 0) -> int:
    """How many results lie between two checks, since a check costs a fit.

    A quarter of the number of players; twice, four times, ... as many once there are 100, 200, ...
    times as many results. So no tournament lasts 2 % longer for it than it must.

    >>> check_every(16), check_every(16, n_told=399), check_every(16, n_told=400)
    (4, 4, 8)
    """
    quarter = max(1, n_players // 4)
    return quarter << max(0, (n_told // (50 * quarter)).bit_length() - 1)


class Opinion:
    """What the results so far say: a posterior that is brought up to date when it is asked.

    It depends on the set of results alone, not on their order, nor on when it was asked before.

    >>> tally = Tally(3)
    >>> tally.add_many([0, 0, 1] * 9, [1, 2, 2] * 9, [1.0, 1.0, 0.5] * 9)
    >>> Opinion().verdict(tally, k=1, confidence=0.95).kind
    'decided'
    """

    def __init__(self) -> None:
        self._posterior: Posterior | None = None

    def posterior(self, tally: Tally, players: Sequence[int] | None = None) -> Posterior:
        """The posterior of these results, with strength against `players`, or all if only one."""
        if self._posterior is None or self._posterior.n_players != tally.n_players:
            self._posterior = Posterior(tally.n_players)
        is_field = players is not None and len(players) > 1
        self._posterior.fit(tally.crosstable(), players if is_field else None)
        return self._posterior

    def verdict(
        self,
        tally: Tally,
        *,
        k: int | None,
        confidence: float,
        indifference: float = 0.0,
        players: Sequence[int] | None = None,
    ) -> Verdict:
        """Whether the top k, or the order, of all or of some players is known.

        Args:
            tally: all results; those of players who are not asked about tell about the others.
            k: the size of the top; None for the whole order.
            confidence: how surely.
            indifference: how many Elo points do not matter.
            players: who may be in the top, and against whom; everyone by default.
        """
        posterior = self.posterior(tally, players)
        asked = np.arange(tally.n_players) if players is None else np.asarray(players)
        known = posterior.ratings()[asked], posterior.covariance()[np.ix_(asked, asked)]
        found = (
            order_verdict(*known, confidence=confidence, indifference=indifference)
            if k is None
            else verdict(*known, confidence=confidence, indifference=indifference, k=k)
        )
        return found._replace(players=tuple(asked[list(found.players)].tolist()))
