"""How matches are played: a runner from settings, and the description that a store keeps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from maxin.cli.config.flags import flag, given, overridden, values
from maxin.cli.config.settings import DRAW, OPENINGS, RESIGN, WAYS, MatchSettings
from maxin.core import InvalidInput, check_name
from maxin.games import Game, make_game
from maxin.runners import Command, OpenSpiel, Payoff, Processes, Ray, Runner, Uci
from maxin.runners.registry import make_runner

CHESS = ("opening_plies", "max_plies", "openings", "draw", "resign", "on_crash")
TABLES = {"openings": OPENINGS, "draw": DRAW, "resign": RESIGN}
PROGRAMS = ("command", "uci")  # the ways that start programs of others


class MatchConfig(NamedTuple):
    """A way to play matches.

    Args:
        kind: one of `WAYS`.
        text: the command, the function, the game or the options.
        timeout: seconds after which a match has failed.
        env: variables of our environment that the program gets.
        ray: the address of the Ray cluster on which matches are played; None plays here.

    >>> MatchConfig("call", "examples.connect_four.game:play").description
    'call: examples.connect_four.game:play'
    """

    kind: str
    text: str
    timeout: float | None = None
    env: tuple[str, ...] = ()
    ray: str | None = None

    @property
    def description(self) -> str:
        """What the store keeps.

        The timeout and the cluster may change: they never decide a match. The store does not keep
        the variables: its writer must not choose which of ours a command gets.
        """
        return f"{self.kind}: {self.text}"

    def names(self, seed: int) -> list[str]:
        """The players that come with the way to play: the rows of a payoff matrix."""
        if self.kind != "payoff":
            return []
        game = self._game(seed)
        return list(game.names or (f"player-{row}" for row in range(game.n_players)))

    def runner(self, names: Sequence[str], seed: int) -> Runner:
        """The runner for these players.

        >>> MatchConfig("payoff", "good-bad").runner(["a", "b", "c", "d"], seed=0)
        <maxin.runners.payoff.Payoff object at 0x...>
        """
        if self.ray is not None:
            here = self._replace(ray=None)
            make = partial(_runner_at, os.getcwd(), here, list(names), seed)
            return Ray(make=make, address=self.ray)
        builders: dict[str, Callable[[], Runner]] = {
            "command": lambda: Command(self.text, self.timeout, env=self.env),
            "call": lambda: Processes(self.text, self.timeout),
            "uci": lambda: self._uci(seed),
            "open_spiel": lambda: OpenSpiel(self.text, timeout=self.timeout),
            "payoff": lambda: self._payoff(names, seed),
            "runner": lambda: make_runner(self.text, names=names, seed=seed, timeout=self.timeout),
        }
        return builders[self.kind]()

    def _uci(self, seed: int) -> Runner:
        chosen = _read_chess(self.text)
        openings = chosen.get("openings")
        if openings is not None and openings.seed is None:
            chosen["openings"] = openings._replace(seed=seed)
        if self.timeout is not None:
            chosen["timeout"] = self.timeout
        return Uci(**chosen, env=self.env)

    def _payoff(self, names: Sequence[str], seed: int) -> Runner:
        game = self._game(seed)
        if game.names is not None:  # those of the file, whoever joined first
            return Payoff(game.probabilities, game.names)
        if len(names) < game.n_players:
            raise InvalidInput(
                f"the payoff matrix {self.text!r} has a row for each of {game.n_players} players; "
                f"got {len(names)} names"
            )
        # A player that joined later has no row, and the runner refuses it by name.
        return Payoff(game.probabilities, names[: game.n_players])

    def _game(self, seed: int) -> Game:
        """The game that `maxin games show` shows for this seed."""
        return make_game(self.text, np.random.default_rng([seed, 0]))


def _runner_at(folder: str, config: MatchConfig, names: Sequence[str], seed: int) -> Runner:
    """The runner on a node of a cluster.

    Paths are relative to the current folder if the node has it.
    """
    if os.path.isdir(folder):
        os.chdir(folder)
    return config.runner(names, seed)


def match_config(settings: MatchSettings, stored: str = "") -> MatchConfig | None:
    """The way to play that the settings choose; None if they choose none.

    Settings of chess alone choose the chess that a store describes, with these settings.

    >>> match_config(MatchSettings(uci=True, opening_plies=8)).text
    '{"opening_plies": 8, "max_plies": 400}'
    >>> match_config(MatchSettings(max_plies=90), 'uci: {"opening_plies": 8}').text
    '{"opening_plies": 8, "max_plies": 90}'
    """
    chosen = given(settings)
    kinds = [kind for kind in WAYS if kind in chosen]
    if len(kinds) > 1:
        raise InvalidInput(f"give one way to play matches; got {' and '.join(kinds)}")
    kind = kinds[0] if kinds else None
    stored_kind, _, stored_text = stored.partition(": ")
    way = kind or (stored_kind if stored_kind in WAYS else "no way to play")
    chess = [key for key in CHESS if key in chosen]
    if chess and way != "uci":
        raise InvalidInput(f"{chess[0]} is for UCI engines; got it with {way}")
    if chess and kind is None:
        return match_config(_completed(settings, stored_text))
    if kind is None:
        return None
    text = _chess_text(settings) if kind == "uci" else str(chosen[kind]).strip()
    return _match_config(kind, text, settings)


def unnamed_note(runner: Runner) -> str:
    """What to warn about a command that is the same for every pair; empty if it names players."""
    missing = (
        []
        if not isinstance(runner, Command)
        else [f"{{{seat}}}" for seat in "ab" if seat not in runner.seats]
    )
    if not missing:
        return ""
    variables = " and ".join(f"MAXIN_{field[1].upper()}" for field in missing)
    return (
        f"warning: the command has no {' and no '.join(missing)}; unless it reads {variables}, its "
        "scores say nothing about the players"
    )


def _completed(settings: MatchSettings, text: str) -> MatchSettings:
    """The settings of chess, with those of a text of `_chess_text` where none are given."""
    chosen = given(settings)
    kept = {key: value for key, value in _read_chess(text).items() if key not in chosen}
    for key, other in (("openings", "opening_plies"), ("opening_plies", "openings")):
        if key in chosen:
            kept.pop(other, None)
    return overridden(settings, MatchSettings(uci=True, **kept))


def _chess_text(settings: MatchSettings) -> str:
    """The settings of chess, as the store keeps them."""
    every = values(settings)
    if every["openings"] is not None:
        if settings.opening_plies is not None:
            raise InvalidInput("openings and opening_plies exclude each other: give one of them")
        every["opening_plies"] = None
    tables = {
        key: {name: value for name, value in every[key]._asdict().items() if value is not None}
        for key in TABLES
        if every[key] is not None
    }
    kept = {key: tables.get(key, every[key]) for key in CHESS if every[key] is not None}
    if every["on_crash"] == MatchSettings.settings["on_crash"].value:
        del kept["on_crash"]
    return json.dumps(kept)


def _read_chess(text: str) -> dict[str, Any]:
    """The arguments of `Uci` that a text of `_chess_text` stands for."""
    try:
        kept = json.loads(text)
        for key in kept:
            check_name(key, CHESS, "setting of chess")
        return {
            key: TABLES[key].read(value, key) if key in TABLES else value
            for key, value in kept.items()
        }
    except (ValueError, TypeError, AttributeError):
        raise InvalidInput(f"the store says {text!r} about how chess is played") from None


def stored_match_config(description: str, settings: MatchSettings) -> MatchConfig:
    """The way to play that a store describes, with the timeout and the variables of `settings`.

    >>> stored_match_config("command: play.py {a} {b}", MatchSettings()).text
    'play.py {a} {b}'
    """
    kind, _, text = description.partition(": ")
    if kind not in WAYS or not text:
        kept = f"only {description!r}" if description else "nothing"
        raise InvalidInput(
            f"the store says {kept} about how matches are played; give one of "
            f"{', '.join(map(flag, WAYS))}"
        )
    return _match_config(kind, text, settings)


def _match_config(kind: str, text: str, settings: MatchSettings) -> MatchConfig:
    every = values(settings)
    if every["env"] and kind not in PROGRAMS:
        raise InvalidInput(
            f"env is for a command and for UCI engines; got it with {kind}, which has your whole "
            "environment"
        )
    return MatchConfig(kind, text, every["timeout"], every["env"], every["ray"])
