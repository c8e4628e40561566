"""Limits shared by all builders of games."""

from __future__ import annotations

from maxin.core import InvalidInput

MOST_PLAYERS = 5_000  # a game keeps two tables of n_players^2 numbers, here 400 MB


def check_size(n_players: int, most: int = MOST_PLAYERS) -> int:
    """Return `n_players`, or raise unless 2 <= n_players <= most.

    >>> check_size(100)
    100
    """
    return check_count(n_players, "n_players", least=2, most=most)


def check_count(count: int, what: str, least: int, most: int) -> int:
    """Return `count`, or raise unless least <= count <= most.

    >>> check_count(3, "fields", least=2, most=9)
    3
    """
    if not least <= count <= most:
        raise InvalidInput(f"{what} must be from {least} to {most}; got {count}")
    return count


def check_amount(amount: float, what: str, most: float = 1_000.0) -> float:
    """Return `amount`, or raise unless 0 <= amount <= most.

    >>> check_amount(0.1, "noise")
    0.1
    """
    if not 0.0 <= amount <= most:
        raise InvalidInput(f"{what} must be from 0 to {most:g}; got {amount}")
    return amount
