"""The top: who leads, how certain that is, and who may still be there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, Stop, check_whole
from maxin.core.text import NAMED, counted, listed, open_percent
from maxin.core.units import ELO_PER_NAT
from maxin.ratings.base import MOST_EXACT
from maxin.ratings.sparse.field_fit import N_HIGHEST
from maxin.views.belief import Belief

FAINT = 0.005  # a probability of the leaders below which nobody is said to lead
MOST_LISTED = 50  # candidates of whom the first are named
LEAST_ELO = 0.01  # a shortfall below is not given as a number


class Top(NamedTuple):
    """The leaders, the probability that they are the top k, and who may still be among the top k.

    `confidence` is the probability that nobody else is stronger than one of the leaders by more
    than the `tolerance`, in Elo points. `shortfall` is what the leaders are expected to miss beyond
    it, at most, in Elo points; a decision needs `needed` or less. `candidates` is the smallest set,
    most likely players first, that contains the whole top k with the confidence of the stop; it
    is the leaders themselves once the top `is_decided`. `n_left` is about how many more matches a
    decision takes; None if it is too early to tell. `rival` is the other of two players if it is
    decided, but not known which of them is better; `is_level` says that they are known not to
    differ by more than the tolerance.

    >>> Top(("anna",), 0.6, ("anna", "bo"), False).status
    'undecided'
    """

    players: tuple[str, ...]
    confidence: float
    candidates: tuple[str, ...]
    is_decided: bool
    n_left: int | None = None
    tolerance: float = 0.0
    shortfall: float | None = None
    needed: float = 0.0
    rival: str | None = None
    is_level: bool = False

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

    def __str__(self) -> str:
        """Who leads, who may be there, and what a decision needs.

        >>> print(Top(("anna",), 0.92, ("anna", "bo"), False, 42, 10.0, 1.3, 0.07))
        anna leads with P(best ± 10 Elo) 92.0%; the best is one of 2: anna and bo
        expected to miss it by 1.3 Elo; a decision needs 0.07 Elo, about 42 more matches
        """
        if self.is_decided:
            return self.sentence()
        if self.shortfall is None:
            return self.open_sentence
        more = "" if not self.n_left else f", about {counted(rounded(self.n_left), 'more match')}"
        lack = f"a decision needs {elo(self.needed)}{more}"
        return f"{self.open_sentence}\nexpected to miss it by {elo(self.shortfall)}; {lack}"

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
        >>> print(Top.of(Belief(["anna", "bo", "cy"], tally)).sentence())
        anna is the best, give or take 10 Elo: 99.99% sure, and expected to miss it by under 0.01
        Elo
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
        is_open_field = belief.is_large and not is_decided  # its odds are counted without tolerance
        within_it = 0.0 if is_open_field else stop.tolerance
        is_bound = belief.is_large and is_decided
        odds = verdict.odds if is_bound else belief.lead_odds(k, within_it)
        shortfall = None if is_open_field else verdict.shortfall * ELO_PER_NAT
        needed = verdict.needed * ELO_PER_NAT
        found = cls(players, odds, others, is_decided, n_left, within_it, shortfall, needed)
        is_duel = is_decided and (k, belief.in_play.size) == (1, 2)
        if not is_duel or belief.lead_odds(k) >= stop.level:
            return found
        (rival,) = (belief.names[one] for one in belief.in_play if one not in leaders)
        return found._replace(rival=rival, is_level=belief.is_level(stop))

    @property
    def status(self) -> str:
        """Either "decided" or "undecided"."""
        return "decided" if self.is_decided else "undecided"

    def sentence(self, confidence: float = 0.95) -> str:
        """Who leads, how certain that is, what a decision still needs, and who may be there.

        >>> print(Top(("anna",), 0.98, ("anna",), True, 0, 10.0, 0.06, 0.07).sentence())
        anna is the best, give or take 10 Elo: 98.0% sure, and expected to miss it by 0.06 Elo
        >>> print(Top(("anna",), 0.92, ("anna", "bo"), False, 42, 10.0, 1.3, 0.07).sentence())
        anna leads: 92.0% sure to be the best, give or take 10 Elo, and expected to miss it by 1.3
        Elo; stopping at 95% confidence needs 0.07 Elo, about 42 more matches; until then the best
        is one of 2: anna and bo
        """
        if self.rival is not None:
            return self._tie(self.rival)
        within_it, missed = give_or_take(self.tolerance), expected_miss(self.shortfall)
        certainty = open_percent(self.confidence)
        if self.is_decided:
            verb = "is" if len(self.players) == 1 else "are"
            place = f"{self._place}{within_it}"
            return f"{listed(self.players)} {verb} {place}: {certainty} sure{missed}"
        verb = "leads" if len(self.players) == 1 else "lead"
        sure = f"{certainty} sure to be {self._place}{within_it}{missed}"
        lack = lacking(confidence, self.needed, self.n_left)
        return f"{listed(self.players)} {verb}: {sure}; {lack}; until then {self._among}"

    def _tie(self, rival: str) -> str:
        """What is decided of two players if nobody knows which of them is better.

        >>> print(Top(("a",), 0.97, ("a",), True, 0, 10.0, rival="b", is_level=True).sentence())
        no difference larger than the tolerance of 10 Elo between a and b
        >>> print(Top(("a",), 0.97, ("a",), True, 0, 10.0, rival="b").sentence())
        a is no worse than b by more than 10 Elo: 97.0% sure; which of them is better is not known
        """
        leader, most = self.players[0], f"{self.tolerance:g} Elo"
        if self.is_level:
            return f"no difference larger than the tolerance of {most} between {leader} and {rival}"
        return (
            f"{leader} is no worse than {rival} by more than {most}: "
            f"{open_percent(self.confidence)} sure; which of them is better is not known"
        )

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


def give_or_take(tolerance: float) -> str:
    """The tolerance of a decision, in a sentence.

    >>> give_or_take(10.0), give_or_take(0.0)
    (', give or take 10 Elo', '')
    """
    return f", give or take {tolerance:g} Elo" if tolerance else ""


def expected_miss(shortfall: float | None) -> str:
    """What the players named are expected to miss, in Elo points, in a sentence.

    >>> expected_miss(1.26), expected_miss(0.0634), expected_miss(None)
    (', and expected to miss it by 1.3 Elo', ', and expected to miss it by 0.063 Elo', '')
    """
    return "" if shortfall is None else f", and expected to miss it by {elo(shortfall)}"


def elo(points: float) -> str:
    """A number of Elo points with two digits.

    >>> elo(312.4), elo(0.0634), elo(1e-7)
    ('310 Elo', '0.063 Elo', 'under 0.01 Elo')
    """
    if points < LEAST_ELO:
        return f"under {LEAST_ELO} Elo"
    return f"{rounded(round(points)):,} Elo" if points >= 10.0 else f"{points:.2g} Elo"


def within(tolerance: float) -> str:
    """The tolerance of a probability, such as P(best ± 10 Elo).

    >>> within(10.0), within(0.0)
    (' ± 10 Elo', '')
    """
    return f" ± {tolerance:g} Elo" if tolerance else ""


def lacking(confidence: float, needed: float, n_left: int | None) -> str:
    """What a decision needs, and about how many more matches that takes.

    >>> lacking(0.95, 0.0654, n_left=3)
    'stopping at 95% confidence needs 0.065 Elo, about 3 more matches'
    """
    more = "" if n_left is None else f", about {counted(rounded(max(1, n_left)), 'more match')}"
    return f"stopping at {100.0 * confidence:.6g}% confidence needs {elo(needed)}{more}"


def rounded(count: int) -> int:
    """A rough number to two digits.

    >>> rounded(7), rounded(1234)
    (7, 1200)
    """
    unit: int = 10 ** max(0, len(str(count)) - 2)
    return round(count / unit) * unit


def _candidates(belief: Belief, leaders: NDArray[np.int64], confidence: float) -> NDArray[np.int64]:
    """Who may still be in the top, with this confidence; always more than k."""
    k = len(leaders)
    found = belief.candidates(k, confidence)
    if len(found) > k:
        is_leader = np.isin(found, leaders)  # they are named first, also if others are level
        return np.concatenate([found[is_leader], found[~is_leader]])
    next_best = np.argsort(-belief.drawn_tops(k).odds(), kind="stable")
    return belief.rivals[next_best[: k + 1]]
