"""PGN: players and results are read from chess games and written for chess tools."""

import io

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput
from maxin.storage import PlayedMatch
from maxin.tournament.results import read_results, written
from tests.helpers.results import matches, names, result, save, triples, write

PGN = """\
[Event "Tata \\"Steel\\""]
[White "Carlsen, Magnus"]
[Black "O\\\\Brien"]
[Result "1-0"]
[WhiteElo "2800"]

1. e4 {a comment with [White "nobody"]
[Black "nobody"] and a } e5 ; the rest { is a comment
2. Nf3 ({variation} 2. f4) 1-0

% [White "escaped"]
[White "bo"]
[Black "cy"]
[Result "*"]

*

[White "bo"]
[Black "cy"]
[Result "1/2-1/2"]
[White "cy"] [Black "bo"] [Result "0-1"]
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tags_are_read_among_moves_and_comments(tmp_path, end):
    log = read_results(save(tmp_path, PGN.replace("\n", end), "log.pgn"))
    assert list(log) == [
        result("Carlsen, Magnus", "O\\Brien", 1.0, 1),
        result("bo", "cy", 0.5, 18),
        result("cy", "bo", 0.0, 21),
    ]
    assert log.n_skipped == 1
    assert len(list(log)) == 3
    assert log.n_skipped == 1  # a second iteration counts from zero


def test_a_file_may_be_latin_1_or_utf_8(tmp_path):
    text = '[White "{}"]\n[Black "bo"]\n[Result "1-0"]\n\n1-0\n\n'
    both = text.format("Müller").encode("latin-1") + text.format("Müller").encode()
    assert [row.first for row in read_results(save(tmp_path, both, "log.pgn"))] == ["Müller"] * 2


printable = names.filter(lambda name: min(map(ord, name)) >= 32 and "\x7f" not in name)


@given(played=st.lists(matches(st.sampled_from([0.0, 0.5, 1.0]), printable), max_size=8))
def test_games_that_are_written_are_read_again_in_their_seats(tmp_path_factory, played):
    path = tmp_path_factory.mktemp("logs") / "log.pgn"
    write(played, path, "pgn")
    expected = []
    for row in played:
        if row.retracted is not None:
            continue
        if row.games is None:
            expected.append((row.first, row.second, row.score))
        else:
            expected.append((row.first, row.second, row.games[0]))
            expected.append((row.second, row.first, 1.0 - row.games[1]))
    assert triples(path) == expected


def test_chess_tools_read_what_is_written():
    played = PlayedMatch(1, 'An"na \\ x', "bo", 0.5, seed=1)
    text = "".join(written([played, played._replace(score=1.0)], "pgn"))
    file = io.StringIO(text)
    headers = [chess.pgn.read_headers(file) for _ in range(3)]
    assert headers[2] is None
    assert [h["Result"] for h in headers[:2]] == ["1/2-1/2", "1-0"]
    assert headers[0]["White"] == r"An\"na \\ x"  # it keeps the escapes of the standard
    assert headers[0]["Black"] == "bo"


def test_scores_and_names_that_pgn_cannot_hold_are_refused():
    played = PlayedMatch(1, "anna", "bo", 1.0, seed=1)
    message = r"PGN has only the scores .* 'anna' - 'bo' has 0\.7; choose another format"
    with pytest.raises(InvalidInput, match=message):
        list(written([played, played._replace(score=0.7)], "pgn"))
    with pytest.raises(InvalidInput, match="PGN must have no control characters"):
        list(written([played._replace(first="two\nlines")], "pgn"))


# Games of chess, with their moves

GAME = {
    "end": "checkmate",
    "plies": 4,
    "moves": "f2f3 e7e5 g2g4 d8h4",
    "comments": "-0.55/11 0.050s, +M1/7 0.043s",
    "ECO": "A00",
    "tc": "10+0.1",
}


def games_of(*played):
    """What python-chess reads from the PGN of some matches."""
    file = io.StringIO("".join(written(played, "pgn")))
    found = list(iter(lambda: chess.pgn.read_game(file), None))
    assert not any(game.errors for game in found)
    return found


def test_moves_and_evaluations_are_written():
    played = PlayedMatch(7, "anna", "bo", 0.0, data=GAME, time=1e9)
    assert "".join(written([played], "pgn")) == (
        '[Event "maxin"]\n[Site "?"]\n[Date "2001.09.09"]\n[Round "7"]\n'
        '[White "anna"]\n[Black "bo"]\n[Result "0-1"]\n'
        '[ECO "A00"]\n[PlyCount "4"]\n[Termination "normal"]\n[TimeControl "10+0.1"]\n\n'
        "1. f3 {book} 1... e5 {book} 2. g4 {-0.55/11 0.050s} 2... Qh4# {+M1/7 0.043s}\n"
        "0-1\n\n"
    )
    (game,) = games_of(played)
    assert [move.uci() for move in game.mainline_moves()] == GAME["moves"].split()
    assert [node.comment for node in game.mainline()][1:3] == ["book", "-0.55/11 0.050s"]
    assert game.end().board().is_checkmate()


def test_the_games_of_a_match_have_their_own_moves_and_seats():
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"
    other = {"end": "time", "plies": 1, "moves": "e8e7", "fen": fen, "comments": "0.100s"}
    played = PlayedMatch(3, "anna", "bo", 0.5, games=(0.0, 1.0), data={"games": [GAME, other]})
    one, two = games_of(played)
    assert (one.headers["White"], one.headers["Round"], one.headers["Result"]) == (
        "anna",
        "3.1",
        "0-1",
    )
    assert (two.headers["White"], two.headers["Round"], two.headers["Result"]) == (
        "bo",
        "3.2",
        "0-1",
    )
    assert (two.headers["FEN"], two.headers["SetUp"]) == (fen, "1")
    assert two.headers["Termination"] == "time forfeit"
    assert two.end().board().fen().startswith("8/4k3/")


@pytest.mark.parametrize(
    "data",
    [
        {"moves": "3 4 5"},
        GAME | {"moves": "f2f3 f2f3"},
        GAME | {"moves": 7},
        GAME | {"fen": "nonsense"},
        {"games": [GAME]},
    ],
)
def test_data_of_other_games_is_left_out(data):
    (game,) = games_of(PlayedMatch(1, "anna", "bo", 0.0, data=data))
    assert list(game.mainline_moves()) == []
    assert game.headers["Result"] == "0-1"


def test_data_cannot_break_out_of_a_comment_or_a_tag():
    data = GAME | {"comments": "} 1-0 {, 0.1s", "Opening": 'x"]\n[Result "1-0', "ECO": 'a"]'}
    (game,) = games_of(PlayedMatch(1, "anna", "bo", 0.0, data=data))
    assert len(list(game.mainline_moves())) == 4
    assert (game.headers["Result"], "Opening" in game.headers) == ("0-1", False)


def test_lines_of_moves_are_short():
    data = GAME | {
        "moves": "g1f3 g8f6 f3g1 f6g8 " * 30,
        "comments": ", ".join(["+0.00/9 0.1s"] * 120),
    }
    text = "".join(written([PlayedMatch(1, "anna", "bo", 0.5, data=data)], "pgn"))
    assert max(map(len, text.splitlines())) < 80
    assert all(line.count("{") == line.count("}") for line in text.splitlines())
    (game,) = games_of(PlayedMatch(1, "anna", "bo", 0.5, data=data))
    assert len(list(game.mainline_moves())) == 120
