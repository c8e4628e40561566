"""A wrong result is taken back: ratings follow, and the record keeps both."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.storage import StoreFailed
from maxin.tournament import Tournament
from maxin.tournament.results import importing
from maxin.tournament.state import state as state_module
from tests.helpers.inside import change_record, prepare, seal_again, state_of
from tests.helpers.leagues import NAMES, play_some

SEALED = Path(__file__).with_name("sealed_store.sql").read_text()


def test_ratings_are_as_if_the_result_had_never_come(url):
    with Tournament(NAMES, url, seed=3) as tournament:
        play_some(tournament, 20)
        before = tournament.tally(), tournament.leaderboard()
        ticket = tournament.ask()
        tournament.tell(ticket, 1.0)
        assert tournament.retract(ticket, "anna had the wrong weights")
        assert tournament.tally().is_like(before[0], 1e-12)
        assert str(tournament.leaderboard()) == str(before[1])
        assert tournament.n_matches == len(list(tournament.matches())) == 20
        assert tournament.store.n_results() == 20
        *_, last = tournament.matches(retracted=True)
        assert (last.number, last.score) == (21, 1.0)
        assert last.retracted == "anna had the wrong weights"
        assert tournament.verify().problems == []


def test_the_first_result_after_a_retraction_counts(url):
    with Tournament(NAMES, url) as tournament:
        ticket = tournament.ask()
        tournament.tell(ticket, 1.0)
        assert tournament.retract(ticket, "typo")
        assert not tournament.retract(ticket.id, "typo")  # it is done
        assert tournament.tell(ticket, 0.0)
        assert not tournament.tell(ticket, 0.0)
        with pytest.raises(InvalidInput, match="has the score 0; it cannot be reported again"):
            tournament.tell(ticket, 1.0)
        assert tournament.retract(ticket, "once more")
        assert tournament.tell(ticket, 0.5)
        found = [(row.score, row.retracted) for row in tournament.matches(retracted=True)]
        assert found == [(1.0, "typo"), (0.0, "once more"), (0.5, None)]
        assert tournament.n_matches == 1
        assert tournament.verify().problems == []


def test_games_are_taken_back_with_the_seats_they_had():
    tournament = Tournament(NAMES, games_per_match=2)
    ticket = tournament.ask()
    tournament.tell(ticket, 0.75, games=[1.0, 0.5])
    tournament.retract(ticket, "typo")
    assert not tournament.tally().games.any()
    assert not tournament.tally().points.any()


@pytest.mark.parametrize("chunk", [2, 5000])
def test_the_results_of_a_source_are_taken_back(url, tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(importing, "CHUNK", chunk)
    path = tmp_path / "battles.csv"
    path.write_text("first,second,score\n" + "anna,bo,1\n" * 5)
    with Tournament(NAMES, url) as tournament:
        tournament.add_results(path)
        tournament.add_results([("cy", "dee", 0.5)], source="by hand")
        assert tournament.retract_source(path, "the judge was asleep") == 5
        assert tournament.retract_source(str(path), "the judge was asleep") == 0
        assert [row.source for row in tournament.matches()] == ["by hand"]
        assert tournament.retract_source("by hand", "typo") == 1
        assert tournament.n_matches == 0
        assert tournament.verify().problems == []
        with pytest.raises(InvalidInput, match=r"no source 'x.csv'; imported: .* and by hand"):
            tournament.retract_source("x.csv", "typo")


def test_one_line_of_a_source_is_taken_back_and_corrected(url, tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text("first,second,score\nanna,bo,1\nanna,cy,1\nbo,cy,1\n")
    with Tournament(NAMES, url) as tournament:
        tournament.add_results(path)
        wrong = next(row.line for row in tournament.matches() if row.second == "cy")
        assert tournament.retract_source(path, "cy won", line=wrong) == 1
        assert tournament.retract_source(path, "cy won", line=wrong) == 0
        assert [row.second for row in tournament.matches()] == ["bo", "cy"]
        path.write_text(path.read_text().replace("anna,cy,1", "anna,cy,0"))
        assert tournament.add_results(path) == 1
        scores = {(row.first, row.second): row.score for row in tournament.matches()}
        assert scores == {("anna", "bo"): 1.0, ("bo", "cy"): 1.0, ("anna", "cy"): 0.0}
        assert tournament.verify().problems == []
        with pytest.raises(InvalidInput, match=r"battles.csv has no result in line 99"):
            tournament.retract_source(path, "typo", line=99)


def test_only_a_result_can_be_taken_back_and_for_a_reason():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    with pytest.raises(InvalidInput, match=r"match 1, .*, has no result to retract: it is pending"):
        tournament.retract(ticket, "typo")
    tournament.void(ticket, "no time")
    with pytest.raises(InvalidInput, match=r"has no result to retract: it is void"):
        tournament.retract(ticket, "typo")
    with pytest.raises(InvalidInput, match="there is no match 2; 1 were handed out"):
        tournament.retract(2, "typo")
    with pytest.raises(InvalidInput, match="there is no source 'x'; nothing was imported"):
        tournament.retract_source("x", "typo")
    for reason in ("", "  ", "two\nlines", 3):
        with pytest.raises(InvalidInput, match="a reason must be a text in one line"):
            tournament.retract(1, reason)


def test_a_finished_match_cannot_be_void():
    tournament = Tournament(NAMES)
    ticket = tournament.ask()
    tournament.tell(ticket, 1.0)
    with pytest.raises(InvalidInput, match=r"has a result, 1, and .* `maxin retract 1 --store"):
        tournament.void(ticket, "typo")
    with pytest.raises(InvalidInput, match=r"or tournament\.retract\(1, reason\) in Python, takes"):
        tournament.void(ticket, "typo")
    tournament.retract(ticket, "typo")
    assert not tournament.void(ticket, "typo")


@pytest.mark.parametrize("few", [0, 1000])
def test_the_scheduler_starts_from_the_points_that_stand(url, monkeypatch, few):
    """Whether what came since is undone, or the whole record is counted."""
    monkeypatch.setattr(state_module, "FEW", few)
    with Tournament(NAMES, url, seed=3) as tournament, Tournament(store=url) as other:
        play_some(tournament, 30)
        other.ask()
        tournament.retract(7, "typo")
        play_some(tournament, 3)
        prepare(other)
        scheduler = state_of(other).pairing.scheduler
        assert scheduler.n_told == 32
        np.testing.assert_allclose(
            scheduler.ratings(), state_of(tournament).pairing.scheduler.ratings(), atol=1e-6
        )
        assert other.verify().problems == []


def test_a_second_result_that_was_put_in_is_named():
    with Tournament(NAMES) as tournament:
        play_some(tournament, 3)
        change_record(
            tournament.store,
            "INSERT INTO maxin_told SELECT 12, match, first, second, score, games, errors, data, "
            "source, line, worker, time, digest FROM maxin_told WHERE match = 2",
            "UPDATE maxin_head SET seq = 12",
        )
        seal_again(tournament.store)
        assert "match 2 has more than one result" in tournament.verify().problems


def test_a_retraction_of_nothing_is_named():
    with Tournament(NAMES) as tournament:
        play_some(tournament, 3)
        change_record(
            tournament.store,
            "INSERT INTO maxin_retracted VALUES (12, 5, 'typo', 'me', 0.0, NULL)",
            "UPDATE maxin_head SET seq = 12",
        )
        with pytest.raises(StoreFailed, match=r"maxin_retracted, .* no earlier entry"):
            tournament.leaderboard()


@pytest.fixture
def sealed(tmp_path):
    """A store of schema 2, whose entries have digests."""
    path = tmp_path / "sealed.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(SEALED)
    connection.close()
    return f"sqlite:///{path}"


def test_a_store_of_schema_2_is_upgraded_with_its_digests(sealed):
    with Tournament(store=sealed) as tournament:
        found = tournament.verify()
        assert (found.problems, found.n_unsealed, found.n_matches) == ([], 0, 6)
        assert found.digest == "d762580986a98a4b9c672c70a33d092b"
        assert tournament.retract(2, "typo")
        assert tournament.tell(2, 0.25, games=[0.5, 0.0])
        assert tournament.retract_source("last-year.csv", "typo") == 2
        assert tournament.verify(digest=found.digest).known_until == 17
        assert tournament.verify().problems == []
        assert tournament.n_matches == 4
