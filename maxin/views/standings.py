"""The leaderboard: every player's rating, interval, odds of being the best, and results."""

from __future__ import annotations

import html
import importlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, overload

import numpy as np
from numpy.typing import NDArray

from maxin.core import MissingExtra, check_name
from maxin.core.text import counted, visible
from maxin.core.units import ELO_PER_NAT
from maxin.kernels.core import normal_cdf
from maxin.ratings.fading import FadingTally
from maxin.ratings.judging.seats import fit_seats
from maxin.views.belief import Belief
from maxin.views.columns import (
    ANCHORED,
    CHANCE,
    COUNT,
    ESSENTIAL,
    RATING,
    SHARE,
    SPARE,
    WHOLE,
    Column,
    DataTable,
    Format,
    signed,
)
from maxin.views.fits import POSTERIOR
from maxin.views.plots.figure import (
    BLUE,
    GREY,
    MOST,
    axes_of,
    check_top,
    note_names,
    plain,
    shown_names,
)
from maxin.views.recorded.controls import ControlEffect, control_effects
from maxin.views.recorded.judges import Judging
from maxin.views.scale import Z95, Anchor, is_signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOLD = 30  # rows of a leaderboard that people see at first


def rating_format(anchor: Anchor | None) -> Format:
    """How ratings are written where this anchor, if any, sets the scale."""
    return RATING if is_signed(anchor) else ANCHORED


class Standing(NamedTuple):
    """A player's row of the leaderboard; ratings are in Elo points.

    A rating of 0 is the mean of all players who are not retired. `low` to `high` is the rating's
    95 % interval relative to that mean; with an anchor, both are relative to it. Of only two
    players, the one who joined second is the anchor, and is 0. `p_best` is the
    probability of being the best, `score` the points per match; `wins`, `draws` and `losses` count
    games. `los` is the likelihood of superiority: the probability of being better than the next
    player. Retired players have no rank, and players without a match have no score.

    >>> Standing(1, "anna", 120.0, 70.0, 170.0, 0.9, 12, 0.75, 8, 2, 2, "active").margin
    50.0
    """

    rank: int | None
    player: str
    rating: float
    low: float
    high: float
    p_best: float
    matches: int
    score: float | None
    wins: int
    draws: int
    losses: int
    state: str
    los: float | None = None

    @property
    def games(self) -> int:
        """How many games its matches had."""
        return self.wins + self.draws + self.losses

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2.0


class Advantage(NamedTuple):
    """What sitting first is worth, in Elo points, with its 95 % interval."""

    rating: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{signed(self.rating)} ± {(self.high - self.low) / 2.0:.0f}"


class LeaderboardFacts(TypedDict):
    """What JSON says of a leaderboard, besides its rows."""

    anchor: dict[str, Any] | None
    advantage: dict[str, Any] | None
    fading: str
    has_los: bool
    rated_by: str
    judging: dict[str, Any] | None
    controls: list[dict[str, Any]]


class LeaderboardDocument(LeaderboardFacts):
    """A leaderboard in JSON; its rows have the columns with a key."""

    standings: list[dict[str, Any]]


