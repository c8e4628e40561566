"""What a tournament survives: many processes at once, a full disk, a lost server."""

import multiprocessing
import os
import subprocess
import threading
import time
from collections import Counter

import pytest

from maxin.storage import StoreFailed
from maxin.tournament import Told, Tournament

NAMES = [f"player {number}" for number in range(10)]
PROCESSES = 8


def take_part(url, share, out):
    """Ask and tell so many matches; hand back the tickets that were ours."""
    with Tournament(store=url) as tournament:
        mine = []
        while len(mine) < share:
            ticket = tournament.ask()
            mine.append(ticket.id)
            tournament.tell(ticket, ticket.seed % 3 / 2)
    out.put(mine)


def share_a_tournament(url, n_matches):
    """Eight processes on one store; no ticket twice, no result lost, the same answer for all."""
    Tournament(NAMES, url, seed=2).close()
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    share = n_matches // PROCESSES
    workers = [context.Process(target=take_part, args=(url, share, out)) for _ in range(PROCESSES)]
    for worker in workers:
        worker.start()
    tickets = Counter(number for _ in workers for number in out.get(timeout=900))
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    assert sorted(tickets) == list(range(1, n_matches + 1))
    assert set(tickets.values()) == {1}
    with Tournament(store=url) as tournament:
        told = Counter(row.number for row in tournament.matches())
        assert told == tickets
        verification = tournament.verify()
        assert verification.problems == []
        assert verification.n_matches == n_matches


def test_eight_processes_share_a_file(tmp_path):
    share_a_tournament(f"sqlite:///{tmp_path / 'league.db'}", 320)


def test_eight_processes_share_a_server(postgres_url):
    share_a_tournament(postgres_url, 320)


@pytest.mark.slow
def test_eight_processes_play_20000_matches_on_one_file(tmp_path):
    share_a_tournament(f"sqlite:///{tmp_path / 'league.db'}", 20_000)


@pytest.mark.slow
def test_eight_processes_play_20000_matches_on_one_server(postgres_url):
    share_a_tournament(postgres_url, 20_000)


def test_a_server_that_restarts_is_waited_for(postgres):
    url = postgres.new_database("restarted")
    with Tournament(NAMES, url) as tournament:
        restarts = []

        def play(first, second, seed):
            if tournament.n_matches >= 20 and not restarts:
                restarts.append(threading.Thread(target=restart))
                restarts[0].start()
                time.sleep(0.3)  # let it go down
            return 0.5

        def restart():
            postgres.stop()
            postgres.start()

        report = tournament.run(play, budget=60, confidence=None, workers=2)
        restarts[0].join()
        assert report.n_matches == 60
        assert tournament.verify().problems == []
        assert len(list(tournament.matches())) == 60


@pytest.fixture
def small_disk(tmp_path):
    """A disk of one megabyte, and a way to make it larger."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(*options):
        return subprocess.run(
            ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        )

    if os.geteuid() != 0 or mount("size=1m").returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield folder, lambda: mount("remount", "size=64m")
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_a_clear_error_and_loses_nothing(small_disk):
    folder, grow = small_disk
    url = f"sqlite:///{folder / 'league.db'}"
    acknowledged = {}

    def watch(event):
        if isinstance(event, Told):
            acknowledged[event.ticket.id] = event.score

    tournament = Tournament(NAMES, url)
    with pytest.raises(StoreFailed, match=r"full.*make room and run again") as caught:
        tournament.run(lambda *_: 0.25, budget=100_000, confidence=None, workers=4, watch=watch)
    tournament.close()
    assert "not saved: match" in str(caught.value)
    assert len(acknowledged) > 20
    full = Tournament(store=url)  # it can still be read
    assert {row.number: row.score for row in full.matches()} == acknowledged
    full.close()
    grow().check_returncode()
    with Tournament(store=url) as tournament:
        budget = len(acknowledged) + 50
        assert tournament.run(lambda *_: 0.25, budget=budget, confidence=None).n_matches == budget
        assert tournament.verify().problems == []
        assert {row.number for row in tournament.matches()} >= acknowledged.keys()
