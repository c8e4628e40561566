"""Players of known strength, and short ways to play and read a tournament."""

import numpy as np

from maxin.tournament import Tournament

NAMES = ["anna", "bo", "cy", "dee"]
STRENGTH = {"anna": 2.0, "bo": 1.0, "cy": 0.0}


def strength(name):
    """A player's strength in nats; -1 for players without one of their own."""
    return STRENGTH.get(name, -1.0)


def play(first, second, seed):
    """A Bradley-Terry game that depends on the seed alone."""
    lead = strength(first) - strength(second)
    return float(np.random.default_rng(seed).random() < 1.0 / (1.0 + np.exp(-lead)))


def alphabet(first, second, seed):
    """A game that the alphabetically first player wins."""
    return float(first < second)


def play_some(tournament, times):
    """Ask and tell this many matches, one after the other."""
    for _ in range(times):
        ticket = tournament.ask()
        tournament.tell(ticket, play(ticket.first, ticket.second, ticket.seed))


def results_of(tournament):
    """Every match's number, players, score and seed, in the order of the record."""
    return [
        (row.number, row.first, row.second, row.score, row.seed) for row in tournament.matches()
    ]


def league(names, n_matches, **settings):
    """A tournament with `n_matches` results; the first of `names` is the strongest player."""
    tournament = Tournament(names, "sqlite://", **settings)
    rng = np.random.default_rng(0)
    strengths = dict(zip(names, np.linspace(1.5, -1.5, len(names)), strict=True))
    for _ in range(n_matches):
        match = tournament.ask()
        chance = 1.0 / (1.0 + np.exp(strengths[match.second] - strengths[match.first]))
        tournament.tell(match, float(rng.choice([rng.random() < chance, 0.5], p=[0.9, 0.1])))
    return tournament


def crowd(players, n_matches, *, seed=0):
    """A tournament of many players with results of random pairs; each is 2/n nats above the next.

    Results are added at once, as a scheduler would take longer to choose the pairs.
    """
    tournament = Tournament(players, "sqlite://", scheduler="random")
    names, rng = tournament.names, np.random.default_rng(seed)
    first = rng.integers(len(names), size=n_matches)
    second = (first + rng.integers(1, len(names), size=n_matches)) % len(names)
    chances = 1.0 / (1.0 + np.exp(2.0 * (first - second) / len(names)))
    scores = (rng.random(n_matches) < chances).astype(float)
    rows = zip(first.tolist(), second.tolist(), scores.tolist(), strict=True)
    tournament.add_results([(names[one], names[two], score) for one, two, score in rows])
    return tournament
