"""Play matches with a command that prints the score: any program in any language.

POSIX only: a match runs in its own session and is killed together with every process it started.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from maxin.core import Entrant, InvalidInput, check_positive
from maxin.runners.base import Job, MatchFailed, Outcome
from maxin.runners.programs.command_template import Template
from maxin.runners.programs.environment import check_env, passed
from maxin.runners.programs.groups import OUTPUT, Group, Groups, deadline, exit_text
from maxin.runners.scores import read_text

# Errors that a retry may get past: the system is out of processes, memory or files, or the program
# is just being written. Any other error will come again.
TEMPORARY = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ETXTBSY, errno.EIO}


class Command:
    """Runs a command for each game. The last line it prints is the first player's score.

    The line is `1`, `0.5`, `0` or JSON, see `maxin.runners.scores`. A game counts if the exit code
    is 0 and there is a score; otherwise it fails, with standard error as the log. The environment
    holds the names, the seed and the match number too: `MAXIN_A`, `MAXIN_B`, `MAXIN_SEED`,
    `MAXIN_MATCH`. Of our own environment it holds an allow-list, see
    `maxin.runners.programs.environment`. When the command ends, all processes it left are killed.

    Args:
        template: the command with its fields, see `maxin.runners.programs.command_template`.
        timeout: seconds after which a game is killed and fails; None for no limit.
        env: further variables of our environment that the command gets; one that is not set is
            left out.

    >>> runner = Command("echo 0.{seed}")
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=5)).score
    0.5
    """

    def __init__(
        self, template: str, timeout: float | None = None, *, env: Iterable[str] = ()
    ) -> None:
        self._template = Template(template)
        self._timeout = None if timeout is None else check_positive(timeout, "timeout")
        self._env = check_env(env)
        self._groups = Groups()

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless every player has a usable name and the options that the command uses."""
        self._template.check(entrants)

    @property
    def seats(self) -> set[str]:
        """Those of "a" and "b" whose name or options the command has as arguments.

        >>> sorted(Command("play.py {a} {b.path}").seats)
        ['a', 'b']
        """
        return self._template.seats

    def play(self, job: Job) -> Outcome:
        """Run the command once."""
        group = self._start(job)
        is_in_time = False
        try:
            is_in_time = group.wait(deadline(self._timeout))
        finally:
            code = self._groups.end(group)
        self._groups.check_running()
        return self._outcome(group, code if is_in_time else None)

    def kill(self) -> None:
        """Kill every running command and all the processes it started."""
        self._groups.kill()

    def close(self) -> None:
        """Do nothing: no process is kept between games."""

    def _start(self, job: Job) -> Group:
        try:
            arguments = self._template.fill(job)
        except InvalidInput as error:
            raise MatchFailed(str(error), is_hopeless=True) from None
        try:
            return self._groups.start(arguments, {**passed(self._env), **_variables(job)})
        except OSError as error:
            is_hopeless = error.errno not in TEMPORARY
            raise MatchFailed(_why(arguments[0], error), is_hopeless=is_hopeless) from None

    def _outcome(self, group: Group, code: int | None) -> Outcome:
        """The outcome of a command that has ended; `code` is None if it timed out."""
        log = group.log_text()
        if code is None:
            raise MatchFailed(f"the command timed out after {self._timeout:g} s", log=log)
        if code:
            raise MatchFailed(f"the command {exit_text(code)}", log=log)
        if group.output.is_endless:
            reason = f"the last line has more than the {OUTPUT:,} bytes of output that are kept"
            raise MatchFailed(f"the command printed no score: {reason}", log=log)
        line = group.output.last_line()
        if not line:
            raise MatchFailed("the command printed no score", log=log)
        try:
            return read_text(line)
        except MatchFailed as error:
            raise MatchFailed(error.reason, log=log) from None


def _variables(job: Job) -> dict[str, str]:
    return {
        "MAXIN_A": job.first.name,
        "MAXIN_B": job.second.name,
        "MAXIN_SEED": str(job.seed),
        "MAXIN_MATCH": str(job.number),
    }


def _why(program: str, error: OSError) -> str:
    """Why the program cannot be run, with a hint how to fix it."""
    hint = ""
    if Path(program).is_file():
        hint = {
            errno.ENOENT: "; the interpreter named in its first line is missing",
            errno.EACCES: "; make it executable, or put its interpreter in front of it",
            errno.ENOEXEC: "; its first line must name an interpreter: #!/usr/bin/env python3",
        }.get(error.errno or 0, "")
        if error.errno == errno.ENOENT and os.sep not in program:
            hint = f"; it is in the current directory but not on the PATH: write ./{program}"
    return f"cannot run {program!r}: {error.strerror or error}{hint}"
