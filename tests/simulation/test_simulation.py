"""The simulator: curves as the metrics define them, pending matches, seats and readers."""

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.evaluation import rank_of_best, regret
from maxin.games import make_game
from maxin.schedulers import make_scheduler
from maxin.simulation import Simulation, start_simulation, start_simulations
from maxin.simulation.simulation import CurveReader, GridReader, rank_in, ranks_in


def test_the_trace_agrees_with_the_metrics():
    rng = np.random.default_rng(0)
    game = make_game("elo:n_players=10", rng)
    simulation = Simulation(game, make_scheduler("maxin:alone=self", 10, rng), rng)
    simulation.advance(80)
    trace = simulation.trace()
    assert simulation.n_rounds == len(trace.matches) == 80
    np.testing.assert_allclose(trace.regret, regret(trace.matches, game.ratings))
    assert simulation.rank == trace.rank[-1]
    assert trace.rank[-1] == rank_of_best(simulation.scheduler.ratings(), game.ratings)


def test_ranks_of_rows_are_those_of_the_metric_or_say_that_nobody_is_ranked():
    strengths = np.array([3.0, 1.0, 3.0, 0.0])
    rng = np.random.default_rng(0)
    ratings = rng.integers(4, size=(200, 4)).astype(float)
    ratings[:2] = [[1.0, 1.0, 1.0, 1.0], [np.inf, 0.0, 1.0, 2.0]]
    expected = [2, 4] + [
        2 if len(set(row)) == 1 else rank_of_best(row, strengths) for row in ratings[2:]
    ]
    assert ranks_in(ratings, strengths).tolist() == expected
    assert [rank_in(row, strengths) for row in ratings] == expected


def test_a_run_does_not_depend_on_the_other_schedulers():
    alone = start_simulations("elo:n_players=8", ["random"], seed=4)[0]
    among = start_simulations("elo:n_players=8", ["maxin", "random"], seed=4)[1]
    for simulation in (alone, among):
        simulation.advance(30)
    np.testing.assert_array_equal(alone.trace().matches, among.trace().matches)
    np.testing.assert_array_equal(alone.trace().rank, among.trace().rank)


def test_advancing_in_steps_makes_no_difference():
    one, other = (start_simulations("disc:n_players=8", ["maxin+melo"], seed=2)[0] for _ in "ab")
    one.advance(50)
    for _ in range(50):
        other.advance(1)
    np.testing.assert_array_equal(one.trace().matches, other.trace().matches)


SCHEDULERS = ("top-two", "double-thompson", "random+bradley-terry", "round-robin:cycles=none")


def field():
    return make_game("field:n_players=5,spread=2", np.random.default_rng([0, 0]))


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_as_many_matches_are_pending_as_requested(scheduler):
    simulation = start_simulation(field(), scheduler, 0, in_flight=3)
    for _ in range(20):
        simulation.advance(1)
        assert len(simulation.scheduler.in_flight) == 2  # one of three has ended
    assert simulation.n_rounds == 20


def test_a_schedule_that_ends_finishes_its_pending_matches():
    simulation = start_simulation(field(), "round-robin", 0, in_flight=4)
    simulation.advance(100)
    assert simulation.is_over
    assert simulation.n_rounds == 10


class StopAfter:
    """A reader that ends the run."""

    def __init__(self, n_rounds):
        self.n_rounds = n_rounds

    def is_due(self, n_rounds):
        return n_rounds % 5 == 0

    def read(self, simulation):
        return simulation.n_rounds >= self.n_rounds


def test_a_reader_can_end_the_run():
    simulation = start_simulation(field(), "random", 0, reader=StopAfter(12))
    simulation.advance(100)
    assert simulation.is_over
    assert simulation.n_rounds == len(simulation.matches) == 15
    simulation.advance(5)
    assert simulation.n_rounds == 15
    with pytest.raises(InvalidInput, match="this simulation has a StopAfter"):
        simulation.trace()


def test_a_grid_is_read_at_its_rounds_and_padded_at_the_end():
    reader = GridReader(np.arange(4, 25, 4), lambda simulation: (simulation.n_rounds,))
    simulation = start_simulation(field(), "round-robin", 0, reader=reader)  # ten matches
    simulation.advance(24)
    assert reader.curves(simulation).tolist() == [[4.0, 8.0, 10.0, 10.0, 10.0, 10.0]]


def test_a_curve_reader_reads_every_few_rounds():
    simulation = start_simulation(field(), "random", 0, reader=CurveReader(every=4))
    simulation.advance(10)
    assert simulation.trace().rounds.tolist() == [4, 8]


def test_balanced_seats_differ_by_at_most_one_in_every_pair():
    rng = np.random.default_rng(0)
    scheduler = make_scheduler("random", 5, rng)
    simulation = Simulation(field(), scheduler, rng, in_flight=4, balance_seats=True)
    simulation.advance(300)
    counts = np.zeros((5, 5))
    np.add.at(counts, tuple(np.array(simulation.matches).T), 1)
    assert np.abs(counts - counts.T).max() <= 1 + 4  # of those pending, some have not ended
