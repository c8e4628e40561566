"""What happened, one by one: matches that were told, and attempts that failed."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from maxin.cli.output.tables import counted, shortened, table

if TYPE_CHECKING:
    from maxin.core import Match
    from maxin.storage import Event, Writer
    from maxin.tournament import Tournament

LATEST = 20  # results to read, unless more are asked for
LATEST_FAILURES = 6  # with their logs
LOG_LINES = 12  # of a failure's own words


class Matches:
    """The latest results; all of them where no reader's patience is at stake."""

    def __init__(self, tournament: Tournament, top: int | None) -> None:
        self.played = tournament.matches()
        self.top = top
        self.n_told = tournament.n_matches

    def document(self) -> Any:
        """The results in the order they came."""
        return {"n_matches": self.n_told, "matches": [match._asdict() for match in self._some()]}

    def csv(self) -> str:
        """A line a result."""
        return self._written("csv")

    def markdown(self) -> str:
        """A row a result."""
        return self._written("markdown")

    def text(self, room: int) -> str:
        """The latest results, the last one at the end."""
        rows = [
            [
                "" if match.number is None else str(match.number),
                match.first,
                match.second,
                f"{match.score:.4g}",
                moment(match.time),
                match.source or "",
            ]
            for match in deque(self.played, maxlen=self.top or LATEST)
        ]
        if not rows:
            return "no matches told yet"
        end = None if any(row[-1] for row in rows) else -1  # the source, of results from elsewhere
        header = ["match", "first", "second", "score", "time (UTC)", "source"][:end]
        drawn = table(header, [row[:end] for row in rows], words=[1, 2, 5], room=room)
        latest = f"the latest {len(rows)} of " if len(rows) < self.n_told else ""
        return f"{drawn}\n\n{latest}{counted(self.n_told, 'match')}"

    def _some(self) -> Any:
        return self.played if self.top is None else deque(self.played, maxlen=self.top)

    def _written(self, format: str) -> str:
        from maxin.tournament.results import written

        return "".join(written(self._some(), format))


class Trouble(NamedTuple):
    """A failed attempt, a match given up, a refused score or a player set aside.

    `kind` is "failed", "void", "refused" or "paused"; what does not apply is None.
    """

    time: float
    kind: str
    match: int | None
    first: str | None
    second: str | None
    player: str | None
    attempt: int | None
    reason: str
    log: str


class Failures:
    """What went wrong lately, in its own words."""

    def __init__(self, tournament: Tournament, top: int | None) -> None:
        events = list(tournament.events("failed", "void", "refused", "paused"))
        self.n_events = len(events)
        latest = events if top is None else events[-top:]
        self.troubles = _troubles(tournament, latest)
        self.top = top

    def document(self) -> Any:
        """All of it, in the order it happened."""
        return {"failures": [trouble._asdict() for trouble in self.troubles]}

    def csv(self) -> str:
        """A line each."""
        from maxin.core.text import csv_line

        rows = (["" if cell is None else str(cell) for cell in row] for row in self.troubles)
        return "".join(map(csv_line, [Trouble._fields, *rows]))

    def markdown(self) -> str:
        """A row each, without logs."""
        from maxin.core.text import markdown

        rows = [[moment(one.time), one.kind, _whose(one), one.reason] for one in self.troubles]
        return "".join(markdown(["time (UTC)", "what", "of", "reason"], rows, left=range(4)))

    def text(self, room: int) -> str:
        """The latest, the last one at the end, each with the end of its log."""
        if not self.troubles:
            return "nothing has failed"
        some = self.troubles[-(self.top or LATEST_FAILURES) :]
        latest = f"the latest {len(some)} of " if len(some) < self.n_events else ""
        blocks = [_block(trouble) for trouble in some]
        return "\n".join([*blocks, f"{latest}{counted(self.n_events, 'failure')}"])


def _troubles(tournament: Tournament, events: list[Event]) -> list[Trouble]:
    names = tournament.names
    numbers = sorted({event.match for event in events if event.match is not None})

    def seats(writer: Writer) -> dict[int | None, Match]:
        return {number: tournament.desk.match(writer, number) for number in numbers}

    seated = tournament.transact(seats)

    def trouble(event: Event) -> Trouble:
        pair = seated.get(event.match)
        return Trouble(
            event.time,
            event.kind,
            event.match,
            None if pair is None else names[pair.first],
            None if pair is None else names[pair.second],
            None if event.player is None else names[event.player],
            event.detail.get("attempt"),
            str(event.detail.get("reason", "")),
            str(event.detail.get("log", "")),
        )

    return [trouble(event) for event in events]


def _block(trouble: Trouble) -> str:
    """A line, and below it what the match itself said."""
    from maxin.core.text import visible

    attempt = "" if trouble.attempt is None else f" (attempt {trouble.attempt})"
    reason = visible(trouble.reason)
    head = f"{moment(trouble.time)}  {trouble.kind}: {_whose(trouble)}{attempt}: {reason}"
    log = trouble.log.rstrip().splitlines()[-LOG_LINES:]
    return "\n".join([head, *(f"    {visible(line)}" for line in log)])


def _whose(trouble: Trouble) -> str:
    if trouble.match is None:
        return shortened(trouble.player or "", 60)
    pair = f"{shortened(trouble.first or '', 60)} - {shortened(trouble.second or '', 60)}"
    return f"match {trouble.match}, {pair}"


def moment(time: float) -> str:
    """A time to read, in UTC.

    >>> moment(0.0)
    '1970-01-01 00:00:00'
    """
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S")
