"""Start the command as a process, and find out which processes are running."""

import os
import subprocess
import sys
from contextlib import chdir, contextmanager
from multiprocessing import forkserver, get_context
from pathlib import Path

from maxin.runners.programs import reaper, sweeper

ROOT = Path(__file__).resolve().parents[2]  # the folder from which `tests` can be imported


def forked():
    """A context of `multiprocessing` whose processes start at once, with everything loaded.

    They have the environment of the first call.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.helpers.preloaded"])
    with chdir(ROOT):  # to import it
        forkserver.ensure_running()
    return context


def own_processes():
    """The processes that runners of this process have started, and those that these started."""
    return sweeper.marked(reaper.marked({})[reaper.MARK])


def helper_processes(mark):
    """The reaper's helpers that serve the owner of `mark`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words and str(reaper.PROGRAM).encode() in words:
            found.append(int(folder.name))
    return found


def is_over(mark):
    """Whether every process with `mark` has ended, and so have its helpers."""
    return not sweeper.marked(mark) and not helper_processes(mark)


def is_alive(pid):
    """Whether the process runs; a zombie does not."""
    stat = _stat(pid)
    return bool(stat) and stat[0] != "Z"


def is_suspended(pid):
    """Whether the process was stopped by a signal."""
    return _stat(pid)[:1] == ["T"]


def descends(pid, ancestor):
    """Whether the process was started by another one, or by what that one started."""
    while pid not in (0, ancestor):
        pid = int((_stat(pid) or ["", 0])[1])
    return pid == ancestor


def cpu_seconds(pid):
    """The processor time that the process has used."""
    return sum(map(int, _stat(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


def n_descriptors():
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))


def _stat(pid):
    """The fields of `/proc/PID/stat` after the name, from the state on; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


@contextmanager
def maxin_process(*arguments, folder, n_files=None):
    """`maxin ARGUMENTS` as a process in a folder; it is killed at the end.

    It may have so many files open.
    """
    limited = ["sh", "-c", f'ulimit -n {n_files} && exec "$@"', "sh"] if n_files else []
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with subprocess.Popen(
        [*limited, sys.executable, "-m", "maxin", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()
