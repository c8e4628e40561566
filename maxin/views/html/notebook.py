"""A live table in a notebook: how far a run has come, and who leads."""

from __future__ import annotations

import html
import importlib
import sys
import time
from typing import Any

from maxin.core.text import counted
from maxin.views import Overview

SHOWN = 10  # players of the live table


def notebook() -> Any | None:
    """The notebook's shell if this process is a notebook's kernel, else None."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if hasattr(shell, "kernel") else None


class LiveTable:
    """An output of the notebook's cell that is replaced by every drawing.

    Args:
        budget: matches of the whole tournament, if there is a limit.
    """

    def __init__(self, budget: int | None) -> None:
        self._budget, self._start = budget, time.monotonic()
        self._n_before: int | None = None
        self._handle: Any = None
        self.last_failure = ""

    def draw(self, overview: Overview, n_failed: int, *, is_over: bool = False) -> None:
        """Show the progress and the leaders; at the end, the progress alone."""
        text = self.picture(overview, n_failed, is_over=is_over)
        output = importlib.import_module("IPython.display")
        if self._handle is None:
            self._handle = output.display(output.HTML(text), display_id=True)
        else:
            self._handle.update(output.HTML(text))

    def picture(self, overview: Overview, n_failed: int, *, is_over: bool = False) -> str:
        """The HTML of a drawing."""
        lines = [self._progress(overview)]
        if n_failed:
            failure = f"{counted(n_failed, 'attempt')} failed; the last: {self.last_failure}"
            lines.append(f"<div>{html.escape(failure)}</div>")
        if not is_over:
            board = overview.leaderboard
            lines.append(board.table.html(SHOWN))
            if len(board) > SHOWN:
                lines.append(f"<div>… and {len(board) - SHOWN:,} more</div>")
        return "".join(lines)

    def _progress(self, overview: Overview) -> str:
        """A bar, if there is a budget, and the numbers beside it."""
        n_matches, bar = overview.n_matches, ""
        if self._n_before is None:
            self._n_before = n_matches
        words = counted(n_matches, "match")
        if self._budget is not None:
            words = f"{n_matches:,} of {counted(self._budget, 'match')}"
            bar = f'<progress max="{self._budget}" value="{n_matches}"></progress> '
        seconds = time.monotonic() - self._start
        parts = [words]
        if seconds > 0.0 and n_matches > self._n_before:
            parts.append(f"{(n_matches - self._n_before) / seconds:.3g} per second")
        if overview.top is not None:
            parts.append(f"{counted(len(overview.top.candidates), 'candidate')} left")
        return f"<div>{bar}{html.escape(' · '.join(parts))}</div>"
