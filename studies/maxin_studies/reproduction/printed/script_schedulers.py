"""MaxIn and MaxInP as in the authors' scripts, which differ from the paper's text.

Each difference is an option, so that its effect can be measured; the defaults are the scripts'.
These schedulers serve the protocol `as-printed` alone: see `maxin_studies.reproduction.tuning`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal, cast

import numpy as np
import scipy
from numpy.typing import NDArray

from maxin.core import Match, Result
from maxin.core.linalg import one_blas_thread
from maxin.core.specs import make
from maxin.kernels import widths as kernels
from maxin.kernels.elo import likelihood_loss
from maxin.ratings import RatingModel
from maxin.ratings.base import Array, columns, read_only
from maxin.schedulers import MaxIn, MaxInP, Scheduler
from maxin.schedulers.paper.maxin import project
from maxin.schedulers.registry import MODELS

MOST_ITERATIONS = 100  # the defaults of scikit-learn's logistic regression
LARGEST_SLOPE = 1e-4
BATCH_SHARE = 0.7  # tau / n
MAXINP_DIVISOR = 3.0

Surprise = Literal["cyclic", "full"]
FirstStep = Literal["skip", "take"]
Coordinates = Literal["latest", "mean"]


class PrintedMaxInP(MaxInP):
    """MaxInP with an unpenalised fit of all results, scaled to lie within +-1 / divisor.

    The maximum-likelihood fit need not exist, so it is where the optimiser stops. Dividing it by
    `divisor` times its largest absolute value keeps it finite, and keeps nearly all players
    candidates.

    Args:
        n_players: how many players take part.
        rng: draws the first batch.
        exploration: gamma, see `MaxIn`.
        divisor: of the fit, besides its largest absolute value; 0 leaves the fit as it is.

    >>> maxinp = PrintedMaxInP(3, rng=np.random.default_rng(0), exploration=1.0)
    >>> for match in [Match(0, 1), Match(2, 1), Match(0, 2)]:  # the second counts as a loss
    ...     maxinp.tell(Result(match, 1.0))
    >>> maxinp.ratings().round(6)
    array([ 0.333,  0.   , -0.333])
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        exploration: float,
        divisor: float = MAXINP_DIVISOR,
    ) -> None:
        tau = printed_batch_size(n_players)
        super().__init__(n_players, rng=rng, exploration=exploration, batch_size=tau, alone="self")
        self.divisor = divisor
        self._first: list[int] = []
        self._second: list[int] = []
        self._scores: list[float] = []
        self._ratings = read_only(np.zeros(n_players))

    def ratings(self) -> Array:
        """The scaled fit."""
        return self._ratings

    def _learn(self, result: Result) -> None:
        (first, second), score = result
        self.uncertainty.observe(result.match)
        if first != second:  # a match against oneself teaches nothing
            self._first.append(first)
            self._second.append(second)
            self._scores.append(score)
            if self.n_told >= self.batch_size:
                self._ratings = read_only(scaled(self._fit(), self.divisor))
        if self.n_told >= self.batch_size:
            self._consider(kernels.floors_of_ratings(self._ratings, self.exploration))

    def _fit(self) -> Array:
        players = np.array(self._first), np.array(self._second)
        return likelihood_fit(*players, mixed_labels(np.array(self._scores)), self.n_players)


class PrintedMaxIn(MaxIn):
    """MaxIn with a scaled unpenalised first fit and surprises that ignore the ratings.

    Args:
        model: see `MaxIn`.
        rng: see `MaxIn`.
        exploration: gamma.
        step_size: eta.
        divisor: of the first fit, besides its largest absolute value; 0 takes the fit of the
            text, with a prior.
        surprise: "cyclic" for o - sigmoid(c_x' Omega c_y), "full" for the text's o - p.
        first_step: "skip", or "take" to use the first batch for a step after its fit, as in the
            text.
        coordinates: which c the candidate test uses: the "latest" or, as in the text, the "mean".
        batch_size: tau; 0.7 n, rounded down, by default.

    >>> from maxin.ratings import Elo
    >>> maxin = PrintedMaxIn(Elo(4), rng=np.random.default_rng(0))
    >>> maxin.batch_size
    2
    """

    def __init__(
        self,
        model: RatingModel,
        *,
        rng: np.random.Generator,
        exploration: float = 1.0,
        step_size: float = 1.0,
        divisor: float = 1.0,
        surprise: Surprise = "cyclic",
        first_step: FirstStep = "skip",
        coordinates: Coordinates = "latest",
        batch_size: int | None = None,
    ) -> None:
        tau = batch_size or printed_batch_size(model.n_players)
        super().__init__(
            model, rng=rng, exploration=exploration, batch_size=tau, step_size=step_size,
            alone="self",
        )  # fmt: skip
        self.divisor, self.surprise = divisor, surprise
        self.first_step, self.coordinates = first_step, coordinates

    def _first_fit(self) -> Array:
        if self.divisor == 0.0:
            return super()._first_fit()
        first, second, scores = columns(self._batch, self.n_players)
        fit = likelihood_fit(first, second, mixed_labels(scores), self.n_players)
        return np.column_stack([scaled(fit, self.divisor), self.iterate[:, 1:]])

    def _step(self) -> Array:
        if self.n_batches == 1 and self.first_step == "skip":
            return self.iterate
        at = self.iterate.copy()
        if self.surprise == "cyclic":
            at[:, 0] = 0.0
        gradient = self.model.gradient(at, self._batch)
        stepped = self.iterate + self.step_size / self.n_batches * gradient
        stepped[:, 0] = project(stepped[:, 0], self.anchor, self.radius)
        return stepped

    def _find_candidates(self) -> None:
        tested = self.estimate if self.coordinates == "mean" else self.iterate
        tested = np.column_stack([self.estimate[:, 0], tested[:, 1:]])
        self._consider(kernels.floors_below(self.model.advantages(tested), self.exploration))

    def _choose(self) -> Match | None:
        """The widest pair of candidates; a random pair if there is no candidate."""
        if self.n_told >= self.batch_size:
            first, second = self.uncertainty.widest(self._floors, self.in_flight)
            if first >= 0:
                return Match(first, second)
        return self._random_match()


