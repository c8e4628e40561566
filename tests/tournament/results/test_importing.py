"""Results that were played elsewhere are added once per source."""

import gzip
import random

import pandas
import pyarrow
import pytest

from maxin.core import InvalidInput
from maxin.tournament import Tournament
from maxin.tournament.results import importing, read_results, written
from maxin.worker import ScoreConflict
from tests.helpers.leagues import NAMES

ROWS = [("anna", "bo", 1.0), ("bo", "cy", 0.5)]


def test_a_source_is_added_once_and_its_new_lines_later():
    tournament = Tournament(NAMES)
    assert tournament.add_results(ROWS, source="last year") == 2
    assert tournament.add_results([*ROWS, ("cy", "anna", 0.0)], source="last year") == 1
    assert tournament.n_matches == 3
    assert [(row.source, row.number) for row in tournament.matches()] == [("last year", None)] * 3
    assert tournament.verify().problems == []


def test_results_without_a_source_are_always_new():
    tournament = Tournament(NAMES)
    assert tournament.add_results(ROWS) == 2
    assert tournament.add_results(ROWS) == 2
    assert tournament.n_matches == 4


def test_a_line_that_has_changed_is_refused():
    tournament = Tournament(NAMES)
    tournament.add_results(ROWS, source="last year")
    with pytest.raises(ScoreConflict, match=r"line 1: was imported as anna - bo 1, .* anna - bo 0"):
        tournament.add_results([("anna", "bo", 0.0)], source="last year")
    with pytest.raises(ScoreConflict, match=r"is now bo - anna 1"):
        tournament.add_results([("bo", "anna", 1.0)], source="last year")
    assert tournament.n_matches == 2


def test_unknown_players_are_refused_unless_they_are_added():
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput, match=r"line 1: 'eve' is not a player.*--add-players"):
        tournament.add_results([("eve", "bo", 0.0)])
    assert tournament.add_results([("eve", "bo", 0.0)], add_players=True) == 1
    assert tournament.states["eve"] == "active"
    assert tournament.n_matches == 1


@pytest.mark.parametrize("source", [None, "old"])
def test_a_file_is_added_once(tmp_path, source):
    tournament = Tournament(NAMES)
    path = tmp_path / "old.csv"
    path.write_text("first,second,score\nanna,cy,1\ncy,bo,0.5\n")
    assert tournament.add_results(path, source=source) == 2
    assert tournament.add_results(str(path), source=source) == 0
    assert {row.source for row in tournament.matches()} == {source or str(path)}
    assert [row.line for row in tournament.matches()] == [2, 3]
    assert tournament.verify().problems == []


@pytest.mark.parametrize("add_players", [False, True])
def test_nothing_is_added_if_a_line_is_invalid(add_players):
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput, match="line 2: a score"):
        tournament.add_results([("anna", "bo", 1.0), ("anna", "bo", 1.5)], add_players=add_players)
    assert tournament.n_matches == 0
    assert tournament.verify().problems == []


def test_nobody_joins_if_a_line_is_invalid():
    tournament = Tournament(NAMES)
    with pytest.raises(InvalidInput):
        tournament.add_results([("zed", "anna", 1.0), ("zed", "anna", 3.0)], add_players=True)
    assert "zed" not in tournament.names


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("anna", "bo"), r'line 1: a result must be an object or .* got \["anna", "bo"\]'),
        (("anna", 3.5, 1.0), "line 1: a player's name must be a text .* got 3.5"),
        (("anna", "anna", 1.0), "line 1: a player cannot play itself; both are 'anna'"),
        (("anna", "bo", "won"), "line 1: a score must be .* got 'won'"),
        ({"first": "anna", "second": "bo"}, "line 1: no columns for .* found: first, second"),
    ],
)
def test_an_invalid_line_is_named_with_its_rule(row, message):
    with pytest.raises(InvalidInput, match=message):
        Tournament(NAMES).add_results([row])


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (7, "results must be a file, a data frame, or a list .* got 7"),
        ({"first": ["anna"]}, "results must be a file, a data frame, or a list"),
        (b"log.csv", "results must be a file"),
    ],
)
def test_what_holds_no_results_is_named(results, message):
    with pytest.raises(InvalidInput, match=message):
        Tournament(NAMES).add_results(results)


