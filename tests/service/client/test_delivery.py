"""Results that a service cannot take are kept, sent again, and named if somebody leaves."""

from collections.abc import Mapping

import pytest

from maxin import (
    AccessDenied,
    InvalidInput,
    MatchFailed,
    Outcome,
    ScoreConflict,
    ServiceLost,
    Ticket,
)
from maxin.core import Entrant, Match
from maxin.runners import Threads
from maxin.service.client import delivery, work
from maxin.service.client.api import About, Offer, Offers
from maxin.service.client.delivery import Delivery
from maxin.tournament import Blocked, Failed, Idle, Recovered, Refused, Told
from maxin.tournament.run.match_pool import Finished
from maxin.tournament.run.spool import LeftWhileAway, Spool

IDENTITY = "a tournament elsewhere"


class Service:
    """Takes results as `Api` does, unless it is away."""

    was_reached = True

    def __init__(self, n_matches=0):
        self.is_away, self.recorded, self.failed, self.calls = False, {}, [], []
        self.refused: Mapping[int, InvalidInput] = {}
        self.n_left = n_matches

    def _check(self, name, what):
        self.calls.append((name, what))
        if self.is_away:
            raise ServiceLost("no answer from http://host")

    def tell(self, number, outcome):
        self._check("tell", number)
        if number in self.refused:
            raise self.refused[number]
        is_new = number not in self.recorded
        self.recorded[number] = outcome.score
        return is_new

    def tell_all(self, results):
        self._check("tell_all", [number for number, _ in results])
        if any(isinstance(outcome.data.get("large"), str) for _, outcome in results):
            raise InvalidInput("answered 413: too large")
        answers = []
        for number, outcome in results:
            try:
                answers.append(self.tell(number, outcome))
            except InvalidInput as error:
                answers.append(error)
        return answers

    def fail(self, number, reason, log):
        self._check("fail", number)
        self.failed.append((number, reason, log))

    def ask(self, n, lease, key, wait=0.0):
        self._check("ask", key)
        numbers = range(self.n_left, max(self.n_left - n, 0), -1)
        self.n_left -= len(numbers)
        if not numbers:
            return Offers([], Idle("decided", is_over=True))
        seats = Entrant("anna"), Entrant("bo")
        return Offers([Offer(ticket(number), *seats) for number in numbers])


def ticket(number):
    return Ticket(number, "anna", "bo", 7, Match(-1, -1))


def played(number, score=1.0, **how):
    return Finished(ticket(number), Outcome(score, **how), [], has_scored=True)


@pytest.fixture
def service():
    return Service()


@pytest.fixture
def seen():
    return []


@pytest.fixture
def sender(service, seen, tmp_path):
    return Delivery(service, Spool(IDENTITY, tmp_path), seen.append)


def test_results_that_wait_together_are_one_request(sender, service, seen):
    sender.add([played(1), played(2, 0.5), played(3, 0.0)])
    sender.send()
    assert service.calls[0] == ("tell_all", [1, 2, 3])
    assert service.recorded == {1: 1.0, 2: 0.5, 3: 0.0}
    assert [type(event) for event in seen] == [Told] * 3
    assert sender.waiting == []
    assert sender.n_played == 3


def test_a_request_is_neither_too_long_nor_too_large(sender, service, monkeypatch):
    monkeypatch.setattr(delivery, "MOST_SENT", 3)
    monkeypatch.setattr(delivery, "MOST_BYTES", 200)
    sender.add([played(number) for number in range(1, 5)])
    sender.add([played(number, data={"log": "x" * 150}) for number in (5, 6)])
    sender.send()
    requests = [what for name, what in service.calls if name == "tell_all"]
    assert requests == [[1, 2, 3], [4, 5]]
    assert len(service.recorded) == 6


def test_a_batch_that_is_refused_as_a_whole_is_sent_one_by_one(sender, service):
    sender.add([played(1), played(2, data={"large": "x"})])
    sender.send()
    assert service.recorded == {1: 1.0, 2: 1.0}


def test_a_refused_result_is_named_and_the_others_count(sender, service, seen):
    service.refused = {1: ScoreConflict("match 1 has the score 0")}
    sender.add([played(1), played(2)])
    sender.send()
    assert service.recorded == {2: 1.0}
    (refused,) = [event for event in seen if isinstance(event, Refused)]
    assert refused.reason == "match 1 has the score 0"
    assert sender.n_played == 1


def test_what_a_lost_service_did_not_take_waits(sender, service, seen):
    service.is_away = True
    sender.add([played(1), played(2)])
    with pytest.raises(ServiceLost):
        sender.send()
    assert [item.ticket.id for item in sender.waiting] == [1, 2]
    service.is_away = False
    sender.send()
    assert service.recorded == {1: 1.0, 2: 1.0}
    assert len(seen) == 2


