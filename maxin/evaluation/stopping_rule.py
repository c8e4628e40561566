"""When to stop: who is best is decided, or does not matter any more."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from maxin.core import InvalidInput, check_confidence, check_whole
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import stopping_kernels as kernels
from maxin.evaluation._checks import finite_squares, finite_vector

MARGIN = 5.0  # by which the posterior's doubt must be below 1 - confidence; see docs/stopping.md


class Verdict(NamedTuple):
    """What can be said about the best player, the k best, or the whole order.

    "decided": `players` are the best, or all in their order. "tied": the best is among `players`,
    and those whose order is open are within the indifference. "undecided": `players` lead so far.
    `odds` is the least probability that what is said is true; for "undecided", that `players` are
    best, or in this order.
    """

    kind: Literal["decided", "tied", "undecided"]
    players: tuple[int, ...]
    odds: float


def verdict(
    strengths: np.ndarray,
    covariance: np.ndarray,
    *,
    confidence: float = 0.95,
    indifference: float = 0.0,
    k: int = 1,
) -> Verdict:
    """Whether the posterior N(strengths, covariance) is sure enough to stop, after any match.

    The doubt is the sum, over players i of the top k and j outside it, of P(t_j > t_i). The top
    is decided when the doubt is at most (1 - confidence) / 5: the fifth pays for looking after
    every match, which makes mistakes among players who are nearly tied more likely than the
    posterior thinks. It is a tie when all pairs that are left in doubt are within `indifference`.

    Args:
        strengths: the posterior's mean of each player's strength, in nats.
        covariance: of the strengths.
        confidence: how sure to be.
        indifference: how many Elo points do not matter; with 0 nothing is ever tied.
        k: how many best players are sought.

    >>> strengths, covariance = np.array([0.0, 1.0, 0.97]), 0.01 * np.eye(3)
    >>> verdict(strengths, covariance)
    Verdict(kind='undecided', players=(1,), odds=0.58)
    >>> verdict(strengths, covariance / 25, indifference=40.0)
    Verdict(kind='tied', players=(1, 2), odds=0.95)
    >>> verdict(strengths, covariance / 25, k=2)
    Verdict(kind='decided', players=(1, 2), odds=1.0)
    """
    means = finite_vector(strengths, "strengths")
    _check(confidence, indifference)
    if not 1 <= check_whole(k, "k") < len(means):
        raise InvalidInput(f"the top holds 1 to {len(means) - 1} players; got k={k}")
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
    """Whether the whole order of the players is known; arguments as of `verdict`.

    The doubt is the sum of P(t_j > t_i) over all pairs with i before j. It is a tie when all
    pairs whose order is open are within `indifference`.

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
    """Whether every claim (i, j), that i is above j, is sure; the first of `order` are named."""
    cov = finite_squares(covariance, "covariances")
    if cov.shape != (len(means), len(means)) or (np.diagonal(cov) < 0.0).any():
        raise InvalidInput(
            f"covariances of {len(means)} players are {len(means)} x {len(means)} numbers with "
            f"variances >= 0 on the diagonal; got shape {cov.shape}"
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
        raise InvalidInput(f"indifference is a number of Elo points, >= 0; got {indifference!r}")
    return indifference
