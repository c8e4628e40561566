import numpy as np
import pytest

from maxin.core import InvalidInput, Match, Result, check_match, check_name, check_result
from maxin.ratings import Elo, Online
from maxin.schedulers import PairUncertainty


@pytest.mark.parametrize(
    "given",
    [
        Result(Match(0, 1), 1.0),
        ((0, 1), 1),
        [[0, 1], True],
        Result(Match(np.int64(0), np.uint8(1)), np.float32(1.0)),
    ],
)
def test_results_may_be_any_pairs_of_numbers(given):
    found = check_result(given, n_players=2)
    assert found == Result(Match(0, 1), 1.0)
    assert [type(value) for value in (*found.match, found.score)] == [int, int, float]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Result(Match(0, 10**9), 1.0), "names player 1000000000"),
        (Result(Match(-1, 0), 1.0), "names player -1"),
        (Result(Match(0.5, 1), 1.0), "a player must be a whole number; got 0.5"),
        (Result(Match("anna", 1), 1.0), "a player must be a whole number; got 'anna'"),
        (Result(Match(0, 1), 1.5), r"in \[0, 1\]; match \(0, 1\) got 1.5"),
        (Result(Match(0, 1), float("nan")), "got nan"),
        (Result(Match(0, 1), "won"), "got 'won'"),
        (Result(Match(0, 1), None), "got None"),
        (Result(None, 1.0), "a match is two players; got None"),
        (None, "a result is a match and a score; got None"),
    ],
)
def test_every_entry_point_refuses_invalid_results(given, words):
    doors = [
        lambda: check_result(given, 4),
        lambda: Online(Elo(4), step_size=0.5, rng=np.random.default_rng(0)).tell(given),
        lambda: Elo(4).gradient(np.zeros((4, 1)), [given]),
        lambda: Elo(4).updated(np.zeros((4, 1)), given, 0.1),
    ]
    for door in doors:
        with pytest.raises(InvalidInput, match=words):
            door()


def test_widths_refuse_unknown_players():
    for act in (PairUncertainty(4).observe, PairUncertainty(4).width):
        with pytest.raises(InvalidInput, match="names player 100000000"):
            act(Match(0, 10**8))
    with pytest.raises(InvalidInput, match="three"):
        check_match(("three", 1), 4)


def test_the_nearest_name_is_suggested_in_any_case():
    with pytest.raises(InvalidInput, match="did you mean 'elo'"):
        check_name("ELO", ["elo", "disc"], "game")
    with pytest.raises(InvalidInput, match="known: disc, elo"):
        check_name("xyz", ["elo", "disc"], "game")
    with pytest.raises(InvalidInput, match="it has none"):
        check_name("xyz", [], "option")


def test_only_a_name_that_is_close_is_suggested():
    commands = ["init", "paper", "report", "show", "start"]
    for far in ("list", "pause", "stop", "results"):
        with pytest.raises(InvalidInput, match="known: init, paper, report, show, start"):
            check_name(far, commands, "command")
    for near in ("shoow", "papr", "inits", "startt"):
        with pytest.raises(InvalidInput, match="did you mean"):
            check_name(near, commands, "command")
