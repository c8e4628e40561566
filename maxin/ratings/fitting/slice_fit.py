"""Ratings per slice of the results, shrunk towards the overall ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from maxin.core.arrays import Ints
from maxin.core.linalg import factorised, inverted, one_blas_thread
from maxin.kernels.posterior import PAIRS, SPREAD2
from maxin.ratings.base import Array
from maxin.ratings.judging.judge_fit import JudgeFit
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.judging.votes import expected
from maxin.ratings.posterior.posterior import Posterior
from maxin.ratings.tally import ROUNDING, Tally

# The values of tau, in nats, over which the fit averages, and the scale of its half-normal prior.
SPREADS = np.array([0.0, 0.08, 0.16, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0])
SPREAD_SCALE = 1.0
NEGLIGIBLE = 1e-4  # probability of a value of tau that is left out
HOPELESS = 20.0  # log-evidence below the best
SETTLED = 3e-4  # a fit ends when no rating moves by more, in nats
VARIANCES_SETTLED = 3e-3  # and no variance of an advantage by more
MOST_STEPS = 60
LONGEST_STEP = 2.0  # of a rating in one step, in nats
LEAST_PACE = 0.1
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


class SliceFit(NamedTuple):
    """Ratings per slice, in nats.

    Args:
        ratings: shape (slices, players).
        covariances: of the ratings within each slice, shape (slices, players, players).
        spread: the posterior mean of tau, the spread of the players' deviations in a slice.
        interval: the 95 % interval of tau.
    """

    ratings: Array
    covariances: Array
    spread: float
    interval: tuple[float, float]


class _Rows(NamedTuple):
    """The results of one slice, a row for each two players and judge."""

    first: Ints
    second: Ints
    games: Array
    points: Array
    bias: Array  # b of the judge; 0 without one
    reliability: Array  # c, or 1
    doubt: Array  # Var(c), or 0


class _Given(NamedTuple):
    """What the overall fit knows: the prior of the ratings, and the effects of pairs.

    `precision` is Q, that of the ratings' prior; `effects` has the means of e_ij.
    """

    precision: Array
    effects: Array
    phi: float


class _SpreadFit(NamedTuple):
    """The fit for one value of tau: the ratings, and what is needed for their covariances."""

    spread: float
    ratings: Array  # shape (slices, players)
    weights: list[Array]  # of the rows of each slice
    bound: float  # a lower bound of the log-evidence


def fit_slices(
    posterior: Posterior, tallies: Sequence[Tally], judges: JudgeFit | None = None
) -> SliceFit:
    """Fit the ratings of each slice, given the overall fit of all results.

        logit P(i beats j | slice c) = r_ic - r_jc + e_ij,    r_ic = r_i + d_ic,
        r ~ N(0, s^2 R),    d_ic ~ N(0, tau^2),    tau ~ half-normal of scale 1

    The overall fit gives s, R, the effects e of pairs, the dispersion of scores and what each
    judge's votes are worth. For each of some values of tau, ratings are a variational normal fit
    of all slices together, as in `Posterior`; its bound of the evidence says how likely that tau
    is, and the fits are averaged by that. See docs/explanation/notes/slices.md.

    Args:
        posterior: fitted to all results, of all slices.
        tallies: the results of each slice.
        judges: those of the overall fit; required if a tally has judges.

    >>> one, other = Tally(2), Tally(2)
    >>> one.add_many([0] * 40, [1] * 40, [1.0] * 30 + [0.0] * 10)
    >>> other.add_many([0] * 40, [1] * 40, [1.0] * 10 + [0.0] * 30)
    >>> posterior = Posterior(2)
    >>> posterior.fit(one.crosstable() + other.crosstable())
    >>> fit_slices(posterior, [one, other]).ratings.round(1)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    given, rows = _given(posterior), [_rows(tally, judges) for tally in tallies]
    start = np.tile(np.asarray(posterior.state.ratings), (len(rows), 1))
    with one_blas_thread():
        points = [_fit(given, rows, 0.0, start)]
        for spread in SPREADS[1:].tolist():
            points.append(_fit(given, rows, spread, points[-1].ratings))
            if points[-1].bound < max(point.bound for point in points) - HOPELESS:
                break  # larger ones are less likely still
        chances = _chances(points)
        ratings, covariances = _averaged(given, rows, points, chances)
        known = _Blocks(given, rows, 0.0, points[0].weights).overall
        effects, doubt = _effects_of_pairs(posterior, given, known)
    spread = float(chances @ SPREADS)
    return SliceFit(ratings + effects, covariances + doubt, spread, _interval(chances))


def _averaged(
    given: _Given, rows: Sequence[_Rows], points: Sequence[_SpreadFit], chances: Array
) -> tuple[Array, Array]:
    """The ratings of each slice over all values of tau, and their covariances."""
    found = list(zip(points, chances.tolist(), strict=False))
    ratings = np.asarray(sum(chance * point.ratings for point, chance in found))
    covariances = np.zeros((*ratings.shape, ratings.shape[1]))
    for point, chance in found:
        if chance > 0.0:
            blocks = _Blocks(given, rows, point.spread, point.weights)
            for place, away in enumerate(point.ratings - ratings):
                covariances[place] += chance * (blocks.covariance(place) + np.outer(away, away))
    return ratings, covariances


