"""What best means: said when it makes a difference, and only then."""

import numpy as np

from maxin.ratings import Tally
from maxin.tournament import Tournament
from maxin.views.best_by import meanings

NAMES = ["rock", "paper", "scissors", "sponge"]


def tally_of(chances, times=60):
    """So many matches of each pair; a row has the chances against those that come after it."""
    tally = Tally(len(chances) + 1)
    rng = np.random.default_rng(0)
    for i, row in enumerate(chances):
        for j, chance in enumerate(row, start=i + 1):
            scores = (rng.random(times) < chance).astype(float)
            tally.add_many([i] * times, [j] * times, scores)
    return tally


def test_a_ladder_has_one_best():
    chances = [[0.7, 0.8, 0.9], [0.7, 0.8], [0.7]]
    found = meanings(NAMES, tally_of(chances), range(4))
    assert found.field == found.condorcet == "rock"
    assert found.disagreement is None
    assert next(iter(found.nash)) == next(iter(found.alpha_rank)) == "rock"


def test_circles_are_said():
    # Rock beats scissors, paper beats rock, scissors beat paper; the sponge loses most to rock.
    chances = [[0.1, 0.9, 0.99], [0.1, 0.6], [0.6]]
    found = meanings(NAMES, tally_of(chances), range(4))
    assert found.condorcet is None
    assert found.nemesis is not None
    assert "nobody beats everyone" in found.disagreement
    assert found.disagreement.startswith("rock does best against the field, but loses to paper")


def test_a_winner_of_every_match_who_is_not_best_against_the_field_is_named():
    # Paper beats everyone by a little, rock everyone else by a lot.
    chances = [[0.2, 0.97, 0.97], [0.6, 0.6], [0.5]]
    found = meanings(NAMES, tally_of(chances, times=200), range(4))
    assert (found.field, found.condorcet) == ("rock", "paper")
    assert "paper beats everyone, rock too" in found.disagreement


def test_few_matches_say_nothing_of_circles():
    tournament = Tournament(NAMES)
    for _ in range(6):
        ticket = tournament.ask()
        tournament.tell(ticket, ticket.seed % 2)
    assert tournament.meanings().disagreement is None
