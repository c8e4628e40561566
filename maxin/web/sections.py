"""The parts of a report, each from the story alone; one that has nothing to say is empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from maxin.web import charts, heatmaps
from maxin.web.board import board_table
from maxin.web.markup import DASH, chance, count, duration, moment, share, short, signed, text
from maxin.web.report_data import Story

if TYPE_CHECKING:
    from maxin.storage import Event
    from maxin.views.history import Array

COLOURED = 8  # curves that have a colour and a label
SHOWN_FAILURES = 50  # the latest
LOG_SHOWN = 2000  # characters of what a failure said last
WORDS = ' class="words"'  # of a table's cell


def verdict(story: Story) -> str:
    """What is known, in one sentence."""
    top, n_matches, players = story.top, len(story.log), count(story.n_in_play, "player")
    if not n_matches:
        return f"{players} and no match yet: nothing is known."
    leaders, sure = _listed(top.players), chance(top.confidence).replace(">", "more than")
    after = f"after {count(n_matches, 'match', 'matches')}"
    is_one = len(top.players) == 1
    place, verb, it = (
        ("the best", "is", "it") if is_one else (f"the top {len(top.players)}", "are", "in it")
    )
    if top.is_decided:
        return f"{leaders} {verb} {place} of {players} with {sure} probability, {after}."
    leads = "leads" if is_one else "lead"
    return (
        f"{leaders} {leads} {after}, {place} with {sure} probability; "
        f"{len(top.candidates):,} of {players} may still be {it}."
    )


def _listed(names: Sequence[str]) -> str:
    *rest, last = (short(name, 60) for name in names)
    return f"{', '.join(rest)} and {last}" if rest else last


def heading(story: Story) -> str:
    """The verdict, and the few numbers that matter."""
    kicker = '<p class="kicker">Tournament report</p>'
    return f"{kicker}\n<h1>{text(verdict(story))}</h1>\n{_facts(story)}"


def _place(story: Story) -> str:
    n_sought = len(story.top.players)
    return "the best" if n_sought == 1 else f"in the top {n_sought}"


def _facts(story: Story) -> str:
    n_players, log = story.n_players, story.log
    n_met = int((story.crosstable()[1] > 0).sum()) // 2
    facts = {
        "matches": f"{len(log):,}",
        "players": f"{n_players:,}",
        "pairs that met": f"{n_met:,} of {n_players * (n_players - 1) // 2:,}",
        f"may still be {_place(story)}": f"{len(story.top.candidates):,}",
    }
    if len(log) and (seconds := float(np.ptp(log.times))) > 0.0:
        facts["first to last result"] = duration(seconds)
    pairs = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts.items())
    return f'<dl class="facts">{pairs}</dl>\n'


def leaderboard(story: Story) -> str:
    """The table."""
    words = (
        "Ratings in Elo points, with 95 % intervals; 0 is the mean of all who are not retired. "
        "P(best) is the probability of being the best of them. Those in bold may still be it: "
        "the smallest set that holds the best player with 99 % probability."
    )
    if story.disagreement is not None:
        words += f" Note: {story.disagreement}."
    return section("Leaderboard", words, board_table(story.board, set(story.top.candidates)))


def ratings_over_time(story: Story) -> str:
    """A curve per player, the leaders' in colour, the first one's with its interval."""
    history = story.history
    if len(history.after) < 2:
        return ""
    curves, leader = _curves(story), story.order[0]
    known = ~np.isnan(history.ratings[:, leader])
    middle, margin = history.ratings[:, leader], np.where(known, history.margin, np.nan)
    up = _room([curve.values for curve in curves], middle[-1] + margin[-1])
    ribbon = (np.clip(middle - margin, up.low, up.high), np.clip(middle + margin, up.low, up.high))
    across = charts.Axis(history.after[0], history.after[-1], history.is_log)
    drawn = charts.lines("Ratings over matches", across, up, history.after, curves, band=ribbon)
    words = "Elo points after each number of matches; shaded, the leader's 95 % interval."
    return section("Ratings over time", words, drawn)


def _room(values: list[Array], least_high: float) -> charts.Axis:
    """An axis that holds all curves, and the leader's interval at its end."""
    low = float(np.nanmin(values))
    high = max(float(np.nanmax(values)), least_high)
    spare = 0.03 * (high - low) + 1.0
    return charts.Axis(low - spare, high + spare)


def _curves(story: Story) -> list[charts.Curve]:
    """The first of the leaderboard last, so that they are drawn over the others."""
    curves = []
    for place, player in enumerate(story.order):
        kind = f"s{place % 4}{' dashed' if place >= 4 else ' leader' if place == 0 else ''}"
        is_coloured = place < COLOURED
        curves.append(
            charts.Curve(
                name=story.names[player],
                values=story.history.ratings[:, player],
                kind=kind if is_coloured else "rest",
                label=short(story.names[player]) if is_coloured else "",
            )
        )
    return [curve for curve in reversed(curves) if not np.isnan(curve.values[-1])]


def candidates_over_time(story: Story) -> str:
    """How many may still be the best."""
    history = story.history
    if len(history.after) < 2:
        return ""
    across = charts.Axis(history.after[0], history.after[-1], history.is_log)
    up = charts.Axis(0.0, float(history.n_candidates.max()))
    title = "Number of players who may still be the best, over matches"
    words = "How many may still be the best, with 99 % probability, after each number of matches."
    drawn = charts.steps(title, across, up, history.after, history.n_candidates)
    return section("Candidates over time", words, drawn)


