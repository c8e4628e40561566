"""One match with everything that is recorded about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from maxin.core import Match
from maxin.storage import PlayedMatch
from maxin.views.recorded.failures import FAILURES, Failure, read_failures

if TYPE_CHECKING:
    from maxin.storage.one_match import HandOut, Retraction, StoredMatch

State = Literal["pending", "played", "retracted", "void"]


class RecordedResult(NamedTuple):
    """A result with the number of its entry; `retraction` is None if it stands."""

    seq: int
    played: PlayedMatch[str]
    retraction: Retraction | None

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        played = self.played._asdict()
        back = None if self.retraction is None else self.retraction._asdict()
        return {"seq": self.seq, **played, "retracted": back}


class RecordedMatch(NamedTuple):
    """A match: who plays it, who had it, its results and what failed, in the order of the record.

    Args:
        number: None if it was played elsewhere.
        first: the player who sits first.
        second: the other one.
        seed: of the match; None if it was played elsewhere.
        handed_out: when and to whom; a match may be handed out again.
        results: the one that stands, and those that were taken back.
        failures: failed attempts, refused scores, and that it was given up.

    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo"], seed=1)
    >>> tournament.tell(tournament.ask(), 1.0)
    True
    >>> tournament.retract(1, "a mistake")
    True
    >>> match = tournament.match(1)
    >>> match.state, match.latest.retraction.reason
    ('retracted', 'a mistake')
    """

    number: int | None
    first: str
    second: str
    seed: int | None
    handed_out: list[HandOut]
    results: list[RecordedResult]
    failures: list[Failure]

    @classmethod
    def of(cls, stored: StoredMatch, names: Sequence[str]) -> RecordedMatch:
        """Give the players of a stored match their names."""
        seats: Mapping[int, Match] = (
            {} if stored.number is None else {stored.number: stored.players}
        )
        first, second = (names[player] for player in stored.players)
        results = [
            RecordedResult(seq, PlayedMatch(played.number, first, second, *played[3:]), back)
            for seq, played, back in stored.results
        ]
        failed = [event for event in stored.events if event.kind in FAILURES]
        failures = read_failures(failed, names, seats)
        return cls(stored.number, first, second, stored.seed, stored.handed_out, results, failures)

    @property
    def latest(self) -> RecordedResult | None:
        """The result that stands; else the last one that was taken back; else None."""
        standing = [result for result in self.results if result.retraction is None]
        return next(reversed(standing or self.results), None)

    @property
    def state(self) -> State:
        """What became of it."""
        if self.latest is not None:
            return "played" if self.latest.retraction is None else "retracted"
        return "void" if any(one.kind == "void" for one in self.failures) else "pending"

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "match": self.number,
            "first": self.first,
            "second": self.second,
            "state": self.state,
            "seed": self.seed,
            "handed_out": [one._asdict() for one in self.handed_out],
            "results": [one.document() for one in self.results],
            "failures": [one.document() for one in self.failures],
        }
