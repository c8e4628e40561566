"""The cost of a tournament: what its matches say they cost, summed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

from maxin.core.checks import given_costs, is_cost
from maxin.core.text import counted

KEY = "cost"  # of a result's data


class TotalCost(NamedTuple):
    """What matches cost together, in the unit in which they report it.

    Matches without a `cost` in their data, and attempts that failed, are not counted.

    >>> str(TotalCost(4.5, 300))
    'cost: 4.5 for 300 matches, 0.015 per match'
    """

    total: float
    n_matches: int  # that report a cost

    @classmethod
    def of(cls, data: Iterable[Mapping[str, Any]]) -> Self | None:
        """The sum over the data of results; None if no result has a cost.

        >>> TotalCost.of([{"cost": 0.25}, {"games": [{"cost": 0.5}, {"cost": 0.25}]}, {}])
        TotalCost(total=1.0, n_matches=2)
        """
        costs = [cost for row in data if (cost := cost_of(row)) is not None]
        return cls(math.fsum(costs), len(costs)) if costs else None

    def plus(self, data: Mapping[str, Any]) -> TotalCost:
        """The same with one more result, if its data has a cost.

        >>> TotalCost(1.0, 2).plus({"cost": 0.5}), TotalCost(1.0, 2).plus({})
        (TotalCost(total=1.5, n_matches=3), TotalCost(total=1.0, n_matches=2))
        """
        cost = cost_of(data)
        return self if cost is None else TotalCost(self.total + cost, self.n_matches + 1)

    @property
    def per_match(self) -> float:
        """The mean."""
        return self.total / self.n_matches

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        return {**self._asdict(), "per_match": self.per_match}

    def __str__(self) -> str:
        matches = counted(self.n_matches, "match")
        return f"cost: {self.total:,.6g} for {matches}, {self.per_match:,.3g} per match"


def cost_of(data: Mapping[str, Any]) -> float | None:
    """The cost in the data of a result, that of its games included; None if there is none.

    What is not a cost, in a store of an earlier version, is none.

    >>> cost_of({"cost": 0.002}), cost_of({"cost": "much"}), cost_of({"cost": -1})
    (0.002, None, None)
    """
    costs = [float(cost) for cost in given_costs(data) if is_cost(cost)]
    return math.fsum(costs) if costs else None
