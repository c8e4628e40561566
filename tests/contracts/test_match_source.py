"""A tournament of this process and the client of one elsewhere keep one contract."""

import inspect
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from maxin import (
    Client,
    InvalidInput,
    MatchSource,
    RefusedResults,
    ScoreConflict,
    Stop,
    Ticket,
    Tournament,
)
from maxin.runners import Outcome
from maxin.worker import Asked, Failed, Idle, Told, Waiting, Worker
from tests.helpers.serving import serving
from tests.helpers.waiting import wait_until

NAMES = ["anna", "bo", "cy"]


class Sides(NamedTuple):
    """What is tested, and the tournament behind it, which may be the same."""

    source: MatchSource
    tournament: Tournament
    stop: Stop = Stop()  # by which the source says what is decided


@contextmanager
def here(tournament):
    yield Sides(tournament, tournament)


@contextmanager
def elsewhere(tournament):
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    from maxin.service.service import Service

    service = Service.of(tournament, confidence=None)
    with serving(service) as served, Client(served.url) as client:
        yield Sides(client, tournament, Stop(confidence=None))


def opened(side, folder):
    scheduler = "round-robin:cycles=1"  # three matches, and it is over
    with (
        Tournament(NAMES, folder / "league.db", seed=1, scheduler=scheduler) as tournament,
        side(tournament) as both,
    ):
        yield both


SIDES = {"tournament": here, "client": elsewhere}


@pytest.fixture(params=SIDES.values(), ids=SIDES)
def sides(request, tmp_path):
    yield from opened(request.param, tmp_path)


@pytest.fixture(scope="module", params=SIDES.values(), ids=SIDES)
def asked(request, tmp_path_factory):
    """Sides with one pending match, for tests in which everything is refused."""
    for both in opened(request.param, tmp_path_factory.mktemp("asked")):
        both.source.ask()
        yield both


def test_a_ticket_names_a_match_its_players_and_a_seed(sides):
    ticket = sides.source.ask(lease=60)
    assert isinstance(ticket, Ticket)
    assert ticket.id == 1
    assert {ticket.first, ticket.second} < set(NAMES)
    (pending,) = sides.tournament.pending()
    assert (pending.id, pending.first, pending.second, pending.seed) == ticket[:4]
    (held,) = sides.tournament.pending()
    assert 0 < held.remaining <= 60


@pytest.mark.parametrize("lease", [0, -1, float("inf"), float("nan"), "soon", 1e9])
def test_an_invalid_lease_is_refused(asked, lease):
    with pytest.raises(InvalidInput, match="lease must be"):
        asked.source.ask(lease=lease)
    assert asked.tournament.n_pending == 1


def test_a_result_counts_once(sides):
    ticket = sides.source.ask()
    assert sides.source.tell(ticket, 1.0) is True
    assert sides.source.tell(ticket, 1.0) is False
    assert sides.source.tell(ticket.id, 1) is False
    assert sides.tournament.n_matches == 1
    assert sides.tournament.n_pending == 0


def test_another_score_is_refused_and_changes_nothing(sides):
    ticket = sides.source.ask()
    sides.source.tell(ticket, 1.0)
    with pytest.raises(ScoreConflict) as caught:
        sides.source.tell(ticket, 0.0)
    assert str(caught.value) == (
        f"match 1, {ticket.first} - {ticket.second}, has the score 1; it cannot be reported again "
        "with 0"
    )
    (played,) = sides.tournament.matches()
    assert played.score == 1.0


def test_games_errors_and_data_are_kept(sides):
    ticket = sides.source.ask()
    sides.source.tell(ticket, 0.75, games=[1.0, 0.5], errors=["slow"], data={"moves": [1, "ä"]})
    (played,) = sides.tournament.matches()
    assert (played.score, played.games, played.errors) == (0.75, (1.0, 0.5), ("slow",))
    assert played.data == {"moves": [1, "ä"]}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"score": 2.0}, "a score must be the first player's share of the win, in [0, 1]"),
        ({"score": float("nan")}, "a score must be the first player's share of the win, in [0, 1]"),
        ({"score": "won"}, "a score must be the first player's share of the win, in [0, 1]"),
        ({"score": 1.0, "games": [1.0, 0.0]}, "the score of a match must be the mean of its games"),
        ({"score": 1.0, "errors": "slow"}, "errors must be a list of texts; got 'slow'"),
        ({"score": 1.0, "data": {"x": float("inf")}}, "data must be what a JSON object can hold"),
        ({"score": 1.0, "data": {"x": "y" * 1_050_000}}, "data must have at most 1,048,576 bytes"),
    ],
)
def test_invalid_results_are_refused_in_the_same_sentence(asked, how, words):
    with pytest.raises(InvalidInput) as caught:
        asked.source.tell(1, **how)
    assert str(caught.value).startswith(words)
    assert asked.tournament.n_matches == 0


