"""Colonel Blotto: players place soldiers on fields, and the larger force takes a field."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from maxin.core import InvalidInput, check_name
from maxin.games.base import Game
from maxin.games.limits import MOST_PLAYERS, check_count, check_size
from maxin.games.payoffs import from_pool


def blotto(
    rng: np.random.Generator,
    *,
    soldiers: int = 5,
    fields: int = 3,
    payoff: str = "sign",
    n_players: int = 0,
) -> Game:
    """Colonel Blotto: each player is one way to place soldiers on fields, and most fields win.

    The paper's file 5,3-Blotto is this game by default. Its file Blotto follows
    `soldiers=10,fields=5,payoff=margin,n_players=100`, and differs in the players drawn.

    Args:
        rng: Draws the players if `n_players` is given. Otherwise the game is the same for every
            seed.
        soldiers: How many soldiers each player places.
        fields: How many fields there are.
        payoff: "sign" for the sign of fields won minus fields lost, 0 for a draw; "margin" for
            fields won minus fields lost, divided by the largest margin of any two players.
        n_players: Take this many of all players, evenly spaced by mean payoff, in a random order
            (see `from_pool`); 0 for all of them, in lexicographic order.

    >>> game = blotto(np.random.default_rng(0), soldiers=5, fields=3)
    >>> game.n_players, game.top()
    (21, [8, 12, 13])
    """
    check_name(payoff, ("sign", "margin"), "payoff of Blotto")
    n_all = _count_strategies(soldiers, fields)
    forces = np.array(list(allocations(soldiers, fields)), dtype=np.int16)
    margin = np.zeros((n_all, n_all), dtype=np.int16)
    for field in forces.T:
        margin += np.sign(field[:, None] - field[None, :])
    payoffs = (np.sign(margin) if payoff == "sign" else margin / margin.max()).astype(np.float64)
    if n_players:
        payoffs = from_pool(payoffs, check_size(n_players, most=n_all), rng)
    return Game(f"{soldiers},{fields}-blotto", payoffs)


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


def _count_strategies(soldiers: int, fields: int) -> int:
    """(soldiers + fields - 1 choose soldiers), the number of players; raise if it is too large."""
    check_count(soldiers, "soldiers", least=1, most=MOST_PLAYERS - 1)
    check_count(fields, "fields", least=2, most=100)
    n_all = math.comb(soldiers + fields - 1, soldiers)
    if n_all > MOST_PLAYERS:
        raise InvalidInput(
            f"{soldiers} soldiers on {fields} fields make more than {MOST_PLAYERS} players; "
            f"choose fewer soldiers or fields"
        )
    return n_all
