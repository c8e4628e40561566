import pickle
from pathlib import Path

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin.games import load_game, make_game

PAPER = Path(__file__).resolve().parents[3] / "shared" / "games"
needs_paper = pytest.mark.skipif(not PAPER.is_dir(), reason=f"the paper's games are not in {PAPER}")
UNFAIR = ["Elo game + noise=0.01", "Elo game + noise=0.05"]


@pytest.mark.parametrize("suffix", [".npy", ".csv", ".NPY"])
def test_a_saved_table_is_loaded_unchanged(tmp_path, suffix):
    payoffs, path = np.array([[0, 0.25], [-0.25, 0]]), tmp_path / f"5,3 a=b{suffix}"
    if suffix == ".csv":
        np.savetxt(path, payoffs, delimiter=",")
    else:
        with path.open("wb") as file:
            np.save(file, payoffs)
    game = load_game(path)
    assert game.name == "5,3 a=b"
    np.testing.assert_array_equal(game.payoffs, payoffs)


def test_unfair_seats_are_refused_or_averaged(tmp_path):
    path = tmp_path / "seats.csv"
    path.write_text("0.1,0.5\n-0.1,0.1\n")
    with pytest.raises(InvalidInput, match=r"\(0, 1\) is 0.5 and entry \(1, 0\) is -0.1.*average"):
        load_game(path)
    np.testing.assert_allclose(load_game(path, average_seats=True).payoffs[0], [0.0, 0.3])
    assert make_game(f"{path}:average_seats=1", np.random.default_rng(0)).name == "seats"


def test_averaging_does_not_hide_invalid_entries(tmp_path):
    path = tmp_path / "wild.csv"
    path.write_text("0,1.5\n0.1,0\n")
    with pytest.raises(InvalidInput, match=r"in \[-1, 1\]; entry \(0, 1\) is 1.5"):
        load_game(path, average_seats=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("0,a\n-1,0\n", "must be a square table"),
        ("a,b\n0,1,1\n-1,0,1\n", r"square.* got shape \(2, 3\)"),
        ("a,b\n0,1\n-1,0\n0,0\n", r"square.* got shape \(3, 2\)"),
        ("a,a\n0,1\n-1,0\n", "every player needs a name of its own; 'a' has two"),
        (",a,b\na,0,1\n,-1,0\n", "line 3: the names .* this line is '', and the column is 'b'"),
        (",a,b\na,0,1\nc,-1,0\n", "line 3: the names .* this line is 'c', and the column is 'b'"),
        ("0,1\n\n-1,x\n", "line 3, column 2: a payoff must be a number; got 'x'"),
        ("0,1\n,0\n", "line 2, column 1: a payoff must be a number; got ''"),
        ("0,1,1\n-1,0\n", "line 2: rows must have the same length; the first has 3 cells"),
        ("0,nan\n-1,0\n", r"entry \(0, 1\) is nan"),
    ],
)
def test_errors_name_the_place_in_an_invalid_csv(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=message):
        load_game(path)


CHANCES = np.array([[0.5, 0.6, 0.9], [0.4, 0.5, 0.7], [0.1, 0.3, 0.5]])
NAMES = ("anna", "bo", "cy")
NAMED = {
    "neither": "0.5,0.6,0.9\n0.4,0.5,0.7\n0.1,0.3,0.5",
    "row": "anna,bo,cy\n0.5,0.6,0.9\n0.4,0.5,0.7\n0.1,0.3,0.5",
    "column": "anna,0.5,0.6,0.9\nbo,0.4,0.5,0.7\ncy,0.1,0.3,0.5",
    "both": ",anna,bo,cy\nanna,-,0.6,0.9\nbo,0.4,-,0.7\ncy,0.1,0.3,-",
    "both, with a title": "player;anna;bo;cy\nanna;;0,6;0,9\nbo;0,4;;0,7\ncy;0,1;0,3;",
    "both, without a corner": "anna\tbo\tcy\nanna\t1\t0.6\t0.9\nbo\t0.4\t1\t0.7\ncy\t0.1\t0.3\t1",
}


@pytest.mark.parametrize("place", NAMED)
def test_win_probabilities_and_names_are_recognised(tmp_path, place):
    path = tmp_path / "chances.csv"
    path.write_text(NAMED[place] + "\n")
    for game in (load_game(path), load_game(path, average_seats=True)):
        np.testing.assert_allclose(game.payoffs, 2.0 * CHANCES - 1.0, atol=1e-12)
        assert game.names == (None if place == "neither" else NAMES)


