"""Features of the players of a tournament: options of theirs, by name."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maxin.core import Entrant, InvalidInput
from maxin.core.text import listed

if TYPE_CHECKING:  # a tournament without features loads neither NumPy nor the ratings for them
    from maxin.ratings import Features
    from maxin.storage import PlayerRow

MOST_FEATURES = 1_000  # of a tournament
NAME = "name"  # the column of a table that names the players
LARGEST = 1e100  # of a number: squares of larger ones overflow
OTHER_SIGNS = (";", "\\t")  # between values, in files that are not read


def check_feature_names(given: object) -> tuple[str, ...]:
    """The names of features, each once, or an error.

    >>> check_feature_names(["step", "size"])
    ('step', 'size')
    """
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    names = tuple(given) if is_list and isinstance(given, Iterable) else (None,)
    if not all(isinstance(name, str) and name for name in names):
        raise InvalidInput(
            f"features must be a list of names of options, an array or Features; got {given!r}"
        )
    if len(set(names)) < len(names):
        raise InvalidInput(f"every feature may be named only once; got {listed(names)}")
    if len(names) > MOST_FEATURES:
        raise InvalidInput(
            f"a tournament has at most {MOST_FEATURES:,} features; got {len(names):,}"
        )
    return tuple(str(name) for name in names)


def with_table(
    players: Sequence[Entrant], given: Any
) -> tuple[list[Entrant], Sequence[str] | None]:
    """The players with a table of features as options, and the names of these features.

    Names, or None, and the players with them are returned as they are.

    Args:
        players: in the order of the table's rows.
        given: names of options, an array with a row per player, or `Features`.

    >>> players, names = with_table([Entrant("anna"), Entrant("bo")], [[100, 7], [200, 8]])
    >>> names, players[1].options
    (['1', '2'], {'1': 200.0, '2': 8.0})
    """
    if isinstance(given, Iterator):
        given = list(given)
    if given is None or isinstance(given, str | bytes | Mapping) or _are_names(given):
        return list(players), given
    from maxin.ratings.fitting.features.table import check_features  # not before it is needed

    if not players:
        raise InvalidInput(
            "a table of features needs its players; a stored tournament has its features already"
        )
    features = check_features(given, len(players))
    check_feature_names(features.names)
    found = []
    for place, player in enumerate(players):
        own = {column.name: column.values[place] for column in features.columns}
        for name, value in own.items():
            if player.options.get(name, value) != value:
                raise InvalidInput(
                    f"the option {name!r} of {player.name!r} is {player.options[name]!r}, but "
                    f"{value!r} in the table of features"
                )
        found.append(Entrant(player.name, {**player.options, **own}))
    for column in features.columns:
        if column.kind not in ("number", "category"):
            raise InvalidInput(
                f"a tournament stores numbers and categories, which act in every way; the kind of "
                f"feature {column.name!r} cannot be {column.kind!r}"
            )
    return found, features.names


def _are_names(given: Any) -> bool:
    """Whether these are names, and not the rows of a table."""
    is_listed = isinstance(given, Iterable) and not hasattr(given, "columns")
    return is_listed and all(isinstance(one, str) for one in given)


def check_has_features(names: Sequence[str], entrants: Iterable[Entrant | PlayerRow]) -> None:
    """Raise unless every player has every feature: a number, or a text.

    >>> check_has_features(["step"], [Entrant("anna", {"step": 100}), Entrant("bo")])
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: 'bo' needs the option 'step', a feature of this tournament; ...
    """
    kinds: dict[str, tuple[bool, str]] = {}  # by feature: whether it is a text, and whose is
    for entrant in entrants:
        for name in names:
            value = entrant.options.get(name)
            if not isinstance(value, str | int | float) or value != value:
                raise InvalidInput(
                    f"{entrant.name!r} needs the option {name!r}, a feature of this tournament; "
                    f"it must be a number or a text, got {value!r}"
                )
            is_text, first = kinds.setdefault(name, (isinstance(value, str), entrant.name))
            if is_text != isinstance(value, str):
                raise InvalidInput(
                    f"the feature {name!r} must be a number for all players or a text for all; it "
                    f"differs for {first!r} and {entrant.name!r}"
                )


def features_of(names: Sequence[str], players: Iterable[PlayerRow]) -> Features | None:
    """The features of all players; None if the tournament has none.

    A removed player without a feature has that of the first player: it is in no field.
    """
    if not names:
        return None
    from maxin.ratings import Features  # not before it is needed

    rows = list(players)
    first = next((row.options for row in rows if row.state != "removed"), rows[0].options)
    columns = {
        name: [
            row.options[name] if row.state != "removed" else row.options.get(name, first[name])
            for row in rows
        ]
        for name in names
    }
    return Features(columns)


class TableLine(NamedTuple):
    """A line of a table of features, with its number in the file."""

    number: int
    cells: list[str]


def read_table(path: Path) -> tuple[tuple[str, ...], dict[str, dict[str, Any]]]:
    """The features of a CSV file, and by player its values; its first column names the players.

    A column of numbers has numbers, any other texts. If most values of a column are numbers, all
    must be: one that is not is a slip.
    """
    header, lines = _checked_lines(path)
    found: dict[str, dict[str, Any]] = {}
    for number, (name, *values) in lines:
        if name in found:
            raise _every_player(path, number, len(header) + 1, f"{name!r} occurs twice")
        found[name] = dict(zip(header, values, strict=True))
    for column in header:
        numbers = [_number(values[column]) for values in found.values()]
        n_numbers = sum(number is not None for number in numbers)
        if 2 * n_numbers <= len(numbers) and n_numbers < len(numbers):
            continue
        for (line, (name, *_)), value in zip(lines, numbers, strict=True):
            if value is None or not abs(value) <= LARGEST:
                raise InvalidInput(
                    f"{path}, line {line}: {column!r} must be a finite number of at most "
                    f"{LARGEST:g}, because it is a number for others; got "
                    f"{found[name][column]!r} for {name!r}"
                )
            found[name][column] = value
    return header, found


def _checked_lines(path: Path) -> tuple[tuple[str, ...], list[TableLine]]:
    """The names of the features, and the lines of the players, with a value for every feature."""
    lines = _read_lines(path)
    first = lines[0] if lines else TableLine(1, [])
    if len(lines) < 2 or len(first.cells) < 2:
        hint = next((f"; it has {sign!r}" for sign in OTHER_SIGNS if sign in str(first)), "")
        raise InvalidInput(
            f"{path} must have a header and a line per player: its name, then its features, "
            f"separated by commas{hint}"
        )
    if "" in first.cells[1:]:
        place = first.cells.index("", 1) + 1
        raise InvalidInput(f"{path}, line {first.number}: column {place} needs a name")
    header = check_feature_names(first.cells[1:])
    for number, cells in lines[1:]:
        if len(cells) != len(header) + 1:
            raise _every_player(path, number, len(header) + 1, f"got {len(cells)} values")
        for column, cell in zip((NAME, *header), cells, strict=True):
            if not cell:
                raise InvalidInput(
                    f"{path}, line {number}: {column!r} is empty; every player needs every feature"
                )
    return header, lines[1:]


def _read_lines(path: Path) -> list[TableLine]:
    """The lines of a CSV file that are not empty."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, skipinitialspace=True)
            return [
                TableLine(reader.line_num, [cell.strip() for cell in line])
                for line in reader
                if line
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"the features in {path} cannot be read: {error}") from None


def _every_player(path: Path, line: int, n_values: int, problem: str) -> InvalidInput:
    """The error of a line that is not the only one of its player, or has not all values."""
    return InvalidInput(
        f"{path}, line {line}: every player needs one line of {n_values} values; {problem}"
    )


def _number(text: str) -> float | int | None:
    """The number that a text has; None if it has none."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
