"""Pairs: what is shown to whom, and what votes change."""

import random
from contextlib import suppress

import pytest
from sqlalchemy import select, update

from maxin.core import InvalidInput, Stop
from maxin.service.arena import pairs
from maxin.service.arena.items import add_items
from maxin.service.arena.pairs import (
    MOST_WAITING,
    NO_MORE,
    CastVote,
    NextPair,
    NoItems,
    PairGone,
    UnknownPair,
    VoteConflict,
    content,
)
from maxin.service.arena.voters import RemoveVotes, voter_table
from maxin.storage.records import vote_of
from maxin.storage.schema import PAIRS
from maxin.tournament import Tournament
from maxin.tournament.record import leases
from maxin.tournament.tournament import session_of
from maxin.worker.source import Ask
from tests.helpers.arenas import Booth, choose, shown, text_items, votes_file
from tests.helpers.inside import refresh

NAMES = ["anna", "bo", "cy", "dee"]
CHOICES = ("a", "b", "tie", "bad")
SLOW = pytest.mark.slow


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'league.db'}"


@pytest.fixture
def booth(url):
    with Tournament(NAMES, url, seed=1) as tournament:
        yield Booth(tournament)


@pytest.fixture
def quick(monkeypatch):
    """Lapsed leases are looked for at once."""
    monkeypatch.setattr(leases, "LEASE_CHECK", 0.0)


def rows(tournament):
    with tournament.store.one_moment() as connection:
        return connection.execute(select(PAIRS).order_by(PAIRS.c.shown)).all()


def test_the_same_pair_is_shown_until_it_is_answered(booth):
    first = booth.pair()
    assert booth.pair() == first
    assert first.prompt.startswith("prompt")
    assert (first.left, first.right, first.n_votes) == ("text/plain", "text/plain", 0)
    booth.vote(first)
    second = booth.pair()
    assert second.key != first.key
    assert (second.n_votes, second.latest) == (1, first.key)


def test_voters_get_different_matches(booth):
    keys = [booth.pair(f"v{number}").key for number in range(6)]
    assert len(set(keys)) == 6
    assert len({row.match for row in rows(booth.tournament)}) == 6
    assert booth.tournament.verify().problems == []


def test_many_voters_in_one_group_get_different_matches(booth):
    commands = [NextPair(booth.arena, f"v{number}") for number in range(5)]
    answers = session_of(booth.tournament, serves=True).apply([*commands, commands[0]])
    assert len({pair.key for pair in answers}) == 5
    assert answers[0] == answers[5]


