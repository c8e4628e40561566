"""Many voters with a known truth reach the verdict that a run on the same simulator reaches."""

import random

import pytest

from maxin.core import Stop
from maxin.service.arena.pairs import CastVote, NextPair
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.arenas import Booth, shown


def names_of(n_players):
    return [f"p{number:02}" for number in range(n_players)]


def chance(first, second, step):
    """How probable it is that the first player wins: each is `step` Elo points below the last."""
    gap = (int(second[1:]) - int(first[1:])) * step
    return 1.0 / (1.0 + 10.0 ** (-gap / 400.0))


def play(step, seed):
    rng = random.Random(seed)
    return lambda first, second, _: float(rng.random() < chance(first, second, step))


def vote_until_over(tournament, n_voters, n_items, step, seed):
    """All voters ask, then all vote, until it is over; returns what each one saw."""
    booth, rng = Booth(tournament, n_items, seed), random.Random(seed)
    session = session_of(tournament, Stop(), serves=True)
    seen = {f"v{number}": [] for number in range(n_voters)}
    while (over := session.over()) is None:
        asked = session.apply([NextPair(booth.arena, voter) for voter in seen])
        votes = []
        for voter, pair in zip(seen, asked, strict=True):
            if pair is None:
                continue
            left, right = shown(tournament, pair, voter)
            seen[voter].append((frozenset((left, right)), pair.prompt))
            choice = "a" if rng.random() < chance(left, right, step) else "b"
            votes.append(CastVote(voter, pair.key, choice, ms=rng.randrange(500, 9000)))
        assert votes, "nobody has anything to vote on"
        assert all(session.apply(votes))
    return over, seen


def check_against_run(tmp_path, n_players, n_voters, n_items, step, seed):
    names = names_of(n_players)
    with Tournament(names, seed=seed) as run:
        report = run.run(play(step, seed))  # one worker, so that the run is the same every time
        assert (report.reason, report.top.players) == ("decided", (names[0],))
    with Tournament(names, tmp_path / "arena.db", seed=seed) as tournament:
        over, seen = vote_until_over(tournament, n_voters, n_items, step, seed)
        assert over.is_over
        assert over.reason.startswith("decided")
        assert tournament.top().players == report.top.players
        for showings in seen.values():
            assert len(set(showings)) == len(showings)
        assert tournament.verify().problems == []
        return tournament.n_matches, report.n_matches


def test_twenty_voters_reach_the_verdict_of_a_run(tmp_path):
    check_against_run(tmp_path, n_players=5, n_voters=20, n_items=30, step=250, seed=3)


@pytest.mark.slow
def test_two_hundred_voters_reach_the_verdict_of_a_run(tmp_path, record_property):
    votes, matches = check_against_run(
        tmp_path, n_players=30, n_voters=200, n_items=100, step=60, seed=4
    )
    record_property("note", f"{votes:,} votes; a run needs {matches:,} matches")
