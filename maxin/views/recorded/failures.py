"""Failures: attempts without a score, and what followed from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from maxin.core import Match
from maxin.storage import StoredEvent

# The kinds of stored events that are failures; pass them to `Tournament.events`.
FAILURES = ("failed", "void", "refused", "paused")


class Failure(NamedTuple):
    """A failed attempt, a voided match, a refused score or a player paused after failures.

    `kind` is "failed", "void", "refused" or "paused". A field that does not apply is None: a
    paused player has no match, and only attempts are numbered. `reason` says what happened, and
    `log` holds the end of the program's output, if there was any.
    """

    time: float
    kind: str
    match: int | None
    first: str | None
    second: str | None
    player: str | None
    attempt: int | None
    reason: str
    log: str

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        return self._asdict()


def read_failures(
    events: Iterable[StoredEvent], names: Sequence[str], seats: Mapping[int, Match]
) -> list[Failure]:
    """Give the players of stored events their names.

    Args:
        events: of the kinds in `FAILURES`.
        names: the players, by number.
        seats: the players of each match that the events mention, by the match's number.

    >>> events = [StoredEvent("failed", 7, None, {"attempt": 2, "reason": "exit code 1"}, 0.0)]
    >>> [failure] = read_failures(events, ["anna", "bo"], {7: Match(1, 0)})
    >>> failure.first, failure.attempt, failure.reason
    ('bo', 2, 'exit code 1')
    """
    return [_failure(event, names, seats) for event in events]


def _failure(event: StoredEvent, names: Sequence[str], seats: Mapping[int, Match]) -> Failure:
    pair = None if event.match is None else seats.get(event.match)
    return Failure(
        time=event.time,
        kind=event.kind,
        match=event.match,
        first=None if pair is None else names[pair.first],
        second=None if pair is None else names[pair.second],
        player=None if event.player is None else names[event.player],
        attempt=event.detail.get("attempt"),
        reason=str(event.detail.get("reason", "")),
        log=str(event.detail.get("log", "")),
    )