def printed_batch_size(n_players: int, share: float = BATCH_SHARE) -> int:
    """Tau as the scripts have it: a share of n, 0.7 by default, rounded down, and at least 2.

    >>> printed_batch_size(64), printed_batch_size(100)
    (44, 70)
    """
    return max(2, math.floor(share * n_players + 1e-9))


def mixed_labels(scores: Array) -> Array:
    """The scores with the second one reversed if it equals the first, so that both labels occur.

    >>> mixed_labels(np.array([1.0, 1.0, 1.0]))
    array([1., 0., 1.])
    """
    mixed = scores.copy()
    if len(mixed) > 1 and mixed[0] == mixed[1]:
        mixed[1] = 1.0 - mixed[1]
    return mixed


def scaled(ratings: NDArray[np.float64], divisor: float) -> Array:
    """The ratings divided by `divisor` times their largest absolute value; unchanged if it is 0.

    >>> scaled(np.array([2.0, -4.0]), divisor=3.0)
    array([ 0.167, -0.333])
    """
    largest = divisor * float(np.abs(ratings).max())
    return ratings / largest if largest > 0.0 else ratings


def likelihood_fit(
    first: NDArray[np.int64], second: NDArray[np.int64], scores: Array, n_players: int
) -> Array:
    """The ratings that L-BFGS reaches from 0 on the likelihood without a prior.

    At most 100 iterations, or until no slope is above 1e-4, as scikit-learn does by default. If
    the maximum does not exist, the ratings are those after the last iteration.

    >>> players = np.zeros(4, dtype=int), np.ones(4, dtype=int)
    >>> likelihood_fit(*players, np.array([1.0, 1.0, 1.0, 0.0]), 2)  # half of log 3 each
    array([ 0.549, -0.549])
    """

    def loss(ratings: Array) -> tuple[float, Array]:
        slope = np.zeros(n_players)
        return likelihood_loss(ratings, first, second, scores, slope), slope

    options = {"maxiter": MOST_ITERATIONS, "gtol": LARGEST_SLOPE}
    with one_blas_thread():
        found = scipy.optimize.minimize(
            loss, np.zeros(n_players), jac=True, method="L-BFGS-B", options=options
        )
    ratings: Array = found.x
    return ratings


def build_printed_maxin(
    *,
    n_players: int,
    rng: np.random.Generator,
    ratings: str = "elo",
    exploration: float = 1.0,
    step_size: float = 1.0,
    divisor: float = 1.0,
    surprise: str = "cyclic",
    first_step: str = "skip",
    coordinates: str = "latest",
    batch_size: int | None = None,
) -> PrintedMaxIn:
    """MaxIn as in the authors' scripts."""
    return PrintedMaxIn(
        make(ratings, MODELS, "rating model of maxin", n_players=n_players),
        rng=rng,
        exploration=exploration,
        step_size=step_size,
        divisor=divisor,
        surprise=cast(Surprise, surprise),
        first_step=cast(FirstStep, first_step),
        coordinates=cast(Coordinates, coordinates),
        batch_size=batch_size,
    )


def build_printed_maxinp(
    *,
    n_players: int,
    rng: np.random.Generator,
    exploration: float = 1.0,
    divisor: float = MAXINP_DIVISOR,
) -> PrintedMaxInP:
    """MaxInP as in the authors' scripts."""
    return PrintedMaxInP(n_players, rng=rng, exploration=exploration, divisor=divisor)


PRINTED: Mapping[str, Callable[..., Scheduler]] = {
    "printed-maxin": build_printed_maxin,
    "printed-maxinp": build_printed_maxinp,
}
