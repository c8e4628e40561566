import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxin.games import blotto
from maxin.games.blotto import allocations


@given(st.integers(1, 6), st.integers(2, 4))
@settings(max_examples=15)
def test_players_are_all_allocations_and_the_most_fields_win(soldiers, fields):
    game = blotto(np.random.default_rng(0), soldiers=soldiers, fields=fields)
    forces = list(allocations(soldiers, fields))
    assert forces == sorted(set(forces))
    assert {sum(force) for force in forces} == {soldiers}
    for i, mine in enumerate(forces):
        for j, theirs in enumerate(forces):
            pairs = list(zip(mine, theirs, strict=True))
            won, lost = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
            assert game.payoffs[i, j] == (won > lost) - (won < lost)


def test_a_margin_is_in_units_of_the_largest():
    sign = blotto(np.random.default_rng(0), soldiers=4, fields=4)
    margin = blotto(np.random.default_rng(0), soldiers=4, fields=4, payoff="margin")
    np.testing.assert_array_equal(np.sign(margin.payoffs), sign.payoffs)
    np.testing.assert_array_equal(np.unique(np.abs(margin.payoffs)), [0.0, 0.5, 1.0])


def test_some_players_are_spread_over_all_from_the_worst_on():
    everybody = blotto(np.random.default_rng(0), soldiers=6, fields=3)
    some = blotto(np.random.default_rng(0), soldiers=6, fields=3, n_players=7)
    rows = {tuple(sorted(row)) for row in everybody.payoffs.tolist()}
    assert len(rows) < 28  # players tie, and are then taken at random
    assert some.n_players == 7
    others = [
        blotto(np.random.default_rng(seed), soldiers=6, fields=3, n_players=7).payoffs
        for seed in range(5)
    ]
    assert any(not np.array_equal(some.payoffs, other) for other in others)
    whole = blotto(np.random.default_rng(0), soldiers=6, fields=3, n_players=28)
    np.testing.assert_allclose(np.sort(whole.mean_scores), np.sort(everybody.mean_scores))


@pytest.mark.parametrize(("fields", "n_players"), [(3, 66), (4, 286), (5, 1001)])
def test_ten_soldiers_have_certain_results_and_draws(fields, n_players):
    game = blotto(np.random.default_rng(0), soldiers=10, fields=fields)
    assert game.n_players == n_players
    assert set(np.unique(np.abs(game.payoffs))) == {0.0, 1.0}
    assert 0.6 < game.mean_scores.max() < 0.8
