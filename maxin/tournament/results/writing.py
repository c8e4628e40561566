"""Matches with their results as text, for other tools to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from maxin.core import check_name
from maxin.core.text import csv_line, markdown
from maxin.storage import PlayedMatch
from maxin.tournament.results.columns import as_it_was
from maxin.tournament.results.pgn import pgn_games

# The columns of CSV and the keys of JSON; `line` and `worker` stay in the store.
COLUMNS = (
    "number",
    "first",
    "second",
    "score",
    "games",
    "seed",
    "time",
    "source",
    "errors",
    "data",
    "retracted",
)
ENDINGS = {
    "csv": (".csv",),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "pgn": (".pgn",),
    "markdown": (".md", ".markdown"),
}


def written(played: Iterable[PlayedMatch[str]], format: str, *, raw: bool = False) -> Iterator[str]:
    r"""The text of a file of results, in pieces that make up whole lines.

    All formats except PGN and Markdown hold everything; `read_results` reads all but Markdown.
    Number, seed and time of an imported match are those it had where it was played, if its file
    said so. PGN has one game per game of a match, with its moves if UCI engines played it. It holds
    only wins, draws and losses; other scores are refused, and retracted results are left out.

    Args:
        played: the matches.
        format: "csv", "json", "jsonl", "markdown" or "pgn".
        raw: write texts such as "=1+1" to CSV as they are; by default they get an apostrophe, so
            that no spreadsheet computes them, and `read_results` removes it. A text such as
            "'=1+1" gets one in any case, so that it is read as it was.

    >>> match = PlayedMatch(1, "anna", "bo", 0.5, seed=7)
    >>> "".join(written([match], "pgn"))[-57:]
    '[White "anna"]\n[Black "bo"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n\n'
    """
    writer = WRITERS[check_name(format, WRITERS, "format of results")]
    matches = map(as_it_was, played)
    return _csv(matches, raw=raw) if writer is _csv else writer(matches)


def _csv(played: Iterable[PlayedMatch[str]], *, raw: bool = False) -> Iterator[str]:
    """Lists and objects are written as JSON; a missing value is an empty cell."""
    yield csv_line(COLUMNS)
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
                _cell(match.retracted),
            ],
            raw=raw,
        )


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _jsonl(played: Iterable[PlayedMatch[str]]) -> Iterator[str]:
    for match in played:
        yield _object(match) + "\n"


def _json(played: Iterable[PlayedMatch[str]]) -> Iterator[str]:
    mark = "[\n"
    for match in played:
        yield mark + _object(match)
        mark = ",\n"
    yield "[]\n" if mark == "[\n" else "\n]\n"


def _object(match: PlayedMatch[str]) -> str:
    values = match._asdict() | {"data": None if match.data is None else dict(match.data)}
    return json.dumps({name: values[name] for name in COLUMNS})


def _markdown(played: Iterable[PlayedMatch[str]]) -> Iterator[str]:
    header = ("match", "first", "second", "score", "games", "time", "source", "errors", "retracted")
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
            _cell(match.retracted),
        )
        for match in played
    )
    return iter(markdown(header, rows, left=(1, 2, 4, 5, 6, 7, 8)))


def _pgn(played: Iterable[PlayedMatch[str]]) -> Iterator[str]:
    for match in played:
        if match.retracted is None:
            yield from pgn_games(match)


WRITERS: dict[str, Callable[[Iterable[PlayedMatch[str]]], Iterator[str]]] = {
    "csv": _csv,
    "json": _json,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "pgn": _pgn,
}
