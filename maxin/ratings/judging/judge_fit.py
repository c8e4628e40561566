"""Judges with a position bias and a reliability, fitted together with the ratings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core.arrays import Ints
from maxin.kernels.posterior import PROBIT, SPLIT, advantages
from maxin.ratings.base import Array
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.posterior.posterior import Posterior
from maxin.ratings.posterior.state import with_results
from maxin.ratings.tally import ROUNDING

BIAS_SCALE = 0.3  # prior standard deviation of a position bias, in nats: 52 Elo points
RELIABILITY_SCALE = 0.6  # of a reliability around 1; both chosen on seeds below 1,000
FREEDOM = 3.0  # degrees of freedom of its prior: a bad judge is not held to 1 for long
DECIMALS = 4  # of what is shown of a judge
SETTLED = 1e-6  # the fit ends when no judge moves by more than this
MOST_ROUNDS = 200
TINY = 1e-300  # keeps a sum from being 0
REACH = 1.96  # standard deviations from the middle to the end of a 95 % interval
LONGEST_STEP = 0.5  # of a bias or a reliability in one round


class JudgeFit(NamedTuple):
    """What each judge's votes are worth, one value per judge.

    `bias` is what being shown first is worth to the judge, in nats, and `reliability` is how much
    of a difference between players the judge sees: 1 all of it, 0 nothing, -1 the opposite.
    """

    names: tuple[str, ...]
    n_votes: Array
    bias: Array
    bias_deviation: Array
    reliability: Array
    reliability_deviation: Array

    def rows(self) -> list[JudgeRow]:
        """The judges with 95 % intervals, the one with the most votes first."""
        columns = []
        for values, deviations in (
            (self.bias, self.bias_deviation),
            (self.reliability, self.reliability_deviation),
        ):
            reach = REACH * deviations
            columns += [values, values - reach, values + reach]
        found = [
            JudgeRow(name, round(n_votes), *numbers)
            for name, n_votes, *numbers in zip(
                self.names,
                self.n_votes.tolist(),
                *(column.round(DECIMALS).tolist() for column in columns),
                strict=True,
            )
        ]
        return sorted(found, key=lambda row: (-row.n_votes, row.judge))


class JudgeRow(NamedTuple):
    """One judge: its bias and its reliability, with 95 % intervals; see `JudgeFit`."""

    judge: str
    n_votes: int
    bias: float
    bias_low: float
    bias_high: float
    reliability: float
    reliability_low: float
    reliability_high: float


class _Votes(NamedTuple):
    """The votes of all judges, a row for each judge and seating, and the other results."""

    judge: Ints
    first: Ints
    second: Ints
    games: Array
    points: Array
    splits: Array
    others: Array  # the crosstable of the results without a judge
    other_split: float


def fit_judges(posterior: Posterior, tally: JudgedTally) -> JudgeFit:
    """Fit the judges of a tally, and the posterior to what their votes are worth.

        logit P(first wins | judge a) = c_a A_ij + b_a,    b_a ~ N(0, 0.3^2),  c_a - 1 ~ 0.6 t_3

    It alternates. Given the advantages A ~ N(m, v), each judge takes a Newton step. Given the
    judges, a group of N votes with W points enters the posterior as N' matches with W' points, so
    that slope and curvature of the log-likelihood are the same at m:

        N' h_0 = c^2 N h_a,    W' - N' p_0 = c (W - N p_a) - Var(c) m N h_a

    with p = E[sigmoid(.)] and h its slope, of the plain vote (0) and of the judge's (a). Without
    the last term, judges who agree by chance would look reliable, and confirm each other. See
    docs/notes/judges.md.

    Args:
        posterior: fitted to the tally's crosstable, without regard to judges.
        tally: the results.

    >>> tally = JudgedTally(2)
    >>> for judge, score in [("ann", 1.0), ("ann", 1.0), ("bob", 0.0)] * 30:
    ...     tally.add_judged(judge, 0, 1, [score])
    >>> posterior = Posterior(2)
    >>> posterior.fit(tally.crosstable())
    >>> fit_judges(posterior, tally).reliability.round(1)
    array([ 1.1, -0.7])
    """
    votes, n_judges = _votes(tally), len(tally.judged)
    bias, reliability = np.zeros(n_judges), np.ones(n_judges)
    for _ in range(MOST_ROUNDS):
        means, variances = _advantages(posterior, votes)
        before = np.stack([bias, reliability])
        step = _newton_step(posterior, votes, means, variances, bias, reliability)
        bias, reliability = bias + step[0], _scaled(votes, reliability + step[1])
        doubt = _deviations(posterior, votes, means, variances, bias, reliability)[1] ** 2
        own = (column[votes.judge] for column in (bias, reliability, doubt))
        table, split = _worth(votes, means, variances, *own)
        posterior.state = with_results(posterior.state, table)
        posterior.state.scales[SPLIT] = split
        posterior.settle()
        if np.abs(np.stack([bias, reliability]) - before).max(initial=0.0) <= SETTLED:
            break
    means, variances = _advantages(posterior, votes)
    deviations = _deviations(posterior, votes, means, variances, bias, reliability)
    n_votes = np.bincount(votes.judge, votes.games, n_judges).astype(np.float64)
    return JudgeFit(
        tuple(sorted(tally.judged)), n_votes, bias, deviations[0], reliability, deviations[1]
    )


def _votes(tally: JudgedTally) -> _Votes:
    """The votes in the order of judges and players, whatever the order of the tally."""
    parts, others = [tally.judged[name] for name in sorted(tally.judged)], tally.crosstable()
    first, second, games, points, splits = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("first", "second", "games", "points", "splits")
    )
    np.subtract.at(others, (first, second), points)
    np.subtract.at(others, (second, first), games - points)
    others[others < ROUNDING] = 0.0
    split = max(float(tally.splits.sum()) - float(splits.sum()), 0.0)
    judge = np.repeat(np.arange(len(parts)), [len(part.games) for part in parts])
    order = np.lexsort((second, first, judge))
    sums = (games[order], points[order], splits[order])
    return _Votes(judge[order], first[order], second[order], *sums, others, split)


def _advantages(posterior: Posterior, votes: _Votes) -> tuple[Array, Array]:
    """Mean and variance of the advantage of the first player, by row."""
    means, variances = np.zeros(len(votes.games)), np.zeros(len(votes.games))
    for player in np.unique(votes.first):
        rows = votes.first == player
        over = advantages(posterior.state, player)
        means[rows], variances[rows] = (values[votes.second[rows]] for values in over)
    return means, variances


def _expected(
    means: Array, variances: Array, bias: Array, reliability: Array
) -> tuple[Array, Array]:
    """E[sigmoid(c A + b)] for A ~ N(m, v), and its slope in the mean of c A."""
    shrink = 1.0 / np.sqrt(1.0 + PROBIT * reliability**2 * variances)
    chances = 1.0 / (1.0 + np.exp(-shrink * (reliability * means + bias)))
    return chances, shrink * chances * (1.0 - chances)


def _newton_step(
    posterior: Posterior,
    votes: _Votes,
    means: Array,
    variances: Array,
    bias: Array,
    reliability: Array,
) -> Array:
    """The step of every judge's bias, and of its reliability, shape (2, judges)."""
    n_judges, b, c = len(bias), bias[votes.judge], reliability[votes.judge]
    chances, slopes = _expected(means, variances, b, c)
    surprise = (votes.points - votes.games * chances) / posterior.phi
    weights = votes.games * slopes / posterior.phi

    def total(values: Array) -> Array:
        return np.bincount(votes.judge, values, n_judges).astype(np.float64)

    slope_b = total(surprise) - bias / BIAS_SCALE**2
    slope_c = total(means * surprise - weights * c * variances)
    slope_c -= _pull(reliability) * (reliability - 1.0)
    curvature_b = total(weights) + BIAS_SCALE**-2
    curvature_c = total(weights * (means**2 + variances)) + _pull(reliability)
    step = np.stack([slope_b / curvature_b, slope_c / curvature_c])
    return np.clip(step, -LONGEST_STEP, LONGEST_STEP)


