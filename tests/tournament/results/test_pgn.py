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
