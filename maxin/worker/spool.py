"""The spool: results that the store could not take, kept in a file of this machine.

They are recorded when the store is back, by the same run or by the next one on this machine.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TextIO

from maxin.core.text import counted
from maxin.runners import Outcome
from maxin.storage import StoreLost
from maxin.worker.source import Fail, Tell, Ticket

ENDING = ".jsonl"
REJECTED = ".rejected"


class LeftWhileAway(StoreLost):
    """A run was interrupted while its store was away; the message says where its results are."""


class Spool:
    """The file of one run; it is made when the first result has to be kept.

    Args:
        identity: of the store whose results they are.
        folder: where the file is; by default `maxin/unsaved` in the user's folder for such things
            (XDG_STATE_HOME, or ~/.local/state).
    """

    def __init__(self, identity: str, folder: Path | None = None) -> None:
        self._folder = folder or _folder()
        self._key = hashlib.sha256(identity.encode()).hexdigest()[:16]
        self._path = self._folder / f"{self._key}-{os.getpid()}-{secrets.token_hex(4)}{ENDING}"
        self._file: TextIO | None = None
        self._kept: set[int] = set()  # the numbers of the matches in the file

    def set_aside(self, finished: Sequence[tuple[Ticket, Tell]]) -> str:
        """Have results on disk that are of another history of the record; names them in a sentence.

        They are not sent again, unless somebody gives their file the ending of the others.
        """
        path = self._path.with_suffix(REJECTED)
        lines = [_line(ticket, result.outcome) for ticket, result in finished]
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
            with os.fdopen(os.open(path, flags, 0o600), "a", encoding="utf-8") as file:
                _write_through(file, lines)
        except OSError as error:
            return f"not saved: {_named(finished)} ({path}: {error.strerror})"
        number = counted(len(finished), "result")
        return f"{number} of another history kept in {path}: {_named(finished)}"

    def keep(self, finished: Sequence[tuple[Ticket, Tell | Fail]], *, is_leaving: bool) -> str:
        """Have these results on disk; returns a sentence about them, empty if there is none.

        A run that is leaving names the results, others only their file. A result that cannot even
        be kept here is always named, with its score.
        """
        results = [(ticket, item) for ticket, item in finished if isinstance(item, Tell)]
        if not results:
            return ""
        names = _named(results)
        try:
            self._write({ticket.id: _line(ticket, item.outcome) for ticket, item in results})
        except OSError as error:
            return f"not saved: {names} ({self._path}: {error.strerror})"
        if not is_leaving:
            return f"until it is back, finished results are kept in {self._path}"
        number = counted(len(results), "result")
        return f"{number} kept in {self._path} for the next run to record: {names}"

    def _write(self, lines: Mapping[int, str]) -> None:
        """Write the lines of those matches that the file does not have."""
        if self._file is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            self._file = os.fdopen(os.open(self._path, flags, 0o600), "w", encoding="utf-8")
            fcntl.flock(self._file, fcntl.LOCK_EX)  # until this process ends, the file is its own
        _write_through(self._file, [lines[number] for number in lines if number not in self._kept])
        self._kept |= lines.keys()

    def clear(self) -> None:
        """Remove the file: its results are recorded."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self.close()

    def close(self) -> None:
        """Leave the file, if there is one, to the next run."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._kept.clear()

    def left_behind(self) -> Iterator[LeftBehind]:
        """The files of runs on this store that have ended; each is ours while it is looked at."""
        for path in sorted(self._folder.glob(f"{self._key}-*{ENDING}")):
            try:
                file = path.open(encoding="utf-8")
            except OSError:
                continue
            with file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue  # its run lives
                if path.exists():
                    yield LeftBehind(path, list(_read(file)))


class LeftBehind(NamedTuple):
    """The results that a run could not record before it ended, and their file."""

    path: Path
    results: list[Tell]

    def remove(self) -> None:
        """Remove the file: its results are recorded."""
        self.path.unlink(missing_ok=True)

    def reject(self) -> Path:
        """Set the file aside: its results are of another record."""
        return self.path.rename(self.path.with_suffix(REJECTED))


def _named(results: Sequence[tuple[Ticket, Tell]]) -> str:
    """Results in a sentence."""
    return ", ".join(
        f"match {ticket.id}, {ticket.first} - {ticket.second}: {result.outcome.score:g}"
        for ticket, result in results
    )


def _write_through(file: TextIO, lines: Sequence[str]) -> None:
    file.writelines(lines)
    file.flush()
    os.fsync(file.fileno())


def _line(ticket: Ticket, outcome: Outcome) -> str:
    """A result as a line of the file; the players are for people who read it."""
    score, errors, data, games = outcome
    fields = {
        "match": ticket.id,
        "first": ticket.first,
        "second": ticket.second,
        "fence": ticket.fence,
        "outcome": [score, errors, dict(data), games],
    }
    return json.dumps(fields) + "\n"


def _read(file: TextIO) -> Iterator[Tell]:
    """The results in a file; a line that was cut off when the power failed is not one."""
    for line in file:
        with suppress(ValueError, KeyError, TypeError):
            row = json.loads(line)
            score, errors, data, games = row["outcome"]
            shares = None if games is None else tuple(games)
            fence = str(row["fence"] or "")  # earlier versions wrote the number of the entry, or 0
            yield Tell(row["match"], Outcome(score, tuple(errors), data, shares), fence)


def _folder() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "maxin" / "unsaved"
