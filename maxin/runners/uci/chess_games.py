"""Play one game of chess between two engines: the opening, the rules and the clocks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import chess
import chess.engine
import numpy as np

from maxin.runners.base import Job, MatchFailed, Outcome
from maxin.runners.uci.engine_settings import EngineSettings
from maxin.runners.uci.engines import Engine, Engines

MARGIN = 0.1  # seconds a clock may be overstepped, since our own overhead counts too
SCORES = {chess.WHITE: 1.0, chess.BLACK: 0.0, None: 0.5}


class Rules(NamedTuple):
    """The rules of a game, as given to `Uci`."""

    opening_plies: int
    max_plies: int
    timeout: float


def opening(seed: int, n_plies: int) -> chess.Board:
    """The position after `n_plies` random moves drawn from the seed, none of which ends the game.

    >>> opening(seed=1, n_plies=4).fen() == opening(seed=1, n_plies=4).fen()
    True
    >>> opening(seed=1, n_plies=4).ply()
    4
    """
    rng, board = np.random.default_rng(seed), chess.Board()
    for _ in range(n_plies):
        moves = [move for move in board.legal_moves if not _ends(board, move)]
        if not moves:
            break
        board.push(moves[rng.integers(len(moves))])
    return board


def _ends(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    is_over = ending(board) is not None
    board.pop()
    return is_over


def ending(board: chess.Board) -> str | None:
    """How the game ended, or None if it has not. Draws are claimed as soon as possible.

    >>> ending(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))
    'stalemate'
    """
    if (outcome := board.outcome()) is not None:
        return outcome.termination.name.lower().replace("_", " ")
    if board.is_repetition(3):
        return "threefold repetition"
    return "fifty moves" if board.is_fifty_moves() else None


class Seat:
    """A player at the board: its engine, and the time left on its clock, if it has one."""

    def __init__(self, name: str, settings: EngineSettings, engine: Engine) -> None:
        self.name, self.settings, self.engine = name, settings, engine
        self.clock = settings.clock

    @property
    def is_flagged(self) -> bool:
        """Whether the player has used up its time."""
        return self.clock is not None and self.clock < -MARGIN

    @property
    def seconds(self) -> float:
        """How long the next move may take; zero if the player has no time limit."""
        return max(self.clock or self.settings.movetime or 0.0, 0.0)

    def spend(self, seconds: float) -> None:
        """Take `seconds` off the clock; a move made in time earns the increment."""
        if self.clock is not None:
            self.clock -= seconds
            if not self.is_flagged:
                self.clock += self.settings.increment


class ChessGame:
    """A game of chess: a board and two players."""

    def __init__(self, board: chess.Board, white: Seat, black: Seat, rules: Rules) -> None:
        self.board, self.rules = board, rules
        self.seats = {chess.WHITE: white, chess.BLACK: black}

    async def play(self) -> Outcome:
        """Play to the end."""
        while (end := ending(self.board)) is None:
            if len(self.board.move_stack) >= self.rules.max_plies:
                return self._outcome(None, "too long")
            mover = self.seats[self.board.turn]
            move = await self._move(mover)
            if mover.is_flagged:
                return self._outcome(not self.board.turn, "time", f"{mover.name!r} lost on time")
            self.board.push(move)
        return self._outcome(not self.board.turn if end == "checkmate" else None, end)

    async def _move(self, mover: Seat) -> chess.Move:
        loop = asyncio.get_running_loop()
        start, patience = loop.time(), mover.seconds + self.rules.timeout
        with blaming(mover.name):
            move = await mover.engine.move(self.board, self._limit(), self, patience)
        mover.spend(loop.time() - start)
        return move

    def _limit(self) -> chess.engine.Limit:
        """The limit of the player to move; a player with a clock sees the opponent's too."""
        mover, other = self.seats[self.board.turn], self.seats[not self.board.turn]
        _, nodes, depth, movetime, clock, _ = mover.settings
        if clock is None:
            return chess.engine.Limit(nodes=nodes, depth=depth, time=movetime)
        rival = mover if other.clock is None else other
        white, black = (mover, rival) if self.board.turn else (rival, mover)
        return chess.engine.Limit(
            white_clock=white.clock,
            black_clock=black.clock,
            white_inc=white.settings.increment,
            black_inc=black.settings.increment,
        )

    def _outcome(self, winner: chess.Color | None, end: str, *errors: str) -> Outcome:
        moves = [move.uci() for move in self.board.move_stack]
        data = {"plies": len(moves), "end": end, "moves": " ".join(moves)}
        return Outcome(SCORES[winner], errors, data)


async def play_game(
    engines: Engines, job: Job, first: EngineSettings, second: EngineSettings, rules: Rules
) -> Outcome:
    """Play a game, the first player with White. The engines are kept, or ended if it fails."""
    seats: list[Seat] = []
    try:
        for (name, _), settings in zip((job.first, job.second), (first, second), strict=True):
            with blaming(name):
                seats.append(Seat(name, settings, await engines.borrow(settings.program)))
        white, black = seats
        game = ChessGame(opening(job.seed, rules.opening_plies), white, black, rules)
        outcome = await game.play()
    except BaseException:  # also when cancelled: an engine may still be thinking
        for seat in seats:
            await engines.end(seat.engine)
        raise
    for seat in seats:
        await engines.give_back(seat.engine)
    return outcome


@contextlib.contextmanager
def blaming(name: str) -> Iterator[None]:
    """Add the name of the player whose engine failed."""
    try:
        yield
    except MatchFailed as failure:
        reason = f"player {name!r}: {failure.reason}"
        raise MatchFailed(reason, log=failure.log, is_hopeless=failure.is_hopeless) from None
