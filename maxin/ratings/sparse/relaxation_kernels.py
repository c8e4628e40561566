"""Local steps towards the fixed point of a sparse posterior; compiled.

The equations are those of docs/notes/posterior.md, solved for one player at a time, and variances
are those of belief propagation: exact if the graph of matches is a tree, see docs/notes/sieve.md.
"""

from __future__ import annotations

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.advantage_kernels import expected_score
from maxin.ratings.posterior.state_kernels import (
    KAPPA2,
    NOBODY,
    PAIRS,
    PHI,
    SPLIT,
    SPREAD2,
    list_pair,
    open_share,
)
from maxin.ratings.sparse.sparse_state import SparseState

LONGEST_MOVE = 1.0  # of a rating at one visit, in nats
HALF = 0.5  # share of the way that the weight of a pair goes at a visit: whole steps may oscillate


@compiled
def add_results(state: SparseState, matches: Ints, scores: Floats) -> None:
    """Count results of matches (first, second), for whose pairs there is room."""
    for place in range(len(scores)):
        i, j, score = matches[place, 0], matches[place, 1], scores[place]
        if i > j:
            i, j, score = j, i, 1.0 - score
        n_pairs = state.counts[PAIRS]
        pair = list_pair(state, i, j)
        if pair == n_pairs:
            state.messages[2 * pair] = state.messages[2 * pair + 1] = 0.0
            state.degrees[i] += 1
            state.degrees[j] += 1
        state.played[pair] += 1.0
        state.points[pair] += score
        state.scales[SPLIT] += score * (1.0 - score)


@compiled
def pair_gap(state: SparseState, pair: int) -> float:
    """Var(r_i - r_j) of a pair that met: 1 / (w f + 1 / (1 / a + 1 / b)).

    a and b are the precisions of both players without this pair's matches.
    """
    i, j = state.pairs[pair]
    least = 1.0 / state.scales[SPREAD2]
    first = max(state.precisions[i] - state.messages[2 * pair], least)
    second = max(state.precisions[j] - state.messages[2 * pair + 1], least)
    tie = state.weights[pair] * open_share(state, pair)
    gap: float = 1.0 / (tie + first * second / (first + second))
    return gap


@compiled
def pair_surprise(state: SparseState, pair: int) -> tuple[float, float]:
    """The surprise g = (W - N p) / phi of a pair that met, and its information N h / phi."""
    i, j = state.pairs[pair]
    share = open_share(state, pair)
    variance = share * share * pair_gap(state, pair) + state.scales[KAPPA2] * share
    mean = state.ratings[i] - state.ratings[j] + state.effects[pair]
    chance, slope = expected_score(mean, variance)
    phi, played = state.scales[PHI], state.played[pair]
    return (state.points[pair] - played * chance) / phi, played * slope / phi


@compiled
def visit(state: SparseState, x: int) -> tuple[float, float]:
    """Newton's step for the rating of one player, and its pairs' effects, weights and messages.

    Returns by how much the rating moved, and the relative change of its precision.
    """
    kappa2, spread2 = state.scales[KAPPA2], state.scales[SPREAD2]
    slope, curvature, precision = -state.ratings[x] / spread2, 1.0 / spread2, 1.0 / spread2
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
        rival, other = state.pairs[pair, 1 - end % 2], end + 1 - 2 * (end % 2)
        without = max(state.precisions[rival] - state.messages[other], 1.0 / spread2)
        message = 1.0 / (1.0 / (weight * share) + 1.0 / without)
        state.messages[end] = message
        precision += message
        end = state.nexts[end]
    move = min(max(slope / curvature, -LONGEST_MOVE), LONGEST_MOVE)
    state.ratings[x] += move
    change = abs(precision - state.precisions[x]) / state.precisions[x]
    state.precisions[x] = precision
    return abs(move), change


@compiled
def relax(state: SparseState, n_queued: int, tolerance: float, most_visits: int) -> int:
    """Visit the players in the queue, and whoever would move because of them; returns visits.

    A rating that moves by more than `tolerance` is visited again, and so is a rival whose rating
    would move by half of that, or its precision by twice that share.
    """
    size, start, n_visits = len(state.queue), 0, 0
    while n_queued > 0 and n_visits < most_visits:
        x = state.queue[start]
        start, n_queued, n_visits = (start + 1) % size, n_queued - 1, n_visits + 1
        state.is_queued[x] = False
        move, change = visit(state, x)
        if move > tolerance:
            state.queue[(start + n_queued) % size] = x
            state.is_queued[x], n_queued = True, n_queued + 1
        if move > tolerance or change > 5.0 * tolerance:
            end = state.heads[x]
            while end != NOBODY:
                rival = state.pairs[end // 2, 1 - end % 2]
                pull = state.weights[end // 2] / state.precisions[rival]
                would_move = move * pull > 0.5 * tolerance or change * pull > 2.0 * tolerance
                if would_move and not state.is_queued[rival]:
                    state.queue[(start + n_queued) % size] = rival
                    state.is_queued[rival], n_queued = True, n_queued + 1
                end = state.nexts[end]
    for place in range(n_queued):
        state.is_queued[state.queue[(start + place) % size]] = False
    return n_visits


@compiled
def queue_players(state: SparseState, matches: Ints) -> int:
    """Queue the players of these matches, each once, whatever their seats; returns how many."""
    n_queued = 0
    for place in range(len(matches)):
        i, j = matches[place, 0], matches[place, 1]
        for x in (min(i, j), max(i, j)):
            if not state.is_queued[x]:
                state.queue[n_queued] = x
                state.is_queued[x], n_queued = True, n_queued + 1
    return n_queued


@compiled
def queue_everyone(state: SparseState) -> int:
    """Queue all players."""
    for x in range(len(state.ratings)):
        state.queue[x], state.is_queued[x] = x, True
    return len(state.ratings)


@compiled
def information_in_all(state: SparseState) -> float:
    """The sum over all matches of E[p (1 - p)], from which phi is learnt."""
    total = 0.0
    for pair in range(state.counts[PAIRS]):
        total += pair_surprise(state, pair)[1] * state.scales[PHI]
    return total
