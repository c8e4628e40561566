import numpy as np
import pytest
from scipy.special import ndtr

from maxin.kernels.posterior import MAY_CYCLE
from maxin.ratings import SparsePosterior
from maxin.ratings.sparse.contenders import find_rivals
from maxin.schedulers.sieve.screening import batch_size, screening_pairs

N = 3_000


def known_field(seed):
    """A posterior that knows every rating to within 0.1."""
    graph, rng = SparsePosterior(N), np.random.default_rng(seed)
    graph.state.ratings[:] = rng.standard_normal(N)
    graph.state.precisions[:] = 100.0
    return graph


@pytest.mark.parametrize("k", [1, 5])
def test_rivals_are_those_who_may_be_better_than_the_last_leader(k):
    graph = known_field(0)
    ratings = graph.state.ratings
    leaders, chances, n_effective = find_rivals(graph, k)
    order = np.argsort(-ratings)
    assert leaders.tolist() == order[:k].tolist()
    sd = np.sqrt(0.02 + 2.0 * MAY_CYCLE / N)
    assert chances[order[k:]] == pytest.approx(
        ndtr((ratings[order[k:]] - ratings[leaders[-1]]) / sd)
    )
    assert chances[leaders].tolist() == [1.0] * k
    counted = np.append(chances[order[k:]], [0.5] * k)
    assert n_effective == pytest.approx(counted.sum() ** 2 / (counted**2).sum())


def test_batches_shrink_with_the_rivals():
    assert batch_size(find_rivals(SparsePosterior(N), 1), N) == N // 8
    assert batch_size(find_rivals(known_field(1), 1), N) == 1


@pytest.mark.parametrize(("k", "n_batch"), [(1, 10), (100, 10)])
def test_neighbours_near_the_boundary_of_a_draw_meet(k, n_batch):
    graph = known_field(2)
    graph.state.precisions[:] = 1e30  # a draw is the ratings
    pairs = screening_pairs(graph, n_batch, k, np.random.default_rng(3))
    order = np.argsort(-graph.state.ratings)
    start = max(0, k - n_batch)
    near = order[start : start + 2 * (2 * n_batch + 512)].tolist()
    assert pairs.ravel().tolist() == [*near, *order[:start].tolist()]


def test_players_who_left_are_not_asked():
    graph = SparsePosterior(6)
    graph.leave(2)
    for seed in range(10):
        pairs = screening_pairs(graph, 1, 1, np.random.default_rng(seed))
        assert pairs.shape == (2, 2)
        assert 2 not in pairs
