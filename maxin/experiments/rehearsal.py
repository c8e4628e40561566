"""One simulated tournament: a field whose truth is known, the real scheduler, the real end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import Match, Result
from maxin.evaluation import Verdict
from maxin.ratings.seats import Tally
from maxin.schedulers import make_scheduler
from maxin.views.belief import Opinion, check_every


class Terms(NamedTuple):
    """What rehearsals have in common; strengths in nats.

    Args:
        field: the players' strengths; None draws them anew for each rehearsal.
        n_players: how many players.
        spread: the standard deviation of strengths that are drawn.
        first_advantage: what sitting first is worth.
        k: the size of the top that is looked for; None for the whole order.
        confidence: with which it must be known.
        max_matches: where an undecided rehearsal ends.
        seed: everything random follows from it, a rehearsal's number and its scheduler's name.
    """

    field: tuple[float, ...] | None
    n_players: int
    spread: float
    first_advantage: float
    k: int | None
    confidence: float
    max_matches: int
    seed: int


class Ending(NamedTuple):
    """After how many matches, whether decided, and whether what was said was true."""

    n_matches: int
    is_decided: bool
    is_right: bool


def rehearse(terms: Terms, scheduler: str, number: int) -> Ending:
    """Play simulated tournament `number` to its end.

    >>> terms = Terms((2.0, 0.0, -1.0), 3, 1.0, 0.0, 1, 0.95, max_matches=200, seed=0)
    >>> rehearse(terms, "round-robin:cycles=none", 0)
    Ending(n_matches=14, is_decided=True, is_right=True)
    """
    rehearsal = _Rehearsal(terms, scheduler, number)
    while rehearsal.n_matches < terms.max_matches and rehearsal.play():
        if rehearsal.is_decided():
            return rehearsal.ending(is_decided=True)
    return rehearsal.ending(is_decided=False)


class _Rehearsal:
    """The state of one; fields are shared by schedulers, nothing else that is random is."""

    def __init__(self, terms: Terms, scheduler: str, number: int) -> None:
        self.terms = terms
        self.strengths = _field(terms, number)
        name = list(scheduler.encode())
        choices, self.play_rng = (
            np.random.default_rng([terms.seed, number, stream, *name]) for stream in (1, 2)
        )
        self.scheduler = make_scheduler(scheduler, terms.n_players, choices)
        self.tally = Tally(terms.n_players)
        self.opinion = Opinion()
        self.n_matches = 0

    def play(self) -> bool:
        """Play a match; False if the scheduler has none left."""
        match = self.scheduler.ask()
        if match is None:
            return False
        seated = self._seat(match)
        gap = self.strengths[seated.first] - self.strengths[seated.second]
        chance = 1.0 / (1.0 + np.exp(-gap - self.terms.first_advantage))
        result = Result(seated, float(self.play_rng.random() < chance))
        self.scheduler.tell(result)
        self.tally.add(*seated, result.score)
        self.n_matches += 1
        return True

    def _seat(self, match: Match) -> Match:
        """As in a tournament: whoever sat first less often; if level, as chance has it."""
        first, second = match
        lead = self.tally.games[first, second] - self.tally.games[second, first]
        is_swapped = lead > 0 or (lead == 0 and self.play_rng.random() < 0.5)
        return Match(second, first) if is_swapped else match

    def is_decided(self) -> bool:
        """Whether a real tournament would end now."""
        if self.n_matches % check_every(self.terms.n_players, self.n_matches):
            return False
        return self._judge().kind == "decided"

    def ending(self, *, is_decided: bool) -> Ending:
        """What came out."""
        truth, said = np.argsort(-self.strengths, kind="stable").tolist(), self._judge().players
        k = self.terms.k
        is_right = list(said) == truth if k is None else set(said) == set(truth[:k])
        return Ending(self.n_matches, is_decided, is_right)

    def _judge(self) -> Verdict:
        terms = self.terms
        return self.opinion.verdict(self.tally, k=terms.k, confidence=terms.confidence)


def _field(terms: Terms, number: int) -> NDArray[np.float64]:
    if terms.field is not None:
        return np.array(terms.field)
    rng = np.random.default_rng([terms.seed, number, 0])
    return rng.normal(scale=terms.spread, size=terms.n_players)
