"""When a tournament ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from maxin.core import declaration
from maxin.core.declaration import (
    NONE,
    Rule,
    Setting,
    check_declared,
    declare,
    declared,
    described,
    number,
    whole,
)
from maxin.core.errors import InvalidInput
from maxin.core.half_life import LONGEST, long_time, seconds_of, short_time
from maxin.core.text import counted
from maxin.core.units import ELO_PER_NAT, MOST_TOLERANCE, TOLERANCE

CONFIDENCE = 0.95  # of a decision, by default
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


class DecisionTerms(TypedDict, total=False):
    """The terms of a `Stop` that say when it is decided, for functions that take them."""

    confidence: float | None
    tolerance: float


class PlanTerms(DecisionTerms, total=False):
    """The terms of a `Stop` that a simulation knows: it has no costs, and no time passes."""

    budget: int | None


class AskTerms(PlanTerms, total=False):
    """The terms of a `Stop` for single matches, which no run plays, so that none has a start."""

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

    >>> Stop(budget=500, budget_time="120m")
    Stop(budget=500, confidence=0.95, tolerance=10.0, budget_cost=None, budget_time='2h')
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
        if not self.budgets and self.confidence is None:
            raise InvalidInput(
                "a run needs an end: a confidence, or a budget of matches, cost or time"
            )

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Stop:
        """The stop of a record, without terms that are invalid.

        >>> Stop.read({"budget": 500, "confidence": 7})
        Stop(budget=500, confidence=None, tolerance=10.0, budget_cost=None, budget_time=None)
        """
        kind: Any = cls
        return cls(**{name: _stored(one, stored.get(name)) for name, one in declared(kind).items()})


def _stored(one: Setting, value: Any) -> Any:
    if one.rule.holds(value):
        return value
    return None if NONE in one.words else one.value
