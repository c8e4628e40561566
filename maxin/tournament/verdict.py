"""When a tournament is decided: one check, for real matches and for simulated ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from maxin.ratings.odds import check_confidence, lead_certainty
from maxin.ratings.seats import Tally, fit_seats


class Verdict(NamedTuple):
    """The k players rated highest, best first, and a floor under P(they are the top k)."""

    players: tuple[int, ...]
    certainty: float


def check_every(n_players: int, n_told: int = 0) -> int:
    """How many results lie between two checks, since a check costs a fit.

    A quarter of the number of players; twice, four times, ... as many once there are 100, 200, ...
    times as many results. So no tournament lasts 2 % longer for it than it must.

    >>> check_every(16), check_every(16, n_told=399), check_every(16, n_told=400)
    (4, 4, 8)
    """
    quarter = max(1, n_players // 4)
    return quarter << max(0, (n_told // (50 * quarter)).bit_length() - 1)


def judge(
    tally: Tally,
    *,
    k: int = 1,
    players: Sequence[int] | None = None,
    first_advantage: bool = False,
) -> Verdict:
    """Who leads, and how surely.

    Args:
        tally: all results; those of players who are not asked about tell about the others.
        k: the size of the top.
        players: who may be in it; everyone by default.
        first_advantage: see `fit_seats`.

    >>> tally = Tally(3)
    >>> tally.add_many([0] * 9, [1, 2, 1] * 3, [1.0] * 9)
    >>> judge(tally)
    Verdict(players=(0,), certainty=0.928)
    """
    fit = fit_seats(tally, first_advantage=first_advantage)
    asked = np.arange(tally.n_players) if players is None else np.asarray(players)
    ratings, covariance = fit.ratings[asked], fit.covariance[np.ix_(asked, asked)]
    leaders = asked[np.argsort(-ratings, kind="stable")[:k]]
    return Verdict(tuple(leaders.tolist()), lead_certainty(ratings, covariance, k))


def is_decided(
    tally: Tally,
    *,
    k: int,
    confidence: float,
    players: Sequence[int] | None = None,
    first_advantage: bool = False,
) -> bool:
    """Whether the top k is known with that confidence; arguments as of `judge`.

    >>> tally = Tally(2)
    >>> tally.add_many([0] * 9, [1] * 9, [1.0] * 9)
    >>> is_decided(tally, k=1, confidence=0.95), is_decided(tally, k=1, confidence=0.999)
    (True, False)
    """
    verdict = judge(tally, k=k, players=players, first_advantage=first_advantage)
    return verdict.certainty >= check_confidence(confidence)
