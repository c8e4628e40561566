"""A store of the first version opens with all its results, requests and matches.

It has no goal among its settings, its requests are events of the kind "demand", and its snapshot
is of no use any more.
"""

import sqlite3
from pathlib import Path

import pytest

from maxin.core import Entrant
from maxin.tournament import Tournament

STATEMENTS = Path(__file__).with_name("old_store.sql").read_text()
LEADERBOARD = """\
rank  player  rating    ±  P(best)  games   score  W/D/L  state
   1  anna      +167  250   60.3 %      8  95.0 %  7/1/0  active
   2  bo        +117  236   38.8 %     12  87.5 %  9/3/0  active
   3  cy        -119  186    0.6 %     13  31.2 %  3/3/7  active
   4  dee       -165  200    0.3 %     13  28.6 %  1/5/7  active
      eve       -193  330               8  12.5 %  0/2/6  retired"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "league.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(STATEMENTS)
    connection.close()
    return path


@pytest.fixture
def tournament(path):
    with Tournament(store=f"sqlite:///{path}") as tournament:
        yield tournament


def dump(path):
    with sqlite3.connect(path) as connection:
        lines = list(connection.iterdump())
    connection.close()
    return lines


def test_it_is_upgraded_once_and_not_changed_by_looking_at_it(path):
    Tournament(store=f"sqlite:///{path}").close()
    before = dump(path)
    with Tournament(store=f"sqlite:///{path}") as tournament:
        tournament.overview().document()
        tournament.failures()
        list(tournament.matches())
    assert dump(path) == before


def test_the_goal_is_that_of_its_scheduler(tournament):
    assert str(tournament.goal) == "top-2"
    assert tournament.settings.scheduler == "top-two:k=2"
    assert tournament.settings.games_per_match == 2
    assert tournament.settings.match == "by hand"


def test_the_standings_are_those_of_its_results(tournament):
    # The first version said +169 for anna: a priori, every field had effects of pairs.
    assert str(tournament.leaderboard()) == LEADERBOARD
    assert tournament.leaderboard()[0].rating == pytest.approx(166.59378, abs=1e-4)
    top = tournament.top()
    assert top.players == ("anna", "bo")
    assert top.confidence == pytest.approx(0.88623, abs=1e-4)  # give or take 10 Elo
    assert set(top.candidates) == {"anna", "bo", "cy"}


def test_players_results_and_failures_are_read(tournament):
    assert tournament.entrants()[0] == Entrant("anna", {"depth": 3})
    assert tournament.states["eve"] == "retired"
    played = {row.number: row for row in tournament.matches() if row.number is not None}
    assert tournament.n_matches == 15
    assert played[1].games == (1.0, 1.0)
    assert (played[7].games, played[7].errors, played[7].data) == (None, ("slow",), {"plies": 12})
    assert [row.source for row in tournament.matches() if row.number is None] == [
        "last-year.csv"
    ] * 2
    assert [(failure.kind, failure.match, failure.first) for failure in tournament.failures()] == [
        ("void", 5, "bo"),
        ("failed", 2, "anna"),
    ]


def test_its_request_comes_next_and_its_schedule_continues(tournament):
    assert [ticket.id for ticket in tournament.pending()] == [15]
    assert [event.kind for event in tournament.store.events("request")] == ["request"]
    tickets = [tournament.ask()[:4] for _ in range(4)]
    assert tickets == [
        (16, "dee", "bo", 1871310415),
        (17, "cy", "bo", 1786971681),
        (18, "bo", "cy", 1807677512),
        (19, "anna", "dee", 1964124801),
    ]


def test_a_new_request_is_stored_as_the_old_one_is(tournament, path):
    tournament.request("cy", "dee")
    assert [event.kind for event in tournament.store.events("request")] == ["request"] * 2
    kinds = [line for line in dump(path) if "'demand'" in line]
    assert len(kinds) == 2


def test_verification_finds_nothing_wrong(tournament):
    found = tournament.verify()
    assert found.problems == []
    assert (found.n_matches, found.n_pending) == (15, 1)


def test_it_is_opened_with_its_goal_and_players(path):
    players = [Entrant("anna", {"depth": 3}), "bo", "cy", "dee", "eve"]
    url = f"sqlite:///{path}"
    Tournament(players, url, goal="top-2", scheduler="top-two:k=2", seed=7).close()
