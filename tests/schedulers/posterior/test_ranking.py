import numpy as np

from maxin.core import Result
from maxin.games import make_game
from maxin.schedulers import make_scheduler


def test_the_whole_order_is_found():
    game = make_game("triangular:n_players=12", np.random.default_rng(0))
    scheduler = make_scheduler("ranking", 12, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    for _ in range(1_000):
        match = scheduler.ask()
        scheduler.tell(Result(match, game.play(match, rng)))
    assert np.argsort(scheduler.ratings()).tolist() == np.argsort(game.ratings).tolist()
