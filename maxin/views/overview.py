"""The overview of a tournament: the numbers and sentences that every front page shows."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from maxin.core import Stop
from maxin.core.text import counted, listed
from maxin.core.units import ELO_PER_NAT
from maxin.evaluation import Verdict
from maxin.ratings.base import MOST_EXACT
from maxin.schedulers.sieve.field_verdict import MOST_SHOWN
from maxin.views.belief import Belief
from maxin.views.best_by import BestBy
from maxin.views.feature_effects import FeatureEffects, FeaturesDocument
from maxin.views.formats import LEAST, chance
from maxin.views.recorded.duel import Duel
from maxin.views.standings import Leaderboard, LeaderboardDocument, Standing
from maxin.views.top import (
    TOO_EARLY,
    Finding,
    Top,
    cheaper,
    expected_miss,
    give_or_take,
    lacking,
    stopping,
    too_early,
)

MANY = 50  # players; of more, the best are shown, and the candidates rated below them
MOST_OTHERS = 25  # candidates below the best


class OverviewDocument(LeaderboardDocument):
    """The verdict and the standings in JSON."""

    n_matches: int
    n_pending: int
    settings: dict[str, Any] | None
    status: str
    verdict: str
    n_left: int | None
    top: dict[str, Any] | None
    duel: dict[str, Any] | None
    features: FeaturesDocument | None


@dataclass(frozen=True, repr=False)
class Overview:
    """What is known about a tournament at one moment; all of it comes from one belief.

    Args:
        belief: the fit of all results.
        top_size: how many best players are sought.
        is_ranking: whether the whole order is sought.
        stop: when the tournament ends.
        n_matches: how many results there are.
        n_pending: how many matches were handed out and have no result yet.
        first_advantage: whether to fit what sitting first is worth.
        has_los: whether the leaderboard has the column LOS.
        settings: the tournament's settings, for programs.
        over: why no more matches are handed out, if that is so before a decision.

    >>> from maxin.ratings import Tally
    >>> tally = Tally(2)
    >>> tally.add_many([0] * 20, [1] * 20, [1.0] * 20)
    >>> overview = Overview(Belief(["anna", "bo"], tally), n_matches=20)
    >>> print(overview.verdict)
    decided: anna is the best, give or take 10 Elo: 99.96 % sure, and expected to miss it by 0.038
    Elo beyond those 10
    """

    belief: Belief
    top_size: int = 1
    is_ranking: bool = False
    stop: Stop = Stop()
    n_matches: int = 0
    n_pending: int = 0
    first_advantage: bool = False
    has_los: bool = False
    settings: Mapping[str, Any] | None = None
    over: str = ""

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """The standings."""
        return Leaderboard.of(
            self.belief, first_advantage=self.first_advantage, has_los=self.has_los
        )

    @cached_property
    def top(self) -> Top | None:
        """The leaders; None if nobody is in play."""
        if not self.belief.in_play.size:
            return None
        size = self.belief.top_size(self.top_size)
        top = Top.of(self.belief, size, self.stop)
        is_open = self._is_undecidable and not top.is_decided
        return top._replace(n_left=None) if is_open else top

    @property
    def _is_undecidable(self) -> bool:
        """Whether the run is over, or seeks no decision, or one by another test."""
        return bool(self.over) or self.stop.confidence is None or self.stop.test is not None

    @cached_property
    def duel(self) -> Duel | None:
        """The difference of the only two players in play; None without a game of chess or a test.

        None too if there are graded scores.
        """
        belief = self.belief
        if belief.in_play.size != 2 or not (self.has_los or self.stop.test):
            return None
        one, two = belief.in_play.tolist()
        names = belief.names[one], belief.names[two]
        return Duel.of(names, belief.tally, (one, two), self.stop.test)

    @cached_property
    def best_by(self) -> BestBy | None:
        """Who is best by each meaning; None with fewer than two players."""
        return BestBy.of(self.belief) if self.belief.in_play.size > 1 else None

    @cached_property
    def features(self) -> FeatureEffects | None:
        """What features say about ratings; None without features or results."""
        return FeatureEffects.of(self.belief) if self.n_matches else None

    @property
    def verdict(self) -> str:
        """What is known, in one sentence; it starts with "decided" if it is."""
        return f"decided: {self.finding}" if self.found.is_decided else self.finding

    @property
    def status(self) -> str:
        """Either "decided" or "undecided"."""
        if not self.n_matches or self.top is None:
            return "undecided"
        if self.stop.test is not None:
            return "undecided" if self.duel is None or not self.duel.decision else "decided"
        return self._order_status if self.is_ranking else self.top.status

    @property
    def finding(self) -> str:
        """What is known, without its status."""
        return str(self.found)

    @cached_property
    def found(self) -> Finding:
        """What is known, as a headline with its details."""
        found = self._found
        if self.over and not found.is_decided:
            parts = [found.details, f"the tournament is over: {self.over}"]
            return found._replace(details="; ".join(filter(None, parts)))
        return found

    @property
    def _found(self) -> Finding:
        if self.top is None:
            return Finding(
                "every player is retired" if self.belief.names else "there are no players"
            )
        if not self.n_matches:
            return Finding("no match has been played")
        left = [self.belief.names[player] for player in self.belief.in_play]
        if len(left) == 1:
            return Finding(f"only {left[0]} is left", is_decided=self.status == "decided")
        if self.duel is not None and self.stop.test is not None:
            return Finding(*self.duel.found, is_decided=self.duel.decision is not None)
        if self.belief.is_large and self.is_ranking:
            return self._order_found
        if self.belief.is_large and not self.top.is_decided:
            found = self.top.open_finding
            return found._replace(details=f"{found.details}; {self._obstacle}")
        if self._is_held_up:
            names = [self.belief.names[player] for player in self.belief.unplayed]
            have = "has" if len(names) == 1 else "have"
            details = f"{self.top.open_finding.details}; a decision needs results of everyone"
            return too_early(f"{listed(names)} {have} not played yet", details)
        return self._order_found if self.is_ranking else self._top_found

    @property
    def _obstacle(self) -> str:
        """Why a large field is not decided."""
        n_unplayed, n_players = self.belief.unplayed.size, self.belief.in_play.size
        if n_unplayed:
            return f"{n_unplayed:,} of {counted(n_players, 'player')} have not played yet"
        if n_players > MOST_SHOWN or self.top_size > 1:
            least = MOST_SHOWN if n_players > MOST_SHOWN else MOST_EXACT
            what = "nothing" if self.top_size == 1 else f"no top {self.top_size}"
            return (
                f"{what} is decided among more than {least:,} players, because no simulation has "
                "shown that such stops are right"
            )
        return f"not decided: {self.belief.obstacle(1, self.stop)}"

    @property
    def _top_found(self) -> Finding:
        assert self.top is not None
        if self.stop.confidence is None and not self.top.is_decided:
            return self.top.open_finding
        advice = self._advice(self.top_size, self.top.n_left)
        return self.top.finding(self.stop.level, advice)

    def _advice(self, k: int | None, n_left: int | None) -> str:
        """What needs far fewer matches, if more than the matches so far are missing."""
        if n_left is None or n_left < self.n_matches:
            return ""
        return cheaper(self.belief, k, self.stop, n_left)

    @property
    def _is_held_up(self) -> bool:
        """Whether a decision only waits for players who have not played."""
        if not self.belief.unplayed.size or self.status == "decided":
            return False
        if self.is_ranking:
            return self._order.shortfall <= self._order.needed
        found = self.belief.top_verdict(self.belief.top_size(self.top_size), self.stop)
        return found.shortfall <= found.needed

    @cached_property
    def n_left(self) -> int | None:
        """About how many more matches a decision takes; None if unknown, or if the run is over."""
        if self.top is None or not self.n_matches:
            return None
        if not self.is_ranking:
            return self.top.n_left
        if self._order_status == "decided":
            return 0
        if self._is_undecidable:
            return None
        return self.belief.matches_left(None, self.stop)

    @cached_property
    def _order(self) -> Verdict:
        return self.belief.order_verdict(self.stop)

    @property
    def _order_status(self) -> str:
        return "decided" if self._order.kind == "decided" else "undecided"

    @property
    def _order_found(self) -> Finding:
        """The order; its probability is a bound, which says nothing when it is zero."""
        order, what = self._order, f"the order of all {counted(self.belief.in_play.size, 'player')}"
        if self.belief.is_large:
            never = f"an order of more than {MOST_EXACT:,} is never decided"
            return too_early(f"{what} is not known yet", never)
        missed = expected_miss(order.shortfall * ELO_PER_NAT, self.stop.tolerance)
        sure = f"at least {chance(order.odds)} sure" if order.odds >= LEAST else ""
        certainty = f"{sure}{missed}" if sure else missed.removeprefix(", and ")
        within_it = give_or_take(self.stop.tolerance)
        if self._order_status == "decided":
            return Finding(f"{what} is known{within_it}", certainty, is_decided=True)
        details = [f"the order shown{within_it and f'{within_it},'} is {certainty}"]
        if self.stop.confidence is not None:
            needed, advice = order.needed * ELO_PER_NAT, self._advice(None, self.n_left)
            details.append(lacking(stopping(self.stop.confidence), needed, self.n_left) + advice)
        return too_early(f"{what} is not known yet", "; ".join(details))

    @property
    def best(self) -> str:
        """Who is the best, where the whole order is sought: the stop does not wait for it."""
        assert self.top is not None
        if self.top.is_decided:
            return self.top.sentence(self.stop.level)
        return str(self.top.open_finding).removeprefix(TOO_EARLY)

    @property
    def counts(self) -> str:
        """How many players and matches there are."""
        states = Counter(self.belief.states)
        parts = [counted(len(self.belief.names) - states["removed"], "player")]
        parts += [f"{states[state]} {state}" for state in ("paused", "retired") if states[state]]
        pending = f", {self.n_pending:,} pending" if self.n_pending else ""
        return f"{', '.join(parts)}; {counted(self.n_matches, 'match')}{pending}"

    @property
    def notes(self) -> list[str]:
        """What a reader should know besides the standings, one line each."""
        if self.top is None or not self.n_matches:
            return [self.counts, *([] if self.top else self.lines)]
        lines = [self.counts, *self.lines]
        if self.is_ranking:
            lines.append(f"the best: {self.best}")
        return [*lines, *([] if self.features is None else self.features.notes), *self.caveats]

    @property
    def lines(self) -> list[str]:
        """The verdict as a terminal shows it: a decision in one line, else with details below."""
        return [self.verdict] if self.found.is_decided else self.found.lines

    @property
    def difference(self) -> list[str]:
        """A line about the difference of two players, as chess programs show it, if it is known."""
        return [] if self.duel is None else [self.duel.sentence]

    @property
    def caveats(self) -> list[str]:
        """Notes on two players, on what the ratings account for, and on what "best" means."""
        words = None if self.best_by is None else self.best_by.disagreement
        lines = [*self.difference, *self.leaderboard.accounts]
        return lines if words is None else [*lines, f"note: {words}"]

    def __repr__(self) -> str:
        judging = self.leaderboard.judging if self.n_matches else None
        return f"<Overview: {self.counts}{'' if judging is None else f'; {judging}'}>"

    def __str__(self) -> str:
        return "\n".join([self.leaderboard.part_text, "", *self.notes])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return notes + self.leaderboard.part_html()

    def document(self) -> OverviewDocument:
        """Everything above, as JSON can hold it."""
        top = self.top if self.n_matches else None
        return {
            "n_matches": self.n_matches,
            "n_pending": self.n_pending,
            "settings": None if self.settings is None else dict(self.settings),
            "status": self.status,
            "verdict": self.finding,
            "n_left": self.n_left,
            "top": None if top is None else top._asdict(),
            "duel": None if self.duel is None else self.duel.document(),
            "features": None if self.features is None else self.features.document(),
            **self.leaderboard.document(),
        }


class Leaders(NamedTuple):
    """The best players, and the candidates rated below them, both in the leaderboard's order.

    Args:
        best: the first rows of the leaderboard; all of them if there are few.
        others: the most likely candidates among the other rows.
        n_hidden: how many candidates are not shown.
        n_players: how many rows the leaderboard has.
    """

    best: tuple[Standing, ...]
    others: tuple[Standing, ...]
    n_hidden: int
    n_players: int

    @classmethod
    def of(cls, overview: Overview, count: int = MANY) -> Leaders:
        """The leaders among all players; before the first match there are no candidates.

        Args:
            overview: the leaderboard and the candidates.
            count: how many of the best to show.

        >>> from maxin.ratings import Tally
        >>> from maxin.views import Belief
        >>> tally = Tally(4)
        >>> tally.add_many([0, 0, 1, 2] * 9, [1, 2, 3, 3] * 9, [0.6, 0.5, 1.0, 1.0] * 9)
        >>> belief = Belief(["anna", "bo", "cy", "dee"], tally)
        >>> found = Leaders.of(Overview(belief, n_matches=36), count=2)
        >>> found.names, found.sentence
        (['cy', 'anna', 'bo'], 'the best 2 of 4 players, and 1 candidate rated below them')
        """
        rows, top = overview.leaderboard, overview.top
        candidates = top.candidates if top is not None and overview.n_matches else ()
        best, below = tuple(rows[:count]), {row.player: row for row in rows[count:]}
        wanted = [name for name in candidates if name in below]
        chosen = set(wanted[:MOST_OTHERS])
        others = tuple(row for row in below.values() if row.player in chosen)
        if len(others) == len(below):
            best, others = best + others, ()
        return cls(best, others, len(wanted) - len(chosen), len(rows))

    @property
    def rows(self) -> tuple[Standing, ...]:
        """All rows that are shown."""
        return self.best + self.others

    @property
    def names(self) -> list[str]:
        """The names of the players that are shown."""
        return [row.player for row in self.rows]

    @property
    def is_all(self) -> bool:
        """Whether everyone is shown."""
        return len(self.rows) == self.n_players

    @property
    def sentence(self) -> str:
        """Who is shown, as a noun."""
        if self.is_all:
            return f"all {counted(self.n_players, 'player')}"
        best = f"the best {len(self.best)} of {counted(self.n_players, 'player')}"
        if not self.others:
            return best
        which = f"the {len(self.others)} likeliest of " if self.n_hidden else ""
        n_candidates = counted(len(self.others) + self.n_hidden, "candidate")
        return f"{best}, and {which}{n_candidates} rated below them"
