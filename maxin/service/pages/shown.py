"""What the pages show, as data: rows of a page, matches, workers, one player."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from maxin.core.text import counted, shortened
from maxin.ratings import Tally
from maxin.service.arena.pairs import WAITING
from maxin.service.board import LiveState
from maxin.storage import PlayedMatch, Store
from maxin.views.columns import Column
from maxin.views.crosstable import DECIMALS
from maxin.views.formats import worker_name
from maxin.views.html.board import PageBoard
from maxin.views.overview import MANY, Leaders
from maxin.views.slices import Slice, Slices
from maxin.views.standings import Standing
from maxin.views.top import Finding, rounded
from maxin.worker.source import Ticket

CROSSTABLE = 24  # players in the crosstable of the live page
OF_SLICE = 20  # rows of the leaderboard of a slice
LATEST = 20  # matches on the page of a player
AUDITED = 50  # actions on the page for organisers
LONGEST_NAME = 40  # characters of a name in the headline
LONGEST_VALUE = 80  # characters of a value in the audit log
LABELS = {"rating": "Elo points", "±": "95 % interval", "W/D/L": "won, drawn, lost"}  # of facts

Row = TypeVar("Row")


class Rows(NamedTuple, Generic[Row]):
    """The rows of one page."""

    shown: tuple[Row, ...]
    page: int
    n_pages: int
    n_found: int
    n_players: int

    @classmethod
    def of(cls, rows: Sequence[Row], find: str, page: int, name: Callable[[Row], str]) -> Rows[Row]:
        """The rows of a page, counted from 1, among those whose `name` has the words of `find`.

        >>> Rows.of(["anna", "bo"], find="A", page=3, name=str)
        Rows(shown=('anna',), page=1, n_pages=1, n_found=1, n_players=2)
        """
        found = [row for row in rows if is_found(name(row), find)]
        n_pages = max(1, -(-len(found) // MANY))
        here = min(max(page, 1), n_pages)
        shown = tuple(found[MANY * (here - 1) : MANY * here])
        return cls(shown, here, n_pages, len(found), len(rows))

    @property
    def is_long(self) -> bool:
        """Whether there are more players than fit a page."""
        return self.n_players > MANY


def leaders_of_page(rows: Rows[Standing], leaders: Leaders) -> Leaders:
    """The rows of the leaderboard on a page: on the first page of all players, the leaders."""
    if rows.page == 1 and rows.n_found == rows.n_players:
        return leaders
    return Leaders(rows.shown, (), 0, rows.n_players)


def slice_boards(slices: Slices) -> list[tuple[Slice, PageBoard]]:
    """The first rows of the leaderboard of each slice."""
    boards = []
    for part in slices.parts:
        rows = tuple(part.leaderboard[:OF_SLICE])
        leaders = Leaders(rows, (), 0, len(part.leaderboard))
        boards.append((part, PageBoard(part.leaderboard, leaders, part.candidates)))
    return boards


def is_found(name: str, find: str) -> bool:
    """Whether a name has every word of what is searched for, in upper or lower case.

    >>> is_found("Model-007", "07 model"), is_found("Model-007", "8")
    (True, False)
    """
    return all(word in name.casefold() for word in find.casefold().split())


class ShownMatch(NamedTuple):
    """A result in a table."""

    seq: int
    number: int | None
    first: str
    second: str
    score: float
    time: float
    by: str
    retracted: str | None


def shown_matches(
    names: Sequence[str], rows: Iterable[tuple[int, PlayedMatch[int]]]
) -> list[ShownMatch]:
    """Results with names instead of numbers."""
    return [
        ShownMatch(
            seq,
            played.number,
            names[played.first],
            names[played.second],
            played.score,
            played.time,
            played.source or worker_name(played.worker or ""),
            played.retracted,
        )
        for seq, played in rows
    ]


def latest_matches(state: LiveState) -> list[ShownMatch]:
    """The latest results of the board; those of players who joined since are left out."""
    names = state.overview.belief.names
    known = [row for row in state.latest if max(row[1].first, row[1].second) < len(names)]
    return shown_matches(names, known)


class ShownWorker(NamedTuple):
    """A worker, and how many matches it is playing."""

    name: str
    n_matches: int
    since: float  # of the longest one
    remaining: float  # until the first lease ends


def shown_workers(held: Iterable[Ticket]) -> list[ShownWorker]:
    """One row per worker, the busiest first; voters are left out.

    >>> from maxin.core import Match
    >>> one = Ticket(1, "anna", "bo", 7, Match(0, 1), 0, "http|k|lab", 6.0, 59.0)
    >>> shown_workers([one, one._replace(id=2, since=7.0, remaining=58.0)])
    [ShownWorker(name='lab', n_matches=2, since=6.0, remaining=58.0)]
    """
    by_worker: dict[str, list[Ticket]] = {}
    for one in held:
        if not one.worker or one.worker.startswith(WAITING):
            continue  # it is over by now, or people vote: see `OpenVotes`
        by_worker.setdefault(one.worker, []).append(one)
    rows = [
        ShownWorker(
            worker_name(worker),
            len(ones),
            min(one.since for one in ones),
            min(one.remaining for one in ones),
        )
        for worker, ones in by_worker.items()
    ]
    return sorted(rows, key=lambda row: (-row.n_matches, row.name))


class OpenVotes(NamedTuple):
    """The matches that people play: those that somebody sees, and those that wait for a voter."""

    n_open: int
    n_waiting: int

    @classmethod
    def of(cls, held: Iterable[Ticket]) -> OpenVotes:
        """Among all pending matches.

        >>> from maxin.core import Match
        >>> one = Ticket(1, "anna", "bo", 7, Match(0, 1), worker="vote|")
        >>> OpenVotes.of([one, one._replace(id=2, worker="vote|k")])
        OpenVotes(n_open=1, n_waiting=1)
        """
        votes = [one.worker for one in held if one.worker.startswith(WAITING)]
        n_waiting = votes.count(WAITING)
        return cls(len(votes) - n_waiting, n_waiting)

    @property
    def sentence(self) -> str:
        """Both in words.

        >>> OpenVotes(1, 2).sentence
        '1 pair is shown to a voter, and 2 pairs wait for voters who have not seen them.'
        """
        parts = []
        if self.n_open:
            is_one = self.n_open == 1
            shown = "is shown to a voter" if is_one else "are shown to voters"
            parts.append(f"{counted(self.n_open, 'pair')} {shown}")
        if self.n_waiting:
            waits = "waits" if self.n_waiting == 1 else "wait"
            pairs = f"{counted(self.n_waiting, 'pair')} {waits} for voters who have not seen "
            parts.append(pairs + ("it" if self.n_waiting == 1 else "them"))
        return f"{', and '.join(parts)}."


class Opponent(NamedTuple):
    """What a player scored against another one."""

    name: str
    n_matches: int
    points: float


class ShownPlayer(NamedTuple):
    """Everything about one player."""

    name: str
    place: str
    facts: list[tuple[str, str]]
    options: str
    opponents: list[Opponent]

    @classmethod
    def of(cls, state: LiveState, row: Standing, options: str) -> ShownPlayer:
        """The player of a row of the leaderboard."""
        leaderboard, belief = state.overview.leaderboard, state.overview.belief
        in_play = sum(one.rank is not None for one in leaderboard)
        place = f"rank {row.rank} of {in_play:,}" if row.rank else row.state
        columns = leaderboard.table.shown()[2:]  # without rank and player
        facts = [_fact(column, row) for column in columns if column.title != "state"]
        opponents = _opponents(belief.names, belief.tally, belief.names.index(row.player))
        return cls(row.player, place, facts, options, opponents)


def _fact(column: Column[Standing], row: Standing) -> tuple[str, str]:
    """A column of the leaderboard as a label and a text."""
    label, text = LABELS.get(column.title, column.title), column.on_page(row)
    return label, f"± {text}" if column.title == "±" else text


def _opponents(names: Sequence[str], tally: Tally, player: int) -> list[Opponent]:
    """What a player scored against each other one, those it met most often first.

    Only the rows of the player are read: a table of all pairs would be large.
    """
    is_first, is_second = tally.first == player, tally.second == player
    rivals = np.concatenate([tally.second[is_first], tally.first[is_second]])
    games = np.concatenate([tally.games[is_first], tally.games[is_second]])
    won = tally.points[is_first], (tally.games - tally.points)[is_second]
    met, place = np.unique(rivals, return_inverse=True)
    n_met = np.bincount(place, games).round().astype(np.int64)
    points = np.bincount(place, np.concatenate(won)).round(DECIMALS)
    return [
        Opponent(names[met[one]], int(n_met[one]), float(points[one]))
        for one in np.argsort(-n_met, kind="stable")
        if n_met[one]
    ]


class ShownAction(NamedTuple):
    """What somebody did."""

    time: float
    who: str
    what: str


def audit_log(store: Store, count: int = AUDITED) -> list[ShownAction]:
    """The latest actions, newest first.

    >>> from maxin.storage import open_store
    >>> store = open_store("sqlite://")
    >>> _ = store.transact(lambda writer: writer.event("admin", token="ann", action="rest", x=1))
    >>> audit_log(store)[0].what
    'rest: x 1'
    """
    rows = []
    for event in store.events("admin"):
        detail = dict(event.detail)
        who, action = str(detail.pop("token", "")), str(detail.pop("action", ""))
        about = ([f"match {event.match}"] if event.match else []) + [
            f"{key} {shortened(str(value), LONGEST_VALUE)}"
            for key, value in detail.items()
            if value not in (None, {}, "")
        ]
        rows.append(
            ShownAction(event.time, who, f"{action}: {', '.join(about)}" if about else action)
        )
    return rows[: -count - 1 : -1]


def verdict(state: LiveState) -> Finding:
    """What is known, in which long names are cut: they would hide the rest."""
    found = state.overview.found
    for name in state.overview.belief.names:
        if len(name) > LONGEST_NAME:
            short = shortened(name, LONGEST_NAME)
            headline, details = (part.replace(name, short) for part in found[:2])
            found = found._replace(headline=headline, details=details)
    return found


def progress(state: LiveState) -> str:
    """How far the tournament is, in one line."""
    overview = state.overview
    parts = [counted(overview.n_matches, "match")]
    n_played = overview.n_pending - OpenVotes.of(state.held).n_waiting
    if n_played > 0:
        parts.append(f"{n_played:,} being played")
    if state.per_minute and overview.status != "decided":
        parts.append(f"{state.per_minute:,.0f} a minute")
    if overview.status == "decided":
        parts.append("decided")
    elif overview.n_left:
        parts.append(f"about {rounded(overview.n_left):,} to go")
    return " · ".join(parts)
