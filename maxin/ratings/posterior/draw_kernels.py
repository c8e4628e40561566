"""Draws of the strengths from a posterior; compiled. The symbols are those of `state_kernels`."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, compiled
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOISE,
    OUTSIDERS,
    ROWS,
    SLOPE,
    PosteriorState,
    field_size,
    fill_mean_advantage,
    open_effects,
)


@compiled
def effect_spreads(state: PosteriorState) -> Floats:
    """For each player, how much of a normal number its mean effect has, before it is centred."""
    members, n_members = state.members, field_size(state)
    spreads: Floats = np.sqrt(open_effects(state) * (1.0 + members / (n_members - 1.0)))
    return spreads


@compiled
def fill_draw(
    state: PosteriorState,
    spreads: Floats,
    base: Floats,
    row_noise: Floats,
    effect_noise: Floats,
    scale: float,
    draw: Floats,
) -> None:
    """Fill in strengths t + scale * noise: a draw from the posterior, if `scale` is 1.

    The base is a draw x from N(0, S0), and the other numbers are normal. Every row of K takes from
    x what its match taught, by Matheron's rule: x - K' xi, where xi = sqrt(eta) (f (x_i - x_j) +
    noise) has variance 1 and covariance K with x. The strengths are G x plus the mean effects.

    Mean effects have the covariance kappa^2 Lap(f) / n^2. Their variances here are exact, but
    their covariances are as if each f_ij was the product of a number for i and one for j: exact
    if all f are equal, and of order 1 / n of the variances in any case.
    """
    members, n_members = state.members, field_size(state)
    x = base.copy()
    for k in range(state.counts[ROWS]):
        i, j = state.row_pairs[k, 0], state.row_pairs[k, 1]
        amount = state.row_scales[k, SLOPE] * (x[i] - x[j])
        amount += state.row_scales[k, NOISE] * row_noise[k]
        for z in range(len(x)):
            x[z] -= amount * state.rows[k, z]
    fill_mean_advantage(state, x, draw)
    total = (members * spreads * spreads).sum() + state.scales[OUTSIDERS] * n_members
    common = (members * spreads * effect_noise).sum() / total
    unit = math.sqrt(state.scales[KAPPA2]) / n_members
    for z in range(len(x)):
        effect = spreads[z] * (effect_noise[z] - members[z] * spreads[z] * common)
        draw[z] = state.strengths[z] + scale * (draw[z] + unit * effect)


@compiled
def drawn(
    state: PosteriorState, bases: Floats, row_noise: Floats, effect_noise: Floats, scale: float
) -> Floats:
    """Draws, one row for each row of `bases`; see `fill_draw`."""
    spreads, draws = effect_spreads(state), np.empty_like(bases)
    for k in range(len(bases)):
        fill_draw(state, spreads, bases[k], row_noise[k], effect_noise[k], scale, draws[k])
    return draws
