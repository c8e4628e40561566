import io
import json
import time

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import InvalidInput, UnknownName
from maxin.tournament.results import Played, Row, read_log, write_log, written

TRAPS = [
    *['say "hi"', "a,b", "two\nlines", "cr\rlf\r\n", "a|b", "\\", '\\"', " spaced ", "安娜", "*"],
    *["1-0", "[White", "{", ";", "%x", "'", "first", "tie", "\t", "0.5", "\ufeff", "-x", "\u2028"],
]
NASTY = st.sampled_from(TRAPS) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
)
names = NASTY.filter(lambda name: name.strip())
pairs = st.lists(names, min_size=2, max_size=2, unique=True)
scores = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0)


@st.composite
def matches(draw, score=scores, name=names):
    first, second = draw(st.lists(name, min_size=2, max_size=2, unique=True))
    return Played(
        draw(st.none() | st.integers(1, 10**9)),
        first,
        second,
        draw(score),
        draw(st.none() | st.tuples(score, score)),
        draw(st.none() | st.integers(0, 2**31 - 1)),
        draw(st.floats(0, 4e9)),
        draw(st.none() | NASTY),
        tuple(draw(st.lists(NASTY, max_size=2))),
        draw(st.none() | st.dictionaries(NASTY, st.integers(), max_size=2)),
    )


def saved(tmp_path, text, name="log.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def results(path, **options):
    return [row[:3] for row in read_log(path, **options)]


@pytest.mark.parametrize("format", ["csv", "json", "jsonl"])
@given(played=st.lists(matches(), max_size=8))
def test_what_is_written_is_read_again(tmp_path_factory, format, played):
    path = tmp_path_factory.mktemp("logs") / f"log.{format}"
    assert write_log(played, path) == len(played)
    assert results(path) == [(row.first, row.second, row.score) for row in played]
    lines = [row.line for row in read_log(path)]
    assert len(set(lines)) == len(lines)


printable = names.filter(lambda name: min(map(ord, name)) >= 32 and "\x7f" not in name)


@given(played=st.lists(matches(st.sampled_from([0.0, 0.5, 1.0]), printable), max_size=8))
def test_games_written_as_pgn_are_read_again_in_their_seats(tmp_path_factory, played):
    path = tmp_path_factory.mktemp("logs") / "log.pgn"
    write_log(played, path)
    expected = []
    for row in played:
        if row.games is None:
            expected.append((row.first, row.second, row.score))
        else:
            expected.append((row.first, row.second, row.games[0]))
            expected.append((row.second, row.first, 1.0 - row.games[1]))
    assert results(path) == expected


@given(played=st.lists(matches(), max_size=5))
def test_json_lines_hold_everything(played):
    rows = [json.loads(line) for line in "".join(written(played, "jsonl")).splitlines()]
    tuples = {"games": lambda x: x and tuple(x), "errors": tuple}
    found = [
        Played(**{key: tuples.get(key, lambda x: x)(value) for key, value in row.items()})
        for row in rows
    ]
    assert found == played


@given(played=st.lists(matches(), max_size=5))
def test_markdown_has_a_line_a_match_and_a_cell_a_column(played):
    lines = "".join(written(played, "markdown")).split("\n")
    assert len(lines) == len(played) + 3
    for line in lines[:-1]:
        unescaped = line.replace("\\\\", "").replace("\\|", "")
        assert unescaped.count("|") == 9


def test_chess_tools_read_our_pgn():
    played = Played(1, 'An"na \\ x', "bo", 0.5, None, 1, 0.0, None, (), None)
    text = "".join(written([played, played._replace(score=1.0)], "pgn"))
    file = io.StringIO(text)
    headers = [chess.pgn.read_headers(file) for _ in range(3)]
    assert headers[2] is None
    assert [h["Result"] for h in headers[:2]] == ["1/2-1/2", "1-0"]
    assert headers[0]["White"] == r"An\"na \\ x"  # it keeps the escapes of the standard
    assert headers[0]["Black"] == "bo"


@pytest.mark.parametrize(
    "header",
    ["first,second,score", "a,b,score", "player_a,player_b,score", "Player 1,Player 2,Result",
     "player1,player2,score", "White,Black,Result", "model_a,model_b,score", "left,right,score"],
)  # fmt: skip
def test_columns_are_known_by_several_names(tmp_path, header):
    path = saved(tmp_path, f"{header}\nanna,bo,1\nbo,cy,0.25\n")
    assert results(path) == [("anna", "bo", 1.0), ("bo", "cy", 0.25)]


def test_columns_may_stand_anywhere(tmp_path):
    path = saved(tmp_path, "id,result,black,white\n7,1-0,bo,anna\n")
    assert list(read_log(path)) == [Row("anna", "bo", 1.0, 2)]


@pytest.mark.parametrize(
    ("text", "score"),
    [("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5), ("½-½", 0.5), ("0.5-0.5", 0.5), ("1", 1.0),
     ("1e-1", 0.1), ("Draw", 0.5), ("1/2", 0.5), ("1–0", 1.0)],  # noqa: RUF001
)  # fmt: skip
def test_results_are_told_in_many_ways(tmp_path, text, score):
    assert results(saved(tmp_path, f"white,black,result\nanna,bo,{text}\n"))[0][2] == score
    assert results(saved(tmp_path, f"anna,bo,{text}\n"))[0][2] == score


@pytest.mark.parametrize(
    ("winner", "score"),
    [("model_a", 1.0), ("model_b", 0.0), ("tie", 0.5), ("tie (bothbad)", 0.5), ("both_bad", 0.5),
     ("A", 1.0), ("b", 0.0), ("gpt", 1.0), ("claude", 0.0), ("Model A", 1.0)],
)  # fmt: skip
def test_arena_logs_name_a_winner(tmp_path, winner, score):
    text = f'question_id,model_a,model_b,winner,judge,turn\n1,gpt,claude,{winner},"x, y",1\n'
    assert results(saved(tmp_path, text)) == [("gpt", "claude", score)]
    row = {"model_a": "gpt", "model_b": "claude", "winner": winner, "conversation_a": [{}]}
    assert results(saved(tmp_path, json.dumps([row]), "log.json")) == [("gpt", "claude", score)]


def test_a_winner_told_by_a_word_that_is_also_a_name_is_not_guessed(tmp_path):
    fine = saved(tmp_path, "a,b,winner\na,b,a\n")
    assert results(fine) == [("a", "b", 1.0)]
    path = saved(tmp_path, "a,b,winner\nb,a,a\n")
    with pytest.raises(InvalidInput, match="line 2: the winner 'a' is the name of a player and"):
        list(read_log(path))
    path = saved(tmp_path, "left,right,winner\ntie,anna,tie\n")
    with pytest.raises(InvalidInput, match="the winner 'tie' is the name of a player"):
        list(read_log(path))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "BOM"])