def test_a_result_whose_answer_was_lost_counts_as_played(sender, service, seen):
    service.recorded = {1: 1.0}
    sender.add([played(1)])
    sender.send()
    assert sender.n_played == 1
    assert isinstance(seen[0], Told)


def test_failures_are_reported_with_the_end_of_their_log(sender, service, seen):
    failure = MatchFailed("it crashed", log="x" * 5000)
    sender.add([Finished(ticket(4), None, [failure], has_scored=False)])
    sender.send()
    assert service.failed == [(4, "it crashed", "x" * 4000)]
    assert isinstance(seen[0], Failed)


def test_results_left_behind_are_sent_by_the_next_run(sender, service, seen, tmp_path):
    service.is_away = True
    sender.add([played(1), played(2, 0.5, errors=("slow",), data={"moves": 4})])
    words = sender.keep(is_leaving=True)
    sender.close()
    assert words.startswith("2 results kept in ")
    assert words.endswith("match 1, anna - bo: 1, match 2, anna - bo: 0.5")
    service.is_away = False
    other = Delivery(service, Spool(IDENTITY, tmp_path), seen.append)
    other.recover()
    assert service.recorded == {1: 1.0, 2: 0.5}
    assert seen == [Recovered(2, 0, "")]
    other.recover()
    assert len(seen) == 1


def test_results_left_behind_stay_if_the_service_is_lost_again(sender, service, seen, tmp_path):
    sender.add([played(1)])
    sender.keep(is_leaving=True)
    sender.close()
    service.is_away = True
    with pytest.raises(ServiceLost):
        Delivery(service, Spool(IDENTITY, tmp_path), seen.append).recover()
    service.is_away = False
    Delivery(service, Spool(IDENTITY, tmp_path), seen.append).recover()
    assert service.recorded == {1: 1.0}


def test_results_of_another_tournament_are_set_aside(sender, service, seen, tmp_path):
    sender.add([played(1)])
    sender.keep(is_leaving=True)
    sender.close()
    service.refused = {1: InvalidInput("there is no match 1")}
    Delivery(service, Spool(IDENTITY, tmp_path), seen.append).recover()
    (event,) = seen
    assert event.n_results == event.n_refused == 0
    assert event.problem.startswith("there is no match 1; see ")
    assert len(list(tmp_path.glob("*.rejected"))) == 1


def loop_of(service, play, watch):
    return work.WorkLoop(service, About(IDENTITY, 1, 0, ("anna", "bo")), Threads(play), 1, watch)


def test_a_worker_outlasts_a_service_that_is_away(seen):
    service = Service(n_matches=2)

    def play(first, second, seed):
        service.is_away = True
        return 1.0

    def watch(event):
        seen.append(event)
        service.is_away &= not (isinstance(event, Blocked) and "kept" in event.reason)

    report = loop_of(service, play, watch).run()
    assert service.recorded == {1: 1.0, 2: 1.0}
    assert report.n_played == 2
    blocked = [event.reason for event in seen if isinstance(event, Blocked)]
    assert blocked[0] == "no answer from http://host; trying again"
    assert blocked[1].startswith("until it is back, finished results are kept in ")


def test_whoever_leaves_while_the_service_is_away_is_told_where_the_results_are(seen):
    service = Service(n_matches=1)

    def play(first, second, seed):
        service.is_away = True
        loop._interrupts.times = 1
        return 1.0

    loop = loop_of(service, play, seen.append)
    with pytest.raises(LeftWhileAway, match=r"1 result kept in .* for the next run to record: mat"):
        loop.run()
    service.is_away = False
    assert loop_of(service, play, seen.append).run().reason == "over"
    assert service.recorded == {1: 1.0}


def test_an_error_that_ends_the_work_names_the_results(seen):
    service = Service(n_matches=1)

    def play(first, second, seed):
        service.tell = service.tell_all = lambda *_: refuse()
        return 1.0

    def refuse():
        raise AccessDenied("http://host answered 401: this token was revoked")

    with pytest.raises(AccessDenied, match=r"revoked; 1 result kept in .*: match 1, anna - bo: 1"):
        loop_of(service, play, seen.append).run()


def test_an_ask_is_repeated_with_its_key_and_each_answer_ends_a_key():
    service = Service(n_matches=2)
    ask, lost = service.ask, []

    def losing(n, lease, key, wait=0.0):
        lost.append(key)
        if len(lost) in (1, 2):
            raise ServiceLost("no answer from http://host")
        return ask(n, lease, key, wait)

    service.ask = losing
    loop_of(service, lambda *_: 1.0, lambda event: None).run()
    assert lost[0] == lost[1] == lost[2]
    assert len(set(lost[2:])) == len(lost[2:]) == 3
