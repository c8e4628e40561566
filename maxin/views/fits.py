"""Fits: ratings with their covariance, by the posterior or by another method."""

from __future__ import annotations

import copy
import math
import reprlib
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, Match, check_name
from maxin.kernels.core import normal_cdf
from maxin.kernels.posterior import advantages
from maxin.ratings import Posterior, fit_bradley_terry
from maxin.ratings.base import Array
from maxin.ratings.judging.control_fit import ControlFit
from maxin.ratings.judging.judge_fit import JudgeFit, fit_votes
from maxin.ratings.judging.votes import Votes
from maxin.views.scale import variances_from

ROUNDING = 1e-8  # of the largest entry of a covariance
POSTERIOR = "posterior"  # rates every view by default, and decides when to stop

# Rates players by a crosstable: entry [i, j] has the points that i scored against j. It returns
# their ratings in nats, and the covariance of those.
RatingFunction: TypeAlias = Callable[[Array], Iterable[Array]]

METHODS: dict[str, RatingFunction] = {"bradley-terry": fit_bradley_terry}


class CrosstableModel(Protocol):
    """Rates players by a crosstable, as `BradleyTerry` and `Posterior` do."""

    def fit(self, points: Array, /) -> None:
        """Replace all results by those of a crosstable."""
        ...

    def ratings(self) -> Array:
        """The ratings, in nats."""
        ...

    def covariance(self) -> Array:
        """The covariance of the ratings."""
        ...


RatingMethod: TypeAlias = RatingFunction | CrosstableModel


def rating_method(ratings: str | RatingMethod) -> tuple[str, RatingFunction | None]:
    """The name of a rating method, and the function that rates; None for the posterior.

    >>> rating_method("bradley-terry")[0], rating_method("posterior")
    ('bradley-terry', ('posterior', None))
    """
    if isinstance(ratings, str):
        name = check_name(ratings, [POSTERIOR, *METHODS], "rating method")
        return name, METHODS.get(name)
    is_model = all(hasattr(ratings, method) for method in ("fit", "ratings", "covariance"))
    if is_model and not isinstance(ratings, type):
        return type(ratings).__name__, _fitted(ratings)  # type: ignore[arg-type]  # a model
    if callable(ratings) and not is_model:
        return getattr(ratings, "__name__", type(ratings).__name__), ratings
    raise InvalidInput(
        f"ratings must be {POSTERIOR!r}, {', '.join(map(repr, METHODS))}, a function of the "
        "crosstable, or an object with fit(crosstable), ratings() and covariance(), such as "
        f"BradleyTerry(n_players); got {ratings!r}"
    )


def _fitted(model: CrosstableModel) -> RatingFunction:
    """The function that rates by a model, which stays as it is."""

    def rate(points: Array) -> tuple[Array, Array]:
        fitted = copy.deepcopy(model)
        fitted.fit(points)
        return fitted.ratings(), fitted.covariance()

    return rate


