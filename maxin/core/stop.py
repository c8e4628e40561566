"""When a tournament ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypedDict

from maxin.core import declaration
from maxin.core.checks import check_name
from maxin.core.declaration import (
    NONE,
    Rule,
    Setting,
    accepted_by,
    check_declared,
    declare,
    declared,
    described,
    number,
    number_or_text,
    whole,
)
from maxin.core.errors import InvalidInput
from maxin.core.half_life import LONGEST
from maxin.core.specs import parse
from maxin.core.text import counted
from maxin.core.times import long_time, seconds_of, short_time
from maxin.core.units import ELO_PER_NAT, MOST_TOLERANCE, TOLERANCE

CONFIDENCE = 0.95  # of a decision, by default
MOST_SPRT = 200.0  # normalised Elo points of a hypothesis; far beyond, it is not worth a test
ELO_POINTS = number(
    f"a number of Elo points from 0 to {MOST_TOLERANCE:g}",
    lambda value: 0.0 <= value <= MOST_TOLERANCE,
    convert=float,
)
COST = number("a positive number", lambda value: value > 0.0, convert=float)
TIME = Rule(
    'a time of at least a second, "2h", "30m", "45s" or "1d"',
    lambda value: isinstance(value, str) and 1.0 <= seconds_of(value) <= LONGEST,
    convert=lambda text: short_time(seconds_of(text)),
)
ROUNDING = 1e-9  # by how much of a budget of cost a sum may exceed it
FEW_UNPRICED = 10  # results without a cost, after which a budget of cost is given up


class Sprt(NamedTuple):
    """A sequential probability ratio test of two players.

    H0 says that the first player is `elo0` normalised Elo points stronger than the second, H1 that
    it is `elo1`. `alpha` is the probability of accepting H1 although H0 is true, `beta` that of
    accepting H0 although H1 is.

    >>> Sprt(0.0, 5.0).bounds
    (-2.944, 2.944)
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @classmethod
    def read(cls, given: str | Mapping[str, Any], place: str = "sprt") -> Sprt:
        """The test that a text or a table describes; errors name the place.

        >>> Sprt.read("elo0=-3,elo1=1")
        Sprt(elo0=-3.0, elo1=1.0, alpha=0.05, beta=0.05)
        """
        if not isinstance(given, str | Mapping):
            raise InvalidInput(f"{place} must be {SPRT.description}; got {given!r}")
        texts: Mapping[str, Any] = parse(f"{place}:{given}")[1] if isinstance(given, str) else given
        for key in texts:
            check_name(key, cls._fields, f"key of {place}")
        for key in ("elo0", "elo1"):
            if key not in texts:
                raise InvalidInput(f"{place} needs {key}, as in elo0=0,elo1=5; got {given!r}")
        found = cls(**{key: _sprt_number(key, text, place) for key, text in texts.items()})
        if not found.elo0 < found.elo1:
            raise InvalidInput(f"{place}: elo0 must be below elo1; got {found}")
        return found

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted.

        They are ln(beta / (1 - alpha)) and ln((1 - beta) / alpha).
        """
        low, high = self.beta / (1.0 - self.alpha), (1.0 - self.beta) / self.alpha
        return math.log(low), math.log(high)

    def __str__(self) -> str:
        return ",".join(f"{key}={value:g}" for key, value in self._asdict().items())


def _sprt_number(key: str, text: Any, place: str) -> float:
    """A number of a test, if it is allowed."""
    value: Any = number_or_text(text) if isinstance(text, str) else text
    is_share = key in ("alpha", "beta")
    low, high = (0.0, 0.5) if is_share else (-MOST_SPRT, MOST_SPRT)
    span = "above 0 and below 0.5" if is_share else f"from {low:g} to {high:g}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (low < value < high if is_share else low <= value <= high):
        raise InvalidInput(f"{place}: {key} must be a number {span}; got {value!r}")
    return float(value)


class SprtRule(Rule):
    """What a sequential test must be: a text or a table, which is kept as a text.

    >>> SPRT.read({"elo1": 5, "elo0": 0}, "sprt")
    'elo0=0,elo1=5,alpha=0.05,beta=0.05'
    """

    def read(self, value: Any, place: str, words: tuple[str, ...] = ()) -> str:
        """The test as a text, or an error that names the place, the key and the rule."""
        return str(Sprt.read(value, place))

    def read_words(self, words: Sequence[str], place: str) -> str:
        """The test that the words of a flag write, each as key=value."""
        return self.read(",".join(words), place)


SPRT = SprtRule("a text such as elo0=0,elo1=5", accepted_by(Sprt.read))


class DecisionTerms(TypedDict, total=False):
    """The terms of a `Stop` that say when it is decided, for functions that take them."""

    confidence: float | None
    tolerance: float


class PlanTerms(DecisionTerms, total=False):
    """The terms of a `Stop` that a simulation knows: it has no costs, and no time passes."""

    budget: int | None


class AskTerms(PlanTerms, total=False):
    """The terms of a `Stop` for single matches, which no run plays, so that none has a start."""

    sprt: str | None
    budget_cost: float | None


class StopTerms(AskTerms, total=False):
    """All terms of a `Stop`."""

    budget_time: str | None


class BudgetTerms(TypedDict, total=False):
    """The terms of a `Stop` that say how much may be used."""

    budget: int | None
    budget_cost: float | None
    budget_time: str | None


class Used(NamedTuple):
    """What has been used of the budgets.

    Args:
        n_matches: results.
        n_pending: matches without a result.
        cost: of all results that report one.
        n_priced: how many do.
        n_unpriced: results since a run began, if none of them reports a cost.
        seconds: since the run began.
    """

    n_matches: int = 0
    n_pending: int = 0
    cost: float = 0.0
    n_priced: int = 0
    n_unpriced: int = 0
    seconds: float = 0.0


class Spent(NamedTuple):
    """Why no more matches are handed out.

    Args:
        reason: the budget, in a sentence.
        detail: more about it, for the report of a run.
        is_late: whether the time is over: then a match that comes back is not handed out either.
        is_unpriced: whether a budget of cost cannot be kept.
    """

    reason: str
    detail: str = ""
    is_late: bool = False
    is_unpriced: bool = False


@described
@dataclass(frozen=True)
class Stop:
    """When a tournament ends: once it is decided, or a budget is spent.

    >>> Stop(budget=500, budget_time="120m").budget_time
    '2h'
    """

    budget: int | None = declare(
        None,
        whole(1),
        "Most matches in total, including those of earlier runs.",
        "N",
        words=(NONE,),
    )
    confidence: float | None = declare(
        CONFIDENCE,
        declaration.CONFIDENCE,
        "Stop when the goal is reached with this confidence. With none, play until the budget is "
        "spent.",
        "NUMBER",
        words=(NONE,),
        is_starter=True,
    )
    tolerance: float = declare(
        TOLERANCE,
        ELO_POINTS,
        "By how many Elo points the players named may miss the best. With 0, play until the best "
        "itself is known, which near ties can prolong without end.",
        "ELO",
    )
    sprt: str | None = declare(
        None,
        SPRT,
        "Two players: stop by a sequential test, elo0=0 elo1=5 alpha=0.05 beta=0.05, in place of "
        "the confidence. H0 says that the first player is elo0 normalised Elo points stronger "
        'than the second, H1 that it is elo1. In a config file, "elo0=0,elo1=5".',
        "KEY=VALUE",
        words=(NONE,),
        group="Chess",
        is_addition=True,
    )
    budget_cost: float | None = declare(
        None,
        COST,
        "Most cost in total, as matches report it, including those of earlier runs. No match is "
        "handed out that would exceed it if it and those pending cost as much as the mean; what "
        "the first ones cost is not known before.",
        "COST",
        words=(NONE,),
        is_addition=True,
    )
    budget_time: str | None = declare(
        None,
        TIME,
        "After how much time no more matches are handed out, 2h, 30m or 45s, from the start of "
        "this run. Matches that are being played are finished.",
        "TIME",
        words=(NONE,),
        is_addition=True,
    )

    def __post_init__(self) -> None:
        check_declared(self)

    @property
    def test(self) -> Sprt | None:
        """The sequential test that decides, if there is one.

        >>> Stop(sprt="elo0=0,elo1=5").test
        Sprt(elo0=0.0, elo1=5.0, alpha=0.05, beta=0.05)
        """
        return None if self.sprt is None else Sprt.read(self.sprt)

    def at(self, confidence: float | None) -> Stop:
        """The same with a confidence, which decides in place of a sequential test, if one is given.

        >>> Stop(sprt="elo0=0,elo1=5").at(0.9).test, Stop(budget=5).at(None) == Stop(budget=5)
        (None, True)
        """
        return self if confidence is None else replace(self, confidence=confidence, sprt=None)

    @property
    def seeks_decision(self) -> bool:
        """Whether a decision ends the tournament."""
        return self.confidence is not None or self.sprt is not None

    @property
    def level(self) -> float:
        """How certain a decision must be; the default where nothing is to be decided.

        >>> Stop(confidence=None).level
        0.95
        """
        return CONFIDENCE if self.confidence is None else self.confidence

    @property
    def risk(self) -> float:
        """The probability with which a decision may be wrong."""
        return 1.0 - self.level

    @property
    def nats(self) -> float:
        """The tolerance in nats."""
        return self.tolerance / ELO_PER_NAT

    @property
    def budgets(self) -> Mapping[str, Any]:
        """What may be used, without the terms that are None.

        >>> Stop(budget_cost=20).budgets
        {'budget_cost': 20.0}
        """
        terms = {name: getattr(self, name) for name in BudgetTerms.__annotations__}
        return {name: value for name, value in terms.items() if value is not None}

    def spent(self, used: Used) -> Spent | None:
        """The budget that allows no further match; None if all do.

        With N results, n pending matches, a total cost C, c on average, and t seconds, a match is
        handed out if

            N + n < budget,   C + (n + 1) c <= budget_cost,   t < budget_time.

        >>> Stop(budget=5).spent(Used(n_matches=3, n_pending=1))
        >>> Stop(budget=5).spent(Used(n_matches=3, n_pending=2)).reason
        'the budget of 5 matches is spent'
        >>> Stop(budget_cost=1).spent(Used(n_matches=3, cost=0.9, n_priced=3)).detail
        'the cost is 0.9, and a match costs 0.3 on average'
        """
        if self.budget is not None and used.n_matches + used.n_pending >= self.budget:
            return Spent(f"the budget of {self.budget:,} matches is spent")
        if self.budget_time is not None and used.seconds >= seconds_of(self.budget_time):
            time = long_time(seconds_of(self.budget_time))
            return Spent(
                f"the budget of {time} is spent", f"the time of {time} is over", is_late=True
            )
        return None if self.budget_cost is None else self._cost_spent(self.budget_cost, used)

    def _cost_spent(self, budget: float, used: Used) -> Spent | None:
        if used.n_unpriced >= FEW_UNPRICED:
            return Spent(
                f"none of {counted(used.n_unpriced, 'result')} has a cost, so that budget_cost "
                f"{budget:g} cannot be kept; matches report it in their data, as in "
                '{"score": 1, "data": {"cost": 0.02}}',
                is_unpriced=True,
            )
        mean = used.cost / max(1, used.n_priced)
        if used.cost + (used.n_pending + 1) * mean <= budget * (1.0 + ROUNDING):
            return None
        return Spent(
            f"the budget of a cost of {budget:,.6g} is spent",
            f"the cost is {used.cost:,.6g}, and a match costs {mean:,.3g} on average",
        )

    def check_end(self) -> None:
        """Raise unless it ends a run."""
        if not self.budgets and not self.seeks_decision:
            raise InvalidInput(
                "a run needs an end: a confidence, or a budget of matches, cost or time"
            )

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Stop:
        """The stop of a record, without terms that are invalid.

        >>> Stop.read({"budget": 500, "confidence": 7})
        Stop(budget=500, confidence=None, tolerance=10.0, sprt=None, budget_cost=None, ...)
        """
        kind: Any = cls
        return cls(**{name: _stored(one, stored.get(name)) for name, one in declared(kind).items()})


def _stored(one: Setting, value: Any) -> Any:
    if one.rule.holds(value):
        return value
    return None if NONE in one.words else one.value
