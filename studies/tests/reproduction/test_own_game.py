"""The paper's protocol on a game of one's own, through the command as a process."""

import csv

import pytest

from tests.helpers.command import call
from tests.helpers.forked_processes import forked_command

TABLE = ",anna,bo,cid\nanna,,0.7,0.9\nbo,0.3,,0.8\ncid,0.1,0.2,\n"  # win probabilities
FEW = ("--seeds", "1", "--rounds", "20", "--workers", "1")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder with a file of one's own and its report, and what the command printed."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "my league.csv").write_text(TABLE)
    words = ("paper", "--game", "my league.csv", "--out", "out", *FEW)
    with forked_command(*words, folder=folder) as command:
        out, errors = command.communicate(timeout=120)
    assert command.returncode == 0, errors
    return folder / "out" / "game-my-league", out


def rows(folder, name):
    with (folder / "tables" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_algorithm_has_its_settings_and_metrics_under_every_protocol(played):
    folder, _ = played
    found = rows(folder, "Elo")
    assert len(found) == 6 * 3  # with alpha-IG, since the game is small
    names = {row["algorithm"] for row in found}
    assert names == {"Random", "RG-UCB", "DBGD", "MaxInP", "MaxIn-Elo", "alpha-IG"}
    assert {row["protocol"] for row in found} == {"hindsight", "held-out", "as-printed"}
    settings = {(row["algorithm"], row["protocol"]): row["settings"] for row in found}
    assert settings["MaxIn-Elo", "held-out"].startswith("gamma = ")
    assert ", delta = " in settings["MaxIn-Elo", "as-printed"]
    for row in found + rows(folder, "mElo"):
        assert float(row["regret"].split(" ± ")[0]) >= 0
        assert 0 < float(row["RR"].split(" ± ")[0]) <= 1
    assert "MaxIn-mElo" in {row["algorithm"] for row in rows(folder, "mElo")}


def test_the_page_names_the_best_player_and_has_the_plots(played):
    folder, _ = played
    page = (folder / "report.html").read_text()
    assert "my league has 3 players" in page
    assert "measured by: anna." in page
    assert page.count("data:image/png;base64,") == 6
    assert (folder / "figures" / "Elo-hindsight.svg").is_file()


def test_progress_and_the_tables_are_printed(played):
    folder, out = played
    assert "Elo, tuning: " in out
    assert "MaxIn-mElo" in out
    assert out.strip().endswith("Report: out/game-my-league/report.html")
    assert folder.is_dir()


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        (None, ("--game", "my.csv"), "there is no file 'my.csv'"),
        ("0,0.5\n-0.4,0\n", ("--game", "my.csv"), "game 'my'"),
        ("0,0.5,1\n-0.5,0\n", ("--game", "my.csv"), "line 2: rows must have the same length"),
        (None, ("--game", "kuhn-pokr"), "did you mean 'kuhn-poker'"),
        (None, ("figure1", "--game", "good-bad"), "leave out PARTS and --games"),
        (None, ("--games", "folder", "--game", "good-bad"), "leave out PARTS and --games"),
    ],
)
def test_a_wrong_game_is_one_line(tmp_path, monkeypatch, text, arguments, words):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "my.csv").write_text(text)
    done = call("paper", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "out").exists()
