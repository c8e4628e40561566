"""The history of a tournament: which games were played, and what was known after each stretch."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import Stop
from maxin.core.text import counted
from maxin.evaluation import top_verdict
from maxin.ratings import Posterior, Tally
from maxin.ratings.fading import FadingTally, weights_of
from maxin.ratings.judging.judge_log import JudgeLog
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.ratings.odds import credible_set
from maxin.storage import PlayedMatch, time_of
from maxin.views.belief import Belief
from maxin.views.fits import WholeFit
from maxin.views.plots.figure import (
    BLUE,
    COLOURS,
    GREY,
    axes_of,
    check_top,
    new_figure,
    note_names,
    plain,
    shown_names,
)
from maxin.views.scale import Scale, variances_from
from maxin.views.top import Top

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Draws per checkpoint: as many as keep the numbers drawn (one per player) below NUMBERS. With the
# fewest, the number of candidates is mostly right to within one.
MOST_DRAWS, FEWEST_DRAWS, NUMBERS = 16384, 2048, 2**16
LOG_FROM = 60  # matches per player: longer histories use a log scale, to show how they began
CHECKPOINTS = 61  # of a history, if there are few players
VOTES_FITTED = 800_000  # votes of all fits of a history
FEWER = "Judges and controls are fitted for every point, so only {} points are rated."

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class GameLog:
    """All games in the order they were recorded, one column per field; players by number.

    A match of two games has two rows that weigh 1/2 each.

    Args:
        match: the match of each game, counted from 0.
        first: the player who sat first in it.
        second: the other one.
        scores: the score of the player who sat first.
        weights: the share of its match that the game makes up.
        means: the mean score of its match's games.
        times: when each match was recorded, in seconds since 1970; one per match.
        judges: who judged which games.
        played_at: when each match was played, as far as one can tell; see `time_of`.

    >>> played = [PlayedMatch(1, "anna", "bo", 0.75, games=(1.0, 0.5), time=60.0)]
    >>> log = GameLog.of(played, {"anna": 0, "bo": 1})
    >>> len(log), log.first, log.scores
    (1, array([0, 1]), array([1. , 0.5]))
    """

    match: Indices
    first: Indices
    second: Indices
    scores: Array
    weights: Array
    means: Array
    times: Array
    judges: JudgeLog
    played_at: Array

    @classmethod
    def of(cls, matches: Iterable[PlayedMatch[str]], numbers: Mapping[str, int]) -> GameLog:
        """Read the matches once; `numbers` holds each player's number by name."""
        match, first, second = array("q"), array("q"), array("q")
        scores, weights, means, times = array("d"), array("d"), array("d"), array("d")
        judges, played_at = JudgeLog(), array("d")
        for played in matches:
            here, there = numbers[played.first], numbers[played.second]
            games, judge = played.games or (played.score,), played.judge
            for number, score in enumerate(games):
                if judge is not None:
                    judges.add(len(scores), judge.name, is_swapped=judge.is_swapped)
                is_swapped = number % 2 == 1  # the score still belongs to the match's first player
                match.append(len(times))
                first.append(there if is_swapped else here)
                second.append(here if is_swapped else there)
                scores.append(1.0 - score if is_swapped else score)
                weights.append(1.0 / len(games))
                means.append(sum(games) / len(games))
            times.append(played.time)
            played_at.append(time_of(played.number, played.data, played.time))
        numbered = (np.array(column, dtype=np.int64) for column in (match, first, second))
        measured = (
            np.array(column, dtype=np.float64) for column in (scores, weights, means, times)
        )
        then = np.array(played_at, dtype=np.float64)
        return cls(*numbered, *measured, judges, then)  # type: ignore[arg-type,call-arg]  # in order

    @classmethod
    def until(cls, matches: Iterable[PlayedMatch[str]], belief: Belief) -> GameLog:
        """The first matches, as many as the belief has: others may be recorded meanwhile."""
        numbers = {name: number for number, name in enumerate(belief.names)}
        return cls.of(islice(matches, round(float(belief.tally.games.sum()))), numbers)

    def __len__(self) -> int:
        """The number of matches."""
        return len(self.times)

    def tally(
        self,
        n_players: int,
        start: int = 0,
        stop: int | None = None,
        *,
        shares: Array | None = None,
    ) -> JudgedTally:
        """Points and games of the matches from `start` up to, but not including, `stop`.

        With `shares`, one per match of the log, a match counts only so much.
        """
        end = len(self) if stop is None else stop
        rows = slice(*np.searchsorted(self.match, [start, end]).tolist())
        tally, players = JudgedTally(n_players), np.stack([self.first[rows], self.second[rows]])
        scores, weights, means = self.scores[rows], self.weights[rows], self.means[rows]
        weights = weights if shares is None else weights * shares[self.match[rows]]
        tally.add_many(players[0], players[1], scores, weights, means=means)
        self.judges.note(tally, players, scores, weights, means, rows.start)
        return tally

    def matches_before(self, n_players: int) -> Indices:
        """How many matches were recorded before each player's first one.

        >>> played = [PlayedMatch(1, "anna", "bo", 1.0), PlayedMatch(2, "anna", "cy", 1.0)]
        >>> GameLog.of(played, {"anna": 0, "bo": 1, "cy": 2}).matches_before(3)
        array([0, 0, 1])
        """
        first = np.full(n_players, len(self))
        for seat in (self.first, self.second):
            np.minimum.at(first, seat, self.match)
        return first