def test_a_result_may_name_its_judge(sides):
    sides.source.tell(sides.source.ask(), 1.0, judge="gpt")
    assert [row.judge for row in sides.tournament.judges()] == ["gpt"]
    with pytest.raises(InvalidInput, match="judge is 'gpt', but data has the judge 'eva'"):
        sides.source.tell(sides.source.ask(), 1.0, data={"judge": "eva"}, judge="gpt")


@pytest.mark.parametrize("match", [0, 7])
def test_a_match_that_nobody_asked_for_is_refused(asked, match):
    with pytest.raises(InvalidInput, match=f"there is no match {match}; 1 were handed out so far"):
        asked.source.tell(match, 1.0)


def test_the_number_of_a_match_is_whole(asked):
    with pytest.raises(InvalidInput, match=r"a match's number must be a whole number; got 1\.5"):
        asked.source.tell(1.5, 1.0)


def test_many_matches_are_asked_and_reported_at_once(sides):
    tickets = sides.source.ask_many(2, lease=60)
    assert [ticket.id for ticket in tickets] == [1, 2]
    assert [0 < held.remaining <= 60 for held in sides.tournament.pending()] == [True, True]
    told = [(tickets[0], 1.0), (tickets[1].id, Outcome(0.5, ("slow",), {"moves": 3}))]
    assert sides.source.tell_many(told) == [True, True]
    assert sides.source.tell_many(iter(told)) == [False, False]
    assert [(one.score, one.errors, one.data) for one in sides.tournament.matches()] == [
        (1.0, (), None),
        (0.5, ("slow",), {"moves": 3}),
    ]
    assert len(sides.source.ask_many(200)) == 1  # there are three matches
    assert sides.source.ask_many(0) == sides.source.ask_many(5) == []
    assert sides.source.idle_reason().is_over is False
    assert sides.tournament.verify().problems == []


def test_a_result_reported_twice_at_once_counts_once(sides):
    (ticket,) = sides.source.ask_many(1)
    assert sides.source.tell_many([(ticket, 1.0), (ticket.id, 1.0)]) == [True, False]
    assert sides.tournament.n_matches == 1


def test_bad_results_among_good_ones_are_refused_alone(sides):
    one, two, three = sides.source.ask_many(3)
    told = [(one, 1.0), (one, 0.0), (two, 2.0), (99, 1.0), (three, 0.5), (1.5, 1.0)]
    with pytest.raises(RefusedResults) as caught:
        sides.source.tell_many(told)
    answers = caught.value.answers
    assert (answers[0], answers[4]) == (True, True)
    kinds = [type(answer) for answer in answers]
    assert kinds[1] is ScoreConflict
    assert all(issubclass(kinds[place], InvalidInput) for place in (2, 3, 5))
    words = str(caught.value)
    assert words.startswith("4 of 6 results were refused, and the others are recorded: match 1, ")
    assert "match 2 got 2.0; there is no match 99; 3 were handed out so far; ..." in words
    assert [played.score for played in sides.tournament.matches()] == [1.0, 0.5]
    assert sides.tournament.verify().problems == []


@pytest.mark.parametrize(
    ("n_matches", "words"), [(-1, "0 to 10,000"), (10**9, "0 to 10,000"), (1.5, "whole")]
)
def test_an_invalid_number_of_matches_is_refused(asked, n_matches, words):
    with pytest.raises(InvalidInput, match=f"the number of matches must be .*{words}"):
        asked.source.ask_many(n_matches)


