"""Answers get lost: no match is handed out in vain, and none counts twice."""

import threading

import pytest
from sqlalchemy import func, select

from maxin import Client, Tournament
from maxin.storage.schema import ASKED
from tests.helpers.dropping import dropping
from tests.helpers.serving import serving


def by_seed(first, second, seed):
    return seed % 3 / 2


def handed_out_again(tournament):
    """The matches that were handed out more than once."""
    again = select(ASKED.c.match).group_by(ASKED.c.match).having(func.count() > 1)
    with tournament.store.one_moment() as connection:
        return list(connection.execute(again).scalars())


def play_all(url, n_clients, work):
    """Let clients work in a thread each; returns what `work` returned."""
    done, problems = [], []

    def one():
        try:
            with Client(url) as client:
                done.append(work(client))
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=one, daemon=True) for _ in range(n_clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert problems == []
    assert not any(thread.is_alive() for thread in threads)
    return done


def ask_and_tell(client):
    """Play match by match until the tournament is over; returns how many."""
    n_played = 0
    while True:
        ticket = client.ask(lease=600)
        if ticket is not None:
            n_played += client.tell(ticket, by_seed(*ticket[1:4])) in (True, False)
        elif client.idle_reason().is_over:
            return n_played
        else:
            threading.Event().wait(0.05)


def check_lost_answers(tmp_path, n_clients, budget, work):
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    from maxin.service.service import Service

    with Tournament([f"p{n}" for n in range(20)], tmp_path / "league.db", seed=1) as tournament:
        service = Service.of(tournament, budget=budget, confidence=None)
        with serving(service) as served, dropping(served.address) as proxy:
            done = play_all(proxy.url, n_clients, work)
            assert proxy.n_dropped == proxy.n_answers // 5 > 0
        assert sum(done) == tournament.n_matches == budget
        assert tournament.n_pending == 0
        assert handed_out_again(tournament) == []
        scores = {played.number: played.score for played in tournament.matches()}
        assert len(scores) == budget
        assert tournament.verify().problems == []


def test_fifty_clients_lose_one_answer_in_five(tmp_path):
    check_lost_answers(tmp_path, 50, 150, ask_and_tell)


def test_workers_lose_one_answer_in_five(tmp_path):
    check_lost_answers(tmp_path, 4, 80, lambda client: client.run(by_seed, workers=4).n_played)


@pytest.mark.slow
def test_five_hundred_clients_lose_one_answer_in_five(tmp_path):
    check_lost_answers(tmp_path, 500, 3000, ask_and_tell)
