"""The leaderboard: every player's rating, interval, odds of being the best, and results."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from maxin.core import MissingExtra, check_name
from maxin.core.text import aligned, counted, csv_line, html_table, markdown
from maxin.core.units import ELO_PER_NAT
from maxin.kernels.core import normal_cdf
from maxin.ratings.fading import FadingTally
from maxin.ratings.judging.seats import fit_seats
from maxin.views.belief import Belief
from maxin.views.scale import Anchor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Z95 = 1.959964  # standard deviations on either side of a 95 % interval

FALLING = ("rating", "low", "high", "p_best", "matches", "score", "wins", "draws", "los")
HEADER = ("rank", "player", "rating", "±", "P(best)", "matches", "score", "W/D/L", "LOS", "state")
WORDS = ("player", "state")  # the columns that hold words and are aligned to the left
MOST_SHOWN = 40  # rows of the table in a notebook


class Standing(NamedTuple):
    """A player's row of the leaderboard; ratings are in Elo points.

    A rating of 0 is the mean of all players who are not retired. `low` to `high` is the rating's
    95 % interval relative to that mean; with an anchor, both are relative to it. `p_best` is the
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
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2.0

    def cells(self, shown: Callable[[float], str]) -> list[str]:
        """The row as people read it, in the order of `HEADER`; `shown` writes a rating."""
        return [
            "" if self.rank is None else str(self.rank),
            self.player,
            shown(self.rating),
            f"{self.margin:.0f}",
            "" if self.rank is None else f"{self.p_best:.1%}",
            str(self.matches),
            "" if self.score is None else f"{self.score:.1%}",
            f"{self.wins}/{self.draws}/{self.losses}",
            "" if self.los is None else f"{self.los:.1%}",
            self.state,
        ]


class Advantage(NamedTuple):
    """What sitting first is worth, in Elo points, with its 95 % interval."""

    rating: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{signed(self.rating)} ± {(self.high - self.low) / 2.0:.0f}"


