import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from maxin.core import InvalidInput, Match, Result
from maxin.kernels.posterior import expected_squares, gaps_of
from maxin.ratings import Features, Posterior
from maxin.schedulers import make_scheduler
from tests.helpers.dense_posterior import everything_cov, pair_table, rating_cov

N = 8
seeds = st.integers(0, 10_000)


def played(rng, posterior, truth, n_matches):
    for _ in range(n_matches):
        i, j = rng.choice(len(truth), 2, replace=False).tolist()
        score = float(rng.random() < expit(truth[i] - truth[j]))
        posterior.tell(Result(Match(i, j), score))
    return posterior


def on_a_curve(seed, n_matches, n_players=N):
    """A posterior of players on a curve, its feature and the truth."""
    rng = np.random.default_rng(seed)
    step = rng.uniform(size=n_players)
    truth = 2.0 * np.tanh(3.0 * step)
    return played(rng, Posterior(n_players, features=step), truth, n_matches), step, truth


@given(seed=seeds, n_matches=st.integers(0, 43))
def test_covariances_are_those_of_dense_algebra(seed, n_matches):
    posterior, _, _ = on_a_curve(seed, n_matches)
    state = posterior.state
    everything, to_strengths = everything_cov(state)
    cov = to_strengths @ everything @ to_strengths.T
    np.testing.assert_allclose(rating_cov(state), everything[:N, :N], atol=1e-10)
    np.testing.assert_allclose(state.rating_var, np.diagonal(everything)[:N], atol=1e-10)
    np.testing.assert_allclose(posterior.covariance(), cov, atol=1e-10)
    np.testing.assert_allclose(state.strength_var, np.diagonal(cov), atol=1e-10)
    squares = state.prior_precision @ (rating_cov(state) + np.outer(state.ratings, state.ratings))
    found = expected_squares(state, gaps_of(state))
    assert found == pytest.approx(np.trace(squares), rel=1e-8)


@settings(max_examples=20)
@given(seed=seeds)
def test_settled_means_balance_every_surprise(seed):
    """P r / s^2 = the sum over rivals of what was scored beyond what was expected."""
    posterior, _, _ = on_a_curve(seed, 20)
    posterior.settle()
    state = posterior.state
    kappa2 = state.scales[1]
    effects = pair_table(state, "effects")
    np.testing.assert_allclose(
        state.prior_precision @ state.ratings / state.scales[0],
        (effects - effects.T).sum(axis=1) / kappa2,
        atol=1e-4,
    )


def test_the_order_of_results_does_not_matter_when_settled():
    first, step, _ = on_a_curve(3, 60)
    second, won = Posterior(N, features=step), pair_table(first.state, "points")
    second.fit(won + (pair_table(first.state, "played") - won).T)
    first.settle()
    np.testing.assert_allclose(first.ratings(), second.ratings(), atol=1e-4)


def test_without_shares_it_is_the_posterior_without_features():
    """The prior N(0, s^2 I) is the special case rho = 0: the same steps, the same fixed point."""
    plain, log = Posterior(N), []
    same = Posterior(N)
    same.state = same.state.replace(prior_precision=np.eye(N))
    rng = np.random.default_rng(0)
    for _ in range(60):
        i, j = rng.choice(N, 2, replace=False).tolist()
        log.append(Result(Match(i, j), float(rng.random() < expit(j - i))))
    plain.tell_all(log)
    same.tell_all(log)
    np.testing.assert_allclose(same.ratings(), plain.ratings(), atol=1e-10)
    np.testing.assert_allclose(same.covariance(), plain.covariance(), atol=1e-10)


def test_features_of_a_curve_are_learnt_and_help():
    errors = np.zeros(2)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        step = rng.uniform(size=40)
        truth = 2.0 * np.tanh(3.0 * step)
        posteriors = Posterior(40, features=step), Posterior(40)
        for posterior in posteriors:
            played(np.random.default_rng([seed, 1]), posterior, truth, 400)
        errors += [np.mean((found.ratings() - truth + truth.mean()) ** 2) for found in posteriors]
        assert posteriors[0].prior.explained > 0.7
    assert errors[0] < 0.5 * errors[1]


def test_useless_features_fade():
    rng = np.random.default_rng(0)
    truth, useless = rng.normal(size=40), rng.normal(size=40)
    posterior = played(rng, Posterior(40, features=useless), truth, 800)
    assert posterior.prior.explained < 0.1


def test_a_player_that_joins_is_predicted():
    """As if it had been there from the start: exactly, with the same shares and scales."""
    posterior, _, _ = on_a_curve(1, 60)
    shares, scales = posterior.prior.shares, posterior.state.scales.copy()
    assert posterior.join(2, features=[0.5, 5.0]) == N
    state = posterior.state
    assert state.ratings[N] > state.ratings.min()
    assert (posterior.prior.shares == shares).all()
    assert (state.scales == scales).all()
    everything, _ = everything_cov(state)
    np.testing.assert_allclose(rating_cov(state), everything[: N + 2, : N + 2], atol=1e-9)
    pulled = state.prior_precision @ state.ratings
    np.testing.assert_allclose(pulled[N:], 0.0, atol=1e-8)  # no result pulls at them
    assert state.rating_var[N] < state.rating_var[N + 1]  # far from all others
    posterior.leave(0)
    posterior.settle()


def test_players_join_with_features_if_the_others_have_them():
    with pytest.raises(InvalidInput, match="join with features if the others have them"):
        Posterior(2, features=[1, 2]).join()
    with pytest.raises(InvalidInput, match="join with features if the others have them"):
        Posterior(2).join(features=[1])


@pytest.mark.parametrize("name", ["top-two", "double-thompson", "ranking"])
def test_schedulers_choose_by_features(name):
    rng = np.random.default_rng(0)
    table = Features({"step": np.linspace(0.0, 1.0, N), "family": ["a", "b"] * (N // 2)})
    scheduler = make_scheduler(name, N, rng, features=table)
    for _ in range(60):
        match = scheduler.ask()
        scheduler.tell(Result(match, float(match.first > match.second)))
    assert int(scheduler.ratings().argmax()) >= N - 2
    assert scheduler.posterior.prior.explained > 0.3


def test_other_schedulers_take_no_features():
    with pytest.raises(InvalidInput, match=r"features need one of .*got 'random'"):
        make_scheduler("random", 3, np.random.default_rng(0), features=[1, 2, 3])
    with pytest.raises(InvalidInput, match="at most 2,000 players"):
        make_scheduler("top-two", 2_001, np.random.default_rng(0), features=np.zeros(2_001))