def _given(posterior: Posterior) -> _Given:
    state, n_players = posterior.state, posterior.n_players
    n_pairs = int(state.counts[PAIRS])
    low, high = state.pairs[:n_pairs].T
    effects = np.zeros((n_players,) * 2)
    effects[low, high], effects[high, low] = state.effects[:n_pairs], -state.effects[:n_pairs]
    has_features = state.prior_precision.size > 0
    precision = state.prior_precision if has_features else np.diag(state.prior_weights)
    return _Given(precision / state.scales[SPREAD2], effects, posterior.phi)


def _effects_of_pairs(posterior: Posterior, given: _Given, known: Array) -> tuple[Array, Array]:
    """The mean effect of each player over the field, and what is uncertain because of effects.

    A strength is a rating plus this mean. The second part is the covariance of the overall
    strengths without that of the overall ratings if all effects were known, which is `known`.
    """
    shares = np.asarray(posterior.state.members) / posterior.state.members.sum()
    level = np.eye(len(shares)) - shares
    return given.effects @ shares, posterior.covariance() - level @ known @ level.T


def _rows(tally: Tally, judges: JudgeFit | None) -> _Rows:
    """The votes of each judge, and the other results, of which both seats are one row."""
    others, parts = tally.crosstable(), []
    if isinstance(tally, JudgedTally) and tally.judged and judges is not None:
        worth = zip(judges.bias, judges.reliability, judges.reliability_deviation**2, strict=True)
        known = dict(zip(judges.names, worth, strict=True))
        for name in sorted(tally.judged):
            own = tally.judged[name]
            np.subtract.at(others, (own.first, own.second), own.points)
            np.subtract.at(others, (own.second, own.first), own.games - own.points)
            how = known.get(name, (0.0, 1.0, 0.0))  # unknown: all its votes have faded
            parts.append((own.first, own.second, own.games, own.points, *how))
        others[others < ROUNDING] = 0.0
    one, other = np.nonzero(np.triu(others + others.T, 1))
    games = others[one, other] + others[other, one]
    parts.append((one, other, games, others[one, other], 0.0, 1.0, 0.0))
    columns = [
        np.concatenate([np.broadcast_to(part[place], len(part[0])) for part in parts])
        for place in range(len(_Rows._fields))
    ]
    return _Rows(*columns)


class _Blocks:
    """The posterior covariance of all slices, given the weights of their rows.

    With L_c the Laplacian of slice c, M_c = (I + tau^2 L_c)^-1. Given the overall ratings r, those
    of slice c have the covariance tau^2 M_c and follow r by M_c, so that

        S = Cov(r) = (Q + sum of L_c M_c)^-1,    Cov(r_c) = tau^2 M_c + M_c S M_c
    """

    def __init__(
        self, given: _Given, rows: Sequence[_Rows], spread: float, weights: Sequence[Array]
    ) -> None:
        self._spread2, identity = spread**2, np.eye(len(given.precision))
        self.weights = list(weights)
        self.laplacians = [
            _laplacian(row, weight, len(identity))
            for row, weight in zip(rows, weights, strict=True)
        ]
        factors = [factorised(identity + self._spread2 * part) for part in self.laplacians]
        self.shrinks = [inverted(factor) for factor in factors]
        total = given.precision.copy()
        for laplacian, shrink in zip(self.laplacians, self.shrinks, strict=True):
            total += (identity - shrink) / self._spread2 if spread else laplacian  # L_c M_c
        overall = factorised(0.5 * (total + total.T))
        self.overall = inverted(overall)
        self._log_det = 2.0 * sum(
            float(np.log(np.diagonal(factor)).sum()) for factor in (overall, *factors)
        )

    def covariance(self, place: int) -> Array:
        """Cov(r_c) of a slice."""
        shrink = self.shrinks[place]
        return np.asarray(self._spread2 * shrink + shrink @ self.overall @ shrink)

    def solution(self, pulls: Sequence[Array]) -> tuple[Array, Array]:
        """The overall ratings and those of each slice, for log-likelihoods k_c z - z L_c z / 2."""
        parts = list(zip(self.shrinks, pulls, strict=True))
        overall = self.overall @ sum(shrink @ pull for shrink, pull in parts)
        found = [shrink @ (overall + self._spread2 * pull) for shrink, pull in parts]
        return overall, np.array(found)

    def distance(
        self,
        given: _Given,
        overall: Array,
        pulls: Sequence[Array],
        covariances: Sequence[Array],
    ) -> float:
        """The divergence of Kullback and Leibler from the prior, up to a constant.

        With the mean r of the overall ratings, and d_c = tau^2 M_c (k_c - L_c r), it is half of

            log det S^-1 + r Q r + sum of (log det M_c^-1 - tr(L_c Cov(r_c)) + d_c^2 / tau^2)
        """
        total = self._log_det + float(overall @ given.precision @ overall)
        parts = zip(self.laplacians, self.shrinks, pulls, covariances, strict=True)
        for laplacian, shrink, pull, covariance in parts:
            away = shrink @ (pull - laplacian @ overall)  # d_c / tau^2
            total += self._spread2 * float(away @ away) - float((laplacian * covariance).sum())
        return 0.5 * total


