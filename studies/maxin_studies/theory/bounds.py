"""The paper's regret analysis in numbers: batch sizes, exploration, and the bounds.

Symbols: n = `n_players`, T = `n_matches` of the whole run, t = `after`, a round, tau =
`batch_size`, alpha = `convexity` of a batch's loss, c_1 = `near_curvature` and c_3 =
`far_curvature`, the `curvature` of the true ratings at radius 1 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy

from maxin.core import InvalidInput, Match, check_n_players
from maxin.evaluation.checks import finite_vector, match_array


def curvature(ratings: np.ndarray, radius: float) -> float:
    """c_eta, the smallest sigma'(r_x - r_y) over pairs and ||r - r*|| <= eta  (Assumption 1).

    sigma' decreases with the difference. In the ball, the largest difference is reached by moving
    the best and the worst player apart by eta / sqrt(2) each, so
    c_eta = sigma'(max r* - min r* + sqrt(2) eta).

    Args:
        ratings: r*, the true ratings.
        radius: eta.

    >>> curvature(np.array([0.0, 0.0]), radius=0.0)
    0.25
    >>> curvature(np.array([1.0, 0.0, -1.0]), radius=3.0)
    0.00194
    """
    ratings = finite_vector(ratings, "ratings")
    check_n_players(len(ratings))
    if not 0.0 <= radius < math.inf:
        raise InvalidInput(f"radius must be finite and at least 0; got {radius}")
    difference = float(np.ptp(ratings)) + math.sqrt(2.0) * radius
    return float(scipy.special.expit(difference) * scipy.special.expit(-difference))


def proposition1_batch(
    n_players: int,
    *,
    information: float,
    eigenvalue: float,
    failure: float,
    constants: tuple[float, float],
) -> int:
    """A batch of random matches that informs about all players  (paper, Proposition 1).

        2 ((C_1 sqrt(n) + C_2 sqrt(log(1 / delta))) / lambda_min(Sigma))^2 + 4 C / lambda_min(Sigma)

    rounded up. Then lambda_min(V) >= C with probability at least 1 - delta, where V is the sum of
    (e_x - e_y)(e_x - e_y)' over the batch. The paper prints 1 - 1 / delta, which would be negative;
    Eq. tau uses the proposition with delta = 1 / T^2 for a probability of 1 - 1 / T^2. Both
    eigenvalues are those orthogonal to 1; see `algebraic_connectivity`.

    Args:
        n_players: n.
        information: C, the least lambda_min(V).
        eigenvalue: lambda_min(Sigma), where Sigma is the mean of one match's matrix. It is 2 / n
            if both players are drawn independently, and 2 / (n - 1) if they must differ.
        failure: delta.
        constants: C_1 and C_2; the paper only says that they exist.

    >>> proposition1_batch(
    ...     4, information=10.0, eigenvalue=0.5, failure=0.05, constants=(1.0, 1.0)
    ... )
    192
    """
    check_n_players(n_players)
    _check_positive(
        information=information, eigenvalue=eigenvalue, C_1=constants[0], C_2=constants[1]
    )
    if not 0.0 < failure <= 1.0:
        raise InvalidInput(f"failure (delta) must be above 0 and at most 1; got {failure}")
    spread = constants[0] * math.sqrt(n_players) + constants[1] * math.sqrt(-math.log(failure))
    return math.ceil(2.0 * (spread / eigenvalue) ** 2 + 4.0 * information / eigenvalue)


def batch_size(
    n_players: int,
    n_matches: int,
    *,
    near_curvature: float,
    far_curvature: float,
    information: float,
    convexity: float,
    constants: tuple[float, float],
) -> int:
    """The batch size tau that the regret analysis requires  (paper, Eq. tau).

    With w = C_1 sqrt(n) + C_2 sqrt(2 log T), it is the larger of

        tau_1 = 2 (w / lambda_min(B))^2 + 16 (n + 2 log T) / (c_1^2 lambda_min(B)),
        tau_2 = 2 (w / lambda_f)^2      + 4 alpha / (c_3 lambda_f),

    rounded up: `proposition1_batch` with delta = 1 / T^2, for lambda_min(V) >= 4 (n + 2 log T) /
    c_1^2 after the first batch and >= alpha / c_3 after each batch. B is the mean of
    (e_x - e_y)(e_x - e_y)' over independently drawn x and y, which is (2 / n)(I - 11' / n). So
    lambda_min(B) = 2 / n on the space orthogonal to 1; along 1 it is 0.

    Args:
        n_players: n.
        n_matches: T.
        near_curvature: c_1.
        far_curvature: c_3.
        information: lambda_f, a lower bound of the same eigenvalue for the scheduler's matches.
            It is at most 2 / (n - 1), and 0 as soon as a player is ruled out for good.
        convexity: alpha.
        constants: C_1 and C_2; the paper only says that they exist.

    >>> batch_size(
    ...     4,
    ...     1000,
    ...     near_curvature=0.1,
    ...     far_curvature=0.05,
    ...     information=0.5,
    ...     convexity=1.0,
    ...     constants=(1.0, 1.0),
    ... )
    57272
    """
    _check_run(n_players, n_matches)
    _check_positive(near_curvature=near_curvature, far_curvature=far_curvature, convexity=convexity)
    log_matches = math.log(n_matches)
    failure = n_matches**-2.0
    for_fit = proposition1_batch(
        n_players,
        information=4.0 * (n_players + 2.0 * log_matches) / near_curvature**2,
        eigenvalue=2.0 / n_players,
        failure=failure,
        constants=constants,
    )
    for_steps = proposition1_batch(
        n_players,
        information=convexity / far_curvature,
        eigenvalue=information,
        failure=failure,
        constants=constants,
    )
    return max(for_fit, for_steps)


def g1(after: float, n_players: int, n_matches: int, near_curvature: float) -> float:
    """g_1(t) = sqrt(n/2 log(1 + 2 t / n) + 2 log T) / (2 c_1)  (paper, Eq. g1g2).

    >>> g1(100, n_players=10, n_matches=1000, near_curvature=0.25)
    10.77
    """
    _check_run(n_players, n_matches)
    _check_positive(near_curvature=near_curvature)
    if not after >= 0:
        raise InvalidInput(f"rounds are counted from 0; got t = {after}")
    inside = n_players / 2.0 * math.log1p(2.0 * after / n_players) + 2.0 * math.log(n_matches)
    return math.sqrt(inside) / (2.0 * near_curvature)


def g2(batch: int, batch_size: int, convexity: float) -> float:
    """g_2(j) = tau / alpha sqrt(1 + log j) after batch j = 1, 2, ...  (paper, Eq. g1g2).

    >>> g2(1, batch_size=7, convexity=2.0)
    3.5
    """
    _check_positive(batch_size=batch_size, convexity=convexity)
    if batch < 1:
        raise InvalidInput(f"batches are counted from 1; got j = {batch}")
    return batch_size / convexity * math.sqrt(1.0 + math.log(batch))


def exploration(after: float, n_players: int, n_matches: int, near_curvature: float) -> float:
    """Gamma = 2 g_1(t), which keeps the best player a candidate  (paper, Lemma 3).

    >>> exploration(100, n_players=10, n_matches=1000, near_curvature=0.25)
    21.55
    """
    return 2.0 * g1(after, n_players, n_matches, near_curvature)


def regret_bound(ratings: np.ndarray, n_matches: int, batch_size: int, convexity: float) -> float:
    """The bound that R(T) stays below with probability at least 1 - 10 / T  (paper, Theorem 1).

        tau Delta_max + (2 + tau) g_1(T) sqrt(2 n T log((2 tau + T) / n)) + 4 g_2(J) sqrt(tau T)

    with J = floor(T / tau) and Delta_max = max r* - min r*. The true `ratings` r* also give c_1.
    The theorem also assumes what Lemma 3 does, and no ratings satisfy that: see
    `lemma3_assumption`. So read the bound as an order of growth.

    >>> regret_bound(np.array([0.5, 0.0, -0.5]), n_matches=1000, batch_size=10, convexity=5.0)
    74197.2
    """
    ratings = finite_vector(ratings, "ratings")
    n_players = check_n_players(len(ratings))
    if not 1 <= batch_size <= n_matches:
        raise InvalidInput(
            f"batch_size must be from 1 to {n_matches} (n_matches); got {batch_size}"
        )
    first_batch = batch_size * float(np.ptp(ratings))
    widths = lemma1_bound(n_matches, n_players, batch_size)
    fit = (2 + batch_size) * g1(n_matches, n_players, n_matches, curvature(ratings, 1.0)) * widths
    steps = g2(n_matches // batch_size, batch_size, convexity)
    return first_batch + fit + 4.0 * steps * math.sqrt(batch_size * n_matches)


def lemma1_bound(after: float, n_players: int, batch_size: int) -> float:
    """sqrt(2 n t log((2 tau + t) / n)), t matches after the first batch  (paper, Lemma 1).

    (2 tau + t) / n stands for the mean eigenvalue of V. If it is below 1, the matches cannot have
    connected the players, the logarithm is negative, and the lemma says nothing. The paper counts
    1 for the trace of each match after the first batch although it is 2; we keep its bound.

    >>> lemma1_bound(50, n_players=10, batch_size=25)
    47.98
    """
    check_n_players(n_players)
    if not after >= 0:
        raise InvalidInput(f"rounds are counted from 0; got t = {after}")
    mean = (2.0 * batch_size + after) / n_players
    if mean < 1.0:
        raise InvalidInput(
            f"Lemma 1 needs 2 tau + t >= n; got tau = {batch_size}, t = {after}, n = {n_players}"
        )
    return math.sqrt(2.0 * n_players * after * math.log(mean))


def algebraic_connectivity(matches: Sequence[Match] | np.ndarray, n_players: int) -> float:
    """lambda_min(V) on the space orthogonal to 1, where V is the sum of (e_x - e_y)(e_x - e_y)'.

    V is the Laplacian of the graph of matches. V 1 = 0 always, so the paper's lambda_min(V) >= 1
    (Lemma 1) can only refer to that space. It is 0 if and only if some players are not connected.

    >>> star = [Match(0, 1), Match(0, 2), Match(0, 3)]
    >>> algebraic_connectivity(star, n_players=4)
    1.0
    """
    check_n_players(n_players)
    first, second = match_array(matches, n_players).T
    meetings = np.bincount(first * n_players + second, minlength=n_players**2)
    between = meetings.reshape(n_players, n_players)
    between = between + between.T
    laplacian = np.diag(between.sum(axis=1)) - between
    return max(0.0, float(np.linalg.eigvalsh(laplacian)[1]))


def _check_run(n_players: int, n_matches: int) -> None:
    check_n_players(n_players)
    if n_matches < 1:
        raise InvalidInput(f"a run needs at least one match; got n_matches = {n_matches}")


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not 0.0 < value < math.inf:
            raise InvalidInput(f"{name} must be positive and finite; got {value}")
