"""Stored rows, read with care: a row that we cannot have written is an error that names it.

SQLite keeps any value in any column, and a file can be edited by hand.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.engine import URL

from maxin.core import InvalidInput
from maxin.core.checks import check_player_name
from maxin.storage.database.engine import shown
from maxin.storage.database.errors import StoreFailed
from maxin.storage.records import LAST_SECOND, ROUNDING, Judge, PlayerRow, judge_of, time_of
from maxin.storage.schema import HEAD, LEASES, PLAYERS, SETTINGS

LARGEST = 2**63 - 1  # of a whole number in the database
STATES = ("active", "paused", "retired", "removed")


class RowReader:
    """The values of one row, each checked as it is read.

    Args:
        url: of the store.
        table: of the row.
        row: its values, as attributes.
        key: what names the row: its number by default.

    >>> from types import SimpleNamespace
    >>> row = SimpleNamespace(seq=3, score=0.5, games="[1.0, 0.0]")
    >>> reader = RowReader(URL.create("sqlite", database="league.db"), HEAD, row)
    >>> reader.share("score"), reader.games()
    (0.5, (1.0, 0.0))
    """

    def __init__(self, url: URL, table: Table, row: Any, key: str = "seq") -> None:
        self._url, self._table, self._row, self._key = url, table, row, key

    def fail(self, problem: str) -> NoReturn:
        """Raise the error that names the store, the table and the row."""
        value = getattr(self._row, self._key, None)
        raise StoreFailed(
            f"the store {shown(self._url)} is damaged: in the table {self._table.name}, the row "
            f"with {self._key} {_short(value)}: {problem}"
        )

    def whole(self, name: str, low: int, high: int = LARGEST) -> int:
        """A whole number from `low` to `high`."""
        value = getattr(self._row, name)
        if type(value) is not int or not low <= value <= high:
            self.fail(f"{name} must be a whole number from {low} to {high}; got {_short(value)}")
        return value

    def optional_whole(self, name: str, low: int, high: int = LARGEST) -> int | None:
        """The same, or None."""
        return None if getattr(self._row, name) is None else self.whole(name, low, high)

    def number(self, name: str, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        value = getattr(self._row, name)
        if type(value) not in (int, float) or not low <= value <= high:
            self.fail(f"{name} must be a number from {low:g} to {high:g}; got {_short(value)}")
        return float(value)

    def share(self, name: str) -> float:
        """A share of a win."""
        return self.number(name, 0.0, 1.0)

    def time(self, name: str = "time") -> float:
        """A point in time, in seconds since 1970."""
        return self.number(name, 0.0, LAST_SECOND)

    def text(self, name: str) -> str:
        """Any text."""
        value = getattr(self._row, name)
        if not isinstance(value, str):
            self.fail(f"{name} must be a text; got {_short(value)}")
        return value

    def optional_text(self, name: str) -> str | None:
        """A text without control characters, or None."""
        if getattr(self._row, name) is None:
            return None
        value = self.text(name)
        if not value.isprintable():
            self.fail(f"{name} must have no control characters; got {_short(value)}")
        return value

    def name(self) -> str:
        """A player's name."""
        try:
            return check_player_name(self._row.name)
        except InvalidInput as error:
            self.fail(str(error)[:300])

    def state(self) -> Any:
        """A player's state."""
        if self._row.state not in STATES:
            self.fail(f"state must be one of {', '.join(STATES)}; got {_short(self._row.state)}")
        return self._row.state

    def json(self, name: str, kind: type) -> Any:
        """A list or an object in JSON."""
        text = self.text(name)
        try:
            value = _DECODER.decode(text)
        except (ValueError, RecursionError) as error:
            self.fail(f"{name} must be JSON; got {_short(text)}: {str(error)[:80]}")
        if not isinstance(value, kind):
            self.fail(f"{name} must be a JSON {_json_name(kind)}; got {_short(text)}")
        return value

    def games(self) -> tuple[float, ...] | None:
        """The scores of a match's games, whose mean is its score; None for a match of one game."""
        if self._row.games is None:
            return None
        games = self.json("games", list)
        if not games or not all(
            type(game) in (int, float) and 0.0 <= game <= 1.0 for game in games
        ):
            self.fail(f"games must be a list of scores from 0 to 1; got {_short(self._row.games)}")
        if abs(sum(games) / len(games) - self.share("score")) > ROUNDING:
            self.fail(
                f"score must be the mean of the games {_short(self._row.games)}; "
                f"got {_short(self._row.score)}"
            )
        return tuple(map(float, games))

    def errors(self) -> tuple[str, ...]:
        """The complaints of a game."""
        if self._row.errors is None:
            return ()
        errors = self.json("errors", list)
        if not all(isinstance(error, str) for error in errors):
            self.fail(f"errors must be a list of texts; got {_short(self._row.errors)}")
        return tuple(errors)

    def data(self, name: str) -> dict[str, Any] | None:
        """A JSON object, or None."""
        return None if getattr(self._row, name) is None else self.json(name, dict)

    def judge(self) -> Judge | None:
        """The judge of a result, from its data."""
        return judge_of(self.data("data"))

    def played_at(self) -> float:
        """When the match of a result was played; see `time_of`."""
        return time_of(self._row.match, self.data("dated"), self.time())

    def pair(self, n_players: int) -> tuple[int, int]:
        """The two players of a match, of whom there are `n_players`."""
        pair = self.whole("first", 0), self.whole("second", 0)
        for player in pair:
            if player >= n_players:
                self.fail(f"there is no player {player}; the store has {n_players} by then")
        if pair[0] == pair[1]:
            self.fail(f"a player cannot play itself; both are {pair[0]}")
        return pair


