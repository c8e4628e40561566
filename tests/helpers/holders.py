"""Processes that are suspended while they hold the lock of a store."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import quote

from tests.helpers.processes import ROOT, is_suspended
from tests.helpers.waiting import wait_until

# It asks for a match and reports it. Once, when everything is ready to be committed, it says so
# and either suspends itself or waits for a line. `settings` is SQL for that transaction.
HOLDER = """
import os, signal, sys
from maxin.tournament import Tournament

url, score, how, settings = sys.argv[1:]
tournament = Tournament(store=url)
ticket = tournament.ask()
transact, left = tournament.store.transact, [how]

def transact_slowly(work):
    def slowly(writer):
        done = work(writer)
        if left:
            left.pop()
            if settings:
                writer._connection.exec_driver_sql(settings)
            print(ticket.id, flush=True)
            if how == "suspend":
                os.kill(os.getpid(), signal.SIGSTOP)
            else:
                input()
        return done
    return transact(slowly)

tournament.store.transact = transact_slowly
print(tournament.tell(ticket, float(score)))
"""


@contextmanager
def holder(url, score=1.0, how="suspend", settings=""):
    """A process that holds the store at `url`; its match is its attribute `match`."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, url, str(score), how, settings],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        try:
            first = process.stdout.readline()
            assert first, process.stderr.read()
            process.match = int(first)
            if how == "suspend":
                wait_until(lambda: is_suspended(process.pid))
            yield process
        finally:
            process.kill()


def wake(process):
    """Let a suspended process continue."""
    os.kill(process.pid, signal.SIGCONT)


def finished(process):
    """What a process printed until it ended, which must be without an error."""
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    return out


def with_settings(url, **settings):
    """The URL with settings of the server, such as a shorter timeout."""
    flags = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return f"{url}?options={quote(flags)}"
