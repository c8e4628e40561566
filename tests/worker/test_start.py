"""The arguments of a run are checked before anything is played."""

import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament
from tests.helpers.leagues import NAMES, alphabet


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"confidence": None},
            "a run needs an end: a confidence, or a budget of",
        ),
        ({"budget": 0}, "budget must be a whole number of at least 1; got 0"),
        ({"workers": 0}, "workers must be at least 1; got 0"),
        ({"retries": -1}, "retries must be at least 0; got -1"),
        ({"backoff": -1}, "backoff must be a number of seconds, at least 0; got -1"),
        ({"backoff": float("nan")}, "backoff .* got nan"),
        ({"backoff": "soon"}, "backoff .* got 'soon'"),
        ({"confidence": 1.0}, "confidence .* got 1.0"),
        ({"confidence": 0.3}, "confidence must be a number from 0.5 to below 1"),
        ({"tolerance": -1.0}, "tolerance must be a number .* from 0 to 1000; got -1.0"),
        ({"tolerance": 1e9}, "tolerance .* from 0 to 1000; got 1000000000.0"),
        ({"tolerance": float("nan")}, "tolerance .* got nan"),
        ({"tolerance": "ten"}, "tolerance .* got 'ten'"),
    ],
)
def test_invalid_arguments_are_refused_before_anything_is_played(wrong, message):
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput, match=message):
        tournament.run(alphabet, **wrong)
    assert (tournament.n_matches, tournament.n_pending) == (0, 0)


def test_something_that_cannot_play_is_refused():
    with pytest.raises(InvalidInput, match=r"play must be a function play.* got 'play\.py"):
        Tournament(NAMES).run("play.py {a} {b}")


def test_a_run_needs_a_player_who_is_not_retired():
    tournament = Tournament(NAMES)
    tournament.retire(*NAMES)
    with pytest.raises(InvalidInput, match="a run needs a player who is not retired"):
        tournament.run(alphabet)
