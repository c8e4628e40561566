"""When a tournament ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from maxin.core import declaration
from maxin.core.declaration import (
    NONE,
    Setting,
    check_declared,
    declare,
    declared,
    described,
    number,
    whole,
)
from maxin.core.errors import InvalidInput
from maxin.core.units import ELO_PER_NAT, MOST_TOLERANCE, TOLERANCE

CONFIDENCE = 0.95  # of a decision, by default
ELO_POINTS = number(
    f"a number of Elo points from 0 to {MOST_TOLERANCE:g}",
    lambda value: 0.0 <= value <= MOST_TOLERANCE,
    convert=float,
)


class DecisionTerms(TypedDict, total=False):
    """The terms of a `Stop` that say when it is decided, for functions that take them."""

    confidence: float | None
    tolerance: float


class StopTerms(DecisionTerms, total=False):
    """All terms of a `Stop`."""

    budget: int | None


@described
@dataclass(frozen=True)
class Stop:
    """When a tournament ends: once it is decided, or after its last match.

    >>> Stop(budget=500)
    Stop(budget=500, confidence=0.95, tolerance=10.0)
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

    def is_spent(self, n_matches: int) -> bool:
        """Whether so many matches, pending ones included, use up the budget.

        >>> Stop(budget=5).is_spent(4), Stop(budget=5).is_spent(5)
        (False, True)
        """
        return self.budget is not None and n_matches >= self.budget

    def check_end(self) -> None:
        """Raise unless it ends a run."""
        if self.budget is None and self.confidence is None:
            raise InvalidInput("a run needs an end: a budget of matches, a confidence, or both")

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Stop:
        """The stop of a record, without terms that are invalid.

        >>> Stop.read({"budget": 500, "confidence": 7})
        Stop(budget=500, confidence=None, tolerance=10.0)
        """
        kind: Any = cls
        return cls(**{name: _stored(one, stored.get(name)) for name, one in declared(kind).items()})


def _stored(one: Setting, value: Any) -> Any:
    if one.rule.holds(value):
        return value
    return None if NONE in one.words else one.value
