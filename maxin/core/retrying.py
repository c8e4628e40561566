"""How long to wait before something that failed is tried again."""

from __future__ import annotations

import random

FIRST, LONGEST = 0.1, 5.0  # seconds; limits for a store or a service that is away
LONGEST_BACKOFF = 60.0  # seconds; limit for a game
MOST_DOUBLED = 60  # after so many attempts every limit is the longest


def retry_pause(
    attempt: int,
    first: float = FIRST,
    longest: float = LONGEST,
    *,
    asked: float = 0.0,
    seed: int | None = None,
) -> float:
    """Seconds before the retry number `attempt`, from 1 on: exponential, with full jitter.

    They are uniform on [0, min(first 2^(attempt - 1), longest)], so that those who failed together,
    say because a service was busy, do not return together. A service that asks for more gets
    more, and up to half as much again.

    Args:
        attempt: how many attempts have failed.
        first: the limit of the first pause.
        longest: the limit of all pauses.
        asked: seconds that a service asks to wait.
        seed: determines the pause, if it is given.

    >>> [round(retry_pause(attempt, 1.0, 60.0, seed=7), 2) for attempt in (1, 2, 3)]
    [0.95, 1.86, 1.25]
    """
    limit = min(first * 2.0 ** min(attempt - 1, MOST_DOUBLED), longest)
    rng = random.Random(None if seed is None else f"{seed} {attempt}")
    return max(rng.uniform(0.0, limit), asked * rng.uniform(1.0, 1.5))