def crosstable(story: Story) -> str:
    """What each took off each."""
    if not len(story.log):
        return ""
    drawn = heatmaps.crosstable(story.ranked, *story.crosstable())
    what = "points / matches" if heatmaps.has_scores(*story.crosstable()) else "matches"
    cells = f", in the cells {what}" if story.n_players <= heatmaps.IN_WORDS else ""
    words = (
        "The row's share of the points against the column, both in the leaderboard's order"
        f"{cells}. One win and one loss are added for the colour, so that few matches stay pale."
    )
    return section("Crosstable", words, drawn + _key("d", range(11), "all lost", "all won"))


def match_counts(story: Story) -> str:
    """Who played how often, and whom."""
    if not len(story.log):
        return ""
    first, second = (story.tally.games.sum(axis=axis)[story.order] for axis in (1, 0))
    names = [
        f"{rank}. {short(name)}: {one + two:g} matches, {one:g} of them sitting first"
        for rank, (name, one, two) in enumerate(zip(story.ranked, first, second, strict=True), 1)
    ]
    title = "Matches of each player, by rank"
    bars = charts.bars(title, list(zip(first.tolist(), second.tolist(), strict=True)), names)
    _, n_matches = story.crosstable()
    cover = heatmaps.coverage(story.ranked, n_matches)
    key = _key("n", range(1, 7), "1", f"{n_matches.max():,.0f} matches")
    body = (
        f'<div class="pair"><figure>{bars}<figcaption>Matches by rank: sitting first below, '
        f"second above.</figcaption></figure><figure>{cover}{key}<figcaption>Matches of each pair, "
        "by rank, on a log scale.</figcaption></figure></div>\n"
    )
    return section("Match counts", "", body)


def seats(story: Story) -> str:
    """What sitting first is worth, if it was fitted."""
    if not len(story.log):
        return ""
    points = story.tally.points.sum() / story.tally.games.sum()
    taken = f"The first player took {share(float(points))} of the points."
    advantage = story.board.advantage
    if advantage is None:
        return section("Seats", f"{taken} What sitting first is worth was not fitted.", "")
    even = 1.0 / (1.0 + 10.0 ** (-advantage.rating / 400.0))
    words = (
        f"Sitting first is worth {signed(advantage.rating)} Elo points, from "
        f"{signed(advantage.low)} to {signed(advantage.high)} with 95 % probability: of two equal "
        f"players the first scores {share(even)}. {taken}"
    )
    return section("Seats", words, "")


def failures(story: Story) -> str:
    """Attempts that gave no score."""
    if not story.failures:
        return ""
    shown = story.failures[-SHOWN_FAILURES:]
    rows = "".join(_failure(event) for event in shown)
    words = f"{count(len(story.failures), 'attempt')} gave no score; none counts as a loss."
    if len(shown) < len(story.failures):
        words += f" The latest {len(shown)}:"
    head = "".join(
        f'<th scope="col"{kind}>{name}</th>'
        for name, kind in (
            ("Match", ""),
            ("Players", WORDS),
            ("Attempt", ""),
            ("When", WORDS),
            ("Reason", WORDS),
        )
    )
    table = f"<thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody>"
    body = f'<div class="scroll"><table class="plain">{table}</table></div>\n'
    return section("Failures", words, body)


def _failure(event: Event) -> str:
    detail = event.detail
    reason, log = text(detail.get("reason", "")), str(detail.get("log", ""))[-LOG_SHOWN:]
    if log.strip():
        reason = f"<details><summary>{reason}</summary><pre>{text(log)}</pre></details>"
    players = " - ".join(text(name) for name in detail.get("players", ()))
    match, attempt = (
        "" if value is None else value for value in (event.match, detail.get("attempt"))
    )
    return (
        f"<tr><td>{text(match)}</td><td{WORDS}>{players}</td><td>{text(attempt)}</td>"
        f"<td{WORDS}>{moment(event.time)}</td><td{WORDS}>{reason}</td></tr>\n"
    )


def settings(story: Story) -> str:
    """What the tournament was started with, and when it was played."""
    given = asdict(story.settings)
    pairs = {name.replace("_", " "): text(_shown(value)) for name, value in given.items()}
    pairs["fingerprint"] = f"<code>{text(story.settings.fingerprint)}</code>"
    if len(story.log):
        pairs["first result"] = moment(float(story.log.times.min()))
        pairs["last result"] = moment(float(story.log.times.max()))
    if story.n_out:
        pairs["matches out"] = f"{story.n_out:,}"
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in pairs.items())
    return section("Settings", "", f'<dl class="list">{listed}</dl>\n')


def _shown(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return DASH if value == "" else value


def section(title: str, words: str, body: str) -> str:
    """A heading with words and what they are about under it."""
    paragraph = f'<p class="note">{words}</p>\n' if words else ""
    return f"<section>\n<h2>{title}</h2>\n{paragraph}{body}</section>\n"


def _key(family: str, numbers: range, low: str, high: str) -> str:
    """The colours of a map from one end to the other."""
    swatches = "".join(f'<i class="{family}{number}"></i>' for number in numbers)
    return f'<div class="key"><span>{low}</span>{swatches}<span>{high}</span></div>\n'


ALL: list[Callable[[Story], str]] = [
    heading,
    leaderboard,
    ratings_over_time,
    candidates_over_time,
    crosstable,
    match_counts,
    seats,
    failures,
    settings,
]
