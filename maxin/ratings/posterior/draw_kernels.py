"""Draws of the strengths from a posterior; compiled. The symbols are those of `state_kernels`."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, compiled
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOISE,
    ROWS,
    SLOPE,
    PosteriorState,
    fill_mean_advantage,
    open_effects,
)


@compiled
def drawn(
    state: PosteriorState, bases: Floats, row_noise: Floats, effect_noise: Floats, scale: float
) -> Floats:
    """Strengths t + scale * noise, one row for each row of `bases`: draws, if `scale` is 1.

    A base is a draw x from N(0, S0), and the other numbers are normal. Every row of K takes from x
    what its match taught, by Matheron's rule: x - K' xi, where xi = sqrt(eta) (f (x_i - x_j) +
    noise) has variance 1 and covariance K with x. The strengths are G x plus the mean effects.

    Mean effects have the covariance kappa^2 Lap(f) / n^2. Their variances here are exact, but
    their covariances are as if each f_ij was the product of a number for i and one for j: exact
    if all f are equal, and of order 1 / n of the variances in any case.
    """
    members, n_members = state.members, state.members.sum()
    spreads = np.sqrt(open_effects(state) * (1.0 + members / (n_members - 1.0)))
    total = (members * spreads * spreads).sum()
    unit = math.sqrt(state.scales[KAPPA2]) / n_members
    draws: Floats = np.empty_like(bases)
    for draw in range(len(bases)):
        base = bases[draw].copy()
        for k in range(state.counts[ROWS]):
            i, j = state.row_pairs[k]
            amount = state.row_scales[k, SLOPE] * (base[i] - base[j])
            amount += state.row_scales[k, NOISE] * row_noise[draw, k]
            for x in range(len(base)):
                base[x] -= amount * state.rows[k, x]
        fill_mean_advantage(state, base, draws[draw])
        common = (members * spreads * effect_noise[draw]).sum() / total
        for x in range(len(base)):
            effect = spreads[x] * (effect_noise[draw, x] - members[x] * spreads[x] * common)
            draws[draw, x] = state.strengths[x] + scale * (draws[draw, x] + unit * effect)
    return draws