def test_marks_line_ends_blanks_and_quotes_are_no_trouble(tmp_path, end, mark):
    lines = [
        "first,second,score",
        "",
        '"an""na", "b,o" , 1'.replace('" ,', '",'),
        ",,",
        " ",
        "cy, dee,0",
    ]
    path = saved(tmp_path, mark + end.join(lines).encode())
    assert results(path) == [('an"na', "b,o", 1.0), ("cy", "dee", 0.0)]


@pytest.mark.parametrize("text", ["", "\n\n", "first,second,score\n"])
def test_an_empty_log_has_no_results(tmp_path, text):
    assert results(saved(tmp_path, text)) == []
    assert results(saved(tmp_path, "", "log.jsonl")) == []
    assert results(saved(tmp_path, "[ ]", "log.json")) == []
    assert results(saved(tmp_path, "", "log.pgn")) == []


def test_json_may_be_objects_or_triples(tmp_path):
    items = [["anna", "bo", 1], {"white": "bo", "black": 3, "result": "0-1"}, ["a", "b", 0.25]]
    found = [("anna", "bo", 1.0), ("bo", "3", 0.0), ("a", "b", 0.25)]
    assert results(saved(tmp_path, json.dumps(items, indent=1), "log.json")) == found
    lines = "\n\n".join(json.dumps(item) for item in items)
    assert results(saved(tmp_path, lines, "log.txt"), format="jsonl") == found


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
def test_pgn_headers_are_read_among_moves_and_comments(tmp_path, end):
    log = read_log(saved(tmp_path, PGN.replace("\n", end), "log.pgn"))
    assert list(log) == [
        Row("Carlsen, Magnus", "O\\Brien", 1.0, 1),
        Row("bo", "cy", 0.5, 18),
        Row("cy", "bo", 0.0, 21),
    ]
    assert log.n_skipped == 1
    assert len(list(log)) == 3
    assert log.n_skipped == 1  # a second pass counts anew


def test_pgn_may_be_latin_1_or_utf_8(tmp_path):
    text = '[White "{}"]\n[Black "bo"]\n[Result "1-0"]\n\n1-0\n\n'
    both = text.format("Müller").encode("latin-1") + text.format("Müller").encode()
    assert [row.first for row in read_log(saved(tmp_path, both, "log.pgn"))] == ["Müller"] * 2


def test_unfinished_games_are_skipped_in_tables_too(tmp_path):
    log = read_log(saved(tmp_path, "white,black,result\nanna,bo,*\nanna,bo,1-0\n"))
    assert list(log) == [Row("anna", "bo", 1.0, 3)]
    assert log.n_skipped == 1


