"""What happened, one by one: matches that were played, are pending, or have failed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from maxin.core.text import counted, csv_line, duration, markdown, moment, shortened, table, visible
from maxin.storage import PlayedMatch
from maxin.tournament import Tournament
from maxin.tournament.results import written
from maxin.tournament.tickets.leases import HeldMatch
from maxin.views.recorded.failures import Failure

LATEST = 20  # results shown to a reader who asks for no number
LATEST_FAILURES = 6  # the same for failures, which have logs
LOG_LINES = 12  # lines of a failure's log


class MatchesView:
    """The latest results, also those that were taken back; for programs all of them.

    Args:
        tournament: whose results.
        top: how many; None for all, or for what a reader has patience for.
    """

    def __init__(self, tournament: Tournament, top: int | None) -> None:
        self.played = tournament.matches(retracted=True)
        self.top = top
        self.n_matches = tournament.n_matches

    def document(self) -> Any:
        """The results in the order they were reported."""
        matches = [match._asdict() for match in self._some()]
        return {"n_matches": self.n_matches, "matches": matches}

    def csv(self) -> str:
        """One line per result."""
        return "".join(written(self._some(), "csv"))

    def markdown(self) -> str:
        """One row per result."""
        return "".join(written(self._some(), "markdown"))

    def text(self, room: int) -> str:
        """The latest results, the last one at the end."""
        rows = [
            [
                "" if match.number is None else str(match.number),
                match.first,
                match.second,
                f"{match.score:.4g}",
                moment(match.time),
                _place(match),
                "; ".join(match.errors),
                match.retracted or "",
            ]
            for match in deque(self.played, maxlen=self.top or LATEST)
        ]
        if not rows:
            return "no match has been played"
        header = ["match", "first", "second", "score", "time (UTC)"]
        header += ["source", "errors", "retracted"]
        # Only imported results have a source; few have errors or are taken back.
        kept = [place for place in range(8) if place < 5 or any(row[place] for row in rows)]
        shown = [[cells[place] for place in kept] for cells in [header, *rows]]
        words = [column for column, place in enumerate(kept) if place in (1, 2, 5, 6, 7)]
        drawn = table(shown[0], shown[1:], words=words, room=room)
        latest = f"the latest {len(rows)} of " if len(rows) < self.n_matches else ""
        return f"{drawn}\n\n{latest}{counted(self.n_matches, 'match')}"

    def _some(self) -> Iterable[PlayedMatch[str]]:
        return self.played if self.top is None else deque(self.played, maxlen=self.top)


def _place(match: PlayedMatch[str]) -> str:
    """The line of a source that an imported result comes from."""
    if match.source is None:
        return ""
    return match.source if match.line is None else f"{match.source}:{match.line}"


class PendingView:
    """The matches without a result, and who has them.

    Args:
        held: all of them.
        top: how many to show; None for all.
    """

    HEADER = ("match", "first", "second", "holder", "since (UTC)", "time left")

    def __init__(self, held: list[HeldMatch], top: int | None) -> None:
        self.n_held, self.held = len(held), held if top is None else held[-top:]

    def document(self) -> Any:
        """An object per match."""
        return {"n_pending": self.n_held, "pending": [one._asdict() for one in self.held]}

    def csv(self) -> str:
        """One line per match; times are in seconds."""
        return "".join(map(csv_line, [HeldMatch._fields, *(map(str, one) for one in self.held)]))

    def markdown(self) -> str:
        """One row per match."""
        return "".join(markdown(self.HEADER, self._cells(), left=[1, 2, 3, 4]))

    def text(self, room: int) -> str:
        """The table, and how many there are."""
        if not self.held:
            return "no match is pending"
        drawn = table(self.HEADER, self._cells(), words=[1, 2, 3], room=room)
        latest = f"the latest {len(self.held)} of " if len(self.held) < self.n_held else ""
        return f"{drawn}\n\n{latest}{counted(self.n_held, 'pending match')}"

    def _cells(self) -> list[list[str]]:
        return [
            [
                str(one.match),
                one.first,
                one.second,
                one.worker,
                moment(one.since),
                duration(one.remaining) if one.remaining else "none",
            ]
            for one in self.held
        ]


class FailuresView:
    """The latest failures, with the output of what failed.

    Args:
        failures: all of them, in the order they happened.
        top: how many to show; None for all, or for what a reader has patience for.
    """

    def __init__(self, failures: list[Failure], top: int | None) -> None:
        self.n_failures = len(failures)
        self.failures = failures if top is None else failures[-top:]
        self.top = top

    def document(self) -> Any:
        """All of them, in the order they happened."""
        return {"failures": [failure._asdict() for failure in self.failures]}

    def csv(self) -> str:
        """One line per failure."""
        rows = (["" if cell is None else str(cell) for cell in row] for row in self.failures)
        return "".join(map(csv_line, [Failure._fields, *rows]))

    def markdown(self) -> str:
        """One row per failure, without logs."""
        rows = [[moment(one.time), one.kind, _subject(one), _reason(one)] for one in self.failures]
        return "".join(markdown(["time (UTC)", "what", "of", "reason"], rows, left=range(4)))

    def text(self, room: int) -> str:
        """The latest failures, the last one at the end, each with the end of its log."""
        if not self.failures:
            return "nothing has failed"
        some = self.failures[-(self.top or LATEST_FAILURES) :]
        latest = f"the latest {len(some)} of " if len(some) < self.n_failures else ""
        return "\n".join([*map(_block, some), f"{latest}{counted(self.n_failures, 'failure')}"])


def _block(failure: Failure) -> str:
    """A line, and the end of the log below it."""
    attempt = "" if failure.attempt is None else f" (attempt {failure.attempt})"
    head = f"{moment(failure.time)}  {failure.kind}: {_subject(failure)}{attempt}: "
    log = failure.log.rstrip().splitlines()[-LOG_LINES:]
    return "\n".join([head + visible(_reason(failure)), *(f"    {visible(line)}" for line in log)])


def _reason(failure: Failure) -> str:
    """What happened, without the match, which a refusal names too."""
    own = f"match {failure.match}, {failure.first} - {failure.second}, "
    return failure.reason.removeprefix(own)


def _subject(failure: Failure) -> str:
    """The match that failed, or the player who was paused."""
    if failure.match is None:
        return shortened(failure.player or "", 60)
    pair = f"{shortened(failure.first or '', 60)} - {shortened(failure.second or '', 60)}"
    return f"match {failure.match}, {pair}"
