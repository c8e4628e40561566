"""How well a run did: the regret of its matches, and where it ranks the truly best players."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maxin.core import InvalidInput, Match
from maxin.evaluation.checks import ROUNDING, finite_vector, match_array


def regret(matches: Sequence[Match] | np.ndarray, ratings: np.ndarray) -> np.ndarray:
    """R(t) = sum over the first t matches of r*_best - (r*_x + r*_y) / 2  (paper, Eq. cumu reg).

    Args:
        matches: the matches in the order played, or an array of players, shape (matches, 2).
        ratings: r*, the true rating of every player.

    Returns:
        The cumulative regret after each match; it never decreases.

    >>> regret([Match(0, 1), Match(0, 2), Match(2, 2)], ratings=np.array([1.0, 0.0, 3.0]))
    array([2.5, 3.5, 3.5])
    """
    ratings = finite_vector(ratings, "ratings")
    players = match_array(matches, len(ratings))
    return np.cumsum(ratings.max() - ratings[players].mean(axis=1))


def rank_of_best(predicted: np.ndarray, strengths: np.ndarray) -> int:
    """R(x*), the rank that the predicted ratings give the truly best player; 1 is the top.

    If several players have the largest strength, the best ranked one counts. Players with equal
    predicted ratings share the better rank, so equal ratings for all give rank 1.

    >>> rank_of_best(predicted=np.array([0.3, 0.9, 0.5]), strengths=np.array([2.0, 0.0, 1.0]))
    3
    """
    predicted, strengths = _aligned(predicted, strengths)
    best = predicted[strengths >= strengths.max() - ROUNDING].max()
    return 1 + int(np.count_nonzero(predicted > best))


def reciprocal_rank(predicted: np.ndarray, strengths: np.ndarray) -> float:
    """RR = 1 / R(x*)  (paper, Sec. Metrics), with the ties of `rank_of_best`.

    >>> reciprocal_rank(predicted=np.array([0.3, 0.9, 0.5]), strengths=np.array([1.0, 0.0, 0.0]))
    0.3333
    """
    return 1.0 / rank_of_best(predicted, strengths)


def hit_ratio(predicted: np.ndarray, strengths: np.ndarray, k: int) -> float:
    """The share of the predicted top k that is in the true top k  (paper, Sec. Metrics).

    The true top k includes all players tied for the k-th place. Players with equal predicted
    ratings have no order, so the value is the mean over all their orders.

    >>> hit_ratio(np.array([0.9, 0.1, 0.5, 0.3]), strengths=np.array([3.0, 2.0, 1.0, 0.0]), k=2)
    0.5
    """
    predicted, strengths = _aligned(predicted, strengths)
    _check_k(k, len(predicted))
    return float(_hits(predicted, strengths, np.array([k]))[0])


def ordered_share(predicted: np.ndarray, strengths: np.ndarray) -> float:
    """The share of pairs that the predicted ratings put in the true order: (1 + Kendall's tau) / 2.

    Pairs of equal strength do not count; a pair with equal predicted ratings counts as half.

    >>> ordered_share(np.array([0.9, 0.1, 0.5, 0.3]), strengths=np.array([3.0, 2.0, 1.0, 0.0]))
    0.667
    """
    predicted, strengths = _aligned(predicted, strengths)
    above, below = np.nonzero(np.subtract.outer(strengths, strengths) > ROUNDING)
    if len(above) == 0:
        return 1.0
    leads = np.sign(predicted[above] - predicted[below])
    return 0.5 + 0.5 * float(leads.mean())


def naming_loss(predicted: np.ndarray, strengths: np.ndarray) -> float:
    """By how much the player on top of the predicted ratings is weaker than the best.

    Of several players on top, any may be named: the value is their mean.

    >>> naming_loss(np.array([0.9, 0.1, 0.9]), strengths=np.array([2.0, 3.0, 1.0]))
    1.5
    """
    predicted, strengths = _aligned(predicted, strengths)
    return float(strengths.max() - strengths[predicted == predicted.max()].mean())


def rating_error(predicted: np.ndarray, strengths: np.ndarray) -> float:
    """The root of the mean squared error of the ratings, both centred: only differences count.

    >>> rating_error(np.array([1.0, 2.0, 3.0]), strengths=np.array([0.0, 1.0, 5.0]))
    1.414
    """
    predicted, strengths = _aligned(predicted, strengths)
    return float(np.std(predicted - strengths))


def ndcg(predicted: np.ndarray, strengths: np.ndarray, k: int) -> float:
    """NDCG@k = (1 / N_k) sum over i = 1..k of l(d_i) / log2(i + 1)  (paper, Sec. Metrics).

    d_i is the player predicted at place i, and l(x) is 1 for the true top k and 0 otherwise, so
    2^l - 1 = l. N_k is the sum for a perfect ranking: k relevant players in the first k places.
    Ties count as in `hit_ratio`: the value is the mean over all orders (McSherry and Najork, 2008).

    >>> ndcg(np.array([0.9, 0.1, 0.5, 0.3]), strengths=np.array([3.0, 2.0, 1.0, 0.0]), k=2)
    0.6131
    """
    predicted, strengths = _aligned(predicted, strengths)
    _check_k(k, len(predicted))
    return float(_ndcgs(predicted, strengths, np.array([k]))[0])


def top_k_curves(
    predicted: np.ndarray, strengths: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """`hit_ratio` and `ndcg` for k = 1, ..., `most`, an array each.

    >>> top_k_curves(np.array([0.9, 0.1, 0.5]), strengths=np.array([3.0, 2.0, 1.0]), most=2)
    (array([1. , 0.5]), array([1.    , 0.6131]))
    """
    predicted, strengths = _aligned(predicted, strengths)
    _check_k(most, len(predicted))
    ks = np.arange(1, most + 1)
    return _hits(predicted, strengths, ks), _ndcgs(predicted, strengths, ks)


def _hits(predicted: np.ndarray, strengths: np.ndarray, ks: np.ndarray) -> np.ndarray:
    return np.asarray(_gains(predicted, strengths, ks, np.arange(ks.max() + 1.0)) / ks)


def _ndcgs(predicted: np.ndarray, strengths: np.ndarray, ks: np.ndarray) -> np.ndarray:
    sums = np.concatenate([[0.0], np.cumsum(1.0 / np.log2(np.arange(2, ks.max() + 2)))])
    return np.asarray(_gains(predicted, strengths, ks, sums) / sums[ks])


def _gains(
    predicted: np.ndarray, strengths: np.ndarray, ks: np.ndarray, sums: np.ndarray
) -> np.ndarray:
    """For each k, the expected worth of the places, up to the k-th, that the true top k takes.

    The first m places are worth `sums[m]` together.
    """
    bars = np.sort(strengths)[len(strengths) - ks, None] - ROUNDING
    top = np.flatnonzero(strengths >= bars.min())  # for the largest k
    # Players with the same predicted rating share the worth of their places evenly.
    ranked, falling = np.sort(-predicted), -predicted[top]
    first, end = (ranked.searchsorted(falling, side) for side in ("left", "right"))
    worth = sums[np.minimum(end, ks[:, None])] - sums[np.minimum(first, ks[:, None])]
    shares = np.where(strengths[top] >= bars, worth / (end - first), 0.0)
    return np.asarray(shares.sum(axis=1))


def _aligned(predicted: np.ndarray, strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both as vectors of equal length without NaN, checked cheaply: this runs every round."""
    predicted, strengths = np.asarray(predicted, dtype=float), np.asarray(strengths, dtype=float)
    if predicted.ndim != 1 or predicted.shape != strengths.shape or predicted.size == 0:
        raise InvalidInput(
            f"predicted ratings and strengths must hold one number per player; "
            f"got shapes {predicted.shape} and {strengths.shape}"
        )
    for name, values in (("predicted ratings", predicted), ("strengths", strengths)):
        if np.isnan(values.max()):  # the maximum of an array with a NaN is NaN
            player = int(np.flatnonzero(np.isnan(values))[0])
            raise InvalidInput(f"{name} must be numbers; player {player} has nan")
    return predicted, strengths


def _check_k(k: int, n_players: int) -> None:
    if not 1 <= k <= n_players:
        raise InvalidInput(f"k, the size of the top, must be from 1 to {n_players}; got {k}")
