"""alpha-IG: the match with the most expected information about the alpha-rank."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from maxin.core import Match, Result
from maxin.evaluation import alpha_rank
from maxin.ratings.base import Array
from maxin.ratings.bradley_terry import check_prior
from maxin.schedulers.base import BaseScheduler, Draws, n_pairs, nth_free, pair_of, place_of

MOST_EXACT = 5  # up to this many players, all sign patterns are listed: 2^10; seven have 2^21
N_SAMPLES = 500  # patterns drawn if there are too many to list
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(32)  # to average over a normal score
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


class Patterns(NamedTuple):
    """Sign patterns, who is better in each pair, grouped by the alpha-rank they lead to."""

    signs: NDArray[np.bool_]  # (patterns, pairs): whether the lower player of the pair is better
    ranks: Array  # (distinct alpha-ranks, players)
    members: scipy.sparse.csr_array  # (alpha-ranks, patterns): 1 where the pattern has the rank


def patterns_of(signs: NDArray[np.bool_], n_players: int) -> Patterns:
    """Group sign patterns by their alpha-rank with infinite alpha, which depends on signs only."""
    payoffs = np.zeros((len(signs), n_players, n_players))
    for place in range(signs.shape[1]):
        low, high = pair_of(place)
        payoffs[:, low, high] = np.where(signs[:, place], 1.0, -1.0)
        payoffs[:, high, low] = -payoffs[:, low, high]
    ranks, group = np.unique(alpha_rank(payoffs).round(9), axis=0, return_inverse=True)
    here = (group.ravel(), np.arange(len(signs)))
    return Patterns(signs, ranks, scipy.sparse.csr_array((np.ones(len(signs)), here)))


@functools.cache
def all_patterns(n_players: int) -> Patterns:
    """Every sign pattern of a small field.

    >>> len(all_patterns(4).signs), len(all_patterns(4).ranks)
    (64, 32)
    """
    pairs = np.arange(n_pairs(n_players))
    numbers = np.arange(2 ** len(pairs))
    return patterns_of((numbers[:, None] >> pairs & 1).astype(bool), n_players)


class AlphaIG(BaseScheduler):
    """Largest information gain about the alpha-rank (Rashid et al. 2021), exact up to five players.

    The edge P(x beats y) - 1/2 of each pair is believed to be normal and independent of the
    others. With infinite alpha only its sign matters, so the belief is a probability per sign
    pattern. The match asked has the largest I = H(rank) - E[H(rank | its score)]. With more than
    five players, patterns are sampled. Its ratings are the expected alpha-rank, as in the paper's
    figures: with a transitive game the best player's goes to 1.

    Args:
        n_players: how many players take part.
        rng: breaks ties, and draws patterns if there are too many to list.
        prior_scale: standard deviation of P(x beats y) - 1/2 before any match.
        noise: standard deviation of a score around P(x beats y); it is 1/2 for a fair coin.

    >>> scheduler = AlphaIG(3, rng=np.random.default_rng(0))
    >>> for loser in (1, 2, 1, 2, 1, 2):
    ...     scheduler.tell(Result(Match(0, loser), 1.0))
    >>> scheduler.ratings()  # the first player is probably on top
    array([0.892, 0.054, 0.054])
    """

    def __init__(
        self,
        n_players: int,
        *,
        rng: np.random.Generator,
        prior_scale: float = 0.5,
        noise: float = 0.5,
    ) -> None:
        super().__init__(n_players)
        prior_scale = check_prior(prior_scale)
        noise = check_prior(noise, "noise")
        self._draws = Draws(rng)
        self._new_precision = noise**-2  # what one match adds to the precision
        self._precision = np.full(n_pairs(self.n_players), prior_scale**-2)
        self._weighted = np.zeros(n_pairs(self.n_players))  # mean times precision

    def ratings(self) -> Array:
        """The expected alpha-rank under the current belief."""
        patterns, weights = self._beliefs(self.n_told)
        return np.asarray((patterns.members @ weights) @ patterns.ranks)

    def gains(self) -> Array:
        """The information gain I of one more match, for each pair in the order of `pair_of`."""
        patterns, weights = self._beliefs(self.position)
        won = patterns.members @ (weights[:, None] * patterns.signs)  # (ranks, pairs)
        everything = (patterns.members @ weights)[:, None]
        chance = won.sum(axis=0)  # that the pair's lower player is better
        if_won = won / np.maximum(chance, 1e-300)
        if_lost = (everything - won) / np.maximum(1.0 - chance, 1e-300)
        later = self._later_chances()[:, None, :]  # (nodes, 1, pairs)
        entropies = _entropy(later * if_won + (1.0 - later) * if_lost)  # (nodes, pairs)
        return np.asarray(_entropy(everything) - NODE_WEIGHTS @ entropies)

    def _later_chances(self) -> Array:
        """The sign's probability after one more match, at each node of the score's distribution."""
        precision = self._precision + self._new_precision
        mean = self._weighted / self._precision
        spread = np.sqrt(1.0 / self._precision - 1.0 / precision)
        return np.asarray(scipy.special.ndtr((mean + NODES[:, None] * spread) * np.sqrt(precision)))

    def _beliefs(self, number: int) -> tuple[Patterns, Array]:
        """The sign patterns and their probabilities; `number` is that of the draw, if sampled."""
        chance = scipy.special.ndtr(self._weighted / np.sqrt(self._precision))
        if self.n_players <= MOST_EXACT:
            patterns = all_patterns(self.n_players)
            return patterns, np.where(patterns.signs, chance, 1.0 - chance).prod(axis=1)
        uniform = self._draws.generator(number).random((N_SAMPLES, len(chance)))
        drawn, counts = np.unique(uniform < chance, axis=0, return_counts=True)
        return patterns_of(drawn, self.n_players), counts / N_SAMPLES

    def _choose(self) -> Match:
        gains = self.gains()
        flying = list({place_of(match) for match in self.in_flight})
        if len(flying) < len(gains):
            gains[flying] = -np.inf
        best = np.flatnonzero(gains >= gains.max() - 1e-12)
        return pair_of(int(best[nth_free(self._draws[self.position], len(best), ())]))

    def _learn(self, result: Result) -> None:
        (first, second), score = result
        place = place_of(result.match)
        edge = score - 0.5 if first < second else 0.5 - score
        self._weighted[place] += edge * self._new_precision
        self._precision[place] += self._new_precision


def _entropy(chances: Array) -> Array:
    """The entropy -sum p log p over the second to last axis."""
    return np.asarray(-scipy.special.xlogy(chances, chances).sum(axis=-2))
