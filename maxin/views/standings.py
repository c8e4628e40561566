"""The leaderboard and the top: what a tally of results says of its players, by name."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, MissingExtra, check_confidence, check_name, check_whole
from maxin.core.text import aligned, csv_line, markdown
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import verdict
from maxin.evaluation.stopping_rule import MARGIN
from maxin.ratings.base import Array
from maxin.ratings.odds import (
    best_odds,
    drawn_tops,
    holding_set,
    lead_certainty,
)
from maxin.ratings.posterior import interval_reach
from maxin.ratings.seats import Tally, fit_seats
from maxin.views.belief import Opinion

Z95 = 1.959964  # a 95 % interval is so many standard deviations to either side
SEED = 0  # of the draws behind the odds: the same results always give the same odds
DECIMALS = 9  # of a rating in nats; beyond is rounding, which must not order players

FALLING = ("rating", "low", "high", "p_best", "matches", "score")  # sorted from the largest
HEADER = ("rank", "player", "rating", "±", "P(best)", "matches", "score", "state")
WORDS = (1, 7)  # columns of words


class Standing(NamedTuple):
    """A player's row; ratings are in Elo points, 0 being the mean of all who are not retired.

    `low` to `high` is the 95 % interval of the rating relative to that mean, `p_best` the chance
    of being the best, `score` the points a match. The retired have no rank, and who never played
    has no score.

    >>> Standing(1, "anna", 120.0, 70.0, 170.0, 0.9, 12, 0.75, "active").margin
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
    state: str

    @property
    def margin(self) -> float:
        """Half the interval."""
        return (self.high - self.low) / 2.0


class Advantage(NamedTuple):
    """What sitting first is worth, in Elo points, with its 95 % interval."""

    rating: float
    low: float
    high: float


class Leaderboard(Sequence[Standing]):
    """The standings, best first, the retired at the end.

    Args:
        standings: the rows.
        advantage: what sitting first is worth, if it was fitted.

    >>> tally = Tally(2)
    >>> tally.add_many([0] * 9, [1] * 9, [1.0] * 9)
    >>> board = leaderboard(["anna", "bo"], tally)
    >>> [(row.player, row.matches, row.score) for row in board]
    [('anna', 9, 1.0), ('bo', 9, 0.0)]
    """

    def __init__(self, standings: Sequence[Standing], advantage: Advantage | None = None) -> None:
        self._standings = tuple(standings)
        self.advantage = advantage

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
        header, rows = self._shown()
        table = aligned(header, rows, WORDS)
        if self.advantage is None:
            return table
        margin = (self.advantage.high - self.advantage.low) / 2.0
        return f"{table}\nsitting first: {_signed(self.advantage.rating)} ± {margin:.0f}"

    def sorted(self, by: str = "rating", *, reverse: bool = False) -> Leaderboard:
        """The same rows by another column: numbers from the largest, ranks and words upwards.

        Rows that have nothing there come last either way.
        """
        place = Standing._fields.index(check_name(by, Standing._fields, "column"))
        present = [row for row in self if row[place] is not None]
        absent = [row for row in self if row[place] is None]
        present.sort(key=itemgetter(place), reverse=(by in FALLING) != reverse)
        return Leaderboard(present + absent, self.advantage)

    def to_dataframe(self) -> Any:
        """The standings as a pandas data frame."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise MissingExtra(
                "data frames need pandas, which the extra 'pandas' brings: "
                "pip install 'maxin[pandas]'"
            ) from None
        frame = pandas.DataFrame(list(self), columns=list(Standing._fields))
        return frame.astype({"rank": "Int64", "score": "float64"})

    def to_csv(self) -> str:
        """One line a player, after a line of column names."""
        cells = (["" if value is None else str(value) for value in row] for row in self)
        return "".join(map(csv_line, [Standing._fields, *cells]))

    def to_json(self) -> str:
        """An object: `standings`, a list of rows, and `advantage`, null if it was not fitted."""
        advantage = None if self.advantage is None else self.advantage._asdict()
        whole = {"standings": [row._asdict() for row in self], "advantage": advantage}
        return json.dumps(whole, indent=2) + "\n"

    def to_jsonl(self) -> str:
        """An object a player, each in a line of its own."""
        return "".join(json.dumps(row._asdict()) + "\n" for row in self)

    def to_markdown(self) -> str:
        """A table, its numbers rounded for reading."""
        header, rows = self._shown()
        return "".join(markdown(header, rows, WORDS))

    def _shown(self) -> tuple[Sequence[str], list[list[str]]]:
        """The table to read; the state is shown only if somebody's is not active."""
        end = None if any(row.state != "active" for row in self) else -1
        return HEADER[:end], [_cells(row)[:end] for row in self]


