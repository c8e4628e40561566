"""Verification finds a record that was changed, and nothing in one that was not."""

import json

import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament
from maxin.tournament.state.verification import verify
from tests.helpers.inside import change_record, seal_again, state_of
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


def test_removed_players_are_not_counted(tournament):
    tournament.add("eve")
    assert tournament.verify().n_players == 5
    tournament.remove("eve")
    assert tournament.verify().n_players == 4


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
            "match 5 has a result with other players",
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
            "the head says 46 entries, the record ends with entry 45",
        ),
        (
            "INSERT INTO maxin_asked SELECT seq + 100, match, second, first, seed, worker, time, "
            "digest FROM maxin_asked WHERE match = 21",
            "match 21 was handed out again with other players",
        ),
    ],
)
def test_a_changed_record_is_noticed(tournament, change, problem):
    change_record(tournament.store, change)
    problems = tournament.verify().problems
    assert problem in [one.removeprefix("probably as a result, ") for one in problems]


def test_a_cause_comes_first_and_its_consequences_are_summed_up(tournament):
    change_record(tournament.store, "UPDATE maxin_settings SET value = '77' WHERE key = 'seed'")
    assert verify(tournament.store).problems == [
        "the setting 'seed' is 77 in the table of settings and 0 in the record",
        "probably as a result, each of 20 matches has another seed than its tournament gives it: "
        "1, 2, 3, 4, 5 and 15 more",
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE maxin_told SET games = 'x' WHERE match = 3", "the result of match 3, was changed"),
        ("UPDATE maxin_asked SET first = 77 WHERE match = 4", "the ticket of match 4, was changed"),
        ("UPDATE maxin_settings SET value = 'x' WHERE key = 'seed'", "the setting 'seed' is x"),
        ("UPDATE maxin_head SET seq = 'many'", "seq must be a whole number in the head"),
    ],
)
def test_a_record_that_cannot_be_read_does_not_crash(tournament, change, problem):
    change_record(tournament.store, change)
    found = verify(tournament.store)
    assert problem in found.problems[0]
    json.dumps(found.problems)


def test_the_digest_of_an_earlier_verification_is_found_again(tournament):
    before = tournament.verify()
    play_some(tournament, 3)
    assert tournament.verify(digest=before.digest).known_until == before.n_entries
    assert tournament.verify(digest=before.digest[:8].upper()).problems == []
    assert (
        "no unchanged entry has the digest 0123" in tournament.verify(digest="0123abcd").problems[0]
    )
    for wrong in ("", "0123", "no digest"):
        with pytest.raises(InvalidInput, match="digest must be 8 or more digits 0-9, a-f; got"):
            tournament.verify(digest=wrong)


def test_a_rewritten_record_is_noticed_with_a_digest_only(tournament):
    before = tournament.verify().digest
    change_record(tournament.store, "UPDATE maxin_told SET score = 1 - score WHERE match = 3")
    seal_again(tournament.store)
    assert verify(tournament.store).problems == []
    assert "the record was rewritten" in verify(tournament.store, digest=before).problems[0]


def test_a_changed_scheduler_is_noticed(tournament):
    state_of(tournament).pairing.scheduler.tell(((0, 1), 1.0))
    assert tournament.verify().problems == ["the scheduler differs from that of the record"]


def test_entries_written_since_are_not_compared(tournament, url):
    other = Tournament(store=url)
    state_of(other)
    play_some(tournament, 3)
    assert other.verify().problems == []
    assert other.verify().n_matches == 23
