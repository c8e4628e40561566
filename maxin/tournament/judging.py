"""Whether a run may stop: asked of the league every few results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from maxin.ratings import Tally
from maxin.tournament.events import Reason
from maxin.tournament.league import League
from maxin.tournament.verdict import check_every, is_decided


class Judge(NamedTuple):
    """Looks at a league with one question: is the top known?

    Args:
        confidence: how surely; None if nobody wants to know.
        k: the size of the top.
    """

    confidence: float | None
    k: int

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
        if self.is_decided(league, tally):
            return "decided", ""
        paused = [player for player, state in enumerate(league.states) if state == "paused"]
        if paused and self.is_decided(league, tally, among=league.active()):
            names = ", ".join(league.names[player] for player in paused)
            return "finished", f"only paused players stand in the way: {names}"
        return None

    def is_decided(
        self, league: League, tally: Tally, *, among: Sequence[int] | None = None
    ) -> bool:
        """Whether the top of those who are not retired, or of some, is known."""
        in_play = [player for player, state in enumerate(league.states) if state != "retired"]
        in_play = list(in_play if among is None else among)
        if self.confidence is None or len(in_play) <= self.k:
            return self.confidence is not None
        return is_decided(
            tally,
            k=self.k,
            confidence=self.confidence,
            players=in_play,
            first_advantage=league.settings.first_advantage,
        )


def is_anybody_starved(league: League) -> bool:
    """Whether somebody has not had the matches that everyone gets."""
    least = league.settings.min_matches
    return bool(least) and bool((league.tally.n_matches[league.active()] < least).any())
