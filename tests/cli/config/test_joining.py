"""A mistake in a player or a setting can be corrected: it never costs a tournament."""

import json
import shlex
import sys

import pytest

from maxin.cli.config.players import option_flags, read_options
from maxin.tournament import Tournament
from maxin.worker import worker
from tests.helpers.command import call, right
from tests.helpers.uci import BACK_AND_FORTH, FAKE

ENGINE = shlex.join([sys.executable, "-S", str(FAKE), "script", *BACK_AND_FORTH])
CHESS = f"""
store = "sqlite:///chess.db"
budget = 2
confidence = "none"
[defaults]
command = {json.dumps(ENGINE)}
options = {{ Style = "calm" }}
[players.anna]
nodes = 1
[players.bo]
nodes = 1
[match]
uci = true
opening_plies = 0
max_plies = 4
"""
PLAY = "import sys; a, b = sys.argv[1:3]; print(float(a < b))"
COMMAND = f"{shlex.join([sys.executable, '-S', '-c', PLAY])} {{a}} {{b}}"
URL = "sqlite:///maxin.db"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAXIN_STORE", URL)
    return tmp_path


@pytest.fixture
def chess(folder, monkeypatch):
    """A tournament of engines that has been started."""
    monkeypatch.setenv("MAXIN_STORE", "sqlite:///chess.db")
    (folder / "chess.toml").write_text(CHESS)
    right("start", "chess.toml")


def entrants(url=URL):
    with Tournament(store=url) as tournament:
        return {player.name: dict(player.options) for player in tournament.entrants()}


def states(url=URL):
    with Tournament(store=url) as tournament:
        return tournament.states


@pytest.mark.usefixtures("chess")
def test_a_player_who_cannot_play_does_not_join():
    done = call("players", "add", "oops")
    assert (done.code, done.out) == (2, "")
    assert "player 'oops' needs exactly one of nodes, depth" in done.err
    done = call("players", "add", "oops", "--option", "nodes=1", "--option", "dept=3")
    assert "no option of player 'oops' named 'dept'; did you mean 'depth'?" in done.err
    done = call("players", "edit", "anna", "--option", "command=nothing")
    assert "player 'anna': cannot find the program 'nothing'" in done.err
    assert list(entrants("sqlite:///chess.db")) == ["anna", "bo"]


@pytest.mark.usefixtures("chess")
def test_a_player_that_joins_gets_the_defaults_of_the_config_file():
    right("players", "add", "cy", "--option", "nodes=2", "--option", "options.Depth=3")
    assert entrants("sqlite:///chess.db")["cy"] == {
        "command": ENGINE,
        "nodes": 2,
        "options": {"Style": "calm", "Depth": 3},
    }


@pytest.mark.usefixtures("chess")
def test_a_new_limit_of_an_engine_replaces_the_old_one():
    right("players", "edit", "anna", "--option", "depth=2")
    assert entrants("sqlite:///chess.db")["anna"]["depth"] == 2
    assert "nodes" not in entrants("sqlite:///chess.db")["anna"]


@pytest.mark.usefixtures("chess")
def test_only_active_players_are_checked():
    with Tournament(store="sqlite:///chess.db") as tournament:
        tournament.add("oops", "ouch")
        tournament.retire("oops")
    refused = call("run", "chess.toml", "--quiet")
    assert refused.code == 2
    assert "new here" not in refused.err
    assert "player 'ouch' needs" in refused.err
    assert "`maxin players edit`" in refused.err
    assert "`maxin players remove`" in refused.err
    right("players", "remove", "ouch")
    assert "2 matches" in right("run", "--quiet", "--budget", 2).out


@pytest.mark.usefixtures("chess")
def test_a_missing_book_is_not_blamed_on_players(folder):
    text = CHESS.replace("opening_plies = 0", 'openings = { file = "book.pgn" }')
    (folder / "chess.toml").write_text(text)
    refused = call("run", "chess.toml", "--quiet")
    assert refused.code == 2
    assert "book.pgn" in refused.err
    assert "maxin players" not in refused.err