def _pull(reliability: Array) -> Array:
    """The precision with which the prior pulls a reliability towards 1.

    The slope of the log of Student's density is -(c - 1) (nu + 1) / (nu s^2 + (c - 1)^2).
    """
    return (FREEDOM + 1.0) / (FREEDOM * RELIABILITY_SCALE**2 + (reliability - 1.0) ** 2)


def _scaled(votes: _Votes, reliability: Array) -> Array:
    """Reliabilities on the scale on which those that see most have 1 on average.

    Twice the ratings and half of every reliability predict the same votes, so the scale is free:
    it is set by sum(n c^2) = sum(n |c|) over all results, with c = 1 for those without a judge.
    A judge of coin flips has no part in it.
    """
    n_votes = np.bincount(votes.judge, votes.games, len(reliability))
    n_others = float(votes.others.sum())
    seen = float(n_votes @ np.abs(reliability)) + n_others
    return np.asarray(reliability * seen / (float(n_votes @ reliability**2) + n_others))


def _deviations(
    posterior: Posterior,
    votes: _Votes,
    means: Array,
    variances: Array,
    bias: Array,
    reliability: Array,
) -> Array:
    """Standard deviations of every judge's bias and reliability, shape (2, judges).

    A group of votes says no more about its judge than is known of the advantage: its curvature w
    counts as w / (1 + c^2 w v). A judge's share of all that is seen sets the scale of
    reliabilities (see `_scaled`), and is not in doubt: a single judge has reliability 1.
    """
    n_judges, b, c = len(bias), bias[votes.judge], reliability[votes.judge]
    weights = votes.games * _expected(means, variances, b, c)[1] / posterior.phi
    weights /= 1.0 + c**2 * weights * variances
    bb, bc, cc = (
        np.bincount(votes.judge, weights * means**power, n_judges).astype(np.float64)
        for power in range(3)
    )
    bb += BIAS_SCALE**-2
    cc += _pull(reliability)
    found = np.sqrt(np.stack([cc, bb]) / (bb * cc - bc**2))
    seen = np.bincount(votes.judge, votes.games, n_judges) * reliability**2
    found[1] *= np.sqrt(1.0 - seen / (seen.sum() + votes.others.sum() + TINY))
    return np.asarray(found)


def _worth(
    votes: _Votes, means: Array, variances: Array, bias: Array, reliability: Array, doubt: Array
) -> tuple[Array, float]:
    """The crosstable that the votes are worth, and the sum of score (1 - score) in it."""
    plain, plain_slopes = _expected(means, variances, np.zeros_like(bias), np.ones_like(bias))
    chances, slopes = _expected(means, variances, bias, reliability)
    share = reliability**2 * slopes / plain_slopes
    games = share * votes.games
    slope = reliability * (votes.points - votes.games * chances)
    points = games * plain + slope - doubt * means * votes.games * slopes
    table = votes.others.copy()
    np.add.at(table, (votes.first, votes.second), points)
    np.add.at(table, (votes.second, votes.first), games - points)
    return table, votes.other_split + float((share * votes.splits).sum())
