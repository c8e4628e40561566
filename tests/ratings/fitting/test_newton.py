"""Fits of many players: conjugate gradients against dense algebra and choix."""

import choix
import numpy as np
import pytest
from scipy.special import expit

from maxin.core import InvalidInput
from maxin.core.linalg import SMALL
from maxin.ratings import Pairs, crosstable, fit_bradley_terry
from maxin.ratings.fitting import curvature
from maxin.ratings.fitting.newton import Likelihood, maximise


def random_log(n_players, n_matches, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_players)
    first = rng.integers(n_players, size=n_matches)
    second = (first + rng.integers(1, n_players, size=n_matches)) % n_players
    scores = (rng.random(n_matches) < expit(truth[first] - truth[second])).astype(float)
    return first, second, scores


def chain_log(n_players, n_matches):
    """A line of players, each of whom met only its neighbours: slow for conjugate gradients."""
    first = np.tile(np.arange(n_players - 1), n_matches)
    return first, first + 1, np.arange(len(first)) % 3 / 2.0


def plain_hessian(log, ratings, prior_scale):
    points = crosstable(*log, n_players=len(ratings))
    chances = expit(np.subtract.outer(ratings, ratings))
    weights = (points + points.T) * chances * (1.0 - chances)
    gradient = (points - (points + points.T) * chances).sum(1) - ratings * prior_scale**-2
    return gradient, np.diag(weights.sum(1) + prior_scale**-2) - weights


N = SMALL + 20
LOGS = {
    "dense": random_log(N, 40 * N),
    "sparse": random_log(N, 2 * N),
    "groups": random_log(N, N // 3),
    "chain": chain_log(N, 30),
    "empty": random_log(N, 0),
}


@pytest.mark.parametrize("prior_scale", [0.3, 1.0, 100.0])
@pytest.mark.parametrize("log", LOGS.values(), ids=list(LOGS))
def test_many_players_get_the_maximum_and_the_covariance_of_dense_algebra(log, prior_scale):
    pairs = Pairs.of_log(*log, n_players=N)
    fit = fit_bradley_terry(pairs, prior_scale=prior_scale)
    gradient, hessian = plain_hessian(log, fit.ratings, prior_scale)
    np.testing.assert_allclose(np.linalg.solve(hessian, gradient), 0.0, atol=1e-9)
    asked = [7, 0, N - 1, 200, 201]
    exact = np.linalg.inv(hessian)
    some = fit.covariance_of(asked)
    np.testing.assert_allclose(some, exact[np.ix_(asked, asked)], rtol=1e-8, atol=1e-9)
    np.testing.assert_array_equal(some, some.T)
    np.testing.assert_allclose(fit.covariance, exact, rtol=1e-8, atol=1e-9)
    again = fit_bradley_terry(crosstable(*log, n_players=N), prior_scale=prior_scale)
    np.testing.assert_allclose(again.ratings, fit.ratings, atol=1e-11)


def test_conjugate_gradients_and_the_factor_find_the_same_fit(monkeypatch):
    pairs = Pairs.of_log(*LOGS["dense"], n_players=N)
    solve, n_found = curvature.Curvature._by_gradients, []

    def counted(self, *arguments):
        found = solve(self, *arguments)
        n_found.append(found is not None)
        return found

    monkeypatch.setattr(curvature.Curvature, "_by_gradients", counted)
    fit = fit_bradley_terry(pairs)
    assert all(n_found)
    assert fit.covariance_of([3]).shape == (1, 1)
    assert all(n_found)
    monkeypatch.setattr(curvature, "SMALL", N + 1)
    dense = fit_bradley_terry(pairs)
    assert not any(n_found[-3:])
    np.testing.assert_allclose(fit.ratings, dense.ratings, atol=1e-12)
    np.testing.assert_allclose(fit.covariance_of([3]), dense.covariance[3:4, 3:4], rtol=1e-10)


@pytest.mark.parametrize("log", LOGS.values(), ids=list(LOGS))
def test_too_many_players_for_dense_algebra_are_fitted_without_it(log, monkeypatch):
    dense = fit_bradley_terry(Pairs.of_log(*log, n_players=N))
    expected = dense.covariance[:3, :3]
    monkeypatch.setattr(curvature, "LARGEST_DENSE", N - 1)
    fit = fit_bradley_terry(Pairs.of_log(*log, n_players=N))
    np.testing.assert_allclose(fit.ratings, dense.ratings, atol=1e-9)
    np.testing.assert_allclose(fit.covariance_of([0, 1, 2]), expected, rtol=1e-8, atol=1e-12)
    with pytest.raises(InvalidInput, match=r"limited to 419 players, and there are 420; cov"):
        _ = fit.covariance


def test_a_first_seat_advantage_is_fitted_among_many_players(monkeypatch):
    first, second, scores = LOGS["dense"]
    games, points = np.zeros((2, N, N))
    np.add.at(games, (first, second), 1.0)
    np.add.at(points, (first, second), scores)
    likelihoods = [Likelihood(Pairs.by_seat(points, games), 0.25) for _ in range(2)]
    fit = maximise(np.zeros(N), likelihoods[0], 1.0)
    monkeypatch.setattr(curvature, "SMALL", N + 1)
    dense = maximise(np.zeros(N), likelihoods[1], 1.0)
    np.testing.assert_allclose(fit.ratings, dense.ratings, atol=1e-11)
    assert likelihoods[0].advantage == pytest.approx(likelihoods[1].advantage, abs=1e-11)


def test_a_fit_of_many_players_agrees_with_choix():
    log = LOGS["dense"]
    wins = [(i, j) if s else (j, i) for i, j, s in zip(*log, strict=True)]
    theirs = choix.ilsr_pairwise(N, wins, alpha=0.0, tol=1e-12)
    ours = fit_bradley_terry(Pairs.of_log(*log, n_players=N), prior_scale=1e4).ratings
    np.testing.assert_allclose(ours, theirs - theirs.mean(), atol=1e-6)


def test_a_fit_is_also_a_pair_of_ratings_and_covariance():
    fit = fit_bradley_terry([[0, 3], [1, 0]])
    ratings, covariance = fit
    assert ratings is fit.ratings
    assert covariance is fit.covariance


@pytest.mark.parametrize(("players", "words"), [([3], "0 to 1; got 3"), ([-1], "got -1")])
def test_covariance_names_a_player_who_is_not_there(players, words):
    with pytest.raises(InvalidInput, match=words):
        fit_bradley_terry([[0, 3], [1, 0]]).covariance_of(players)
