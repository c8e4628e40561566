"""The parity game: players say 0 or 1 in turn, and the parity of the sum decides."""

from __future__ import annotations

from itertools import product

import numpy as np

from maxin.games.base import Game
from maxin.games.limits import check_count, check_size
from maxin.games.payoffs import Table, from_pool

MOST_MOVES = 4  # with five moves there would be 8192 players

Plan = tuple[int, ...]  # the bits said in a seat, for everything that the other may have said


def parity(rng: np.random.Generator, *, moves: int = 3, n_players: int = 0) -> Game:
    """The parity game: two players say 0 or 1 in turn; if the sum is odd, the first seat wins.

    Players are the pure strategies: what to say in each seat after everything that the other may
    have said. Each has both seats equally often. The player who speaks last can always win, so the
    payoff depends on who misses it, and the players between the extremes beat each other in
    circles.

    Args:
        rng: Draws the players if `n_players` is given. Otherwise the game is the same for every
            seed.
        moves: How many bits are said: 2, 3 or 4, which make 8, 32 or 512 players.
        n_players: Take this many of all players, evenly spaced by mean payoff, in a random order
            (see `from_pool`); 0 for all of them.

    >>> game = parity(np.random.default_rng(0))
    >>> game.n_players, len(game.top()), game.mean_scores.max()
    (32, 8, np.float64(0.75))
    """
    check_count(moves, "moves", least=2, most=MOST_MOVES)
    results = first_seat_results(moves)
    first, second = (index.ravel() for index in np.indices(results.shape))
    won = results[np.ix_(first, np.arange(results.shape[1]))][:, second]
    payoffs: Table = (won - won.T) / 2.0
    if n_players:
        payoffs = from_pool(payoffs, check_size(n_players, most=len(payoffs)), rng)
    return Game(f"{moves}-move parity", payoffs)


def first_seat_results(moves: int) -> Table:
    """The first seat's result, 1 or -1, of each plan against each plan of the second seat.

    >>> first_seat_results(2)  # 0 or 1, against 00, 01, 10 and 11: the answers to 0 and 1
    array([[-1., -1.,  1.,  1.],
           [ 1., -1.,  1., -1.]])
    """
    seats = [_plans(moves, seat) for seat in (0, 1)]
    return np.array([[_result(moves, one, two) for two in seats[1]] for one in seats[0]])


def _plans(moves: int, seat: int) -> list[Plan]:
    """All plans of a seat: a bit for each list of bits that the other may have said."""
    n_bits = sum(2 ** ((move + 1) // 2) for move in range(seat, moves, 2))
    return list(product((0, 1), repeat=n_bits))


def _result(moves: int, one: Plan, two: Plan) -> float:
    """Play: a plan lists the answers to no bit, one bit, two bits and so on, each in order."""
    said: list[int] = []
    for move in range(moves):
        heard = said[1 - move % 2 :: 2]
        before = sum(2 ** ((earlier + 1) // 2) for earlier in range(move % 2, move, 2))
        number = int("".join(map(str, heard)) or "0", 2)
        said.append((two if move % 2 else one)[before + number])
    return 1.0 if sum(said) % 2 else -1.0
