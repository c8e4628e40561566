"""A runner whose games fail as planned, and a watcher that keeps every event."""

import pytest

from maxin.runners import Outcome
from maxin.worker import MatchesFailed
from tests.helpers.leagues import alphabet


class Shaky:
    """Plays by the alphabet; `plan(job, attempt)` returns the failure to raise, or None."""

    def __init__(self, plan=lambda job, attempt: None):
        self.plan = plan
        self.attempts = []
        self.is_killed = False

    def check(self, entrants):
        pass

    def play(self, job):
        self.attempts.append(job.number)
        failure = self.plan(job, self.attempts.count(job.number))
        if failure is not None:
            raise failure
        return Outcome(alphabet(job.first.name, job.second.name, job.seed))

    def kill(self):
        self.is_killed = True

    def close(self):
        pass


def plays(job, name):
    """Whether this player is in the game."""
    return name in (job.first.name, job.second.name)


def aborted(tournament, play, **arguments):
    """Run until the matches have failed too often; returns the report of that."""
    with pytest.raises(MatchesFailed) as caught:
        tournament.run(play, **{"backoff": 0, "confidence": None, **arguments})
    assert caught.value.report.reason == "aborted"
    return caught.value.report


def watched():
    """A list, and a watcher that adds every event to it."""
    seen = []
    return seen, seen.append