@pytest.mark.parametrize("choice", ["a", "b", "tie", "bad"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_vote_is_a_result_from_the_sides_and_the_seats(tmp_path, choice, seed):
    with Tournament(["anna", "bo"], tmp_path / "league.db", seed=seed) as tournament:
        booth = Booth(tournament, seed=seed)
        pair = booth.pair()
        left, right = shown(tournament, pair)
        assert booth.vote(pair, choice, ms=1500, reason="clearer") is True
        (match,) = tournament.matches()
        winner = {"a": left, "b": right}.get(choice)
        expected = 0.5 if winner is None else float(match.first == winner)
        assert match.score == expected
        words = "both bad" if choice == "bad" else choice
        assert match.data == {
            "voter": "v",
            "item": match.data["item"],
            "choice": words,
            "side": "left" if match.first == left else "right",
            "ms": 1500,
            "reason": "clearer",
        }
        assert match.worker == "vote|v"


def test_voters_are_judges_who_see_the_left_side_first(booth):
    lefts = []
    for voter in ("v", "w", "v", "v"):
        pair = booth.pair(voter)
        lefts += [shown(booth.tournament, pair, voter)[0]] if voter == "v" else []
        booth.vote(pair, "a", voter)
    judges = booth.tournament.judges()
    assert [(row.judge, row.n_votes) for row in judges] == [("v", 3.0), ("w", 1.0)]
    own = booth.tournament.tally().judged["v"]
    assert own.points.tolist() == own.games.tolist()  # each vote was for the left side
    firsts = own.first.repeat(own.games.astype(int))
    assert sorted(NAMES[first] for first in firsts) == sorted(lefts)


def test_a_skip_voids_the_match_and_shows_another_pair(booth):
    pair = booth.pair()
    booth.vote(pair, "skip")
    assert booth.tournament.n_matches == 0
    assert [event.detail["reason"] for event in booth.tournament.store.events("void")] == [
        "skipped by a voter"
    ]
    other = booth.pair()
    assert other.key != pair.key
    assert other.n_votes == 0


def test_equal_votes_count_once_and_others_conflict(booth):
    pair = booth.pair()
    same = session_of(booth.tournament, serves=True).apply(
        [CastVote("v", pair.key, "a") for _ in range(4)]
    )
    assert same == [True, False, False, False]
    assert booth.tournament.n_matches == 1
    pair = booth.pair()
    votes = [CastVote("v", pair.key, choice) for choice in ("a", "b", "tie", "skip")]
    first, *others = session_of(booth.tournament, serves=True).apply(votes)
    assert first is True
    assert all(isinstance(answer, VoteConflict) for answer in others)
    assert booth.tournament.n_matches == 2
    assert booth.tournament.verify().problems == []


def test_the_pair_of_another_voter_is_unknown(booth):
    pair = booth.pair("v")
    with pytest.raises(UnknownPair):
        booth.vote(pair, voter="w")
    with pytest.raises(UnknownPair):
        booth.undo(pair, voter="w")
    with pytest.raises(UnknownPair):
        content(booth.tournament.store, "w", pair.key, "left")
    assert booth.tournament.n_matches == 0


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"choice": "c"}, "choice must be one of a, b, tie, bad, skip; got 'c'"),
        ({"ms": -1}, "ms must be at least 0; got -1"),
        ({"reason": "x" * 1001}, "at most 1,000 characters; got 1,001"),
    ],
)
@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_votes_are_checked(booth, details, message):
    with pytest.raises(InvalidInput, match=message):
        booth.vote(booth.pair(), **details)


def test_a_pair_whose_voter_is_away_goes_to_another_who_is_told(url, quick):
    with Tournament(["anna", "bo"], url, seed=1) as tournament:
        booth = Booth(tournament, n_items=2, lease=0.001)
        left = booth.pair("away")
        taken = booth.pair("here")
        assert {row.match for row in rows(tournament)} == {None, 1}
        with pytest.raises(PairGone, match="given to another voter"):
            booth.vote(left, voter="away")
        with pytest.raises(PairGone):
            content(tournament.store, "away", left.key, "left")
        booth.vote(taken, voter="here")
        assert tournament.n_matches == 1
        assert booth.pair("away").key != left.key
        assert tournament.verify().problems == []


def test_a_late_vote_counts_if_nobody_else_has_the_match(url):
    with Tournament(["anna", "bo"], url, seed=1) as tournament:
        booth = Booth(tournament, lease=0.001)
        assert booth.vote(booth.pair()) is True
        assert tournament.n_matches == 1


def test_a_match_that_went_to_a_worker_is_gone(url, quick):
    with Tournament(["anna", "bo"], url, seed=1) as tournament:
        booth = Booth(tournament, lease=0.001)
        pair = booth.pair()
        tickets = session_of(tournament).answer(Ask(worker="http|1|w")).tickets
        assert tickets[0].id == 1
        with pytest.raises(PairGone):
            booth.vote(pair)
        assert booth.pair().key != pair.key


