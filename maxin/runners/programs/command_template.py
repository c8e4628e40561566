"""The template of a match command: `play.py {a} {b} --seed {seed}`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any

from maxin.core import Entrant, InvalidInput, check_name
from maxin.runners.base import Job
from maxin.runners.scores import shown

PLAIN = ("a", "b", "seed", "match")
SEATS = ("a.", "b.")
EXAMPLES = (*PLAIN, "a.KEY", "b.KEY")

Piece = tuple[str, str | None]  # some text, and the field that follows it


class Template:
    """A command that is split like a shell would, once, before its fields are filled in.

    So a name is always one argument or part of one, whatever characters it contains, and no shell
    reads it. `{a}` and `{b}` are the players' names, `{a.KEY}` is an option of a player, `{seed}`
    and `{match}` are numbers; `{{` and `}}` are literal braces.

    >>> template = Template("play.py {a} '{b} & co' --seed={seed}")
    >>> template.fill(Job(1, Entrant("x y"), Entrant("{a}"), seed=7))
    ['play.py', 'x y', '{a} & co', '--seed=7']
    """

    def __init__(self, text: str) -> None:
        try:
            arguments = shlex.split(text)
        except ValueError as error:
            raise InvalidInput(f"cannot split the match command {text!r}: {error}") from None
        if not arguments:
            raise InvalidInput("a match command must name a program; got an empty command")
        self._arguments = [_pieces(argument) for argument in arguments]
        fields = [field for pieces in self._arguments for _, field in pieces if field]
        self._keys = dict.fromkeys(field[2:] for field in fields if field.startswith(SEATS))
        self.seats = {field[0] for field in fields if field[:2] in ("a", "b", *SEATS)}

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise `InvalidInput` for a player whose name or options cannot be arguments."""
        for entrant in entrants:
            _check_text(entrant.name, f"the name of player {entrant.name!r}")
            for key in self._keys:
                _option(entrant, key)

    def fill(self, job: Job) -> list[str]:
        """The arguments for a game; raise `InvalidInput` as `check` does."""
        self.check((job.first, job.second))
        values = {
            "a": job.first.name,
            "b": job.second.name,
            "seed": str(job.seed),
            "match": str(job.number),
        }
        for seat, entrant in zip(SEATS, (job.first, job.second), strict=True):
            values |= {seat + key: _option(entrant, key) for key in self._keys}
        return [_filled(pieces, values) for pieces in self._arguments]


def _pieces(argument: str) -> list[Piece]:
    """The texts and fields of an argument; raise `InvalidInput` for an unknown field."""
    try:
        parsed = list(Formatter().parse(argument))
    except ValueError as error:
        raise InvalidInput(
            f"braces in a match command must hold a field or be doubled; got {argument!r}: {error}"
        ) from None
    for _, field, layout, conversion in parsed:
        if layout or conversion:
            raise InvalidInput(
                f"fields of a match command take no format, and literal braces must be doubled, "
                f"{{{{ and }}}}; got {argument!r}"
            )
        is_option = field is not None and field.startswith(SEATS) and len(field) > 2
        if field is not None and not is_option:
            check_name(field, EXAMPLES, "field of a match command")
    return [(text, field) for text, field, _, _ in parsed]


def _filled(pieces: Iterable[Piece], values: Mapping[str, str]) -> str:
    return "".join(text + (values[field] if field else "") for text, field in pieces)


def _option(entrant: Entrant, key: str) -> str:
    """The player's option as an argument: a string, a number, `true` or `false`."""
    if key not in entrant.options:
        raise InvalidInput(
            f"player {entrant.name!r} has no option {key!r}, which the match command uses"
        )
    value: Any = entrant.options[key]
    place = f"option {key!r} of player {entrant.name!r}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float | os.PathLike):
        raise InvalidInput(f"{place} must be a string or a number; got {shown(value)}")
    return _check_text(str(value), place)


def _check_text(text: str, place: str) -> str:
    """Return `text`; raise `InvalidInput` if it cannot be an argument of a program."""
    if "\0" in text:
        raise InvalidInput(f"{place} must not contain a NUL character")
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{place} cannot be encoded as an argument: {error}") from None
    return text
