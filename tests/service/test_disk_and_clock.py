"""A service whose disk is full, and one whose clock jumps, while workers play."""

import shutil
import subprocess
import threading
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin import Client, Tournament
from maxin.worker import Told
from tests.helpers.handed_out import handed_out_again
from tests.helpers.ports import reserved_port
from tests.helpers.service_processes import service_process
from tests.helpers.serving import Served
from tests.helpers.small_disks import small_disk
from tests.helpers.waiting import LONG, wait_until

JUMPS = (3, -2, 400, 0)  # days from now, one after the other, while the service runs
EACH = 10  # matches after each jump


def play(first, second, seed):
    return seed % 3 / 2


class Playing:
    """A client that plays in a thread until the budget is spent."""

    def __init__(self, url, folder, play=play):
        self.folder, self.told, self.reports = folder, {}, []
        self._url, self._play = url, play
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        with Client(self._url) as client:
            self.reports.append(client.run(self._play, workers=4, watch=self._watch))

    def _watch(self, event):
        if isinstance(event, Told):
            assert event.ticket.id not in self.told
            self.told[event.ticket.id] = event.score

    def check(self, budget, others=()):
        """All was played, and everything that was reported is recorded once."""
        self._thread.join(LONG)
        assert [report.reason for report in self.reports] == ["budget"]
        with Tournament(None, self.folder / "league.db") as tournament:
            played = [(row.number, row.score) for row in tournament.matches()]
            assert len(played) == len(dict(played)) == budget
            assert dict(played) == {**self.told, **dict(others)}
            assert handed_out_again(tournament) == []
            assert tournament.n_pending == 0
            assert tournament.verify().problems == []


@pytest.fixture
def port():
    with reserved_port() as keeper:
        yield keeper.getsockname()[1]


def days_ahead(served):
    """How many days the clock of a service is ahead."""
    date = parsedate_to_datetime(served.ask("GET", "/health").headers["date"])
    return round((date - datetime.now(UTC)) / timedelta(days=1))


def start(folder):
    with Tournament([f"p{n}" for n in range(6)], folder / "league.db", seed=1):
        pass


def test_a_service_on_a_full_disk_says_so_and_continues_when_there_is_room(
    tmp_path, port, monkeypatch
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder, budget = tmp_path / "disk", 1_000
    with ExitStack() as stack:
        make_room = stack.enter_context(small_disk(folder, "1m"))
        start(folder)
        flags = ("--budget", str(budget))
        stack.enter_context(service_process(folder, "league.db", port, *flags))
        served = Served(None, f"http://127.0.0.1:{port}")
        playing = Playing(served.url, folder)
        wait_until(lambda: served.ask("GET", "/health").status == 503)
        assert "disk is full" in served.ask("GET", "/health").body["detail"]
        # A checkpoint of the database may make room for some more; what is handed out lapses.
        asked = []
        wait_until(lambda: asked.append(ask_shortly(served)) or asked[-1].status == 503)
        assert "retry-after" in asked[-1].headers
        assert served.ask("GET", "/", Accept="text/html").status == 200
        assert 20 < len(playing.told) < budget
        make_room()
        playing.check(budget)
        assert served.ask("GET", "/health").status == 200


def ask_shortly(served):
    """Ask for a match that others get if it is not played within a second."""
    return served.api("POST", "/matches", {"n": 1, "lease": 1})


@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
def test_a_service_whose_clock_jumps_gives_no_match_away(tmp_path, port, monkeypatch):
    start(tmp_path)
    clock, budget = tmp_path / "clock", EACH * len(JUMPS) + 1
    clock.write_text("+0d")
    library = subprocess.run(
        ["faketime", "-f", "+0d", "printenv", "LD_PRELOAD"], capture_output=True, text=True
    )
    with ExitStack() as stack:
        with monkeypatch.context() as patch:
            patch.setenv("LD_PRELOAD", library.stdout.strip())
            patch.setenv("FAKETIME_TIMESTAMP_FILE", str(clock))
            patch.setenv("FAKETIME_CACHE_DURATION", "1")
            patch.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")  # it never jumps
            flags = ("--budget", str(budget))
            stack.enter_context(service_process(tmp_path, "league.db", port, *flags))
        served = Served(None, f"http://127.0.0.1:{port}")
        other = stack.enter_context(Client(served.url))
        held = other.ask(lease=3600)
        turns = threading.Semaphore(0)

        def in_turn(*given):
            assert turns.acquire(timeout=LONG)
            return play(*given)

        playing = Playing(served.url, tmp_path, in_turn)
        for number, days in enumerate(JUMPS, 1):
            part = tmp_path / "part"
            part.write_text(f"{days:+}d")
            part.rename(clock)
            wait_until(lambda days=days: days_ahead(served) == days)
            turns.release(EACH)
            wait_until(lambda number=number: len(playing.told) == EACH * number)
        assert other.tell(held, 0.5)
        playing.check(budget, [(held.id, 0.5)])
