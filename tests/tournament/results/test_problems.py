"""Invalid rows are refused together, or left out and counted; similar names are reported."""

import json

import pytest

from maxin.core import InvalidInput
from maxin.tournament.results import read_results
from tests.helpers.results import save, triples

ROWS = [
    ("1", "anna", "bo", "1"),
    ("2", "bo", "bo", "1"),
    ("3", "anna", "bo", ""),
    ("1", "bo", "anna", "0.5"),
    ("4", "anna", "bo", "won"),
    ("5", "Anna ", "bo", " "),
    ("6", "ANNA", "bo", "0"),
    ("7", "", "bo", "1"),
    ("", "anna", "bo", "1"),
    ("", "anna", "bo", "1"),
]
KEYS = ("id", "first", "second", "score")
OBJECTS = [dict(zip(KEYS, row, strict=True)) for row in ROWS]
FORMATS = {
    "log.csv": "\n".join(map(",".join, [KEYS, *ROWS])) + "\n",
    "log.tsv": "\n".join(map("\t".join, [KEYS, *ROWS])) + "\n",
    "log.jsonl": "\n" + "\n".join(map(json.dumps, OBJECTS)),
    "log.json": json.dumps(OBJECTS),
}


@pytest.mark.parametrize("name", FORMATS)
def test_invalid_rows_are_refused_together_with_their_lines(tmp_path, name):
    unit = "item" if name == "log.json" else "line"
    shift = 0 if name == "log.json" else 1
    path = save(tmp_path, FORMATS[name], name)
    with pytest.raises(InvalidInput) as caught:
        list(read_results(path))
    header, *lines = str(caught.value).splitlines()
    assert header == (
        f"{str(path)!r}: 6 invalid rows: 2 without a result ({unit}s {3 + shift} and {6 + shift}), "
        f"2 that cannot be read ({unit}s {5 + shift} and {8 + shift}), "
        f"1 of a player against itself ({unit} {2 + shift}), "
        f"1 with an id that an earlier row has ({unit} {4 + shift}); "
        "--skip-invalid, or skip_invalid=True in Python, leaves them out"
    )
    assert [line.split(":")[0] for line in lines] == [
        f"  {unit} {number + shift}" for number in (2, 3, 4, 5, 6, 8)
    ]
    assert f"the id '1' is that of {unit} {1 + shift} too" in lines[2]


@pytest.mark.parametrize("name", FORMATS)
def test_invalid_rows_can_be_left_out_and_are_counted(tmp_path, name):
    results = read_results(save(tmp_path, FORMATS[name], name), skip_invalid=True)
    found = [(row.first, row.second, row.score) for row in results]
    kept = [("anna", "bo", 1.0), ("ANNA", "bo", 0.0)]
    assert found == [*kept, ("anna", "bo", 1.0), ("anna", "bo", 1.0)]
    left_out, alike = results.problems.notes
    assert left_out.startswith("6 invalid rows were left out: 2 without a result (")
    assert results.problems.counts.total() == 6
    assert "names differ only in blanks or case: 'anna' (" in alike
    assert results.problems.alike == [["anna", "ANNA"]]


def test_an_error_lists_the_first_ten(tmp_path):
    path = save(tmp_path, "first,second,score\n" + "anna,anna,1\n" * 25)
    with pytest.raises(InvalidInput) as caught:
        list(read_results(path))
    header, *lines = str(caught.value).splitlines()
    places = "lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 15 more"
    assert f"25 invalid rows: 25 of a player against itself ({places});" in header
    assert len(lines) == 11
    assert lines[-1] == "  and 15 more"


def test_names_that_differ_only_in_blanks_or_case_are_reported_and_not_fatal(tmp_path):
    path = save(tmp_path, "first,second,score\ngpt 4,Claude,1\nGPT 4 ,claude,0\ngpt4,x,1\n")
    results = read_results(path)
    assert len(list(results)) == 3
    start = "different players, though their names differ only in blanks or case: "
    assert results.problems.notes == [
        start + "'gpt 4' (line 2), 'GPT 4 ' (line 3) and 'gpt4' (line 4)",
        start + "'Claude' (line 2) and 'claude' (line 3)",
    ]
    many = "".join(f"p{n},P{n},1\n" for n in range(8))
    results = read_results(save(tmp_path, many))
    list(results)
    assert results.problems.notes[5:] == ["and 3 more groups of such names"]


@pytest.mark.parametrize("name", ["id", "Match ID", "uuid", "battle_id"])
def test_a_repeated_id_is_an_error_unless_it_names_something_else(tmp_path, name):
    path = save(tmp_path, f"{name},winner,loser\n7,anna,bo\n7,anna,cy\n,anna,bo\n,anna,bo\n")
    with pytest.raises(InvalidInput, match=r"line 3: the id '7' is that of line 2 too; .*id=none"):
        list(read_results(path))
    assert len(list(read_results(path, skip_invalid=True))) == 3
    assert len(list(read_results(path, columns={"id": None}))) == 4


def test_an_id_of_prompts_may_repeat(tmp_path):
    path = save(tmp_path, "question_id,winner,loser\n7,anna,bo\n7,anna,cy\n")
    assert len(triples(path)) == 2


def test_pgn_and_broken_lines_are_left_out_too(tmp_path):
    games = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    path = save(tmp_path, games + '[White "a"]\n[Result "1-0"]\n\n1. e4 1-0\n\n' + games, "g.pgn")
    assert triples(path, skip_invalid=True) == [("a", "b", 1.0)] * 2
    path = save(tmp_path, '["a", "b", 1]\n["a", "b"\n7\n{"x": 1}\n["a", "b", 0]\n', "log.jsonl")
    assert triples(path, skip_invalid=True) == [("a", "b", 1.0), ("a", "b", 0.0)]
    path = save(tmp_path, "first,second,score\na,b\na,b,1\n")
    assert triples(path, skip_invalid=True) == [("a", "b", 1.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y,z\na,b,c\n", "no columns for two players"),
        ('first,second,score\n"a,b,1\n', "unexpected end of data"),
        (b"first,second,score\n\xff,b,1\n", "must be UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_as_a_whole_is_refused_all_the_same(tmp_path, text, message):
    with pytest.raises(InvalidInput, match=message):
        triples(save(tmp_path, text), skip_invalid=True)
