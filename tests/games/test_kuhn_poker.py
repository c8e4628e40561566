import numpy as np
import pytest

from maxin.evaluation import sink_players
from maxin.games import kuhn_poker
from maxin.games.kuhn_poker import Habits, deal_gains


def seeded(seed):
    return np.random.default_rng(seed)


def first_seat_gains():
    """Mean gain of each player (row), moving first, against each other (column)."""
    bits = (np.arange(64)[:, None] >> np.arange(6)) & 1 == 1
    habits = Habits(bits[:, :3], bits[:, 3:])
    return deal_gains(habits, habits).mean(axis=0)


def habit(player, bit):
    return bool(player >> bit & 1)


def open_spiel_gain(state, first, second):
    """The first seat's mean gain if both follow their habits, by OpenSpiel's rules."""
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
    gains = first_seat_gains()
    assert gains[0, 0] == 0.0  # both always check, and each card is higher equally often
    # One always bets and the other calls with K only: K costs 2 in a third of the deals.
    assert gains[0b000111, 0b100000] == pytest.approx((4 * 1 - 2 * 2) / 6)
    # The first folds to every bet and the second always bets: the first always loses its ante.
    assert gains[0, 0b000111] == -1.0


def test_kuhn_value_is_that_of_the_solved_game():
    """Kuhn's equilibrium (alpha = 0) loses 1/18 in the first seat against the best response."""
    # The first seat always checks, calls with K, and calls with Q with probability 1/3.
    calls_k, calls_qk = 0b100000, 0b110000
    gains = first_seat_gains()
    mixed = 2 / 3 * gains[calls_k] + 1 / 3 * gains[calls_qk]
    assert mixed.min() == pytest.approx(-1 / 18)


def test_strategies_tie_in_exact_means_and_hardly_ever_in_simulated_ones():
    assert len(sink_players(kuhn_poker(seeded(0)).probabilities)) == 59
    simulated = kuhn_poker(seeded(0), habits="paired", games=100)
    assert len(sink_players(simulated.probabilities)) == 64


def test_simulated_games_approach_the_exact_means():
    exact = kuhn_poker(seeded(0), habits="paired").payoffs
    played = kuhn_poker(seeded(0), habits="paired", games=100_000).payoffs
    assert played.max() == 1.0
    np.testing.assert_allclose(played, exact / exact.max(), atol=0.02)


def test_paired_habits_are_other_players_than_the_same_habits():
    """Players with all habits or none are the same; a player that bets J first bets Q second."""
    same, paired = kuhn_poker(seeded(0)).payoffs, kuhn_poker(seeded(0), habits="paired").payoffs
    assert paired[63, 0] == same[63, 0]
    # Against one who never bets or calls, a bet steals the ante in the deals where it would lose:
    # with J in both deals of the first seat, with Q in one of the two of the second seat.
    assert paired[0b100000, 0] == pytest.approx((2 * 2 / 6 + 2 / 6) / 2 / 2)
