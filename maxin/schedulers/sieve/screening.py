"""Which matches to play while most players of a large field may still be among the best."""

from __future__ import annotations

import numpy as np

from maxin.core.arrays import Ints
from maxin.ratings.sparse.contenders import Rivals
from maxin.ratings.sparse.sparse_posterior import SparsePosterior

BATCH_SHARE = 8.0  # a batch has this many times fewer matches than there are effective rivals
MORE = 512  # pairs that a plan has beyond two batches, for matches pending longer


def batch_size(rivals: Rivals, n_members: int) -> int:
    """How many matches are played before the next plan."""
    return max(1, min(int(rivals.n_effective / BATCH_SHARE), n_members // 4))


def screening_pairs(graph: SparsePosterior, n_batch: int, k: int, rng: np.random.Generator) -> Ints:
    """Pairs of neighbours in one draw from the posterior, from its top down.

    With k > 1, a batch lies on both sides of the k-th place, and those above it come last.
    """
    state, n_members = graph.state, graph.n_members
    draw = state.ratings + rng.standard_normal(graph.n_players) / np.sqrt(state.precisions)
    draw[~state.members] = -np.inf
    above = max(0, k - n_batch)
    n_drawn = min(above + 2 * (2 * n_batch + MORE), n_members)
    best = np.argpartition(-draw, n_drawn - 1)[:n_drawn]
    best = np.roll(best[np.argsort(-draw[best], kind="stable")], -above)
    return best[: n_drawn // 2 * 2].reshape(-1, 2)
