"""One match: its results with their data, and what failed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from maxin.cli.output.tables.lists import failure_list
from maxin.core import InvalidInput, MissingExtra
from maxin.core.text import moment
from maxin.tournament.results import written
from maxin.views.formats import visible_lines, worker_name
from maxin.views.recorded.games import ended_games, ends_line
from maxin.views.recorded.matches import RecordedMatch, RecordedResult

# Of the data of chess, what its games as PGN say.
OF_GAMES = ("games", "end", "plies", "moves", "comments", "fen", "tc", "ECO", "Opening")


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
        lines += [
            f"handed out {moment(one.time)} UTC to {worker_name(one.worker or '')}"
            for one in match.handed_out
        ]
        lines += [f"seed {match.seed}"]
        lines += [line for one in match.results for line in ("", *_lines(one))]
        lines += ["", failure_list(match.failures, None, None).text(room)] if match.failures else []
        return "\n".join(map(visible_lines, lines))


def _lines(result: RecordedResult) -> Iterator[str]:
    played, back = result.played, result.retraction
    games = (
        "" if played.games is None else f", games {', '.join(f'{one:g}' for one in played.games)}"
    )
    yield f"score {played.score:g}{games}, recorded {moment(played.time)} UTC{_by(played.worker)}"
    if back is not None:
        yield f"retracted {moment(back.time)} UTC{_by(back.worker)}: {back.reason}"
    yield from (f"error: {error}" for error in played.errors)
    data = dict(played.data or {})
    if ended := ended_games((played.first, played.second), played.score, played.games, data):
        yield f"ended by {ends_line(ended)}"
    if _is_chess(data):
        with suppress(InvalidInput, MissingExtra):  # the data may come from anywhere
            games = "".join(written([played], "pgn"))
            data = {key: value for key, value in data.items() if key not in OF_GAMES}
            yield f"\n{games.strip()}"
    yield from _data(data)


def _by(worker: str | None) -> str:
    return "" if worker is None else f" by {worker_name(worker)}"


def _is_chess(data: Mapping[str, Any]) -> bool:
    """Whether it has the moves of the games of a match."""
    games = data.get("games", [data])
    return isinstance(games, list) and all(
        isinstance(game, Mapping) and {"end", "moves"} <= game.keys() for game in games
    )


def _data(data: Mapping[str, Any]) -> Iterator[str]:
    """A line for each key; a value of several lines is below its key."""
    for key, value in data.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{key}:\n{indent(text, '    ')}" if "\n" in text else f"{key}: {text}"
