"""`maxin.rank` rates finished results of every kind, and says what a reader should know."""

import json
import math
import random

import pandas
import pyarrow
import pytest

import maxin
from maxin.core import InvalidInput
from maxin.ratings import Tally
from maxin.tournament.results import read_results
from maxin.tournament.results.ranking import RankedResults
from maxin.views import Belief, Leaderboard
from tests.helpers.command import right
from tests.helpers.results import save

ROWS = [("anna", "bo", 1.0), ("bo", "cy", 1.0), ("cy", "anna", 0.25), ("bo", "anna", 0.5)]
FRAME = pandas.DataFrame(ROWS, columns=["first", "second", "score"])


def standings(leaderboard):
    return list(leaderboard)


def test_ratings_are_those_of_the_tally_whatever_holds_the_results(tmp_path):
    tally = Tally(3)
    tally.add_many([0, 1, 2, 1], [1, 2, 0, 0], [1.0, 1.0, 0.25, 0.5])
    expected = standings(Leaderboard.of(Belief(["anna", "bo", "cy"], tally)))
    FRAME.to_csv(tmp_path / "log.csv", index=False)
    FRAME.to_csv(tmp_path / "log.tsv", index=False, sep="\t")
    FRAME.to_json(tmp_path / "log.jsonl", orient="records", lines=True)
    FRAME.to_json(tmp_path / "log.json", orient="records")
    FRAME.to_parquet(tmp_path / "log.parquet")
    files = [tmp_path / f"log.{end}" for end in ("csv", "tsv", "jsonl", "json", "parquet")]
    held = [
        ROWS,
        iter(ROWS),
        read_results(ROWS),
        FRAME.to_dict("records"),
        FRAME,
        pyarrow.Table.from_pandas(FRAME),
    ]
    for results in [*held, *files, str(files[0])]:
        leaderboard = maxin.rank(results)
        assert isinstance(leaderboard, maxin.Leaderboard)
        assert standings(leaderboard) == expected


def test_a_leaderboard_says_what_the_command_says(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    path = save(tmp_path, "a,b,winner\nanna,bo,1\nAnna,bo,2\nbo,bo,1\ndee,eve,tie\n")
    leaderboard = maxin.rank(path, skip_invalid=True, anchor={"bo": 100})
    command = ["rank", path, "--skip-invalid", "--anchor", "bo=100"]
    assert str(leaderboard) == right(*command).out.rstrip("\n")
    assert "1 invalid row was left out: 1 of a player against itself (line 4)" in leaderboard.notes
    assert any(note.startswith("different players, though") for note in leaderboard.notes)
    assert "<p>too early to say: " in leaderboard._repr_html_()
    document = right(*command, "--format", "json").document
    assert document["invalid"] == {"self_match": 1}
    assert document["alike"] == [["anna", "Anna"]]
    assert document["standings"] == leaderboard.document()["standings"]
    json.dumps(leaderboard.document())


def test_columns_are_named_in_python_and_on_the_command_line(tmp_path):
    text = "champion;challenger;preference;ann\nx;y;champion;k\ny;x;challenger;k\nx;y;1;k\n"
    path = save(tmp_path, text)
    roles = {"first": "champion", "second": "challenger", "winner": "preference", "judge": "ann"}
    leaderboard = maxin.rank(path, columns=roles)
    assert (leaderboard[0].player, leaderboard[0].score) == ("x", 1.0)
    flags = [word for role in roles.items() for word in ("--column", "=".join(role))]
    assert right("rank", path, *flags).out.rstrip("\n") == str(leaderboard)
    assert right("rank", path, *flags, "--delimiter", ";").out.rstrip("\n") == str(leaderboard)


def test_judges_do_not_learn_a_bias_from_winners_and_losers():
    """If the winner sat first in every row, a judge's bias would explain all results."""
    rng, skill = random.Random(1), {"anna": 1.0, "bo": 0.0, "cy": -1.0}
    rows = []
    for _ in range(600):
        one, two = rng.sample(list(skill), 2)
        is_won = rng.random() < 1.0 / (1.0 + 2.718 ** (skill[two] - skill[one]))
        rows.append((one, two, float(is_won), rng.choice("jk")))
    seated = [{"first": a, "second": b, "score": s, "judge": j} for a, b, s, j in rows]
    won = [{"winner": a if s else b, "loser": b if s else a, "judge": j} for a, b, s, j in rows]
    for one, two in zip(maxin.rank(seated), maxin.rank(won), strict=True):
        assert one.player == two.player
        assert one.rating == pytest.approx(two.rating, abs=25.0)
    with pytest.raises(InvalidInput, match="do not say who sat first, so the advantage of"):
        maxin.rank(won, first_advantage=True)
    assert maxin.rank(seated, first_advantage=True).advantage is not None


def test_extra_columns_stay_data_of_each_result():
    rows = [{"a": "x", "b": "y", "score": 1, "category": "math", "length": 120.5, "judge": "k"}]
    for results in (rows, pandas.DataFrame(rows), pyarrow.Table.from_pylist(rows)):
        (match,) = read_results(results)
        assert match.data == {"category": "math", "length": 120.5, "judge": "k"}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"anchor": {"dee": 3}}, "no player for the anchor named 'dee'"),
        ({"anchor": 3}, "anchor must be one player and its rating"),
        ({"format": "csv"}, "a format and a delimiter are those of a file; got results in memory"),
        ({"delimiter": ";"}, "a format and a delimiter are those of a file; got results in memory"),
    ],
)
def test_wrong_arguments_are_named(how, message):
    with pytest.raises(InvalidInput, match=message):
        maxin.rank(ROWS, **how)


def test_an_unknown_argument_is_answered_with_the_nearest():
    with pytest.raises(
        TypeError, match=r"rank\(\) has no argument 'column'; did you mean 'columns'"
    ):
        maxin.rank(ROWS, column={})


@pytest.mark.parametrize("results", [[], FRAME[:0], pyarrow.Table.from_pandas(FRAME[:0])])
def test_no_results_cannot_be_rated(results):
    with pytest.raises(InvalidInput, match="there are no finished matches in the "):
        maxin.rank(results)


def test_two_engines_of_a_pgn_file_are_compared_as_chess_programs_do(tmp_path):
    """Elo is -400 log10(1 / m - 1), with m the mean score."""
    results = ["1-0"] * 6 + ["1/2-1/2"] * 3 + ["0-1"] * 3
    game = '[White "new"]\n[Black "old"]\n[Result "{0}"]\n\n{0}\n\n'
    (tmp_path / "games.pgn").write_text("".join(map(game.format, results)))
    ranked = RankedResults.of(read_results(str(tmp_path / "games.pgn")))
    [line] = [note for note in ranked.leaderboard.notes if note.startswith("new - old: ")]
    assert "Elo 88.7 ± " in line
    assert line.endswith("12 games, lost, drawn and won [3, 3, 6]")
    assert ranked.facts["duel"]["counts"] == [3, 3, 6]
    assert ranked.facts["duel"]["elo"]["value"] == pytest.approx(-400 * math.log10(1 / 0.625 - 1))
    assert ranked.leaderboard.anchor == ("old", 0.0)
