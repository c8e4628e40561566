"""A tournament survives many processes at once, a full disk and a lost server."""

import re
import threading
from collections import Counter

import pytest

from maxin.storage import StoreFailed
from maxin.tournament import Tournament
from maxin.worker import Told
from tests.helpers.processes import forked
from tests.helpers.small_disks import small_disk

NAMES = [f"player {number}" for number in range(10)]
PROCESSES = 8


def take_part(url, share, out):
    """Ask and tell `share` matches; put the numbers of their tickets into `out`."""
    with Tournament(store=url) as tournament:
        mine = []
        while len(mine) < share:
            ticket = tournament.ask()
            mine.append(ticket.id)
            tournament.tell(ticket, ticket.seed % 3 / 2)
    out.put(mine)


def share_tournament(url, n_matches):
    """Eight processes on one store: no ticket twice, no result lost, the same answer for all."""
    Tournament(NAMES, url, seed=2).close()
    context = forked()
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
        assert Counter(row.number for row in tournament.matches()) == tickets
        verification = tournament.verify()
        assert verification.problems == []
        assert verification.n_matches == n_matches


def test_eight_processes_share_one_file(url):
    share_tournament(url, 120)


def test_eight_processes_share_one_server(postgres_url):
    share_tournament(postgres_url, 120)


@pytest.mark.slow
def test_eight_processes_play_20000_matches_on_one_file(url):
    share_tournament(url, 20_000)


@pytest.mark.slow
def test_eight_processes_play_20000_matches_on_one_server(postgres_url):
    share_tournament(postgres_url, 20_000)


def test_a_run_waits_for_a_server_that_restarts(postgres):
    url = postgres.new_database("restarted")
    with Tournament(NAMES, url) as tournament:
        once = threading.Lock()

        def play(first, second, seed):
            if tournament.n_matches >= 20 and once.acquire(blocking=False):
                postgres.stop()
                restarting.start()
            return 0.5

        restarting = threading.Thread(target=postgres.start)
        report = tournament.run(play, budget=60, confidence=None, workers=2)
        restarting.join()
        assert report.n_matches == 60
        assert tournament.verify().problems == []
        assert len(list(tournament.matches())) == 60


@pytest.fixture
def disk(tmp_path):
    """A disk of one megabyte, and what makes it larger."""
    with small_disk(tmp_path / "disk", "1m") as grow:
        yield tmp_path / "disk", grow


def test_a_full_disk_raises_a_clear_error_and_loses_nothing(disk):
    folder, grow = disk
    url = f"sqlite:///{folder / 'league.db'}"
    acknowledged = {}

    def watch(event):
        if isinstance(event, Told):
            acknowledged[event.ticket.id] = event.score

    tournament = Tournament(NAMES, url)
    with pytest.raises(StoreFailed, match=r"full.*make room and run again") as caught:
        tournament.run(lambda *_: 0.25, budget=100_000, confidence=None, workers=4, watch=watch)
    tournament.close()
    kept = {int(found) for found in re.findall(r"match (\d+), player", str(caught.value))}
    assert "for the next run to record: match" in str(caught.value)
    assert len(acknowledged) > 20
    full = Tournament(store=url)  # it can still be read
    assert {row.number: row.score for row in full.matches()} == acknowledged
    full.close()
    grow()
    with Tournament(store=url) as tournament:
        # This process continues, so the leases of its failed run would have to run out.
        lost = [ticket.id for ticket in tournament.pending()]
        tournament.store.transact(lambda writer: writer.lease(lost, "gone", -1.0))
        budget = len(acknowledged) + 50
        assert tournament.run(lambda *_: 0.25, budget=budget, confidence=None).n_matches == budget
        assert tournament.verify().problems == []
        assert {row.number for row in tournament.matches()} >= acknowledged.keys() | kept


def test_a_run_whose_file_is_deleted_says_so_and_keeps_its_results(tmp_path):
    path = tmp_path / "league.db"
    acknowledged = []

    def play(first, second, seed):
        if len(acknowledged) == 3:
            for file in tmp_path.glob("league.db*"):
                file.unlink()
        return 1.0

    def watch(event):
        if isinstance(event, Told):
            acknowledged.append(event.ticket.id)

    with (
        Tournament(["anna", "bo"], path, seed=1) as tournament,
        pytest.raises(StoreFailed, match="its file was deleted") as caught,
    ):
        tournament.run(play, budget=9, confidence=None, watch=watch)
    assert acknowledged == [1, 2, 3]
    assert "1 result kept in " in str(caught.value)
    assert "for the next run to record: match 4" in str(caught.value)


def test_a_result_for_a_deleted_file_is_not_acknowledged(tmp_path):
    with Tournament(["anna", "bo"], tmp_path / "league.db", seed=1) as tournament:
        ticket = tournament.ask()
        for file in tmp_path.glob("league.db*"):
            file.unlink()
        with pytest.raises(StoreFailed, match="its file was deleted"):
            tournament.tell(ticket, 1.0)
