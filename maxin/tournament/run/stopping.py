"""Whether a run may stop: asked of the league every few results."""

from __future__ import annotations

from collections.abc import Sequence

from maxin.evaluation import Verdict
from maxin.ratings import Tally
from maxin.tournament.events import Reason
from maxin.tournament.state.state import League
from maxin.views.belief import Opinion, check_every


class Judge:
    """Looks at a league with one question: is the top known, or the whole order?

    Args:
        confidence: how surely; None if nobody wants to know.
        k: the size of the top; None for the whole order.
        indifference: how many Elo points do not matter.
    """

    def __init__(self, confidence: float | None, k: int | None, indifference: float) -> None:
        self.confidence, self.k, self.indifference = confidence, k, indifference
        self._opinion = Opinion()

    def is_time(self, league: League, checked_at: int) -> bool:
        """Whether enough results came since there were `checked_at`, -1 for never, to look again.

        With a lag the moments are the same whoever looks: multiples of the rhythm.
        """
        if self.confidence is None or is_anybody_starved(league):
            return False
        n_known, _ = league.known()
        rhythm = check_every(len(league.active()), n_known)
        if checked_at < 0:
            return n_known % rhythm == 0 or not league.settings.lag
        return n_known // rhythm > checked_at // rhythm

    def says(self, league: League) -> tuple[Reason, str] | None:
        """Why to stop, and in which words; None to go on."""
        _, tally = league.known()
        in_play = [player for player, state in enumerate(league.states) if state != "retired"]
        found = self._found(league, tally, in_play)
        if found is not None:
            return found
        paused = [player for player in in_play if league.states[player] == "paused"]
        if paused and self._found(league, tally, league.active()) is not None:
            names = ", ".join(league.names[player] for player in paused)
            return "finished", f"only paused players stand in the way: {names}"
        return None

    def still_says(self, league: League, reason: Reason) -> bool:
        """Whether all results together say what was said of some of them."""
        in_play = [player for player, state in enumerate(league.states) if state != "retired"]
        found = self._found(league, league.tally, in_play)
        return found is not None and found[0] in (reason, "decided")

    def _found(
        self, league: League, tally: Tally, players: Sequence[int]
    ) -> tuple[Reason, str] | None:
        """The top, or the order, of some players, decided or tied."""
        if self.confidence is None:
            return None
        if len(players) <= (self.k or 1):
            return "decided", ""
        verdict: Verdict = self._opinion.verdict(
            tally,
            k=self.k,
            confidence=self.confidence,
            indifference=self.indifference,
            players=players,
        )
        if verdict.kind == "tied":
            names = ", ".join(league.names[player] for player in verdict.players)
            tied = f"all whose order is open, {names}," if self.k is None else names
            return "tied", f"{tied} are within {self.indifference:g} Elo points"
        if verdict.kind == "undecided":
            return None
        return "decided", "" if self.k else f"the order of all {len(players)} players is known"


def is_anybody_starved(league: League) -> bool:
    """Whether somebody has not had the matches that everyone gets."""
    least = league.settings.min_matches
    return bool(least) and bool((league.tally.n_matches[league.active()] < least).any())
