import numpy as np

from maxin.core import Result
from maxin.schedulers import make_scheduler

N = 6


def test_a_clear_best_player_meets_itself_when_alone_is_self():
    scheduler = make_scheduler("double-thompson:alone=self", N, np.random.default_rng(0))
    asked = []
    for _ in range(300):
        asked.append(scheduler.ask())
        first, second = asked[-1]
        scheduler.tell(Result(asked[-1], 0.5 if first == second else float(first > second)))
    assert sum(first == second for first, second in asked[-100:]) > 80
    assert scheduler.posterior.n_told == sum(first != second for first, second in asked)