class WholeFit:
    """The fit of a field that is small enough for a covariance of all its players.

    It has what `FieldFit` has for larger ones; here everyone is a contender.

    Args:
        posterior: fitted to all results; it changes to account for judges and controls.
        votes: the results with their judges and controls, if they have any.
    """

    judges: JudgeFit | None = None
    controls: ControlFit | None = None

    def __init__(self, posterior: Posterior, votes: Votes | None = None) -> None:
        if votes is not None and len(votes.games):
            self.judges, self.controls = fit_votes(posterior, votes)
        self.posterior = posterior
        self.contenders = np.arange(posterior.n_players)

    @cached_property
    def covariance(self) -> Array:
        """The covariance of all strengths."""
        own = self.posterior.covariance()
        if self.controls is None:
            return own
        return np.asarray(own + self.controls.spread @ self.controls.spread.T)

    def ratings(self) -> Array:
        """The posterior means of the strengths, in nats; with controls, at equal levels of them."""
        own = self.posterior.ratings()
        return own if self.controls is None else np.asarray(own + self.controls.shift)

    def covariance_of(self, players: NDArray[np.int64]) -> Array:
        """The covariance of the strengths of some players."""
        return self.covariance[np.ix_(players, players)]

    def variances_from(self, base: NDArray[np.int64]) -> Array:
        """Var(t_i - mean of t over `base`)."""
        return variances_from(self.covariance, base)

    def difference_variances(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Array:
        """Var(t_i - t_j) for each two players."""
        spread = self.covariance
        found = spread[one, one] + spread[other, other] - 2.0 * spread[one, other]
        return np.asarray(np.maximum(found, 0.0))

    def chances(self, players: NDArray[np.int64]) -> Array:
        """P(the row's player beats the column's) for each two of some players."""
        if self.controls is None:
            return self.posterior.chances()[np.ix_(players, players)]
        means, variances = (
            np.array(part)[:, players]
            for part in zip(*map(self._advantages, players.tolist()), strict=True)
        )
        return _chances(means, variances)

    def lead_chance(self, match: Match) -> float:
        """P(the first player would win more than half of many matches against the second)."""
        if self.controls is None:
            return self.posterior.lead_chance(match)
        means, variances = self._advantages(match.first)
        second = [match.second]
        return float(normal_cdf(means[second] / np.sqrt(variances[second]))[0])

    def _advantages(self, player: int) -> tuple[Array, Array]:
        """Means and variances of the advantages of a player, at equal levels of the controls."""
        means, variances = advantages(self.posterior.state, player)
        if self.controls is None:
            return means, variances
        shift, spread = self.controls.shift, self.controls.spread
        added = np.square(spread[player] - spread).sum(axis=1)
        return means + shift[player] - shift, variances + added


def _chances(means: Array, variances: Array) -> Array:
    """E sigmoid(A) for A ~ N(m, v): sigmoid(m / sqrt(1 + pi v / 8)), nearly."""
    return np.asarray(1.0 / (1.0 + np.exp(-means / np.sqrt(1.0 + math.pi / 8.0 * variances))))


class NormalFit(WholeFit):
    """Ratings r ~ N(means, covariance), without effects of pairs."""

    def __init__(self, means: Array, covariance: Array) -> None:
        self.contenders = np.arange(len(means))
        self._means, self.covariance = means, covariance

    def ratings(self) -> Array:
        """The means, in nats."""
        return self._means

    def chances(self, players: NDArray[np.int64]) -> Array:
        """E sigmoid(r_i - r_j) for each two players."""
        one, other = np.meshgrid(players, players, indexing="ij")
        means = self._means[one] - self._means[other]
        return _chances(means, self.difference_variances(one, other))

    def lead_chance(self, match: Match) -> float:
        """P(r_i > r_j)."""
        variance = self.difference_variances(*np.array([[match.first], [match.second]]))
        gap = self._means[match.first] - self._means[match.second]
        return float(normal_cdf(gap / np.sqrt(np.maximum(variance, 1e-300)))[0])


class MethodFit(NormalFit):
    """The fit of a rating method.

    Args:
        name: of the method, for errors.
        method: rates the players.
        points: the crosstable.
    """

    def __init__(self, name: str, method: RatingFunction, points: Array) -> None:
        found, n_players = method(points), len(points)
        rule = (
            f"the rating method {name} must give {n_players} ratings and their covariance, all "
            "finite"
        )
        try:
            parts = [np.asarray(part) for part in found]
            if any(map(np.iscomplexobj, parts)):
                raise InvalidInput(f"{rule} and real; got complex numbers")
            means, covariance = (part.astype(np.float64) for part in parts)
        except InvalidInput:
            raise
        except (TypeError, ValueError):  # not two, or not numbers
            raise InvalidInput(f"{rule}; got {reprlib.repr(found)}") from None
        for part, shape in ((means, (n_players,)), (covariance, (n_players, n_players))):
            if part.shape != shape or not np.isfinite(part).all():
                raise InvalidInput(f"{rule}; got an array of shape {part.shape}")
        _check_covariance(covariance, name)
        super().__init__(means, covariance)


def _check_covariance(covariance: Array, name: str) -> None:
    """Raise unless the matrix is symmetric, with no negative eigenvalue, up to rounding."""
    if not covariance.size:
        return
    rule = f"the covariance of the rating method {name} must be"
    most = ROUNDING * np.abs(covariance).max()
    gap = float(np.abs(covariance - covariance.T).max())
    if gap > most:
        raise InvalidInput(f"{rule} symmetric; got entries that differ by {gap:.3g} when mirrored")
    least = float(np.linalg.eigvalsh(covariance)[0])
    if least < -most * len(covariance):
        raise InvalidInput(f"{rule} positive semi-definite; got an eigenvalue of {least:.3g}")
