"""The evaluations of engines: as numbers, and as the comments that chess programs write."""

from __future__ import annotations

import chess.engine

MATE = 100_000  # centipawns that a forced mate is worth


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
