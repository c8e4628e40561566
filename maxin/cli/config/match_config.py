"""How matches are played: a runner from settings, and the description that a store keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from maxin.cli.config.declaration import flag, given, values
from maxin.cli.config.settings import WAYS, MatchSettings
from maxin.core import InvalidInput
from maxin.core.specs import parse
from maxin.games import Game, make_game
from maxin.runners import Command, OpenSpiel, Payoff, Processes, Runner, Uci

PLIES = ("opening_plies", "max_plies")  # the settings of chess
PROGRAMS = ("command", "uci")  # the ways that start programs of others


class MatchConfig(NamedTuple):
    """A way to play matches.

    Args:
        kind: one of `WAYS`.
        text: the command, the function, the game or the options.
        timeout: seconds after which a match has failed.
        env: variables of our environment that the program gets.

    >>> MatchConfig("call", "examples.connect_four.game:play").description
    'call: examples.connect_four.game:play'
    """

    kind: str
    text: str
    timeout: float | None = None
    env: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What the store keeps.

        The timeout may change: it never decides a match. The variables are no business of the
        store: whoever wrote it must not choose which of ours its command gets.
        """
        return f"{self.kind}: {self.text}"

    def names(self, seed: int) -> list[str]:
        """The players that come with the way to play: the rows of a payoff matrix."""
        if self.kind != "payoff":
            return []
        return [f"player-{row}" for row in range(self._game(seed).n_players)]

    def runner(self, names: Sequence[str], seed: int) -> Runner:
        """The runner for these players.

        >>> MatchConfig("payoff", "good-bad").runner(["a", "b", "c", "d"], seed=0)
        <maxin.runners.payoff.Payoff object at 0x...>
        """
        builders: dict[str, Callable[[], Runner]] = {
            "command": lambda: Command(self.text, self.timeout, env=self.env),
            "call": lambda: Processes(self.text, self.timeout),
            "uci": self._uci,
            "open_spiel": lambda: OpenSpiel(self.text, timeout=self.timeout),
            "payoff": lambda: self._payoff(names, seed),
        }
        return builders[self.kind]()

    def _uci(self) -> Runner:
        plies = {key: int(value) for key, value in parse(f"uci:{self.text}")[1].items()}
        if self.timeout is None:
            return Uci(**plies, env=self.env)
        return Uci(**plies, timeout=self.timeout, env=self.env)

    def _payoff(self, names: Sequence[str], seed: int) -> Runner:
        game = self._game(seed)
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


def match_config(settings: MatchSettings) -> MatchConfig | None:
    """The way to play that the settings choose; None if they choose none.

    >>> match_config(MatchSettings(uci=True, opening_plies=8)).text
    'opening_plies=8,max_plies=400'
    """
    chosen = given(settings)
    kinds = [kind for kind in WAYS if kind in chosen]
    if len(kinds) > 1:
        raise InvalidInput(f"give one way to play matches; got {' and '.join(kinds)}")
    kind = kinds[0] if kinds else None
    for key in PLIES:
        if key in chosen and kind != "uci":
            raise InvalidInput(f"{key} is for UCI engines; got it with {kind or 'no way to play'}")
    if kind is None:
        return None
    every = values(settings)
    plies = ",".join(f"{key}={every[key]}" for key in PLIES)
    text = plies if kind == "uci" else str(chosen[kind]).strip()
    return _match_config(kind, text, settings)


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
    return MatchConfig(kind, text, every["timeout"], every["env"])
