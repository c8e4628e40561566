"""The service is started again, or killed, while clients work: they keep their matches."""

import signal
import threading

import pytest

from maxin import Client, Tournament
from tests.helpers.handed_out import handed_out_again
from tests.helpers.service_processes import service_process
from tests.helpers.waiting import LONG, wait_until

pytest.importorskip("starlette", reason="the server needs the extra 'web'")


STORE = "sqlite:///league.db"


def start(folder, n_players=10):
    with Tournament([f"p{n}" for n in range(n_players)], folder / "league.db", seed=1):
        pass


def in_threads(n, work):
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(n)]
    for thread in threads:
        thread.start()
    return threads


def check_restart(folder, port, n_clients, end):
    """All clients play while the service ends and starts again; nobody else gets their matches."""
    start(folder)
    is_back, playing, reports = threading.Event(), [], []
    budget = ("--budget", str(3 * n_clients))

    def play(first, second, seed):
        playing.append(seed)
        assert is_back.wait(LONG)
        return seed % 3 / 2

    def work(number):
        with Client(f"http://127.0.0.1:{port}") as client:
            reports.append(client.run(play, workers=1))

    with service_process(folder, STORE, port, *budget) as service:
        threads = in_threads(n_clients, work)
        wait_until(lambda: len(playing) == n_clients)
        service.send_signal(end)
        service.wait(LONG)
    with service_process(folder, STORE, port, *budget):
        with Client(f"http://127.0.0.1:{port}") as other:
            ticket = other.ask()
            assert ticket.id == n_clients + 1  # not one that somebody plays
            other.tell(ticket, 0.5)
        is_back.set()
        for thread in threads:
            thread.join(300)
        assert not any(thread.is_alive() for thread in threads)
    assert [report.reason for report in reports] == ["budget"] * n_clients
    with Tournament(None, folder / "league.db") as tournament:
        assert tournament.n_matches == 3 * n_clients
        assert sum(report.n_new for report in reports) == 3 * n_clients - 1
        assert handed_out_again(tournament) == []
        assert tournament.verify().problems == []


def test_a_restart_under_eight_clients_gives_no_match_away(tmp_path, port):
    check_restart(tmp_path, port, 8, signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_under_fifty_clients_gives_no_match_away(tmp_path, port, end):
    check_restart(tmp_path, port, 50, end)


@pytest.mark.slow
def test_a_killed_service_loses_no_result_that_it_acknowledged(tmp_path, port):
    start(tmp_path)
    is_over, acknowledged = threading.Event(), {}

    def work(number):
        with Client(f"http://127.0.0.1:{port}") as client:
            while not is_over.is_set():
                ticket = client.ask()
                client.tell(ticket, ticket.seed % 3 / 2)
                acknowledged[ticket.id] = ticket.seed % 3 / 2

    threads, n_kills = [], 6
    for _ in range(n_kills):
        with service_process(tmp_path, STORE, port) as service:
            threads = threads or in_threads(16, work)
            enough = len(acknowledged) + 100
            wait_until(lambda enough=enough: len(acknowledged) >= enough)
            service.kill()
            service.wait(LONG)
    with service_process(tmp_path, STORE, port):
        is_over.set()
        for thread in threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in threads)
    with Tournament(None, tmp_path / "league.db") as tournament:
        recorded = {played.number: played.score for played in tournament.matches()}
        assert acknowledged.items() <= recorded.items()
        assert len(acknowledged) >= 100 * n_kills
        assert tournament.n_pending == 0
        assert handed_out_again(tournament) == []
        assert tournament.verify().problems == []