class Leaderboard(Sequence[Standing]):
    """The standings, best first, retired players last.

    Args:
        standings: the rows.
        advantage: what sitting first is worth, if it was fitted.
        anchor: the player whose rating sets the scale, if there is one.
        has_los: whether the table has a column LOS, which chess players look for.
        fading: a sentence about how older results fade, if they do.
        rated_by: the name of the rating method.
        notes: what a reader should know besides, a line each.
        judging: how judges enter the ratings, if there are any.
        controls: the effects of covariates, which are taken out of the ratings.

    >>> from maxin.ratings import Tally
    >>> tally = Tally(3)
    >>> tally.add_many([0, 0, 1, 2], [1, 2, 2, 0], [1.0, 1.0, 1.0, 0.0])
    >>> print(Leaderboard.of(Belief(["anna", "bo", "cy"], tally)))
    rank  player  rating    ±  P(best)  matches    score  W/D/L
       1  anna      +186  295   76.5 %        3  100.0 %  3/0/0
       2  bo          +0  305   20.4 %        2   50.0 %  1/0/1
       3  cy        -186  295    3.1 %        3    0.0 %  0/0/3
    """

    def __init__(
        self,
        standings: Sequence[Standing],
        advantage: Advantage | None = None,
        anchor: Anchor | None = None,
        *,
        has_los: bool = False,
        fading: str = "",
        rated_by: str = POSTERIOR,
        notes: Sequence[str] = (),
        judging: Judging | None = None,
        controls: Sequence[ControlEffect] = (),
    ) -> None:
        self._standings = tuple(standings)
        self.advantage, self.anchor, self.has_los = advantage, anchor, has_los
        self.fading, self.rated_by = fading, rated_by
        self.notes = tuple(notes)
        self.judging, self.controls = judging, tuple(controls)

    @classmethod
    def of(
        cls, belief: Belief, *, first_advantage: bool = False, has_los: bool = False
    ) -> Leaderboard:
        """Rank the players of a belief; optionally fit what sitting first is worth.

        Only the posterior comes with that; by other rating methods, it is left out.
        """
        advantage = None
        if first_advantage and belief.rated_by == POSTERIOR:
            advantage = _advantage(belief)
        return cls(
            list(_standings(belief)),
            advantage,
            belief.scale.anchor,
            has_los=has_los,
            fading=_fading(belief),
            rated_by=belief.rated_by,
            judging=Judging.of(
                belief.tally, belief.judges, belief.rated_by, are_ignored=belief.ignore_judges
            ),
            controls=control_effects(belief.effects, belief.controls),
        )

    def with_rows(self, rows: Sequence[Standing]) -> Leaderboard:
        """The same leaderboard with other rows, or in another order."""
        return self._with(rows, self.notes)

    def with_notes(self, notes: Sequence[str]) -> Leaderboard:
        """The same leaderboard with other notes."""
        return self._with(self._standings, notes)

    def _with(self, rows: Sequence[Standing], notes: Sequence[str]) -> Leaderboard:
        return Leaderboard(
            rows,
            self.advantage,
            self.anchor,
            has_los=self.has_los,
            fading=self.fading,
            rated_by=self.rated_by,
            notes=notes,
            judging=self.judging,
            controls=self.controls,
        )

    def __len__(self) -> int:
        return len(self._standings)

    @overload
    def __getitem__(self, index: int) -> Standing: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Standing, ...]: ...

    def __getitem__(self, index: int | slice) -> Standing | tuple[Standing, ...]:
        return self._standings[index]

    def __repr__(self) -> str:
        return f"<Leaderboard of {len(self)} players>"

    def __str__(self) -> str:
        return self.table.text()

    def _repr_html_(self) -> str:
        return self.part_html(self.table.below)

    @property
    def part_text(self) -> str:
        """The text without what the ratings account for: an overview says that once, further on."""
        return replace(self.table, below=[*self.zero, *self.seats]).text()

    def part_html(self, below: Sequence[str] | None = None) -> str:
        """The same for a notebook, with other lines below the table if they are given."""
        rest = len(self) - FOLD
        more = f"<p>… and {rest:,} more; to_dataframe() has all</p>" if rest > 0 else ""
        lines = [*([*self.zero, *self.seats] if below is None else below), *self.notes]
        notes = "".join(f"<p>{html.escape(visible(line))}</p>" for line in lines)
        return self.table.html(FOLD) + more + notes

    @property
    def zero(self) -> list[str]:
        """A line about the player whom ratings are relative to, if there is one."""
        return [] if self.anchor is None else [f"ratings: {self.anchor}"]

    @property
    def seats(self) -> list[str]:
        """A line about what sitting first is worth, if it was fitted."""
        return [] if self.advantage is None else [f"sitting first: {self.advantage}"]

    @property
    def accounts(self) -> list[str]:
        """A line for what the ratings account for: the age of results, judges, covariates."""
        fading = [self.fading] if self.fading else []
        judging = [] if self.judging is None else [str(self.judging)]
        return [*fading, *judging, *map(str, self.controls)]

    @cached_property
    def table(self) -> DataTable[Standing]:
        """The standings in every format."""
        method = [] if self.rated_by == POSTERIOR else [f"rated by {self.rated_by}"]
        below = [*self.zero, *self.seats, *self.accounts, *method]
        return DataTable(self.columns, self._standings, below=below, notes=self.notes)

    @cached_property
    def columns(self) -> list[Column[Standing]]:
        """The columns of the leaderboard: all that is known of them, in the order of a reader."""
        has_states = any(row.state != "active" for row in self)
        has_parts = any(row.games > row.matches for row in self)  # a row counts games alone then
        return [
            Column("rank", "rank", sort="ascending", priority=ESSENTIAL),
            Column("player", "player", left=True, sort="ascending", priority=ESSENTIAL),
            Column(
                "rating",
                "rating",
                format=rating_format(self.anchor),
                meaning="Elo points above the mean of those not retired, or above the second of "
                "only two, or as the anchor has it.",
                priority=ESSENTIAL,
            ),
            Column("low", meaning="Where the 95 % interval of the rating begins."),
            Column("high", meaning="Where it ends."),
            Column(title="±", read=attrgetter("margin"), format=WHOLE),
            Column(
                "p_best",
                "P(best)",
                read=lambda row: None if row.rank is None else row.p_best,
                format=CHANCE,
                meaning="The probability of being the best of all who are not retired.",
                priority=ESSENTIAL,
            ),
            Column("matches", "matches", format=COUNT, is_shown=not has_parts),
            Column(title="games", read=attrgetter("games"), format=COUNT, is_shown=has_parts),
            Column("score", "score", format=SHARE, meaning="Points per match."),
            Column("wins", meaning="Games won."),
            Column("draws", meaning="Games drawn."),
            Column("losses", meaning="Games lost.", sort="ascending"),
            Column(
                title="W/D/L",
                read=lambda row: f"{row.wins}/{row.draws}/{row.losses}",
                meaning="games won, drawn and lost",
                sort="",
                priority=SPARE,
            ),
            Column("state", meaning="active, paused or retired", sort="ascending"),
            Column(
                "los",
                "LOS",
                format=CHANCE,
                meaning="The probability of being better than the next player.",
                is_shown=self.has_los,
                priority=SPARE,
            ),
            Column(
                title="state",
                read=attrgetter("state"),
                left=True,
                sort="ascending",
                is_shown=has_states,
            ),
        ]

    def sorted(self, by: str = "rating", *, reverse: bool = False) -> Leaderboard:
        """The same rows ordered by another column.

        Numbers start with the largest, ranks and words with the smallest; `reverse` turns that
        around. Rows without a value come last either way.
        """
        known = {column.key: column for column in self.columns if column.key}
        column = known[check_name(by, known, "column")]
        present = [row for row in self if column.of(row) is not None]
        absent = [row for row in self if column.of(row) is None]
        present.sort(key=column.of, reverse=(column.sort == "descending") != reverse)
        return self.with_rows(present + absent)

    def plot(self, axes: Axes | None = None, *, top: int = MOST) -> Figure:
        """Draw ratings with their 95 % intervals, best on top; returns the figure.

        A notebook shows it if it is the last line of a cell.

        Args:
            axes: of matplotlib, to draw into; a new figure by default.
            top: how many players to show.
        """
        rows = self[: check_top(top)]
        height = 1.0 + 0.28 * max(2, len(rows))
        figure, axes = axes_of(axes, 6.4, height)
        places = np.arange(len(rows))
        for colour, is_in in ((BLUE, True), (GREY, False)):  # players who left are grey
            some = np.array([(row.rank is not None) == is_in for row in rows], dtype=bool)
            ratings = np.array([row.rating for row in rows])[some]
            margins = np.array([row.margin for row in rows])[some]
            if some.any() or is_in:
                axes.errorbar(ratings, places[some], xerr=margins, fmt="o", color=colour, capsize=3)
        axes.set_yticks(places, shown_names([row.player for row in rows]))
        axes.set_ylim(max(1, len(rows)) - 0.5, -0.5)
        axes.set_xlabel("rating (Elo points, 95 % interval)")
        plain(axes, grid="x")
        note_names(axes, [row.player for row in rows], len(self))
        return figure

    def to_dataframe(self) -> Any:
        """The standings as a pandas data frame."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise MissingExtra(
                "data frames need pandas, which the extra 'pandas' installs: "
                "pip install 'maxin[pandas]'"
            ) from None
        keys = [column.key for column in self.table.keyed]
        frame = pandas.DataFrame(self.table.records(), columns=keys)
        return frame.astype({"rank": "Int64", "score": "float64"})

    def document(self) -> LeaderboardDocument:
        """The standings, and what is known of all of them, as JSON can hold it."""
        return {"standings": self.table.records(), **self.facts()}

    def facts(self) -> LeaderboardFacts:
        """What is known of all rows, as JSON can hold it."""
        return {
            "anchor": None if self.anchor is None else self.anchor._asdict(),
            "advantage": None if self.advantage is None else self.advantage._asdict(),
            "fading": self.fading,
            "has_los": self.has_los,
            "rated_by": self.rated_by,
            "judging": None if self.judging is None else self.judging._asdict(),
            "controls": [effect._asdict() for effect in self.controls],
        }

    def to_csv(self, *, raw: bool = False) -> str:
        """One line per player, after a line of column names.

        A name that begins like a formula gets an apostrophe, so that no spreadsheet computes it;
        `raw` leaves it as it is.
        """
        return self.table.csv(raw=raw)

    def to_json(self) -> str:
        """The `document` as text."""
        return json.dumps(self.document(), indent=2) + "\n"

    def to_jsonl(self) -> str:
        """One JSON object per player and line."""
        return "".join(json.dumps(row) + "\n" for row in self.table.records())

    def to_markdown(self) -> str:
        """A Markdown table, its numbers rounded for reading."""
        return self.table.markdown()


def _standings(belief: Belief) -> Iterator[Standing]:
    """Players in play by rating, then retired players by rating; removed ones are left out."""
    if not belief.names:
        return
    ratings = belief.scale.ratings(belief.ratings)
    margins, chances = belief.margins, belief.best_odds
    n_matches, scores = belief.tally.n_matches, belief.tally.scores
    outcomes = belief.tally.outcomes_of_players().tolist()
    is_out = np.isin(np.arange(len(belief.names)), belief.in_play, invert=True)
    order = np.lexsort((-belief.ratings, is_out))
    superiority = _superiority(belief, order[: belief.in_play.size])
    for place, player in enumerate(order.tolist(), start=1):
        if belief.states[player] == "removed":
            continue
        rating, margin = float(ratings[player]), float(margins[player])
        wins, draws, losses = outcomes[player]
        yield Standing(
            None if is_out[player] else place,
            belief.names[player],
            rating,
            rating - margin,
            rating + margin,
            float(chances[player]),
            round(n_matches[player]),
            float(scores[player]) if n_matches[player] else None,
            wins,
            draws,
            losses,
            belief.states[player],
            superiority.get(player),
        )


def _fading(belief: Belief) -> str:
    """How older results fade, in a sentence; empty if they do not."""
    tally = belief.tally
    if not isinstance(tally, FadingTally):
        return ""
    n_played, n_counted = (round(float(part.games.sum())) for part in (tally, tally.weighed))
    matches, verb = counted(n_played, "match"), "counts" if n_played == 1 else "count"
    return f"older results fade: half-life {tally.half_life}; {matches} {verb} as {n_counted:,}"


def _superiority(belief: Belief, order: NDArray[np.int64]) -> dict[int, float]:
    """The probability that each player is better than the next in `order`: Phi(gap / deviation)."""
    ahead, behind = order[:-1], order[1:]
    deviations = np.sqrt(belief.difference_variances(ahead, behind))
    gaps = belief.ratings[ahead] - belief.ratings[behind]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = normal_cdf(gaps / deviations)
    return dict(zip(ahead.tolist(), np.nan_to_num(found, nan=0.5).tolist(), strict=True))


def _advantage(belief: Belief) -> Advantage:
    """What sitting first is worth."""
    fit = fit_seats(belief.weighed, first_advantage=True)
    rating, margin = ELO_PER_NAT * fit.advantage, Z95 * ELO_PER_NAT * fit.advantage_deviation
    return Advantage(rating, rating - margin, rating + margin)