def _cells(row: Standing) -> list[str]:
    return [
        "" if row.rank is None else str(row.rank),
        row.player,
        _signed(row.rating),
        f"{row.margin:.0f}",
        "" if row.rank is None else f"{row.p_best:.1%}",
        str(row.matches),
        "" if row.score is None else f"{row.score:.1%}",
        row.state,
    ]


def _signed(rating: float) -> str:
    return f"{round(rating):+d}"


class Top(NamedTuple):
    """The leaders, how sure it is that they are the top k, and who may still be among it.

    `candidates` is the smallest set, likeliest first, that holds the whole top k with the
    confidence asked for; it is the leaders themselves when the top `is_decided`.
    """

    players: tuple[str, ...]
    confidence: float
    candidates: tuple[str, ...]
    is_decided: bool


def leaderboard(
    names: Sequence[str],
    tally: Tally,
    *,
    states: Mapping[str, str] | None = None,
    first_advantage: bool = False,
) -> Leaderboard:
    """Rate all results and rank the players.

    Args:
        names: of all players, in the tally's order.
        tally: their results.
        states: "active", "paused" or "retired" by name; active if not named. The retired are not
            ranked and cannot be best; their results count.
        first_advantage: fit what sitting first is worth.

    >>> tally = Tally(3)
    >>> tally.add_many([0, 0, 1, 2], [1, 2, 2, 0], [1.0, 1.0, 1.0, 0.0])
    >>> print(leaderboard(["anna", "bo", "cy"], tally))
    rank  player  rating    ±  P(best)  matches   score
       1  anna      +202  310    77.6%        3  100.0%
       2  bo          +0  321    19.7%        2   50.0%
       3  cy        -202  310     2.7%        3    0.0%
    """
    field = _Field(names, tally, states)
    return Leaderboard(list(field.standings()), field.advantage() if first_advantage else None)


def top(
    names: Sequence[str],
    tally: Tally,
    k: int = 1,
    confidence: float = 0.95,
    *,
    states: Mapping[str, str] | None = None,
) -> Top:
    """Who the top k are, and how surely; arguments as of `leaderboard`.

    >>> tally = Tally(3)
    >>> tally.add_many([0, 0, 1] * 20, [1, 2, 2] * 20, [1.0, 1.0, 0.5] * 20)
    >>> top(["anna", "bo", "cy"], tally)
    Top(players=('anna',), confidence=1.0, candidates=('anna',), is_decided=True)
    """
    return _Field(names, tally, states).top(k, check_confidence(confidence))