def count_players(connection: Connection, until: int | None = None) -> int:
    """How many players there are, after entry `until` of the record or now."""
    latest = select(func.max(PLAYERS.c.player))
    if until is not None:
        latest = latest.where(PLAYERS.c.seq <= until)
    found = connection.execute(latest).scalar()
    return found + 1 if type(found) is int else 0


def read_players(connection: Connection) -> list[PlayerRow]:
    """Every player as of its latest change, by number."""
    latest: dict[int, PlayerRow] = {}
    for row in connection.execute(select(PLAYERS).order_by(PLAYERS.c.seq)).all():
        read = RowReader(connection.engine.url, PLAYERS, row)
        number, name, state = read.whole("player", 0), read.name(), read.state()
        options = read.data("options")
        if options is None and number not in latest:
            read.fail("options must be a JSON object for a player who joins; got None")
        kept = latest[number].options if options is None else options
        latest[number] = PlayerRow(number, name, state, kept)
    return [latest[number] for number in sorted(latest)]


def check_head(connection: Connection) -> int:
    """The version of the tables; raises unless the store's one row of counts is in order."""
    rows = connection.execute(select(HEAD.c.id, HEAD.c.seq, HEAD.c.schema)).all()
    if len(rows) != 1:
        raise StoreFailed(
            f"the store {shown(connection.engine.url)} is damaged: the table {HEAD.name} must have "
            f"one row; it has {len(rows)}"
        )
    reader = RowReader(connection.engine.url, HEAD, rows[0], "id")
    reader.whole("seq", 0)
    return reader.whole("schema", 1)


def check_terms(connection: Connection) -> None:
    """Raise unless the settings are JSON, and leases have a match, a worker and times."""
    url = connection.engine.url
    for row in connection.execute(select(SETTINGS)):
        value = RowReader(url, SETTINGS, row, "key").json("value", object)
        if row.key == "players" and not _is_names(value):
            RowReader(url, SETTINGS, row, "key").fail("the value must be a list of names")
        if row.key == "defaults" and not isinstance(value, dict):
            RowReader(url, SETTINGS, row, "key").fail("the value must be a table of options")
    for row in connection.execute(select(LEASES)):
        reader = RowReader(url, LEASES, row, "match")
        reader.whole("match", 1)
        reader.text("worker")
        reader.time("since")
        reader.number("until", -math.inf, math.inf)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _json_name(kind: type) -> str:
    return "object" if kind is dict else "list"


def _short(value: object) -> str:
    """A value as an error shows it."""
    text = repr(value[:60] if isinstance(value, str | bytes) else value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
