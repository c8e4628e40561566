"""Results are read from CSV, JSON and JSON lines; errors name the file, line, value and rule."""

import gzip
import json
import tracemalloc

import pytest

from maxin.core import InvalidInput, UnknownName
from maxin.tournament.results import read_results
from tests.helpers.results import result, save, triples

HEADER = "first,second,score\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "BOM"])
def test_byte_order_marks_line_ends_blanks_and_quotes_are_read(tmp_path, end, mark):
    lines = [
        "first,second,score",
        "",
        '"an""na", "b,o" , 1'.replace('" ,', '",'),
        ",,",
        " ",
        "cy, dee,0",
    ]
    path = save(tmp_path, mark + end.join(lines).encode())
    assert triples(path) == [('an"na', "b,o", 1.0), ("cy", "dee", 0.0)]


@pytest.mark.parametrize("text", ["", "\n\n", "first,second,score\n"])
def test_an_empty_log_has_no_triples(tmp_path, text):
    assert triples(save(tmp_path, text)) == []
    assert triples(save(tmp_path, "", "log.jsonl")) == []
    assert triples(save(tmp_path, "[ ]", "log.json")) == []
    assert triples(save(tmp_path, "", "log.pgn")) == []


def test_json_may_be_objects_or_triples(tmp_path):
    items = [["anna", "bo", 1], {"white": "bo", "black": 3, "result": "0-1"}, ["a", "b", 0.25]]
    found = [("anna", "bo", 1.0), ("bo", "3", 0.0), ("a", "b", 0.25)]
    assert triples(save(tmp_path, json.dumps(items, indent=1), "log.json")) == found
    lines = "\n\n".join(json.dumps(item) for item in items)
    assert triples(save(tmp_path, lines, "log.txt"), format="jsonl") == found


def test_unfinished_games_are_skipped_and_counted(tmp_path):
    log = read_results(save(tmp_path, "white,black,result\nanna,bo,*\nanna,bo,1-0\n"))
    assert list(log) == [result("anna", "bo", 1.0, 3)]
    assert log.n_skipped == 1


def test_a_long_file_is_read_in_little_memory(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("first,second,score\n" + "anna,bo,1\nbo,anna,0.5\n" * 15_000)
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_results(path)) == 30_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 2


def test_a_cell_may_hold_a_whole_conversation(tmp_path):
    path = save(tmp_path, f'model_a,model_b,winner,text\nx,y,tie,"{"word " * 50_000}"\n')
    assert triples(path) == [("x", "y", 0.5)]
    assert next(iter(read_results(path))).data is None  # it stays in its file


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("log.csv", HEADER + "anna,bo,2\n", r"log.csv', line 2: a score must be .* got '2'"),
        ("log.csv", HEADER + "\nanna,bo,nan\n", "line 3: a score must be .* got 'nan'"),
        ("log.csv", HEADER + "anna,bo,won\n", "got 'won'"),
        ("log.csv", HEADER + "anna,bo\n", "line 2: every row must have 3 cells, .* got 2"),
        ("log.csv", HEADER + "bo,bo,1\n", "a player cannot play itself; both are 'bo'"),
        ("log.csv", HEADER + ",bo,1\n", "line 2: a player's name must be a text .* got ''"),
        ("log.csv", "x,y,z\nanna,bo,1\n", "line 1: no columns for .* found: x, y, z; known: first"),
        ("log.csv", "anna,bo,1,2\n", "found: anna, bo, 1, 2"),
        ("log.csv", "x#y#z\nx#y#1\n", "line 1: no columns for .* found: x#y#z"),
        ("log.csv", HEADER + f"{'x' * 301},bo,1\n", "name has at most 300 characters; 'xx.* 301"),
        ("log.csv", "model_a,model_b,winner\nx,y,z\n", "a winner must be 'x', 'y', or .* got 'z'"),
        ("log.csv", HEADER + '"anna,bo,1\n', "line 2: unexpected end of data"),
        ("log.csv", HEADER.encode() + b"anna,bo,1\n\xff,bo,1\n", "line 3: .* must be UTF-8.*0xff"),
        ("log.jsonl", '["a","b",1]\n["a","b"\n', "line 2: not JSON: .*, at column 9"),
        ("log.jsonl", '{"first": "a"}\n', "line 1: no columns .* found: first;"),
        ("log.jsonl", '["a","b",true]\n', "line 1: a score must be .* got True"),
        ("log.jsonl", '["a",null,1]\n', "line 1: a player's name .* got None"),
        ("log.jsonl", "7\n", r"line 1: a result must be an object or \[name, name, score\]; got 7"),
        ("log.jsonl", "[" * 100_000, "line 1: maximum recursion depth"),
        ("log.json", '{"first": 1}', "log.json': JSON must be a list of results; this begins"),
        ("log.json", '[["a","b",1],["a","b",7]]', "item 2: a score must be .* got 7"),
        ("log.json", '[["a","b",1],]', "not JSON: (Expecting value|Illegal trailing comma)"),
        ("log.json", '[["a","b",1] 3]', "not JSON: Expecting ',' delimiter: line 1 column 14"),
        ("log.json", "[] 3", "not JSON: Extra data"),
        ("log.json", '[["a","b",1]', "not JSON: Expecting ',' delimiter"),
        ("log.pgn", '\n[White "a"]\n[Result "1-0"]\n', "line 2: a game needs .* and no Black"),
        ("log.pgn", '[White "a"]\n[Black "b"]\n[Result "2-0"]\n', "line 1: a score .* '2-0'"),
        ("log.pgn", '[White "a"]\n\n1. e4 {oh\n', "line 1: a comment in this game has no closing"),
    ],
)  # fmt: skip
def test_errors_name_the_file_the_line_the_value_and_the_rule(tmp_path, name, text, message):
    path = save(tmp_path, text, name)
    with pytest.raises(InvalidInput, match=message) as caught:
        list(read_results(path))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "first;second;score\nanna;b,o;0,5\nb,o;cy;1\n",
        "first\tsecond\tscore\nanna\tb,o\t0.5\nb,o\tcy\t1\n",
        "\n\nfirst|second|score\nanna|b,o|½\nb,o|cy|1-0\n",
        'first,second,score\nanna,"b,o",1/2\n"b,o",cy,1\n',
        "anna;b,o;0,5\nb,o;cy;1\n",
    ],
)
def test_the_delimiter_of_csv_is_recognised(tmp_path, text):
    found = [("anna", "b,o", 0.5), ("b,o", "cy", 1.0)]
    assert triples(save(tmp_path, text)) == found
    assert triples(save(tmp_path, gzip.compress(text.encode()), "log.csv.gz")) == found


