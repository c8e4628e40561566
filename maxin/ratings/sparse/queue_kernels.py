"""A queue of players to relax: local steps spread from the players of new results; compiled."""

from __future__ import annotations

from maxin.core.compile import Floats, Ints, compiled
from maxin.ratings.posterior.relaxation_kernels import pair_surprise, visit
from maxin.ratings.posterior.state_kernels import NOBODY, PAIRS, PHI, SPLIT, list_pair
from maxin.ratings.sparse.sparse_state import SparseState


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
            state.gap_scales[pair] = 1.0
            state.degrees[i] += 1
            state.degrees[j] += 1
        state.played[pair] += 1.0
        state.points[pair] += score
        state.scales[SPLIT] += score * (1.0 - score)


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
        move, change = visit(state, x, 0.0, 1.0)
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
