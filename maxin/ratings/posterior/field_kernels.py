"""Relax a whole field, and its scales, on the graph of the pairs that met; compiled."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, compiled
from maxin.ratings.posterior.mixing_kernels import Steps, keep, mixture, no_steps
from maxin.ratings.posterior.posterior_kernels import balance, move
from maxin.ratings.posterior.relaxation_kernels import (
    Relaxation,
    fill_relaxed_gaps,
    pass_messages,
)
from maxin.ratings.posterior.scale_kernels import fit_scales
from maxin.ratings.posterior.state_kernels import KAPPA2, PHI, SPREAD2, PosteriorState

LEARNT = (SPREAD2, KAPPA2, PHI)  # the scales that are learnt
NEAR = 0.3  # steps that change no more than this are mixed
N_STEPS = 2  # of the means and variances, before the scales move
LEAST_PACE = 0.1  # share of a Newton step
ACCURACY = 1e-4  # of the solution of a Newton step, relative


@compiled
def log_scales(scales: Floats) -> Floats:
    """The logarithms of the scales that are learnt."""
    logs: Floats = np.empty(len(LEARNT))
    for place in range(len(LEARNT)):
        logs[place] = math.log(scales[LEARNT[place]])
    return logs


@compiled
def set_ahead(scales: Floats, before: Floats, mixed: Floats) -> None:
    """Set the scales to a mixture, unless it would move one of them against its own step."""
    step = log_scales(scales) - before
    if ((mixed - before) * step >= 0.0).all():
        for place in range(len(LEARNT)):
            scales[LEARNT[place]] = math.exp(mixed[place])
        scales[PHI] = min(scales[PHI], 1.0)


@compiled
def step_scales(
    state: PosteriorState,
    gaps: Floats,
    steps: Steps,
    size: float,
    last: float,
    tolerance: float,
) -> float:
    """Refit the scales; returns the change of everything, of which `size` is that of the ratings.

    If that is more than `tolerance`, but near, the scales' step is mixed with the ones before.
    `last` is the change before.
    """
    before = log_scales(state.scales)
    change = size + fit_scales(state, gaps, 1.0)
    if change <= tolerance:
        return change
    if change > NEAR or change > 2.0 * last:
        steps.filled[0] = 0
    keep(steps, before, log_scales(state.scales) - before)
    if steps.filled[0] > 1:
        set_ahead(state.scales, before, mixture(steps))
    return change


@compiled
def graph_solution(state: PosteriorState, prior: Floats, ties: Floats, right: Floats) -> Floats:
    """(diag(prior) + Lap(ties))^-1 b by conjugate gradients, preconditioned by the diagonal."""
    diagonal = prior.copy()
    for pair in range(len(ties)):
        i, j = state.pairs[pair, 0], state.pairs[pair, 1]
        diagonal[i] += ties[pair]
        diagonal[j] += ties[pair]
    solution, rest = np.zeros_like(right), right.copy()
    scaled = rest / diagonal
    direction, product = scaled.copy(), np.empty_like(right)
    power = (rest * scaled).sum()
    enough = ACCURACY * ACCURACY * power
    for _ in range(2 * len(right) + 10):
        if power <= enough:
            break
        product[:] = diagonal * direction
        for pair in range(len(ties)):
            i, j = state.pairs[pair, 0], state.pairs[pair, 1]
            product[i] -= ties[pair] * direction[j]
            product[j] -= ties[pair] * direction[i]
        length = power / (direction * product).sum()
        solution += length * direction
        rest -= length * product
        scaled = rest / diagonal
        last, power = power, (rest * scaled).sum()
        direction *= power / last
        direction += scaled
    return solution


@compiled
def relax_field(
    state: PosteriorState,
    graph: Relaxation,
    var_scales: Floats,
    gaps: Floats,
    tolerance: float,
    most_rounds: int,
) -> float:
    """Relax everyone until a round moves nothing by more than `tolerance`; returns the last move.

    A round is two Newton steps with fixed scales, and then a step of the scales. Near the fixed
    point these shrink slowly, so they are mixed. Where results are nearly certain, whole Newton
    steps may oscillate forever: a larger advantage makes a smaller weight, and a smaller weight a
    larger advantage. So a step that is longer than the last one and goes back shortens the next.
    Variances of ratings and of their differences are those of belief propagation, corrected by
    `var_scales` and the graph's `gap_scales`.
    """
    steps, change, size, pace = no_steps(len(LEARNT)), 1.0, math.inf, 1.0
    step = np.zeros_like(state.ratings)
    for _ in range(most_rounds):
        last = change
        for _ in range(N_STEPS):
            prior, ties, slope, surprise = balance(state, gaps, pace)
            before_size, before_step, step = size, step, graph_solution(state, prior, ties, slope)
            is_back = (before_step * step).sum() < 0.0
            size = move(state, step, surprise, pace)
            if is_back and size > before_size:
                pace = max(0.7 * pace, LEAST_PACE)
            else:
                pace = min(1.05 * pace, 1.0)
            pass_messages(graph, prior, ties)
            fill_relaxed_gaps(graph, gaps)
        state.rating_var[:] = var_scales / graph.precisions
        change = step_scales(state, gaps, steps, size, last, tolerance)
        if change <= tolerance:
            break
    return change
