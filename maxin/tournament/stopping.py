"""The stop of a tournament: is the goal reached?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from maxin.core import InvalidInput, Sprt, Stop
from maxin.core.text import listed
from maxin.evaluation import Verdict
from maxin.evaluation.stop_checks import Doubt, check_every
from maxin.ratings.base import MOST_EXACT
from maxin.schedulers.base import JudgesField
from maxin.tournament.goals import Goal
from maxin.views.belief import Belief, BeliefCache
from maxin.views.recorded.duel import Duel
from maxin.views.top import Top, give_or_take
from maxin.worker.source import Reason

if TYPE_CHECKING:  # a plan stops by the same rules, and needs no store
    from maxin.ratings import Tally
    from maxin.tournament.settings import Settings
    from maxin.tournament.state.state import TournamentState


class Decider:
    """Decides from what is known whether a goal is reached, for real and simulated tournaments.

    Args:
        goal: what is sought.
        stop: when the tournament ends.
    """

    def __init__(self, goal: Goal, stop: Stop) -> None:
        self.goal, self.stop = goal, stop
        self._doubt: Doubt | None = None  # what the last check left

    def check(self, belief: Belief, n_results: int) -> bool:
        """Whether the goal is reached; the doubt that is left says when to check again."""
        verdict = self._verdict(belief)
        self._doubt = None if verdict is None else Doubt.of(verdict, n_results)
        return verdict is not None and verdict.kind == "decided"

    def is_worth_a_check(self, n_results: int) -> bool:
        """Whether the doubt of the last check can be gone."""
        return self._doubt is None or self._doubt.can_be_gone(n_results)

    def is_decided(self, belief: Belief) -> bool:
        """Whether the goal is reached; the next check does not depend on it."""
        verdict = self._verdict(belief)
        return verdict is not None and verdict.kind == "decided"

    def _verdict(self, belief: Belief) -> Verdict | None:
        """The verdict on the top, or on the order; None if nobody asks for one."""
        if self.stop.confidence is None:
            return None
        if self.goal.is_ranking:
            return belief.order_verdict(self.stop)
        return belief.top_verdict(belief.top_size(self.goal.k), self.stop)


class StopEngine:
    """Says when a tournament is over, from its results, for all who play it.

    Args:
        settings: the rules of the tournament.
        stop: when it ends.
        beliefs: its latest fit, shared with its views.
    """

    def __init__(self, settings: Settings, stop: Stop, beliefs: BeliefCache) -> None:
        self.goal, self.stop = settings.parsed_goal, stop
        self._beliefs, self._decider = beliefs, Decider(self.goal, stop)
        self._field: tuple[str, ...] = ()  # the states of all players at the last check
        self._checked_at = -1  # how many results there were at the last check
        self._players_at = -1  # the last change of players when we last looked
        self._confirmed_at = (-1, -1)  # the results and players that support what was found
        self.found: tuple[Reason, str] | None = None  # why it is over, as far as we have looked

    def over(self, state: TournamentState, *, confirms: bool) -> tuple[Reason, str] | None:
        """Why no more matches are handed out, with a sentence about it; None to continue.

        A decision is made from the results that were known at a check. Results that come after it
        may undo it: `confirms` looks whether all of them together still support it.
        """
        if not self.stop.seeks_decision:
            return None
        if self.stop.test is not None:
            return self._over_by_test(state, self.stop.test)
        n_known, now = state.known()[0], (state.n_told, state.players_at)
        if state.players_at != self._players_at:
            self._players_at, self._checked_at = state.players_at, -1  # the verdict may change
        if self.found is None and self.is_due(state, self._checked_at):
            self._checked_at = n_known
            self.found = self.check(state)
            self._confirmed_at = now if n_known == state.n_told else (-1, -1)
        if self.found is not None and confirms and now != self._confirmed_at:
            self.found = self._confirmed(state)
            self._confirmed_at = now
        return self.found

    def _over_by_test(self, state: TournamentState, test: Sprt) -> tuple[Reason, str] | None:
        """Whether a hypothesis is accepted; results that come later may undo it."""
        n_known, known = state.known()
        if (n_known, state.players_at) != self._confirmed_at and not state.is_anyone_starved():
            self._confirmed_at = n_known, state.players_at
            self.found = self._tested(state, known, test) if n_known else None
        return self.found

    def _tested(
        self, state: TournamentState, known: Tally, test: Sprt
    ) -> tuple[Reason, str] | None:
        """Why the test ends, if it does."""
        if len(players := state.in_play()) != 2:
            return "aborted", two_needed(len(players))
        one, two = players
        duel = Duel.of((state.names[one], state.names[two]), known, (one, two), test)
        if duel is None:
            return "aborted", "a sprt needs games won, drawn or lost, all in pairs or none"
        return None if duel.decision is None else ("decided", duel.finding)

    def _confirmed(self, state: TournamentState) -> tuple[Reason, str] | None:
        """What was found, if all results support it."""
        assert self.found is not None
        if self.found[0] == "decided":
            return self.found if self.still_holds(state) else None
        return self.check(state)  # it depends on who is paused now

    def sentence(self, state: TournamentState) -> str:
        """What was found, as one sentence."""
        assert self.found is not None
        kind, message = self.found
        if not message:
            belief = self._latest(state, states_by_name(state))
            message = Top.of(belief, belief.top_size(self.goal.k), self.stop).sentence(
                self.stop.level
            )
        return f"{kind}: {message}"

    def is_due(self, state: TournamentState, checked_at: int) -> bool:
        """Whether enough results came since there were `checked_at`; -1 stands for never.

        With a lag the checks are at multiples of their interval, the same for every process.
        """
        if self.stop.confidence is None or state.is_anyone_starved():
            return False
        n_known, _ = state.known()
        fading = state.settings.fading
        n_counted = n_known if fading is None else min(n_known, fading.most_counted)
        interval = check_every(len(state.active()), round(n_counted))
        if checked_at < 0:
            return n_known % interval == 0 or not state.settings.lag
        if n_known // interval == checked_at // interval:
            return False
        # With a lag every process must check at the same numbers. If results fade, the doubt of the
        # last check says little: a lead can also shrink.
        if (
            state.settings.lag
            or state.settings.half_life is not None
            or self._field != tuple(state.states)
        ):
            return True
        return self._decider.is_worth_a_check(n_known)

    def check(self, state: TournamentState) -> tuple[Reason, str] | None:
        """Why to stop, with a sentence about it; None to continue."""
        if is_large(state):
            return self._check_large(state)
        states = states_by_name(state)
        self._field = tuple(state.states)
        belief = self._known(state, states)
        if self._decider.check(belief, state.known()[0]):
            return "decided", self._message(belief)
        paused = [name for name, now in states.items() if now == "paused"]
        if paused:
            # Would it be decided without the paused players, who may never play again?
            away = dict.fromkeys(paused, "retired")
            without = self._beliefs.other(state.names, state.known()[1], {**states, **away})
            if self._decider.is_decided(without):
                return _only_paused(paused)
        return None

    def still_holds(self, state: TournamentState) -> bool:
        """Whether all results together confirm the decision that some of them made."""
        if is_large(state):
            return self._check_large(state) is not None
        return self._decider.is_decided(self._latest(state, states_by_name(state)))

    def _check_large(self, state: TournamentState) -> tuple[Reason, str] | None:
        """The scheduler's own verdict on a large field: no table of all pairs is needed for it."""
        judge = self._judge(state)
        if self.stop.confidence is None or judge is None:
            return None
        if judge.verdict(self.stop).kind != "decided":
            return None
        if not self._decider.is_decided(self._latest(state, states_by_name(state))):
            return None  # a fit of all results is what people see
        paused = [name for name, now in states_by_name(state).items() if now == "paused"]
        return _only_paused(paused) if paused else ("decided", "")

    def _judge(self, state: TournamentState) -> JudgesField | None:
        """The scheduler, if it looks for what is sought and says when it is found."""
        scheduler: object = None if state.pairing is None else state.pairing.scheduler
        if self.goal.is_ranking or not isinstance(scheduler, JudgesField):
            return None
        return scheduler if scheduler.k == self.goal.k else None

    def _known(self, state: TournamentState, states: Mapping[str, str]) -> Belief:
        """The belief from the results that the next match may depend on."""
        if not state.settings.lag:
            return self._latest(state, states)
        return self._beliefs.other(state.names, state.known()[1], states)

    def _latest(self, state: TournamentState, states: Mapping[str, str]) -> Belief:
        """The belief from all results."""
        return self._beliefs.get(state.names, state.tally, states)

    def _message(self, belief: Belief) -> str:
        """What is decided, if it is more than the top."""
        n_players = belief.in_play.size
        if not self.goal.is_ranking or n_players < 2:
            return ""
        return f"the order of all {n_players} players is known{give_or_take(self.stop.tolerance)}"


def two_needed(n_players: int) -> str:
    """What is wrong with a sequential test of so many players."""
    return f"a sprt needs exactly two players who are not retired; there are {n_players}"


def check_sprt(stop: Stop, settings: Settings, n_players: int) -> None:
    """Raise unless a tournament can end by the test of its stop, if there is one."""
    if stop.test is None:
        return
    if n_players != 2:
        raise InvalidInput(two_needed(n_players))
    if settings.half_life is not None:
        raise InvalidInput(
            f"a sprt counts all results alike; this tournament has half_life {settings.half_life}"
        )


def is_large(state: TournamentState) -> bool:
    """Whether there are too many players in play for a covariance of all of them."""
    return len(state.states) > MOST_EXACT and len(state.in_play()) > MOST_EXACT


def _only_paused(paused: Sequence[str]) -> tuple[Reason, str]:
    return "finished", f"only paused players stand in the way: {listed(paused)}"


def states_by_name(state: TournamentState) -> dict[str, str]:
    """Every player's state, by name."""
    return dict(zip(state.names, state.states, strict=True))
