"""The exact posterior of the contenders of a large field, and matches for the outsiders."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from maxin.core import Match, Result
from maxin.core.arrays import Floats, Ints
from maxin.kernels.posterior import KAPPA2
from maxin.kernels.sparse import fill_chances
from maxin.ratings.posterior.pending import WithPending
from maxin.ratings.posterior.posterior import Posterior
from maxin.ratings.sparse.contenders import Contenders, contender_posterior
from maxin.ratings.sparse.sparse_posterior import SparsePosterior
from maxin.schedulers.posterior.draws import StrengthDraws
from maxin.schedulers.posterior.top_two import top_two_match

MOST_INTEGRATED = 10_000  # players whose tails are integrated to choose matches
UNLIKELY = 1e-12  # outsiders below this chance of being better than the leaders are not drawn


class ContenderStage(Contenders):
    """Matches of the contenders of a large field, and a share of matches for outsiders.

    Args:
        graph: rates the whole field.
        contenders: their numbers, sorted.
        k: how many of the best players to find.
        posterior: that of the contenders, numbered by their places.
    """

    def __init__(
        self, graph: SparsePosterior, contenders: Ints, k: int, posterior: Posterior
    ) -> None:
        super().__init__(graph, contenders, k, posterior)
        self._counting = WithPending(posterior)
        self._places = {player: place for place, player in enumerate(contenders.tolist())}
        self._results: list[tuple[int, int, float]] = []  # those the graph does not have yet
        self.share = 0.0  # of matches, for outsiders

    @classmethod
    def entered(
        cls, graph: SparsePosterior, contenders: Ints, k: int, kappa2: float | None
    ) -> ContenderStage:
        """A stage that begins; `kappa2` is what the stage before has learnt."""
        first = float(graph.state.scales[KAPPA2]) if kappa2 is None else kappa2
        return cls(graph, contenders, k, contender_posterior(graph, contenders, first))

    @property
    def kappa2(self) -> float:
        """The spread of the pair effects learnt so far, squared."""
        return float(self.posterior.state.scales[KAPPA2])

    def local(self, match: Match) -> Match | None:
        """The match with the contenders' own numbers; None if an outsider takes part."""
        first, second = self._places.get(match.first), self._places.get(match.second)
        return None if first is None or second is None else Match(first, second)

    def tell(self, result: Result) -> None:
        """Learn from a result; that of an outsider goes to the graph, the others at the end."""
        match = self.local(result.match)
        if match is None:
            self.graph.learn(*result.match, result.score)
            return
        self._counting.forget()
        self.posterior.tell(Result(match, result.score))
        self._results.append((*result.match, result.score))

    def finish(self) -> None:
        """Tell the graph all results and what was learnt about kappa."""
        matches = np.array([row[:2] for row in self._results], dtype=np.int64).reshape(-1, 2)
        self.graph.learn_kappa(self.kappa2)
        self.graph.tell_many(matches, np.array([row[2] for row in self._results]))
        self._results = []

    def choose(self, pending: Iterable[Match], draws: StrengthDraws, position: int) -> Match:
        """The most informative match of two contenders."""
        inside = [match for match in map(self.local, pending) if match is not None]
        state = self._counting.state(inside)
        first, second = top_two_match(state, self._counting, draws, position, self.k)
        return Match(int(self.contenders[first]), int(self.contenders[second]))

    def outsider_pairs(self, n_matches: int, rng: np.random.Generator) -> Ints:
        """Matches for outsiders, drawn by their chance of being better than the leaders.

        Sets `share` to the outsiders' part of all doubt. Of `n_matches` they get that share;
        those drawn meet their neighbours in the order of ratings. Contenders who met few rivals
        are among them, with the part of their chance that a normal distribution lacks.
        """
        is_integrated = self.graph.n_players <= MOST_INTEGRATED
        chances = self.outside_doubts() if is_integrated else self._normal_chances()
        total = float(chances.sum())
        self.share = total / max(total + self.inside_doubt(), 1e-300)
        possible = np.flatnonzero(chances > UNLIKELY)
        n_drawn = min(2 * math.ceil(self.share * n_matches), len(possible) // 2 * 2)
        if n_drawn == 0:
            return np.empty((0, 2), dtype=np.int64)
        waits = rng.standard_exponential(len(possible)) / chances[possible]
        drawn = possible[np.argpartition(waits, n_drawn - 1)[:n_drawn]]
        order = np.argsort(-self.graph.state.ratings[drawn], kind="stable")
        return drawn[order].reshape(-1, 2)

    def _normal_chances(self) -> Floats:
        """P(better than the last of the top) if ratings are normal, 0 for the contenders."""
        means, variances = self.levels()
        chances = np.empty(self.graph.n_players)
        fill_chances(self.graph.state, float(means[-1]), float(variances[-1]), chances)
        chances[self.contenders] = 0.0
        return chances

    def is_for_outsiders(self, place: int) -> bool:
        """Whether the match at this place of the stage is one of the outsiders' share."""
        return math.floor((place + 1) * self.share) > math.floor(place * self.share)
