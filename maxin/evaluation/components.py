"""The graph of wins of a game: its sink components, which are its top, and its cycles."""

from __future__ import annotations

import numpy as np
import scipy

from maxin.core import InvalidInput
from maxin.evaluation.checks import ROUNDING, finite_square


def sink_components(probabilities: np.ndarray) -> list[np.ndarray]:
    """The groups of players whom nobody outside the group beats, ordered by lowest player.

    In the graph with an edge from y to x wherever x beats y with probability > 1/2, these are the
    strongly connected components that no edge leaves (paper, Table 2; Omidshafiei et al. 2019).
    A probability of 1/2, up to rounding, is a tie and gives no edge, so there may be several.

    Args:
        probabilities: P, with P[x, y] the probability that x beats y.

    >>> rock_paper_scissors_loser = np.array(
    ...     [[0.5, 0.0, 1.0, 1.0], [1.0, 0.5, 0.0, 1.0], [0.0, 1.0, 0.5, 1.0], [0.0, 0.0, 0.0, 0.5]]
    ... )
    >>> sink_components(rock_paper_scissors_loser)
    [array([0, 1, 2])]
    """
    to_winner = _beats(probabilities).T
    component = _strong_components(to_winner)
    loser, winner = np.nonzero(to_winner)
    left = component[loser[component[loser] != component[winner]]]
    groups = [np.flatnonzero(component == sink) for sink in np.setdiff1d(component, left)]
    return sorted(groups, key=lambda players: int(players[0]))


def sink_players(probabilities: np.ndarray) -> np.ndarray:
    """All players of all sink components, sorted; Table 2 counts them as |Top SSCC|.

    >>> two_level_players_and_a_loser = np.array([[0.5, 0.5, 1], [0.5, 0.5, 1], [0, 0, 0.5]])
    >>> sink_players(two_level_players_and_a_loser)
    array([0, 1])
    """
    return np.sort(np.concatenate(sink_components(probabilities)))


def players_in_cycles(probabilities: np.ndarray) -> np.ndarray:
    """The players on some cycle x beats y beats ... beats x, sorted; none if a game is transitive.

    To beat is to win with probability > 1/2, as in `sink_components`, and these are the players of
    all strongly connected components with more than one player. A game is strictly transitive if
    there are none: then its players can be ordered so that nobody beats a better one.

    Args:
        probabilities: P, with P[x, y] the probability that x beats y.

    >>> loser_to_rock_paper_scissors = np.array(
    ...     [[0.5, 0.0, 0.0, 0.0], [1.0, 0.5, 0.0, 1.0], [1.0, 1.0, 0.5, 0.0], [1.0, 0.0, 1.0, 0.5]]
    ... )
    >>> players_in_cycles(loser_to_rock_paper_scissors)
    array([1, 2, 3])
    """
    component = _strong_components(_beats(probabilities))
    return np.flatnonzero(np.bincount(component)[component] > 1)


def _strong_components(edges: np.ndarray) -> np.ndarray:
    """The number of each player's strongly connected component."""
    _, component = scipy.sparse.csgraph.connected_components(
        edges, directed=True, connection="strong"
    )
    return np.asarray(component)


def _beats(probabilities: np.ndarray) -> np.ndarray:
    """Whether x beats y more often than not; the diagonal is False."""
    probabilities = finite_square(probabilities, "probabilities")
    if probabilities.min() < 0.0 or probabilities.max() > 1.0:
        raise InvalidInput(
            f"probabilities must be in [0, 1]; got {probabilities.min()} to {probabilities.max()}"
        )
    beats = probabilities > 0.5 + ROUNDING
    np.fill_diagonal(beats, False)
    return beats
