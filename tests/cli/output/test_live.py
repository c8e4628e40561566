import fcntl
import functools
import io
import math
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time

import pytest
from rich.cells import cell_len
from rich.console import Console

from maxin.cli.output.live import LiveView, standings_table
from maxin.core import Match, Stop
from maxin.runners import Outcome
from maxin.tournament import Tournament
from maxin.worker import Asked, Blocked, Failed, Paused, Returned, Ticket, Told, Voided
from maxin.worker.progress import RunProgress, speed
from tests.helpers.processes import ROOT

NAMES = ["[red]anna[/red]", "安娜" * 40, "bo", "run-3/" + "x" * 150 + "/step-000100.pt", "🎲 -dash"]
RUNNING = re.compile(r"\d+/4 matches · [\d.]+/(s|min) · 1 running")


def league(n_players):
    names = [*NAMES, *(f"player {number}" for number in range(n_players - len(NAMES)))]
    tournament = Tournament(names)
    tournament.add_results([(names[0], name, 1.0) for name in names[1:]])
    return tournament


@functools.cache
def overview(n_players):
    return league(n_players).overview()


def screen(width, height):
    return Console(file=io.StringIO(), width=width, height=height, color_system=None)


def drawn(thing, console):
    console.print(thing)
    return console.file.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 60), (60, 10), (40, 24), (20, 3)])
@pytest.mark.parametrize("n_players", [5, 19, 20, 100])
def test_the_table_fits_any_terminal(width, height, n_players):
    console, room = screen(width, height), max(2, height - 5)
    lines = drawn(standings_table(overview(n_players), width, height - 5), console)
    assert len(lines) <= 1 + room
    assert all(cell_len(line) <= width for line in lines)
    shown = sum(bool(re.match(r" *\d", line)) for line in lines)
    rest = re.search(r"… and (\d+) more", lines[-1])
    assert shown + (int(rest[1]) if rest else 0) == n_players or width < 40


def test_names_are_printed_as_they_are():
    text = "\n".join(drawn(standings_table(overview(5), 120, 20), screen(120, 24)))
    assert "[red]anna[/red]" in text
    assert "step-000100.pt" in text
    assert "🎲 -dash" in text


def test_long_names_are_shown_without_what_they_have_in_common():
    tournament = Tournament([f"checkpoints/run-3/step-{step:06}.pt" for step in range(0, 400, 100)])
    tournament.add_results([(*tournament.names[:2], 1.0)])
    lines = drawn(standings_table(tournament.overview(), 50, 20), screen(50, 24))
    assert [line.split()[1] for line in lines[1:5]] == [
        "…000000.pt", "…000200.pt", "…000300.pt", "…000100.pt",
    ]  # fmt: skip


def ticket(number):
    return Ticket(number, "anna", "bo", 7, Match(0, 1))


def test_the_status_line_counts():
    progress = RunProgress(100, Stop(1000, None))
    for number in (101, 102, 103):
        progress.take(Asked(ticket(number)))
    progress.take(Told(ticket(101), Outcome(1.0)))
    progress.take(Failed(ticket(102), 1, "it\x1b[31m broke", ""))
    progress.take(Voided(ticket(102), "it broke"))
    start = progress.started
    assert progress.status(None, start + 2.0) == (
        "101/1,000 matches · 30/min · 1 running · about 899 matches, 30 min, to go"
    )
    assert progress.failures() == "1 failed; the last: #102 anna - bo: it broke"
    assert progress.rate(start + 1e6) < 1e-5  # nothing has come for long


def test_a_match_that_was_given_back_is_not_running():
    progress = RunProgress(0, Stop(1000, None))
    progress.take(Asked(ticket(1)))
    progress.take(Returned(ticket(1)))
    assert "0 running" in progress.status(None, progress.started + 2.0)


def test_the_rest_is_by_the_lead_or_at_most_by_the_budget():
    progress = RunProgress(100, Stop(1000, 0.95))
    assert progress.to_go(math.inf, rate=1.0) == ["at most 900 matches, 15 min, to go"]
    assert progress.to_go(33.0, rate=1.0) == ["about 33 matches, 33 s, to go"]
    assert progress.to_go(33.0, rate=500.0) == ["about 33 matches, under 1 s, to go"]
    assert progress.to_go(33.0, rate=0.0) == ["about 33 matches to go"]
    assert RunProgress(100, Stop(None, 0.95)).to_go(math.inf, rate=1.0) == []
    over = RunProgress(100, Stop(90, None))
    assert over.to_go(math.inf, rate=1.0) == []  # the budget is spent


def test_the_rest_of_a_lead_counts_down_but_not_to_nothing():
    tournament = Tournament(["anna", "bo"])
    tournament.add_results([("anna", "bo", score) for score in (1.0, 0.0, 1.0, 1.0)])
    found = tournament.overview()
    progress = RunProgress(4, Stop(None, 0.95))
    assert progress.missing(found) == found.n_left > 3
    progress.take(Told(ticket(5), Outcome(1.0)))
    assert progress.missing(found) == found.n_left - 1
    assert RunProgress(10**6, Stop(None, 0.95)).missing(found) == 1.0
    assert RunProgress(4, Stop(9, None)).missing(found) == math.inf


def test_numbers_are_easy_to_read():
    assert [speed(0.0), speed(0.5), speed(900.0)] == ["0/min", "30/min", "900.0/s"]


def test_the_view_shows_results_and_failures():
    tournament = league(30)
    console = Console(file=io.StringIO(), width=80, height=24, force_terminal=True)
    with LiveView(tournament, Stop(budget=50), console) as view:
        end = time.monotonic() + 30.0
        while view.refresher.found is None and time.monotonic() < end:
            time.sleep(0.05)
        view(Paused("[bold]bo", "its matches fail"))
        view(Blocked("waiting for process 7, which holds the store"))
        view(Failed(ticket(1), 1, "no score", ""))
        view.live.refresh()
        again = view.picture()
    plain = screen(80, 24)
    lines = drawn(again, plain)
    assert len(lines) <= 24
    assert "29/50 matches" in lines[-2]
    assert lines[-1] == "1 failed; the last: #1 anna - bo: no score"
    assert "[bold]bo is paused: its matches fail" in console.file.getvalue()
    assert "waiting for process 7, which holds the store" in console.file.getvalue()


def test_on_a_terminal_a_run_is_drawn(tmp_path):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = "sh -c 'for _ in $(seq 600); do [ -e go ] && break; sleep 0.1; done; echo 1'"
    players = [word for name in ("[red]anna[/red]", "bo") for word in ("--player", name)]
    text = b""
    with subprocess.Popen(
        [sys.executable, "-m", "maxin", "run", *players, "--command", command, "--budget", "4",
         "--confidence", "none", "--store", "sqlite:///x.db"],
        stdout=theirs, stderr=theirs, cwd=tmp_path,
        env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        os.close(theirs)
        while data := _read(ours):
            text += data
            if RUNNING.search(plain(text)):
                (tmp_path / "go").touch()
    os.close(ours)
    assert process.returncode == 0
    assert RUNNING.search(plain(text))
    assert "[red]anna[/red]" in plain(text)
    assert "the budget is spent after 4 matches" in plain(text)
    assert "#1 " not in plain(text)


def plain(text):
    """What a terminal shows, without colours and moves of its cursor."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text.decode(errors="replace"))


def _read(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other side has closed it
        return b""
