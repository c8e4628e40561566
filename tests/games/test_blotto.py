import numpy as np
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
