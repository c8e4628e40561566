"""When to stop: the best players are known, give or take a tolerance."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from maxin.core import InvalidInput, Stop, check_whole
from maxin.evaluation.checks import finite_squares, finite_vector
from maxin.kernels import stopping as kernels

DOUBT = 0.5  # of the risk: how large the doubt may be; the rest is for what the model misses
# Of the tolerance, per risk: what may be expected to be missed; see docs/explanation/stopping.md.
SHARE = 0.12


class Verdict(NamedTuple):
    """What is known about the best player, the k best, or the whole order.

    - "decided": `players` are the best, or all players in their order, give or take the tolerance.
    - "undecided": `players` lead so far.

    `odds` is a lower bound of the posterior probability that `players` are the best, or are in
    this order, give or take the tolerance. `shortfall` is an upper bound of what they are expected
    to miss beyond the tolerance, in nats. It is decided once it is at most `needed`.
    """

    kind: Literal["decided", "undecided"]
    players: tuple[int, ...]
    odds: float
    shortfall: float = 0.0
    needed: float = 0.0


def top_verdict(
    strengths: np.ndarray, covariance: np.ndarray, stop: Stop = Stop(), *, k: int = 1
) -> Verdict:
    """Whether the posterior N(strengths, covariance) is certain enough about the top k to stop.

    A player i of the top k misses a player j outside it by (t_j - t_i - tolerance)+, beyond the
    tolerance. The top is decided once these shortfalls are expected to be small, and the doubt too:

        sum over i of max over j of E[(t_j - t_i - tolerance)+] / max(tolerance, V / 2)
            <= 0.12 (1 - confidence),
        sum over i and j of P(t_j > t_i + tolerance) <= (1 - confidence) / 2,

    where V is the variance of t_i - t_j, all in nats. What this promises is in
    docs/explanation/stopping.md.

    Args:
        strengths: the posterior mean of each player's strength, in nats.
        covariance: the posterior covariance of the strengths.
        stop: how certain the verdict must be, and its tolerance.
        k: how many of the best players are sought.

    >>> strengths, covariance = np.array([0.0, 1.0, 0.97]), 0.01 * np.eye(3)
    >>> top_verdict(strengths, covariance)
    Verdict(kind='undecided', players=(1,), odds=0.732, shortfall=0.0231, needed=0.0004)
    >>> top_verdict(strengths, covariance / 25, Stop(tolerance=40.0))
    Verdict(kind='decided', players=(1,), odds=1.0, shortfall=0.0, needed=0.00008)
    >>> top_verdict(strengths, covariance / 25, Stop(tolerance=0.0), k=2)
    Verdict(kind='decided', players=(1, 2), odds=1.0, shortfall=0.0, needed=0.0)
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

    Every player i is claimed to be above the players j behind it. The order is right if no player
    is more than the tolerance better than one before it.

    >>> strengths = np.array([0.0, 1.0, 0.97])
    >>> order_verdict(strengths, 0.01 * np.eye(3))
    Verdict(kind='undecided', players=(1, 2, 0), odds=0.732, shortfall=0.0231, needed=0.0004)
    >>> order_verdict(strengths, 0.0004 * np.eye(3), Stop(tolerance=40.0)).kind
    'decided'
    """
    means = finite_vector(strengths, "strengths")
    order = np.argsort(-means, kind="stable")
    claims = order[np.stack(np.triu_indices(len(order), 1), axis=-1)]
    return _judged(means, covariance, order, claims, stop)


def is_level(strengths: np.ndarray, covariance: np.ndarray, stop: Stop = Stop()) -> bool:
    """Whether either of two players could be named: neither misses the other by the tolerance.

    Then the verdict is that they do not differ by more, not that the one ahead is the best.

    >>> is_level(np.array([0.0, 0.01]), 0.0001 * np.eye(2))
    True
    >>> is_level(np.array([0.0, 0.2]), 0.0001 * np.eye(2))
    False
    """
    means = finite_vector(strengths, "strengths")
    orders = np.array([[0, 1], [1, 0]])
    found = (_judged(means, covariance, one, one[None, :], stop) for one in orders)
    return all(verdict.kind == "decided" for verdict in found)


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
    doubt, shortfall, strain = kernels.claimed(means, np.ascontiguousarray(cov), claims, stop.nats)
    excess = max(strain / SHARE, doubt / DOUBT) / stop.risk
    kind: Literal["decided", "undecided"] = "decided" if excess <= 1.0 else "undecided"
    needed = shortfall / excess if excess > 0.0 else 0.0
    return Verdict(kind, tuple(named.tolist()), max(0.0, 1.0 - doubt), shortfall, needed)
