"""Races: functions of their descriptions that read what the simulation shows."""

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

from maxin.simulation.simulation import start_simulation
from maxin_studies.benchmarks.races import Race, game_of, race_rounds

FIELD = "field:n_players=5,spread=2"


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_race_is_a_function_of_its_description():
    race = Race(FIELD, "", "top-two", 60, 0)
    assert same(race.run(), race.run())
    others = [Race(FIELD, "", "top-two", 60, 1), Race(FIELD, "", "top-two", 60, 0, in_flight=4)]
    assert not any(same(race.run(), other.run()) for other in others)
    assert len({race.key, *(other.key for other in others)}) == 3


def test_keys_of_stored_races_stay_valid():
    assert Race(FIELD, "", "top-two", 60, 0).key == "f58f5023a1fe13548ed1"


def test_a_race_reads_what_the_simulation_shows():
    curves = Race(FIELD, "", "random+bradley-terry", 50, 3).run()
    simulation = start_simulation(game_of(FIELD, 3), "random+bradley-terry", 3)
    for place, rounds in enumerate(race_rounds(50)):
        simulation.advance(int(rounds) - simulation.n_rounds)
        leader = simulation.scheduler.ratings().argmax()
        strengths = game_of(FIELD, 3).ratings
        ratings, best = simulation.scheduler.ratings(), strengths.argmax()
        misses = (ratings - ratings.mean()) - (strengths - strengths.mean())
        assert curves.error[place] == pytest.approx(np.sqrt(np.mean(misses**2)), rel=1e-5)
        assert curves.reciprocal_rank[place] == np.float32(1 / rankdata(-ratings)[best])
        if rounds > 10:
            assert curves.found[place] == (leader == best)
            assert curves.loss[place] == np.float32(strengths[best] - strengths[leader])
            tau = kendalltau(simulation.scheduler.ratings(), game_of(FIELD, 3).ratings).statistic
            assert curves.ordered[place] == pytest.approx(0.5 + tau / 2.0)
    assert curves.regret[-1] == np.float32(simulation.regret)


def test_a_player_who_shares_the_top_is_not_found():
    """A round robin's first round has many winners with equal ratings."""
    curves = Race("field:n_players=20", "", "round-robin:cycles=none", 40, 10_000).run()
    first = slice(0, int(np.searchsorted(race_rounds(40), 10)) + 1)  # ten matches are a round
    assert curves.reciprocal_rank[first].max() < 0.5


def test_readings_end_with_the_last_match():
    for rounds in (10, 199, 4000, 30_000):
        readings = race_rounds(rounds)
        assert readings[0] >= 1
        assert readings[-1] == rounds
        assert (np.diff(readings) > 0).all()


def test_a_schedule_that_ends_early_keeps_its_last_values():
    curves = Race(FIELD, "", "round-robin", 40, 0).run()  # over after ten matches
    place = int(np.searchsorted(race_rounds(40), 10))
    for curve in curves:
        assert (curve[place:] == curve[place]).all()
