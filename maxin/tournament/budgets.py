"""The budgets of a run or service: what its matches have used so far."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from maxin.core.stop import Spent, Stop, Used
from maxin.views.recorded.costs import KEY, TotalCost

if TYPE_CHECKING:
    from maxin.storage import Store, Writer
    from maxin.tournament.state.state import TournamentState


class Budgets:
    """Says whether the budgets of a stop allow another match; they are as old as this object.

    Costs that were committed are read once. Inside a transaction those that it adds, and those
    that others have added, are read as well, so that a match is handed out only if it is allowed.

    Args:
        stop: has the budgets.
        store: where results report what they cost.
    """

    def __init__(self, stop: Stop, store: Store) -> None:
        self._stop, self._store, self._start = stop, store, time.monotonic()
        self._read = 0, TotalCost(0.0, 0)  # the last entry that was read, and the cost until then
        self._before: tuple[int, int] | None = None  # results, and those with a cost, at the start

    def note(self) -> None:
        """Read the costs that were committed; outside of any transaction."""
        if self._stop.budget_cost is not None:
            self._read = self._costs_in(self._store)

    def spent(
        self, state: TournamentState, n_pending: int | None = None, writer: Writer | None = None
    ) -> Spent | None:
        """The budget that allows no further match; None if all do.

        Args:
            state: of the tournament.
            n_pending: matches without a result; by default those of the state.
            writer: of the transaction in which a match would be handed out.
        """
        (_, cost), n_results = self._read, state.n_told
        if self._stop.budget_cost is not None and writer is not None:
            writer.flush()
            _, cost = self._costs_in(writer)
        self._before = self._before or (n_results, cost.n_matches)
        n_new, n_priced = n_results - self._before[0], cost.n_matches - self._before[1]
        used = Used(
            n_matches=n_results,
            n_pending=len(state.pending) if n_pending is None else n_pending,
            cost=cost.total,
            n_priced=cost.n_matches,
            n_unpriced=0 if n_priced else n_new,
            seconds=time.monotonic() - self._start,
        )
        return self._stop.spent(used)

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        spent = self._stop.spent(Used(seconds=time.monotonic() - self._start))
        return spent is not None and spent.is_late

    def _costs_in(self, source: Store | Writer) -> tuple[int, TotalCost]:
        """Up to which entry results are read, and their cost.

        Those taken back are included: they were paid for.
        """
        from maxin.storage.results import data_after  # most runs have no budget of cost

        seq, cost = self._read
        for number, data in data_after(source, seq, KEY):
            seq, cost = number, cost.plus(data)
        return seq, cost
