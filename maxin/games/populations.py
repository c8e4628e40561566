"""Populations of board game players, from near-random to near-perfect, with exact results."""

from __future__ import annotations

import numpy as np
import scipy

from maxin.games.base import Game
from maxin.games.boards import Board, Ply, hex_rhombus, minimax, tic_tac_toe_board, unfold
from maxin.games.limits import check_count, check_size
from maxin.games.payoffs import Table

MOST_PLAYERS = 1_000  # takes half a minute; the time grows with the square of the players
# With a smaller least blur many players of tic-tac-toe are unbeaten, with a larger one nobody is.
PURE_BLURS = (0.3, 100.0)
BLOCK = 1_024  # matches computed at a time, which limits the memory and keeps a ply in the cache


def tic_tac_toe(rng: np.random.Generator, *, n_players: int = 100, pure: int = 0) -> Game:
    """Tic-tac-toe: players from near-random to near-perfect, each in both seats equally often.

    See `population_payoffs` for how they choose their moves. The paper's file has other players,
    whose rules are not known. They are pure too, so that payoffs are 0, 1/2 or 1.

    Args:
        rng: Draws the players.
        n_players: How many players to draw.
        pure: 1 for players who always make the same move in a position, 0 for others.

    >>> tic_tac_toe(np.random.default_rng(0), n_players=3).payoffs[0]
    array([ 0.   ,  0.459, -0.476])
    """
    return _population("tic-tac-toe", tic_tac_toe_board(), rng, n_players, pure)


def hex_board(
    rng: np.random.Generator, *, n_players: int = 100, board: int = 3, pure: int = 0
) -> Game:
    """Hex on a small board: players from near-random to near-perfect, and no draws.

    The first seat connects top and bottom, the second left and right; each player has both seats
    equally often. See `population_payoffs` for how they choose their moves. The paper's file has
    other players, whose rules are not known. They are pure too, so that payoffs are 0 or 1.

    Args:
        rng: Draws the players.
        n_players: How many players to draw.
        board: The length of the board's sides.
        pure: 1 for players who always make the same move in a position, 0 for others.

    >>> hex_board(np.random.default_rng(0), n_players=3, board=2).payoffs[0, 1]
    np.float64(0.227)
    """
    check_count(board, "board", least=2, most=3)
    return _population(f"hex {board}x{board}", hex_rhombus(board), rng, n_players, pure)


def _population(
    name: str, board: Board, rng: np.random.Generator, n_players: int, pure: int
) -> Game:
    """A game whose players get evenly spaced sharpness and blur, in independent random orders.

    Pure players have infinite sharpness, and blurs that are evenly spaced by ratio.
    """
    check_size(n_players, most=MOST_PLAYERS)
    if check_count(pure, "pure", least=0, most=1):
        sharpness = np.full(n_players, np.inf)
        blur = rng.permutation(np.geomspace(*PURE_BLURS, n_players))
    else:
        sharpness = rng.permutation(np.geomspace(0.3, 30.0, n_players))
        blur = rng.permutation(np.linspace(0.0, 1.0, n_players))
    return Game(name, population_payoffs(board, sharpness, blur, rng))


def population_payoffs(
    board: Board, sharpness: Table, blur: Table, rng: np.random.Generator
) -> Table:
    """The exact mean result of every player against every other, over both seats.

    Player i judges a move by its minimax value (1 won, 0 drawn, -1 lost) plus blur_i times a
    normal error, which is the same every time it sees the position. It chooses the move with
    probability proportional to exp(sharpness_i * judgement); if all are infinitely sharp, the best.

    >>> rng = np.random.default_rng(0)
    >>> population_payoffs(tic_tac_toe_board(), np.array([50.0, 0.0]), np.zeros(2), rng)
    array([[ 0.   ,  0.873],
           [-0.873,  0.   ]])
    """
    plies = unfold(board)
    choices = move_chances(plies, sharpness, blur, rng)
    values = first_seat_values(plies, choices)
    payoffs: Table = (values - values.T) / 2.0
    return payoffs


def move_chances(
    plies: list[Ply], sharpness: Table, blur: Table, rng: np.random.Generator
) -> list[Table]:
    """The probability of each move, one array of shape (positions, moves, players) per ply.

    >>> plies, rng = unfold(hex_rhombus(2)), np.random.default_rng(0)
    >>> move_chances(plies, np.array([1.0]), np.array([0.0]), rng)[0][0, :, 0]  # the first move
    array([0.06, 0.44, 0.44, 0.06])
    """
    chances = []
    for depth, values in enumerate(minimax(plies)[1:]):
        children = plies[depth].children
        for_mover = (-values if depth % 2 else values)[children]
        errors = blur * rng.standard_normal((*children.shape, len(blur)))
        chances.append(_choose(for_mover[:, :, None] + errors, sharpness))
    return chances


def _choose(judgements: Table, sharpness: Table) -> Table:
    """The probability of each move, axis 1; infinitely sharp players choose among the best."""
    if np.isinf(sharpness).all():
        best = judgements == judgements.max(axis=1, keepdims=True)
        shares: Table = best / best.sum(axis=1, keepdims=True)
    else:
        shares = scipy.special.softmax(sharpness * judgements, axis=1)
    return shares


def first_seat_values(plies: list[Ply], chances: list[Table]) -> Table:
    """The mean result of each player (row), moving first, against each other (column).

    >>> plies, nobody_thinks = unfold(tic_tac_toe_board()), np.zeros(1)
    >>> chances = move_chances(plies, nobody_thinks, nobody_thinks, np.random.default_rng(0))
    >>> first_seat_values(plies, chances)
    array([[0.297]])
    """
    n_players = chances[0].shape[-1]
    n_rows = max(1, BLOCK // n_players)
    blocks = [slice(start, start + n_rows) for start in range(0, n_players, n_rows)]
    return np.concatenate([_block_values(plies, chances, rows) for rows in blocks])


def _block_values(plies: list[Ply], chances: list[Table], rows: slice) -> Table:
    """The given rows of `first_seat_values`, by backward induction with two plies in memory."""
    n_players = chances[0].shape[-1]
    shape = (len(range(n_players)[rows]), n_players)
    values = _everywhere(plies[-1].results, shape)
    for depth in reversed(range(len(plies) - 1)):
        children, results = plies[depth]
        now = _everywhere(results, shape)
        for move, child in enumerate(children.T):
            chance = chances[depth][:, move]
            weights = chance[:, None, :] if depth % 2 else chance[:, rows, None]
            now[: len(children)] += weights * values[child]
        values = now
    first: Table = values[0]
    return first


def _everywhere(results: Table, shape: tuple[int, int]) -> Table:
    """One result per position, repeated for every match, shape (positions, *shape)."""
    everywhere: Table = np.empty((len(results), *shape))
    everywhere[:] = results[:, None, None]
    return everywhere
