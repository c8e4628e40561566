"""Laws of the games made from rules, other than board games."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.games import blotto, disc, elo, good_bad, kuhn_poker, transitive, triangular
from maxin.games.blotto import allocations
from maxin.games.kuhn_poker import first_seat_gains

seeds = st.integers(0, 2**32 - 1)
populations = st.integers(2, 12)


def seeded(seed):
    return np.random.default_rng(seed)


@given(seeds, populations, st.floats(0.1, 3.0))
def test_elo_has_no_cycles(seed, n_players, spread):
    game = elo(seeded(seed), n_players=n_players, spread=spread)
    advantages = 2 * np.arctanh(game.payoffs)
    ratings = advantages.mean(axis=1)
    np.testing.assert_allclose(advantages, np.subtract.outer(ratings, ratings), atol=1e-6)


def test_elo_ratings_have_the_spread_asked_for():
    game = elo(seeded(0), n_players=2_000, spread=1.0)
    ratings = (2 * np.arctanh(game.payoffs)).mean(axis=1)
    assert ratings.std() == pytest.approx(1.0, abs=0.03)
    assert np.ptp(ratings) < 2 * np.sqrt(3)


@given(seeds, st.floats(0.01, 2.0))
def test_elo_noise_is_fair_and_added_to_the_same_players(seed, noise):
    plain, noisy = elo(seeded(seed), n_players=8), elo(seeded(seed), n_players=8, noise=noise)
    assert noisy.name == f"elo + noise={noise:g}"
    assert (np.diag(noisy.payoffs) == 0).all()
    added = (noisy.payoffs - plain.payoffs)[np.triu_indices(8, 1)]
    assert np.abs(added).max() < 6 * noise


def test_elo_noise_has_the_size_asked_for():
    plain, noisy = elo(seeded(0), spread=0.1), elo(seeded(0), spread=0.1, noise=0.05)
    added = (noisy.payoffs - plain.payoffs)[np.triu_indices(100, 1)]
    assert added.std() == pytest.approx(0.05, rel=0.05)


@given(seeds, populations)
def test_transitive_payoffs_are_differences(seed, n_players):
    payoffs = transitive(seeded(seed), n_players=n_players).payoffs
    np.testing.assert_allclose(payoffs, payoffs[:, :1] + payoffs[:1, :], atol=1e-15)


@given(seeds, populations)
def test_triangular_is_a_strict_order(seed, n_players):
    wins = (triangular(seeded(seed), n_players=n_players).payoffs == 1).sum(axis=1)
    assert sorted(wins) == list(range(n_players))


@given(seeds)
def test_disc_payoffs_have_rank_two(seed):
    payoffs = disc(seeded(seed), n_players=9).payoffs
    assert np.linalg.matrix_rank(payoffs, tol=1e-9) == 2


def test_disc_points_fill_the_disc_evenly():
    payoffs = disc(seeded(0), n_players=2_000).payoffs
    # E (x_1 y_2 - x_2 y_1)^2 = 2 E[x_1^2]^2 with E[x_1^2] = 1/4 on the unit disc.
    assert (payoffs**2).mean() == pytest.approx(1 / 8, rel=0.05)


@given(st.integers(1, 5), st.integers(1, 5))
def test_the_last_good_player_is_the_best(good, bad):
    game = good_bad(seeded(0), good=good, bad=bad)
    assert game.top() == [good - 1]
    assert game.n_players == good + bad


@given(st.integers(1, 6), st.integers(2, 4))
@settings(max_examples=15)
def test_blotto_players_are_all_allocations_judged_field_by_field(soldiers, fields):
    game, forces = (
        blotto(seeded(0), soldiers=soldiers, fields=fields),
        list(allocations(soldiers, fields)),
    )
    assert forces == sorted(set(forces))
    assert {sum(force) for force in forces} == {soldiers}
    for i, mine in enumerate(forces):
        for j, theirs in enumerate(forces):
            pairs = list(zip(mine, theirs, strict=True))
            won, lost = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
            assert game.payoffs[i, j] == (won > lost) - (won < lost)


def habit(player, bit):
    return bool(player >> bit & 1)


def open_spiel_gain(state, first, second):
    """The first seat's mean gain when both follow their habits, by OpenSpiel's rules."""
    if state.is_terminal():
        return state.returns()[0]
    if state.is_chance_node():
        return sum(
            p * open_spiel_gain(state.child(action), first, second)
            for action, p in state.chance_outcomes()
        )
    seat, deal_and_moves = state.current_player(), state.history()
    is_facing_bet = 1 in deal_and_moves[2:]
    bit = deal_and_moves[seat] + 3 * is_facing_bet
    action = int(habit((first, second)[seat], bit))
    return open_spiel_gain(state.child(action), first, second)


def test_kuhn_poker_agrees_with_open_spiel():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    start, game = pyspiel.load_game("kuhn_poker").new_initial_state(), kuhn_poker(seeded(0))
    for i, j in seeded(0).integers(64, size=(60, 2)).tolist():
        gain = (open_spiel_gain(start, i, j) - open_spiel_gain(start, j, i)) / 2
        assert game.payoffs[i, j] == pytest.approx(gain / 2, abs=1e-15)


def test_kuhn_poker_worked_by_hand():
    habits = (np.arange(64)[:, None] >> np.arange(6)) & 1 == 1
    gains = first_seat_gains(habits[:, :3], habits[:, 3:])
    assert gains[0, 0] == 0.0  # check, check: each card is as often the higher
    # Always betting against one who calls with K only: K costs 2 in a third of the deals.
    assert gains[0b000111, 0b100000] == pytest.approx((4 * 1 - 2 * 2) / 6)
    # First folds to every bet, second bets every card: it loses its ante each deal.
    assert gains[0, 0b000111] == -1.0


def test_kuhn_value_is_that_of_the_solved_game():
    """Kuhn's equilibrium (alpha = 0) loses 1/18 in the first seat, against its best reply."""
    # First seat: check all; call K always, call Q with probability 1/3 (a mix of two players).
    calls_k, calls_qk = 0b100000, 0b110000
    habits = (np.arange(64)[:, None] >> np.arange(6)) & 1 == 1
    gains = first_seat_gains(habits[:, :3], habits[:, 3:])
    mixed = 2 / 3 * gains[calls_k] + 1 / 3 * gains[calls_qk]
    assert mixed.min() == pytest.approx(-1 / 18)
