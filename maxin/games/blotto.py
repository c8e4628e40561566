"""Colonel Blotto: players place soldiers on fields, and the larger force takes a field."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from maxin.core import InvalidInput
from maxin.games.base import Game
from maxin.games.limits import MOST_PLAYERS, check_count


def blotto(rng: np.random.Generator, *, soldiers: int = 5, fields: int = 3) -> Game:
    """Colonel Blotto: each player is one way to place soldiers on fields, and most fields win.

    The payoff is the sign of fields won minus fields lost; 0 is a draw.

    Args:
        rng: Not used: the game is the same for every seed.
        soldiers: How many soldiers each player places.
        fields: How many fields there are.

    >>> game = blotto(np.random.default_rng(0), soldiers=5, fields=3)
    >>> game.n_players, game.top()
    (21, [8, 12, 13])
    """
    _check_strategies(soldiers, fields)
    forces = np.array(list(allocations(soldiers, fields)), dtype=np.int16)
    margin = np.zeros((len(forces), len(forces)), dtype=np.int16)
    for field in forces.T:
        margin += np.sign(field[:, None] - field[None, :])
    return Game(f"{soldiers},{fields}-blotto", np.sign(margin))


def allocations(soldiers: int, fields: int) -> Iterator[tuple[int, ...]]:
    """All ways to place `soldiers` on `fields`, in lexicographic order.

    >>> list(allocations(2, 2))
    [(0, 2), (1, 1), (2, 0)]
    """
    if fields == 1:
        yield (soldiers,)
        return
    for here in range(soldiers + 1):
        for elsewhere in allocations(soldiers - here, fields - 1):
            yield (here, *elsewhere)


def _check_strategies(soldiers: int, fields: int) -> None:
    """Raise if there are too many players: (soldiers + fields - 1 choose soldiers)."""
    check_count(soldiers, "soldiers", least=1, most=MOST_PLAYERS - 1)
    check_count(fields, "fields", least=2, most=100)
    if math.comb(soldiers + fields - 1, soldiers) > MOST_PLAYERS:
        raise InvalidInput(
            f"{soldiers} soldiers on {fields} fields make more than {MOST_PLAYERS} players; "
            f"choose fewer soldiers or fields"
        )
