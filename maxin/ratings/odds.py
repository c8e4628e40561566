"""Who may be the best: probabilities computed from ratings and their covariance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxin.core import InvalidInput, check_confidence, check_whole
from maxin.core.linalg import factorised, lower_times, one_blas_thread
from maxin.kernels.core import normal_cdf
from maxin.ratings.base import Array

MOST_DRAWS, LEAST_DRAWS = 16384, 2048  # give a standard error of at most 0.004, and 0.011
WORK = MOST_DRAWS * 256**2  # with more than 256 players who may be best, there are fewer draws
NUMBERS_AT_ONCE = 2**20  # numbers drawn at a time, which limits the memory for many players
HOPELESS = 1e-6  # players with at most this probability of being in the top are not drawn


def best_odds(
    ratings: ArrayLike,
    covariance: ArrayLike,
    k: int = 1,
    *,
    rng: np.random.Generator,
    draws: int | None = None,
) -> Array:
    """P(in the top k) of each player if the true ratings are N(ratings, covariance).

    Args:
        ratings: one number per player.
        covariance: shape (players, players); it may be singular.
        k: the size of the top.
        rng: draws the ratings; the same state gives the same result.
        draws: how many times to draw; by default 16,384, or fewer, at least 2,048, if more than
            256 players may be best.

    >>> best_odds([1.0, 0.0, -1.0], np.eye(3), rng=np.random.default_rng(0)).round(2)
    array([0.73, 0.22, 0.05])
    """
    return np.asarray(drawn_tops(ratings, covariance, k, rng=rng, draws=draws).mean(axis=0))


def credible_set(
    ratings: ArrayLike,
    covariance: ArrayLike,
    k: int = 1,
    *,
    confidence: float = 0.95,
    rng: np.random.Generator,
    draws: int | None = None,
) -> NDArray[np.int64]:
    """The fewest players that include the whole top k with this confidence, likeliest first.

    Players are added in the order of `best_odds`. All other arguments are those of `best_odds`.

    >>> credible_set([1.0, 0.0, -1.0], np.eye(3), confidence=0.9, rng=np.random.default_rng(0))
    array([0, 1])
    """
    tops = drawn_tops(ratings, covariance, k, rng=rng, draws=draws)
    return holding_set(tops, check_confidence(confidence))


def lead_certainty(ratings: ArrayLike, covariance: ArrayLike, k: int = 1) -> float:
    """A lower bound of P(the k players rated highest are the true top k), computed in O(n k).

    It is 1 minus the sum, over the k leaders and the other players, of P(the other is ahead of
    the leader): at least one of these events happens whenever the true top is different.

    >>> lead_certainty([3.0, 0.0, -1.0], np.eye(3) / 4)
    0.99999
    """
    _, _, overtakes = _overtakes(*_checked(ratings, covariance, k), k)
    return max(0.0, 1.0 - float(overtakes.sum()))


def drawn_tops(
    ratings: ArrayLike,
    covariance: ArrayLike,
    k: int = 1,
    *,
    rng: np.random.Generator,
    draws: int | None = None,
) -> NDArray[np.bool_]:
    """Who is in the top k in each draw, shape (draws, players); arguments as for `best_odds`."""
    return draw_tops(ratings, covariance, k, rng=rng, draws=draws)[0]


def draw_tops(
    ratings: ArrayLike,
    covariance: ArrayLike,
    k: int = 1,
    *,
    rng: np.random.Generator,
    draws: int | None = None,
    has_level: bool = False,
) -> tuple[NDArray[np.bool_], Array]:
    """Who is in the top k in each draw, and the lowest rating in it; see `drawn_tops`.

    With `has_level` the common level of all ratings is drawn too, which matters if they are to be
    compared with others. Otherwise its variance is arbitrary.
    """
    centre, spread = _checked(ratings, covariance, k)
    leaders, others, overtakes = _overtakes(centre, spread, k)
    open_to = np.sort(np.concatenate([leaders, others[overtakes.sum(axis=0) > HOPELESS]]))
    among = np.ascontiguousarray(spread[np.ix_(open_to, open_to)])
    factor = np.tril(factorised(among)) if has_level else _factor(among)
    if draws is None:
        draws = min(max(WORK // len(open_to) ** 2, LEAST_DRAWS), MOST_DRAWS)
    tops, lowest = np.zeros((draws, len(centre)), dtype=bool), np.empty(draws)
    size = max(1, NUMBERS_AT_ONCE // len(open_to))
    for start in range(0, draws, size):
        part = tops[start : start + size]
        normal = rng.standard_normal((len(part), len(open_to)))
        with one_blas_thread():
            drawn = lower_times(factor, normal.T).T + centre[open_to]
        places = _largest(drawn, k)
        np.put_along_axis(part, open_to[places], True, axis=1)
        lowest[start : start + size] = np.take_along_axis(drawn, places, axis=1).min(axis=1)
    return tops, lowest


def _largest(drawn: Array, k: int) -> NDArray[np.int64]:
    """The places of the k largest numbers in each row; one alone takes far less time to find."""
    if k == 1:
        return np.asarray(drawn.argmax(axis=1, keepdims=True))
    first = drawn.shape[1] - k
    return np.argpartition(drawn, first, axis=1)[:, first:]


def holding_set(tops: NDArray[np.bool_], confidence: float) -> NDArray[np.int64]:
    """The fewest players, likeliest first, that include the whole top in this share of draws."""
    order = np.argsort(-tops.mean(axis=0), kind="stable")
    # The player of a draw's top that comes last in the order decides how many are needed.
    sizes = tops.shape[1] - tops[:, order[::-1]].argmax(axis=1)
    enough = np.sort(sizes)[int(np.ceil(confidence * len(sizes))) - 1]
    return np.asarray(order[:enough])


def _overtakes(
    centre: Array, spread: Array, k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """The k leaders, the others, and P(the other is ahead of the leader) for each two."""
    order = np.argsort(-centre, kind="stable")
    leaders, others = order[:k], order[k:]
    gaps = np.subtract.outer(centre[leaders], centre[others])
    variances = np.diagonal(spread)
    squares = np.add.outer(variances[leaders], variances[others])
    squares -= 2.0 * spread[np.ix_(leaders, others)]
    deviations = np.sqrt(np.maximum(squares, 0.0))
    # Without variance the means decide; leaders who are exactly level count as overtaken.
    sure = np.where(gaps > 0.0, np.inf, -np.inf)
    z = np.divide(gaps, deviations, out=sure, where=deviations > 0.0)
    return leaders, others, normal_cdf(-z.ravel()).reshape(z.shape)


def _factor(covariance: Array) -> Array:
    """F with F F' = covariance, except along the common level, which changes no order.

    The variance of the level is replaced by one of the size of the rest: a huge or vanishing
    variance would make the factor inaccurate.
    """
    means = covariance.mean(axis=0)
    centred = covariance - means[:, None] - means[None, :] + means.mean()
    level = max(float(np.trace(centred)), np.finfo(float).tiny) / len(centred) ** 2
    with one_blas_thread():
        return np.tril(factorised(np.ascontiguousarray(centred + level)))


def _checked(ratings: ArrayLike, covariance: ArrayLike, k: int) -> tuple[Array, Array]:
    centre = np.asarray(ratings, dtype=np.float64)
    spread = np.asarray(covariance, dtype=np.float64)
    n_players = centre.size
    if centre.ndim != 1 or spread.shape != (n_players, n_players):
        raise InvalidInput(
            f"ratings must be a vector and their covariance a square matrix of the same size; "
            f"got shapes {centre.shape} and {spread.shape}"
        )
    if not (np.isfinite(centre).all() and np.isfinite(spread).all()):
        raise InvalidInput(
            "ratings and their covariance must be finite; at least one number is not"
        )
    if not 1 <= check_whole(k, "k") <= n_players:
        raise InvalidInput(f"k, the size of the top, must be from 1 to {n_players}; got {k}")
    return centre, spread
