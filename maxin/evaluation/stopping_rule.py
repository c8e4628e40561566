"""When to stop: the best players are known, or the differences no longer matter."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from maxin.core import InvalidInput, check_confidence, check_whole
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import stopping_kernels as kernels
from maxin.evaluation._checks import finite_squares, finite_vector

MARGIN = 5.0  # the posterior's doubt must be this many times below 1 - confidence; docs/stopping.md


def required_certainty(confidence: float) -> float:
    """The certainty that a decision at this confidence needs: 1 - (1 - confidence) / MARGIN.

    >>> required_certainty(0.95)
    0.99
    """
    return 1.0 - (1.0 - confidence) / MARGIN


class Verdict(NamedTuple):
    """What is known about the best player, the k best, or the whole order.

    - "decided": `players` are the best, or all players in their order.
    - "tied": `players` are those still in doubt, and every pair in doubt is within the
      indifference.
    - "undecided": `players` lead so far.

    `odds` is a lower bound of the probability that the verdict is true; if undecided, of the
    probability that `players` are the best, or are in this order.
    """

    kind: Literal["decided", "tied", "undecided"]
    players: tuple[int, ...]
    odds: float


def top_verdict(
    strengths: np.ndarray,
    covariance: np.ndarray,
    *,
    confidence: float = 0.95,
    indifference: float = 0.0,
    k: int = 1,
) -> Verdict:
    """Whether the posterior N(strengths, covariance) is certain enough about the top k to stop.

    The doubt is the sum of P(t_j > t_i) over all players i in the top k and j outside it. The top
    is decided if the doubt is at most (1 - confidence) / 5. The factor 5 pays for checking after
    every match, which makes mistakes among nearly tied players more likely than the posterior
    says. It is a tie if all pairs still in doubt are within `indifference` of each other.

    Args:
        strengths: the posterior mean of each player's strength, in nats.
        covariance: the posterior covariance of the strengths.
        confidence: the probability with which the verdict is to be right.
        indifference: how many Elo points do not matter; with 0, players are never tied.
        k: how many of the best players are sought.

    >>> strengths, covariance = np.array([0.0, 1.0, 0.97]), 0.01 * np.eye(3)
    >>> top_verdict(strengths, covariance)
    Verdict(kind='undecided', players=(1,), odds=0.58)
    >>> top_verdict(strengths, covariance / 25, indifference=40.0)
    Verdict(kind='tied', players=(1, 2), odds=0.95)
    >>> top_verdict(strengths, covariance / 25, k=2)
    Verdict(kind='decided', players=(1, 2), odds=1.0)
    """
    means = finite_vector(strengths, "strengths")
    _check(confidence, indifference)
    if not 1 <= check_whole(k, "k") < len(means):
        most = len(means) - 1
        raise InvalidInput(f"k, the size of the top, must be from 1 to {most}; got {k}")
    order = np.argsort(-means, kind="stable")
    claims = np.stack(np.meshgrid(order[:k], order[k:], indexing="ij"), axis=-1).reshape(-1, 2)
    return _judged(means, covariance, order, claims, k, 1.0 - confidence, indifference)


def order_verdict(
    strengths: np.ndarray,
    covariance: np.ndarray,
    *,
    confidence: float = 0.95,
    indifference: float = 0.0,
) -> Verdict:
    """Whether the order of all players is certain enough to stop; arguments as in `top_verdict`.

    The doubt is the sum of P(t_j > t_i) over all pairs with i ranked above j. It is a tie if all
    pairs still in doubt are within `indifference` of each other.

    >>> strengths = np.array([0.0, 1.0, 0.97])
    >>> order_verdict(strengths, 0.01 * np.eye(3))
    Verdict(kind='undecided', players=(1, 2, 0), odds=0.58)
    >>> order_verdict(strengths, 0.0004 * np.eye(3), indifference=40.0)
    Verdict(kind='tied', players=(1, 2), odds=0.95)
    """
    means = finite_vector(strengths, "strengths")
    _check(confidence, indifference)
    order = np.argsort(-means, kind="stable")
    claims = order[np.stack(np.triu_indices(len(order), 1), axis=-1)]
    return _judged(means, covariance, order, claims, len(order), 1.0 - confidence, indifference)


def _judged(
    means: np.ndarray,
    covariance: np.ndarray,
    order: np.ndarray,
    claims: np.ndarray,
    n_named: int,
    risk: float,
    indifference: float,
) -> Verdict:
    """The verdict on the claims (i, j) that i is above j; it names the first of `order`."""
    cov = finite_squares(covariance, "covariances")
    if cov.shape != (len(means), len(means)) or (np.diagonal(cov) < 0.0).any():
        raise InvalidInput(
            f"covariances of {len(means)} players must be {len(means)} x {len(means)} numbers "
            f"with variances >= 0 on the diagonal; got shape {cov.shape}"
        )
    cov = np.ascontiguousarray(cov)
    claims = np.ascontiguousarray(claims, dtype=np.int64)
    named = tuple(order[:n_named].tolist())
    doubt = float(kernels.doubts(means, cov, claims, 0.0).sum())
    if doubt <= risk / MARGIN:
        return Verdict("decided", named, 1.0 - doubt)
    if indifference > 0.0:
        reach = indifference / ELO_PER_NAT
        marks = kernels.tied_pairs(means, cov, claims, risk / (2.0 * MARGIN), risk / 2.0, reach)
        if marks.any():
            level = set(claims[marks > 0.0].ravel().tolist())
            players = tuple(player for player in order.tolist() if player in level)
            return Verdict("tied", players, 1.0 - risk)
    return Verdict("undecided", named, max(0.0, 1.0 - doubt))


def _check(confidence: float, indifference: float) -> None:
    check_confidence(confidence)
    check_indifference(indifference)


def check_indifference(indifference: float) -> float:
    """Return `indifference`, or raise unless it is a number of Elo points.

    >>> check_indifference(25)
    25
    """
    is_number = isinstance(indifference, int | float | np.number)
    if not (is_number and 0.0 <= indifference < math.inf):
        raise InvalidInput(
            f"indifference must be a number of Elo points, at least 0; got {indifference!r}"
        )
    return indifference