def test_undo_opens_the_pair_again_and_ratings_follow(booth):
    for _ in range(5):
        booth.vote(booth.pair())
    before = booth.tournament.leaderboard()
    pair = booth.pair()
    sides = shown(booth.tournament, pair)
    booth.vote(pair, "b")
    following = booth.pair()
    assert booth.undo(pair) is True
    assert booth.undo(pair) is False
    after = booth.tournament.leaderboard()
    for one, other in zip(before, after, strict=True):
        assert one.player == other.player
        assert one.rating == pytest.approx(other.rating, abs=1e-6)
    again = booth.pair()
    assert again.key == pair.key
    assert shown(booth.tournament, again) == sides
    booth.vote(again, "a")
    assert booth.pair().key == following.key
    assert booth.tournament.n_matches == 6
    assert booth.tournament.verify().problems == []


def test_only_the_latest_vote_can_be_undone(booth):
    first = booth.pair()
    booth.vote(first)
    second = booth.pair()
    booth.vote(second, "skip")
    with pytest.raises(VoteConflict, match="only the latest vote"):
        booth.undo(first)
    assert booth.undo(second) is True
    assert booth.pair().key == second.key
    assert booth.undo(first) is True
    assert booth.tournament.n_matches == 0


def test_no_voter_sees_a_pair_and_item_twice_and_the_rest_waits(url, quick):
    with Tournament(["anna", "bo", "cy"], url, seed=1) as tournament:
        said = []
        tournament.store.notice = said.append
        booth = Booth(tournament, n_items=2)
        seen = []
        while (pair := booth.pair()) is not None:
            assert said == []
            seen.append((frozenset(shown(tournament, pair)), pair.prompt))
            booth.vote(pair, random.Random(len(seen)).choice("ab"))
        assert len(set(seen)) == len(seen) == 6  # both items of all three pairs
        waiting = tournament.n_pending
        assert waiting == MOST_WAITING
        for _ in range(3):  # asking again hands out no more matches
            assert booth.pair() is None
        assert tournament.n_pending == waiting
        assert said == [NO_MORE]
        assert booth.pair("other") is not None  # who gets one that waits
        assert tournament.n_pending == waiting
        assert tournament.verify().problems == []


@pytest.mark.parametrize("goal", ["best", "ranking", "ratings", "regret", "top-2"])
@pytest.mark.parametrize("n_voters", [1, 3])
@pytest.mark.parametrize("n_items", [2, pytest.param(5, marks=SLOW)])
def test_every_voter_can_compare_everything(tmp_path, quick, goal, n_voters, n_items):
    """The scheduler wants some pairs again and again, and a voter has seen those soon."""
    with Tournament(NAMES, tmp_path / "league.db", goal=goal, seed=1) as tournament:
        booth, voters = Booth(tournament, n_items), [f"v{n}" for n in range(n_voters)]
        n_votes = dict.fromkeys(voters, 0)
        while sum(n_given(booth, voter, n_votes) for voter in voters):
            pass
        assert set(n_votes.values()) == {6 * n_items}
        assert tournament.verify().problems == []


def n_given(booth, voter, n_votes):
    """Have a voter vote once, if there is a pair; returns whether there was."""
    pair = booth.pair(voter)
    if pair is not None:
        booth.vote(pair, choose(shown(booth.tournament, pair, voter)), voter)
        n_votes[voter] += 1
    return pair is not None


def test_a_voter_gets_nothing_that_the_scheduler_does_not_want(tmp_path, quick):
    with Tournament(["anna", "bo", "cy"], tmp_path / "league.db", seed=1) as tournament:
        booth = Booth(tournament, n_items=2)
        n_votes = 0
        command = NextPair(booth.arena, "v")
        session = session_of(tournament, Stop(budget=4, confidence=None), serves=True)
        while (pair := session.answer(command)) is not None:
            booth.vote(pair)
            n_votes += 1
        assert n_votes <= 4
        tournament.retire("cy", "bo")
        assert booth.pair("late") is None


def test_items_are_shown_equally_often(booth):
    for voter in range(4):
        for _ in range(3):
            booth.vote(booth.pair(f"v{voter}"), "tie", voter=f"v{voter}")
    counts = {}
    for row in rows(booth.tournament):
        counts[row.item] = counts.get(row.item, 0) + 1
    assert sorted(counts.values()) == [4, 4, 4]