def test_a_million_rows_take_seconds_and_no_memory(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("first,second,score\n" + "anna,bo,1\nbo,anna,0.5\n" * 100_000)
    start = time.perf_counter()
    assert sum(1 for _ in read_log(path)) == 200_000
    assert time.perf_counter() - start < 3.0  # about 0.25 on an idle machine


def test_cells_may_be_as_long_as_conversations_are(tmp_path):
    path = saved(tmp_path, f'model_a,model_b,winner,text\nx,y,tie,"{"word " * 50_000}"\n')
    assert results(path) == [("x", "y", 0.5)]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("log.csv", "first,second,score\nanna,bo,2\n", r"log.csv', line 2: a score is .* got '2'"),
        ("log.csv", "first,second,score\n\nanna,bo,nan\n", "line 3: a score is .* got 'nan'"),
        ("log.csv", "first,second,score\nanna,bo,won\n", "got 'won'"),
        ("log.csv", "first,second,score\nanna,bo\n", "line 2: rows have 3 cells, .* got 2"),
        ("log.csv", "first,second,score\nbo,bo,1\n", "nobody can play themselves; 'bo' did"),
        ("log.csv", "first,second,score\n,bo,1\n", "line 2: a player's name is a text .* got ''"),
        ("log.csv", "x,y,z\nanna,bo,1\n", "line 1: no columns say .* found: x, y, z; known: first"),
        ("log.csv", "anna,bo,1,2\n", "found: anna, bo, 1, 2"),
        ("log.csv", "model_a,model_b,winner\nx,y,z\n", "a winner is 'x', 'y', or .* got 'z'"),
        ("log.csv", 'first,second,score\n"anna,bo,1\n', "line 2: unexpected end of data"),
        ("log.csv", b"first,second,score\nanna,bo,1\n\xff,bo,1\n", "line 3: logs are UTF-8.*0xff"),
        ("log.jsonl", '["a","b",1]\n["a","b"\n', "line 2: not JSON: .*, at column 9"),
        ("log.jsonl", '{"first": "a"}\n', "line 1: no columns .* found: first;"),
        ("log.jsonl", '["a","b",true]\n', "line 1: a score is .* got True"),
        ("log.jsonl", '["a",null,1]\n', "line 1: a player's name .* got None"),
        ("log.jsonl", "7\n", r"line 1: a result is an object or \[name, name, score\]; got 7"),
        ("log.jsonl", "[" * 100_000, "line 1: maximum recursion depth"),
        ("log.json", '{"first": 1}', "log.json': a JSON log is a list of results; this begins"),
        ("log.json", '[["a","b",1],["a","b",7]]', "item 2: a score is .* got 7"),
        ("log.json", '[["a","b",1],]', "not JSON: Expecting value: line 1 column 14"),
        ("log.json", '[["a","b",1] 3]', "not JSON: Expecting ',' delimiter: line 1 column 14"),
        ("log.json", "[] 3", "not JSON: Extra data"),
        ("log.json", '[["a","b",1]', "not JSON: Expecting ',' delimiter"),
        ("log.pgn", '\n[White "a"]\n[Result "1-0"]\n', "line 2: a game has .* Result and no Black"),
        ("log.pgn", '[White "a"]\n[Black "b"]\n[Result "2-0"]\n', "line 1: a score is .* '2-0'"),
        ("log.pgn", '[White "a"]\n\n1. e4 {oh\n', "line 1: a comment of this game has no closing"),
    ],
)  # fmt: skip
def test_errors_name_the_file_the_line_the_value_and_the_rule(tmp_path, name, text, words):
    path = saved(tmp_path, text, name)
    with pytest.raises(InvalidInput, match=words) as caught:
        list(read_log(path))
    assert str(path) in str(caught.value)


def test_files_that_are_not_there_or_not_known(tmp_path):
    with pytest.raises(InvalidInput, match="there is no file"):
        read_log(tmp_path / "log.csv")
    with pytest.raises(InvalidInput, match="does not tell its format; say which it is: csv, jsonl"):
        read_log(saved(tmp_path, "", "log.txt"))
    with pytest.raises(UnknownName, match="no format of logs named 'tsv'; did you mean 'csv'"):
        read_log(saved(tmp_path, "", "log.txt"), "tsv")
    with pytest.raises(UnknownName, match="no format of logs named 'xml'"):
        written([], "xml")


def test_pgn_refuses_what_it_cannot_hold_and_leaves_no_half_file(tmp_path):
    played = Played(1, "anna", "bo", 1.0, None, 1, 0.0, None, (), None)
    with pytest.raises(InvalidInput, match=r"PGN can tell .* 'anna' - 'bo' has 0\.7; choose"):
        write_log([played, played._replace(score=0.7)], tmp_path / "log.pgn")
    with pytest.raises(InvalidInput, match="PGN holds no control characters"):
        write_log([played._replace(first="two\nlines")], tmp_path / "log.pgn")
    assert list(tmp_path.iterdir()) == []