@pytest.mark.parametrize(
    "text",
    [
        ",0,1,2\n0,,0.6,0.9\n1,0.4,,0.7\n2,0.1,0.3,\n",
        "0,1,2\n0,0.6,0.9\n0.4,0,0.7\n0.1,0.3,0\n",
        "0,0.5,0.6,0.9\n1,0.4,0.5,0.7\n2,0.1,0.3,0.5\n",
    ],
)
def test_names_may_be_numbers(tmp_path, text):
    path = tmp_path / "chances.csv"
    path.write_text(text)
    game = load_game(path)
    assert game.names == ("0", "1", "2")
    np.testing.assert_allclose(game.payoffs, 2.0 * CHANCES - 1.0, atol=1e-12)


def test_a_saved_array_of_probabilities_is_recognised(tmp_path):
    path = tmp_path / "chances.npy"
    rounded = np.array([[np.nan, 0.34], [0.67, np.nan]])  # from 0.335 and 0.665
    np.save(path, rounded)
    assert load_game(path).probabilities[0, 1] == pytest.approx(0.335)


def test_a_table_that_may_be_either_is_refused_with_both_readings(tmp_path):
    """Row seats are better here: averaging it as payoffs would halve every difference."""
    path = tmp_path / "seats.csv"
    path.write_text("0.6,0.9\n0.3,0.6\n")
    message = (
        r"may be win probabilities or payoffs of unequal seats. Entry \(0, 1\) is 0.9 .* "
        r"probabilities, player 0 beats player 1 in 80.0 % of matches, and read as payoffs in "
        r"65.0 %"
    )
    for average in (False, True):
        with pytest.raises(InvalidInput, match=message):
            load_game(path, average)
    rng = np.random.default_rng(0)
    for entries, chance in (("probabilities", 0.8), ("payoffs", 0.65)):
        game = make_game(f"{path}:average_seats=1,entries={entries}", rng)
        assert game.probabilities[0, 1] == pytest.approx(chance)
        with pytest.raises(InvalidInput, match="average_seats"):
            load_game(path, entries=entries)
    with pytest.raises(InvalidInput, match="no kind of entries named 'odds'"):
        load_game(path, entries="odds")


def test_a_table_of_draws_is_one_of_payoffs(tmp_path):
    path = tmp_path / "draws.csv"
    path.write_text("0,0\n0,0\n")
    assert not load_game(path).payoffs.any()


def test_a_csv_may_start_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("0,1\r\n-1,0\r\n", encoding="utf-8-sig")
    assert load_game(path).payoffs[0, 1] == 1.0


def test_a_csv_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "bytes.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="not a text file"):
        load_game(path)


class RunsCode:
    def __reduce__(self):
        return (pytest.fail, ("the pickle was loaded",))


def test_pickles_are_never_loaded(tmp_path):
    plain, objects = tmp_path / "plain.npy", tmp_path / "objects.npy"
    plain.write_bytes(pickle.dumps(RunsCode()))
    np.save(objects, np.array([[RunsCode()]], dtype=object), allow_pickle=True)
    for path in (plain, objects):
        with pytest.raises(InvalidInput, match="pickles are never loaded, because they run code"):
            load_game(path)


def test_damaged_npy_files_are_refused(tmp_path):
    path = tmp_path / "damaged.npy"
    np.save(path, np.zeros((2, 2)))
    whole = path.read_bytes()
    for damaged in [b"", b"text", whole[:20], whole[:-8], whole.replace(b"(2, 2)", b"(2, 2(")]:
        path.write_bytes(damaged)
        with pytest.raises(InvalidInput, match=r"not a valid \.npy file"):
            load_game(path)


def test_missing_files_and_unknown_suffixes_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="there is no file"):
        load_game(tmp_path / "nowhere.npy")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInput, match="there is no file"):
        load_game(tmp_path / "folder.csv")
    with pytest.raises(InvalidInput, match=r"\.npy or \.csv"):
        load_game(tmp_path / "table.txt")


@needs_paper
def test_the_papers_games_load():
    for path in PAPER.glob("*.npy"):
        game = load_game(path, average_seats=path.stem in UNFAIR)
        assert game.name == path.stem
        np.testing.assert_array_equal(game.probabilities + game.probabilities.T, 1.0)


@needs_paper
@pytest.mark.parametrize("name", UNFAIR)
def test_the_two_unfair_tables_are_refused_unless_averaged(name):
    path, rng = PAPER / f"{name}.npy", np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="load with average_seats"):
        make_game(str(path), rng)
    raw = np.load(path)
    game = make_game(f"{path}:average_seats=1", rng)
    np.testing.assert_allclose(game.payoffs, (raw - raw.T) / 2)


@needs_paper
def test_blotto_and_good_bad_equal_the_papers_tables():
    rng = np.random.default_rng(0)
    blotto = np.load(PAPER / "5,3-Blotto.npy")
    np.testing.assert_array_equal(make_game("blotto:soldiers=5,fields=3", rng).payoffs, blotto)
    good_bad = np.load(PAPER / "2 Good, 2 Bad.npy")
    np.testing.assert_allclose(make_game("good-bad", rng).payoffs, good_bad, atol=1e-15)
