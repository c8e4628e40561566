"""A tournament's past, read from its log: who met whom, and what was known after how many."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import verdict
from maxin.ratings.odds import credible_set
from maxin.ratings.posterior import interval_reach
from maxin.ratings.seats import Tally
from maxin.views.belief import Opinion

if TYPE_CHECKING:
    from maxin.tournament.results import Played

CONFIDENCE = 0.99  # which a decision at 95 % has to have; see docs/stopping.md
DRAWS = 2048  # for each number of candidates; their standard error is below one player in most
LOG_FROM = 60  # matches a player: of a longer tournament the beginning is shown larger

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Log:
    """The games of the told matches in order, a column each; players by number.

    A match of two games has two rows that weigh 1/2 each; `match` counts matches from 0 on.
    """

    match: Indices
    first: Indices
    second: Indices
    scores: Array
    weights: Array
    times: Array  # of the matches, in seconds since 1970

    def __len__(self) -> int:
        """How many matches."""
        return len(self.times)

    def tally(self, n_players: int, start: int = 0, stop: int | None = None) -> Tally:
        """Points and games of the matches from `start` up to `stop`."""
        end = len(self) if stop is None else stop
        rows = slice(*np.searchsorted(self.match, [start, end]).tolist())
        tally = Tally(n_players)
        tally.add_many(self.first[rows], self.second[rows], self.scores[rows], self.weights[rows])
        return tally


def read_log(played: Iterable[Played], numbers: Mapping[str, int]) -> Log:
    """One pass over the matches; `numbers` are the players' by name."""
    match, first, second = array("q"), array("q"), array("q")
    scores, weights, times = array("d"), array("d"), array("d")
    for told in played:
        here, there = numbers[told.first], numbers[told.second]
        games = told.games or (told.score,)
        for number, score in enumerate(games):
            is_swapped = number % 2 == 1  # the score is the first player's of the match even so
            match.append(len(times))
            first.append(there if is_swapped else here)
            second.append(here if is_swapped else there)
            scores.append(1.0 - score if is_swapped else score)
            weights.append(1.0 / len(games))
        times.append(told.time)
    numbered = (np.array(column, dtype=np.int64) for column in (match, first, second))
    measured = (np.array(column, dtype=np.float64) for column in (scores, weights, times))
    return Log(*numbered, *measured)  # type: ignore[arg-type]  # three of each, in order


@dataclass(frozen=True)
class History:
    """What was known after some numbers of matches; ratings in Elo points, as on the board."""

    after: list[int]  # numbers of matches
    is_log: bool  # whether they lie evenly on a log scale
    ratings: Array  # (readings, players); NaN before a player's first match
    margin: Array  # (readings,), half the 95 % interval of the leader of today
    n_candidates: Array  # (readings,)


def read_history(
    log: Log,
    n_players: int,
    *,
    in_play: list[int],
    leader: int,
    n_readings: int,
) -> History:
    """Replay the log, and fit it after about `n_readings` numbers of matches.

    Args:
        log: what happened.
        n_players: how many there are now.
        in_play: those who are not retired: the mean of their ratings is 0, one of them is best.
        leader: whose margin is wanted.
        n_readings: evenly spaced, or by equal factors in a long tournament.
    """
    is_log = len(log) > LOG_FROM * n_players
    after = checkpoints(len(log), n_readings, start=n_players if is_log else 0)
    tally, opinion, before = Tally(n_players), Opinion(), 0
    ratings, margins, sizes = [], [], []
    for now in after:
        new = log.tally(n_players, before, now)
        tally.games += new.games
        tally.points += new.points
        means, covariance = _fitted(opinion, tally, in_play)
        ratings.append(ELO_PER_NAT * (means - means[in_play].mean()))
        margins.append(_margin(covariance, leader, in_play))
        sizes.append(_n_candidates(means, covariance, in_play))
        before = now
    shown = np.array(ratings)
    shown[np.array(after)[:, None] <= _matches_before(log, n_players)] = np.nan
    return History(after, is_log, shown, np.array(margins), np.array(sizes, dtype=np.float64))


def checkpoints(n_matches: int, n_readings: int, *, start: int = 0) -> list[int]:
    """Numbers of matches from `start` on, evenly spaced, or by equal factors if it is not 0.

    >>> checkpoints(100, 5)
    [0, 25, 50, 75, 100]
    >>> checkpoints(1000, 4, start=1)
    [1, 10, 100, 1000]
    """
    space = np.geomspace if start else np.linspace
    return [int(number) for number in np.unique(space(start, n_matches, n_readings).round())]


def _fitted(opinion: Opinion, tally: Tally, in_play: list[int]) -> tuple[Array, Array]:
    """Ratings and covariance of these results, against those in play."""
    if tally.n_players < 2:
        return np.zeros(tally.n_players), np.zeros((tally.n_players,) * 2)
    posterior = opinion.posterior(tally, in_play)
    return posterior.ratings().copy(), posterior.covariance().copy()


def _margin(covariance: Array, player: int, in_play: list[int]) -> float:
    """Half the 95 % interval of a rating relative to the mean of those in play."""
    to_mean = covariance[:, in_play].mean(axis=1)
    variance = covariance[player, player] - 2.0 * to_mean[player] + to_mean[in_play].mean()
    return ELO_PER_NAT * interval_reach(0.95, len(in_play)) * math.sqrt(max(float(variance), 0.0))


def _n_candidates(means: Array, covariance: Array, in_play: list[int]) -> int:
    """How many may still be the best: one if it is decided, else as many as hold it surely."""
    ratings, among = means[in_play], covariance[np.ix_(in_play, in_play)]
    if len(in_play) < 2 or verdict(ratings, among).kind == "decided":
        return 1
    rng = np.random.default_rng(0)
    return max(2, len(credible_set(ratings, among, confidence=CONFIDENCE, rng=rng, draws=DRAWS)))


def _matches_before(log: Log, n_players: int) -> Indices:
    """How many matches were over before each player's first began."""
    first = np.full(n_players, len(log))
    for seat in (log.first, log.second):
        np.minimum.at(first, seat, log.match)
    return first
