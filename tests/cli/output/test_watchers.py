"""What is printed while a run is watched."""

from maxin.cli.output.watchers import trouble
from maxin.core import Match
from maxin.worker import Refused, Ticket, Waiting


def test_a_refused_result_names_its_match_once():
    ticket = Ticket(3, "anna", "bo", 5, Match(0, 1))
    conflict = "match 3, anna - bo, has the score 1; it cannot be reported again with 0"
    assert trouble(Refused(ticket, conflict)) == [
        "#3 anna - bo was refused: has the score 1; it cannot be reported again with 0"
    ]


def test_waiting_names_the_command_that_shows_the_pending_matches():
    assert trouble(Waiting(2)) == [
        "waiting for 2 pending matches of other workers; see `maxin show pending` and `maxin void`"
    ]
