"""The leaderboard on the command line, whole or in part, and the sentences below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from maxin.views import Leaderboard, Standing
from maxin.views.columns import DataTable


def leaderboard_table(
    leaderboard: Leaderboard,
    rows: Iterable[Standing] | None = None,
    *,
    facts: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> DataTable[Standing]:
    """A leaderboard, or some of its rows.

    Args:
        leaderboard: the standings.
        rows: the rows to show; all by default.
        facts: what else a program wants to know.
        notes: what else a reader wants to know, one line each, below those of the leaderboard.
    """
    shown = leaderboard if rows is None else leaderboard.with_rows(list(rows))
    return replace(
        shown.table,
        name="standings",
        facts={**(facts or {}), **shown.facts()},
        below=[*leaderboard.zero, *leaderboard.seats],
        notes=[*shown.notes, *notes],
    )
