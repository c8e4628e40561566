"""The effects of covariates, such as the length of an answer, and what is uncertain about them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.kernels.posterior import KAPPA2, PAIRS
from maxin.ratings.base import Array
from maxin.ratings.judging.votes import Votes
from maxin.ratings.posterior.posterior import Posterior

EFFECT_SCALE = 1.0  # prior standard deviation of an effect, in nats: 174 Elo points


class ControlFit(NamedTuple):
    """The effect of each covariate, in nats per standard deviation of it.

    Args:
        effects: on the log-odds of the player who has more of it.
        covariance: of the effects.
        shift: what the strengths of all players move by, if they all have the same level.
        spread: U, shape (players, covariates): U U' is what the uncertainty of the effects adds to
            the covariance of the strengths.
    """

    effects: Array
    covariance: Array
    shift: Array
    spread: Array


class EffectCurvature:
    """The curvature of the log-posterior along the effects, where ratings and biases follow.

    With a the curvature of each row of votes in its log-odds, g_p = sum over the rows of pair p of
    c a x, and S, kappa and s_p = 1 / (1 + kappa^2 w_p) as in docs/explanation/notes/posterior.md,
    the pairs' advantages have the covariance C = diag(s) D S D' diag(s) + kappa^2 diag(s), and

        H = sum of a x x' + 1 - G' C G,    d advantages / d beta = -C G

    What moves with the biases is taken off H as well, judge by judge.

    Args:
        posterior: settled.
        votes: with their covariates.
        weights: a, by row.
        reliability: c, by judge.
        bias_precision: of the prior of a bias.
    """

    def __init__(
        self,
        posterior: Posterior,
        votes: Votes,
        weights: Array,
        reliability: Array,
        bias_precision: float,
    ) -> None:
        state, self._levels = posterior.state, votes.levels
        self._field = state.members / state.members.sum()
        n_pairs, n_players = int(state.counts[PAIRS]), votes.n_players
        self._one, self._two = state.pairs[:n_pairs].T
        pull = reliability[votes.judge] * weights
        tables = [votes.table(pull * column) for column in votes.values.T]
        self._pull = np.stack([(x - x.T)[self._one, self._two] for x in tables], axis=1)  # G
        kappa2 = state.scales[KAPPA2]
        self._share = 1.0 / (1.0 + kappa2 * state.weights[:n_pairs])
        shared = self._share[:, None] * self._pull
        self._own = kappa2 * shared  # kappa^2 diag(s) G
        sums = np.zeros((n_players, len(tables)))  # D' diag(s) G
        np.add.at(sums, self._one, shared)
        np.subtract.at(sums, self._two, shared)
        self._moved = state.base_cov @ sums  # -d ratings / d beta
        curvature = (votes.values * weights[:, None]).T @ votes.values
        curvature += np.eye(len(tables)) / EFFECT_SCALE**2
        curvature -= self._pull.T @ self._own + sums.T @ self._moved
        with_bias = np.stack([votes.total(weights * x) for x in votes.values.T], axis=1)[:-1]
        stiffness = votes.total(weights)[:-1] + bias_precision
        self.matrix = curvature - with_bias.T @ (with_bias / stiffness[:, None])

    def step(self, slope: Array, effects: Array) -> Array:
        """The Newton step of the effects, from the slope of the log-likelihood."""
        return np.asarray(np.linalg.solve(self.matrix, slope - effects / EFFECT_SCALE**2))

    def fit(self, effects: Array) -> ControlFit:
        """The effects with their covariance."""
        covariance = np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)
        field = self._field @ self._levels
        spread = (self._strengths() - self._levels + field) @ np.linalg.cholesky(covariance)
        return ControlFit(effects, covariance, (field - self._levels) @ effects, spread)

    def _strengths(self) -> Array:
        """The slopes of the strengths along the effects: the means over the field of -C G."""
        field, moved = self._field, self._moved
        gaps = moved[self._one] - moved[self._two]
        own = self._share[:, None] * gaps + self._own - gaps  # beyond the ratings' difference
        found = moved - field @ moved
        np.add.at(found, self._one, field[self._two, None] * own)
        np.subtract.at(found, self._two, field[self._one, None] * own)
        return np.asarray(-found)
