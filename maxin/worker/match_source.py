"""The source of matches, for programs that play them and for workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from maxin.core import InvalidInput, check_lease, check_n_matches
from maxin.core.checks import MOST_ASKED
from maxin.runners import MatchFailed
from maxin.worker.result_checks import (
    checked_outcome,
    checked_reason,
    checked_results,
    number_of,
    recorded,
)
from maxin.worker.source import (
    LEASE,
    Ask,
    Channel,
    Consequence,
    Fail,
    Idle,
    Offers,
    Renew,
    Retract,
    Tell,
    Ticket,
    Void,
)

if TYPE_CHECKING:
    from maxin.runners import Outcome
    from maxin.views import Leaderboard, Top


class MatchSource(ABC):
    """Hands out matches and takes their results: a `Tournament`, or a `Client` of a service.

    Code that asks and reports through these methods works with both.
    """

    _channel: Channel
    _idle = Idle("no match was asked for yet", is_over=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, command: Any) -> Any:
        """The answer to one command; raises its error."""
        (answer,) = self._channel.apply([command])
        if isinstance(answer, Exception):
            raise answer
        return answer

    # Matches

    def ask(self, *, lease: float = LEASE) -> Ticket | None:
        """The next match to play; None if there is none now (`idle_reason` says why).

        The ticket belongs to whoever asks, a process or the token of a client, for `lease` seconds;
        after that it may be handed to somebody else. The first result reported for it counts.

        Args:
            lease: seconds, at most a year.
        """
        return next(iter(self.ask_many(1, lease=lease)), None)

    def ask_many(self, n_matches: int, *, lease: float = LEASE) -> list[Ticket]:
        """The next matches to play; fewer if there are no more now.

        Args:
            n_matches: how many, at most 10,000.
            lease: seconds, at most a year.
        """
        return self._tickets(Ask(check_n_matches(n_matches, MOST_ASKED), check_lease(lease)))

    def _tickets(self, ask: Ask) -> list[Ticket]:
        """The matches for an ask: a source may hand out fewer at a time."""
        found: list[Ticket] = []
        while len(found) < ask.n:
            try:
                offers: Offers = self._answer(ask._replace(n=ask.n - len(found)))
            except InvalidInput:  # of the scheduler
                if not found:
                    raise
                break
            if not offers.tickets:
                self._idle = offers.idle or self._idle
                break
            found += offers.tickets
        return found

    def idle_reason(self) -> Idle:
        """Why the last `ask` that returned None did so, and whether that can change."""
        return self._idle

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
        """Record the first player's score of a match, in [0, 1]; False if it is there already.

        It may come late, twice or out of order. A different score than before is refused with a
        `ScoreConflict`, and a ticket of another history of the record, as after the restore of a
        backup, with `OtherHistory`. When this returns, the result is on disk. If the answer of a
        service was lost and it was asked again, False may mean that this very call has recorded it.

        Args:
            match: the ticket, or its number.
            score: the first player's share of the win.
            games: the first player's score in each game of the match, if there are several.
            errors: what the game complained about.
            data: anything to keep with the result.
            judge: the person or model that judged the match; kept in the data. See
                `Tournament.judges`.
        """
        number, fence = number_of(match)
        outcome = checked_outcome(number, score, games, errors, data, judge)
        is_new: bool = self._answer(Tell(number, outcome, fence))
        return is_new

    def tell_many(self, results: Iterable[tuple[Ticket | int, float | Outcome]]) -> list[bool]:
        """Record many results at once; returns for each whether it was new.

        An invalid result does not keep the others from being recorded: `RefusedResults` is raised
        when they are on disk, and its `answers` tell which were refused, and why. A tournament
        records all in one transaction, a client sends up to a hundred per request.

        Args:
            results: tickets or their numbers, each with the first player's score, or with an
                `Outcome`, which may have games, errors and data.

        >>> from maxin.tournament import Tournament
        >>> tournament = Tournament(["anna", "bo", "cy"], seed=1)
        >>> one, two = tournament.ask_many(2)
        >>> tournament.tell_many([(one, 1.0), (two, 0.5), (one, 1.0)]), tournament.n_matches
        ([True, True, False], 2)
        """
        reported = checked_results(results)
        tells = [one for one in reported if isinstance(one, Tell)]
        told = iter(self._channel.apply(tells) if tells else [])
        return recorded([next(told) if isinstance(one, Tell) else one for one in reported])

    def fail(
        self, match: Ticket | int, reason: str, *, log: str = "", player: str | None = None
    ) -> Consequence:
        """Report that a match gave no score: it is tried again, and void after three failures.

        A player is paused when three of its matches in a row are void. Only the holder of a match
        can report its failure.

        Args:
            match: the ticket, or its number.
            reason: what happened, in one line.
            log: the end of what the game printed.
            player: whose fault it is, if that is known.

        >>> from maxin.tournament import Tournament
        >>> tournament = Tournament(["anna", "bo"], seed=1)
        >>> [tournament.fail(tournament.ask(), "no network").again for _ in range(3)]
        [True, True, False]
        """
        failure = MatchFailed(checked_reason(reason), log=log, player=player)
        number, fence = number_of(match)
        found: Consequence = self._answer(Fail(number, [failure], fence=fence))
        return found

    def renew(self, matches: Iterable[Ticket | int], *, lease: float = LEASE) -> list[int]:
        """Keep matches for longer; returns the numbers of those that somebody else may have.

        Args:
            matches: tickets, or their numbers.
            lease: seconds from now, at most a year.
        """
        held = dict(map(number_of, matches))
        renewal = Renew(tuple(held), check_lease(lease), fences=tuple(held.values()))
        return list(self._answer(renewal)[1]) if renewal.matches else []

    def void(self, match: Ticket | int, reason: str) -> bool:
        """Give a match up: it counts for nobody, unless its result comes after all.

        Returns whether the match was pending. If it has a result, use `retract`. A client needs a
        token of an admin for both.
        """
        number, fence = number_of(match)
        was_pending: bool = self._answer(Void(number, checked_reason(reason), fence))
        return was_pending

    def retract(self, match: Ticket | int, reason: str) -> bool:
        """Take back the result of a match: it counts no longer, and the record keeps both.

        From then on the match is like a void one: the next result that is reported for it counts.
        Returns False if it was retracted before.

        Args:
            match: the ticket, or its number.
            reason: why; it is recorded.

        >>> from maxin.tournament import Tournament
        >>> tournament = Tournament(["anna", "bo"], seed=1)
        >>> ticket = tournament.ask()
        >>> tournament.tell(ticket, 1.0)
        True
        >>> tournament.retract(ticket, "the wrong player was credited")
        True
        >>> tournament.tell(ticket, 0.0), tournament.n_matches
        (True, 1)
        """
        number, fence = number_of(match)
        is_new: bool = self._answer(Retract(number, checked_reason(reason), fence))
        return is_new

    # What is known

    @abstractmethod
    def leaderboard(self) -> Leaderboard:
        """The standings."""

    @abstractmethod
    def top(self) -> Top:
        """The leaders, and how certain that is."""

    @abstractmethod
    def close(self) -> None:
        """Close the store, or the connections."""


def channel_of(source: MatchSource | Channel) -> Channel:
    """How to reach a source, for those who send many commands at once."""
    return source._channel if isinstance(source, MatchSource) else source
