"""Results that a service cannot take are kept, sent again, and named if somebody leaves."""

from collections.abc import Mapping

import pytest

from maxin import (
    AccessDenied,
    Client,
    Entrant,
    InvalidInput,
    MatchFailed,
    Outcome,
    ScoreConflict,
    ServiceLost,
)
from maxin.core import Match
from maxin.service.client import channel as channel_module
from maxin.worker import Blocked, Failed, Idle, Recovered, Refused, Told
from maxin.worker.match_source import channel_of
from maxin.worker.source import About, Consequence, Fail, Offers, Tell, Ticket
from maxin.worker.spool import LeftWhileAway, Spool
from maxin.worker.worker import Worker

IDENTITY = "a tournament elsewhere"


class Service:
    """Answers as `Api` does, unless it is away."""

    was_reached = True

    def __init__(self, n_matches=0):
        self.is_away, self.recorded, self.failed, self.calls = False, {}, [], []
        self.refused: Mapping[int, InvalidInput] = {}
        self.n_left = n_matches

    def _check(self, name, what):
        self.calls.append((name, what))
        if self.is_away:
            raise ServiceLost("no answer from http://host")

    def about(self):
        return About(IDENTITY, 1, 0, ("anna", "bo"), is_remote=True)

    def tell(self, result):
        self._check("tell", result.number)
        if result.number in self.refused:
            raise self.refused[result.number]
        is_new = result.number not in self.recorded
        self.recorded[result.number] = result.outcome.score
        return is_new

    def tell_all(self, results):
        self._check("tell_all", [result.number for result in results])
        if any(isinstance(result.outcome.data.get("large"), str) for result in results):
            raise InvalidInput("answered 413: too large")
        answers = []
        for result in results:
            try:
                answers.append(self.tell(result))
            except InvalidInput as error:
                answers.append(error)
        return answers

    def fail(self, fail):
        self._check("fail", fail.number)
        self.failed.append((fail.number, fail.failures[-1].reason))
        return Consequence(1, is_void=True)

    def ask(self, ask):
        self._check("ask", ask.key)
        numbers = range(self.n_left, max(self.n_left - ask.n, 0), -1)
        self.n_left -= len(numbers)
        if not numbers:
            return Offers([], idle=Idle("decided: anna", is_over=True, kind="decided"))
        seats = {name: Entrant(name) for name in ("anna", "bo")}
        return Offers([ticket(number) for number in numbers], seats)


def ticket(number):
    return Ticket(number, "anna", "bo", 7, Match(-1, -1))


def told(number, score=1.0, **how):
    return Tell(number, Outcome(score, **how))


def client_of(service):
    client = Client("http://host")
    client._channel.api = service
    return client


@pytest.fixture
def service():
    return Service()


@pytest.fixture
def seen():
    return []


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "maxin" / "unsaved"


def test_results_that_wait_together_are_one_request(service):
    commands = [told(1), told(2, 0.5), told(3, 0.0)]
    assert channel_of(client_of(service)).apply(commands) == [True] * 3
    assert service.calls[0] == ("tell_all", [1, 2, 3])
    assert service.recorded == {1: 1.0, 2: 0.5, 3: 0.0}


def test_a_request_is_neither_too_long_nor_too_large(service, monkeypatch):
    monkeypatch.setattr(channel_module, "MOST_SENT", 3)
    monkeypatch.setattr(channel_module, "MOST_BYTES", 200)
    small = [told(number) for number in range(1, 5)]
    large = [told(number, data={"log": "x" * 150}) for number in (5, 6)]
    channel_of(client_of(service)).apply(small + large)
    requests = [what for name, what in service.calls if name == "tell_all"]
    assert requests == [[1, 2, 3], [4, 5]]
    assert len(service.recorded) == 6


def test_a_batch_that_is_refused_as_a_whole_is_sent_one_by_one(service):
    channel_of(client_of(service)).apply([told(1), told(2, data={"large": "x"})])
    assert service.recorded == {1: 1.0, 2: 1.0}


def test_commands_are_answered_in_their_order(service):
    service.refused = {1: ScoreConflict("match 1 has the score 0")}
    failure = Fail(4, [MatchFailed("it crashed")])
    refused, failed, is_new = channel_of(client_of(service)).apply([told(1), failure, told(2)])
    assert isinstance(refused, ScoreConflict)
    assert failed == Consequence(1, is_void=True)
    assert is_new is True
    assert service.recorded == {2: 1.0}


