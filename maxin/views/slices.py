"""Slices: a leaderboard for each value of a field of the results, such as a category."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

from maxin.core import InvalidInput, UnknownName, check_name
from maxin.core.text import counted, listed, visible
from maxin.core.units import ELO_PER_NAT
from maxin.ratings.base import Array
from maxin.ratings.fitting.slice_fit import fit_slices
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.posterior.posterior import Posterior
from maxin.views.belief import Belief
from maxin.views.columns import CHANCE, COUNT, ESSENTIAL, WHOLE, Column, DataTable
from maxin.views.fits import POSTERIOR, NormalFit
from maxin.views.standings import Leaderboard, Standing, rating_format

USUAL = "category"  # the field by which pages slice if nobody names another
MOST_SLICES = 50
LONGEST_NAME = 60  # characters of a value that a page offers as a slice
MOST_PLAYERS = 300  # the fit costs players^3 for every slice
CERTAINTY = 0.95  # with which the candidates of a slice include its best player
NAMED = 12  # fields that a message names
OF_VOTES = ("choice", "side")  # what a vote says: slices of results by their outcome say nothing


class NoSlices(InvalidInput):
    """No result has a value of the field."""


class UnknownSlice(UnknownName, KeyError):
    """There is no slice of this name."""

    __str__ = UnknownName.__str__  # not the repr that an error of a key is


class SlicedResults:
    """Results counted by slice; those without a value count for the overall ratings alone.

    Args:
        field: whose values name the slices.
        n_players: how many players there are.

    >>> results = SlicedResults("category", 2)
    >>> results.of("code").add(0, 1, 1.0)
    >>> results.of(None).add(0, 1, 0.5)
    >>> list(results.slices), results.n_missing
    (['code'], 1)
    """

    def __init__(self, field: str, n_players: int) -> None:
        self.field, self._n_players = field, n_players
        self.slices: dict[str, JudgedTally] = {}
        self.missing = JudgedTally(n_players)
        self.weighed: dict[str | None, JudgedTally] | None = None  # None: every result counts as 1

    def of(self, name: str | None) -> JudgedTally:
        """The tally of a slice, a new one at first; that of the results without one for None."""
        if name is None:
            return self.missing
        if name not in self.slices:
            if len(self.slices) == MOST_SLICES:
                some = ", ".join(map(visible, list(self.slices)[:3]))
                raise InvalidInput(
                    f"results can be sliced by a field with at most {MOST_SLICES} values; "
                    f"{self.field!r} has more: {some}, ..."
                )
            self.slices[name] = JudgedTally(self._n_players)
        return self.slices[name]

    def counted(self, name: str | None) -> JudgedTally:
        """What the results of a slice count now."""
        return self.of(name) if self.weighed is None else self.weighed[name]

    @property
    def n_missing(self) -> int:
        """How many results have no value of the field."""
        return round(float(self.missing.games.sum()))

    def check_any(self, known: Iterable[str]) -> None:
        """Raise unless some result has a value; the error names the fields that are known."""
        if self.slices:
            return
        fields = [repr(field) for field in sorted(known) if field != self.field]
        verb = "is" if len(fields) == 1 else "are"
        there = f"there {verb} {listed(fields, NAMED)}" if fields else "no result has data"
        raise NoSlices(f"no result has a value of {self.field!r} in its data; {there}")


def fields_to_slice_by(data: Iterable[Mapping[str, Any]]) -> list[str]:
    """The fields with more than one value in the data of some results, but not too many.

    Lists and long texts, such as the moves of a game, name no slices. `category` comes first, and
    then those with the fewest values.

    >>> fields_to_slice_by([{"ms": n, "category": n % 3, "game": n % 2, "v": 1} for n in range(99)])
    ['category', 'game']
    >>> fields_to_slice_by({"end": end, "games": [{"end": end}]} for end in ("time", "mate"))
    ['end']
    """
    values: dict[str, set[object]] = {}
    for row in data:
        for field, value in row.items():
            if field not in OF_VOTES:
                values.setdefault(field, set()).add(value if _is_name(value) else None)
    few = [field for field, several in values.items() if 1 < len(several) <= MOST_SLICES]
    found = [field for field in few if None not in values[field]]
    return sorted(found, key=lambda field: (field != USUAL, len(values[field]), field))


def _is_name(value: object) -> bool:
    """Whether a slice may have this value."""
    return isinstance(value, str | int | float) and len(str(value)) <= LONGEST_NAME


class SliceBelief(Belief):
    """What is known of one slice: a part of the fit of all slices together.

    Args:
        whole: the belief of all results.
        tally: the results of the slice.
        ratings: of the slice, in nats.
        covariance: of these.
    """

    def __init__(
        self, whole: Belief, tally: JudgedTally, ratings: Array, covariance: Array
    ) -> None:
        super().__init__(whole.names, tally, dict(zip(whole.names, whole.states, strict=True)))
        self.scale = whole.scale
        self._given = NormalFit(ratings, covariance)

    @cached_property
    def fit(self) -> NormalFit:
        """The part of the fit."""
        return self._given


class SpreadDocument(TypedDict):
    """How much ratings differ between slices, in Elo points, with a 95 % interval."""

    rating: float
    low: float
    high: float


class SliceDocument(TypedDict):
    """The leaderboard of a slice in JSON; its rows are those of a leaderboard."""

    slice: str
    n_matches: int
    candidates: list[str]
    standings: list[dict[str, Any]]


class SlicesDocument(TypedDict):
    """A leaderboard per slice in JSON."""

    by: str
    n_matches: int
    n_missing: int
    spread: SpreadDocument
    slices: list[SliceDocument]


class Slice(NamedTuple):
    """One slice.

    Args:
        name: the value of the field.
        n_matches: how many of its results there are.
        leaderboard: the standings.
        candidates: the players among whom the best of the slice is with 95 % probability.
    """

    name: str
    n_matches: int
    leaderboard: Leaderboard
    candidates: tuple[str, ...]

    @property
    def best(self) -> Standing:
        """The first row of the leaderboard."""
        return self.leaderboard[0]


class SliceCell(NamedTuple):
    """A player's rating in a slice, and whether it may be the best there."""

    rating: str
    title: str
    is_candidate: bool


