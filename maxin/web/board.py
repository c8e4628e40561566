"""The leaderboard as a table, an interval drawn in every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maxin.web.charts import Axis
from maxin.web.markup import DASH, chance, share, signed, text

if TYPE_CHECKING:
    from maxin.views.standings import Leaderboard, Standing

LONG = 40  # rows: a longer table scrolls in a window of its own


def board_table(board: Leaderboard, candidates: set[str]) -> str:
    """Rank, player, interval, rating, chance of being the best, matches and score."""
    rows = list(board)
    axis = _axis(rows)
    has_states = any(row.state != "active" for row in rows)
    body = "".join(
        _row(rank, row, axis, is_candidate=row.player in candidates, has_states=has_states)
        for rank, row in enumerate(rows, start=1)
    )
    state = '<th scope="col" class="words">State</th>' if has_states else ""
    kind = "scroll tall" if len(rows) > LONG else "scroll"
    return (
        f'<div class="{kind}"><table class="board"><thead><tr><th scope="col">#</th>'
        f'<th scope="col" class="words">Player</th>{_scale(axis)}'
        '<th scope="col">Rating</th><th scope="col">±</th><th scope="col">P(best)</th>'
        f'<th scope="col">Matches</th><th scope="col">Score</th>{state}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>\n"
    )


def _axis(rows: list[Standing]) -> Axis:
    """From the lowest end of an interval to the highest."""
    low, high = min(row.low for row in rows), max(row.high for row in rows)
    return Axis(low, high) if low < high else Axis(low - 1.0, high + 1.0)


def _scale(axis: Axis) -> str:
    marks = "".join(
        f'<span style="left:{100.0 * axis.place(tick):.1f}%">{signed(tick)}</span>'
        for tick in axis.ticks()
    )
    return f'<th scope="col" class="interval" aria-label="95 % interval"><div>{marks}</div></th>'


def _row(rank: int, row: Standing, axis: Axis, *, is_candidate: bool, has_states: bool) -> str:
    kind = "candidate" if is_candidate else "away" if row.state != "active" else ""
    cells = [
        signed(row.rating),
        f"{row.margin:.0f}",
        DASH if row.rank is None else text(chance(row.p_best)),
        f"{row.matches:,}",
        DASH if row.score is None else share(row.score),
    ]
    name = f'<span class="name" title="{text(row.player)}"><bdi>{text(row.player)}</bdi></span>'
    state = f'<td class="words">{row.state}</td>' if has_states else ""
    return (
        f'<tr class="{kind}"><td class="rank">{rank}</td><th scope="row">{name}</th>'
        f'<td class="interval">{_interval(row, axis)}</td>'
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + f"{state}</tr>\n"
    )


def _interval(row: Standing, axis: Axis) -> str:
    ends = (row.low, row.rating, row.high, 0.0)
    left, mid, right, zero = (f"{100.0 * axis.place(value):.1f}%" for value in ends)
    return (
        f'<svg role="img"><title>{signed(row.low)} to {signed(row.high)}</title>'
        f'<line class="zero" x1="{zero}" x2="{zero}" y1="-6" y2="22"/>'
        f'<line x1="{left}" x2="{right}" y1="8" y2="8"/><circle cx="{mid}" cy="8" r="4"/></svg>'
    )
