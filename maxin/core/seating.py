"""Who sits first in a match: one rule, for tournaments and for simulations of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from maxin.core.values import Match


def balanced_seats(
    match: Match, first_counts: NDArray[np.int64], flip: Callable[[], bool]
) -> Match:
    """The match with the player first who sat first less often against the other.

    Args:
        match: the two players, in the order the scheduler named them.
        first_counts: how often the row's player sat first against the column's.
        flip: decides whether the two swap seats when they sat first equally often; it is called
            only then, so a random flip draws no more numbers than needed.

    >>> balanced_seats(Match(0, 1), np.array([[0, 2], [1, 0]]), flip=lambda: False)
    Match(first=1, second=0)
    """
    first, second = match
    lead = int(first_counts[first, second]) - int(first_counts[second, first])
    is_swapped = lead > 0 or (lead == 0 and flip())
    return Match(second, first) if is_swapped else match