class _Field:
    """All players with their states and the fit of all results."""

    def __init__(
        self,
        names: Sequence[str],
        tally: Tally,
        states: Mapping[str, str] | None,
    ) -> None:
        if len(names) != tally.n_players:
            raise InvalidInput(
                f"a tally of {tally.n_players} players has as many names; got {len(names)}"
            )
        self.names, self.tally = names, tally
        self.states = [(states or {}).get(name, "active") for name in names]
        in_play = [player for player, state in enumerate(self.states) if state != "retired"]
        self.in_play = np.array(in_play, dtype=np.int64)
        if len(names) > 1:
            posterior = Opinion().posterior(tally, in_play)
            self.ratings: Array = posterior.ratings().round(DECIMALS)
            self.covariance: Array = posterior.covariance()
        else:
            self.ratings, self.covariance = np.zeros(len(names)), np.zeros((len(names),) * 2)

    def standings(self) -> Iterator[Standing]:
        """Those in play by rating, then the retired by rating."""
        if not len(self.names):
            return
        ratings, margins = self._relative()
        chances = self._chances()
        n_matches, scores = self.tally.n_matches, self.tally.scores
        is_out = np.isin(np.arange(len(self.names)), self.in_play, invert=True)
        for place, player in enumerate(np.lexsort((-self.ratings, is_out)).tolist(), start=1):
            rating, margin = float(ratings[player]), float(margins[player])
            yield Standing(
                None if is_out[player] else place,
                self.names[player],
                rating,
                rating - margin,
                rating + margin,
                float(chances[player]),
                round(n_matches[player]),
                float(scores[player]) if n_matches[player] else None,
                self.states[player],
            )

    def _relative(self) -> tuple[Array, Array]:
        """Ratings less the mean of those in play, and half their intervals, in Elo points."""
        base = self.in_play if self.in_play.size else np.arange(len(self.names))
        to_mean = self.covariance[:, base].mean(axis=1)
        variances = np.diagonal(self.covariance) - 2.0 * to_mean + to_mean[base].mean()
        reach = ELO_PER_NAT * interval_reach(0.95, len(base))
        margins = reach * np.sqrt(np.maximum(variances, 0.0))
        return ELO_PER_NAT * (self.ratings - self.ratings[base].mean()) + 0.0, margins  # no -0.0

    def _playing(self) -> tuple[Array, Array]:
        """Ratings and covariance of those in play."""
        among = np.ix_(self.in_play, self.in_play)
        return self.ratings[self.in_play], self.covariance[among]

    def _chances(self) -> Array:
        """Of being the best; none for the retired."""
        chances = np.zeros(len(self.names))
        if self.in_play.size:
            chances[self.in_play] = best_odds(*self._playing(), rng=np.random.default_rng(SEED))
        return chances

    def advantage(self) -> Advantage:
        """What sitting first is worth."""
        fit = fit_seats(self.tally, first_advantage=True)
        rating, margin = ELO_PER_NAT * fit.advantage, Z95 * ELO_PER_NAT * fit.advantage_deviation
        return Advantage(rating, rating - margin, rating + margin)

    def top(self, k: int, confidence: float) -> Top:
        """The leaders by rating, and who else may be among the top k."""
        if not 1 <= check_whole(k, "k") <= self.in_play.size:
            raise InvalidInput(
                f"k, the size of the top, is from 1 to the number of players who are not retired, "
                f"{self.in_play.size}; got {k}"
            )
        playing = self._playing()
        tops = drawn_tops(*playing, k, rng=np.random.default_rng(SEED))
        leaders = np.argsort(-playing[0], kind="stable")[:k]
        # A floor below the true chance, but without the draws' noise: a run that stopped because
        # of the one must not be called undecided because of the other.
        floor = lead_certainty(*playing, k)
        sure = max(floor, float(tops[:, leaders].all(axis=1).mean()))
        is_decided = len(leaders) == len(playing[0]) or (
            verdict(*playing, confidence=confidence, k=k).kind == "decided"
        )
        open_to = leaders if is_decided else self._open(tops, leaders, confidence)
        players, candidates = (
            tuple(self.names[player] for player in self.in_play[some])
            for some in (leaders, open_to)
        )
        return Top(players, sure, candidates, is_decided)

    def _open(
        self, tops: NDArray[np.bool_], leaders: NDArray[np.int64], confidence: float
    ) -> NDArray[np.int64]:
        """Who may still be in the top, as surely as a decision would have to be; never too few."""
        found = holding_set(tops, 1.0 - (1.0 - confidence) / MARGIN)
        if len(found) > len(leaders):
            return found
        next_best = np.argsort(-tops.mean(axis=0), kind="stable")
        return np.asarray(next_best[: len(leaders) + 1])
