"""Limits shared by all builders of games."""

from __future__ import annotations

from maxin.core import InvalidInput

MOST_PLAYERS = 5_000  # a game keeps two tables of n_players^2 numbers, here 400 MB


def check_size(n_players: int, most: int = MOST_PLAYERS) -> int:
    """Return `n_players`, or raise unless 2 <= n_players <= most."""
    return check_count(n_players, "n_players", least=2, most=most)


def check_count(count: int, what: str, least: int, most: int) -> int:
    """Return `count`, or raise unless least <= count <= most."""
    if not least <= count <= most:
        raise InvalidInput(f"{what} must be from {least} to {most}; got {count}")
    return count


def check_pool(pool: int, n_players: int) -> int:
    """Return the size of the pool, `n_players` if `pool` is 0, or raise if the pool is too small.

    >>> check_pool(1_000, 100), check_pool(0, 100)
    (1000, 100)
    """
    return check_count(pool, "pool", least=n_players, most=MOST_PLAYERS) if pool else n_players


def check_amount(amount: float, what: str, most: float = 1_000.0) -> float:
    """Return `amount`, or raise unless 0 <= amount <= most."""
    if not 0.0 <= amount <= most:
        raise InvalidInput(f"{what} must be from 0 to {most:g}; got {amount}")
    return amount
