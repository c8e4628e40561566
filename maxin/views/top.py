"""The top: who leads, how certain that is, and who may still be there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, check_confidence, check_whole
from maxin.core.text import listed, percent_below_100
from maxin.evaluation.stopping_rule import required_certainty
from maxin.ratings.odds import holding_set, lead_certainty
from maxin.views.belief import Belief


class Top(NamedTuple):
    """The leaders, the probability that they are the top k, and who may still be among the top k.

    `candidates` is the smallest set, most likely players first, that contains the whole top k
    with the certainty a decision needs; it is the leaders themselves once the top `is_decided`.

    >>> Top(("anna",), 0.6, ("anna", "bo"), False).status
    'undecided'
    """

    players: tuple[str, ...]
    confidence: float
    candidates: tuple[str, ...]
    is_decided: bool

    @classmethod
    def of(cls, belief: Belief, k: int = 1, confidence: float = 0.95) -> Top:
        """The top k of those in play.

        >>> from maxin.ratings import Tally
        >>> tally = Tally(3)
        >>> tally.add_many([0, 0, 1] * 20, [1, 2, 2] * 20, [1.0, 1.0, 0.5] * 20)
        >>> Top.of(Belief(["anna", "bo", "cy"], tally))
        Top(players=('anna',), confidence=1.0, candidates=('anna',), is_decided=True)
        """
        check_confidence(confidence)
        if not 1 <= check_whole(k, "k") <= belief.in_play.size:
            raise InvalidInput(
                f"k, the size of the top, must be from 1 to the number of players who are not "
                f"retired, {belief.in_play.size}; got {k}"
            )
        strengths, covariance = belief.playing
        tops = belief.drawn_tops(k)
        leaders = np.argsort(-strengths, kind="stable")[:k]
        # The floor is below the true probability but has no noise of draws: a run that stopped
        # because of the one must not be called undecided because of the other.
        floor = lead_certainty(strengths, covariance, k)
        certainty = max(floor, float(tops[:, leaders].all(axis=1).mean()))
        is_decided = belief.top_verdict(k, confidence=confidence).kind == "decided"
        candidates = leaders if is_decided else _candidates(tops, leaders, confidence)
        players, others = (
            tuple(belief.names[player] for player in belief.in_play[some])
            for some in (leaders, candidates)
        )
        return cls(players, certainty, others, is_decided)

    @property
    def status(self) -> str:
        """Either "decided" or "undecided"."""
        return "decided" if self.is_decided else "undecided"

    def sentence(self, confidence: float = 0.95) -> str:
        """Who leads, how certain that is, and who may still be there.

        >>> Top(("anna",), 0.97, ("anna",), True).sentence()
        'anna is the best with 97.0% confidence'
        >>> Top(("anna",), 0.6, ("anna", "bo"), False).sentence()
        'anna leads with 60.0% confidence; with 99% confidence the best is one of 2: anna and bo'
        """
        leaders, k = listed(self.players), len(self.players)
        place = "the best" if k == 1 else f"the top {k}"
        certainty = percent_below_100(self.confidence)
        if self.is_decided:
            return f"{leaders} {'is' if k == 1 else 'are'} {place} with {certainty} confidence"
        among = "the best is one of" if k == 1 else f"{place} are among"
        needed = f"{100.0 * required_certainty(confidence):.4g}%"
        return (
            f"{leaders} {'leads' if k == 1 else 'lead'} with {certainty} confidence; with {needed} "
            f"confidence {among} {len(self.candidates)}: {listed(self.candidates)}"
        )


def _candidates(
    tops: NDArray[np.bool_], leaders: NDArray[np.int64], confidence: float
) -> NDArray[np.int64]:
    """Who may still be in the top, with the certainty a decision needs; always more than k."""
    found = holding_set(tops, required_certainty(confidence))
    if len(found) > len(leaders):
        return found
    next_best = np.argsort(-tops.mean(axis=0), kind="stable")
    return np.asarray(next_best[: len(leaders) + 1])