def test_all_that_can_be_rated_can_be_added(tmp_path):
    rows = [
        {"x": "anna", "y": "bo", "winner": 1, "length": 12},
        {"x": "bo", "y": "bo", "winner": None},
    ]
    roles = {"first": "x", "second": "y"}
    frame = pandas.DataFrame(rows)
    path = tmp_path / "log.csv"
    frame.to_csv(path, index=False, sep=";")
    for results in (rows, frame, pyarrow.Table.from_pandas(frame), path):
        tournament = Tournament(NAMES)
        how = {"columns": roles, "skip_invalid": True}
        assert tournament.add_results(results, **how) == 1
        (match,) = tournament.matches()
        assert (match.first, match.second, match.score) == ("anna", "bo", 1.0)
        assert float(match.data["length"]) == 12.0
        with pytest.raises(InvalidInput, match="its cell is blank"):
            tournament.add_results(results, columns=roles)
    with pytest.raises(TypeError, match=r"no argument 'columnz'; did you mean 'columns'\?"):
        tournament.add_results(rows, columnz=roles)
    with pytest.raises(InvalidInput, match="these results are being read already; say there how"):
        tournament.add_results(read_results(rows), columns=roles)


def test_a_data_frame_is_added_once_per_source():
    tournament, frame = Tournament(NAMES), pandas.DataFrame(ROWS, columns=["a", "b", "score"])
    assert tournament.add_results(frame, source="battles") == 2
    assert tournament.add_results(frame, source="battles") == 0
    assert tournament.add_results(frame) == 2
    won = pandas.DataFrame({"winner": ["anna", "bo", "cy"], "loser": ["bo", "cy", "dee"]})
    assert tournament.add_results(won, source="won") == 3
    assert tournament.add_results(won, source="won") == 0  # the seats are the same again
    assert tournament.verify().problems == []


HEADER = "first,second,score\n"
LINES = [f"{a},{b},{score}\n" for a in NAMES for b in NAMES if a != b for score in (0, 1)]


@pytest.fixture
def imported(tmp_path):
    """A tournament that has imported a file of 20 results."""
    path = tmp_path / "battles.csv"
    path.write_text(HEADER + "".join(LINES[:20]))
    tournament = Tournament(NAMES)
    assert tournament.add_results(path) == 20
    return tournament, path


@pytest.mark.parametrize("n_more", [0, 3])
def test_a_copy_under_another_name_is_refused_unless_it_is_wanted(imported, n_more):
    tournament, path = imported
    copy = path.with_name("copy.csv.gz")
    copy.write_bytes(gzip.compress((HEADER + "".join(LINES[: 20 + n_more])).encode()))
    with pytest.raises(InvalidInput, match=r"copy.*first 20 results were imported from .*battles"):
        tournament.add_results(copy)
    with pytest.raises(InvalidInput, match="seems to be a copy"):
        tournament.add_results(path, source="another name")
    assert tournament.n_matches == 20
    assert tournament.add_results(copy, again=True) == 20 + n_more
    assert tournament.add_results(copy) == 0


def test_a_file_that_grows_adds_its_new_lines_and_its_copy_is_known(imported, monkeypatch):
    monkeypatch.setattr(importing, "CHUNK", 7)
    tournament, path = imported
    with path.open("a") as file:
        file.writelines(LINES[20:23])
    assert tournament.add_results(path) == 3
    assert tournament.add_results(path) == 0
    copy = path.with_name("copy.csv")
    copy.write_text(HEADER + "".join(LINES[:21]))
    with pytest.raises(InvalidInput, match=r"first 2[01] results were imported"):
        tournament.add_results(copy)


