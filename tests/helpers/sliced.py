"""Players who differ between the slices of their matches, and what was found out about them."""

from typing import NamedTuple

import numpy as np

from maxin.core.units import ELO_PER_NAT
from maxin.tournament import Tournament

FIELD = "category"


class Found(NamedTuple):
    """What one simulated tournament found out; losses in nats."""

    named: float  # the share of the slices whose best player is named
    named_by_one: float  # the same by one common rating
    loss: float  # the mean over the slices, from the best player to the one that is named
    loss_by_one: float
    loss_overall: float  # of the player with the best mean over the slices
    loss_overall_by_one: float
    covered: float  # the share of the intervals of all ratings in slices that are right
    claimed: float  # the mean P(best) of the players that are named
    spread: float  # tau, as it was learnt


def simulated(seed, *, n_players=16, n_slices=5, spread=0.5, n_matches=480, **settings):
    """A tournament of normal players; the slices come in turn, as if they were drawn evenly."""
    rng = np.random.default_rng(seed)
    overall = rng.normal(size=n_players)
    truth = overall + spread * rng.normal(size=(n_slices, n_players))
    names = [f"p{number:02}" for number in range(n_players)]
    tournament = Tournament(names, "sqlite://", seed=seed, **settings)
    for number in range(n_matches):
        ticket, place = tournament.ask(), number % n_slices
        one, other = ticket.players
        chance = 1.0 / (1.0 + np.exp(truth[place, other] - truth[place, one]))
        score = float(rng.random() < chance)
        tournament.tell(ticket, score, data={FIELD: f"s{place}"})
    return tournament, truth


def found_out(seed, **how):
    """What is known after such a tournament, compared with the truth."""
    tournament, truth = simulated(seed, **how)
    slices, common = tournament.slices(FIELD), tournament.leaderboard()
    centred = truth - truth.mean(axis=1, keepdims=True)
    number = {name: place for place, name in enumerate(tournament.names)}
    best = truth.max(axis=1)
    losses, covered, claimed, means = [], [], [], np.zeros(len(truth[0]))
    for place, values in enumerate(centred):
        board = slices[f"s{place}"]
        losses.append(best[place] - truth[place, number[board[0].player]])
        claimed.append(board[0].p_best)
        for row in board:
            true = ELO_PER_NAT * values[number[row.player]]
            covered.append(row.low <= true <= row.high)
            means[number[row.player]] += row.rating
    losses_by_one = best - truth[:, number[common[0].player]]
    overall = truth.mean(axis=0)
    return Found(
        np.mean(np.array(losses) == 0.0),
        np.mean(losses_by_one == 0.0),
        np.mean(losses),
        losses_by_one.mean(),
        overall.max() - overall[means.argmax()],
        overall.max() - overall[number[common[0].player]],
        np.mean(covered),
        np.mean(claimed),
        slices.spread / ELO_PER_NAT,
    )