def test_a_new_file_joins_if_it_is_asked_to(folder):
    for name in ("a.pt", "b.pt"):
        (folder / name).touch()
    flags = ["run", "--players", "*.pt", "--command", COMMAND, "--quiet"]
    right(*flags, "--confidence", "none", "--budget", 2)
    (folder / "c.pt").touch()
    refused = call(*flags, "--budget", 3)
    assert refused.code == 2
    assert "new here: c.pt" in refused.err
    command = refused.err.partition("to let them join: ")[2].partition(" --join")[0]
    assert shlex.split(command)[-len(flags) - 2 :] == [*flags, "--budget", "3"]
    assert list(entrants()) == ["a.pt", "b.pt"]
    right(*flags, "--budget", 3, "--join")
    assert list(entrants()) == ["a.pt", "b.pt", "c.pt"]
    (folder / "a.pt").unlink()
    gone = call(*flags, "--budget", 4, "--join")
    retire = shlex.split(gone.err.partition("to retire them: ")[2].partition(";")[0])
    assert retire[-5:] == ["players", "retire", "--store", URL, "a.pt"]


def test_other_options_are_refused_with_the_command_that_changes_them(folder):
    config = folder / "league.toml"
    text = "budget = 2\nconfidence = 'none'\n[players.a]\ndept = 3\n[players.b]\n[match]\n"
    config.write_text(text + f"command = {json.dumps(COMMAND)}\n")
    right("run", "league.toml", "--quiet")
    config.write_text(config.read_text().replace("dept", "depth"))
    refused = call("run", "league.toml", "--quiet", "--budget", 3)
    assert refused.code == 2
    words = shlex.split(refused.err.partition("to change 'a': ")[2].partition(";")[0])
    right(*words[words.index("players") :])
    assert entrants()["a"] == {"depth": 3}
    right("run", "league.toml", "--quiet", "--budget", 3)


def test_a_failed_first_run_does_not_refuse_the_corrected_one(folder, monkeypatch):
    monkeypatch.setattr(worker, "LEASE", 0.01)  # as if the process had ended
    config = folder / "league.toml"
    text = "seed = 1\nbudget = 2\nbackoff = 0\nconfidence = 'none'\n"
    text += "[players.a]\nx = 1\n[players.oops]\nx = 1\n"
    config.write_text(f"{text}[match]\ncommand = 'false {{a}} {{b}} {{a.x}}'\n")
    failed = call("run", "league.toml", "--quiet")
    assert failed.code == 1
    assert list(entrants()) == ["a", "oops"]
    text = text.replace("seed = 1", "seed = 2").replace("oops", "b").replace("x = 1", "x = 2")
    config.write_text(f"{text}[match]\ncommand = {json.dumps(COMMAND)}\n")
    done = right("run", "league.toml", "--quiet")
    assert "had no result yet: it is started again" in done.err
    assert states() == {"a": "active", "oops": "removed", "b": "active"}
    assert entrants()["a"] == {"x": 2}
    with Tournament(store=URL) as tournament:
        assert (tournament.settings.seed, tournament.n_matches, tournament.n_pending) == (2, 2, 0)
        assert [row.player for row in tournament.leaderboard()] == ["a", "b"]
        assert tournament.verify().problems == []
    config.write_text(config.read_text().replace("seed = 2", "seed = 3"))
    played = call("run", "league.toml", "--quiet", "--budget", 3)
    assert (played.code, "seed is 2 in the store and 3 here" in played.err) == (2, True)


def test_a_tournament_that_is_being_played_is_not_started_again():
    right("start", "--player", "a", "--player", "b")
    right("ask")
    names = ("--player", "a", "--player", "c")
    refused = call("run", *names, "--command", COMMAND, "--budget", 3, "--quiet")
    assert (refused.code, "new here: c" in refused.err) == (2, True)
    assert states() == {"a": "active", "b": "active"}


@pytest.mark.parametrize(
    "after",
    [{"x": "3"}, {"x": "a b=c"}, {"x": [1, "two"]}, {"x": {"y": {"z": True}}}, {"x": -1.5}, {}],
)
def test_flags_give_any_options(after):
    flags = option_flags({"old": 1}, after)
    pairs = [flags[place + 1] for place, flag in enumerate(flags) if flag == "--option"]
    assert read_options(pairs) == after
    assert flags[-2:] == ["--unset", "old"]
