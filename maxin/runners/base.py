"""The protocol of a runner: it takes a job and returns an outcome, or raises `MatchFailed`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from maxin.core import Entrant, MaxinError

STOPPED = "the game was stopped"
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Job(NamedTuple):
    """A game to play.

    Attributes:
        number: the number of its match.
        first: the player in the first seat.
        second: the other one.
        seed: determines all randomness. Both games of a pair, with swapped seats, have the same.
        pair: the number of its pair among all pairs of games of the tournament, from 1 on; None
            stands for the number of the match.
    """

    number: int
    first: Entrant
    second: Entrant
    seed: int
    pair: int | None = None


class Outcome(NamedTuple):
    """The result of a game, or of a match of several games.

    Attributes:
        score: the first player's score, in [0, 1].
        errors: problems that the game reported.
        data: anything else it reported.
        games: the first player's score in each game, if the match had several.
    """

    score: float
    errors: tuple[str, ...] = ()
    data: Mapping[str, Any] = NOTHING
    games: tuple[float, ...] | None = None


class MatchFailed(MaxinError):
    """A game gave no score. It counts as a failure of the match, never as a player's loss.

    Args:
        reason: what happened, in one line.
        log: the end of what the program printed.
        is_hopeless: whether a retry cannot help, as with a command that does not exist.
        player: the name of the player whose fault it is; None if that is not known.

    >>> failure = MatchFailed("cannot run 'play': No such file or directory", is_hopeless=True)
    >>> failure.reason, failure.is_hopeless
    ("cannot run 'play': No such file or directory", True)
    """

    def __init__(
        self, reason: str, *, log: str = "", is_hopeless: bool = False, player: str | None = None
    ) -> None:
        super().__init__(reason)
        self.reason, self.log, self.is_hopeless, self.player = reason, log, is_hopeless, player


class RunnerLost(MatchFailed):
    """The runner can play no more games: its pool is broken, or its cluster is gone.

    A run ends at once. Its matches stay pending, and are played when it is resumed.
    """

    def __init__(self, reason: str, *, log: str = "") -> None:
        super().__init__(reason, log=log, is_hopeless=True)


class Runner(Protocol):
    """Plays games. `play` is called from several threads at once, with one game per call."""

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise `InvalidInput` for a player it cannot play. Called before any game starts."""
        ...

    def play(self, job: Job) -> Outcome:
        """Play one game to its end. Raise `MatchFailed` if there is no score."""
        ...

    def kill(self) -> None:
        """End every running game now, and start no more.

        Calls of `play`, both running and later ones, raise `MatchFailed`.
        """
        ...

    def close(self) -> None:
        """End the processes that are kept for later games."""
        ...
