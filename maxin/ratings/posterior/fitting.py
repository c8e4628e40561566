"""Move a posterior towards its fixed point: by one step as matches come, or all the way."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats
from maxin.core.linalg import factorised, inverted, one_blas_thread, solved
from maxin.ratings.posterior import posterior_kernels as kernels
from maxin.ratings.posterior.mixing_kernels import LEARNT, keep, mixture, no_steps, packed, unpack
from maxin.ratings.posterior.scale_kernels import fit_scales
from maxin.ratings.posterior.state_kernels import ROWS, PosteriorState, gaps_of

NEAR = 0.3  # steps that change no more than this are mixed
MOST_WORSE = 20  # mixtures that led to a larger step than the last, before there are no more
LEAST_PACE, EASY_PACE = 0.1, 0.5  # share of a Newton step: at least when settling; when refitting


def refit_gap(n_told: int, n_players: int) -> int:
    """After how many more matches the next refit comes; it keeps the work at O(n^2) per match."""
    return max(5, min(100, n_told // 40), n_players // 20)


def most_rows(n_players: int) -> int:
    """How many rows K may have: with more than n / 2, work with them would cost more than n^2."""
    return min(max(16, n_players // 2), refit_gap(4_000, n_players))


def refit(state: PosteriorState) -> PosteriorState:
    """Refit the scales, and take half a Newton step."""
    with one_blas_thread():
        gaps = gaps_of(state)
        fit_scales(state, gaps, 1.0)
        _, factor, cov = newton_step(state, gaps, EASY_PACE)
        return based_on(state, factor, cov)


def settle(state: PosteriorState, tolerance: float, most_steps: int) -> PosteriorState:
    """Take steps until one changes nothing by more than `tolerance`, or there were too many.

    Where results are nearly certain, whole steps may oscillate forever: a larger advantage makes
    a smaller weight, and a smaller weight a larger advantage. So whenever a step is larger than
    the last one and goes back, the following steps are shortened. Near the fixed point, whole
    steps are mixed: see `mixing_kernels`.
    """
    with one_blas_thread():
        gaps, steps = gaps_of(state), no_steps(state)
        means = slice(len(LEARNT), len(LEARNT) + len(state.ratings) + len(gaps))
        taken, change, pace = 0, math.inf, 1.0
        is_mixed, n_worse, last_move = False, 0, np.zeros(0)
        while taken < most_steps and (taken < 2 or change > tolerance):  # the first sets weights
            last, before = change, packed(state, gaps)
            change = fit_scales(state, gaps, pace)
            size, factor, cov = newton_step(state, gaps, pace)
            change, taken = change + size, taken + 1
            move = packed(state, gaps) - before
            is_back = taken > 2 and float(move[means] @ last_move) < 0.0
            last_move = move[means]
            if is_mixed and change > last:
                n_worse += 1
            elif change > last and is_back:
                pace = max(0.7 * pace, LEAST_PACE)
            else:
                pace = min(1.05 * pace, 1.0)
            if pace < 1.0 or change > NEAR or n_worse > MOST_WORSE:
                steps.filled[0], is_mixed = 0, False
                continue
            keep(steps, before, move)
            is_mixed = change > tolerance and bool(steps.filled[0] > 1)
            if is_mixed:
                unpack(state, gaps, mixture(steps, len(state.ratings), len(gaps)))
        return based_on(state, factor, cov)


def newton_step(state: PosteriorState, gaps: Floats, pace: float) -> tuple[float, Floats, Floats]:
    """One step towards the fixed point, at which the prior balances every mean surprise.

    It updates the weights from the current advantages, then the ratings and the effects, and at
    last the variances. Weights and ratings move by the share `pace` of their whole step.
    Returns the largest change of an effect, or whole step of a rating; L; and S = (L L')^-1.
    """
    precision, slope, surprise = kernels.balance(state, gaps, pace)
    factor = factorised(precision)
    size = kernels.move(state, solved(factor, slope), surprise, pace)
    cov = inverted(factor)
    kernels.fill_gaps(state, cov, gaps)
    return size, factor, cov


def folded(state: PosteriorState) -> PosteriorState:
    """The same posterior without rows: S0 is S."""
    with one_blas_thread():
        rows = state.rows[: state.counts[ROWS]]
        cov = state.base_cov - rows.T @ rows
        return based_on(state, factorised(inverted(factorised(cov))), cov)


def based_on(state: PosteriorState, factor: Floats, cov: Floats) -> PosteriorState:
    """The state with a new S0 = (L L')^-1 and no rows; its strengths are brought up to date."""
    state.counts[ROWS] = 0
    state.rating_var[:] = np.diagonal(cov)
    state = state._replace(base_cov=cov, factor=factor)
    kernels.update_strengths(state)
    return state