def keep(*scores):
    """A file of results that an earlier run could not deliver."""
    spool = Spool(IDENTITY)
    played = [(ticket(number), told(number, score)) for number, score in enumerate(scores, start=1)]
    sentence = spool.keep(played, is_leaving=True)
    spool.close()
    return sentence


def never(first, second, seed):
    raise AssertionError("there is no match to play")


def work(service, play, watch):
    return Worker(client_of(service), play, retries=0, watch=watch)


def test_results_left_behind_are_sent_by_the_next_run(service, seen):
    sentence = keep(1.0, 0.5)
    assert sentence.startswith("2 results kept in ")
    assert sentence.endswith("match 1, anna - bo: 1, match 2, anna - bo: 0.5")
    work(service, never, seen.append).run()
    assert service.recorded == {1: 1.0, 2: 0.5}
    assert seen == [Recovered(2, 0, "")]
    work(service, never, seen.append).run()
    assert len(seen) == 1


def test_results_left_behind_stay_if_the_service_is_lost_again(service, seen, folder):
    keep(1.0)
    service.is_away = True
    worker = work(service, never, seen.append)
    worker._interrupts.times = 1
    with pytest.raises(LeftWhileAway):
        worker.run()
    assert len(list(folder.glob("*.jsonl"))) == 1
    service.is_away = False
    work(service, never, seen.append).run()
    assert service.recorded == {1: 1.0}


def test_results_of_another_tournament_are_set_aside(service, seen, folder):
    keep(1.0)
    service.refused = {1: InvalidInput("there is no match 1")}
    work(service, never, seen.append).run()
    (event,) = seen
    assert event.n_results == event.n_refused == 0
    assert event.problem.startswith("there is no match 1; see ")
    assert len(list(folder.glob("*.rejected"))) == 1


def test_what_became_of_matches_is_reported(seen):
    service = Service(n_matches=3)
    service.recorded = {2: 1.0}  # its answer was lost
    service.refused = {1: ScoreConflict("match 1 has the score 0")}

    def play(first, second, seed):
        if service.n_left == 2:
            raise MatchFailed("it crashed")
        return 1.0

    report = work(service, play, seen.append).run()
    events = [event for event in seen if isinstance(event, Failed | Told | Refused)]
    assert [(type(event), event.ticket.id) for event in events] == [
        (Failed, 3),
        (Told, 2),
        (Refused, 1),
    ]
    assert service.failed == [(3, "it crashed")]
    assert (report.n_new, report.n_failed) == (1, 1)


def test_a_worker_outlasts_a_service_that_is_away(seen):
    service = Service(n_matches=2)

    def play(first, second, seed):
        service.is_away = True
        return 1.0

    def watch(event):
        seen.append(event)
        service.is_away &= not (isinstance(event, Blocked) and "kept" in event.reason)

    report = work(service, play, watch).run()
    assert service.recorded == {1: 1.0, 2: 1.0}
    assert (report.reason, report.n_new) == ("decided", 2)
    blocked = [event.reason for event in seen if isinstance(event, Blocked)]
    assert blocked[0] == "no answer from http://host; trying again"
    assert blocked[1].startswith("until it is back, finished results are kept in ")


def test_a_worker_interrupted_while_the_service_is_away_says_where_the_results_are(seen):
    service = Service(n_matches=1)

    def play(first, second, seed):
        service.is_away = True
        worker._interrupts.times = 1
        return 1.0

    worker = work(service, play, seen.append)
    with pytest.raises(LeftWhileAway, match=r"1 result kept in .* for the next run to record: mat"):
        worker.run()
    service.is_away = False
    assert work(service, play, seen.append).run().reason == "decided"
    assert service.recorded == {1: 1.0}


def test_an_error_that_ends_the_work_names_the_results(seen):
    service = Service(n_matches=1)

    def play(first, second, seed):
        service.tell = service.tell_all = lambda *_: refuse()
        return 1.0

    def refuse():
        raise AccessDenied("http://host answered 401: this token was revoked")

    with pytest.raises(AccessDenied, match=r"revoked; 1 result kept in .*: match 1, anna - bo: 1"):
        work(service, play, seen.append).run()


def test_an_ask_is_repeated_with_its_key_and_each_answer_ends_a_key():
    service = Service(n_matches=2)
    answer, lost = service.ask, []

    def losing(ask):
        lost.append(ask.key)
        if len(lost) in (1, 2):
            raise ServiceLost("no answer from http://host")
        return answer(ask)

    service.ask = losing
    work(service, lambda *_: 1.0, lambda event: None).run()
    assert lost[0] == lost[1] == lost[2]
    assert len(set(lost[2:])) == len(lost[2:]) == 3
