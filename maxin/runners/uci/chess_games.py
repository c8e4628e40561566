"""Play one game of chess between two engines: the clocks, the rules, and how it ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import chess
import chess.engine

from maxin.runners.base import Job, Outcome
from maxin.runners.uci.adjudication import Adjudicator, DrawRule, ResignRule
from maxin.runners.uci.engine_settings import EngineSettings
from maxin.runners.uci.engines import Engine, EngineFailed, EngineMove, Engines
from maxin.runners.uci.openings import Opening, ending

MARGIN = 0.1  # seconds a clock may be overstepped, since our own overhead counts too
MATE = 100_000  # centipawns that a forced mate is worth
SCORES = {chess.WHITE: 1.0, chess.BLACK: 0.0, None: 0.5}


class Rules(NamedTuple):
    """The rules of a game, as given to `Uci`."""

    max_plies: int
    timeout: float
    draw: DrawRule | None
    resign: ResignRule | None
    crash_loses: bool


class Seat:
    """A player at the board: its engine, and the time left on its clock, if it has one."""

    def __init__(self, name: str, settings: EngineSettings, engine: Engine) -> None:
        self.name, self.settings, self.engine = name, settings, engine
        self.clock = None if settings.tc is None else settings.tc.seconds
        self._n_moves = 0
        self._seconds = 0.0  # of the last move

    @property
    def is_flagged(self) -> bool:
        """Whether the player has used up its time."""
        return self.clock is not None and self.clock < -MARGIN

    @property
    def is_late(self) -> bool:
        """Whether the last move took longer than `movetime` allows."""
        movetime = self.settings.movetime
        return movetime is not None and self._seconds > movetime + MARGIN

    @property
    def seconds(self) -> float:
        """How long the next move may take; zero if the player has no time limit."""
        return max(self.clock or self.settings.movetime or 0.0, 0.0)

    @property
    def increment(self) -> float:
        """Seconds that the clock gains per move."""
        return 0.0 if self.settings.tc is None else self.settings.tc.increment

    @property
    def moves_to_go(self) -> int | None:
        """Moves until the clock gets more time; None if it never does."""
        moves = 0 if self.settings.tc is None else self.settings.tc.moves
        return moves - self._n_moves % moves if moves else None

    def spend(self, seconds: float) -> None:
        """Take `seconds` off the clock; a move made in time earns what the time control gives."""
        self._seconds = seconds
        if self.clock is None or self.settings.tc is None:
            return
        self.clock -= seconds
        if not self.is_flagged:
            is_last = self.moves_to_go == 1
            self._n_moves += 1
            self.clock += self.increment + (self.settings.tc.seconds if is_last else 0.0)


class ChessGame:
    """A game of chess: an opening and two players."""

    def __init__(self, opening: Opening, white: Seat, black: Seat, rules: Rules) -> None:
        self.board, self.rules = opening.board.copy(), rules
        self.seats = {chess.WHITE: white, chess.BLACK: black}
        self._opening = opening
        self._adjudicator = Adjudicator(rules.draw, rules.resign)
        self._comments: list[str] = []

    @property
    def mover(self) -> Seat:
        """The player to move."""
        return self.seats[self.board.turn]

    async def play(self) -> Outcome:
        """Play to the end; raise `EngineFailed` if an engine gives no legal move."""
        verdict: str | None = None
        while (end := ending(self.board) or verdict) is None:
            if len(self.board.move_stack) >= self.rules.max_plies:
                return self._outcome(None, "too long")
            mover = self.mover
            played = await self._move(mover)
            if mover.is_flagged or (mover.is_late and self.rules.crash_loses):
                return self._outcome(not self.board.turn, "time", f"{mover.name!r} lost on time")
            if played.move is None:
                return self._outcome(not self.board.turn, "resignation")
            is_quiet = not self.board.is_zeroing(played.move)
            self.board.push(played.move)
            verdict = self._adjudicator.add(
                centipawns(played.score), is_quiet=is_quiet, n_plies=len(self.board.move_stack)
            )
        if end == "checkmate":
            return self._outcome(not self.board.turn, end)
        return self._outcome(self.board.turn if end == "resignation" else None, end)

    def forfeit(self, failure: EngineFailed) -> Outcome:
        """The player to move loses, because its engine failed."""
        return self._outcome(not self.board.turn, failure.end, failure.reason)

    async def _move(self, mover: Seat) -> EngineMove:
        loop = asyncio.get_running_loop()
        start, patience = loop.time(), mover.seconds + self.rules.timeout
        with blaming(mover.name):
            played = await mover.engine.move(self.board, self._limit(), self, patience)
        seconds = loop.time() - start
        mover.spend(seconds)
        self._comments.append(comment(played.score, played.depth, seconds))
        return played

    def _limit(self) -> chess.engine.Limit:
        """The limit of the player to move; a player with a clock sees the opponent's too."""
        mover, other = self.mover, self.seats[not self.board.turn]
        if mover.clock is None:
            _, nodes, depth, movetime, _ = mover.settings
            return chess.engine.Limit(nodes=nodes, depth=depth, time=movetime)
        rival = mover if other.clock is None else other
        white, black = (mover, rival) if self.board.turn else (rival, mover)
        return chess.engine.Limit(
            white_clock=white.clock,
            black_clock=black.clock,
            white_inc=white.increment,
            black_inc=black.increment,
            remaining_moves=mover.moves_to_go,
            clock_id=self,  # xboard engines keep the clock themselves: they are told it once
        )

    def _outcome(self, winner: chess.Color | None, end: str, *errors: str) -> Outcome:
        moves = [move.uci() for move in self.board.move_stack]
        data: dict[str, Any] = {"plies": len(moves), "end": end, "moves": " ".join(moves)}
        if self._comments:
            n_opening = len(self._opening.board.move_stack)
            data["comments"] = ", ".join(self._comments[: len(moves) - n_opening])
        controls = {seat.settings.tc for seat in self.seats.values()}
        if len(controls) == 1 and None not in controls:
            data["tc"] = str(controls.pop())
        if (start := self._opening.board.root().fen()) != chess.STARTING_FEN:
            data["fen"] = start
        return Outcome(SCORES[winner], errors, {**data, **self._opening.tags})


