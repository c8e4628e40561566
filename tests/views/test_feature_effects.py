import json

import numpy as np
import pytest

from maxin import Entrant, Features, Tournament
from maxin.ratings import Tally
from maxin.views import Belief, Overview
from maxin.views.feature_effects import EVEN, FeatureEffects

N = 10


def tournament(n_matches, *features, **settings):
    """Players whose rating rises with their step."""
    rng, steps = np.random.default_rng(0), np.linspace(100.0, 1000.0, N)
    players = [
        Entrant(f"p{n}", {"step": step, "size": float(rng.normal()), "family": "ab"[n % 2]})
        for n, step in enumerate(steps)
    ]
    made = Tournament(players, features=features, **settings)
    for _ in range(n_matches):
        ticket = made.ask()
        lead = 0.4 * (int(ticket.first[1:]) - int(ticket.second[1:]))
        made.tell(ticket, float(rng.random() < 1.0 / (1.0 + np.exp(-lead))))
    return made


def test_a_number_has_a_curve_among_the_ratings():
    overview = tournament(80, "step").overview()
    effects, ratings = overview.features, {row.player: row for row in overview.leaderboard}
    curve = effects.curve
    assert (np.diff(curve.values) > 0.0).all()
    assert EVEN <= len(curve.values) <= 2 * EVEN
    assert curve.players["p9"] == curve.values[-1] == 1000.0
    for name, step in curve.players.items():
        at_step = np.interp(step, curve.values, curve.ratings)
        margin = np.interp(step, curve.values, curve.margins)
        assert abs(ratings[name].rating - at_step) < ratings[name].margin + margin
    mean = np.interp(list(curve.players.values()), curve.values, curve.ratings).mean()
    assert abs(mean) < 20.0  # 0 is the mean of all players
    assert effects.explained > 0.4
    assert effects.ways[0].features == ("step",)
    notes = [note for note in overview.notes if "step" in note]
    assert notes[0].startswith("step explains ")
    assert notes[1].startswith("expected rating by step, with 90 % intervals: -")
    assert notes[1].endswith(" at 1,000")


def test_several_features_have_shares():
    overview = tournament(30, "step", "size", "family").overview()
    assert overview.features.curve is None
    assert "features explain" in "\n".join(overview.notes)
    shares = [way.share for way in overview.features.ways]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= overview.features.explained + 1e-9


def test_an_anchor_sets_the_scale_of_the_curve():
    effects = tournament(40, "step", anchor={"p0": 3000.0}).overview().features
    first, last = effects.curve.ratings[[0, -1]]
    assert first == pytest.approx(3000.0, abs=150.0)
    assert last > first
    assert "+" not in effects.curve.sentence
    plain = tournament(40, "step").overview().features
    np.testing.assert_allclose(np.diff(effects.curve.ratings), np.diff(plain.curve.ratings))


def test_there_is_no_curve_over_a_constant_a_category_or_nothing():
    tally = Tally(3)
    tally.add_many([0, 1], [1, 2], [1.0, 1.0])
    names = ["anna", "bo", "cy"]
    for column in ([7, 7, 7], ["a", "b", "b"]):
        belief = Belief(names, tally, features=Features({"one": column}))
        assert FeatureEffects.of(belief).curve is None
    assert FeatureEffects.of(Belief(names, tally)) is None
    assert tournament(0, "step").overview().features is None


def test_a_removed_player_is_not_on_the_curve():
    made = tournament(0, "step")
    made.remove("p9")
    made.add_results([("p1", "p0", 1.0), ("p2", "p1", 1.0)])
    made.retire("p0")
    curve = made.overview().features.curve
    assert "p9" not in curve.players
    assert "p0" in curve.players
    assert curve.values[-1] == 900.0


def test_programs_get_the_curve():
    document = json.loads(json.dumps(tournament(30, "step").overview().document()))
    found = document["features"]
    assert len(found["curve"]["values"]) == len(found["curve"]["margins"])
    assert found["ways"][0]["way"] in ("curve", "line")
    tally = Tally(2)
    tally.add(0, 1, 1.0)
    assert Overview(Belief(["anna", "bo"], tally), n_matches=1).document()["features"] is None
