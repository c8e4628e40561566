"""The delivery of results and failures: what the service has not taken yet is kept."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Protocol

from maxin.core import InvalidInput
from maxin.runners import Outcome
from maxin.tournament.events import Event, Failed, Recovered, Refused, Told
from maxin.tournament.run.match_pool import Finished
from maxin.tournament.run.spool import LeftBehind, Spool
from maxin.tournament.tickets.tickets import ScoreConflict

MOST_SENT = 100  # results in one request
MOST_BYTES = 400_000  # characters of their data in one request
LOG_KEPT = 4000  # characters of a failure's log that are sent


def n_sent_together(outcomes: Sequence[Outcome]) -> int:
    """How many of the first outcomes one request may have; at least one.

    >>> n_sent_together([Outcome(1.0)] * 1_000)
    100
    """
    size = 0
    for place, outcome in enumerate(outcomes[:MOST_SENT]):
        size += len(json.dumps([dict(outcome.data), outcome.errors]))
        if place and size > MOST_BYTES:
            return place
    return min(len(outcomes), MOST_SENT)


class Receiver(Protocol):
    """Takes results and failures; see `Api`."""

    def tell(self, number: int, outcome: Outcome) -> bool:
        """Whether a result is new."""
        ...

    def tell_all(self, results: Sequence[tuple[int, Outcome]]) -> list[bool | InvalidInput]:
        """For each result whether it is new, or why it was refused."""
        ...

    def fail(self, number: int, reason: str, log: str) -> None:
        """Report that a match gave no score."""


class Delivery:
    """Sends finished matches to a service, each until it was taken or refused.

    Args:
        receiver: the service.
        spool: keeps the results on this machine while the service is away.
        watch: is called with every event.
    """

    def __init__(self, receiver: Receiver, spool: Spool, watch: Callable[[Event], None]) -> None:
        self._receiver, self._spool, self._watch = receiver, spool, watch
        self.waiting: list[Finished] = []
        self.n_played = 0  # results that the service has recorded

    def add(self, items: Sequence[Finished]) -> None:
        """Take finished matches, to be sent with the next call of `send`."""
        self.waiting += items

    def send(self) -> None:
        """Send all that waits; raises `ServiceLost`, and keeps the rest, if it is away."""
        while self.waiting:
            item = self.waiting[0]
            if item.outcome is None:
                self._fail(item)
                del self.waiting[0]
            else:
                batch = self._batch()
                for one, told in zip(batch, self._told(batch), strict=True):
                    self._note(one, told)
                del self.waiting[: len(batch)]
        self._spool.clear()

    def keep(self, *, is_leaving: bool) -> str:
        """Have the results on this machine's disk; returns a sentence about them."""
        return self._spool.keep(self.waiting, is_leaving=is_leaving)

    def close(self) -> None:
        """Leave what could not be sent to the next run."""
        self._spool.close()

    def recover(self) -> None:
        """Send the results that earlier runs on this machine had to keep."""
        for left in self._spool.left_behind():
            self._recover(left)

    def _recover(self, left: LeftBehind) -> None:
        told: list[bool | InvalidInput] = []
        for row in left.results:
            told.append(self._tell(row.match, row.outcome))
        n_refused = sum(isinstance(one, ScoreConflict) for one in told)
        problems = [
            one
            for one in told
            if isinstance(one, InvalidInput) and not isinstance(one, ScoreConflict)
        ]
        problem = f"{problems[0]}; see {left.reject()}" if problems else ""
        left.remove()
        self._watch(Recovered(len(told) - n_refused - len(problems), n_refused, problem))

    def _batch(self) -> list[Finished]:
        """The results that wait first, as many as one request may have."""
        played = itertools.takewhile(lambda item: item.outcome is not None, self.waiting)
        return self.waiting[: n_sent_together([item.outcome for item in played if item.outcome])]

    def _told(self, batch: Sequence[Finished]) -> list[bool | InvalidInput]:
        """The answer to each; if the service refuses them together, each on its own."""
        results = [(item.ticket.id, item.outcome) for item in batch if item.outcome is not None]
        if len(results) > 1:
            try:
                return self._receiver.tell_all(results)
            except InvalidInput:
                pass
        return [self._tell(*result) for result in results]

    def _tell(self, number: int, outcome: Outcome) -> bool | InvalidInput:
        try:
            return self._receiver.tell(number, outcome)
        except InvalidInput as error:
            return error

    def _note(self, item: Finished, told: bool | InvalidInput) -> None:
        """Tell watchers; a result that the service had already may be ours, its answer lost."""
        assert item.outcome is not None
        if isinstance(told, InvalidInput):
            self._watch(Refused(item.ticket, str(told)))
        else:
            self.n_played += 1
            self._watch(Told(item.ticket, item.outcome.score, item.outcome.errors))

    def _fail(self, item: Finished) -> None:
        """Report a failure; a match that the service no longer has needs no report."""
        failure = item.failures[-1]
        log = failure.log[-LOG_KEPT:]
        try:
            self._receiver.fail(item.ticket.id, failure.reason, log)
        except InvalidInput as error:
            self._watch(Refused(item.ticket, str(error)))
        self._watch(Failed(item.ticket, None, failure.reason, log))