class Leaderboard(Sequence[Standing]):
    """The standings, best first, retired players last.

    Args:
        standings: the rows.
        advantage: what sitting first is worth, if it was fitted.
        anchor: the player whose rating sets the scale, if there is one.
        has_los: whether the table has a column LOS, which chess players look for.
        fading: a sentence about how older results fade, if they do.

    >>> from maxin.ratings import Tally
    >>> tally = Tally(3)
    >>> tally.add_many([0, 0, 1, 2], [1, 2, 2, 0], [1.0, 1.0, 1.0, 0.0])
    >>> print(Leaderboard.of(Belief(["anna", "bo", "cy"], tally)))
    rank  player  rating    ±  P(best)  matches   score  W/D/L
       1  anna      +202  310    77.6%        3  100.0%  3/0/0
       2  bo          +0  321    19.7%        2   50.0%  1/0/1
       3  cy        -202  310     2.7%        3    0.0%  0/0/3
    """

    def __init__(
        self,
        standings: Sequence[Standing],
        advantage: Advantage | None = None,
        anchor: Anchor | None = None,
        *,
        has_los: bool = False,
        fading: str = "",
    ) -> None:
        self._standings = tuple(standings)
        self.advantage, self.anchor, self.has_los = advantage, anchor, has_los
        self.fading = fading

    @classmethod
    def of(
        cls, belief: Belief, *, first_advantage: bool = False, has_los: bool = False
    ) -> Leaderboard:
        """Rank the players of a belief; optionally fit what sitting first is worth."""
        advantage = _advantage(belief) if first_advantage else None
        rows, anchor, fading = list(_standings(belief)), belief.scale.anchor, _fading(belief)
        return cls(rows, advantage, anchor, has_los=has_los, fading=fading)

    def with_rows(self, rows: Sequence[Standing]) -> Leaderboard:
        """The same leaderboard with other rows, or in another order."""
        return Leaderboard(
            rows, self.advantage, self.anchor, has_los=self.has_los, fading=self.fading
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
        header, rows = self.table()
        table = aligned(header, rows, word_places(header))
        lines = [] if self.advantage is None else [f"sitting first: {self.advantage}"]
        return "\n".join([table, *lines, *([self.fading] if self.fading else [])])

    def _repr_html_(self) -> str:
        header, rows = self.table()
        rest = len(rows) - MOST_SHOWN
        more = f"<p>… and {rest:,} more; to_dataframe() has all</p>" if rest > 0 else ""
        return html_table(header, rows[:MOST_SHOWN], word_places(header)) + more

    def table(self, without: Sequence[str] = ()) -> tuple[Sequence[str], list[list[str]]]:
        """Header and rows to read; states are shown only if some player is not active."""
        hidden = set(without) | (set() if self.has_los else {"LOS"})
        hidden |= set() if any(row.state != "active" for row in self) else {"state"}
        places = [place for place, name in enumerate(HEADER) if name not in hidden]
        shown = signed if self.anchor is None else "{:.0f}".format
        cells = [row.cells(shown) for row in self]
        return [HEADER[place] for place in places], [[row[p] for p in places] for row in cells]

    def sorted(self, by: str = "rating", *, reverse: bool = False) -> Leaderboard:
        """The same rows ordered by another column.

        Numbers start with the largest, ranks and words with the smallest; `reverse` turns that
        around. Rows without a value come last either way.
        """
        place = Standing._fields.index(check_name(by, Standing._fields, "column"))
        present = [row for row in self if row[place] is not None]
        absent = [row for row in self if row[place] is None]
        present.sort(key=itemgetter(place), reverse=(by in FALLING) != reverse)
        return self.with_rows(present + absent)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw ratings with their 95 % intervals, best on top; returns the matplotlib axes."""
        if axes is None:
            try:
                from matplotlib.figure import Figure
            except ImportError:
                raise MissingExtra(
                    "plots need matplotlib, which the extra 'plot' installs: "
                    "pip install 'maxin[plot]'"
                ) from None
            height = 1.0 + 0.28 * max(2, len(self))
            axes = Figure(figsize=(6.4, height), layout="constrained").subplots()
        places = np.arange(len(self))
        ratings = np.array([row.rating for row in self])
        margins = np.array([row.margin for row in self])
        axes.errorbar(ratings, places, xerr=margins, fmt="o", color="#0072B2", capsize=3)
        axes.set_yticks(places, [row.player for row in self])
        axes.invert_yaxis()
        axes.set_xlabel("rating (Elo points, 95 % interval)")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="x", alpha=0.25)
        return axes

    def to_dataframe(self) -> Any:
        """The standings as a pandas data frame."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise MissingExtra(
                "data frames need pandas, which the extra 'pandas' installs: "
                "pip install 'maxin[pandas]'"
            ) from None
        frame = pandas.DataFrame(list(self), columns=list(Standing._fields))
        return frame.astype({"rank": "Int64", "score": "float64"})

    def document(self) -> dict[str, Any]:
        """The standings, the first seat's advantage, and how results fade, as JSON can hold it."""
        advantage = None if self.advantage is None else self.advantage._asdict()
        rows = [row._asdict() for row in self]
        return {"standings": rows, "advantage": advantage, "fading": self.fading}

    def to_csv(self, *, raw: bool = False) -> str:
        """One line per player, after a line of column names.

        A name that begins like a formula gets an apostrophe, so that no spreadsheet computes it;
        `raw` leaves it as it is.
        """
        cells = (["" if value is None else str(value) for value in row] for row in self)
        return "".join(csv_line(row, raw=raw) for row in [Standing._fields, *cells])

    def to_json(self) -> str:
        """The `document` as text."""
        return json.dumps(self.document(), indent=2) + "\n"

    def to_jsonl(self) -> str:
        """One JSON object per player and line."""
        return "".join(json.dumps(row._asdict()) + "\n" for row in self)

    def to_markdown(self) -> str:
        """A Markdown table, its numbers rounded for reading."""
        header, rows = self.table()
        return "".join(markdown(header, rows, word_places(header)))


def word_places(header: Sequence[str]) -> list[int]:
    """The places of the columns that hold words.

    >>> word_places(["rank", "player", "rating"])
    [1]
    """
    return [place for place, name in enumerate(header) if name in WORDS]


def signed(rating: float) -> str:
    """Elo points with their sign.

    >>> signed(12.4), signed(-0.2)
    ('+12', '+0')
    """
    return f"{round(rating):+d}"


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
    matches = counted(n_played, "match")
    return f"older results fade: half-life {tally.half_life}; {matches} count as {n_counted:,}"


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