async def play_game(
    engines: Engines,
    job: Job,
    players: tuple[EngineSettings, EngineSettings],
    opening: Opening,
    rules: Rules,
) -> Outcome:
    """Play a game, the first player with White. The engines are kept, or ended if it fails."""
    seats: list[Seat] = []
    try:
        for (name, _), settings in zip((job.first, job.second), players, strict=True):
            with blaming(name):
                seats.append(Seat(name, settings, await engines.borrow(settings.program)))
        white, black = seats
        game = ChessGame(opening, white, black, rules)
        try:
            outcome = await game.play()
        except EngineFailed as failure:
            if not rules.crash_loses or engines.is_killed:
                raise
            outcome = game.forfeit(failure)
            seats.remove(game.mover)
            await engines.end(game.mover.engine)
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
    except EngineFailed as failure:
        raise EngineFailed(
            f"player {name!r}: {failure.reason}",
            end=failure.end,
            log=failure.log,
            is_hopeless=failure.is_hopeless,
            player=name,
        ) from None


def centipawns(score: chess.engine.Score | None) -> int | None:
    """An evaluation as a number; a forced mate is far above all others.

    >>> centipawns(chess.engine.Cp(31)), centipawns(chess.engine.Mate(-2))
    (31, -99998)
    """
    return None if score is None else score.score(mate_score=MATE)


def comment(score: chess.engine.Score | None, depth: int | None, seconds: float) -> str:
    """Evaluation, depth and time of a move, as cutechess and fastchess write them.

    The evaluation is that of the mover, in pawns, or the moves to mate.

    >>> comment(chess.engine.Cp(31), 12, 0.05), comment(chess.engine.Mate(-2), 7, 1.0)
    ('+0.31/12 0.050s', '-M2/7 1.000s')
    >>> comment(None, None, 0.05)
    '0.050s'
    """
    time = f"{seconds:.3f}s"
    if score is None:
        return time
    mate = score.mate()
    if mate is None:
        shown = f"{(score.score() or 0) / 100.0:+.2f}"
    else:
        shown = f"{'+' if score > chess.engine.Cp(0) else '-'}M{abs(mate)}"
    return f"{shown}/{depth or 0} {time}"
