"""The referee of a tournament that others play: says when it is over, as a run would."""

from __future__ import annotations

from maxin.core import Stop
from maxin.tournament.run.stopping import Reason, StopRule, states_by_name
from maxin.tournament.tickets.idle import Idle, idle_reason
from maxin.tournament.tickets.tickets import Tickets
from maxin.views import BeliefCache, Top


class Referee:
    """Checks the stop rule whenever a run would.

    Args:
        tickets: the tournament's.
        beliefs: its latest fit.
        stop: when the tournament ends.

    >>> from maxin.core import Stop
    >>> from maxin.tournament import Tournament
    >>> tournament = Tournament(["anna", "bo"], seed=1)
    >>> referee = tournament.referee(Stop(budget=1))
    >>> tournament.tell(tournament.ask(), 1.0), referee.over().reason
    (True, 'the budget of 1 matches is spent')
    """

    def __init__(self, tickets: Tickets, beliefs: BeliefCache, stop: Stop) -> None:
        self.stop = stop
        self._tickets, self._beliefs = tickets, beliefs
        self._rule = StopRule(tickets.settings.parsed_goal, stop, beliefs)
        self._checked_at = -1
        self._seen: tuple[int, int] = (-1, -1)  # results, and the last change of players
        self._found: tuple[Reason, str] | None = None
        self._words = ""

    def over(self) -> Idle | None:
        """Why no more matches are handed out; None to continue.

        A decision that later results undo is none.
        """
        with self._tickets.lock:
            state = self._tickets.state
            now = (state.n_told, state.players_at)
            if now != self._seen:
                if now[1] != self._seen[1]:
                    self._checked_at = -1  # another field may change the verdict
                self._seen = now
                self._check()
            if self._found is not None:
                return Idle(f"{self._found[0]}: {self._words}", is_over=True)
            budget = self.stop.budget
            if budget is not None and state.n_told >= budget:
                return idle_reason(state, budget)
        return None

    def _check(self) -> None:
        state = self._tickets.state
        if self._found is not None and self._found[0] == "finished":
            self._found = self._rule.check(state)  # it depends on who is paused now
        elif self._found is not None:
            if not self._rule.still_holds(state):
                self._found = None
        elif self._rule.is_due(state, self._checked_at):
            self._checked_at = state.known()[0]
            self._found = self._rule.check(state)
        if self._found is not None:
            self._words = self._found[1] or self._finding()

    def _finding(self) -> str:
        """The decision in words."""
        state, goal = self._tickets.state, self._tickets.settings.parsed_goal
        belief = self._beliefs.get(state.names, state.tally, states_by_name(state))
        top = Top.of(belief, belief.top_size(goal.k), self.stop)
        return top.sentence(self.stop.level)
