"""Told matches as text, for other tools to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from maxin.core import check_name
from maxin.core.text import csv_line, markdown
from maxin.tournament.results.columns import Played, format_of
from maxin.tournament.results.pgn import pgn_games

ENDINGS = {
    "csv": (".csv",),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "pgn": (".pgn",),
    "markdown": (".md", ".markdown"),
}


def written(played: Iterable[Played], format: str) -> Iterator[str]:
    r"""The text of a log, in pieces that make up whole lines.

    All formats but PGN and Markdown hold everything; `read_log` reads all but Markdown. PGN has
    one game for each game of a match, and holds only wins, draws and losses: other scores are
    refused.

    Args:
        played: The matches.
        format: "csv", "json", "jsonl", "markdown" or "pgn".

    >>> match = Played(1, "anna", "bo", 0.5, None, 7, 0.0, None, (), None)
    >>> "".join(written([match], "pgn"))
    '[White "anna"]\n[Black "bo"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n\n'
    """
    return WRITERS[check_name(format, WRITERS, "format of logs")](played)


def write_log(played: Iterable[Played], path: str | Path, format: str | None = None) -> int:
    """Write a file, whole or not at all; returns the number of matches.

    Without a `format` (see `written`) the file's name says it.
    """
    path = Path(path)
    known = format_of(path, format, ENDINGS)
    part = path.with_name(path.name + ".part")
    count = _Count(played)
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.writelines(written(count, known))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return count.n


class _Count:
    """Matches, counted as they pass."""

    def __init__(self, played: Iterable[Played]) -> None:
        self.played, self.n = played, 0

    def __iter__(self) -> Iterator[Played]:
        for match in self.played:
            self.n += 1
            yield match


def _csv(played: Iterable[Played]) -> Iterator[str]:
    """Lists and objects are cells of JSON; what there is not is empty."""
    yield csv_line(Played._fields)
    for match in played:
        yield csv_line(
            [
                _cell(match.number),
                match.first,
                match.second,
                _cell(match.score),
                "" if match.games is None else json.dumps(match.games),
                _cell(match.seed),
                _cell(match.time),
                _cell(match.source),
                json.dumps(match.errors) if match.errors else "",
                "" if match.data is None else json.dumps(dict(match.data)),
            ]
        )


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _jsonl(played: Iterable[Played]) -> Iterator[str]:
    for match in played:
        yield _object(match) + "\n"


def _json(played: Iterable[Played]) -> Iterator[str]:
    mark = "[\n"
    for match in played:
        yield mark + _object(match)
        mark = ",\n"
    yield "[]\n" if mark == "[\n" else "\n]\n"


def _object(match: Played) -> str:
    data = None if match.data is None else dict(match.data)
    return json.dumps(match._replace(data=data)._asdict())


def _markdown(played: Iterable[Played]) -> Iterator[str]:
    header = ("match", "first", "second", "score", "games", "time", "source", "errors")
    rows = (
        (
            _cell(match.number),
            match.first,
            match.second,
            f"{match.score:g}",
            " ".join(f"{score:g}" for score in match.games or ()),
            datetime.fromtimestamp(match.time, UTC).isoformat(" ", "seconds"),
            _cell(match.source),
            "; ".join(match.errors),
        )
        for match in played
    )
    return iter(markdown(header, rows, left=(1, 2, 4, 5, 6, 7)))


def _pgn(played: Iterable[Played]) -> Iterator[str]:
    for match in played:
        yield from pgn_games(match)


WRITERS: dict[str, Callable[[Iterable[Played]], Iterator[str]]] = {
    "csv": _csv,
    "json": _json,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "pgn": _pgn,
}
