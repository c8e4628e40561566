"""The ends of a run: when it stops, as the record keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from maxin.core.checks import is_confidence
from maxin.core.units import MOST_TOLERANCE, TOLERANCE

EVENT = "run"  # the kind of the record's event


class Ends(NamedTuple):
    """When a run stops.

    >>> Ends(budget=500, confidence=None).level
    0.95
    """

    budget: int | None = None
    confidence: float | None = 0.95
    tolerance: float = TOLERANCE

    @property
    def level(self) -> float:
        """How certain a decision must be; the default for a run that only has a budget."""
        return 0.95 if self.confidence is None else self.confidence

    @classmethod
    def read(cls, detail: Mapping[str, Any]) -> Ends:
        """The ends in the details of an event; what cannot be right is left out.

        >>> Ends.read({"budget": 500, "confidence": 7})
        Ends(budget=500, confidence=None, tolerance=10.0)
        """
        budget, confidence = detail.get("budget"), detail.get("confidence")
        tolerance: Any = detail.get("tolerance")
        is_tolerance = isinstance(tolerance, int | float) and 0.0 <= tolerance <= MOST_TOLERANCE
        return cls(
            budget if type(budget) is int and budget > 0 else None,
            confidence if is_confidence(confidence) else None,
            float(tolerance) if is_tolerance else TOLERANCE,
        )
