"""Who is best by each meaning of "best", and whether the meanings disagree."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxin.core import InvalidInput, Match
from maxin.evaluation import alpha_rank, nash_average
from maxin.views.belief import Belief
from maxin.views.columns import (
    ANCHORED,
    ESSENTIAL,
    RATING,
    SHARE,
    WHOLE,
    Column,
    DataTable,
)
from maxin.views.formats import share
from maxin.views.plots.pair_chances import PairChances
from maxin.views.scale import is_signed

CERTAIN = 0.95  # least probability that a rival beats the best, for it to be mentioned
MEANINGS = (
    "beats: how many others it beats more often than not",
    "Nash: how often to play it if the opponent chooses too",
    "alpha-rank: how long it leads if whoever beats the leader takes over",
)
SMALLEST_SHARE = 0.05  # least share of a mixture that is mentioned
MOST = 200  # of more players than this, only those rated highest are compared: the cost is n^3


class Meaning(NamedTuple):
    """What a player is worth by each meaning of "best"; the rating is in Elo points.

    `low` to `high` is the 95 % interval of the rating. `beats` is how many others the player beats
    more often than not, `nash` and `alpha_rank` are its shares of the mixtures of `BestBy`.
    """

    player: str
    rating: float
    low: float
    high: float
    beats: int
    nash: float
    alpha_rank: float


class BestBy(NamedTuple):
    """The best player by each meaning of the word; shares of a mixture are by name.

    Args:
        field: best against the field, by rating.
        condorcet: beats every other player more often than not; None if nobody does.
        nash: how often to play whom if the opponent chooses too, the largest share first.
        alpha_rank: how long each player would lead if whoever beats the leader takes over.
        nemesis: beats the best against the field with 95 % confidence; None if nobody does.
        meanings: a row for every player that was compared, the highest rating first.
        is_anchored: whether an anchor sets the scale of the ratings.
        n_players: how many players are in play; the best 200 of them are compared.
        is_played: whether there are results; without them nobody is called the best.
    """

    field: str
    condorcet: str | None
    nash: Mapping[str, float]
    alpha_rank: Mapping[str, float]
    nemesis: str | None
    meanings: tuple[Meaning, ...] = ()
    is_anchored: bool = False
    n_players: int = 0
    is_played: bool = True

    def __repr__(self) -> str:
        return f"<BestBy: {self.sentence}>"

    def __str__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return f"{self.table().html(MOST)}<p>{html.escape(self.sentence)}</p>"

    @classmethod
    def of(cls, belief: Belief) -> BestBy:
        """The best of those in play, by each meaning; at least two must be in play.

        Of more than 200 players, only the 200 rated highest are compared with each other.

        >>> from maxin.ratings import Tally
        >>> tally = Tally(3)  # rock, paper, scissors; rock wins more often
        >>> tally.add_many([0, 1, 2] * 20, [2, 0, 1] * 20, [1.0, 1.0, 1.0] * 20)
        >>> tally.add_many([0] * 10, [2] * 10, [1.0] * 10)
        >>> found = BestBy.of(Belief(["rock", "paper", "scissors"], tally))
        >>> found.condorcet is None, round(sum(found.nash.values()), 2)
        (True, 1.0)
        """
        players = belief.in_play
        if players.size < 2:
            raise InvalidInput(
                f"who is best needs two players who are not retired; there are {players.size}"
            )
        n_players, players = players.size, _best(belief)
        chances = belief.fit.chances(players)
        advantages = np.log(chances / (1.0 - chances))
        advantages = (advantages - advantages.T) / 2.0  # antisymmetric to the last bit
        beats = (chances > 0.5) | np.eye(len(players), dtype=bool)
        winners = np.flatnonzero(beats.all(axis=1))
        names = [belief.names[player] for player in players]
        nash, alpha = nash_average(advantages).weights, alpha_rank(advantages)
        ratings, margins = belief.scale.ratings(belief.ratings)[players], belief.margins[players]
        spans = (ratings, ratings - margins, ratings + margins)
        columns = (*spans, beats.sum(axis=1) - 1, nash, alpha)
        rows = zip(names, *(column.tolist() for column in columns), strict=True)
        return cls(
            names[0],
            names[winners[0]] if len(winners) else None,
            _shares(names, nash),
            _shares(names, alpha),
            _nemesis(belief, int(players[0])),
            tuple(Meaning(*row) for row in rows),
            not is_signed(belief.scale.anchor),
            n_players,
            belief.unplayed.size < n_players,
        )

    def table(self, top: int | None = None) -> DataTable[Meaning]:
        """All players, or the `top` highest rated, with their shares of both mixtures."""
        facts = {name: getattr(self, name) for name in ("field", "condorcet", "nemesis")}
        rows = self.meanings[:top]
        n_compared = len(self.meanings)
        notes = [f"shown: the first {len(rows)} of {n_compared}"] * (len(rows) < n_compared)
        if n_compared < self.n_players:
            notes.append(f"compared: the {n_compared} rated highest of {self.n_players:,} players")
        return DataTable(
            _columns(is_anchored=self.is_anchored),
            rows,
            "players",
            {**facts, "finding": self.sentence},
            notes=[*notes, *MEANINGS, self.sentence],
        )

    @property
    def sentence(self) -> str:
        """What the meanings say together, and how certain that is."""
        if not self.is_played:
            return "no match has been played"
        if self.disagreement is not None:
            return self.disagreement
        if self.condorcet == self.field:
            wins = "by these results beats everyone more often than not"
            return f"{self.field} does best against the field, and {wins}"
        rest = f"{self.condorcet} may beat everyone"
        if self.condorcet is None:
            rest = f"nobody beats everyone: strength may be cyclic, with the mixture {self.mixture}"
        unknown = f"nobody is known to beat {self.field} with {share(CERTAIN)} confidence"
        return f"{self.field} does best against the field; by these results {rest}, but {unknown}"

    @property
    def mixture(self) -> str:
        """The largest shares of the mixture that no opponent can exploit."""
        large = {name: part for name, part in self.nash.items() if part >= SMALLEST_SHARE}
        return ", ".join(f"{name} {share(part)}" for name, part in large.items())

    @property
    def disagreement(self) -> str | None:
        """A sentence if "best" depends on what is meant; None if the meanings agree."""
        if self.nemesis is None:
            return None
        if self.condorcet is not None:
            return (
                f"{self.field} does best against the field, but {self.condorcet} beats everyone, "
                f"including {self.field}: which is best depends on the opponents they will meet"
            )
        return (
            f"{self.field} does best against the field, but loses to {self.nemesis}, and nobody "
            f"beats everyone: strength is cyclic, and the best mixture is {self.mixture}"
        )


def pair_chances(belief: Belief) -> PairChances:
    """The chances of every pair of the players that `BestBy` compares."""
    players = _best(belief)
    names = tuple(belief.names[player] for player in players)
    return PairChances(names, belief.fit.chances(players))


def _best(belief: Belief) -> NDArray[np.int64]:
    """The players in play, the highest rated first; of many the first ones."""
    players = belief.in_play
    return players[np.argsort(-belief.ratings[players], kind="stable")[:MOST]]


def _nemesis(belief: Belief, best: int) -> str | None:
    """Who beats the best against the field with the highest probability, if it is certain."""
    highest, found = CERTAIN, None
    for rival in belief.rivals.tolist():
        if rival != best:
            chance = belief.fit.lead_chance(Match(rival, best))
            if chance >= highest:
                highest, found = chance, belief.names[rival]
    return found


def _shares(names: Sequence[str], weights: np.ndarray) -> dict[str, float]:
    """All shares, the largest first."""
    order = np.argsort(-weights, kind="stable")
    return {names[place]: float(weights[place]) for place in order}


def _columns(*, is_anchored: bool) -> list[Column[Meaning]]:
    return [
        Column("player", "player", left=True, priority=ESSENTIAL),
        Column("rating", "rating", format=ANCHORED if is_anchored else RATING),
        Column("low"),
        Column("high"),
        Column(title="±", read=lambda row: (row.high - row.low) / 2.0, format=WHOLE),
        Column("beats", "beats"),
        Column("nash", "Nash", format=SHARE, priority=ESSENTIAL),
        Column("alpha_rank", "alpha-rank", format=SHARE, priority=ESSENTIAL),
    ]
