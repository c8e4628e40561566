"""A command that plays a match and prints the score: any program in any language.

POSIX only: a match runs in a session of its own and is killed with all its kin.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from maxin.core import Entrant, InvalidInput, check_positive
from maxin.runners.base import Job, MatchFailed, Outcome
from maxin.runners.programs.command_template import Template
from maxin.runners.programs.groups import Group, Groups, deadline, ending
from maxin.runners.scores import read_text

# What may be otherwise the next time: processes, memory or files have run out, or the program
# is being written. Anything else that keeps a program from starting stays as it is.
PASSING = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ETXTBSY, errno.EIO}


class Command:
    """Runs `template` for each game; the last line it prints is the first player's score.

    The line is `1`, `0.5`, `0` or JSON, see `maxin.runners.scores`. Exit code 0 and a score are
    a result. Anything else fails, with standard error as the log. The names, seed and match
    number are in the environment too: `MAXIN_A`, `MAXIN_B`, `MAXIN_SEED`, `MAXIN_MATCH`. When
    the command ends, whatever it started in its process group is killed.

    Args:
        template: the command with its fields, see `maxin.runners.programs.command_template`.
        timeout: seconds after which a game is killed and fails.

    >>> runner = Command("echo 0.{seed}")
    >>> runner.play(Job(1, Entrant("anna"), Entrant("bo"), seed=5)).score
    0.5
    """

    def __init__(self, template: str, timeout: float | None = None) -> None:
        self._template = Template(template)
        self._timeout = None if timeout is None else check_positive(timeout, "timeout")
        self._groups = Groups()

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Every player's name can be an argument, and it has the options that fields ask for."""
        self._template.check(entrants)

    def play(self, job: Job) -> Outcome:
        """Run the command."""
        group = self._start(job)
        is_in_time = False
        try:
            is_in_time = group.wait(deadline(self._timeout))
        finally:
            code = self._groups.end(group)
        self._groups.go_on()
        return self._outcome(group, code if is_in_time else None)

    def kill(self) -> None:
        """Kill every running match and all its kin."""
        self._groups.kill()

    def close(self) -> None:
        """Nothing is kept."""

    def _start(self, job: Job) -> Group:
        try:
            arguments = self._template.fill(job)
        except InvalidInput as error:
            raise MatchFailed(str(error), is_hopeless=True) from None
        try:
            return self._groups.start(arguments, _environment(job))
        except OSError as error:
            is_hopeless = error.errno not in PASSING
            raise MatchFailed(_why(arguments[0], error), is_hopeless=is_hopeless) from None

    def _outcome(self, group: Group, code: int | None) -> Outcome:
        """What the ended command means; `code` is None if it had to be killed."""
        log = group.words()
        if code is None:
            raise MatchFailed(f"no result after {self._timeout:g} s: killed", log=log)
        if code:
            raise MatchFailed(f"the command {ending(code)}", log=log)
        line = group.output.last_line()
        if not line:
            raise MatchFailed("the command printed no score", log=log)
        try:
            return read_text(line)
        except MatchFailed as error:
            raise MatchFailed(error.reason, log=log) from None


def _environment(job: Job) -> dict[str, str]:
    return {
        **os.environ,
        "MAXIN_A": job.first.name,
        "MAXIN_B": job.second.name,
        "MAXIN_SEED": str(job.seed),
        "MAXIN_MATCH": str(job.number),
    }


def _why(program: str, error: OSError) -> str:
    """Why the program cannot be run, and what would help."""
    hint = ""
    if Path(program).is_file():
        hint = {
            errno.ENOENT: "; the interpreter that its first line names is missing",
            errno.EACCES: "; make it executable, or put its interpreter before it",
            errno.ENOEXEC: "; its first line must name an interpreter: #!/usr/bin/env python3",
        }.get(error.errno or 0, "")
        if error.errno == errno.ENOENT and os.sep not in program:
            hint = f"; it is here but not on the PATH: write ./{program}"
    return f"cannot run {program!r}: {error.strerror or error}{hint}"
