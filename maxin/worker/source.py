"""What a source of matches hands out, what it takes, and what it answers.

What somebody wants of a source is a command, a small frozen value; `Channel.apply` answers many of
them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from maxin.core import Entrant, InvalidInput, Match
from maxin.core.text import counted

if TYPE_CHECKING:
    from maxin.runners import MatchFailed, Outcome

LEASE = 600.0  # seconds until a match without a result may be handed to somebody else
MOST_REASONS = 3  # of refused results in one message
Reason = Literal["decided", "budget", "finished", "aborted", "interrupted"]
RENEWAL, CORRECTION, RESULT, ASK = range(4)  # the order in which commands are applied


class Ticket(NamedTuple):
    """A match to play: its number, who sits first, who second, and its seed.

    Args:
        id: the number of the match.
        first: the player who sits first.
        second: the other one.
        seed: determines all randomness of the match.
        players: the numbers of the two; a `Client` does not know them, and has -1.
        fence: names the entry that handed the match out, and the history of the record up to it:
            by it, a result of another history is refused; empty stands for any.
        worker: who has the match: a process or a machine, or the `worker` of a `Tournament`. This
            and what follows is known only in `Tournament.pending`.
        since: when it was handed out, in seconds since 1970; the last time, if there were several.
        remaining: seconds until it may be handed to somebody else; 0 if it may be now.
    """

    id: int
    first: str
    second: str
    seed: int
    players: Match
    fence: str = ""
    worker: str = ""
    since: float = 0.0
    remaining: float = 0.0


class Idle(NamedTuple):
    """Why there is no match to play.

    Args:
        reason: a sentence.
        is_over: whether waiting will not help.
        kind: how a run that ends now has ended.
        message: more about it, for the report of a run.
        n_pending: the matches that others are playing.
    """

    reason: str
    is_over: bool
    kind: Reason = "finished"
    message: str = ""
    n_pending: int = 0


class Offers(NamedTuple):
    """The answer to an `Ask`.

    Args:
        tickets: the matches to play.
        entrants: their players with options, by name.
        until: when their leases end, in seconds since 1970 by the clock of the store.
        idle: why there are none; None if there are some.
        pause: seconds before it is worth asking again.
        is_shared: whether others ask the same store, so that each waits for its turn.
    """

    tickets: Sequence[Ticket]
    entrants: Mapping[str, Entrant] = {}
    until: float = 0.0
    idle: Idle | None = None
    pause: float = 0.0
    is_shared: bool = False


class Ask(NamedTuple):
    """Up to `n` matches to play; the answer is `Offers`.

    Asked again with the same key, the answer is the same while the leases last, so whoever lost
    the answer asks again, and no match waits in vain for its lease to end.

    Args:
        n: how many.
        lease: seconds for which the matches belong to the worker.
        key: names this ask; None if its answer cannot be lost.
        wait: seconds that a service may wait for a match.
        is_busy: whether the worker still plays matches, whose results may undo a decision.
        worker: who asks; by default the holder that the source has for this process.
        is_cancelled: whether nobody waits for the answer any more: what is handed out then would
            wait for its lease to end.
        n_more: how many others to take if somebody has chosen them already.
    """

    n: int = 1
    lease: float = LEASE
    key: str | None = None
    wait: float = 0.0
    is_busy: bool = False
    worker: str = ""
    is_cancelled: Callable[[], bool] = bool
    n_more: int = 0

    @property
    def rank(self) -> int:
        """Asks depend on everything else."""
        return ASK


class Tell(NamedTuple):
    """Record a result; the answer is whether it is new. Another score is a `ScoreConflict`.

    Args:
        number: of the match.
        outcome: its result.
        fence: of its ticket; empty stands for any, here and in the other commands.
        failures: of the attempts before it.
        worker: who played it.
    """

    number: int
    outcome: Outcome
    fence: str = ""
    failures: Sequence[MatchFailed] = ()
    worker: str = ""

    @property
    def rank(self) -> int:
        """Results come before asks."""
        return RESULT


class Fail(NamedTuple):
    """A worker could not play a match; the answer is the `Consequence`.

    Args:
        number: of the match.
        failures: of every attempt, the last one last.
        blame: "match" counts against the match and its players; "worker" does not, since nothing
            works at this worker; "nobody" neither, since the worker was interrupted.
        worker: who had it.
        fence: of its ticket.
    """

    number: int
    failures: Sequence[MatchFailed]
    blame: Literal["match", "worker", "nobody"] = "match"
    worker: str = ""
    fence: str = ""

    @property
    def rank(self) -> int:
        """Failures come before results."""
        return CORRECTION


class Consequence(NamedTuple):
    """What follows from a failure.

    Args:
        attempt: how many attempts at the match have failed.
        again: whether the match is handed out again.
        is_void: whether it was given up; it counts for nobody.
        paused: the players who were paused, because their matches keep failing, and why.
        stop: why the worker should stop; empty if it need not.
    """

    attempt: int = 0
    again: bool = False
    is_void: bool = False
    paused: Sequence[tuple[str, str]] = ()
    stop: str = ""


class Renew(NamedTuple):
    """Keep matches for some more seconds; 0 gives them back at once.

    The answer is which are kept, and which somebody else may have by now; one of another history is
    among these.

    Args:
        matches: their numbers.
        lease: seconds.
        worker: who has them.
        fences: of their tickets, in the same order; empty stands for any.
    """

    matches: tuple[int, ...]
    lease: float
    worker: str = ""
    fences: tuple[str, ...] = ()

    @classmethod
    def of(cls, tickets: Iterable[Ticket], lease: float) -> Renew:
        """The renewal of these tickets."""
        held = {ticket.id: ticket.fence for ticket in tickets}
        return cls(tuple(held), lease, fences=tuple(held.values()))

    @property
    def rank(self) -> int:
        """Renewals come first: a match that is kept is not handed to somebody else."""
        return RENEWAL


class Void(NamedTuple):
    """Give a match up: it counts for nobody, unless its result comes after all.

    The answer is whether it was pending.
    """

    number: int
    reason: str
    fence: str = ""
    rank: int = CORRECTION


class Retract(NamedTuple):
    """Take back the result of a match; the answer is False if that was done before."""

    number: int
    reason: str
    fence: str = ""
    worker: str = ""
    rank: int = CORRECTION


class About(NamedTuple):
    """What a worker has to know about a tournament.

    Args:
        identity: a unique ID of its record.
        games_per_match: how many games a match has.
        seed: of the tournament.
        players: the names of those who may play, in the order they joined.
        entrants: the same players with options, as far as the source tells them beforehand.
        is_remote: whether the record is elsewhere: then an answer may be lost on its way.
    """

    identity: str
    games_per_match: int
    seed: int
    players: tuple[str, ...]
    entrants: tuple[Entrant, ...] = ()
    is_remote: bool = False


class Channel(Protocol):
    """How workers reach a source; everything that changes its record is made of `apply`."""

    def about(self) -> About:
        """What a worker has to know before it plays."""
        ...

    def apply(self, commands: Sequence[Any], /) -> list[Any]:
        """The answer to each command; a command that is refused is answered with its error.

        Raises `StoreLost` if the record cannot be reached: the same commands may be sent again.
        """
        ...

    def noticing(self, notice: Callable[[str], None], /) -> AbstractContextManager[None]:
        """Within it, `notice` is called with why an answer takes long."""
        ...


class ScoreConflict(InvalidInput):
    """A match was reported with another score before; the message names both."""


class OtherHistory(InvalidInput):
    """A ticket of another history of the record: the store was restored, or is another one.

    The match of this number may have other players here, so nothing is recorded.
    """

    kind = "other-history"  # for programs that get the error over HTTP


class UnknownMatch(InvalidInput):
    """A match that was never handed out; the message names the last one."""


class RefusedResults(InvalidInput):
    """Some of many results were refused; the others are recorded.

    Args:
        answers: for each result whether it was new, or why it was refused.

    >>> str(RefusedResults([True, InvalidInput("there is no match 7"), False]))
    '1 of 3 results was refused, and the others are recorded: there is no match 7'
    """

    def __init__(self, answers: Sequence[bool | Exception]) -> None:
        self.answers = list(answers)
        reasons = [str(answer) for answer in answers if isinstance(answer, Exception)]
        were = "was" if len(reasons) == 1 else "were"
        super().__init__(
            f"{len(reasons):,} of {counted(len(answers), 'result')} {were} refused, and the others "
            f"are recorded: {'; '.join(reasons[:MOST_REASONS])}"
            + ("; ..." if len(reasons) > MOST_REASONS else "")
        )
