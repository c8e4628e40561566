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
