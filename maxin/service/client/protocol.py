"""What a tournament of this process and the client of one elsewhere have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Self

from maxin.runners import Outcome
from maxin.tournament.tickets.idle import Idle
from maxin.tournament.tickets.tickets import Ticket
from maxin.views import Leaderboard, Top


class MatchSource(Protocol):
    """Hands out matches and takes their results: a `Tournament`, or a `Client` of a service.

    Code that asks and reports through these methods works with both.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def ask(self, *, lease: float = ...) -> Ticket | None:
        """The next match to play; None if there is none now (`idle_reason` says why)."""

    def ask_many(self, n_matches: int, *, lease: float = ...) -> list[Ticket]:
        """The next matches to play; fewer if there are no more now."""
        ...

    def idle_reason(self) -> Idle:
        """Why `ask` returned None, and whether that can change."""

    def tell(
        self,
        match: Ticket | int,
        score: float,
        *,
        games: Sequence[float] | None = None,
        errors: Sequence[str] = (),
        data: Mapping[str, Any] | None = None,
        judge: str | None = None,
    ) -> bool:
        """Record the first player's score of a match; False if it is there already."""
        ...

    def tell_many(self, results: Iterable[tuple[Ticket | int, float | Outcome]]) -> list[bool]:
        """Record many results; raises `RefusedResults` if some are refused, with the rest done."""
        ...

    def void(self, match: Ticket | int, reason: str) -> bool:
        """Give a match up: it counts for nobody, unless its result comes after all."""
        ...

    def retract(self, match: Ticket | int, reason: str) -> bool:
        """Take back the result of a match; False if it was retracted before."""
        ...

    def leaderboard(self) -> Leaderboard:
        """The standings."""
        ...

    def top(self) -> Top:
        """The leaders, and how certain that is."""
        ...

    def close(self) -> None:
        """Close the store, or the connections."""
