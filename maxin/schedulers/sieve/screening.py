"""Which matches to play while most players of a large field may still be among the best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maxin.core.compile import Floats, Ints
from maxin.ratings.posterior.state_kernels import KAPPA2
from maxin.ratings.sparse.doubt_kernels import fill_chances
from maxin.ratings.sparse.sparse_posterior import SparsePosterior

BATCH_SHARE = 8.0  # a batch has this many times fewer matches than there are effective rivals
MORE = 512  # pairs that a plan has beyond two batches, for matches pending longer


class Rivals(NamedTuple):
    """Who may belong to the top: the leaders, and everyone's P(better than the last of them)."""

    leaders: Ints
    chances: Floats
    n_effective: float  # (sum of chances)^2 / (sum of their squares)


def find_rivals(graph: SparsePosterior, k: int) -> Rivals:
    """The k players rated highest, and how likely the others are to replace the last of them.

    Leaders have 1/2 each in the effective number, and count as certain in `chances`.

    >>> find_rivals(SparsePosterior(3_000), 1).n_effective
    3000.0
    """
    state = graph.state
    ratings = np.where(state.members, state.ratings, -np.inf)
    leaders = np.argpartition(-ratings, k - 1)[:k]
    leaders = leaders[np.argsort(-ratings[leaders], kind="stable")]
    last = leaders[-1]
    variance = 1.0 / state.precisions[last] + 2.0 * state.scales[KAPPA2] / graph.n_members
    chances = np.empty(graph.n_players)
    fill_chances(state, float(state.ratings[last]), float(variance), chances)
    chances[leaders] = 0.5
    n_effective = float(chances.sum() ** 2 / np.square(chances).sum())
    chances[leaders] = 1.0
    return Rivals(leaders, chances, n_effective)


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
