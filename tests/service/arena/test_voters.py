"""Voters: their statistics, and what is left when one is removed."""

import pytest

from maxin.core import UnknownName
from maxin.service.arena import voters
from maxin.service.arena.pairs import UnknownPair
from maxin.service.arena.voters import remove_voter, voter_table
from maxin.storage.tokens import TokenRow, write_token
from maxin.tournament import Tournament
from tests.helpers.arenas import Booth, choose, shown, votes_file

NAMES = ["anna", "bo", "cy", "dee"]


@pytest.fixture(params=["sqlite", "postgresql"])
def tournament(request, tmp_path):
    is_server = request.param == "postgresql"
    url = request.getfixturevalue("postgres_url") if is_server else tmp_path / "league.db"
    with Tournament(NAMES, url, seed=1) as opened:
        yield opened


def invite(tournament, *ids):
    for number, id in enumerate(ids):
        row = TokenRow(id, "voter", id.upper(), "", number)
        tournament.store.transact(lambda writer, row=row: write_token(writer, row))


def ratings(tournament):
    return {row.player: row.rating for row in tournament.leaderboard()}


def test_voters_are_measured(tournament):
    booth = Booth(tournament, n_items=4)
    invite(tournament, "good", "left", "idle")
    for number in range(12):
        pair = booth.pair("good")
        booth.vote(pair, choose(shown(tournament, pair, "good")), "good", ms=1000 * (number + 1))
    for _ in range(6):
        booth.vote(booth.pair("left"), "a", "left")
    booth.vote(booth.pair("left"), "skip", "left")
    good, left, idle = (table := voter_table(tournament)).voters
    assert (good.voter, good.name, good.state, good.votes) == ("good", "GOOD", "active", 12)
    assert good.median_seconds == 6.5
    assert good.agreement == 1.0
    assert (left.votes, left.skips, left.a_share, left.median_seconds) == (6, 1, 1.0, None)
    assert (good.left, left.left) == (6 * 4 - 12, 6 * 4 - 7)  # a skipped pair was seen
    assert idle[3:] == (0, 0, None, None, None, 24)
    assert table.n_done == 0
    assert table.bias is not None
    assert table.bias.votes == 18
    assert table.bias.low < table.bias.a_share < table.bias.high


def test_voters_who_have_seen_everything_are_counted(tournament):
    booth = Booth(tournament, n_items=1)
    invite(tournament, "done", "idle")
    for left in range(5, -1, -1):
        booth.vote(booth.pair("done"), "tie", "done")
        table = voter_table(tournament)
        assert table.voters[0].left == left
        assert table.n_done == (left == 0)
    tournament.add("eve")  # who has no outputs
    assert voter_table(tournament).n_done == 1
    tournament.retire("dee")
    assert voter_table(tournament).voters[1].left == 3


def test_removal_leaves_the_ratings_of_the_other_votes(tournament, tmp_path, monkeypatch):
    monkeypatch.setattr(voters, "BATCH", 2)
    booth = Booth(tournament, n_items=4)
    invite(tournament, "good", "bad")
    for _ in range(6):
        for voter in ("good", "bad"):
            pair = booth.pair(voter)
            booth.vote(
                pair, choose(shown(tournament, pair, voter)) if voter == "good" else "b", voter
            )
    open_pair, taken = booth.pair("bad"), tournament.n_pending
    assert remove_voter(tournament, "bad", "a robot", "boss") == 6
    assert remove_voter(tournament, "bad", "a robot") == 0
    assert tournament.n_matches == 6
    with Tournament(NAMES, tmp_path / "other.db", seed=1) as other:
        other.add_results(votes_file(tournament, tmp_path))
        assert ratings(tournament) == pytest.approx(ratings(other), abs=1e-6)
    row = voter_table(tournament).voters[1]
    assert (row.state, row.votes) == ("removed", 0)
    with pytest.raises(UnknownPair):
        booth.vote(open_pair, "a", "bad")
    assert booth.pair("bad") is None
    assert booth.pair("good") is not None
    assert tournament.n_pending == taken  # the open match went to the other voter
    events = [event.detail for event in tournament.store.events("admin")]
    actions = ["add items", "remove votes", "revoke a token", "remove votes", "remove votes"]
    assert [event["action"] for event in events] == actions
    assert events[1] == {
        "token": "boss",
        "action": "remove votes",
        "voter": "bad",
        "reason": "a robot",
        "votes": 2,
    }
    assert tournament.verify().problems == []


def test_an_unknown_voter_is_named(tournament):
    with pytest.raises(UnknownName, match="there is no voter 'eve'"):
        remove_voter(tournament, "eve", "a robot")
