"""Leases: a match whose player is gone is handed out again, and no other match is."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maxin.storage import Lease
from maxin.storage.machine import boot_id, uptime
from maxin.tournament import Tournament
from maxin.tournament.record import leases
from maxin.tournament.record.leases import (
    CLOCK_SKEW,
    clock_skew,
    holder,
    is_lapsed,
    process_name,
    remaining,
)
from maxin.worker import ScoreConflict
from tests.helpers.leagues import NAMES

NOW = 1_000_000.0
ELSEWHERE = "elsewhere|1|x"


def test_a_lapsed_match_is_handed_out_again_and_its_late_result_counts(url, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_CHECK", 0.0)
    slow, quick = Tournament(NAMES, url), Tournament(store=url)
    ticket = slow.ask(lease=1e-6)
    again = quick.ask()
    assert again == ticket._replace(fence=again.fence)
    assert again.fence != ticket.fence
    assert quick.ask().id == 2
    assert slow.tell(ticket, 1.0)  # late, and first
    assert not quick.tell(ticket, 1.0)
    with pytest.raises(ScoreConflict):
        quick.tell(ticket, 0.0)
    assert [row.number for row in slow.matches()] == [1]


def test_a_lapsed_match_of_a_player_who_left_is_void(url, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_CHECK", 0.0)
    tournament = Tournament(NAMES, url)
    ticket = tournament.ask(lease=1e-6)
    tournament.pause(ticket.first)
    assert tournament.ask().id == 2
    assert [row.id for row in tournament.pending()] == [2]
    (event,) = tournament.store.events("void")
    assert event.match == ticket.id
    assert "its lease lapsed, and a player is no longer active" in event.detail["reason"]


def test_record_of_running_processes_are_left_alone(url):
    one, two = Tournament(NAMES, url), Tournament(store=url)
    tickets = [tournament.ask() for tournament in (one, two, one, two)]
    assert [ticket.id for ticket in tickets] == [1, 2, 3, 4]


def test_a_lease_lapses_when_its_time_is_over():
    assert not is_lapsed(Lease(1, ELSEWHERE, NOW - 10, NOW + 50), NOW)
    assert is_lapsed(Lease(1, ELSEWHERE, NOW - 70, NOW - 10), NOW)


def test_a_lease_lapses_when_its_process_has_ended():
    here = process_name()
    machine = here.split("|")[0]
    assert not is_lapsed(Lease(1, here, NOW - 10, NOW + 50), NOW)
    assert is_lapsed(Lease(1, f"{machine}|999999999|x", NOW - 10, NOW + 50), NOW)
    assert not is_lapsed(Lease(1, f"{machine}|1|x", NOW - 10, NOW + 50), NOW)  # not ours, but there
    assert not is_lapsed(Lease(1, "shell:here", NOW - 10, NOW + 50), NOW)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
def test_a_lease_lapses_when_nobody_asked_how_its_process_ended():
    machine = process_name().partition("|")[0]
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as ended:
        assert ended.stdout.read() == b""  # at its end
        lease = Lease(1, f"{machine}|{ended.pid}|x", NOW - 10, NOW + 50)
        deadline = time.monotonic() + 60.0
        while not is_lapsed(lease, NOW) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert ended.returncode is None
        assert is_lapsed(lease, NOW)


def test_a_lease_from_here_does_not_depend_on_the_clock():
    lease = Lease(1, process_name(), NOW, NOW + 60.0, boot_id(), uptime())
    for now in (NOW, NOW + 7200.0, NOW - 7200.0):
        assert not is_lapsed(lease, now)
        assert clock_skew(lease, now) == pytest.approx(now - NOW, abs=1.0)
        assert is_lapsed(lease._replace(uptime=lease.uptime - 61.0), now)


def test_a_process_of_another_machine_with_our_name_is_not_taken_for_one_of_ours():
    name, number, token = f"{process_name()}".split("|")
    other = name.replace(boot_id(), "00000000-0000-0000-0000-000000000000")
    assert is_lapsed(Lease(1, f"{name}|999999999|{token}", NOW - 10, NOW + 50), NOW)
    assert not is_lapsed(Lease(1, f"{other}|999999999|{token}", NOW - 10, NOW + 50), NOW)
    assert number == str(os.getpid())


def test_a_lease_from_before_the_clock_was_set_back_has_lapsed():
    assert is_lapsed(Lease(1, ELSEWHERE, NOW + 86_400, NOW + 86_460), NOW)
    assert not is_lapsed(Lease(1, ELSEWHERE, NOW + CLOCK_SKEW / 2, NOW + 100), NOW)


def test_every_process_name_is_unique():
    assert process_name() != process_name()


def test_the_time_left_is_counted_as_the_lease_is():
    here = Lease(1, process_name(), NOW, NOW + 60.0, boot_id(), uptime() - 20.0)
    assert remaining(here, NOW + 7200.0) == pytest.approx(40.0, abs=1.0)  # the clock was set
    assert remaining(Lease(1, ELSEWHERE, NOW - 10, NOW + 50), NOW) == 50.0
    assert remaining(Lease(1, ELSEWHERE, NOW - 70, NOW - 10), NOW) == 0.0


def test_a_match_that_was_handed_out_again_is_held_by_the_last_holder(url, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_CHECK", 0.0)
    slow, quick = Tournament(NAMES, url, worker="slow"), Tournament(store=url)
    slow.ask(lease=1e-6)
    (before,) = slow.pending()
    quick.ask(lease=60.0)
    (after,) = quick.pending()
    assert (before.worker, before.remaining) == ("slow", 0.0)
    assert (after.worker, after.id) == (holder(process_name()), 1)
    assert after.since > before.since
    assert 0.0 < after.remaining <= 60.0
