"""Why there is no match to hand out, and whether that can change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maxin.core.text import counted

if TYPE_CHECKING:
    from maxin.tournament.state.state import TournamentState


class Idle(NamedTuple):
    """Why there is no match to play; `is_over` if waiting will not help."""

    reason: str
    is_over: bool


def idle_reason(state: TournamentState, budget: int | None) -> Idle:
    """Why nothing is handed out in this state."""
    n_pending, n_active = len(state.pending), len(state.active())
    waits = f"; {counted(n_pending, 'match')} pending" if n_pending else ""
    if budget is not None and state.n_told + n_pending >= budget:
        return Idle(f"the budget of {budget:,} matches is spent{waits}", is_over=not n_pending)
    if n_active < 2:
        reason = f"a match needs two active players; there are {n_active}"
        return Idle(reason, is_over=not n_pending)
    if n_pending:
        return Idle(f"nothing to ask until a result comes{waits}", is_over=False)
    return Idle("the scheduler has nothing more to ask", is_over=True)