def test_idle_reason_says_whether_waiting_helps(sides):
    tickets = [sides.source.ask() for _ in range(3)]
    assert sides.source.ask() is None
    assert sides.source.idle_reason().is_over is False
    for ticket in tickets:
        sides.source.tell(ticket, 0.5)
    assert sides.source.ask() is None
    idle = Idle("the scheduler has nothing more to ask", is_over=True)
    assert sides.source.idle_reason() == idle


def test_a_match_that_is_void_counts_for_nobody(sides):
    ticket = sides.source.ask()
    assert sides.source.void(ticket, "the power failed") is True
    assert sides.source.void(ticket, "the power failed") is False
    assert (sides.tournament.n_matches, sides.tournament.n_pending) == (0, 0)


def test_a_match_with_a_result_cannot_be_void(sides):
    ticket = sides.source.ask()
    sides.source.tell(ticket, 1.0)
    with pytest.raises(InvalidInput, match="has a result, 1"):
        sides.source.void(ticket, "the power failed")


def test_a_result_is_taken_back(sides):
    ticket = sides.source.ask()
    sides.source.tell(ticket, 1.0)
    assert sides.source.retract(ticket, "the wrong player was credited") is True
    assert sides.source.retract(ticket, "the wrong player was credited") is False
    assert sides.tournament.n_matches == 0
    assert sides.source.tell(ticket, 0.0) is True


def test_standings_are_those_of_the_tournament(sides):
    for _ in range(3):
        sides.source.tell(sides.source.ask(), 1.0)
    expected = list(sides.tournament.leaderboard())
    wait_until(lambda: list(sides.source.leaderboard()) == expected)  # a service takes a moment
    assert str(sides.source.leaderboard()) == str(sides.tournament.leaderboard())
    # A service without an end does not say how many matches are left.
    assert sides.source.top() == sides.tournament.overview(sides.stop).top


def test_a_client_says_how_results_fade():
    with Tournament(NAMES, seed=1, half_life=2) as tournament, elsewhere(tournament) as sides:
        for _ in range(4):
            sides.source.tell(sides.source.ask(), 1.0)
        expected = str(tournament.leaderboard())
        assert "older results fade" in expected
        wait_until(lambda: str(sides.source.leaderboard()) == expected)


def test_a_run_plays_to_the_end(sides):
    report = sides.source.run(lambda first, second, seed: float(first < second), workers=2)
    assert sides.tournament.n_matches == 3
    assert report.seconds > 0


def test_a_worker_plays_the_same_story_for_every_source(sides):
    """The last match fails twice: the source hands it out again."""
    events, n_failures = [], iter(range(2))

    def play(first, second, seed):
        if sides.tournament.n_matches == 2 and next(n_failures, None) is not None:
            raise RuntimeError("out of memory")
        return float(first < second)

    report = Worker(sides.source, play, retries=0, watch=events.append).run()
    assert (report.reason, report.n_new, report.n_failed) == ("finished", 3, 2)
    kinds = [type(event) for event in events if not isinstance(event, Waiting)]
    assert kinds == [Asked, Told] * 2 + [Asked, Failed] * 2 + [Asked, Told]
    if isinstance(sides.source, Client):  # it plays two attempts of one match, not two matches
        assert "played 3 matches here, and 2 attempts failed" in report.sentence
    told = [(event.ticket.id, event.outcome) for event in events if isinstance(event, Told)]
    assert told == [(row.number, Outcome(row.score)) for row in sides.tournament.matches()]
    assert [one.kind for one in sides.tournament.failures()] == ["failed"] * 2
    assert sides.tournament.verify().problems == []


@pytest.mark.parametrize("kind", [Tournament, Client])
@pytest.mark.parametrize("name", [name for name in vars(MatchSource) if not name.startswith("_")])
def test_the_signatures_are_those_of_a_source(kind, name):
    expected = inspect.signature(getattr(MatchSource, name)).parameters
    found = inspect.signature(getattr(kind, name)).parameters
    for parameter in expected.values():
        own = found[parameter.name]
        assert own.kind == parameter.kind
        assert own.default == parameter.default or parameter.default is ...
    more = [found[name] for name in found.keys() - expected.keys()]
    assert all(own.default is not own.empty or own.kind is own.VAR_KEYWORD for own in more)