@dataclass(frozen=True, repr=False)
class History:
    """What was known after some numbers of matches; ratings are on the leaderboard's scale.

    Args:
        names: all players, in the order of the columns of `ratings`.
        after: the numbers of matches at which the results were rated: the checkpoints.
        is_log: whether the checkpoints are evenly spaced on a log scale.
        ratings: Elo points, shape (checkpoints, players); NaN before a player's first match.
        margins: half the 95 % intervals, of the same shape; NaN if unknown.
        leader: the number of today's leader.
        n_candidates: how many players could still be among the top `k`, at each checkpoint.
        k: the size of the top.
        certainty: how certain it is that the candidates include the whole top.
        note: a sentence about what was left out; empty if nothing was.
    """

    names: tuple[str, ...]
    after: list[int]
    is_log: bool
    ratings: Array
    margins: Array
    leader: int
    n_candidates: Indices
    k: int
    certainty: float
    note: str = ""

    @property
    def banded(self) -> int:
        """The player whose interval a chart shows: the leader, or the next one if it is the anchor.

        An anchor's own interval is always zero.

        >>> flat = np.zeros((2, 2))
        >>> margins = np.array([[0.0, 90.0], [0.0, 80.0]])
        >>> History(("a", "b"), [1, 2], False, flat, margins, 0, np.ones(2), 1, 0.95).banded
        1
        """
        places = np.argsort(-self.ratings[-1], kind="stable")
        wide = [place for place in (self.leader, *places.tolist()) if self.margins[-1, place] > 0.0]
        return wide[0] if wide else self.leader

    @property
    def margin(self) -> Array:
        """Half the interval of the player who is `banded`, at each checkpoint."""
        return np.asarray(self.margins[:, self.banded])

    @classmethod
    def of(
        cls,
        log: GameLog,
        belief: Belief,
        top: Top,
        *,
        stop: Stop = Stop(),
        n_checkpoints: int = CHECKPOINTS,
    ) -> History:
        """Rate the results of the log up to each checkpoint.

        The last checkpoint is the present: it is read from `belief` and `top` and costs no fit.
        Those before it share one posterior, which starts each fit at the previous one.

        Args:
            log: the matches that `belief` is about.
            belief: the posterior of all of them.
            top: the leaders and the candidates by `belief`.
            stop: when the tournament ends; `top` must have been made with the same.
            n_checkpoints: how many at most, evenly spaced, or by equal factors in a long
                tournament; fewer with many players or judges: see `most_checkpoints`.

        >>> played = [PlayedMatch(n, "anna", "bo", 1.0) for n in range(8)]
        >>> log = GameLog.of(played, {"anna": 0, "bo": 1})
        >>> belief = Belief(["anna", "bo"], log.tally(2))
        >>> history = History.of(log, belief, Top.of(belief), n_checkpoints=3)
        >>> history.after, history.ratings[:, 0].round(), history.n_candidates
        ([0, 4, 8], array([ nan, 462., 862.]), array([2, 2, 1]))
        """
        n_players, k = len(belief.names), len(top.players)
        is_log = len(log) > LOG_FROM * n_players
        has_features, votes = belief.features is not None, belief.votes(belief.tally)
        n_votes = 0 if votes is None else len(votes.games)
        usual = min(n_checkpoints, most_checkpoints(n_players, has_features=has_features))
        count = min(usual, most_checkpoints(n_players, has_features, n_votes))
        after = checkpoints(len(log), count, start=n_players if is_log else 0)
        field = _Field(belief.in_play, belief.scale, k, stop)
        tallies = _tallies(log, after[:-1], belief.tally)
        fits = _fits(tallies, after[:-1], belief)
        ratings = belief.scale.ratings(belief.ratings)
        present = _Reading(ratings, belief.margins, len(top.candidates))
        readings = [*(field.read(*fit) for fit in fits), present]
        ratings = np.array([reading.ratings for reading in readings])
        ratings[np.array(after)[:, None] <= log.matches_before(n_players)] = np.nan
        return cls(
            names=tuple(belief.names),
            after=after,
            is_log=is_log,
            ratings=ratings,
            margins=np.array([reading.margins for reading in readings]),
            leader=belief.names.index(top.players[0]),
            n_candidates=np.array([reading.n_candidates for reading in readings]),
            k=k,
            certainty=stop.level,
            note=FEWER.format(count) if count < min(usual, len(log)) else "",
        )

    def __repr__(self) -> str:
        players, matches = counted(len(self.names), "player"), counted(self.after[-1], "match")
        return f"<History of {players} in {matches}>"

    def plot(self, axes: Axes | None = None, *, top: int = len(COLOURS)) -> Figure:
        """Draw the ratings over the matches, and how many could still be the best, below.

        The `top` rated highest today have colours and names; the band is the 95 % interval of the
        leader, or of the next player if the leader is the anchor. Returns the figure.

        Args:
            axes: to draw the ratings into, without the candidates; a new figure by default.
            top: how many players have a colour.
        """
        if axes is None:
            figure = new_figure(8.0, 5.4)
            axes, below = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
            below.step(self.after, self.n_candidates, where="post", color=BLUE)
            what = "best" if self.k == 1 else f"top {self.k}"
            below.set_ylabel(f"may be\n{what}")
            below.set_ylim(bottom=0.0)
            below.yaxis.get_major_locator().set_params(integer=True)
            plain(below, grid="both")
        else:
            (figure, axes), below = axes_of(axes, 8.0, 4.3), axes
        order = np.argsort(-self.ratings[-1], kind="stable")  # players without a match come last
        named = order[: min(check_top(top), len(COLOURS))]
        for player in order[len(named) :]:
            axes.plot(self.after, self.ratings[:, player], color=GREY, linewidth=0.6, alpha=0.6)
        middle, shade = self.ratings[:, self.banded], GREY
        for player, colour in zip(named.tolist(), COLOURS, strict=False):
            shade = colour if player == self.banded else shade
        span = middle - self.margin, middle + self.margin
        axes.fill_between(self.after, *span, color=shade, alpha=0.12, linewidth=0)
        for player, colour in zip(named.tolist(), COLOURS, strict=False):
            axes.plot(self.after, self.ratings[:, player], color=colour, linewidth=1.8)
        self._name_lines(axes, named.tolist())
        axes.set_ylabel("rating (Elo points)")
        below.set_xlabel("matches, on a log scale" if self.is_log else "matches")
        if self.is_log:
            axes.set_xscale("log")
            below.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        plain(axes, grid="both")
        names = [self.names[player] for player in named]
        note_names(axes, names, len(names))
        return figure

    def _name_lines(self, axes: Axes, players: list[int]) -> None:
        """Write the name of each line at its end, as far apart as lines of text need."""
        low, high = axes.get_ylim()
        names, room = shown_names([self.names[player] for player in players]), (high - low) / 17.0
        ends = [float(self.ratings[-1, player]) for player in players]
        place = math.inf
        for name, end, colour in zip(names, ends, COLOURS, strict=False):
            if not math.isnan(end):
                place = min(end, place - room)
                axes.annotate(
                    name,
                    (self.after[-1], place),
                    xytext=(6, 0),
                    textcoords="offset points",
                    color=colour,
                    va="center",
                    annotation_clip=False,
                )

    def document(self) -> dict[str, Any]:
        """The same for JSON: ratings by name, null before a player's first match."""
        shown = [[None if math.isnan(one) else one for one in row] for row in self.ratings.T]
        return {
            "after": self.after,
            "ratings": dict(zip(self.names, shown, strict=True)),
            "margin": self.margin.tolist(),
            "margin_of": self.names[self.banded],
            "n_candidates": self.n_candidates.tolist(),
            "k": self.k,
            "certainty": self.certainty,
        }


