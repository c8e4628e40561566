"""Local steps towards the fixed point of a posterior, one player at a time; compiled.

The equations are those of docs/notes/posterior.md. Variances are those of belief propagation, which
is exact if the graph of matches is a tree: see docs/notes/sieve.md. Where exact ones are known too,
`gap_scales` corrects it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.advantage_kernels import expected_score
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOBODY,
    PAIRS,
    PHI,
    SPREAD2,
    PairList,
    PosteriorState,
    open_share,
)

LONGEST_MOVE = 1.0  # of a rating at one visit, in nats
HALF = 0.5  # share of the way that the weight of a pair goes at a visit: whole steps may oscillate


class MessageGraph(PairList, Protocol):
    """Any state with pairs, ratings, and the messages of belief propagation."""

    @property
    def ratings(self) -> Floats:
        """Means of the ratings."""
        ...

    @property
    def precisions(self) -> Floats:
        """1 / Var(r), by belief propagation."""
        ...

    @property
    def messages(self) -> NDArray[Any]:
        """The precision that each end of a pair receives from the other."""
        ...

    @property
    def gap_scales(self) -> NDArray[Any]:
        """For each pair, Var(r_i - r_j) relative to belief propagation; 1 if it is not known."""
        ...


class Relaxation(NamedTuple):
    """The graph of a posterior's own arrays, to relax it."""

    scales: Floats
    counts: Ints
    heads: Ints
    nexts: Ints
    pairs: Ints
    played: Floats
    points: Floats
    weights: Floats
    effects: Floats
    ratings: Floats
    precisions: Floats
    messages: Floats
    gap_scales: Floats


def relaxation_of(state: PosteriorState) -> Relaxation:
    """A relaxation that moves the state's scales, ratings, effects and weights."""
    n_pairs = int(state.counts[PAIRS])
    shared = {name: getattr(state, name) for name in Relaxation._fields[:-3]}
    precisions = state.prior_weights / state.scales[SPREAD2]
    messages, gap_scales = np.zeros(2 * n_pairs), np.ones(n_pairs)
    return Relaxation(**shared, precisions=precisions, messages=messages, gap_scales=gap_scales)


@compiled
def pair_gap(state: MessageGraph, pair: int) -> float:
    """Var(r_i - r_j) of a pair that met: 1 / (w f + 1 / (1 / a + 1 / b)), corrected.

    a and b are the precisions of both players without this pair's matches.
    """
    i, j = state.pairs[pair, 0], state.pairs[pair, 1]
    first = without_message(state, i, 2 * pair)
    second = without_message(state, j, 2 * pair + 1)
    tie = state.weights[pair] * open_share(state, pair)
    gap: float = state.gap_scales[pair] / (tie + first * second / (first + second))
    return gap


@compiled
def without_message(state: MessageGraph, player: int, end: int) -> float:
    """The precision of a player without the matches of one pair, in which it has this end."""
    least = 1e-3 / state.scales[SPREAD2]  # rounding must not make it negative
    rest: float = max(state.precisions[player] - state.messages[end], least)
    return rest


@compiled
def pair_surprise(state: MessageGraph, pair: int) -> tuple[float, float]:
    """The surprise g = (W - N p) / phi of a pair that met, and its information N h / phi."""
    i, j = state.pairs[pair, 0], state.pairs[pair, 1]
    share = open_share(state, pair)
    variance = share * share * pair_gap(state, pair) + state.scales[KAPPA2] * share
    mean = state.ratings[i] - state.ratings[j] + state.effects[pair]
    chance, slope = expected_score(mean, variance)
    phi, played = state.scales[PHI], state.played[pair]
    return (state.points[pair] - played * chance) / phi, played * slope / phi


@compiled
def visit(
    state: MessageGraph, x: int, prior_mean: float, prior_weight: float
) -> tuple[float, float]:
    """Newton's step for the rating of one player, and its pairs' effects, weights and messages.

    The prior is N(prior_mean, s^2 / prior_weight). Returns by how much the rating moved, and the
    relative change of its precision.
    """
    kappa2, precision = state.scales[KAPPA2], prior_weight / state.scales[SPREAD2]
    slope, curvature = (prior_mean - state.ratings[x]) * precision, precision
    end = state.heads[x]
    while end != NOBODY:
        pair, sign = end // 2, 1.0 - 2.0 * (end % 2)
        surprise, weight = pair_surprise(state, pair)
        if state.weights[pair] > 0.0:
            weight = state.weights[pair] + HALF * (weight - state.weights[pair])
        state.weights[pair] = weight
        share = 1.0 / (1.0 + kappa2 * weight)
        slope += sign * share * (surprise + weight * state.effects[pair])
        curvature += weight * share
        state.effects[pair] += share * (kappa2 * surprise - state.effects[pair])
        precision += passed_message(state, end, weight * share)
        end = state.nexts[end]
    move = min(max(slope / curvature, -LONGEST_MOVE), LONGEST_MOVE)
    state.ratings[x] += move
    change = abs(precision - state.precisions[x]) / state.precisions[x]
    state.precisions[x] = precision
    return abs(move), change


@compiled
def passed_message(state: MessageGraph, end: int, tie: float) -> float:
    """The precision that a player with this end of a pair receives: 1 / (1 / (w f) + 1 / b).

    b is the precision of the rival without this pair's matches.
    """
    rival, other = state.pairs[end // 2, 1 - end % 2], end + 1 - 2 * (end % 2)
    message = 1.0 / (1.0 / tie + 1.0 / without_message(state, rival, other))
    state.messages[end] = message
    return message


@compiled
def pass_messages(state: MessageGraph, prior: Floats, ties: Floats) -> None:
    """One sweep of belief propagation over all players."""
    for x in range(len(prior)):
        precision, end = prior[x], state.heads[x]
        while end != NOBODY:
            precision += passed_message(state, end, ties[end // 2])
            end = state.nexts[end]
        state.precisions[x] = precision


@compiled
def fill_relaxed_gaps(state: MessageGraph, gaps: Floats) -> None:
    """Fill in Var(r_i - r_j) of each pair that met."""
    for pair in range(len(gaps)):
        gaps[pair] = pair_gap(state, pair)