def test_a_match_that_nobody_can_vote_on_is_void(url):
    with Tournament(["anna", "bo", "cy"], url, seed=1) as tournament:
        booth = Booth(tournament, n_items=0)
        with pytest.raises(NoItems, match="`maxin items FILE` adds items"):
            booth.pair()
        add_items(tournament, text_items(["anna"], 1))
        assert booth.pair() is None
        reasons = {event.detail["reason"] for event in tournament.store.events("void")}
        assert all(reason.startswith("no item has outputs of both") for reason in reasons)
        assert tournament.n_pending == 0
        add_items(tournament, text_items(tournament.names, 2))  # while the service runs
        assert booth.pair() is not None


@pytest.mark.parametrize("n_pairs", [300, pytest.param(1500, marks=SLOW)])
def test_sides_are_even(tmp_path, n_pairs):
    with Tournament(["anna", "bo"], tmp_path / "league.db", seed=1) as tournament:
        booth = Booth(tournament, n_items=1, seed=5)
        commands = [NextPair(booth.arena, f"v{number}") for number in range(n_pairs)]
        session_of(tournament, serves=True).apply(commands)
        swapped = [row.swapped for row in rows(tournament)]
        assert len(swapped) == n_pairs
        assert 0.47 < sum(swapped) / n_pairs < 0.53


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_pair_holds_no_name(booth):
    shown = repr(booth.pair()._replace(key="random"))
    assert not any(name in shown for name in NAMES)
    assert pairs.holder("v") == "vote|v"


def test_two_services_share_one_store(url):
    with Tournament(NAMES, url, seed=1) as one, Tournament(store=url) as other:
        booths = [Booth(one, n_items=6), Booth(other, n_items=0)]
        for round in range(2):
            pairs_of = {}
            for number in range(6):
                booth = booths[(number + round) % 2]
                pairs_of[f"v{number}"] = booth.pair(f"v{number}")
            assert len({pair.key for pair in pairs_of.values()}) == 6
            for number, (voter, pair) in enumerate(pairs_of.items()):
                booth = booths[(number + round + 1) % 2]  # the other one
                assert booth.pair(voter) == pair
                booth.vote(pair, "tie", voter)
        refresh(one)
        assert one.n_matches == 12
        assert one.verify().problems == []


@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=SLOW), pytest.param(3, marks=SLOW)])
def test_whatever_voters_do_the_votes_that_stand_are_the_results(tmp_path, quick, seed):
    rng = random.Random(seed)
    with Tournament(NAMES, tmp_path / "league.db", seed=seed) as tournament:
        booth = Booth(tournament, n_items=8, lease=rng.choice([0.001, 600.0]))
        voters = [f"v{number}" for number in range(5)]
        shown_to = {voter: [] for voter in voters}
        for _ in range(100):
            voter = rng.choice(voters)
            act = rng.choice(["vote", "vote", "vote", "look", "undo", "skip", "late"])
            with suppress(PairGone, VoteConflict, UnknownPair):
                if act in ("vote", "skip", "look"):
                    pair = booth.pair(voter)
                    if pair is None:
                        continue
                    shown_to[voter].append(pair)
                    if act != "look":
                        booth.vote(pair, "skip" if act == "skip" else rng.choice(CHOICES), voter)
                elif shown_to[voter] and act == "undo":
                    booth.undo(rng.choice(shown_to[voter][-3:]), voter)
                elif shown_to[voter]:
                    booth.vote(rng.choice(shown_to[voter]), rng.choice(CHOICES), voter)
        booth.vote(booth.pair(voters[0]), "a", voters[0])
        while booth.answer(RemoveVotes(voters[0], "a robot")):
            pass
        standing = [row for row in rows(tournament) if row.choice == "vote"]
        assert {row.voter for row in standing} <= set(voters[1:])
        assert tournament.n_matches == len(standing) > 20
        results = {match.number: match for match in tournament.matches()}
        for row in standing:
            match = results[row.match]
            vote = vote_of(match.data)
            assert vote.judge == (row.voter, bool(row.swapped))
            assert match.score == vote.score
        assert tournament.verify().problems == []
        with Tournament(NAMES, tmp_path / "other.db", seed=seed) as other:
            other.add_results(votes_file(tournament, tmp_path))
            ours, theirs = (
                {row.player: row.rating for row in one.leaderboard()} for one in (tournament, other)
            )
            assert ours == pytest.approx(theirs, abs=1e-6)