def _laplacian(rows: _Rows, weights: Array, n_players: int) -> Array:
    found = np.zeros((n_players, n_players))
    np.subtract.at(found, (rows.first, rows.second), weights)
    found += found.T
    np.fill_diagonal(found, -found.sum(axis=1))
    return found


def _fit(given: _Given, rows: Sequence[_Rows], spread: float, start: Array) -> _SpreadFit:
    """Move to the fixed point for one tau: slopes and weights are averaged over the fit itself."""
    ratings, variances = start, [np.zeros(len(row.games)) for row in rows]
    pace, before = 1.0, np.inf
    for _ in range(MOST_STEPS):
        parts = [_balance(given, *slice) for slice in zip(rows, ratings, variances, strict=True)]
        blocks = _Blocks(given, rows, spread, [weights for weights, _ in parts])
        pulls = [
            laplacian @ own + slope
            for laplacian, own, (_, slope) in zip(blocks.laplacians, ratings, parts, strict=True)
        ]
        overall, found = blocks.solution(pulls)
        step = np.clip(found - ratings, -LONGEST_STEP, LONGEST_STEP)
        size = float(np.abs(step).max(initial=0.0))
        pace = max(0.7 * pace, LEAST_PACE) if size > before else min(1.05 * pace, 1.0)
        covariances = [blocks.covariance(place) for place in range(len(rows))]
        moves = [
            _variances(row, covariance) - old
            for row, covariance, old in zip(rows, covariances, variances, strict=True)
        ]
        ratings = ratings + pace * step
        variances = [old + pace * move for old, move in zip(variances, moves, strict=True)]
        before, last = size, max(float(np.abs(move).max(initial=0.0)) for move in moves)
        if size <= SETTLED and last <= VARIANCES_SETTLED:
            break
    parts_of_slices = zip(rows, ratings, variances, strict=True)
    bound = sum(_expected_likelihood(given, *slice) for slice in parts_of_slices)
    bound -= blocks.distance(given, overall, pulls, covariances)
    return _SpreadFit(spread, ratings, blocks.weights, bound)


def _variances(rows: _Rows, covariance: Array) -> Array:
    """Var(r_i - r_j) of each row."""
    own = np.diagonal(covariance)
    found = own[rows.first] + own[rows.second] - 2.0 * covariance[rows.first, rows.second]
    return np.asarray(np.maximum(found, 0.0))


def _balance(given: _Given, rows: _Rows, ratings: Array, variances: Array) -> tuple[Array, Array]:
    """The weight of each row, and the slope of the log-likelihood in the ratings of a slice."""
    means = _advantages(given, rows, ratings)
    chances, slopes = expected(means, variances, rows.bias, rows.reliability)
    known = rows.games * slopes / given.phi
    weights = rows.reliability**2 * known
    surprise = rows.reliability * (rows.points - rows.games * chances) / given.phi
    surprise -= rows.doubt * means * known
    won, lost = (np.bincount(seat, surprise, len(ratings)) for seat in (rows.first, rows.second))
    return weights, np.asarray(won - lost, dtype=np.float64)


def _advantages(given: _Given, rows: _Rows, ratings: Array) -> Array:
    """The mean advantage of the first player of each row."""
    effects = given.effects[rows.first, rows.second]
    return np.asarray(ratings[rows.first] - ratings[rows.second] + effects)


def _expected_likelihood(given: _Given, rows: _Rows, ratings: Array, variances: Array) -> float:
    """E[log-likelihood] of a slice's results over the fit."""
    means, total = _advantages(given, rows, ratings), 0.0
    for node, weight in zip(NODES.tolist(), NODE_WEIGHTS.tolist(), strict=True):
        odds = rows.reliability * (means + node * np.sqrt(variances)) + rows.bias
        lost = np.logaddexp(0.0, odds)  # -log P(the first player loses)
        total += weight * float((rows.points * odds - rows.games * lost).sum())
    return total / given.phi


def _chances(points: Sequence[_SpreadFit]) -> Array:
    """How likely each value of tau is; those with next to no probability are left out."""
    bounds = np.full(len(SPREADS), -np.inf)
    bounds[: len(points)] = [point.bound for point in points]
    density = np.exp(bounds - bounds.max() - 0.5 * (SPREADS / SPREAD_SCALE) ** 2)
    found = density * np.gradient(SPREADS)
    found[found < NEGLIGIBLE * found.sum()] = 0.0
    return np.asarray(found / found.sum())


def _interval(chances: Array) -> tuple[float, float]:
    """The 95 % interval of tau: 0 is one value, the others stand for what is nearer to them."""
    ends = np.append((SPREADS[1:] + SPREADS[:-1]) / 2.0, SPREADS[-1])
    ends[0] = 0.0
    low, high = np.interp([0.025, 0.975], np.cumsum(chances), ends)
    return float(low), float(high)
