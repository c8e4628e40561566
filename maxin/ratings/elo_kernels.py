"""Compiled loops of Elo and mElo: for one result, and for a batch of results."""

from __future__ import annotations

import numpy as np

from maxin.core.compile import Floats, Ints, compiled, sigmoid


@compiled
def advantage(parameters: Floats, i: int, j: int) -> float:
    """r_i - r_j + c_i' Omega c_j; column 0 holds r, columns (1, 2), (3, 4), ... planes of c."""
    total: float = parameters[i, 0] - parameters[j, 0]
    for plane in range(1, parameters.shape[1], 2):
        total += parameters[i, plane] * parameters[j, plane + 1]
        total -= parameters[i, plane + 1] * parameters[j, plane]
    return total


@compiled
def add_surprise(
    target: Floats, parameters: Floats, i: int, j: int, score: float, scale: float
) -> None:
    """Add `scale` times the gradient of one result's log-likelihood at `parameters` to `target`."""
    amount = scale * (score - sigmoid(advantage(parameters, i, j)))
    target[i, 0] += amount
    target[j, 0] -= amount
    for plane in range(1, parameters.shape[1], 2):
        target[i, plane] += amount * parameters[j, plane + 1]
        target[i, plane + 1] -= amount * parameters[j, plane]
        target[j, plane] -= amount * parameters[i, plane + 1]
        target[j, plane + 1] += amount * parameters[i, plane]


@compiled
def log_likelihood_gradient(
    parameters: Floats, first: Ints, second: Ints, scores: Floats
) -> Floats:
    """Gradient of the log-likelihood of the results with respect to every parameter."""
    gradient = np.zeros_like(parameters)
    for match in range(len(first)):
        add_surprise(gradient, parameters, first[match], second[match], scores[match], 1.0)
    return gradient
