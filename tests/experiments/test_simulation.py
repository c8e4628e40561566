import numpy as np

from maxin.evaluation import rank_of_best, regret
from maxin.experiments import Simulation, start_simulations
from maxin.games import make_game
from maxin.schedulers import make_scheduler


def test_trace_is_what_the_metrics_say():
    rng = np.random.default_rng(0)
    game = make_game("elo:n_players=10", rng)
    simulation = Simulation(game, make_scheduler("maxin:alone=self", 10, rng), rng)
    simulation.advance(80)
    trace = simulation.trace()
    assert simulation.n_rounds == len(trace.matches) == 80
    np.testing.assert_allclose(trace.regret, regret(trace.matches, game.ratings))
    assert simulation.rank == trace.rank[-1]
    assert trace.rank[-1] == rank_of_best(simulation.scheduler.ratings(), game.ratings)


def test_a_run_does_not_depend_on_its_neighbours():
    alone = start_simulations("elo:n_players=8", ["random"], seed=4)[0]
    beside = start_simulations("elo:n_players=8", ["maxin", "random"], seed=4)[1]
    for simulation in (alone, beside):
        simulation.advance(30)
    np.testing.assert_array_equal(alone.trace().matches, beside.trace().matches)
    np.testing.assert_array_equal(alone.trace().rank, beside.trace().rank)


def test_slices_make_no_difference():
    one, other = (start_simulations("disc:n_players=8", ["maxin+melo"], seed=2)[0] for _ in "ab")
    one.advance(50)
    for _ in range(50):
        other.advance(1)
    np.testing.assert_array_equal(one.trace().matches, other.trace().matches)
