"""Features of the players of a tournament: options of theirs, by name."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxin.core import Entrant, InvalidInput
from maxin.core.text import listed

if TYPE_CHECKING:  # a tournament without features loads neither NumPy nor the ratings for them
    from maxin.ratings import Features
    from maxin.storage import PlayerRow

MOST_FEATURES = 1_000  # of a tournament
NAME = "name"  # the column of a table that names the players


def check_feature_names(given: object) -> tuple[str, ...]:
    """The names of features, each once, or an error.

    >>> check_feature_names(["step", "size"])
    ('step', 'size')
    """
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    names = tuple(given) if is_list and isinstance(given, Iterable) else (None,)
    if not all(isinstance(name, str) and name for name in names):
        raise InvalidInput(f"features must be a list of names of options; got {given!r}")
    if len(set(names)) < len(names):
        raise InvalidInput(f"every feature may be named only once; got {listed(names)}")
    if len(names) > MOST_FEATURES:
        raise InvalidInput(
            f"a tournament has at most {MOST_FEATURES:,} features; got {len(names):,}"
        )
    return tuple(str(name) for name in names)


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


def read_table(path: Path) -> tuple[tuple[str, ...], dict[str, dict[str, Any]]]:
    """The features of a CSV file, and by player its values; its first column names the players.

    A column in which every value is a number has numbers; any other has texts.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"the features in {path} cannot be read: {error}") from None
    if len(lines) < 2 or len(lines[0]) < 2:
        raise InvalidInput(
            f"{path} must have a header and a line per player: its name, then its features"
        )
    header = check_feature_names(lines[0][1:])
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(lines[0]) or line[0] in found:
            problem = f"{line[0]!r} occurs twice" if line[0] in found else f"got {len(line)} values"
            raise InvalidInput(
                f"{path}, line {number}: every player needs one line of {len(lines[0])} values; "
                f"{problem}"
            )
        found[line[0]] = dict(zip(header, line[1:], strict=True))
    for name in header:
        numbers = {player: _number(values[name]) for player, values in found.items()}
        if None not in numbers.values():
            for player, values in found.items():
                values[name] = numbers[player]
    return header, found


def _number(text: str) -> float | int | None:
    """The number that a text has; None if it has none."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
