"""When to stop: the best players are known, give or take a tolerance."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from maxin.core import InvalidInput, Stop, check_whole
from maxin.evaluation.checks import finite_squares, finite_vector
from maxin.kernels import stopping as kernels

MARGIN = 5.0  # the doubt must be this many times below 1 - confidence; docs/stopping.md


def set_certainty(confidence: float) -> float:
    """The certainty with which a set of candidates includes the top: 1 - (1 - confidence) / 5.

    >>> set_certainty(0.95)
    0.99
    """
    return 1.0 - (1.0 - confidence) / MARGIN


class Verdict(NamedTuple):
    """What is known about the best player, the k best, or the whole order.

    - "decided": `players` are the best, or all players in their order, give or take the tolerance.
    - "undecided": `players` lead so far.

    `odds` is a lower bound of the posterior probability that `players` are the best, or are in
    this order, give or take the tolerance. A decision needs `needed` of it.
    """

    kind: Literal["decided", "undecided"]
    players: tuple[int, ...]
    odds: float
    needed: float = 1.0


def top_verdict(
    strengths: np.ndarray, covariance: np.ndarray, stop: Stop = Stop(), *, k: int = 1
) -> Verdict:
    """Whether the posterior N(strengths, covariance) is certain enough about the top k to stop.

    The doubt about a player i in the top k and j outside it is P(t_j > t_i + tolerance). It has
    been looked at after every match. A look is new once the information about t_i - t_j, 1 / V
    with its variance V, has grown by a factor e: so far there were

        looks = 1 + log(1 + 0.1 / V),    V in nats^2.

    As the sum of 1 / looks^2 is finite, the risk of all looks together is bounded if the top is
    decided once

        sum over i and j of P(t_j > t_i + tolerance) looks_ij^2 <= (1 - confidence) / 5.

    Args:
        strengths: the posterior mean of each player's strength, in nats.
        covariance: the posterior covariance of the strengths.
        stop: how certain the verdict must be, and its tolerance.
        k: how many of the best players are sought.

    >>> strengths, covariance = np.array([0.0, 1.0, 0.97]), 0.01 * np.eye(3)
    >>> top_verdict(strengths, covariance)
    Verdict(kind='undecided', players=(1,), odds=0.732, needed=0.998)
    >>> top_verdict(strengths, covariance / 25, Stop(tolerance=40.0))
    Verdict(kind='decided', players=(1,), odds=1.0, needed=0.9997)
    >>> top_verdict(strengths, covariance / 25, Stop(tolerance=0.0), k=2)
    Verdict(kind='decided', players=(1, 2), odds=1.0, needed=0.9997)
    """
    means = finite_vector(strengths, "strengths")
    if not 1 <= check_whole(k, "k") < len(means):
        most = len(means) - 1
        raise InvalidInput(f"k, the size of the top, must be from 1 to {most}; got {k}")
    order = np.argsort(-means, kind="stable")
    claims = np.stack(np.meshgrid(order[:k], order[k:], indexing="ij"), axis=-1).reshape(-1, 2)
    return _judged(means, covariance, order[:k], claims, stop)


def order_verdict(strengths: np.ndarray, covariance: np.ndarray, stop: Stop = Stop()) -> Verdict:
    """Whether the order of all players is certain enough to stop; arguments as in `top_verdict`.

    The sum is over all pairs, with i before j in the order of the strengths. The order is right if
    no player is more than the tolerance better than one before it.

    >>> strengths = np.array([0.0, 1.0, 0.97])
    >>> order_verdict(strengths, 0.01 * np.eye(3))
    Verdict(kind='undecided', players=(1, 2, 0), odds=0.732, needed=0.998)
    >>> order_verdict(strengths, 0.0004 * np.eye(3), Stop(tolerance=40.0)).kind
    'decided'
    """
    means = finite_vector(strengths, "strengths")
    order = np.argsort(-means, kind="stable")
    claims = order[np.stack(np.triu_indices(len(order), 1), axis=-1)]
    return _judged(means, covariance, order, claims, stop)


def _judged(
    means: np.ndarray,
    covariance: np.ndarray,
    named: np.ndarray,
    claims: np.ndarray,
    stop: Stop,
) -> Verdict:
    """The verdict on the claims (i, j) that i is above j, give or take the tolerance."""
    cov = finite_squares(covariance, "covariances")
    if cov.shape != (len(means), len(means)) or (np.diagonal(cov) < 0.0).any():
        raise InvalidInput(
            f"covariances of {len(means)} players must be {len(means)} x {len(means)} numbers "
            f"with variances >= 0 on the diagonal; got shape {cov.shape}"
        )
    claims = np.ascontiguousarray(claims, dtype=np.int64)
    doubt, looked = kernels.doubt(means, np.ascontiguousarray(cov), claims, stop.nats)
    allowed = stop.risk / MARGIN
    kind: Literal["decided", "undecided"] = "decided" if looked <= allowed else "undecided"
    needed = 1.0 - allowed * (doubt / looked if looked > 0.0 else 1.0)
    return Verdict(kind, tuple(named.tolist()), max(0.0, 1.0 - doubt), needed)
