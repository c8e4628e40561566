"""Who plays: names, the files that a glob matches, or a table of options each."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Mapping
from typing import Any

from maxin.core import Entrant, InvalidInput, check_n_players
from maxin.core.specs import parse

NAMED_BY = {"uci": "command", "open_spiel": "bot"}  # the option that a bare name stands for


def matching(pattern: str) -> list[str]:
    """The paths that a glob matches here, as they are written, in natural order."""
    found = sorted(glob.glob(pattern, recursive=True), key=natural)
    if not found:
        raise InvalidInput(
            f"no file matches the glob {pattern!r} in the current directory; "
            "players who are not files are a list of names"
        )
    return found


def natural(name: str) -> tuple[list[int | str], str]:
    """A key that sorts numbers in names by their value.

    >>> sorted(["bot10", "bot9", "bot"], key=natural)
    ['bot', 'bot9', 'bot10']
    """
    parts = re.split(r"([0-9]+)", name)  # every other one is a number
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], name


def field(
    players: Iterable[str] | str | Mapping[str, Mapping[str, Any]],
    defaults: Mapping[str, Any],
    *,
    names: Iterable[str] = (),
    pattern: str | None = None,
    way: str | None = None,
) -> list[Entrant]:
    """Everyone, with their options; nobody if nothing says who.

    Args:
        players: as the config has them.
        defaults: options of everyone who has not their own.
        names: from the command line; these are all, then, with the options that the config has.
        pattern: a glob from the command line, the same.
        way: how they play. For engines and bots a name such as `mcts:simulations=10` is enough.

    >>> field(["anna", "bo"], {"depth": 3})[1]
    Entrant(name='bo', options={'depth': 3})
    >>> field(["random", "mcts:simulations=9"], {}, way="open_spiel")[1].options
    {'bot': 'mcts', 'simulations': 9}
    """
    tables = players if isinstance(players, Mapping) else {}
    chosen = [*names, *(matching(pattern) if pattern else ())]
    if not chosen:
        chosen = matching(players) if isinstance(players, str) else list(players)
    if chosen:
        check_n_players(len(chosen))
    return [_entrant(name, tables.get(name, {}), defaults, way) for name in chosen]


def _entrant(
    name: str, own: Mapping[str, Any], defaults: Mapping[str, Any], way: str | None
) -> Entrant:
    options = merged(defaults, own)
    key = NAMED_BY.get(way or "")
    if key is not None and key not in options:
        program, texts = parse(name)
        said = {option: _value(text) for option, text in texts.items()}
        options = merged(options, {key: program, **said})
    return Entrant(name, options)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both tables in one, and tables within them too; `above` has the last word.

    >>> merged({"nodes": 9, "options": {"Hash": 1}}, {"options": {"Threads": 2}})
    {'nodes': 9, 'options': {'Hash': 1, 'Threads': 2}}
    """
    both = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], Mapping) and isinstance(above[key], Mapping):
            both[key] = merged(below[key], above[key])
    return both


def _value(text: str) -> int | float | str:
    """A number if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
