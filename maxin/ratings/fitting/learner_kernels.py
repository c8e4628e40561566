"""Compiled loops of the Bradley-Terry learner, which takes one result at a time."""

from __future__ import annotations

import math

import numpy as np

from maxin.core.compile import Floats, Ints, compiled, sigmoid


@compiled
def bradley_terry_nudge(ratings: Floats, inverse: Floats, i: int, j: int, score: float) -> None:
    """Correct the inverse Hessian for one more match and take the Newton step.

    At the old maximum the gradient was zero, so the new gradient is this match's surprise alone.
    """
    expected = sigmoid(ratings[i] - ratings[j])
    weight = expected * (1.0 - expected)
    reach = inverse[i] - inverse[j]
    shrink = weight / (1.0 + weight * (reach[i] - reach[j]))
    for x in range(len(ratings)):
        factor = shrink * reach[x]
        for y in range(len(ratings)):
            inverse[x, y] -= factor * reach[y]
    ratings += (score - expected) * (1.0 - shrink * (reach[i] - reach[j])) * reach


@compiled
def symmetric_product(matrix: Floats, vector: Floats) -> Floats:
    """A symmetric matrix times a vector; at this size, BLAS's threads would cost more than help."""
    product = np.zeros_like(vector)
    for row in range(len(vector)):
        for column in range(len(vector)):
            product[column] += vector[row] * matrix[row, column]
    return product


@compiled
def bradley_terry_refine(
    ratings: Floats,
    inverse: Floats,
    pairs: Ints,
    tallies: Floats,
    n_pairs: int,
    precision: float,
    tolerance: float,
) -> bool:
    """Repeat r += inverse @ gradient until a step is within `tolerance`, and return True.

    Returns False as soon as a step is more than half as long as the last one: `inverse` is then
    too inaccurate. `pairs[:n_pairs]` are the pairs that met, and `tallies[:n_pairs]` their
    (points of the first player, matches).
    """
    last = math.inf
    while True:
        slope = -precision * ratings
        for pair in range(n_pairs):
            i, j = pairs[pair, 0], pairs[pair, 1]
            surprise = tallies[pair, 0] - tallies[pair, 1] * sigmoid(ratings[i] - ratings[j])
            slope[i] += surprise
            slope[j] -= surprise
        step = symmetric_product(inverse, slope)
        size = np.abs(step).max()
        if not size <= 0.5 * last:
            return False
        ratings += step
        if size <= tolerance:
            return True
        last = size
