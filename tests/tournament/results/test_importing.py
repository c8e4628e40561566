"""Results that were played elsewhere are added once per source."""

import pytest

from maxin.core import InvalidInput
from maxin.tournament import ScoreConflict, Tournament
from tests.helpers.leagues import NAMES

ROWS = [("anna", "bo", 1.0), ("bo", "cy", 0.5)]


def test_a_source_is_added_once_and_its_new_lines_later():
    tournament = Tournament(NAMES)
    assert tournament.add_results(ROWS, source="last year") == 2
    assert tournament.add_results([*ROWS, ("cy", "anna", 0.0)], source="last year") == 1
    assert tournament.n_matches == 3
    assert [(row.source, row.number) for row in tournament.matches()] == [("last year", None)] * 3
    assert tournament.verify().problems == []


def test_results_without_a_source_are_always_new():
    tournament = Tournament(NAMES)
    assert tournament.add_results(ROWS) == 2
    assert tournament.add_results(ROWS) == 2
    assert tournament.n_matches == 4


def test_a_line_that_has_changed_is_refused():
    tournament = Tournament(NAMES)
    tournament.add_results(ROWS, source="last year")
    with pytest.raises(ScoreConflict, match=r"line 1: was imported as anna - bo 1, .* anna - bo 0"):
        tournament.add_results([("anna", "bo", 0.0)], source="last year")
    with pytest.raises(ScoreConflict, match=r"is now bo - anna 1"):
        tournament.add_results([("bo", "anna", 1.0)], source="last year")
    assert tournament.n_matches == 2


def test_unknown_players_are_refused_unless_they_are_added():
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput, match=r"line 1: 'eve' is not a player.*--add-players"):
        tournament.add_results([("eve", "bo", 0.0)])
    assert tournament.add_results([("eve", "bo", 0.0)], add_players=True) == 1
    assert tournament.states["eve"] == "active"
    assert tournament.n_matches == 1


@pytest.mark.parametrize("source", [None, "old"])
def test_a_file_is_added_once(tmp_path, source):
    tournament = Tournament(NAMES)
    path = tmp_path / "old.csv"
    path.write_text("first,second,score\nanna,cy,1\ncy,bo,0.5\n")
    assert tournament.add_results(path, source=source) == 2
    assert tournament.add_results(str(path), source=source) == 0
    assert {row.source for row in tournament.matches()} == {source or str(path)}
    assert [row.line for row in tournament.matches()] == [2, 3]
    assert tournament.verify().problems == []


@pytest.mark.parametrize("add_players", [False, True])
def test_nothing_is_added_if_a_line_is_invalid(add_players):
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput, match="line 2: a score"):
        tournament.add_results([("anna", "bo", 1.0), ("anna", "bo", 1.5)], add_players=add_players)
    assert tournament.n_matches == 0
    assert tournament.verify().problems == []


def test_nobody_joins_if_a_line_is_invalid():
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput):
        tournament.add_results([("zed", "anna", 1.0), ("zed", "anna", 3.0)], add_players=True)
    assert "zed" not in tournament.names


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("anna", "bo"), r"line 1: a result must be first, second and score; got \('anna', 'bo'\)"),
        (("anna", 3, 1.0), "line 1: players must be given by name"),
        (("anna", "anna", 1.0), "line 1: 'anna' cannot play itself"),
        (("anna", "bo", "won"), "line 1: a score must be .*; 'anna' - 'bo' has 'won'"),
    ],
)
def test_an_invalid_line_is_named_with_its_rule(row, message):
    with pytest.raises(InvalidInput, match=message):
        Tournament(NAMES).add_results([row])
