"""The stop rule of a run: is the goal reached?"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, NamedTuple

from maxin.evaluation.stopping_rule import required_certainty
from maxin.tournament.goals import Goal
from maxin.views.belief import Belief, BeliefCache

if TYPE_CHECKING:  # a plan stops by the same rules, and needs no store
    from maxin.tournament.state.state import TournamentState

Reason = Literal["decided", "tied", "budget", "finished", "aborted", "interrupted"]


def check_every(n_players: int, n_results: int = 0) -> int:
    """How many results lie between two checks, since a check costs a fit.

    A quarter of the number of players; twice, four times, ... as many once there are 100, 200, ...
    times as many results. A `Doubt` leaves out checks that are too early.

    >>> check_every(16), check_every(16, n_results=399), check_every(16, n_results=400)
    (4, 4, 8)
    """
    quarter = max(1, n_players // 4)
    return quarter << max(0, (n_results // (50 * quarter)).bit_length() - 1)


class Doubt(NamedTuple):
    """What an undecided check left: from it follows when the next one is worth its fit."""

    size: float  # 1 - the odds of the verdict
    n_results: int  # how many there were

    def can_be_gone(self, n_results: int, confidence: float, indifference: float) -> bool:
        """Whether a check is worth its fit once there are `n_results`; fewer were retracted.

        If the leader is z standard deviations ahead after n matches, further matches raise z^2
        about in proportion to n. A check waits for a twentieth of what is missing, at most for a
        quarter of n; with an indifference, whose tie needs no lead, a twentieth. In simulations
        of 4 to 20 players, runs ended 0.0 to 0.2 % later than with a check at every interval, with
        a quarter of the checks.

        >>> Doubt(0.3, n_results=500).can_be_gone(505, confidence=0.95, indifference=0.0)
        False
        >>> Doubt(0.011, n_results=500).can_be_gone(505, confidence=0.95, indifference=0.0)
        True
        """
        risks = (min(max(self.size, 1e-12), 0.4), 1.0 - required_certainty(confidence))
        lead, needed = (-NormalDist().inv_cdf(risk) for risk in risks)
        missing = 0.05 * ((needed / lead) ** 2 - 1.0)
        n_new = n_results - self.n_results
        return n_new < 0 or n_new >= min(missing, 0.05 if indifference else 0.25) * self.n_results


class StopRule:
    """Decides from the results whether the goal is reached.

    Args:
        goal: what is sought.
        confidence: how certain the answer must be; None never stops.
        indifference: how many Elo points do not matter.
        beliefs: the tournament's latest fit, shared with its views.
    """

    def __init__(
        self, goal: Goal, confidence: float | None, indifference: float, beliefs: BeliefCache
    ) -> None:
        self.goal, self.confidence, self.indifference = goal, confidence, indifference
        self._beliefs = beliefs
        self._odds = 1.0  # of the last verdict that was undecided
        self._doubt: Doubt | None = None  # what the last check left
        self._field: tuple[str, ...] = ()  # the states of all players then

    def is_due(self, state: TournamentState, checked_at: int) -> bool:
        """Whether enough results came since there were `checked_at`; -1 stands for never.

        With a lag the checks are at multiples of their interval, the same for every process.
        """
        if self.confidence is None or state.is_anyone_starved():
            return False
        n_known, _ = state.known()
        interval = check_every(len(state.active()), n_known)
        if checked_at < 0:
            return n_known % interval == 0 or not state.settings.lag
        if n_known // interval == checked_at // interval:
            return False
        # With a lag every process must check at the same numbers.
        if state.settings.lag or self._doubt is None or self._field != tuple(state.states):
            return True
        return self._doubt.can_be_gone(n_known - checked_at, self.confidence, self.indifference)

    def check(self, state: TournamentState) -> tuple[Reason, str] | None:
        """Why to stop, with a sentence about it; None to continue."""
        states = states_by_name(state)
        self._field = tuple(state.states)
        found = self._finding(self._known(state, states))
        if found is not None:
            return found
        self._doubt = Doubt(1.0 - self._odds, state.known()[0])
        paused = [name for name, now in states.items() if now == "paused"]
        if paused:
            # Would it be decided without the paused players, who may never play again?
            away = dict.fromkeys(paused, "retired")
            if self._finding(Belief(state.names, state.known()[1], {**states, **away})) is not None:
                return "finished", f"only paused players stand in the way: {', '.join(paused)}"
        return None

    def still_holds(self, state: TournamentState, reason: Reason) -> bool:
        """Whether all results together confirm what some of them said."""
        found = self._finding(self._latest(state, states_by_name(state)))
        return found is not None and found[0] in (reason, "decided")

    def _known(self, state: TournamentState, states: Mapping[str, str]) -> Belief:
        """The belief from the results that the next match may depend on."""
        if not state.settings.lag:
            return self._latest(state, states)
        return Belief(state.names, state.known()[1], states)

    def _latest(self, state: TournamentState, states: Mapping[str, str]) -> Belief:
        """The belief from all results."""
        return self._beliefs.get(state.names, state.tally, states)

    def _finding(self, belief: Belief) -> tuple[Reason, str] | None:
        """The top, or the order, if it is decided or tied."""
        if self.confidence is None:
            return None
        limits = {"confidence": self.confidence, "indifference": self.indifference}
        n_players = belief.in_play.size
        if self.goal.is_ranking:
            verdict = belief.order_verdict(**limits)
        else:
            verdict = belief.top_verdict(belief.top_size(self.goal.k), **limits)
        if verdict.kind == "tied":
            names = ", ".join(belief.names[player] for player in verdict.players)
            tied = f"all whose order is open, {names}," if self.goal.is_ranking else names
            return "tied", f"{tied} are within {self.indifference:g} Elo points"
        if verdict.kind == "undecided":
            self._odds = verdict.odds
            return None
        is_order = self.goal.is_ranking and n_players > 1
        return "decided", f"the order of all {n_players} players is known" if is_order else ""


def states_by_name(state: TournamentState) -> dict[str, str]:
    """Every player's state, by name."""
    return dict(zip(state.names, state.states, strict=True))
