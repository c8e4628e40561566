"""Real processes that start at once, since they are forked from one that has loaded everything."""

import os
import signal
import sys
from contextlib import chdir, contextmanager
from multiprocessing import forkserver, get_context

import maxin.cli
from tests.helpers.holders import HOLDER
from tests.helpers.processes import ROOT, is_suspended
from tests.helpers.waiting import wait_until


class ForkedProcess:
    """A function in a process, with the methods of `subprocess.Popen` that tests use.

    What it prints must fit into a pipe.
    """

    def __init__(self, function, arguments, folder):
        context = get_context("forkserver")
        context.set_forkserver_preload(["tests.helpers.preloaded_commands"])
        with chdir(ROOT):  # to import it
            forkserver.ensure_running()
        (out, to_out), (err, to_err) = context.Pipe(duplex=False), context.Pipe(duplex=False)
        terms = (function, arguments, folder, dict(os.environ), to_out, to_err)
        self._process = context.Process(target=_run, args=terms)
        self._process.start()
        self.pid = self._process.pid
        self.stdout, self.stderr = (os.fdopen(os.dup(end.fileno())) for end in (out, err))
        for end in (out, to_out, err, to_err):
            end.close()

    @property
    def returncode(self):
        return self._process.exitcode

    poll = returncode.fget

    def send_signal(self, number):
        os.kill(self.pid, number)

    def communicate(self, timeout):
        self._process.join(timeout)
        assert self.returncode is not None, f"process {self.pid} still runs after {timeout} s"
        return self.stdout.read(), self.stderr.read()

    def close(self):
        if self.returncode is None:
            self.send_signal(signal.SIGKILL)
        self._process.join()
        self.stdout.close()
        self.stderr.close()


@contextmanager
def forked_command(*arguments, folder):
    """`maxin ARGUMENTS` as a process in a folder; it is killed at the end."""
    process = ForkedProcess(maxin.cli.main, arguments, folder)
    try:
        yield process
    finally:
        process.close()


@contextmanager
def forked_holder(url):
    """A process that holds the store at `url` and is suspended, as `tests.helpers.holders` has."""
    process = ForkedProcess(_hold, (url, 1.0, "suspend", ""), ROOT)
    try:
        first = process.stdout.readline()
        assert first, process.stderr.read()
        wait_until(lambda: is_suspended(process.pid))
        yield process
    finally:
        process.close()


def _hold():
    exec(HOLDER, {})


def _run(function, arguments, folder, environment, out, err):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for end, number in ((out, 1), (err, 2)):
        os.dup2(end.fileno(), number)
        end.close()
    sys.argv = [str(ROOT / "maxin" / "__main__.py"), *map(str, arguments)]
    function()
