"""The sequential test of two players: a generalised SPRT on normalised Elo.

See docs/explanation/two-engines.md. Games count by themselves, or in pairs that start alike with
swapped seats: the scores of a pair depend on each other, because one opening may favour a side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal, NamedTuple

from maxin.core import Sprt

PER_DEVIATION = 800.0 / math.log(10.0)  # normalised Elo points per standard deviation of a game
UNSEEN = 1e-3  # what a score counts that never came, so that every ratio is finite
MOST_STEPS = 100  # of an iteration
NEAREST = 1e-14  # the relative change of a multiplier at which its search ends: it may be at a pole
CLOSE = 1e-10  # the change of a probability at which an iteration ends
Z95 = NormalDist().inv_cdf(0.975)


class Interval(NamedTuple):
    """A number with half of its 95 % interval."""

    value: float
    margin: float


class Sample(NamedTuple):
    """How often each score came, from the first player's view.

    Args:
        counts: of the scores 0, 1/2 and 1 of a game, or 0, 1/4, ..., 1 of a pair of games.

    >>> sample = Sample((13, 37, 50, 25, 3))
    >>> sample.score, round(sample.normalised.value, 2), round(sample.elo.value, 2)
    (0.4375, -63.97, -43.66)
    """

    counts: tuple[int, ...]

    @property
    def is_paired(self) -> bool:
        """Whether pairs of games are counted, rather than games."""
        return len(self.counts) == 5

    @property
    def n_games(self) -> int:
        """How many games there are."""
        return sum(self.counts) * (1 + self.is_paired)

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores that are counted."""
        return tuple(place / (len(self.counts) - 1) for place in range(len(self.counts)))

    @property
    def score(self) -> float:
        """The mean."""
        return _mean(self.scores, self.counts) / sum(self.counts)

    @property
    def deviation(self) -> float:
        """The standard deviation of one score about the mean."""
        squares = [(score - self.score) ** 2 for score in self.scores]
        return math.sqrt(_mean(squares, self.counts) / sum(self.counts))

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(sum(self.counts))

    @property
    def elo(self) -> Interval | None:
        """The difference in Elo points, -400 log10(1 / score - 1); None if it is unbounded."""
        low, high = self.score - Z95 * self.error, self.score + Z95 * self.error
        if not self.deviation or low <= 0.0 or high >= 1.0:
            return None
        return Interval(_elo(self.score), (_elo(high) - _elo(low)) / 2.0)

    @property
    def normalised(self) -> Interval | None:
        """The difference in normalised Elo points; None if every score is the same.

        It is (score - 1/2) / s times 800 / ln 10, with the standard deviation s of a game, which is
        that of a pair times the square root of 2.
        """
        if not self.deviation:
            return None
        unit = PER_DEVIATION / (self.deviation * math.sqrt(1 + self.is_paired))
        return Interval(unit * (self.score - 0.5), unit * Z95 * self.error)

    @property
    def superiority(self) -> float:
        """LOS: the probability that the first player is the better one, from the scores alone."""
        if not self.error:
            return float(self.score > 0.5) if self.score != 0.5 else 0.5
        return NormalDist().cdf((self.score - 0.5) / self.error)

    def log_ratio(self, test: Sprt) -> float:
        """The log-likelihood ratio of H1 against H0.

        Both give the chances of the scores that are likeliest among those with the difference
        that the hypothesis names.

        >>> round(Sample((13, 37, 50, 25, 3)).log_ratio(Sprt(0.0, 4.0)), 5)
        -0.54912
        """
        counts = [count or UNSEEN for count in self.counts]
        shares = [count / sum(counts) for count in counts]
        unit = math.sqrt(1 + self.is_paired) / PER_DEVIATION
        zero, one = (
            likeliest(self.scores, shares, unit * points) for points in (test.elo0, test.elo1)
        )
        ratios = [math.log(high / low) for high, low in zip(one, zero, strict=True)]
        return _mean(ratios, counts)

    def decision(self, test: Sprt) -> Literal["H0", "H1"] | None:
        """The hypothesis that is accepted; None while the test continues."""
        if not any(self.counts):
            return None
        ratio, (low, high) = self.log_ratio(test), test.bounds
        return "H1" if ratio >= high else "H0" if ratio <= low else None


def likeliest(scores: Sequence[float], shares: Sequence[float], shift: float) -> list[float]:
    """The likeliest chances p of the scores for which (mean - 1/2) / deviation is `shift`.

    With the observed shares q, Lagrange's condition is p_i = q_i / (1 + x f_i), where

        f_i = a_i - 1/2 - shift s (1 + ((a_i - m) / s)^2) / 2

    for scores a_i, and the multiplier x makes the f_i average 0. The mean m and the deviation s are
    those of p, so the equations are solved in turn until p stays.

    >>> [round(chance, 4) for chance in likeliest((0.0, 0.5, 1.0), (0.3, 0.5, 0.2), 0.0)]
    [0.25, 0.5, 0.25]
    """
    chances = [1.0 / len(scores)] * len(scores)
    for _ in range(MOST_STEPS):
        mean = _mean(scores, chances)
        deviation = math.sqrt(_mean([(score - mean) ** 2 for score in scores], chances))
        slopes = [
            score - 0.5 - shift * deviation * (1.0 + ((score - mean) / deviation) ** 2) / 2.0
            for score in scores
        ]
        multiplier = _multiplier(slopes, shares)
        found = [
            share / (1.0 + multiplier * slope) for share, slope in zip(shares, slopes, strict=True)
        ]
        before, chances = chances, [one / sum(found) for one in found]
        if max(abs(new - old) for new, old in zip(chances, before, strict=True)) < CLOSE:
            break
    return chances


def _multiplier(slopes: Sequence[float], shares: Sequence[float]) -> float:
    """The root x of the sum of q_i f_i / (1 + x f_i), which falls in x: Newton within bounds."""
    low, high = -1.0 / max(slopes), -1.0 / min(slopes)
    found = 0.0
    for _ in range(MOST_STEPS):
        terms = [slope / (1.0 + found * slope) for slope in slopes]
        value = _mean(terms, shares)
        low, high = (found, high) if value > 0.0 else (low, found)
        step = value / _mean([term * term for term in terms], shares)
        new = found + step
        if not low < new < high:
            new = (low + high) / 2.0
        if abs(new - found) <= NEAREST * abs(new):
            return new
        found = new
    return found


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return math.fsum(value * weight for value, weight in zip(values, weights, strict=True))


def _elo(score: float) -> float:
    return -400.0 * math.log10(1.0 / score - 1.0)
