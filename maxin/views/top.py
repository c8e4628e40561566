"""The top: who leads, how certain that is, and who may still be there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, Stop, check_whole
from maxin.core.text import LEAST_SHOWN, NAMED, counted, listed, open_percent
from maxin.evaluation.stopping_rule import set_certainty
from maxin.ratings.base import MOST_EXACT
from maxin.ratings.sparse.field_fit import N_HIGHEST
from maxin.views.belief import Belief

FAINT = 0.005  # a probability of the leaders below which nobody is said to lead
MOST_LISTED = 50  # candidates of whom the first are named


class Top(NamedTuple):
    """The leaders, the probability that they are the top k, and who may still be among the top k.

    `confidence` is the probability that nobody else is stronger than one of the leaders by more
    than the `tolerance`, in Elo points; a decision needs `needed` of it. `candidates` is the
    smallest set, most likely players first, that contains the whole top k almost certainly; it is
    the leaders themselves once the top `is_decided`. `n_left` is about how many more matches a
    decision takes; None if it is too early to tell.

    >>> Top(("anna",), 0.6, ("anna", "bo"), False).status
    'undecided'
    """

    players: tuple[str, ...]
    confidence: float
    candidates: tuple[str, ...]
    is_decided: bool
    n_left: int | None = None
    tolerance: float = 0.0
    needed: float = 1.0

    def __repr__(self) -> str:
        """All fields, with the first few names of many.

        >>> Top(("a",), 0.1, tuple("abcdefgh"), False)
        Top(players=('a',), confidence=0.1, candidates=('a', 'b', 'c', 'd', 'e' and 3 more), ...)
        """
        fields = [
            f"{name}={_few(value) if isinstance(value, tuple) else repr(value)}"
            for name, value in zip(self._fields, self, strict=True)
        ]
        return f"Top({', '.join(fields)})"

    @classmethod
    def of(
        cls,
        belief: Belief,
        k: int = 1,
        stop: Stop = Stop(),
    ) -> Top:
        """The top k of those in play.

        >>> from maxin.ratings import Tally
        >>> tally = Tally(3)
        >>> tally.add_many([0, 0, 1] * 20, [1, 2, 2] * 20, [1.0, 1.0, 0.5] * 20)
        >>> Top.of(Belief(["anna", "bo", "cy"], tally)).sentence()
        'anna is the best, give or take 10 Elo, with 99.99% confidence'
        """
        if not 1 <= check_whole(k, "k") <= belief.in_play.size:
            raise InvalidInput(
                f"k, the size of the top, must be from 1 to the number of players who are not "
                f"retired, {belief.in_play.size}; got {k}"
            )
        if belief.is_large and k > N_HIGHEST:
            raise InvalidInput(
                f"of more than {MOST_EXACT:,} players, a top of at most {N_HIGHEST} can be shown; "
                f"got {k}"
            )
        leaders = belief.leaders(k)
        verdict = belief.top_verdict(k, stop)
        is_decided = verdict.kind == "decided"
        candidates = leaders if is_decided else _candidates(belief, leaders, stop.level)
        players, others = (
            tuple(belief.names[player] for player in some) for some in (leaders, candidates)
        )
        n_left = 0 if is_decided else belief.matches_left(k, stop)
        within_it = 0.0 if belief.is_large else stop.tolerance
        odds = belief.lead_odds(k, within_it)
        return cls(players, odds, others, is_decided, n_left, within_it, verdict.needed)

    @property
    def status(self) -> str:
        """Either "decided" or "undecided"."""
        return "decided" if self.is_decided else "undecided"

    def sentence(self, confidence: float = 0.95) -> str:
        """Who leads, how certain that is, what a decision still needs, and who may be there.

        >>> Top(("anna",), 0.99, ("anna",), True).sentence()
        'anna is the best with 99.0% confidence'
        >>> print(Top(("anna",), 0.97, ("anna", "bo"), False, 42, 10.0, 0.995).sentence())
        anna leads with P(best ± 10 Elo) 97.0%; stopping at 95% confidence needs 99.5%, about 42
        more matches; until then the best is one of 2: anna and bo
        """
        k = len(self.players)
        if self.is_decided:
            certainty, verb = open_percent(self.confidence), "is" if k == 1 else "are"
            place = self._place + give_or_take(self.tolerance)
            return f"{listed(self.players)} {verb} {place} with {certainty} confidence"
        lack = lacking(self.confidence, confidence, self.needed, self.n_left)
        return f"{self._lead} {lack}; until then {self._among}"

    @property
    def open_sentence(self) -> str:
        """Who leads and who may be there, if no decision will be made.

        >>> Top(("anna",), 0.97, ("anna", "bo"), False).open_sentence
        'anna leads with P(best) 97.0%; the best is one of 2: anna and bo'
        """
        certainty, verb = open_percent(self.confidence), "is" if len(self.players) == 1 else "are"
        if self.confidence >= FAINT:
            return f"{self._lead} {certainty}; {self._among}"
        rated = f"{listed(self.players)} {verb} rated highest"
        return f"{rated}, but {self._odds_name} is {certainty}; {self._among}"

    @property
    def _place(self) -> str:
        return "the best" if len(self.players) == 1 else f"the top {len(self.players)}"

    @property
    def _lead(self) -> str:
        leaders, k = listed(self.players), len(self.players)
        return f"{leaders} {'leads' if k == 1 else 'lead'} with {self._odds_name}"

    @property
    def _odds_name(self) -> str:
        what = "best" if len(self.players) == 1 else f"top {len(self.players)}"
        return f"P({what}{within(self.tolerance)})"

    @property
    def _among(self) -> str:
        among = f"{self._place} {'is one of' if len(self.players) == 1 else 'are among'}"
        if len(self.candidates) > MOST_LISTED:
            return f"{among} {len(self.candidates):,} players"
        return f"{among} {len(self.candidates)}: {listed(self.candidates)}"


def _few(names: tuple[str, ...]) -> str:
    """The representation of some names, the first few of many."""
    rest = len(names) - NAMED
    return f"({', '.join(map(repr, names[:NAMED]))} and {rest} more)" if rest > 0 else repr(names)


def give_or_take(tolerance: float, end: str = ",") -> str:
    """The tolerance of a decision, in a sentence; `end` comes after it.

    >>> give_or_take(10.0), give_or_take(0.0)
    (', give or take 10 Elo,', '')
    """
    return f", give or take {tolerance:g} Elo{end}" if tolerance else ""


def within(tolerance: float) -> str:
    """The tolerance of a probability, such as P(best ± 10 Elo).

    >>> within(10.0), within(0.0)
    (' ± 10 Elo', '')
    """
    return f" ± {tolerance:g} Elo" if tolerance else ""


def lacking(certainty: float, confidence: float, needed: float, n_left: int | None) -> str:
    """How certain it is, how certain it must be, and about how many more matches that takes.

    >>> lacking(0.98961, 0.95, 0.99, n_left=3)
    '98.96%; stopping at 95% confidence needs 99%, about 3 more matches'
    """
    digits = next(
        digits for digits in range(1, 9) if round(certainty, digits + 2) < needed or digits == 8
    )
    shown = (
        f"{100.0 * certainty:.{digits}f}%" if certainty >= LEAST_SHOWN else open_percent(certainty)
    )
    more = "" if n_left is None else f", about {counted(rounded(max(1, n_left)), 'more match')}"
    return (
        f"{shown}; stopping at {100.0 * confidence:.6g}% confidence needs "
        f"{100.0 * needed:.4g}%{more}"
    )


def rounded(count: int) -> int:
    """A rough number to two digits.

    >>> rounded(7), rounded(1234)
    (7, 1200)
    """
    unit: int = 10 ** max(0, len(str(count)) - 2)
    return round(count / unit) * unit


def _candidates(belief: Belief, leaders: NDArray[np.int64], confidence: float) -> NDArray[np.int64]:
    """Who may still be in the top, almost certainly; always more than k."""
    k = len(leaders)
    found = belief.candidates(k, set_certainty(confidence))
    if len(found) > k:
        is_leader = np.isin(found, leaders)  # they are named first, also if others are level
        return np.concatenate([found[is_leader], found[~is_leader]])
    next_best = np.argsort(-belief.drawn_tops(k).odds(), kind="stable")
    return belief.rivals[next_best[: k + 1]]
