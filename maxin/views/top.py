"""The top: who leads, how certain that is, and who may still be there."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, Stop, check_whole
from maxin.core.text import NAMED, counted, listed
from maxin.core.units import ELO_PER_NAT
from maxin.ratings.base import MOST_EXACT
from maxin.ratings.sparse.field_fit import N_HIGHEST
from maxin.views.belief import Belief
from maxin.views.formats import chance_in_words, exact

FAINT = 0.005  # a probability of the leaders below which nobody is said to lead
SAVED = 0.5  # of the missing matches: what advice must save at least
TOLERANCES, TOPS = (20.0, 50.0, 100.0, 200.0), (3, 5, 10, 20)  # that advice may name
TOO_EARLY = "too early to say: "
LEAST_ELO = 0.01  # a shortfall below is not given as a number


class Finding(NamedTuple):
    """What is known, in the words of every page, terminal and program.

    Args:
        headline: a short claim, or what is too early to say.
        details: what else there is to say, in smaller type below; may be empty.
        is_decided: whether the goal is reached.
        is_named: whether the headline begins with the name of a player.

    >>> print(Finding("anna is the best", "99.2 % sure", is_decided=True))
    anna is the best: 99.2 % sure
    """

    headline: str
    details: str = ""
    is_decided: bool = False
    is_named: bool = False

    @property
    def title(self) -> str:
        """The headline of a page; a name at its beginning stays as it is.

        >>> Finding("no match has been played").title
        'No match has been played'
        """
        return self.headline if self.is_named else self.headline[:1].upper() + self.headline[1:]

    @property
    def lines(self) -> list[str]:
        """A decision as one line; else the headline, and below it the details."""
        parts = [str(self)] if self.is_decided else [self.headline, self.details]
        return [part for part in parts if part]

    def __str__(self) -> str:
        joint = ": " if self.is_decided else "; "
        return joint.join(filter(None, [self.headline, self.details]))


class Top(NamedTuple):
    """The leaders, the probability that they are the top k, and who may still be among the top k.

    `confidence` is the probability that nobody else is stronger than one of the leaders by more
    than the `tolerance`, in Elo points. `shortfall` is what the leaders are expected to miss beyond
    it, at most, in Elo points; a decision needs `needed` or less. `candidates` is the smallest set,
    most likely players first, that contains the whole top k with the confidence of the stop, give
    or take the tolerance; it is the leaders themselves once the top `is_decided`. `n_left` is about
    how many more matches a decision takes; None if it is too early to tell. `rival` is the other of
    two players if it is decided, but not known which of them is better; `is_level` says that they
    are known not to differ by more than the tolerance.

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
        too early to say: 2 may still be the best
        anna leads, 92.0 % sure to be the best, give or take 10 Elo, and expected to miss it by
        1.3 Elo beyond those 10; a decision needs 0.07 Elo, about 42 more matches; candidates: ...
        """
        if self.is_decided:
            return self.sentence()
        if self.shortfall is None:
            return "\n".join(self.open_finding.lines)
        found = self._undecided(self._sure, lacking("a decision", self.needed, self.n_left))
        return "\n".join(found.lines)

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
        anna is the best, give or take 10 Elo: 99.99 % sure, and expected to miss it by under 0.01
        Elo beyond those 10
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
        n_left = 0 if is_decided else belief.matches_left(k, stop)
        is_open_field = belief.is_large and not is_decided  # its odds are counted without tolerance
        within_it = 0.0 if is_open_field else stop.tolerance
        open_to = leaders if is_decided else _candidates(belief, leaders, stop.level, within_it)
        players, others = (
            tuple(belief.names[player] for player in some) for some in (leaders, open_to)
        )
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

    def finding(self, confidence: float = 0.95, advice: str = "") -> Finding:
        """Who is the best, or who leads, how certain that is, and what a decision still needs.

        Args:
            confidence: of the decision.
            advice: what would need far fewer matches; see `cheaper`.

        >>> print(*Top(("anna",), 0.92, ("anna", "bo"), False, 42, 0.0, 1.3, 0.07).finding().lines)
        too early to say: 2 may still be the best
        anna leads, 92.0 % sure to be the best, and expected to miss it by 1.3 Elo; stopping at 95 %
        confidence needs 0.07 Elo, about 42 more matches; candidates: anna and bo
        """
        if self.rival is not None:
            return self._tie(self.rival)
        if self.is_decided:
            within_it = give_or_take(self.tolerance)
            missed = expected_miss(self.shortfall, self.tolerance)
            are = "is" if len(self.players) == 1 else "are"
            claim = f"{listed(self.players)} {are} {self._place}{within_it}"
            sure = f"{chance_in_words(self.confidence)} sure{missed}"
            return Finding(claim, sure, is_decided=True, is_named=True)
        lacks = lacking(stopping(confidence), self.needed, self.n_left)
        return self._undecided(self._sure, lacks + advice)

    def sentence(self, confidence: float = 0.95) -> str:
        """The finding in one sentence.

        >>> print(Top(("anna",), 0.98, ("anna",), True, 0, 10.0, 0.06, 0.07).sentence())
        anna is the best, give or take 10 Elo: 98.0 % sure, and expected to miss it by 0.06 Elo
        beyond those 10
        """
        return str(self.finding(confidence))

    def _tie(self, rival: str) -> Finding:
        """What is decided of two players if nobody knows which of them is better.

        >>> print(Top(("a",), 0.97, ("a",), True, 0, 10.0, rival="b", is_level=True).sentence())
        no difference larger than the tolerance of 10 Elo between a and b
        >>> print(Top(("a",), 0.97, ("a",), True, 0, 10.0, rival="b").sentence())
        a is no worse than b by more than 10 Elo: 97.0 % sure; which of them is better is not known
        """
        leader, most = self.players[0], f"{self.tolerance:g} Elo"
        if self.is_level:
            claim = (
                f"no difference larger than the tolerance of {most} between {leader} and {rival}"
            )
            return Finding(claim, is_decided=True)
        sure = f"{chance_in_words(self.confidence)} sure; which of them is better is not known"
        claim = f"{leader} is no worse than {rival} by more than {most}"
        return Finding(claim, sure, is_decided=True, is_named=True)

    @property
    def open_finding(self) -> Finding:
        """Who leads and who may be there, if no decision will be made.

        >>> print(Top(("anna",), 0.97, ("anna", "bo"), False).open_finding.details)
        anna leads, 97.0 % sure to be the best; candidates: anna and bo
        """
        if self.confidence >= FAINT:
            return self._undecided(self._sure)
        certainty, is_one = chance_in_words(self.confidence), len(self.players) == 1
        odds = f"P({'best' if is_one else f'top {len(self.players)}'}{within(self.tolerance)})"
        rated = f"{listed(self.players)} {'is' if is_one else 'are'} rated highest"
        return self._undecided(f"{rated}, but {odds} is {certainty}")

    @property
    def _sure(self) -> str:
        """Who leads, how certain that is, and what they are expected to miss."""
        leads = f"{listed(self.players)} {'leads' if len(self.players) == 1 else 'lead'}"
        place = f"{self._place}{give_or_take(self.tolerance)}"
        missed = expected_miss(self.shortfall, self.tolerance)
        return f"{leads}, {chance_in_words(self.confidence)} sure to be {place}{missed}"

    def _undecided(self, *details: str) -> Finding:
        few = len(self.candidates) <= NAMED
        names = [f"candidates: {listed(self.candidates)}"] if few else []
        place = "the best" if len(self.players) == 1 else f"in {self._place}"
        return too_early(
            f"{len(self.candidates):,} may still be {place}", "; ".join([*details, *names])
        )

    @property
    def _place(self) -> str:
        return "the best" if len(self.players) == 1 else f"the top {len(self.players)}"


def _few(names: tuple[str, ...]) -> str:
    """The representation of some names, the first few of many."""
    rest = len(names) - NAMED
    return f"({', '.join(map(repr, names[:NAMED]))} and {rest} more)" if rest > 0 else repr(names)


def too_early(why: str, details: str) -> Finding:
    """A finding that decides nothing yet.

    >>> too_early("12 may still be the best", "anna leads").headline
    'too early to say: 12 may still be the best'
    """
    return Finding(f"{TOO_EARLY}{why}", details)


def give_or_take(tolerance: float) -> str:
    """The tolerance of a decision, in a sentence.

    >>> give_or_take(10.0), give_or_take(0.0)
    (', give or take 10 Elo', '')
    """
    return f", give or take {tolerance:g} Elo" if tolerance else ""


def expected_miss(shortfall: float | None, tolerance: float = 0.0) -> str:
    """What the players named are expected to miss beyond the tolerance, in a sentence.

    >>> expected_miss(1.26), expected_miss(0.0634, tolerance=10.0), expected_miss(None)
    (', and expected to miss it by 1.3 Elo', '..., and ... 0.063 Elo beyond those 10', '')
    """
    if shortfall is None:
        return ""
    beyond = f" beyond those {tolerance:g}" if tolerance else ""
    return f", and expected to miss it by {elo(shortfall)}{beyond}"


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


def stopping(confidence: float) -> str:
    """A decision of a run, as the beginning of a sentence.

    >>> stopping(0.95)
    'stopping at 95 % confidence'
    """
    return f"stopping at {exact(confidence)} confidence"


def lacking(what: str, needed: float, n_left: int | None) -> str:
    """What a decision needs, and about how many more matches that takes.

    >>> lacking(stopping(0.95), 0.0654, n_left=3)
    'stopping at 95 % confidence needs 0.065 Elo, about 3 more matches'
    """
    more = "" if n_left is None else f", about {counted(rounded(max(1, n_left)), 'more match')}"
    return f"{what} needs {elo(needed)}{more}"


def cheaper(belief: Belief, k: int | None, stop: Stop, n_left: int) -> str:
    """A larger tolerance and another goal that take less than half of the matches, if there are.

    Of each, the nearest to what is sought is named, with `Belief.matches_left`.

    Args:
        belief: what is known.
        k: the size of the top that is sought; None for the whole order.
        stop: when it ends.
        n_left: about how many matches that takes.

    >>> from maxin.ratings import Tally
    >>> tally = Tally(2)
    >>> tally.add_many([0, 0] * 9, [1, 1] * 9, [0.6, 0.4] * 9)
    >>> belief = Belief(["anna", "bo"], tally)
    >>> cheaper(belief, 1, Stop(), belief.matches_left(1, Stop()))
    ', with --tolerance 50 about 49'
    """
    sizes = (*reversed(TOPS), 1) if k is None else tuple(size for size in TOPS if size > k)
    goals = [size for size in sizes if 2 * size <= belief.in_play.size]
    larger = [elo for elo in TOLERANCES if elo > stop.tolerance]
    asked: list[list[tuple[str, int | None, Stop]]] = [
        [(f"--tolerance {elo:g}", k, replace(stop, tolerance=elo)) for elo in larger],
        [(f"--goal {_goal(size)} in a new store", size, stop) for size in goals],
    ]
    offers: list[tuple[str, int]] = []
    for weaker in asked:
        counts = ((flag, belief.matches_left(size, terms)) for flag, size, terms in weaker)
        found = ((flag, n) for flag, n in counts if n is not None and n <= SAVED * n_left)
        offers += islice(found, 1)  # an estimate costs time if there are many players
    return "".join(
        f", with {flag} {f'about {rounded(n):,}' if n else 'none more'}" for flag, n in offers
    )


def _goal(size: int) -> str:
    return "best" if size == 1 else f"top-{size}"


def rounded(count: int) -> int:
    """A rough number to two digits.

    >>> rounded(7), rounded(1234)
    (7, 1200)
    """
    unit: int = 10 ** max(0, len(str(count)) - 2)
    return round(count / unit) * unit


def _candidates(
    belief: Belief, leaders: NDArray[np.int64], confidence: float, tolerance: float
) -> NDArray[np.int64]:
    """Who may still be in the top, with this confidence; always more than k."""
    k = len(leaders)
    found = belief.candidates(k, confidence, tolerance)
    if len(found) > k:
        is_leader = np.isin(found, leaders)  # they are named first, also if others are level
        return np.concatenate([found[is_leader], found[~is_leader]])
    next_best = np.argsort(-belief.drawn_tops(k).odds(), kind="stable")
    return belief.rivals[next_best[: k + 1]]
