"""Verification finds a record that was changed, and nothing in one that was not."""

import pytest

from maxin.tournament import Tournament
from tests.helpers.inside import change_record, state_of
from tests.helpers.leagues import NAMES, play_some


@pytest.fixture
def tournament(url):
    with Tournament(NAMES, url) as tournament:
        play_some(tournament, 20)
        tournament.ask()
        yield tournament


def test_an_unchanged_record_has_no_problems(tournament):
    found = tournament.verify()
    assert found.problems == []
    assert (found.n_matches, found.n_pending) == (20, 1)
    assert found.largest_difference <= 1e-9


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            "UPDATE maxin_told SET score = 1 - score WHERE match = 3",
            "ratings differ from those of the record",
        ),
        (
            "UPDATE maxin_asked SET seed = 5 WHERE match = 4",
            "match 4 has another seed than its tournament gives it",
        ),
        (
            "UPDATE maxin_told SET first = second, second = first WHERE match = 5",
            "the result of match 5 has other players",
        ),
        (
            "DELETE FROM maxin_asked WHERE match = 6",
            "match 6 has a result but was never handed out",
        ),
        (
            "DELETE FROM maxin_told WHERE match = 7",
            "20 results are counted, 19 are in the record",
        ),
        (
            "DELETE FROM maxin_asked WHERE match = 21",
            "the pending matches differ from those of the record",
        ),
        (
            "INSERT INTO maxin_asked SELECT seq + 100, match, second, first, seed, worker, time "
            "FROM maxin_asked WHERE match = 21",
            "match 21 was handed out again with other players",
        ),
    ],
)
def test_a_changed_record_is_noticed(tournament, change, problem):
    change_record(tournament.store, change)
    assert problem in tournament.verify().problems


def test_a_changed_scheduler_is_noticed(tournament):
    state_of(tournament).pairing.scheduler.tell(((0, 1), 1.0))
    assert tournament.verify().problems == ["the scheduler differs from that of the record"]


def test_entries_written_since_are_not_compared(tournament, url):
    other = Tournament(store=url)
    state_of(other)
    play_some(tournament, 3)
    assert other.verify().problems == []
    assert other.verify().n_matches == 23