class SlicedPlayer(NamedTuple):
    """The ratings of a player, overall and in each slice."""

    player: str
    overall: str
    cells: list[SliceCell]


class SliceStanding(NamedTuple):
    """A row of the leaderboard of a slice."""

    slice: str
    standing: Standing


class Slices(Mapping[str, Leaderboard]):
    """A leaderboard for each slice, by name; the slice with the most results comes first.

    Args:
        field: whose values name the slices.
        parts: the slices.
        overall: the leaderboard of all results.
        spread: of the ratings between slices, in Elo points: the standard deviation of what a
            player's rating in a slice differs from its overall one.
        interval: the 95 % interval of the spread.
        n_missing: how many results belong to no slice.

    >>> results = SlicedResults("category", 2)
    >>> for name, score in [("code", 1.0), ("prose", 0.0)] * 20:
    ...     results.of(name).add(0, 1, score)
    >>> whole = JudgedTally(2)
    >>> for tally in results.slices.values():
    ...     whole.add_tally(tally)
    >>> slices = Slices.of(Belief(["anna", "bo"], whole), results)
    >>> print(slices["prose"])
    rank  player  rating    ±  P(best)  matches    score   W/D/L
       1  bo          +0    0  99.89 %       20  100.0 %  20/0/0
       2  anna      -726  527    0.1 %       20    0.0 %  0/0/20
    ratings: bo is 0; the intervals are relative to it
    """

    def __init__(
        self,
        field: str,
        parts: Sequence[Slice],
        overall: Leaderboard,
        spread: float,
        interval: tuple[float, float],
        n_missing: int,
    ) -> None:
        self.field, self.parts, self.overall = field, list(parts), overall
        self.spread, self.interval, self.n_missing = spread, interval, n_missing
        self._boards = {part.name: part.leaderboard for part in parts}

    @classmethod
    def of(cls, belief: Belief, results: SlicedResults) -> Slices:
        """Fit the slices of the results of a belief; there must be one."""
        posterior = _posterior_of(belief, results.field)
        names = sorted(
            results.slices, key=lambda name: (-float(results.slices[name].games.sum()), name)
        )
        tallies = [results.counted(name) for name in names]
        if results.n_missing:
            tallies.append(results.counted(None))
        fit = fit_slices(posterior, tallies, belief.judges)
        overall, parts = Leaderboard.of(belief), []
        for place, name in enumerate(names):
            tally = results.slices[name]
            own = SliceBelief(belief, tally, fit.ratings[place], fit.covariances[place])
            n_matches = round(float(tally.games.sum()))
            board = overall.with_rows(Leaderboard.of(own))  # judges are fitted to all results
            parts.append(Slice(name, n_matches, board, _candidates(own)))
        low, high = (ELO_PER_NAT * end for end in fit.interval)
        spread = ELO_PER_NAT * fit.spread
        return cls(results.field, parts, overall, spread, (low, high), results.n_missing)

    def __getitem__(self, name: str) -> Leaderboard:
        try:
            return self._boards[check_name(name, self._boards, "slice")]
        except UnknownName as error:
            raise UnknownSlice(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._boards)

    def __len__(self) -> int:
        return len(self._boards)

    def __contains__(self, name: object) -> bool:
        return name in self._boards

    def __repr__(self) -> str:
        return f"<Slices by {self.field}: {listed(list(self))}>"

    def __str__(self) -> str:
        return "\n".join([self.summary.text(), "", *self.notes])

    def _repr_html_(self) -> str:
        return self.summary.html(MOST_SLICES) + self.table.html(MOST_SLICES)

    @property
    def n_matches(self) -> int:
        """How many results belong to a slice."""
        return sum(part.n_matches for part in self.parts)

    @property
    def notes(self) -> list[str]:
        """What the slices have in common, one line each."""
        return [*self.overall.zero, self.coverage, self.sentence, *self.overall.accounts]

    @property
    def sentence(self) -> str:
        """How much ratings differ between slices."""
        low, high = self.interval
        return (
            f"a rating in a slice differs from the overall one by {self.spread:.0f} Elo (standard "
            f"deviation, 95 % interval {low:.0f} to {high:.0f}); ratings are shrunk accordingly"
        )

    @property
    def coverage(self) -> str:
        """How many slices and matches there are."""
        line = (
            f"{counted(len(self), 'slice')} by {visible(self.field)}, "
            f"{counted(self.n_matches, 'match')}"
        )
        if self.n_missing:
            line += f"; {self.n_missing:,} without a value count for the overall ratings alone"
        return line

    @cached_property
    def summary(self) -> DataTable[Slice]:
        """The best player of each slice."""
        rating = rating_format(self.overall.anchor)
        columns: list[Column[Slice]] = [
            Column("name", "slice", left=True, priority=ESSENTIAL),
            Column("n_matches", "matches", format=COUNT),
            Column(title="best", read=lambda part: part.best.player, left=True),
            Column(title="rating", read=lambda part: part.best.rating, format=rating),
            Column(title="±", read=lambda part: part.best.margin, format=WHOLE),
            Column(title="P(best)", read=lambda part: part.best.p_best, format=CHANCE),
            Column(
                title="candidates",
                read=lambda part: len(part.candidates),
                meaning="Among so many players is the best of the slice, with 95 % probability.",
            ),
        ]
        return DataTable(columns, self.parts)

    @cached_property
    def table(self) -> DataTable[SliceStanding]:
        """All rows of all slices, as those of a leaderboard after a column for the slice."""
        rows = [SliceStanding(part.name, row) for part in self.parts for row in part.leaderboard]
        columns: list[Column[SliceStanding]] = [Column("slice", "slice", left=True)]
        columns += [_within(column) for column in self.overall.columns]
        return DataTable(columns, rows, "standings", notes=self.notes)

    def by_player(self) -> Iterator[SlicedPlayer]:
        """The ratings of each player, in the overall order, as a page writes them."""
        (column,) = (column for column in self.overall.columns if column.key == "rating")
        rows = [{row.player: row for row in part.leaderboard} for part in self.parts]
        for overall in self.overall:
            name, cells = overall.player, []
            for part, own in zip(self.parts, rows, strict=True):
                row = own[name]
                title = (
                    f"{name}, {part.name}: ± {row.margin:.0f}, P(best) "
                    f"{CHANCE.page(row.p_best)}, {counted(row.matches, 'match')}"
                )
                cells.append(SliceCell(column.on_page(row), title, name in part.candidates))
            yield SlicedPlayer(name, column.on_page(overall), cells)

    def document(self) -> SlicesDocument:
        """The same as JSON can hold it."""
        low, high = self.interval
        return {
            "by": self.field,
            "n_matches": self.n_matches,
            "n_missing": self.n_missing,
            "spread": {"rating": self.spread, "low": low, "high": high},
            "slices": [
                {
                    "slice": part.name,
                    "n_matches": part.n_matches,
                    "candidates": list(part.candidates),
                    "standings": part.leaderboard.table.records(),
                }
                for part in self.parts
            ],
        }


