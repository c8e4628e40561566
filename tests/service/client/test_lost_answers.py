"""Answers get lost: no match is handed out in vain, and none counts twice."""

import threading
from contextlib import ExitStack, contextmanager

import pytest

from maxin import Client, Tournament
from tests.helpers.dropping import dropping
from tests.helpers.handed_out import handed_out_again
from tests.helpers.service_processes import service_process
from tests.helpers.serving import serving


def by_seed(first, second, seed):
    return seed % 3 / 2


def play_all(urls, n_clients, work):
    """Let clients work in a thread each, at one URL after the other; returns what `work` did."""
    done, problems = [], []

    def one(url):
        try:
            with Client(url) as client:
                done.append(work(client))
        except BaseException as error:
            problems.append(error)

    chosen = [urls[number % len(urls)] for number in range(n_clients)]
    threads = [threading.Thread(target=one, args=(url,), daemon=True) for url in chosen]
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


def started(store, n_players=20):
    with Tournament([f"p{number}" for number in range(n_players)], store, seed=1):
        return store


@contextmanager
def served(store, budget):
    """The address of a service in this process."""
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    from maxin.service.service import Service

    with (
        Tournament(None, store) as tournament,
        serving(Service.of(tournament, budget=budget, confidence=None)) as found,
    ):
        yield found.address


def check_lost_answers(store, addresses, n_clients, budget, work=ask_and_tell):
    with ExitStack() as stack:
        proxies = [stack.enter_context(dropping(address)) for address in addresses]
        done = play_all([proxy.url for proxy in proxies], n_clients, work)
        assert all(proxy.n_dropped == proxy.n_answers // 5 > 0 for proxy in proxies)
    with Tournament(None, store) as tournament:
        assert sum(done) == tournament.n_matches == budget
        assert tournament.n_pending == 0
        assert handed_out_again(tournament) == []
        assert len({played.number for played in tournament.matches()}) == budget
        assert tournament.verify().problems == []


def test_twenty_clients_lose_one_answer_in_five(tmp_path):
    store = started(tmp_path / "league.db")
    with served(store, 60) as address:
        check_lost_answers(store, [address], 20, 60)


def test_workers_lose_one_answer_in_five(tmp_path):
    store = started(tmp_path / "league.db")
    with served(store, 40) as address:
        check_lost_answers(
            store, [address], 4, 40, lambda client: client.run(by_seed, workers=4).n_new
        )


@pytest.mark.slow
def test_five_hundred_clients_lose_one_answer_in_five(tmp_path):
    store = started(tmp_path / "league.db")
    with served(store, 3000) as address:
        check_lost_answers(store, [address], 500, 3000)


@pytest.mark.slow
def test_five_hundred_clients_of_two_processes_lose_one_answer_in_five(
    tmp_path, postgres_url, ports
):
    pytest.importorskip("starlette", reason="the server needs the extra 'web'")
    store = started(postgres_url)
    with ExitStack() as stack:
        for port in ports:
            words = ("--budget", "2000")
            stack.enter_context(service_process(tmp_path, postgres_url, port, *words))
        check_lost_answers(store, [("127.0.0.1", port) for port in ports], 500, 2000)
