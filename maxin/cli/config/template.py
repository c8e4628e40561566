"""The file that `maxin init` writes: every setting with its comment and its default."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from maxin.cli.config.declaration import Setting, declared
from maxin.cli.config.settings import MatchSettings, RunSettings, TournamentSettings

WIDTH = 96  # columns of a comment

HEAD = """\
A tournament for `maxin run`. Edit the players and the way a match is played, then run it. \
Run it again to resume where it stopped. Keys that are commented out show their defaults. A \
flag overrides its key (--workers 8). Paths are relative to the directory you run it in."""
PLAYERS = """\
The players: names as below, the files that a glob matches, players = "bots/*.py", or a table \
per player, as at the end of this file."""
RULES = """\
The keys from here to [match] are the rules of the tournament. They cannot change once it has \
started."""
MATCH = "How a match is played: exactly one of command, call, uci, open_spiel and payoff."
DEFAULTS = "Options of every player. The table of a player overrides them."
TABLES = "A table per player, in place of the list above, for players with options."


def template() -> str:
    """The text of a new config file.

    >>> "confidence = 0.95" in template()
    True
    """
    rules = dict(declared(TournamentSettings))
    store = {"store": rules.pop("store")}
    blocks = [
        _comment(HEAD),
        f'{_comment(PLAYERS)}\nplayers = ["anna", "bo", "cy"]',
        *_keys(declared(RunSettings)),
        *_keys(store),
        _comment(RULES),
        *_keys(rules),
        f"{_comment(MATCH)}\n[match]",
        *_keys(declared(MatchSettings)),
        f"{_comment(DEFAULTS)}\n#[defaults]\n#nodes = 1000",
        f'{_comment(TABLES)}\n#[players.anna]\n#command = "stockfish"',
    ]
    return "\n\n".join(blocks) + "\n"


def _keys(settings: dict[str, Setting]) -> Iterator[str]:
    for name, one in settings.items():
        mark = "" if one.is_starter else "#"
        yield f"{_comment(one.comment or one.help)}\n{mark}{name} = {_toml(one)}"


def _comment(text: str) -> str:
    lines = textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)
    return "\n".join(f"# {line}" for line in lines)


def _toml(one: Setting) -> str:
    """The default or the example; JSON writes texts, numbers and true or false as TOML does."""
    value = one.value if one.default else one.example
    return json.dumps("none" if value is None else value)
