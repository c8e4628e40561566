from collections import Counter

import numpy as np

from maxin.core import Result
from maxin.games import make_game
from maxin.schedulers import make_scheduler


def test_a_certain_order_is_not_asked_about_the_same_pair_again_and_again():
    scheduler, asked = make_scheduler("ranking", 4, np.random.default_rng(0)), Counter()
    for _ in range(60):
        match = scheduler.ask()
        asked[tuple(sorted(match))] += 1
        scheduler.tell(Result(match, float(match.first > match.second)))
    assert max(asked.values()) <= 30
    assert {player for pair in asked for player in pair} == {0, 1, 2, 3}


def test_the_whole_order_is_found():
    game = make_game("triangular:n_players=12", np.random.default_rng(0))
    scheduler = make_scheduler("ranking", 12, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    for _ in range(1_000):
        match = scheduler.ask()
        scheduler.tell(Result(match, game.play(match, rng)))
    assert np.argsort(scheduler.ratings()).tolist() == np.argsort(game.ratings).tolist()
