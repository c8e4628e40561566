"""Real daemons, which leave the group and the session of their match, end with it."""

import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from maxin.runners import Command, MatchFailed
from tests.helpers.processes import is_alive
from tests.helpers.waiting import wait_until

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux"),
    pytest.mark.usefixtures("nothing_left"),
]

# Forks twice, with a session of its own in between, as daemons do; then the daemon forks again.
DAEMON = """
import os, signal, sys, time
folder, end = sys.argv[1:]
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    os.fork()
    for stream in range(3):
        os.close(stream)
    open(f"{folder}/{os.getpid()}", "w").close()
    time.sleep(600)
while len(os.listdir(folder)) < 2:
    time.sleep(0.01)
print(1, flush=True)
time.sleep(600 if end == "late" else 0)
"""


# Leaves its group, but not its session, and erases its environment.
UNMARKED = """
import os, sys, time
folder = sys.argv[1]
if os.fork() == 0:
    os.setpgid(0, 0)
    for stream in range(3):
        os.close(stream)
    os.execve("/bin/sh", ["sh", "-c", f"touch {folder}/$$; sleep 600"], {})
while not os.listdir(folder):
    time.sleep(0.01)
print(1)
"""

# A daemon that ends before its match: the match waits until the daemon is a zombie.
SHORT = """
import os, sys, time
ours, theirs = os.pipe()
if os.fork() == 0:
    os.setsid()
    leader = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == leader:
        time.sleep(0.01)
    os.write(theirs, str(os.getpid()).encode())
    os._exit(0)
os.wait()
daemon = os.read(ours, 20).decode()
while open(f"/proc/{daemon}/stat").read().rpartition(")")[2].split()[0] != "Z":
    time.sleep(0.01)
open(f"{sys.argv[1]}/{daemon}", "w").close()
print(1)
"""


def scripted(script, *arguments, **options):
    """A command that runs a script."""
    words = [sys.executable, "-I", "-S", "-c", script.replace("{", "{{").replace("}", "}}")]
    return Command(shlex.join([*words, *map(str, arguments)]), **options)


def daemons(folder, end="now", **options):
    """A command that leaves two daemons, whose numbers are the names of files in `folder`."""
    return scripted(DAEMON, folder, end, **options)


def numbers(folder):
    return [int(path.name) for path in Path(folder).iterdir()]


def test_a_daemon_ends_with_its_match(job, tmp_path):
    assert daemons(tmp_path).play(job()).score == 1.0
    assert len(numbers(tmp_path)) == 2
    assert not any(is_alive(pid) for pid in numbers(tmp_path))


def test_a_daemon_ends_with_a_match_that_is_killed(job, tmp_path):
    runner, ends = daemons(tmp_path, "late"), []

    def play():
        with pytest.raises(MatchFailed) as caught:
            runner.play(job())
        ends.append(caught.value.reason)

    thread = threading.Thread(target=play)
    thread.start()
    wait_until(lambda: len(numbers(tmp_path)) == 2)
    runner.kill()
    thread.join()
    assert len(ends) == 1
    assert not any(is_alive(pid) for pid in numbers(tmp_path))


def test_the_daemon_of_another_match_is_left_alone(job, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    other = daemons(theirs, "late")

    def play():
        with pytest.raises(MatchFailed):
            other.play(job())

    thread = threading.Thread(target=play)
    thread.start()
    try:
        wait_until(lambda: len(numbers(theirs)) == 2)
        daemons(ours).play(job())
        assert not any(is_alive(pid) for pid in numbers(ours))
        assert all(is_alive(pid) for pid in numbers(theirs))
    finally:
        other.kill()
        thread.join()


def test_a_match_leaves_no_zombie(job):
    before = children()
    Command("sh -c 'sleep 600 & sleep 600 & (sleep 600 &) ; echo 1'").play(job())
    assert children() <= before


def test_a_process_without_a_mark_ends_with_the_session_of_its_match(job, tmp_path):
    assert scripted(UNMARKED, tmp_path).play(job()).score == 1.0
    [pid] = numbers(tmp_path)
    assert not is_alive(pid)


def test_a_daemon_that_ends_before_its_match_leaves_no_zombie(job, tmp_path):
    before = children()
    assert scripted(SHORT, tmp_path).play(job()).score == 1.0
    assert len(numbers(tmp_path)) == 1
    assert children() <= before


@pytest.mark.parametrize("start_new_session", [False, True])
def test_exit_codes_of_other_processes_are_left_to_those_who_started_them(job, start_new_session):
    process = subprocess.Popen(["sh", "-c", "exit 7"], start_new_session=start_new_session)
    wait_until(lambda: not is_alive(process.pid))  # a zombie by now
    Command("sh -c 'sleep 600 & echo 1'").play(job())
    assert process.wait() == 7


def children():
    """Our children, zombies included."""
    pid = os.getpid()
    return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
