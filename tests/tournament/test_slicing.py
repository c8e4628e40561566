"""Slices of a tournament: from its record, of what stands, as files and other processes have it."""

import json

import numpy as np
import pytest

from maxin import InvalidInput, Tournament
from maxin.ratings.fading import weights_of
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.tournament.results import read_results
from maxin.tournament.results.slicing import read_slices, stored_slices
from maxin.views import Slices
from tests.helpers.leagues import NAMES
from tests.helpers.sliced import FIELD, simulated


@pytest.fixture(scope="module")
def played():
    """A tournament of four players with two slices."""
    with simulated(1, n_players=4, n_slices=2, n_matches=60)[0] as tournament:
        yield tournament


def ratings(slices):
    return {name: [row.rating for row in board] for name, board in slices.items()}


def test_results_are_in_the_slices_of_their_data(played):
    slices = played.slices(FIELD)
    assert {name: sum(row.matches for row in board) for name, board in slices.items()} == {
        "s0": 60,
        "s1": 60,
    }
    wins = {row.player: row.wins for row in slices["s0"]}
    for name in played.names:
        mine = [match for match in played.matches() if match.data[FIELD] == "s0"]
        won = sum(match.score for match in mine if match.first == name)
        won += sum(1.0 - match.score for match in mine if match.second == name)
        assert wins[name] == won


def test_a_file_and_a_record_have_the_same_slices(played, tmp_path):
    path = tmp_path / "log.csv"
    lines = [f"{m.first},{m.second},{m.score},{m.data[FIELD]}" for m in played.matches()]
    path.write_text("\n".join(["first,second,score,category", *lines]))
    read = read_slices(read_results(path), played.names, FIELD)
    stored = stored_slices(played.store, FIELD, 10**9, 4)
    assert read.slices.keys() == stored.slices.keys()
    for name, tally in read.slices.items():
        assert tally.is_like(stored.slices[name])
    again = Slices.of(played.belief(), read)
    for name, values in ratings(again).items():
        np.testing.assert_allclose(values, ratings(played.slices(FIELD))[name], atol=1e-6)


def test_what_was_taken_back_leaves_its_slice():
    with Tournament(NAMES, "sqlite://", seed=1) as tournament:
        for category in ("code", "code", "prose"):
            tournament.tell(tournament.ask(), 1.0, data={FIELD: category})
        before = tournament.slices(FIELD)
        tournament.retract(3, "a mistake")
        assert list(before) == ["code", "prose"]
        assert list(tournament.slices(FIELD)) == ["code"]
        tournament.retract(1, "a mistake")
        tournament.retract(2, "a mistake")
        with pytest.raises(InvalidInput, match="no result has a value of 'category'"):
            tournament.slices(FIELD)


def test_players_who_join_are_in_every_slice(played):
    with Tournament(NAMES, "sqlite://", seed=1) as tournament:
        tournament.tell(tournament.ask(), 1.0, data={FIELD: "code"})
        tournament.add("new")
        assert {row.player for row in tournament.slices(FIELD)["code"]} == {*NAMES, "new"}


def test_games_draws_and_judges_are_counted_by_slice():
    with Tournament(["anna", "bo"], "sqlite://", seed=1, games_per_match=2) as tournament:
        for category, judge in (("code", "ann"), ("code", "ann"), ("prose", None)):
            data = {FIELD: category} | ({"judge": judge} if judge else {})
            tournament.tell(tournament.ask(), 0.5, games=[1.0, 0.0], data=data)
        results = stored_slices(tournament.store, FIELD, 10**9, 2)
        assert results.slices["code"].judged["ann"].games.sum() == 2.0
        assert not results.slices["prose"].judged
        assert results.slices["prose"].splits.sum() == 0.25
        row = tournament.slices(FIELD)["code"][0]
        assert (row.matches, row.wins + row.losses) == (2, 4)


def test_a_match_is_in_the_slice_that_all_its_games_name():
    with Tournament(["anna", "bo"], "sqlite://", seed=1, games_per_match=2) as tournament:

        def play(first, second, seed):
            return {"score": first < second, "data": {"opening": "e4" if seed % 4 else "d4"}}

        tournament.run(play, budget=40, confidence=None)
        slices = tournament.slices("opening")
        openings = [{game["opening"] for game in m.data["games"]} for m in tournament.matches()]
        assert {name: board[0].matches for name, board in slices.items()} == {
            name: openings.count({name}) for name in ("e4", "d4") if {name} in openings
        }
        assert slices.n_missing == openings.count({"e4", "d4"})


