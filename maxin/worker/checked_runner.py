"""A runner that checks every player once."""

from __future__ import annotations

from collections.abc import Iterable

from maxin.core import Entrant
from maxin.runners import Runner


class CheckedRunner:
    """Plays as another runner does, and has it check a player again only with other options.

    A check may start a program, and whoever starts a run checks before the run does.

    Args:
        runner: plays.

    >>> from maxin.runners import Command
    >>> runner = CheckedRunner(Command("play.py {a.depth} {b}"))
    >>> runner.check([Entrant("anna", {"depth": 3})])
    """

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.play, self.kill, self.close = runner.play, runner.kill, runner.close
        self._checked: dict[str, Entrant] | None = None  # by name; None before the first check

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise `InvalidInput` for a player it cannot play."""
        checked = self._checked or {}
        new = [entrant for entrant in entrants if checked.get(entrant.name) != entrant]
        if new or self._checked is None:
            self.runner.check(new)
            self._checked = {**checked, **{entrant.name: entrant for entrant in new}}
