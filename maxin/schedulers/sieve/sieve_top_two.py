"""SieveTopTwo: find the best of very many players."""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np

from maxin.core import InvalidInput, Match, Result, Stop, check_whole
from maxin.evaluation import Verdict
from maxin.kernels.posterior import KAPPA2
from maxin.kernels.sparse import fill_doubts
from maxin.ratings.base import Array
from maxin.ratings.fitting.pairs import Pairs
from maxin.ratings.sparse.contenders import Rivals, find_rivals
from maxin.ratings.sparse.sparse_posterior import SparsePosterior
from maxin.schedulers.base import Draws
from maxin.schedulers.match_plan import MatchPlan, PlansMatches
from maxin.schedulers.posterior.draws import StrengthDraws
from maxin.schedulers.sieve.contender_stage import ContenderStage
from maxin.schedulers.sieve.field_verdict import field_verdict
from maxin.schedulers.sieve.screening import batch_size, screening_pairs

N_CONTENDERS = 512
PER_PLACE = 4  # contenders for each place in the top, at least
MOST_PLACES = 500  # places in the top: beyond, the contenders would be too many to be exact


class Doubts(NamedTuple):
    """The summed probabilities of being better than a player of the top.

    `inside` is that of the other contenders by their exact posterior; `outside` is that of
    everyone else, and what heavier tails than the normal ones add.
    """

    inside: float
    outside: float


