import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.games import elo_game, good_bad, transitive, triangular

seeds = st.integers(0, 2**32 - 1)
populations = st.integers(2, 12)


def seeded(seed):
    return np.random.default_rng(seed)


@given(seeds, populations, st.floats(0.1, 3.0))
def test_elo_has_no_cycles(seed, n_players, spread):
    game = elo_game(seeded(seed), n_players=n_players, spread=spread)
    advantages = 2 * np.arctanh(game.payoffs)
    ratings = advantages.mean(axis=1)
    np.testing.assert_allclose(advantages, np.subtract.outer(ratings, ratings), atol=1e-6)


def test_elo_ratings_have_the_requested_spread():
    game = elo_game(seeded(0), n_players=2_000, spread=1.0)
    ratings = (2 * np.arctanh(game.payoffs)).mean(axis=1)
    assert ratings.std() == pytest.approx(1.0, abs=0.03)
    assert np.ptp(ratings) < 2 * np.sqrt(3)


@given(seeds, st.floats(0.01, 2.0))
def test_elo_noise_is_fair_and_added_to_the_same_players(seed, noise):
    plain = elo_game(seeded(seed), n_players=8)
    noisy = elo_game(seeded(seed), n_players=8, noise=noise)
    assert noisy.name == f"elo + noise={noise:g}"
    assert (np.diag(noisy.payoffs) == 0).all()
    added = (noisy.payoffs - plain.payoffs)[np.triu_indices(8, 1)]
    assert np.abs(added).max() < 6 * noise


def test_elo_noise_has_the_requested_size():
    plain, noisy = elo_game(seeded(0), spread=0.1), elo_game(seeded(0), spread=0.1, noise=0.05)
    added = (noisy.payoffs - plain.payoffs)[np.triu_indices(100, 1)]
    assert added.std() == pytest.approx(0.05, rel=0.05)


def test_noise_per_seat_is_averaged_and_clipped_before():
    plain = elo_game(seeded(0), spread=0.1).payoffs
    noisy = elo_game(seeded(0), spread=0.1, noise=0.05, noise_kind="seat").payoffs
    added = (noisy - plain)[np.triu_indices(100, 1)]
    assert added.std() == pytest.approx(0.05 / np.sqrt(2), rel=0.05)
    sure = elo_game(seeded(0), spread=10.0, noise=0.05, noise_kind="seat").payoffs
    wins = sure[elo_game(seeded(0), spread=10.0).payoffs > 1 - 1e-9]
    assert (wins == 1).mean() == pytest.approx(0.25, abs=0.03)  # no seat may lose by the noise


def test_players_of_a_pool_are_evenly_spaced_and_their_payoffs_scaled():
    alone, pooled = transitive(seeded(0)), transitive(seeded(0), pool=1_000)
    gaps = [np.diff(np.sort(game.mean_scores)) for game in (alone, pooled)]
    assert gaps[1].std() < 0.5 * gaps[0].std()
    assert transitive(seeded(0), n_players=9, pool=9).payoffs.max() == 1.0


def test_noise_of_the_pool_is_scaled_with_it():
    noisy = elo_game(seeded(0), pool=1_000, noise=0.1, noise_kind="pool")
    plain = elo_game(seeded(0), pool=1_000)
    assert np.abs(noisy.payoffs).max() < 1.0
    assert noisy.mean_scores.std() == pytest.approx(plain.mean_scores.std() / 1.33, rel=0.05)


@given(seeds, populations)
def test_transitive_payoffs_are_differences(seed, n_players):
    payoffs = transitive(seeded(seed), n_players=n_players).payoffs
    np.testing.assert_allclose(payoffs, payoffs[:, :1] + payoffs[:1, :], atol=1e-15)


@given(seeds, populations)
def test_triangular_is_a_strict_order(seed, n_players):
    wins = (triangular(seeded(seed), n_players=n_players).payoffs == 1).sum(axis=1)
    assert sorted(wins) == list(range(n_players))


@given(st.integers(1, 5), st.integers(1, 5))
def test_the_last_good_player_is_the_best(good, bad):
    game = good_bad(seeded(0), good=good, bad=bad)
    assert game.top() == [good - 1]
    assert game.n_players == good + bad