def test_any_delimiter_can_be_given(tmp_path):
    path = save(tmp_path, "first#second#score\nanna#bo#1\n")
    assert triples(path, delimiter="#") == [("anna", "bo", 1.0)]
    path = save(tmp_path, "first\tsecond\tscore\nanna\tbo\t1\n")
    for tab in ("\t", "tab", r"\t"):
        assert triples(path, delimiter=tab) == [("anna", "bo", 1.0)]
    for wrong in ("", "ab", '"', "\n"):
        with pytest.raises(InvalidInput, match="a delimiter must be one character, or tab; got"):
            read_results(path, delimiter=wrong)
    with pytest.raises(InvalidInput, match=r"a delimiter is that of CSV; .* is read as jsonl"):
        read_results(path, "jsonl", delimiter=";")


def test_a_missing_file_and_an_unknown_format_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"no file .*log\.csv"):
        read_results(tmp_path / "log.csv")
    with pytest.raises(InvalidInput, match="has no known ending; give a format: csv, tsv, jsonl"):
        read_results(save(tmp_path, "", "log.txt"))
    with pytest.raises(UnknownName, match="no format of results named 'cvs'; did you mean 'csv'"):
        read_results(save(tmp_path, "", "log.txt"), "cvs")


CONTENT = {
    "log.csv": "white,black,result\nanna,bo,1-0\n",
    "log.tsv": "white\tblack\tresult\nanna\tbo\t1-0\n",
    "log.jsonl": '["anna", "bo", 1]\n',
    "log.json": '[["anna", "bo", 1]]',
    "log.pgn": '[White "anna"]\n[Black "bo"]\n[Result "1-0"]\n\n1-0\n',
}


@pytest.mark.parametrize("name", CONTENT)
def test_every_format_may_be_compressed(tmp_path, name):
    assert triples(save(tmp_path, CONTENT[name], name)) == [("anna", "bo", 1.0)]
    packed = gzip.compress(CONTENT[name].encode())
    assert triples(save(tmp_path, packed, f"{name}.gz")) == [("anna", "bo", 1.0)]
    assert triples(save(tmp_path, packed, "log.GZ"), format=name[4:]) == [("anna", "bo", 1.0)]


@pytest.mark.parametrize("cut", [slice(10), slice(-9), slice(3, None), slice(0)])
def test_a_damaged_compressed_file_is_refused(tmp_path, cut):
    packed = gzip.compress(b"first,second,score\n" + b"anna,bo,1\n" * 1000)
    path = save(tmp_path, packed[cut], "log.csv.gz")
    if packed[cut]:
        with pytest.raises(InvalidInput, match=r"log.csv.gz' is not a complete gzip file"):
            list(read_results(path))
    else:
        assert triples(path) == []


def test_text_that_is_not_utf_8_is_named_in_a_compressed_file(tmp_path):
    path = save(tmp_path, gzip.compress(HEADER.encode() + b"\xff,bo,1\n"), "log.csv.gz")
    with pytest.raises(InvalidInput, match=r"line 2: .* must be UTF-8.*0xff"):
        list(read_results(path))