@pytest.mark.parametrize("half_life", [40, "1h"])
def test_older_results_fade_by_their_age_in_the_whole_record(half_life):
    tournament, _ = simulated(2, n_players=4, n_slices=3, n_matches=130, half_life=half_life)
    with tournament:
        fading = tournament.settings.fading
        results = stored_slices(tournament.store, FIELD, 10**9, 4, fading)
        played = list(tournament.matches())
        weights = weights_of(fading, np.array([match.time for match in played]))
        for name, tally in results.slices.items():
            expected = JudgedTally(4)
            for match, weight in zip(played, weights, strict=True):
                if match.data[FIELD] == name:
                    numbers = [tournament.names.index(p) for p in (match.first, match.second)]
                    expected.add(*numbers, match.score, weight)
            np.testing.assert_allclose(
                results.counted(name).crosstable(), expected.crosstable(), atol=1e-9
            )
            assert tally.games.sum() == sum(match.data[FIELD] == name for match in played)
        assert sum(row.matches for row in tournament.slices(FIELD)["s0"]) == 2 * 44


@pytest.mark.parametrize("field", ["", "  ", None, 3, "a\0b"])
def test_a_field_must_have_a_name(played, field):
    with pytest.raises(InvalidInput, match="by must be the name of a field of the results; got"):
        played.slices(field)


def test_a_file_names_the_line_whose_value_is_no_slice(tmp_path):
    path = tmp_path / "log.json"
    rows = [{"first": "a", "second": "b", "score": 1, "kind": kind} for kind in ("x", ["y"])]
    path.write_text(json.dumps(rows))
    with pytest.raises(InvalidInput, match=r"line 2: .*a value of 'kind' is a list"):
        read_slices(read_results(path), ["a", "b"], "kind")


def test_a_field_with_many_values_is_refused():
    with Tournament(["anna", "bo"], "sqlite://", seed=1) as tournament:
        rows = [("anna", "bo", 1.0)] * 60
        tournament.add_results(rows)
        for number in range(51):
            tournament.tell(tournament.ask(), 1.0, data={"id": number})
        with pytest.raises(InvalidInput, match="at most 50 values; 'id' has more: "):
            tournament.slices("id")


def test_slices_ignore_judges_as_the_leaderboard_does(tmp_path):
    with Tournament(["anna", "bo"], "sqlite://", seed=1) as tournament:
        for number in range(90):
            score, judge = float(number % 3 > 0), ("poor", "good", "good")[number % 3]
            data = {"category": "code", "length": [number % 7, 3]}
            ticket = tournament.ask()
            won = score if ticket.first == "anna" else 1.0 - score
            tournament.tell(ticket, won, data=data, judge=judge)
        judged = tournament.slices("category")
        plain = tournament.slices("category", ignore_judges=True)
        assert plain["code"].judging == tournament.leaderboard(ignore_judges=True).judging
        assert judged["code"].judging == tournament.leaderboard().judging
        assert judged["code"].judging.is_fitted
        assert judged["code"][0].rating > plain["code"][0].rating + 20
        page = tournament.report(tmp_path / "report.html", ignore_judges=True).read_text()
        assert "2 judges ignored, as asked" in page
        assert "judges fitted" not in page
        assert "of covariates" not in page
        page = tournament.report(tmp_path / "controls.html", controls=["length"]).read_text()
        assert "The effects of covariates are not taken out of these ratings." in page


def test_slices_are_shown_in_a_report(played, tmp_path):
    page = played.report(tmp_path / "report.html").read_text()
    assert "<h2>By category</h2>" in page
    assert "2 slices by category, 60 matches" in page
    with Tournament(["anna", "bo"], "sqlite://", seed=1) as tournament:
        for number in range(60):
            tournament.tell(tournament.ask(), 1.0, data={"category": number, "kind": number % 2})
        page = tournament.report(tmp_path / "many.html").read_text()
        assert "<h2>Slices</h2>" in page
        assert "at most 50 values" in page
        assert "<h2>By kind</h2>" in tournament.report(tmp_path / "k.html", by="kind").read_text()
        with pytest.raises(InvalidInput, match="no result has a value of 'kinds'"):
            tournament.report(tmp_path / "kinds.html", by="kinds")
