"""End a game early: as a draw when both engines see one, or as a loss when one is lost."""

from __future__ import annotations

from typing import NamedTuple

from maxin.core import InvalidInput, check_whole


class DrawRule(NamedTuple):
    """The game is a draw once all evaluations are near zero for some moves in a row.

    The count starts again after a capture or a pawn move, as in cutechess and fastchess.

    Args:
        movenumber: full moves that must have been played, the opening included.
        movecount: full moves in a row, of both sides, that must be near zero.
        score: how far from zero an evaluation may be, in centipawns.
    """

    movenumber: int = 40
    movecount: int = 8
    score: int = 10


class ResignRule(NamedTuple):
    """A player loses once it evaluates its position as lost for some moves in a row.

    Args:
        movecount: moves in a row, of the player.
        score: how far below zero its evaluations must be, in centipawns.
        twosided: whether the opponent must agree: its evaluations in these moves must be as far
            above zero.
    """

    movecount: int = 3
    score: int = 600
    twosided: bool = False


def check_rule(rule: DrawRule | ResignRule, name: str) -> None:
    """Raise unless every number of a rule is allowed; `name` is that of the rule in errors.

    >>> check_rule(DrawRule(movecount=0), "draw")
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: draw: movecount must be at least 1; got 0
    """
    for key, value in rule._asdict().items():
        if key == "twosided":
            if not isinstance(value, bool):
                raise InvalidInput(f"{name}: twosided must be true or false; got {value!r}")
            continue
        least = 1 if key == "movecount" or isinstance(rule, ResignRule) else 0
        if isinstance(value, bool) or check_whole(value, f"{name}: {key}") < least:
            raise InvalidInput(f"{name}: {key} must be at least {least}; got {value!r}")


class Adjudicator:
    """Follows the evaluations of one game.

    >>> adjudicator = Adjudicator(None, ResignRule(movecount=2, score=500))
    >>> scores = [-700, 610, -650]
    >>> [adjudicator.add(score, is_quiet=True, n_plies=n) for n, score in enumerate(scores)]
    [None, None, 'resignation']
    """

    def __init__(self, draw: DrawRule | None, resign: ResignRule | None) -> None:
        self._draw, self._resign = draw, resign
        self._n_level = 0  # plies in a row that were near zero
        self._lost = [0, 0]  # evaluations in a row of each side that were lost, ...
        self._won = [0, 0]  # ... and that were won

    def add(self, score: int | None, *, is_quiet: bool, n_plies: int) -> str | None:
        """How the game ends after a move, if it does: the mover resigns, or both draw.

        Args:
            score: the mover's evaluation in centipawns, for itself; None if it gave none.
            is_quiet: whether the move was neither a capture nor a pawn move.
            n_plies: moves of both sides so far, this one included; odd and even ones are by
                different sides.
        """
        side = n_plies % 2
        if (rule := self._draw) is not None:
            is_level = score is not None and abs(score) <= rule.score
            self._n_level = (self._n_level if is_quiet else 0) + 1 if is_level else 0
            if n_plies >= 2 * rule.movenumber and self._n_level >= 2 * rule.movecount:
                return "draw by adjudication"
        if (resign := self._resign) is not None:
            is_lost = score is not None and score <= -resign.score
            is_won = score is not None and score >= resign.score
            self._lost[side] = self._lost[side] + 1 if is_lost else 0
            self._won[side] = self._won[side] + 1 if is_won else 0
            agrees = not resign.twosided or self._won[1 - side] >= resign.movecount
            if self._lost[side] >= resign.movecount and agrees:
                return "resignation"
        return None