def test_files_that_only_begin_alike_are_no_copies(imported):
    tournament, path = imported
    other = path.with_name("other.csv")
    other.write_text(HEADER + "".join([*LINES[:19], LINES[22]]))
    assert tournament.add_results(other) == 20
    for name, n_lines in (("one.csv", 1), ("three.csv", 3)):
        path.with_name(name).write_text(HEADER + "".join(LINES[23:24] * n_lines))
        assert tournament.add_results(path.with_name(name)) == n_lines
    path.with_name("again.csv").write_text(HEADER + LINES[23])
    with pytest.raises(InvalidInput, match=r"its first 1 results were imported from .*one.csv"):
        tournament.add_results(path.with_name("again.csv"))


def test_a_small_file_that_has_grown_under_another_name_is_a_copy(imported):
    tournament, path = imported
    for name, n_lines in (("small.csv", 2), ("grown.csv", 8)):
        path.with_name(name).write_text(HEADER + "".join(LINES[22:14:-1][:n_lines]))
    small, grown = path.with_name("small.csv"), path.with_name("grown.csv")
    assert tournament.add_results(small) == 2
    with pytest.raises(InvalidInput, match=r"first 2 results.* --source \S*small.csv, .*--again"):
        tournament.add_results(grown)
    assert tournament.add_results(grown, source=str(small.resolve())) == 6


def test_a_corrected_file_is_imported_after_a_retraction(imported):
    tournament, path = imported
    path.write_text(HEADER + "".join([*LINES[:4], "anna,bo,0.5\n", *LINES[5:20]]))
    with pytest.raises(
        ScoreConflict, match=r"line 6: was imported .* `maxin retract --source .*csv --"
    ):
        tournament.add_results(path)
    assert tournament.retract_source(path, "a wrong line") == 20
    assert tournament.add_results(path) == 20
    assert tournament.add_results(path) == 0
    assert [row.score for row in tournament.matches()].count(0.5) == 1
    assert tournament.verify().problems == []


def test_a_retracted_result_stays_retracted_if_the_file_is_unchanged(imported):
    tournament, path = imported
    tournament.retract_source(path, "the judge was asleep")
    assert tournament.add_results(path) == 0
    with path.open("a") as file:
        file.writelines(LINES[20:22])
    assert tournament.add_results(path) == 2
    assert tournament.add_results(path, again=True) == 20
    assert tournament.n_matches == 22


def test_a_moved_file_is_not_a_copy_of_a_retracted_one(imported):
    tournament, path = imported
    tournament.retract_source(path, "the wrong name")
    assert tournament.add_results(path.rename(path.with_name("moved.csv"))) == 20


def played_with_two_games(url):
    """A tournament of two-game matches in which sitting first pays, with data and corrections."""
    tournament = Tournament(NAMES, url, seed=5, games_per_match=2, first_advantage=True)
    rng = random.Random(3)
    for _ in range(60):
        ticket = tournament.ask()
        games = (rng.choice([1.0, 1.0, 0.5]), rng.choice([0.0, 0.0, 1.0]))
        tournament.tell(ticket, sum(games) / 2, games=games, data={"judge": f"j{ticket.id % 3}"})
    tournament.retract(7, "typo")
    tournament.retract(8, "=1+1")
    tournament.tell(8, 0.25, games=(0.5, 0.0), errors=["slow"])
    return tournament


@pytest.mark.parametrize("format", ["csv", "jsonl", "json"])
def test_an_export_that_is_imported_gives_the_same_results(tmp_path, format):
    one = played_with_two_games("sqlite://")
    path = tmp_path / f"all.{format}"
    path.write_text("".join(written(one.matches(retracted=True), format)))
    two = Tournament(NAMES, seed=9, first_advantage=True)
    assert two.add_results(path) == 61
    assert two.n_matches == one.n_matches == 59
    assert two.tally().is_like(one.tally(), 1e-12)
    for here, there in zip(one.leaderboard(), two.leaderboard(), strict=True):
        assert here.player == there.player
        assert here.rating == pytest.approx(there.rating, abs=1e-6)
        assert (here.low, here.high) == pytest.approx((there.low, there.high), abs=1e-6)
    assert one.leaderboard().advantage.rating > 50
    assert two.leaderboard().advantage == pytest.approx(one.leaderboard().advantage, abs=1e-6)
    again = "".join(
        written((row._replace(source=None) for row in two.matches(retracted=True)), format)
    )
    assert again == path.read_text()
    assert two.verify().problems == []


