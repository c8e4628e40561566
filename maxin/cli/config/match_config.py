"""How matches are played: a runner from a few words, and the words that a store keeps of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from maxin.cli.config.config import WAYS, flag
from maxin.core import InvalidInput
from maxin.core.specs import parse

if TYPE_CHECKING:
    from maxin.games import Game
    from maxin.runners import Runner

PLIES = {"opening_plies": 6, "max_plies": 400}


class Way(NamedTuple):
    """A way to play: `kind` is one of `WAYS`, `text` says the rest; a slow match is killed.

    >>> way = Way("call", "examples.connect_four.game:play")
    >>> way.words
    'call: examples.connect_four.game:play'
    """

    kind: str
    text: str
    timeout: float | None = None

    @property
    def words(self) -> str:
        """What the store keeps. The timeout may change: it never decides a match."""
        return f"{self.kind}: {self.text}"

    def names(self, seed: int) -> list[str]:
        """The players that the way itself brings: the rows of a payoff matrix."""
        if self.kind != "payoff":
            return []
        return [f"player-{row}" for row in range(self._game(seed).n_players)]

    def runner(self, names: Sequence[str], seed: int) -> Runner:
        """Whoever plays the matches of these players.

        >>> Way("payoff", "good-bad").runner(["a", "b", "c", "d"], seed=0)
        <maxin.runners.payoff.Payoff object at 0x...>
        """
        builders: dict[str, Callable[[], Runner]] = {
            "command": self._command,
            "call": self._call,
            "uci": self._uci,
            "open_spiel": self._open_spiel,
            "payoff": lambda: self._payoff(names, seed),
        }
        return builders[self.kind]()

    def _command(self) -> Runner:
        from maxin.runners import Command

        return Command(self.text, self.timeout)

    def _call(self) -> Runner:
        from maxin.runners import Processes

        return Processes(self.text, self.timeout)

    def _uci(self) -> Runner:
        from maxin.runners.uci.runner import Uci

        plies = {key: int(value) for key, value in parse(f"uci:{self.text}")[1].items()}
        return Uci(**plies) if self.timeout is None else Uci(**plies, timeout=self.timeout)

    def _open_spiel(self) -> Runner:
        from maxin.runners.open_spiel.runner import OpenSpiel

        return OpenSpiel(self.text, timeout=self.timeout)

    def _payoff(self, names: Sequence[str], seed: int) -> Runner:
        from maxin.runners import Payoff

        game = self._game(seed)
        if len(names) < game.n_players:
            raise InvalidInput(
                f"the payoff matrix {self.text!r} has a row for each of {game.n_players} players; "
                f"got {len(names)} names"
            )
        # Who joined later has no row, and is refused by name.
        return Payoff(game.probabilities, names[: game.n_players])

    def _game(self, seed: int) -> Game:
        """The game that `maxin games show` shows for this seed."""
        import numpy as np

        from maxin.games import make_game

        return make_game(self.text, np.random.default_rng([seed, 0]))


def way_of(match: Mapping[str, Any]) -> Way | None:
    """The way that the keys of [match] say; None if they say none.

    >>> way_of({"uci": True, "opening_plies": 8}).text
    'opening_plies=8,max_plies=400'
    """
    kinds = [kind for kind in WAYS if kind in match]
    if len(kinds) > 1:
        raise InvalidInput(f"matches are played in one way; got {' and '.join(kinds)}")
    kind = kinds[0] if kinds else None
    for key in PLIES:
        if key in match and kind != "uci":
            raise InvalidInput(f"{key} is for UCI engines; got it with {kind or 'no way to play'}")
    if kind is None:
        return None
    if kind == "uci":
        plies = {key: match.get(key, default) for key, default in PLIES.items()}
        text = ",".join(f"{key}={value}" for key, value in plies.items())
    else:
        text = match[kind].strip()
    return Way(kind, text, match.get("timeout"))


def stored_way(words: str, timeout: float | None) -> Way:
    """The way that a store's words say.

    >>> stored_way("command: play.py {a} {b}", timeout=None).text
    'play.py {a} {b}'
    """
    kind, _, text = words.partition(": ")
    if kind not in WAYS or not text:
        flags = ", ".join(map(flag, WAYS))
        kept = f"only {words!r}" if words else "nothing"
        raise InvalidInput(
            f"the store says {kept} about how matches are played; give one of {flags}"
        )
    return Way(kind, text, timeout)
