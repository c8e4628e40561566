"""What "best" may mean, and whether it makes a difference here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from maxin.core import Match
from maxin.evaluation import alpha_rank, nash_average
from maxin.ratings import Posterior, Tally
from maxin.views.belief import Opinion

SURE = 0.95  # that a rival is ahead in their own matches, before it is said
LEAST = 0.05  # of a mixture that is worth a word


class Meanings(NamedTuple):
    """Who is best by each meaning, as things stand; shares of a mixture are by name.

    `nemesis` surely beats the best against the field, if anybody does.

    `field`: best against the field, as ratings have it. `condorcet`: beats every single other more
    often than not, if anybody does. `nash`: how often to play whom if the other side chooses
    too. `alpha_rank`: how long each would stay on top if whoever beats the leader takes over.
    """

    field: str
    condorcet: str | None
    nash: Mapping[str, float]
    alpha_rank: Mapping[str, float]
    nemesis: str | None

    @property
    def disagreement(self) -> str | None:
        """A sentence if "best" surely depends on what is meant by it; None if all agree."""
        if self.nemesis is None:
            return None
        mixture = ", ".join(f"{name} {share:.0%}" for name, share in self.nash.items())
        if self.condorcet is not None:
            return (
                f"{self.field} does best against the field, but {self.condorcet} beats everyone, "
                f"{self.field} too: which is best depends on whom they are to meet"
            )
        return (
            f"{self.field} does best against the field, but loses to {self.nemesis}, and nobody "
            f"beats everyone: strength goes in circles, and the best mixture is {mixture}"
        )


def meanings(names: Sequence[str], tally: Tally, players: Sequence[int]) -> Meanings:
    """Who of `players` is best, by each meaning, by the posterior of all results.

    >>> tally = Tally(3)  # rock, paper, scissors; rock wins more often
    >>> tally.add_many([0, 1, 2] * 20, [2, 0, 1] * 20, [1.0, 1.0, 1.0] * 20)
    >>> tally.add_many([0] * 10, [2] * 10, [1.0] * 10)
    >>> found = meanings(["rock", "paper", "scissors"], tally, [0, 1, 2])
    >>> found.condorcet is None, round(sum(found.nash.values()), 2)
    (True, 1.0)
    """
    posterior = Opinion().posterior(tally, players)
    among = np.ix_(players, players)
    chances = posterior.chances()[among]
    advantages = np.log(chances / (1.0 - chances))
    advantages = (advantages - advantages.T) / 2.0  # to the last bit
    field = int(posterior.ratings()[list(players)].argmax())
    winners = np.flatnonzero(((chances > 0.5) | np.eye(len(players), dtype=bool)).all(axis=1))
    called = [names[player] for player in players]
    return Meanings(
        called[field],
        called[winners[0]] if len(winners) else None,
        _shares(called, nash_average(advantages).weights),
        _shares(called, alpha_rank(advantages)),
        _nemesis(posterior, called, players, field),
    )


def _nemesis(
    posterior: Posterior, names: Sequence[str], players: Sequence[int], field: int
) -> str | None:
    """Who surely beats the best against the field, the surest one."""
    surest, found = SURE, None
    for place, rival in enumerate(players):
        if place != field:
            chance = posterior.lead_chance(Match(rival, players[field]))
            if chance >= surest:
                surest, found = chance, names[place]
    return found


def _shares(names: Sequence[str], weights: np.ndarray) -> dict[str, float]:
    """Who has a share worth a word, the largest first."""
    order = np.argsort(-weights, kind="stable")
    return {names[place]: float(weights[place]) for place in order if weights[place] >= LEAST}
