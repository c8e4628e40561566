import numpy as np
import pytest

from maxin.core import Stop
from maxin.ratings import Features
from maxin.schedulers.posterior.top_two import TopTwo
from maxin.simulation.planned_tournament import DecisionReader, StrengthGame
from maxin.simulation.simulation import Simulation
from maxin.tournament.goals import Goal
from maxin.views import BeliefCache
from maxin_studies import bench
from maxin_studies.benchmarks import feature_races as module
from maxin_studies.benchmarks.feature_races import (
    FAMILIES,
    FeatureRace,
    LinearRace,
    drawn_field,
    feature_races,
    features_section,
    linear_races,
)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_field_is_the_same_with_and_without_features(family):
    one, other = (drawn_field(family, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1] == other[1]
    assert 0.2 < one[0].std() < 2.0


def test_a_race_is_read_and_repeats():
    race = FeatureRace("smooth curve", True, 60, seed=1)
    one, other = race.run(), race.run()
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert (one.loss >= 0.0).all()
    assert ((one.covered >= 0.0) & (one.covered <= 1.0)).all()
    assert one.explained > 0.0
    assert FeatureRace("smooth curve", False, 10, seed=1).run().explained == 0.0


def test_a_race_with_features_stops_as_a_tournament_with_them_does(monkeypatch):
    ratings = np.array([2.5, *[0.0] * 9])
    table = Features({"step": list(range(10))})
    monkeypatch.setattr(module, "drawn_field", lambda family, rng: (ratings, table))
    found = FeatureRace("smooth curve", True, 400, seed=1).run()
    beliefs = BeliefCache(features=lambda: table)
    reader = DecisionReader(10, Goal(), Stop(), beliefs=beliefs)
    scheduler = TopTwo(10, rng=np.random.default_rng(1), features=table)
    rng = np.random.default_rng([1, 1])
    simulation = Simulation(StrengthGame(ratings), scheduler, rng, reader=reader)
    simulation.advance(400)
    assert reader.is_decided
    assert (found.stop, found.is_wrong) == (simulation.n_rounds, 0.0)


def test_a_race_of_maxin_repeats_on_the_same_field():
    race = LinearRace("linear ladder", 60, seed=1)
    one, other = race.run(), race.run()
    np.testing.assert_array_equal(one.loss, other.loss)
    assert len(one.loss) == len(FeatureRace("linear ladder", False, 60, seed=1).run().loss)
    assert (one.loss >= 0.0).all()


def test_the_section_has_a_row_for_each_family_with_and_without():
    groups = feature_races(2, 30, first_seed=0)
    found = {where: [race.run() for race in some] for where, some in groups.items()}
    linear = {
        family: [race.run() for race in some]
        for family, some in linear_races(2, 30, first_seed=0).items()
    }
    section = features_section(found, linear, 30)
    assert len(section.rows) == 3 * len(FAMILIES)
    assert [row[1] for row in section.rows[:3]] == ["top-two", "top-two", "maxin"]
    assert section.rows[2][0] == section.rows[0][0]
    assert all(len(row) == len(section.header) for row in section.rows)


def test_bench_answers_the_question(tmp_path):
    report = bench(["features"], seeds=2, rounds=30, out=tmp_path, workers=1)
    shown = [row[2] for row in report.sections[0].rows]
    assert shown == ["yes", "no", "yes"] * len(FAMILIES)
    assert "Players with features" in report.path.read_text()
