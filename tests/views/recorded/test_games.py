"""How games ended, and who forfeited some."""

import pytest

from maxin.storage import PlayedMatch
from maxin.views.recorded.games import EndedGame, GameEnds, ended_games

PAIR = ("anna", "bo")


@pytest.mark.parametrize(
    ("score", "games", "data", "found"),
    [
        (1.0, None, {"end": "checkmate"}, [("checkmate", "bo")]),
        (0.5, None, {"end": "stalemate"}, [("stalemate", None)]),
        (
            0.75,
            (1.0, 0.5),
            {"games": [{"end": "time"}, {"end": "too long"}]},
            [("time", "bo"), ("too long", None)],
        ),
        (1.0, None, None, []),
        (1.0, None, {"end": 7}, []),
        (0.5, (1.0, 0.0), {"games": [{"end": "time"}]}, []),
        (0.5, (1.0, 0.0), {"games": "no"}, []),
        (0.5, (1.0, 0.0), {"games": [{}, {}]}, []),
    ],
)
def test_ends_are_read_from_the_data_of_a_result(score, games, data, found):
    assert ended_games(PAIR, score, games, data) == [EndedGame(*one) for one in found]


def test_forfeits_are_counted_by_player_and_kind():
    ends = GameEnds.of(
        [
            PlayedMatch(1, *PAIR, 0.0, data={"end": "time"}, errors=("'anna' lost on time",)),
            PlayedMatch(2, *PAIR, 1.0, data={"end": "crash"}, errors=("player 'bo': it died",)),
            PlayedMatch(
                3,
                *PAIR,
                0.0,
                (0.0, 0.0),
                data={"games": [{"end": "illegal move"}, {"end": "checkmate"}]},
            ),
            PlayedMatch(4, *PAIR, 0.5),
        ]
    )
    anna, bo = ends.forfeits
    assert anna == ("anna", 4, 1, 0, 1)
    assert bo == ("bo", 4, 0, 1, 0)
    assert ends.notes[1] == (
        "forfeits: 3 of 4 games: anna lost 1 on time, 1 by an illegal move; bo lost 1 by a crash"
    )
    assert [one.match for one in ends.failures] == [1, 2, 3]
    assert ends.failures[1].reason == "bo lost by a crash: player 'bo': it died"


def test_other_games_have_no_notes():
    assert GameEnds.of([PlayedMatch(1, *PAIR, 1.0)]).notes == []
