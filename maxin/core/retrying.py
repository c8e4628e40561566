"""How long to wait before something that failed is tried again."""

from __future__ import annotations

import random

LONGEST_DELAY = 60.0  # seconds between two attempts


def retry_delay(backoff: float, attempt: int, seed: int) -> float:
    """Seconds before the retry number `attempt`, from 1 on: exponential, with full jitter.

    They are uniform on [0, min(backoff 2^(attempt - 1), 60)], so that matches that failed together,
    say because a service was busy, do not all return together. The match's seed determines them.

    >>> [round(retry_delay(1.0, attempt, seed=7), 2) for attempt in (1, 2, 3)]
    [0.95, 1.86, 1.25]
    """
    most = min(backoff * 2.0 ** (attempt - 1), LONGEST_DELAY)
    return random.Random(f"{seed} {attempt}").uniform(0.0, most)


def retry_pause(attempt: int, asked: float = 0.0) -> float:
    """Seconds before the attempt after number `attempt`: exponential up to 5 s, with jitter.

    A service that asks for more gets more, and up to half as much again, so that not all of its
    workers return at the same moment.

    >>> 0.05 <= retry_pause(1) <= 0.1, 10.0 <= retry_pause(1, 10.0) <= 15.0
    (True, True)
    """
    most = min(0.1 * 2.0 ** (attempt - 1), 5.0)
    return max(random.uniform(0.5, 1.0) * most, random.uniform(1.0, 1.5) * asked)
