"""The fixed point of a sparse posterior by dense algebra, in the obvious way."""

import numpy as np

from maxin.kernels.posterior import expected_score


def dense_fixed_point(state, n_steps=400):
    """Ratings, effects, weights and S of the pairs and scales that `state` has."""
    n, n_pairs = len(state.ratings), state.counts[0]
    spread2, kappa2, _, phi = state.scales[:4]
    pairs, played = state.pairs[:n_pairs], state.played[:n_pairs].astype(float)
    points = state.points[:n_pairs].astype(float)
    ratings, effects, weights = np.zeros(n), np.zeros(n_pairs), np.zeros(n_pairs)
    cov = spread2 * np.eye(n)
    for _ in range(n_steps):
        slope, precision = -ratings / spread2, np.eye(n) / spread2
        surprises = np.zeros(n_pairs)
        for pair, (i, j) in enumerate(pairs):
            share = 1.0 / (1.0 + kappa2 * weights[pair])
            gap = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
            mean = ratings[i] - ratings[j] + effects[pair]
            chance, information = expected_score(mean, share**2 * gap + kappa2 * share)
            surprises[pair] = (points[pair] - played[pair] * chance) / phi
            weights[pair] += 0.5 * (played[pair] * information / phi - weights[pair])
            share = 1.0 / (1.0 + kappa2 * weights[pair])
            along = np.zeros(n)
            along[[i, j]] = 1.0, -1.0
            slope += share * (surprises[pair] + weights[pair] * effects[pair]) * along
            precision += weights[pair] * share * np.outer(along, along)
        cov = np.linalg.inv(precision)
        step = 0.5 * cov @ slope
        ratings += step
        gaps = step[pairs[:, 0]] - step[pairs[:, 1]]
        effects += (kappa2 * (surprises - weights * gaps) - effects) / (1.0 + kappa2 * weights)
    return ratings, effects, weights, cov
