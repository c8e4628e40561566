"""When a tournament ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, TypedDict

from maxin.core.checks import check_confidence, check_whole, is_confidence
from maxin.core.errors import InvalidInput
from maxin.core.units import ELO_PER_NAT, MOST_TOLERANCE, TOLERANCE

CONFIDENCE = 0.95  # of a decision, by default


class StopTerms(TypedDict, total=False):
    """The terms of a `Stop`, for functions that take them one by one."""

    budget: int | None
    confidence: float | None
    tolerance: float


@dataclass(frozen=True)
class Stop:
    """When a tournament ends: once it is decided, or after its last match.

    Args:
        budget: the most matches of the whole tournament, including earlier ones; None for no limit.
        confidence: how certain a decision must be; None never decides.
        tolerance: by how many Elo points the players named may miss the best; 0 plays until the
            best itself is known, which near ties can prolong without end.

    >>> Stop(budget=500)
    Stop(budget=500, confidence=0.95, tolerance=10.0)
    """

    budget: int | None = None
    confidence: float | None = CONFIDENCE
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        if self.budget is not None:
            if check_whole(self.budget, "budget") < 1:
                raise InvalidInput(f"budget must be at least 1; got {self.budget}")
            object.__setattr__(self, "budget", int(self.budget))  # a number of NumPy, say
        if self.confidence is not None:
            check_confidence(self.confidence)
        if not _is_tolerance(self.tolerance):
            raise InvalidInput(
                f"tolerance must be a number of Elo points from 0 to {MOST_TOLERANCE:g}; "
                f"got {self.tolerance!r}"
            )
        object.__setattr__(self, "tolerance", float(self.tolerance))

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

    def check_end(self) -> None:
        """Raise unless it ends a run."""
        if self.budget is None and self.confidence is None:
            raise InvalidInput("a run needs an end: a budget of matches, a confidence, or both")

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Stop:
        """The stop of a record; what cannot be right is left out.

        >>> Stop.read({"budget": 500, "confidence": 7})
        Stop(budget=500, confidence=None, tolerance=10.0)
        """
        budget, confidence, tolerance = (stored.get(field.name) for field in fields(cls))
        return cls(
            budget if type(budget) is int and budget > 0 else None,
            confidence if is_confidence(confidence) else None,
            tolerance if tolerance is not None and _is_tolerance(tolerance) else TOLERANCE,
        )


def _is_tolerance(value: Any) -> bool:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and 0.0 <= value <= MOST_TOLERANCE