def _posterior_of(belief: Belief, field: str) -> Posterior:
    """The fit of all results, if slices of it can be rated."""
    n_players = len(belief.names)
    if not 2 <= n_players <= MOST_PLAYERS:
        raise InvalidInput(
            f"slices are rated for 2 to {MOST_PLAYERS} players, because the work grows with the "
            f"cube of their number; {field!r} has results of {n_players:,}"
        )
    posterior = belief.fit.posterior if belief.rated_by == POSTERIOR else None
    if not isinstance(posterior, Posterior):
        raise InvalidInput(f"slices are rated by the {POSTERIOR} alone; got {belief.rated_by!r}")
    return posterior


def _candidates(belief: Belief) -> tuple[str, ...]:
    if belief.in_play.size < 2:
        return tuple(belief.names[player] for player in belief.in_play)
    return tuple(belief.names[player] for player in belief.candidates(1, CERTAINTY).tolist())


def _within(column: Column[Standing]) -> Column[SliceStanding]:
    """A column of a leaderboard as one of the leaderboards of slices."""

    def inner(read: Callable[[Standing], Any]) -> Callable[[SliceStanding], Any]:
        return lambda row: read(row.standing)

    read = None if column.read is None else inner(column.read)
    made: Any = replace(column, read=None, value=None)  # its functions are replaced below
    return replace(made, read=read, value=inner(column.of) if column.key else None)
