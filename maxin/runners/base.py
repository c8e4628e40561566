"""What every runner promises: one match in, one score out, or a failure that says why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from maxin.core import Entrant, MaxinError

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Job(NamedTuple):
    """A game to be played now; `number` is its match's, `seed` decides whatever chance decides."""

    number: int
    first: Entrant
    second: Entrant
    seed: int


class Outcome(NamedTuple):
    """What a game gave: the first player's score, what the game complained of, and its data."""

    score: float
    errors: tuple[str, ...] = ()
    data: Mapping[str, Any] = NOTHING


class MatchFailed(MaxinError):
    """No score came: the way of playing failed, not a player; never a loss.

    Args:
        reason: one line: what happened.
        log: the last words of whatever was running, as it wrote them.
        is_hopeless: trying again cannot help, as with a command that does not exist.

    >>> failure = MatchFailed("cannot run 'play': No such file or directory", is_hopeless=True)
    >>> failure.reason, failure.is_hopeless
    ("cannot run 'play': No such file or directory", True)
    """

    def __init__(self, reason: str, *, log: str = "", is_hopeless: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.log, self.is_hopeless = reason, log, is_hopeless


class Runner(Protocol):
    """Plays games. `play` is called from several threads at once, one game each."""

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise `InvalidInput` for an entrant it cannot play, before anything is spent."""
        ...

    def play(self, job: Job) -> Outcome:
        """Play one game to its end; `MatchFailed` if there is no score."""
        ...

    def kill(self) -> None:
        """End every running game now; their `play` raises `MatchFailed`. Nothing starts after."""
        ...

    def close(self) -> None:
        """Let go of processes kept for later games."""
        ...
