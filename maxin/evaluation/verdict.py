"""When to stop: who is best is decided, or does not matter any more."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from maxin import kernels
from maxin.core import InvalidInput, check_whole
from maxin.evaluation._checks import finite_vector

ELO_PER_NAT = 400.0 / math.log(10.0)
MARGIN = 5.0  # by which the posterior's doubt must be below 1 - confidence; see docs/stopping.md


class Verdict(NamedTuple):
    """What can be said about the best player, or the k best.

    "decided": `players` are the best. "tied": the best is among `players`, and those whose order
    is open are within the indifference of the first. "undecided": `players` lead so far. `odds`
    is the least probability that what is said is true; for "undecided", that `players` are best.
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
    _check(confidence, indifference, k, len(means))
    order = np.argsort(-means, kind="stable")
    top = np.ascontiguousarray(order[:k], dtype=np.int64)
    cov = np.ascontiguousarray(covariance, dtype=np.float64)
    risk = 1.0 - confidence
    doubt = float(kernels.doubts(means, cov, top, 0.0).sum())
    if doubt <= risk / MARGIN:
        return Verdict("decided", tuple(top.tolist()), 1.0 - doubt)
    if indifference > 0.0:
        reach = indifference / ELO_PER_NAT
        marks = kernels.tied_pairs(means, cov, top, risk / (2.0 * MARGIN), risk / 2.0, reach)
        if marks.any():
            return Verdict("tied", _among(marks, top, order), 1.0 - risk)
    return Verdict("undecided", tuple(top.tolist()), max(0.0, 1.0 - doubt))


def _among(marks: np.ndarray, top: np.ndarray, order: np.ndarray) -> tuple[int, ...]:
    """The players of marked pairs, strongest first."""
    found = {*top[marks.any(axis=1)].tolist(), *np.flatnonzero(marks.any(axis=0)).tolist()}
    return tuple(player for player in order.tolist() if player in found)


def _check(confidence: float, indifference: float, k: int, n_players: int) -> None:
    if not 0.0 < confidence < 1.0:
        raise InvalidInput(f"confidence lies between 0 and 1; got {confidence!r}")
    check_indifference(indifference)
    if not 1 <= check_whole(k, "k") < n_players:
        raise InvalidInput(f"the top holds 1 to {n_players - 1} players; got k={k}")


def check_indifference(indifference: float) -> float:
    """Return `indifference`, or raise unless it is a number of Elo points.

    >>> check_indifference(25)
    25
    """
    if not (isinstance(indifference, int | float) and 0.0 <= indifference < math.inf):
        raise InvalidInput(f"indifference is a number of Elo points, >= 0; got {indifference!r}")
    return indifference
