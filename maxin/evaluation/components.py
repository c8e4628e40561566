"""The top of a game with cycles: the sink components of its graph of wins."""

from __future__ import annotations

import numpy as np
import scipy

from maxin.core import InvalidInput
from maxin.evaluation._checks import ROUNDING, finite_square


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
    n_components, component = scipy.sparse.csgraph.connected_components(
        to_winner, directed=True, connection="strong"
    )
    loser, winner = np.nonzero(to_winner)
    left = component[loser[component[loser] != component[winner]]]
    groups = [np.flatnonzero(component == sink) for sink in np.setdiff1d(range(n_components), left)]
    return sorted(groups, key=lambda players: int(players[0]))


def sink_players(probabilities: np.ndarray) -> np.ndarray:
    """All players of all sink components, sorted; Table 2 counts them as |Top SSCC|.

    >>> two_level_players_and_a_loser = np.array([[0.5, 0.5, 1], [0.5, 0.5, 1], [0, 0, 0.5]])
    >>> sink_players(two_level_players_and_a_loser)
    array([0, 1])
    """
    return np.sort(np.concatenate(sink_components(probabilities)))


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