class SieveTopTwo(PlansMatches):
    """Finds the best player, or the k best, of very many, with nothing to tune.

    First it screens the field: neighbours in a draw from a `SparsePosterior` meet, those at the
    top of the draw, in batches that shrink with the number of players who may still be the best.
    The results of a batch are learnt together, when the last one has come.
    When that number is below 512, these contenders are rated by an exact `Posterior` in which the
    results of the others are priors, and chosen as by `TopTwo`. Every 512 matches the results go
    back to the sparse posterior, and the contenders are chosen again. Outsiders get a share of the
    matches: their part of the doubt about who is the best.

    Args:
        n_players: how many players take part.
        rng: draws from the posterior.
        k: how many of the best players to find, at most 500.
        kappa: see `Posterior`.
        n_contenders: how many players are rated exactly; at least 4 k.

    >>> rng = np.random.default_rng(0)
    >>> scheduler = SieveTopTwo(1_000, rng=rng)
    >>> for _ in range(1_000):  # player 7 wins whatever it plays
    ...     match = scheduler.ask()
    ...     score = float(match.first == 7) if 7 in match else 0.5
    ...     scheduler.tell(Result(match, score))
    >>> int(scheduler.ratings().argmax())
    7
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        k: int = 1,
        kappa: float = 1.0,
        n_contenders: int = N_CONTENDERS,
    ) -> None:
        super().__init__(n_players)
        most = min(n_players - 1, MOST_PLACES)
        if not 1 <= check_whole(k, "k") <= most:
            raise InvalidInput(
                f"k, the size of the top, must be from 1 to {most} with {n_players} players; "
                f"got {k}"
            )
        self.k = k
        self.graph = SparsePosterior(n_players, kappa=kappa)
        self.n_contenders = min(max(n_contenders, PER_PLACE * k), n_players)
        self._screening = Draws(rng)
        self._draws = StrengthDraws(self.n_contenders, rng)
        self._stage: ContenderStage | None = None
        self._batch: list[tuple[int, int, float]] = []  # screening results not learnt yet
        self._begin()

    @property
    def has_tables(self) -> bool:
        """See `BaseScheduler.has_tables`."""
        return False

    @property
    def is_screening(self) -> bool:
        """Whether too many players may still belong to the top to rate them exactly."""
        return self._stage is None

    def ratings(self) -> Array:
        """The posterior means: relative to the field, in nats."""
        return self._latest().ratings() if self._stage is None else self._stage.ratings()

    def _latest(self) -> SparsePosterior:
        """The graph, with the results of the batch that is being played."""
        if not self._batch:
            return self.graph
        graph = copy.deepcopy(self.graph)
        _teach(graph, self._batch)
        return graph

    def _learn(self, result: Result) -> None:
        if self._stage is None:
            self._batch.append((*result.match, result.score))
        else:
            self._stage.tell(result)
        if self.n_told >= self._plan_end:
            self._begin()

    def _begin(self) -> None:
        """Plan the next matches from the results so far: a batch, or a stage of contenders."""
        kappa2 = None
        _teach(self.graph, self._batch)
        self._batch = []
        if self._stage is not None:
            kappa2 = self._stage.kappa2
            self._stage.finish()
        rivals, rng = find_rivals(self.graph, self.k), self._screening.generator(self.n_told)
        is_late = rivals.n_effective < self.n_contenders and 2 * self.n_told >= self.n_players
        if self._stage is not None or is_late:
            self._stage = self._entered(rivals, kappa2)
            n_matches = self.n_contenders
            pairs = self._stage.outsider_pairs(n_matches, rng)
        else:
            n_matches = batch_size(rivals, self.graph.n_members)
            pairs = screening_pairs(self.graph, n_matches, self.k, rng)
        self._plan_start, self._plan_end = self.n_told, self.n_told + n_matches
        self._plan = MatchPlan(pairs, self.in_flight)

    def _entered(self, rivals: Rivals, kappa2: float | None) -> ContenderStage:
        """The stage of those most likely to belong to the top."""
        likely = rivals.likeliest(self.n_contenders)
        return ContenderStage.entered(self.graph, likely, self.k, kappa2)

    def _choose(self) -> Match | None:
        stage = self._stage
        if stage is None:
            return self._plan.next_match(again=True)
        if stage.is_for_outsiders(self.position - self._plan_start):
            match = self._plan.next_match()
            if match is not None:
                return match
        return stage.choose(self.in_flight, self._draws, self.position)

    def start_from(self, pairs: Pairs, split: float) -> None:
        """See `StartsFromPoints`."""
        self.graph.replace(pairs.rows(), pairs.points, pairs.games, split)
        self.n_told, self._stage, self._batch = self.graph.n_told, None, []
        self._begin()

    def doubts(self) -> Doubts:
        """How much doubt there is about the top, among the contenders and outside.

        Players who met few rivals are integrated numerically, with a prior whose tails are heavy:
        a player that won all of its five matches may be far better than everyone else. What that
        adds for contenders counts as doubt outside.
        """
        stage = self._stage
        if stage is None:
            graph = self._latest()
            state, leaders = graph.state, find_rivals(graph, self.k).leaders
            own = 2.0 * state.scales[KAPPA2] / graph.n_members
            means, variances = state.ratings[leaders], 1.0 / state.precisions[leaders] + own
            doubts = np.empty(self.n_players)
            fill_doubts(state, leaders, leaders, means, variances, doubts)
            return Doubts(0.0, float(doubts.sum()))
        return Doubts(stage.inside_doubt(), float(stage.outside_doubts().sum()))

    def verdict(self, stop: Stop = Stop()) -> Verdict:
        """Whether the top is known: see `field_verdict`. Never while the field is screened.

        `explanation` says why.
        """
        if self._stage is not None:
            return field_verdict(self._stage, stop).verdict
        top = np.argsort(-self.ratings(), kind="stable")[: self.k]
        return Verdict("undecided", tuple(top.tolist()), max(0.0, 1.0 - sum(self.doubts())))

    def explanation(self, stop: Stop = Stop()) -> str:
        """Why the verdict is not decided, or that it is, in one sentence."""
        if self._stage is None:
            rivals = round(find_rivals(self._latest(), self.k).n_effective)
            return (
                f"the field is still screened: about {rivals:,} of {self.n_players:,} players may "
                f"be among the best, and a decision needs fewer than {self.n_contenders}"
            )
        found = field_verdict(self._stage, stop)
        decided = f"the doubt outside the contenders is only {found.outside:.2g}"
        return found.obstacle or decided


def _teach(graph: SparsePosterior, results: list[tuple[int, int, float]]) -> None:
    """Let the graph learn results (first, second, score) together."""
    matches = np.array([row[:2] for row in results], dtype=np.int64).reshape(-1, 2)
    graph.tell_many(matches, np.array([row[2] for row in results]))
