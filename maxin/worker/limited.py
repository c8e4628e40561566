"""The budgets of one worker, beside those of the tournament that it plays for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from maxin.core import Stop
from maxin.core.stop import Spent, Used
from maxin.views.recorded.costs import TotalCost
from maxin.worker.source import About, Ask, Channel, Fail, Idle, Offers, Renew, Tell


class LimitedChannel:
    """A channel that asks for no more matches than the budgets of one worker allow.

    Only what this worker plays counts, from now on.

    Args:
        channel: to the source of the matches.
        stop: has the budgets.
    """

    def __init__(self, channel: Channel, stop: Stop) -> None:
        self._channel, self._stop, self._start = channel, stop, time.monotonic()
        self._pending: set[int] = set()
        self._n_results, self._cost, self.is_spent = 0, TotalCost(0.0, 0), False

    def about(self) -> About:
        """What a worker has to know before it plays."""
        return self._channel.about()

    def noticing(self, notice: Callable[[str], None]) -> AbstractContextManager[None]:
        """Within it, `notice` is called with why an answer takes long."""
        return self._channel.noticing(notice)

    def apply(self, commands: Sequence[Any]) -> list[Any]:
        """The answer to each command; an ask comes after the results that are reported with it."""
        others = [command for command in commands if not isinstance(command, Ask)]
        told = iter(self._channel.apply(others) if others else [])
        for command in others:
            self._note(command)
        return [self._asked(one) if isinstance(one, Ask) else next(told) for one in commands]

    def _note(self, command: Any) -> None:
        """Count a result; a match that is over or was given back is no longer pending."""
        if isinstance(command, Renew):
            self._pending -= set(() if command.lease else command.matches)
        elif isinstance(command, Tell | Fail):
            is_new = command.number in self._pending
            self._pending.discard(command.number)
            if is_new and isinstance(command, Tell):
                self._n_results += 1
                self._cost = self._cost.plus(command.outcome.data)

    def _asked(self, ask: Ask) -> Offers:
        """The matches for an ask, as many as the budgets allow."""
        spent = self._spent(0)
        n_allowed = next((n for n in range(1, ask.n) if self._spent(n) is not None), ask.n)
        if spent is not None:
            self.is_spent, reason = True, f"{spent.reason} by this worker"
            if spent.is_unpriced:
                return Offers([], idle=Idle(spent.reason, True, "aborted"))
            return Offers([], idle=Idle(reason, True, "budget"))
        (offers,) = self._channel.apply([ask._replace(n=n_allowed, n_more=0)])
        if isinstance(offers, Offers):
            self._pending |= {ticket.id for ticket in offers.tickets}
        found: Offers = offers
        return found

    def _spent(self, n_more: int) -> Spent | None:
        """The budget that allows no match after `n_more` others."""
        used = Used(
            n_matches=self._n_results,
            n_pending=len(self._pending) + n_more,
            cost=self._cost.total,
            n_priced=self._cost.n_matches,
            n_unpriced=0 if self._cost.n_matches else self._n_results,
            seconds=time.monotonic() - self._start,
        )
        return self._stop.spent(used)
