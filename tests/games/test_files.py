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
        ("a,b\n0,1\n-1,0\n", "line 1, column 1: a payoff must be a number; got 'a'"),
        ("0,1\n\n-1,x\n", "line 3, column 2: a payoff must be a number; got 'x'"),
        ("0,1\n-1,\n", "line 2, column 2: a payoff must be a number; got ''"),
        ("0,1,1\n-1,0\n", "line 2: rows must have the same length; the first has 3 numbers"),
        ("0,nan\n-1,0\n", r"entry \(0, 1\) is nan"),
    ],
)
def test_errors_name_the_place_in_an_invalid_csv(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=message):
        load_game(path)


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
