import os
import signal
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.runners.programs import groups, reaper
from maxin.runners.programs.groups import Tail
from tests.helpers.processes import own_processes
from tests.helpers.waiting import wait_until

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_the_reaper_watches_a_group_from_start_to_end(monkeypatch):
    watched, watch, forget = set(), reaper.watch, reaper.forget
    monkeypatch.setattr(reaper, "watch", lambda pid: watched.add(pid) or watch(pid))
    monkeypatch.setattr(reaper, "forget", lambda pid: watched.remove(pid) or forget(pid))
    group = groups.Group(["sleep", "600"], {})
    assert len(watched) == 1
    wait_until(lambda: watched == set(own_processes()))  # it has the mark once it is a `sleep`
    assert group.end() == -signal.SIGKILL
    assert not watched


def test_output_is_kept_even_if_nobody_waited():
    group = groups.Group(["sh", "-c", "echo 1; echo words >&2"], os.environ)
    wait_until(group.has_ended)
    assert group.end() == 0
    assert (group.output.last_line(), group.log.text()) == ("1", "words\n")


def test_endless_output_is_not_read_to_the_end():
    # Private, since a process that writes faster than we read cannot be had reliably.
    endless = os.open("/dev/zero", os.O_RDONLY)
    groups._read_the_rest(endless, Tail(10))
    os.close(endless)


def test_wait_returns_whether_the_process_ended_in_time():
    group = groups.Group(["sleep", "600"], os.environ)
    assert not group.wait(groups.deadline(0.01))
    assert not group.has_ended()
    group.kill()
    assert group.wait(groups.deadline(None))
    assert group.end() == -signal.SIGKILL


def test_killing_a_group_of_dead_processes_is_fine():
    with subprocess.Popen(["true"], start_new_session=True) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # keeps its number ours
        groups.kill_group(process.pid)
    assert process.returncode == 0


@given(st.lists(st.binary(max_size=20)), st.integers(1, 30))
def test_a_tail_is_the_end_of_the_stream(pieces, size):
    tail = Tail(size)
    for piece in pieces:
        tail.add(piece)
    whole = b"".join(pieces)
    assert tail.text() == whole[-size:].decode("utf-8", "replace")
    line = whole.rstrip().rpartition(b"\n")[2].decode("utf-8", "replace").strip()
    assert tail.last_line() in ("", line)  # empty if its start was dropped
    if len(whole) <= size:
        assert tail.last_line() == line


def test_a_cleared_tail_is_empty():
    tail = Tail(3)
    tail.add(b"0.5\n")
    tail.clear()
    assert (tail.text(), tail.last_line()) == ("", "")
    tail.add(b"1")
    assert tail.last_line() == "1"
