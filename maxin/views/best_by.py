"""Who is best by each meaning of "best", and whether the meanings disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from maxin.core import InvalidInput, Match
from maxin.evaluation import alpha_rank, nash_average
from maxin.views.belief import Belief
from maxin.views.formats import share

CERTAIN = 0.95  # least probability that a rival beats the best, for it to be mentioned
SMALLEST_SHARE = 0.05  # least share of a mixture that is mentioned
MOST = 200  # of more players than this, only those rated highest are compared: the cost is n^3


class BestBy(NamedTuple):
    """The best player by each meaning of the word; shares of a mixture are by name.

    Args:
        field: best against the field, by rating.
        condorcet: beats every other player more often than not; None if nobody does.
        nash: how often to play whom if the opponent chooses too.
        alpha_rank: how long each player would lead if whoever beats the leader takes over.
        nemesis: beats the best against the field with 95 % confidence; None if nobody does.
    """

    field: str
    condorcet: str | None
    nash: Mapping[str, float]
    alpha_rank: Mapping[str, float]
    nemesis: str | None

    @classmethod
    def of(cls, belief: Belief) -> BestBy:
        """The best of those in play, by each meaning; at least two must be in play.

        Of more than 200 players, only the 200 rated highest are compared with each other.

        >>> from maxin.ratings import Tally
        >>> tally = Tally(3)  # rock, paper, scissors; rock wins more often
        >>> tally.add_many([0, 1, 2] * 20, [2, 0, 1] * 20, [1.0, 1.0, 1.0] * 20)
        >>> tally.add_many([0] * 10, [2] * 10, [1.0] * 10)
        >>> found = BestBy.of(Belief(["rock", "paper", "scissors"], tally))
        >>> found.condorcet is None, round(sum(found.nash.values()), 2)
        (True, 1.0)
        """
        players = belief.in_play
        if players.size < 2:
            raise InvalidInput(
                f"who is best needs two players who are not retired; there are {players.size}"
            )
        players = players[np.argsort(-belief.ratings[players], kind="stable")[:MOST]]
        chances = belief.fit.chances(players)
        advantages = np.log(chances / (1.0 - chances))
        advantages = (advantages - advantages.T) / 2.0  # antisymmetric to the last bit
        beats = (chances > 0.5) | np.eye(len(players), dtype=bool)
        winners = np.flatnonzero(beats.all(axis=1))
        names = [belief.names[player] for player in players]
        return cls(
            names[0],
            names[winners[0]] if len(winners) else None,
            _shares(names, nash_average(advantages).weights),
            _shares(names, alpha_rank(advantages)),
            _nemesis(belief, int(players[0])),
        )

    @property
    def disagreement(self) -> str | None:
        """A sentence if "best" depends on what is meant; None if the meanings agree."""
        if self.nemesis is None:
            return None
        mixture = ", ".join(f"{name} {share(part)}" for name, part in self.nash.items())
        if self.condorcet is not None:
            return (
                f"{self.field} does best against the field, but {self.condorcet} beats everyone, "
                f"including {self.field}: which is best depends on the opponents they will meet"
            )
        return (
            f"{self.field} does best against the field, but loses to {self.nemesis}, and nobody "
            f"beats everyone: strength is cyclic, and the best mixture is {mixture}"
        )


def _nemesis(belief: Belief, best: int) -> str | None:
    """Who beats the best against the field with the highest probability, if it is certain."""
    highest, found = CERTAIN, None
    for rival in belief.rivals.tolist():
        if rival != best:
            chance = belief.fit.lead_chance(Match(rival, best))
            if chance >= highest:
                highest, found = chance, belief.names[rival]
    return found


def _shares(names: Sequence[str], weights: np.ndarray) -> dict[str, float]:
    """The shares worth mentioning, the largest first."""
    order = np.argsort(-weights, kind="stable")
    return {
        names[place]: float(weights[place]) for place in order if weights[place] >= SMALLEST_SHARE
    }
