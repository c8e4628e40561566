"""Elo: one number per player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from maxin.core import InvalidInput, Result, check_n_players, check_positive, check_result
from maxin.kernels import elo as kernels
from maxin.ratings.base import Array, RatingModel, columns, read_only
from maxin.ratings.bradley_terry import check_prior, crosstable, fit_bradley_terry


def elo_loss(chance: float, predicted: float) -> float:
    """-p log p^ - (1 - p) log(1 - p^), the loss that ratings minimise  (paper, Eq. elo-objective).

    0 log 0 counts as 0, and a certain prediction that turns out wrong costs infinitely much. With
    p^ = sigmoid(r_x - r_y), the gradient in r_x is p^ - p, and `Elo.gradient` sums p - p^.

    Args:
        chance: p, the true probability, or the score of a match.
        predicted: p^.

    >>> elo_loss(1.0, 0.25), elo_loss(0.5, 0.5)
    (1.386, 0.693)
    """
    for value, name in ((chance, "chance"), (predicted, "predicted")):
        if not 0.0 <= value <= 1.0:
            raise InvalidInput(f"{name} must be a probability from 0 to 1; got {value!r}")
    wins = scipy.special.xlogy(chance, predicted)
    return float(-wins - scipy.special.xlog1py(1.0 - chance, -predicted))


@dataclass(frozen=True)
class Elo:
    """Player i beats j with probability sigmoid(r_i - r_j)  (paper, Eq. elo_hat).

    Args:
        n_players: how many players are rated.
        prior_scale: standard deviation, in nats, of the Gaussian prior that `fit` uses.

    >>> from maxin.core import Match
    >>> elo = Elo(n_players=2)
    >>> level = elo.start(np.random.default_rng(0))
    >>> elo.gradient(level, [Result(Match(0, 1), score=1.0)]).ravel()
    array([ 0.5, -0.5])
    """

    n_players: int
    prior_scale: float = 1.0

    def __post_init__(self) -> None:
        check_n_players(self.n_players)
        check_prior(self.prior_scale)

    def start(self, rng: np.random.Generator) -> Array:
        """Equal ratings, shape (players, 1)."""
        return np.zeros((self.n_players, 1))

    def fit(self, parameters: Array, results: Sequence[Result]) -> Array:
        """Replace the ratings by their maximum a posteriori fit  (paper, Alg. 1, line 3)."""
        played = [result for result in results if result.match.first != result.match.second]
        points = crosstable(*columns(played, self.n_players), n_players=self.n_players)
        fitted = parameters.copy()
        fitted[:, 0] = fit_bradley_terry(points, prior_scale=self.prior_scale).ratings
        return fitted

    def advantages(self, parameters: Array) -> Array:
        """Log-odds of every player against every other, shape (players, players)."""
        ratings = parameters[:, 0]
        return np.subtract.outer(ratings, ratings)

    def gradient(self, parameters: Array, results: Sequence[Result]) -> Array:
        """Sum of the surprises o - p  (paper, Eqs. elo-grad-descent and melo_gradient)."""
        log = columns(results, self.n_players)
        return kernels.log_likelihood_gradient(self._checked(parameters), *log)

    def updated(self, parameters: Array, result: Result, step_size: float) -> Array:
        """One online step: r_x += eta (o - p), r_y -= eta (o - p)."""
        (first, second), score = check_result(result, self.n_players)
        parameters = self._checked(parameters)
        stepped = parameters.copy()
        kernels.add_surprise(stepped, parameters, first, second, score, step_size)
        return stepped

    def _checked(self, parameters: Array) -> Array:
        """The parameters as a kernel takes them, a row for each player, or an error."""
        table = np.ascontiguousarray(parameters, dtype=np.float64)
        if table.ndim != 2 or len(table) != self.n_players:
            raise InvalidInput(
                f"parameters must have one row for each of {self.n_players} players; "
                f"got shape {table.shape}"
            )
        return table


class Online:
    """A learner that takes one gradient step of `model` per result, as online Elo ratings do.

    Args:
        model: `Elo` or `MElo`.
        step_size: eta; a surprise of 1 moves a rating by this many nats.
        rng: draws the starting parameters.

    >>> from maxin.core import Match
    >>> online = Online(Elo(2), step_size=0.4, rng=np.random.default_rng(0))
    >>> online.tell(Result(Match(0, 1), 1.0))
    >>> online.ratings()
    array([ 0.2, -0.2])
    """

    def __init__(self, model: RatingModel, *, step_size: float, rng: np.random.Generator) -> None:
        self.model, self.step_size = model, check_positive(step_size, "step_size")
        self.parameters = model.start(rng)

    @property
    def n_players(self) -> int:
        """How many players are rated."""
        return self.model.n_players

    def tell(self, result: Result) -> None:
        """Take one step along the gradient of this result."""
        self.parameters = self.model.updated(self.parameters, result, self.step_size)

    def ratings(self) -> Array:
        """The current ratings."""
        return read_only(self.parameters[:, 0])
