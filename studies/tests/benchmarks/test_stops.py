"""StopRace rules: when they stop, and whether a wrong stop is seen."""

import math

import numpy as np
import pytest

from maxin.core import Stop
from maxin.core.units import ELO_PER_NAT
from maxin.ratings import Posterior, Tally
from maxin.simulation.planned_tournament import DecisionReader
from maxin.simulation.simulation import start_simulation
from maxin.tournament.goals import Goal
from maxin.views import Belief, BeliefCache
from maxin_studies.archive import Archive
from maxin_studies.benchmarks import stops as module
from maxin_studies.benchmarks.questions import Arena, Question, stops
from maxin_studies.benchmarks.races import game_of
from maxin_studies.benchmarks.stops import (
    DECIDED,
    EXACT,
    FORMER,
    StopRace,
    StopReader,
    StopTimes,
    evidence_for,
    former_doubt,
)

FIELD = "field:n_players=5,spread=2"


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_stop_notes_when_and_whether_it_was_right():
    stop = StopRace(FIELD, "", "top-two", 2000, 7, confidence=0.9)
    times = stop.run()
    assert same(times, stop.run())
    assert times.matches[DECIDED] > 0
    simulation = start_simulation(game_of(FIELD, 7), "top-two", 7)
    simulation.advance(int(times.matches[DECIDED]))
    is_right = simulation.scheduler.ratings().argmax() == game_of(FIELD, 7).ratings.argmax()
    assert times.is_wrong[DECIDED] == (not is_right)
    assert times.matches[EXACT] >= times.matches[DECIDED]  # a tolerance ends it sooner
    assert times.matches[FORMER] > 0
    assert times.matches[4] >= times.matches[FORMER + 1]


def test_a_rule_that_never_stops():
    times = StopRace("rock-paper-scissors", "", "top-two", 30, 0, confidence=0.999).run()
    assert (times.matches == -1.0).all()
    assert not times.is_wrong.any()
    assert 0.0 <= times.covered <= 1.0


def test_evidence_by_hand():
    means, cov = np.array([1.0, 0.0, 0.5]), np.diag([0.1, 0.3, 0.15])
    z = [1.0 / math.sqrt(0.4), 0.5 / math.sqrt(0.25)]
    tails = sum(0.5 * math.erfc(value / math.sqrt(2.0)) for value in z)
    assert evidence_for(means, cov, 0) == pytest.approx((tails, min(z) ** 2 / 2.0))


def test_the_former_rule_by_hand():
    means, cov = np.array([1.0, 0.0, 0.5]), np.diag([0.1, 0.3, 0.15])
    leads, variances = (1.0 + 10.0 / ELO_PER_NAT, 0.5 + 10.0 / ELO_PER_NAT), (0.4, 0.25)
    expected = sum(
        0.5 * math.erfc(lead / math.sqrt(2.0 * variance)) * (1.0 + math.log1p(0.1 / variance)) ** 2
        for lead, variance in zip(leads, variances, strict=True)
    )
    assert former_doubt(means, cov, 0, 10.0) == pytest.approx(expected)


def test_keys_of_stored_stops_stay_valid():
    assert StopRace(FIELD, "", "top-two", 2000, 7, confidence=0.9).key == "f2103e617760460ab9fb"


class KnownBeliefs(BeliefCache):
    """Gives one belief whatever the results are."""

    def __init__(self, ratings, variance):
        super().__init__()
        names = [str(player) for player in range(len(ratings))]
        tally = Tally(len(ratings))
        tally.add_many([0, 1, 2], [1, 2, 0], [1.0, 1.0, 1.0])
        self.known = Belief(
            names, tally, ratings=lambda _: (np.array(ratings), variance * np.eye(len(ratings)))
        )
        self.known.fit.posterior = Posterior(len(ratings))  # for the intervals

    def get(self, names, tally, states):
        return self.known


def readers(monkeypatch, variance, *truths):
    stop = StopRace("", "", "top-two", 10, 0, tolerance=50.0)
    monkeypatch.setattr(module, "BeliefCache", lambda: KnownBeliefs([0.1, 0.0, -3.0], variance))
    found = [StopReader(np.array(truth), stop) for truth in truths]
    for reader in found:
        reader.look(5)
    return found


def test_wrong_stops_are_seen_and_a_tolerance_is_respected(monkeypatch):
    right, wrong = readers(monkeypatch, 1e-6, [1, 0, -1.0], [0, 1, -1.0])
    for reader in (right, wrong):
        assert (reader.matches == 5.0).all()
        assert reader.is_over
    assert not right.is_wrong.any()
    assert wrong.is_wrong.all()
    far, near = readers(monkeypatch, 4e-3, [0, 2.0, -1], [0, 0.1, -1])  # two are level
    for reader, is_wrong in ((far, 1.0), (near, 0.0)):
        assert reader.matches[DECIDED] == 5.0
        assert reader.is_wrong[DECIDED] == is_wrong
        assert reader.matches[EXACT] == -1.0


def test_a_verdict_comes_when_a_tournament_with_these_results_ends():
    times = StopRace(FIELD, "", "top-two", 2000, 7).run()
    for rule, stop in ((DECIDED, Stop()), (EXACT, Stop(tolerance=0.0))):
        reader = DecisionReader(5, Goal(), stop)
        simulation = start_simulation(game_of(FIELD, 7), "top-two", 7, reader=reader)
        simulation.advance(2000)
        assert times.matches[rule] == simulation.n_rounds < 2000


def test_stored_stop_times_come_back_unchanged(tmp_path):
    [tasks] = stops(Question((Arena("t", FIELD, 300),), 2), "top-two", 5, 0.9, 50.0).values()
    archive = Archive(tmp_path, StopTimes)
    done = {task: task.run() for task in tasks}
    archive.add(done)
    found = archive.outcomes(tasks)
    assert all(same(found[task], done[task]) for task in tasks)