def test_a_retraction_in_a_later_export_is_imported_too(tmp_path):
    one, two = played_with_two_games("sqlite://"), Tournament(NAMES)
    path = tmp_path / "all.jsonl"
    for n_new, n_matches in ((61, 59), (0, 58)):
        path.write_text("".join(written(one.matches(retracted=True), "jsonl")))
        assert two.add_results(path) == n_new
        assert two.n_matches == n_matches
        one.retract(30, "typo")
    assert two.add_results(path) == 0


def test_an_export_of_the_tournament_itself_is_refused(tmp_path):
    one = played_with_two_games("sqlite://")
    path = tmp_path / "all.csv"
    path.write_text("".join(written(one.matches(), "csv")))
    with pytest.raises(InvalidInput, match=r"an export of this tournament: 59 of its first 59"):
        one.add_results(path)
    two = Tournament(NAMES)
    assert two.add_results(path) == 59
    back = tmp_path / "back.jsonl"
    back.write_text("".join(written(two.matches(), "jsonl")))
    for tournament in (one, two):
        with pytest.raises(InvalidInput, match="an export of this tournament"):
            tournament.add_results(back)
    assert one.add_results(path, again=True) == 59


def test_a_pgn_export_of_the_tournament_itself_is_refused(tmp_path):
    one = played_with_two_games("sqlite://")
    one.retract(20, "typo")
    path, first = tmp_path / "all.pgn", tmp_path / "first.pgn"
    path.write_text("".join(written(one.matches(), "pgn")))
    first.write_text("".join(written(list(one.matches())[:1], "pgn")))
    one.retract(21, "typo")
    for file, n_games in ((path, 116), (first, 2)):
        with pytest.raises(InvalidInput, match=rf"of this tournament: its first {n_games} games"):
            one.add_results(file)
    two = Tournament(NAMES)
    assert two.add_results(path) == 116
    back = tmp_path / "back.pgn"
    back.write_text("".join(written(two.matches(), "pgn")))
    for file in (path.rename(tmp_path / "moved.pgn"), back):
        with pytest.raises(InvalidInput, match="seems to be"):
            two.add_results(file)
    assert one.add_results(back, again=True) == 116


def test_games_of_another_tournament_are_no_export_of_this_one(tmp_path):
    one, two = (Tournament(["anna", "bo"], seed=1) for _ in range(2))
    for tournament, score in ((one, 1.0), (two, 0.0)):
        for _ in range(3):
            tournament.tell(tournament.ask(), score)
    path = tmp_path / "other.pgn"
    path.write_text("".join(written(two.matches(), "pgn")))
    assert one.add_results(path) == 3
    single = tmp_path / "single.pgn"
    single.write_text('[White "anna"]\n[Black "bo"]\n[Result "1-0"]\n\n1-0\n')
    assert one.add_results(single) == 1


def test_a_time_that_cannot_be_read_is_refused_where_results_fade_with_time(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("first,second,score,time\nanna,bo,1,2023-11-14\nbo,anna,1,soon\n")
    with Tournament(["anna", "bo"], half_life="1d") as fading:
        with pytest.raises(InvalidInput, match=r"line 3: a result that fades .* 'soon'"):
            fading.add_results(path)
        assert fading.n_matches == 0
        path.write_text("first,second,score,time\nanna,bo,1,2023-11-14\nbo,anna,1,2023-12-14T00Z\n")
        fading.add_results(path)
        assert fading.belief().ratings[1] > 0.0  # what bo won counts, and what it lost has faded
    with Tournament(["anna", "bo"]) as plain:
        path.write_text("first,second,score,time\nanna,bo,1,soon\n")
        assert plain.add_results(path) == 1