def most_checkpoints(n_players: int, has_features: bool = False, n_votes: int = 0) -> int:
    """How many checkpoints a history may have, as each costs a fit, and a fit O(n^3).

    Above 1,587 players it is the present alone, with features above 632: these take longer. So do
    judges and controls, with which a fit is a dozen fits, and looks at every vote as often.

    >>> [most_checkpoints(n_players) for n_players in (50, 200, 1_000, 10_000)]
    [61, 40, 8, 1]
    >>> [most_checkpoints(n_players, has_features=True) for n_players in (50, 200, 1_000)]
    [61, 20, 1]
    >>> [most_checkpoints(n_players, n_votes=20_000) for n_players in (10, 50, 200, 1_000)]
    [40, 40, 10, 2]
    """
    if has_features:
        most = 800_000 // n_players**2
    else:
        most = min(8_000 // n_players, 8 * 1_000**3 // n_players**3)
    if n_votes:
        most = min(most // 4, VOTES_FITTED // n_votes)
    return max(1, min(CHECKPOINTS, most))


def checkpoints(n_matches: int, count: int, *, start: int = 0) -> list[int]:
    """Numbers of matches from `start` on: evenly spaced, or by equal factors if it is not 0.

    >>> checkpoints(100, 5)
    [0, 25, 50, 75, 100]
    >>> checkpoints(1000, 4, start=1)
    [1, 10, 100, 1000]
    """
    if count == 1:
        return [n_matches]
    space = np.geomspace if start else np.linspace
    return [int(number) for number in np.unique(space(start, n_matches, count).round())]


def _tallies(log: GameLog, after: Sequence[int], whole: Tally) -> Iterator[JudgedTally]:
    """What the results counted after each number of matches; they fade as in the whole tally."""
    n_players, tally, before = whole.n_players, JudgedTally(whole.n_players), 0
    for now in after:
        if isinstance(whole, FadingTally):
            shares = weights_of(whole.half_life, log.played_at[:now])
            tally = log.tally(n_players, 0, now, shares=shares)
        else:
            tally.add_tally(log.tally(n_players, before, now))
        yield tally
        before = now


def _fits(
    tallies: Iterable[JudgedTally], after: Sequence[int], belief: Belief
) -> Iterator[tuple[Array, Array]]:
    """Strengths and covariance by each tally, in nats; with the features of the belief."""
    n_players, in_play = len(belief.names), belief.in_play
    if n_players < 2:
        yield from ((np.zeros(n_players), np.zeros((n_players,) * 2)) for _ in after)
        return
    posterior = Posterior(n_players, features=belief.features)
    for n_matches, tally in zip(after, tallies, strict=True):
        field = in_play.tolist() if len(in_play) > 1 else None
        posterior.fit(tally.crosstable(), field, split=float(tally.splits.sum()))
        fit = WholeFit(posterior, belief.votes(tally, n_matches))
        yield fit.ratings(), fit.covariance


class _Reading(NamedTuple):
    """What was known at one checkpoint."""

    ratings: Array
    margins: Array
    n_candidates: int


@dataclass(frozen=True)
class _Field:
    """The players who can still be best."""

    in_play: Indices
    scale: Scale
    k: int
    stop: Stop

    def read(self, means: Array, covariance: Array) -> _Reading:
        """Ratings and half their intervals on the leaderboard's scale."""
        margins = self.scale.margins(variances_from(covariance, self.scale.base))
        n_candidates = self._n_candidates(means, covariance)
        return _Reading(self.scale.ratings(means), margins, n_candidates)

    def _n_candidates(self, means: Array, covariance: Array) -> int:
        """K if the top is decided, else as many as `Belief.candidates` has, with the tolerance."""
        known = means[self.in_play], covariance[np.ix_(self.in_play, self.in_play)]
        if len(self.in_play) <= self.k:
            return len(self.in_play)
        means, cov = known
        verdict = top_verdict(means, cov, self.stop, k=self.k)
        if verdict.kind == "decided":
            return self.k
        means = means.copy()
        means[np.argsort(-means, kind="stable")[: self.k]] += self.stop.nats
        certainty, rng = self.stop.level, np.random.default_rng(0)
        draws = min(MOST_DRAWS, max(FEWEST_DRAWS, NUMBERS // len(self.in_play)))
        found = credible_set(means, cov, self.k, confidence=certainty, rng=rng, draws=draws)
        return max(self.k + 1, len(found))
