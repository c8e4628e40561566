"""The paper's lemmas, each checked on a run, and what Lemma 3 assumes.

Symbols are those of `maxin_studies.theory.bounds`; j = `batch` counts batches from 1 on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from maxin.core import InvalidInput, check_n_players
from maxin.evaluation.checks import finite_vector
from maxin_studies.theory.bounds import curvature, g1, g2, lemma1_bound


class Lemma1(NamedTuple):
    """Both sides of Lemma 1 after each match, and whether all sums are below their bounds."""

    sums: np.ndarray
    bounds: np.ndarray
    holds: bool


def check_lemma1(widths: np.ndarray, n_players: int, batch_size: int) -> Lemma1:
    """Check Lemma 1 on a run: compare the sums of ||e_x - e_y|| in V_i^-1 with `lemma1_bound`.

    `widths` holds the width of every match after the first batch, each just before it was played.
    The lemma assumes lambda_min(V) >= 1 after the first batch; see `algebraic_connectivity`.

    >>> check_lemma1(np.array([1.0, 0.9]), n_players=2, batch_size=2)
    Lemma1(sums=array([1. , 1.9]), bounds=array([1.914, 2.965]), holds=True)
    """
    widths = finite_vector(widths, "widths") if np.size(widths) else np.empty(0)
    rounds = range(1, len(widths) + 1)
    sums = np.cumsum(widths)
    bounds = np.array([lemma1_bound(after, n_players, batch_size) for after in rounds])
    return Lemma1(sums, bounds, bool((sums < bounds).all()))


class Lemma2(NamedTuple):
    """Both sides of Lemma 2 after each batch, for all pairs, and whether the left one is smaller.

    `errors` and `bounds` have the shape (batches, players, players).
    """

    errors: np.ndarray
    bounds: np.ndarray
    holds: bool

    @property
    def largest_ratio(self) -> float:
        """The largest error in units of its bound, over all batches and pairs."""
        above = self.bounds > 0.0
        return float((self.errors[above] / self.bounds[above]).max(initial=0.0))


def check_lemma2(
    estimates: ArrayLike,
    widths: ArrayLike,
    ratings: np.ndarray,
    *,
    batch_size: int,
    n_matches: int,
    convexity: float,
) -> Lemma2:
    """Check the event E_1 on a run: all rating differences are nearly right  (paper, Lemma 2).

    After each batch j, for all pairs of players,

        |(e_x - e_y)'(r-bar_j - r*)| <= g_1(j tau) ||e_x - e_y|| + g_2(j) sqrt(2 / j)

    with the width in V^-1 of the j tau matches so far. Ratings may differ by a constant. The second
    term is tau / alpha times a number that shrinks with j: unless alpha is of the order of tau, the
    inequality allows errors of many nats.

    Args:
        estimates: r-bar after each batch, shape (batches, players).
        widths: the widths of all pairs after each batch, shape (batches, players, players).
        ratings: r*.
        batch_size: tau.
        n_matches: T.
        convexity: alpha, which is 1 / eta.

    >>> check = check_lemma2(
    ...     [[0.2, 0.0]],
    ...     [[[0.0, 0.5], [0.5, 0.0]]],
    ...     np.array([0.5, 0.0]),
    ...     batch_size=4,
    ...     n_matches=100,
    ...     convexity=4.0,
    ... )
    >>> check.holds, check.largest_ratio
    (True, 0.0343)
    """
    truth = finite_vector(ratings, "ratings")
    n_players = check_n_players(len(truth))
    found, across = np.asarray(estimates, dtype=float), np.asarray(widths, dtype=float)
    shape = (len(found), n_players)
    if found.shape != shape or across.shape != (*shape, n_players):
        raise InvalidInput(
            f"estimates must have the shape (batches, {n_players}) and widths (batches, "
            f"{n_players}, {n_players}); got {found.shape} and {across.shape}"
        )
    gaps = found - truth
    errors = np.abs(gaps[:, :, None] - gaps[:, None, :])
    near = curvature(truth, 1.0)
    bounds = np.empty_like(across)
    for batch, width in enumerate(across, 1):
        steps = g2(batch, batch_size, convexity) * math.sqrt(2.0 / batch)
        bounds[batch - 1] = g1(batch * batch_size, n_players, n_matches, near) * width + steps
    return Lemma2(errors, bounds, bool((errors <= bounds).all()))


def best_lead(ratings: np.ndarray) -> float:
    """Delta, by how much the best player leads the second  (paper, Lemma 3).

    >>> best_lead(np.array([0.0, 2.0, 1.5]))
    0.5
    """
    truth = finite_vector(ratings, "ratings")
    check_n_players(len(truth))
    second, first = np.sort(truth)[-2:]
    return float(first - second)


def lemma3_constant(n_players: int, n_matches: int, batch_size: int) -> float:
    """C = sqrt(2 n T log((T + tau) / n))  (paper, Lemma 3 and Theorem 1).

    >>> lemma3_constant(10, n_matches=1000, batch_size=7)
    303.7
    """
    check_n_players(n_players)
    mean = (n_matches + batch_size) / n_players
    if n_matches < 1 or batch_size < 1 or mean < 1.0:
        raise InvalidInput(
            f"Lemma 3 needs T + tau >= n, both at least 1; "
            f"got T = {n_matches}, tau = {batch_size}, n = {n_players}"
        )
    return math.sqrt(2.0 * n_players * n_matches * math.log(mean))


class RequiredLead(NamedTuple):
    """The lead Delta of the best player, the g_1(T) C it must exceed, and whether it does."""

    lead: float
    needed: float
    is_met: bool


def lemma3_assumption(ratings: np.ndarray, n_matches: int, batch_size: int) -> RequiredLead:
    """Whether Delta > g_1(T) C, as Lemma 3 and Theorem 1 assume.

    It is not, for any ratings, if T >= n >= 2, and Eq. tau makes T >= tau > 128 n^2: by
    c_1 <= exp(-(Delta + sqrt(2))), g_1(T) C is at least 5 exp(Delta), which is above Delta. The
    steps are in docs/notes/theorem-1.md.

    >>> lemma3_assumption(np.array([0.5, 0.0]), n_matches=1000, batch_size=100)
    RequiredLead(lead=0.5, needed=3228.92, is_met=False)
    """
    lead = best_lead(ratings)
    constant = lemma3_constant(len(ratings), n_matches, batch_size)
    needed = g1(n_matches, len(ratings), n_matches, curvature(ratings, 1.0)) * constant
    return RequiredLead(lead, needed, lead > needed)


def lemma3_convexity(
    ratings: np.ndarray, n_matches: int, batch_size: int, *, batch: int = 1
) -> float:
    """The least alpha of Lemma 3; infinite where its assumption fails, which is everywhere.

        sqrt(2) tau sqrt(1 + log j) / ((Delta - g_1(T) C) sqrt(j))

    The first batch asks for the most.

    >>> lemma3_convexity(np.array([0.5, 0.0]), n_matches=1000, batch_size=100)
    inf
    """
    if batch < 1:
        raise InvalidInput(f"batches are counted from 1; got j = {batch}")
    lead, needed, is_met = lemma3_assumption(ratings, n_matches, batch_size)
    if not is_met:
        return math.inf
    return batch_size * math.sqrt(2.0 * (1.0 + math.log(batch)) / batch) / (lead - needed)


class Lemma3(NamedTuple):
    """Whether the best player was a candidate, in each round, as a share, and in all of them."""

    is_candidate: np.ndarray
    share: float
    holds: bool


def check_lemma3(candidates: np.ndarray, ratings: np.ndarray) -> Lemma3:
    """Check the conclusion of Lemma 3 on a run: x* is in S in all rounds after the first batch.

    Args:
        candidates: who was a candidate in each round, shape (rounds, players).
        ratings: r*. Among several best players, any one counts.

    >>> candidates = np.array([[True, True], [True, False], [False, True]])
    >>> check_lemma3(candidates, np.array([1.0, 0.0])).share
    0.667
    """
    truth = finite_vector(ratings, "ratings")
    members = np.asarray(candidates, dtype=bool)
    if members.size == 0 or members.shape != (len(members), len(truth)):
        raise InvalidInput(
            f"candidates must have the shape (rounds, {len(truth)}) and at least one round; "
            f"got {members.shape}"
        )
    is_candidate = np.asarray(members[:, truth == truth.max()].any(axis=1))
    return Lemma3(is_candidate, float(is_candidate.mean()), bool(is_candidate.all()))