def test_votes_that_an_earlier_version_wrote_twice_are_read_from_their_results(booth):
    pairs = []
    for choice in ("b", "bad"):
        pairs.append(booth.pair())
        booth.vote(pairs[-1], choice, ms=2_000, reason="clearer")
    before = voter_table(booth.tournament)
    for pair, choice in zip(pairs, ("b", "bad"), strict=True):
        copy = update(PAIRS).where(PAIRS.c.key == pair.key)
        copy = copy.values(choice=choice, ms=2_000, reason="clearer")
        booth.tournament.store.transact(lambda writer, copy=copy: writer.query(copy))
    assert voter_table(booth.tournament) == before
    assert booth.pair().n_votes == 2
    assert booth.vote(pairs[0], "b") is False
    with pytest.raises(VoteConflict, match="has the vote 'b'"):
        booth.vote(pairs[0], "a")
    assert booth.undo(pairs[1]) is True
    assert booth.vote(pairs[1], "a") is True
    assert booth.answer(RemoveVotes("v", "a robot")) == 2
    assert booth.tournament.n_matches == 0


def sorted_items(names, sizes):
    """Items of which so many are in each category."""
    categories = [category for category, size in sizes.items() for _ in range(size)]
    items = text_items(names, len(categories))
    return [
        item._replace(category=category) for item, category in zip(items, categories, strict=True)
    ]


def test_categories_are_drawn_evenly_however_many_items_they_have(url):
    with Tournament(NAMES, url, seed=1) as tournament:
        booth = Booth(tournament, n_items=0)
        add_items(tournament, sorted_items(NAMES, {"code": 12, "prose": 3, "": 5}))
        for number in range(60):
            voter = f"v{number % 5}"
            booth.vote(booth.pair(voter), voter=voter)
        drawn = [match.data.get("category") for match in tournament.matches()]
        assert {name: drawn.count(name) for name in ("code", "prose", None)} == {
            "code": 20,
            "prose": 20,
            None: 20,
        }
        items = [match.data["item"] for match in tournament.matches()]
        assert {items.count(f"item {number}") for number in range(12)} == {1, 2}
        slices = tournament.slices("category")
        assert {part.name: part.n_matches for part in slices.parts} == {"code": 20, "prose": 20}
        assert slices.n_missing == 20


def test_a_category_can_be_given_later_and_votes_keep_theirs(booth):
    booth.vote(booth.pair())
    given = [item._replace(category="late") for item in text_items(NAMES, 3)]
    assert add_items(booth.tournament, given).n_changed == 3
    assert add_items(booth.tournament, text_items(NAMES, 3)).n_same == 3  # none is not another
    booth.vote(booth.pair())
    assert [match.data.get("category") for match in booth.tournament.matches()] == [None, "late"]
    vote = vote_of(list(booth.tournament.matches())[1].data)
    assert (vote.category, vote.data()["category"]) == ("late", "late")


def test_without_categories_items_are_drawn_as_before(url):
    with Tournament(NAMES, url, seed=1) as tournament:
        booth = Booth(tournament, n_items=6)
        for number in range(12):
            voter = f"v{number}"
            booth.vote(booth.pair(voter), voter=voter)
        items = [match.data["item"] for match in tournament.matches()]
        assert {items.count(f"item {number}") for number in range(6)} == {2}
        assert not any("category" in match.data for match in tournament.matches())
