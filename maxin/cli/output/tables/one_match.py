"""One match: its results with their data, and what failed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from maxin.cli.output.tables.lists import failure_list
from maxin.core.text import moment
from maxin.tournament.record.leases import holder
from maxin.tournament.results import written
from maxin.views.formats import visible_lines
from maxin.views.recorded.matches import RecordedMatch, RecordedResult


@dataclass(frozen=True)
class MatchView:
    """A match in every format; tables have its results, those that were taken back too."""

    match: RecordedMatch

    def document(self) -> Any:
        """All of it."""
        return self.match.document()

    def csv(self) -> str:
        """One line per result."""
        return "".join(written((one.played for one in self.match.results), "csv"))

    def markdown(self) -> str:
        """One row per result."""
        return "".join(written((one.played for one in self.match.results), "markdown"))

    def text(self, room: int) -> str:
        """A block for each result, and one for each failure."""
        match = self.match
        lines = [f"match {match.number}, {match.first} - {match.second}: {match.state}"]
        for one in match.handed_out:
            lines += [f"handed out {moment(one.time)} UTC to {holder(one.worker)}"]
        lines += [f"seed {match.seed}"]
        lines += [line for one in match.results for line in ("", *_lines(one))]
        lines += ["", failure_list(match.failures, None, None).text(room)] if match.failures else []
        return "\n".join(map(visible_lines, lines))


def _lines(result: RecordedResult) -> Iterator[str]:
    played, back = result.played, result.retraction
    games = (
        "" if played.games is None else f", games {', '.join(f'{one:g}' for one in played.games)}"
    )
    by = holder(played.worker or "")
    yield f"score {played.score:g}{games}, recorded {moment(played.time)} UTC by {by}"
    if back is not None:
        yield f"retracted {moment(back.time)} UTC by {holder(back.worker)}: {back.reason}"
    yield from (f"error: {error}" for error in played.errors)
    yield from _data(played.data or {})


def _data(data: Mapping[str, Any]) -> Iterator[str]:
    """A line for each key; a value of several lines is below its key."""
    for key, value in data.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{key}:\n{indent(text, '    ')}" if "\n" in text else f"{key}: {text}"
