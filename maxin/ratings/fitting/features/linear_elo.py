"""Elo ratings that are linear in features: one weight per feature instead of one per player."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from maxin.core import Result, check_result
from maxin.ratings.base import Array, columns
from maxin.ratings.bradley_terry import check_prior
from maxin.ratings.fitting.features.similarities import standardised
from maxin.ratings.fitting.features.table import Features

TOLERANCE = 1e-12  # a fit stops when no weight moves by more
MOST_STEPS = 100  # of a fit; Newton's method mostly takes six
DIGITS = 12  # of the scale of a design


def feature_design(features: Features) -> Array:
    """The design X, a row per player: numbers, and a column of 0 and 1 per category.

    Numbers are standardised, but for columns of 0 and 1 alone. X is divided by its largest
    singular value about its mean, so that a step along the gradient moves the ratings no further
    than without features; the identity stays as it is. With more columns than players it is
    rotated, which changes no rating.

    >>> feature_design(Features(np.eye(3)))[0]
    array([1., 0., 0.])
    >>> feature_design(Features({"step": [100, 200, 300, 400]})).ravel().round(3)
    array([-0.671, -0.224,  0.224,  0.671])
    """
    numbers = features.numbers("number", "smooth", "linear")
    is_mark = ((numbers == 0.0) | (numbers == 1.0)).all(axis=0)
    found = [np.where(is_mark, numbers, standardised(numbers, numbers))]
    found += [(codes[:, None] == np.unique(codes)).astype(float) for codes in features.codes().T]
    design = np.concatenate(found, axis=1)
    if design.shape[1] > len(design):
        left, values, _ = scipy.linalg.svd(design, full_matrices=False)
        design = left * values
    scale = round(float(np.linalg.norm(design - design.mean(axis=0), 2)), DIGITS)
    return design / scale if scale > 0.0 else np.zeros_like(design)


class LinearElo:
    """Player i beats j with probability sigmoid(w'x_i - w'x_j): a `RatingModel` of weights w.

    The parameters are a column of weights, and the ratings are X w. With X = I it is `Elo`.

    Args:
        design: X, a row per player.
        prior_scale: standard deviation of the ratings, in nats, in the Gaussian prior of `fit`.

    >>> from maxin.core import Match
    >>> model = LinearElo(np.array([[-1.0], [0.0], [1.0]]))
    >>> weights = model.fit(model.start(np.random.default_rng(0)), [Result(Match(2, 1), 1.0)] * 9)
    >>> model.ratings(weights)
    array([-1.844,  0.   ,  1.844])
    """

    def __init__(self, design: Array, *, prior_scale: float = 1.0) -> None:
        self.design = design
        size = float((design**2).sum())
        # The prior of a weight gives a rating this scale, in the mean over players.
        self._precision = size / len(design) / check_prior(prior_scale) ** 2 if size else 1.0

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        return len(self.design)

    def start(self, rng: np.random.Generator) -> Array:
        """Weights of 0, shape (features, 1)."""
        return np.zeros((self.design.shape[1], 1))

    def ratings(self, parameters: Array) -> Array:
        """X w."""
        return np.asarray(self.design @ parameters[:, 0])

    def fit(self, parameters: Array, results: Sequence[Result]) -> Array:
        """The maximum a posteriori weights, by Newton's method  (paper, Alg. 1, line 3)."""
        apart, scores = self._differences(results)
        weights, before = np.zeros(self.design.shape[1]), np.inf
        for _ in range(MOST_STEPS):
            chances = scipy.special.expit(apart @ weights)
            slope = apart.T @ (scores - chances) - self._precision * weights
            curvature = (apart.T * (chances * (1.0 - chances))) @ apart
            curvature[np.diag_indices_from(curvature)] += self._precision
            step = scipy.linalg.solve(curvature, slope, assume_a="pos")
            size = float(np.abs(step).max(initial=0.0))
            # A step that is longer than the last one overshoots: half of it is taken.
            weights = weights + (step if size < before else 0.5 * step)
            before = size
            if size <= TOLERANCE:
                break
        return weights[:, None]

    def advantages(self, parameters: Array) -> Array:
        """Log-odds of every player against every other, shape (players, players)."""
        ratings = self.ratings(parameters)
        return np.subtract.outer(ratings, ratings)

    def gradient(self, parameters: Array, results: Sequence[Result]) -> Array:
        """The sum of (o - p) (x_i - x_j)."""
        apart, scores = self._differences(results)
        surprise = scores - scipy.special.expit(apart @ parameters[:, 0])
        return np.asarray(apart.T @ surprise)[:, None]

    def updated(self, parameters: Array, result: Result, step_size: float) -> Array:
        """One online step: w += eta (o - p) (x_i - x_j)."""
        checked = check_result(result, self.n_players)
        return np.asarray(parameters + step_size * self.gradient(parameters, [checked]))

    def _differences(self, results: Sequence[Result]) -> tuple[Array, Array]:
        """x_i - x_j and the score of each result."""
        first, second, scores = columns(results, self.n_players)
        return self.design[first] - self.design[second], scores
