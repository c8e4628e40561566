"""Tournaments that are started to be played elsewhere."""

import pytest

from maxin.tournament import Tournament
from tests.helpers.command import call, right, start

URL = "sqlite:///maxin.db"


def test_a_started_tournament_has_the_players_and_settings_given():
    assert start("anna", "bo", flags=["--seed", "5"]).out == "2 players, 2 active in " + URL + "\n"
    start("anna", "bo", flags=["--seed", "5"])  # again, which changes nothing
    with Tournament(store=URL) as tournament:
        assert (tournament.names, tournament.settings.seed) == (["anna", "bo"], 5)
    done = call("start", "--player", "anna", "--player", "bo", "--seed", "6")
    assert (done.code, "seed is 5 in the store and 6 here" in done.err) == (2, True)


def test_a_config_file_or_a_glob_starts_a_tournament(folder):
    (folder / "league.toml").write_text(
        'store = "sqlite:///league.db"\nseed = 3\n[defaults]\ndepth = 2\n[players.anna]\n'
        "[players.bo]\ndepth = 4\n[match]\ncommand = 'play {a} {b}'\n"
    )
    assert right("start", "league.toml").out.endswith("sqlite:///league.db\n")
    with Tournament(store="sqlite:///league.db") as tournament:
        assert [dict(entrant.options) for entrant in tournament.entrants()] == [
            {"depth": 2},
            {"depth": 4},
        ]
        assert tournament.settings.seed == 3
        assert tournament.settings.match == "command: play {a} {b}"
    for name in ("bot1.py", "bot2.py"):
        (folder / name).touch()
    right("start", "--players", "bot*.py")
    with Tournament(store=URL) as tournament:
        assert tournament.names == ["bot1.py", "bot2.py"]


@pytest.mark.parametrize("is_imported", [False, True])
def test_the_first_run_records_how_matches_are_played(folder, is_imported):
    start("anna", "bo")
    if is_imported:
        (folder / "old.csv").write_text("first,second,score\nanna,bo,1\n")
        right("import", "old.csv")
    first = ("run", "--quiet", "--confidence", "none", "--command")
    Tournament(store=URL, match="command: ehco {a} {b}").close()  # a typo: nothing was played
    right(*first, "sh -c 'echo 1' {a} {b}", "--budget", 3)
    other = call(*first, "sh -c 'echo 0' {a} {b}", "--budget", 5)
    assert other.code == 2
    assert "match is \"command: sh -c 'echo 1' {a} {b}\" in the store" in other.err
    assert "5 matches" in right("run", "--quiet", "--confidence", "none", "--budget", 5).out
    with Tournament(store=URL) as tournament:
        assert {match.score for match in tournament.matches()} == {1.0}
    assert "OK" in right("verify").out


def test_a_goal_is_stored():
    start("anna", "bo", "cy", flags=["--goal", "top-2"])
    with Tournament(store=URL) as tournament:
        assert (tournament.settings.goal, tournament.settings.scheduler) == (
            "top-2",
            "top-two:k=2",
        )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "a tournament needs players"),
        (["--player", "anna"], "at least two players"),
        (["--player", "anna", "--player", "anna"], "'anna' occurs twice"),
        (["--player", "a", "--player", "b", "--scheduler", "maxi"], "did you mean 'maxin'"),
        (
            ["--player", "a", "--player", "b", "--games-per-match", "3"],
            "even number up to 1,000: games are played in pairs; got 3",
        ),
        (["--player", "a", "--player", "b", "--goal", "top-2"], "needs more than 2 players; got 2"),
        (["nothing.toml"], "there is no file 'nothing.toml'"),
    ],
)
def test_a_start_that_fails_leaves_no_store(folder, arguments, words):
    done = call("start", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert not list(folder.iterdir())


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:"])
@pytest.mark.parametrize("is_variable", [False, True])
def test_a_store_in_memory_is_refused(folder, monkeypatch, url, is_variable):
    monkeypatch.setenv("MAXIN_STORE", url if is_variable else "league.db")
    flags = [] if is_variable else ["--store", url]
    players = ["--player", "anna", "--player", "bo"]
    for words in (["start", *players], ["run", *players, "--command", "true {a} {b}"], ["show"]):
        done = call(*words, *flags)
        assert (done.code, done.out) == (2, "")
        assert "the store of a command must be a file, as in sqlite:///league.db" in done.err
        assert done.err.endswith(f"got {url!r}\n")
    assert not list(folder.iterdir())


def test_results_fade_with_a_half_life(folder):
    start("anna", "bo", flags=["--half-life", "48h"])
    with Tournament(store=URL) as tournament:
        assert tournament.settings.half_life == "2d"
        tournament.add_results([("anna", "bo", 1.0)] * 3)
    shown = right("show").out
    assert "older results fade: half-life 2 days; 3 matches count as 3" in shown
    done = call("start", "--player", "anna", "--player", "bo", "--half-life", "1000")
    assert (done.code, "half_life is '2d' in the store and 1000 here" in done.err) == (2, True)
    (folder / "league.toml").write_text(
        'store = "sqlite:///league.db"\nhalf_life = 1000\n[players.anna]\n[players.bo]\n'
    )
    right("start", "league.toml")
    with Tournament(store="sqlite:///league.db") as tournament:
        assert tournament.settings.half_life == 1000


@pytest.mark.parametrize("value", ["0", "-3", "7x", "nan"])
def test_an_invalid_half_life_is_named(value):
    done = call("start", "--player", "anna", "--player", "bo", f"--half-life={value}")
    assert done.code == 2
    assert "--half-life must be a number of matches, 1000, or a time" in done.err
