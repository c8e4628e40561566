import numpy as np
import pytest
from scipy.special import expit

from maxin.core import InvalidInput, Match, Result
from maxin.kernels.posterior import MAY_CYCLE
from maxin.ratings import Posterior, SparsePosterior

N = 400


def some_results(seed, n_matches=900):
    rng = np.random.default_rng(seed)
    strengths = rng.standard_normal(N)
    matches = np.array([rng.choice(N, size=2, replace=False) for _ in range(n_matches)])
    lead = strengths[matches[:, 0]] - strengths[matches[:, 1]]
    return matches, (rng.random(n_matches) < expit(lead)).astype(float)


def told_one_by_one(matches, scores):
    posterior = SparsePosterior(N)
    for (first, second), score in zip(matches.tolist(), scores.tolist(), strict=True):
        posterior.tell(Result(Match(first, second), score))
    return posterior


def test_a_replay_has_the_same_bits():
    one, other = (told_one_by_one(*some_results(0)) for _ in range(2))
    np.testing.assert_array_equal(one.ratings(), other.ratings())
    np.testing.assert_array_equal(one.variances(), other.variances())


def test_a_batch_agrees_with_results_one_by_one():
    matches, scores = some_results(1)
    batch = SparsePosterior(N)
    batch.tell_many(matches, scores)
    one_by_one = told_one_by_one(matches, scores)
    for posterior in (batch, one_by_one):
        posterior.state.scales[:2] = 1.0, 0.3
        posterior.settle(1e-6)
    np.testing.assert_allclose(batch.ratings(), one_by_one.ratings(), atol=2e-3)


def test_ratings_agree_with_the_exact_posterior():
    matches, scores = some_results(2)
    sparse, exact = SparsePosterior(N), Posterior(N, kappa=0.3**0.5)
    sparse.tell_many(matches, scores)
    table = np.zeros((N, N))
    np.add.at(table, (matches[:, 0], matches[:, 1]), scores)
    np.add.at(table, (matches[:, 1], matches[:, 0]), 1.0 - scores)
    exact.fit(table)
    assert np.corrcoef(sparse.ratings(), exact.ratings())[0, 1] > 0.999
    assert np.sqrt(sparse.variances()).mean() == pytest.approx(
        np.sqrt(exact.state.rating_var).mean(), rel=0.1
    )


def test_all_results_can_be_replaced():
    matches, scores = some_results(3)
    told, replaced = SparsePosterior(N), SparsePosterior(N)
    told.tell_many(matches, scores)
    replaced.tell(Result(Match(0, 1), 1.0))
    pairs, places = np.unique(np.sort(matches, axis=1), axis=0, return_inverse=True)
    first = np.where(matches[:, 0] < matches[:, 1], scores, 1.0 - scores)
    points, played = np.bincount(places, first), np.bincount(places).astype(float)
    replaced.replace(pairs, points, played, 0.0)
    assert replaced.n_told == told.n_told
    for posterior in (told, replaced):
        posterior.state.scales[:2] = 1.0, 0.3
        posterior.settle(1e-6)
    np.testing.assert_allclose(replaced.ratings(), told.ratings(), atol=2e-3)


def test_draws_lower_the_dispersion():
    matches, _ = some_results(4)
    posterior = SparsePosterior(N)
    posterior.tell_many(matches, np.where(np.arange(len(matches)) % 2, 0.5, 1.0))
    assert posterior.state.scales[3] < 0.8


def test_the_spread_is_learnt():
    rng = np.random.default_rng(5)
    posterior, strengths = SparsePosterior(N), 0.3 * rng.standard_normal(N)
    for _ in range(12):
        matches = rng.permutation(N).reshape(-1, 2)
        lead = strengths[matches[:, 0]] - strengths[matches[:, 1]]
        posterior.tell_many(matches, (rng.random(len(matches)) < expit(lead)).astype(float))
    assert posterior.state.scales[0] < 0.7


def test_kappa_takes_effect_with_the_next_refit_of_the_scales():
    posterior = SparsePosterior(4)
    posterior.tell_many(np.array([[0, 1], [1, 2]]), np.ones(2))
    posterior.learn_kappa(0.7)
    assert posterior.state.scales[1] == MAY_CYCLE
    posterior.tell(Result(Match(2, 3), 1.0))
    assert posterior.state.scales[1] == 0.7


def test_players_join_and_leave():
    posterior = SparsePosterior(N)
    posterior.tell_many(*some_results(6))
    before = posterior.state.ratings.copy()
    assert posterior.join(2) == N
    assert posterior.n_members == N + 2
    posterior.tell(Result(Match(N + 1, 0), 1.0))
    assert posterior.state.ratings[N + 1] > posterior.state.ratings[N] == 0.0
    posterior.leave(N + 1)
    assert posterior.n_members == N + 1
    assert posterior.ratings()[:N] == pytest.approx(before - posterior.mean(), abs=0.5)
    with pytest.raises(InvalidInput, match="only a player in the field can leave it; got 401"):
        posterior.leave(N + 1)
    with pytest.raises(InvalidInput, match="at least one player must join; got 0"):
        posterior.join(0)


def test_a_field_keeps_two_players():
    with pytest.raises(InvalidInput, match="at least two players"):
        SparsePosterior(2).leave(0)


@pytest.mark.parametrize(
    ("matches", "scores"),
    [([[0, 400]], [1.0]), ([[-1, 0]], [1.0]), ([[0, 1]], [1.0, 0.0]), ([[3, 3]], [1.0])]
    + [([[0, 1]], [score]) for score in (1.5, -0.1, float("nan"))],
)
def test_invalid_results_are_refused(matches, scores):
    posterior = SparsePosterior(N)
    with pytest.raises(InvalidInput):
        posterior.tell_many(np.array(matches), np.array(scores))
    assert posterior.n_told == 0


def test_a_player_cannot_meet_itself():
    with pytest.raises(InvalidInput, match="player 3 did"):
        SparsePosterior(N).tell(Result(Match(3, 3), 1.0))
