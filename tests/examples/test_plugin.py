"""A package that adds a scheduler, a game, a runner and a command is installed, and used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "plugin"
BROKEN = """\
[maxin.games]
gone = maxin_broken.nowhere:game
elo = maxin_broken:elo

[maxin.commands]
fails = maxin_broken:fails

[maxin.schedulers]
fails = maxin_broken:fails
"""
SAME_NAMES = """\
[maxin.schedulers]
random = maxin_same:scheduler

[maxin.games]
elo = maxin_same:game

[maxin.runners]
dice = maxin_same:runner

[maxin.commands]
run = maxin_same:run
--version = maxin_same:run
other = maxin_same:other
lost = maxin_nowhere:lost
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the example."""
    folder = tmp_path_factory.mktemp("installed")
    how = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--quiet"]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *how]
    subprocess.run([*pip, "--target", folder, EXAMPLE], check=True)
    return folder


@pytest.fixture
def broken(tmp_path):
    """A folder with a package whose plug-ins cannot be loaded, and one whose file is damaged."""
    declare(tmp_path, "maxin-broken", BROKEN)
    declare(tmp_path, "maxin-damaged", "[maxin.games]\nno value\n")
    (tmp_path / "maxin_broken.py").write_text('raise RuntimeError("no licence\\nfound")\n')
    return tmp_path


@pytest.fixture
def same_names(tmp_path):
    """A folder with a package whose plug-ins have names that exist already."""
    declare(tmp_path, "maxin-same", SAME_NAMES)
    code = 'def other():\n    """Say hello."""\n    print("hello")\n'
    (tmp_path / "maxin_same.py").write_text(code)
    return tmp_path


def declare(folder, name, entries):
    """Install a package that only declares entry points."""
    made = folder / f"{name.replace('-', '_')}-2.0.dist-info"
    made.mkdir()
    (made / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
    (made / "entry_points.txt").write_text(entries)


def maxin(folder, cwd, *words):
    """Run the command where the packages of a folder are installed."""
    return subprocess.run(
        [sys.executable, "-m", "maxin", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "150"},
        capture_output=True,
        text=True,
        check=False,
    )


def right(folder, cwd, *words):
    done = maxin(folder, cwd, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_an_installed_package_adds_one_of_each(folder, tmp_path):
    listed = [line.split() for line in right(folder, tmp_path, "plugins").splitlines()]
    for kind, name in (
        ("scheduler", "neglected"),
        ("game", "dice"),
        ("runner", "dice"),
        ("command", "roll"),
    ):
        assert [kind, name, "maxin-dice", "1.0", "ok"] in listed
    assert "roll " in right(folder, tmp_path, "--help").partition("other packages:")[2]
    assert "Usage: maxin roll" in right(folder, tmp_path, "roll", "--help")
    assert 1 <= int(right(folder, tmp_path, "roll", "d20")) <= 20
    assert "dice" in right(folder, tmp_path, "games")
    schedulers = ("--scheduler", "neglected:prior_scale=2", "--seeds", "1", "--rounds", "9")
    assert "neglected" in right(folder, tmp_path, "simulate", "dice:n_players=4", *schedulers)


def test_a_tournament_is_played_and_resumed_with_plug_ins(folder, tmp_path):
    players = [word for name in ("d4", "d8", "d20") for word in ("--player", name)]
    rules = ("--scheduler", "neglected", "--runner", "dice:rolls=2", "--confidence", "none")
    right(folder, tmp_path, "run", *players, *rules, "--budget", "6")
    right(folder, tmp_path, "run", "--confidence", "none", "--budget", "9")
    shown = json.loads(right(folder, tmp_path, "show", "--format", "json"))
    assert [row["matches"] for row in shown["standings"]] == [6, 6, 6]
    refused = maxin(tmp_path, tmp_path, "run", "--budget", "12")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "no plug-in adds a runner named 'dice'; installed: none" in refused.stderr
    late = maxin(folder, tmp_path, "run", "--timeout", "3", "--budget", "12")
    assert "the runner 'dice' takes no timeout; got 3" in late.stderr


def test_a_broken_plug_in_costs_one_warning(broken):
    done = maxin(broken, broken, "games")
    assert done.returncode == 0
    assert "rock-paper-scissors" in done.stdout
    damaged, hidden, gone = done.stderr.splitlines()
    assert damaged.startswith("warning: the entry points of maxin-damaged 2.0 cannot be read: ")
    assert hidden == "warning: the game 'elo' of maxin-broken 2.0 is hidden by maxin's own"
    assert gone == (
        "warning: the game 'gone' of maxin-broken 2.0 cannot be loaded from "
        "maxin_broken.nowhere:game: RuntimeError: no licence found"
    )


def test_a_broken_command_is_an_error_only_for_those_who_call_it(broken):
    listed = maxin(broken, broken, "--help")
    assert listed.returncode == 0
    assert "  run " in listed.stdout
    assert maxin(broken, broken, "games", "show", "elo:n_players=4").stderr == ""
    called = maxin(broken, broken, "fails")
    assert called.returncode == 2
    assert called.stderr.splitlines()[-1] == (
        "error: the command 'fails' of maxin-broken 2.0 cannot be loaded from maxin_broken:fails: "
        "RuntimeError: no licence found"
    )


def test_the_list_says_what_is_wrong_with_each(broken):
    done = maxin(broken, broken, "plugins")
    assert done.returncode == 1
    lines = {
        tuple(line.split()[:2]): " ".join(line.split()[4:]) for line in done.stdout.splitlines()
    }
    assert lines["game", "elo"] == "hidden by maxin's own game"
    reason = "cannot be loaded from maxin_broken:fails: RuntimeError: no licence found"
    assert lines["scheduler", "fails"] == lines["command", "fails"] == reason


def test_a_command_of_an_existing_name_is_hidden_with_a_warning(same_names):
    listed = maxin(same_names, same_names, "--help")
    assert listed.returncode == 0
    assert "Say hello." in listed.stdout.partition("other packages:")[2]
    assert sorted(listed.stderr.splitlines()) == [
        "warning: the command '--version' of maxin-same 2.0 is hidden by maxin's own",
        "warning: the command 'lost' of maxin-same 2.0 cannot be loaded from maxin_nowhere:lost: "
        "ModuleNotFoundError: No module named 'maxin_nowhere'",
        "warning: the command 'run' of maxin-same 2.0 is hidden by maxin's own",
    ]
    assert right(same_names, same_names, "other") == "hello\n"
    assert "Usage: maxin run" in right(same_names, same_names, "run", "--help")


def test_schedulers_games_and_runners_of_existing_names_are_hidden(folder, same_names):
    both, here = os.pathsep.join([str(folder), str(same_names)]), same_names / "here"
    here.mkdir()
    random = ("--scheduler", "random", "--seeds", "1", "--rounds", "9")
    assert "random" in right(both, here, "simulate", "elo:n_players=4", *random)
    dice = ("--player", "d4", "--player", "d8", "--runner", "dice:rolls=2", "--budget", "3")
    assert maxin(both, here, "run", *dice).returncode == 0
    listed = maxin(both, here, "plugins").stdout.splitlines()
    states = {tuple(line.split()[:3]): " ".join(line.split()[4:]) for line in listed}
    assert states["scheduler", "random", "maxin-same"] == "hidden by maxin's own scheduler"
    assert states["game", "elo", "maxin-same"] == "hidden by maxin's own game"
    assert states["runner", "dice", "maxin-same"] == "hidden by that of maxin-dice 1.0"
    assert states["command", "run", "maxin-same"] == "hidden by maxin's own command"


WRONG = """
from maxin import BradleyTerry
from maxin.schedulers.base import LearningScheduler


class Fails(LearningScheduler):
    def __init__(self, n_players, *, rng):
        super().__init__(BradleyTerry(n_players))

    def _choose(self):
        return {}["no pair"]


def number(*, n_players, rng):
    return 5


def raises(*, rng, size=3):
    raise KeyError("no board")


def typo(x: "Missing"):
    print(x)


five = 5
"""


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    """A folder with a package whose plug-ins load, and are not what they should be."""
    folder = tmp_path_factory.mktemp("wrong")
    kinds = {
        "schedulers": ("number", "five", "Fails"),
        "games": ("raises", "five"),
        "runners": ("runner", "five"),
        "commands": ("typo", "five"),
    }
    lines = []
    for kind, names in kinds.items():
        lines.append(f"[maxin.{kind}]")
        lines += [f"{name} = maxin_wrong:{name}" for name in names]
    declare(folder, "maxin-wrong", "\n".join(lines))
    (folder / "maxin_wrong.py").write_text(WRONG + "\n\ndef runner():\n    return 5\n")
    return folder


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("simulate elo:n_players=3 --scheduler number", "made 5, which has no 'choose'"),
        ("simulate elo:n_players=3 --scheduler five", "a scheduler must be a function or a class"),
        (
            "simulate elo:n_players=3 --scheduler Fails",
            "'Fails' failed: KeyError: 'no pair', in",
        ),
        ("run --payoff elo:n_players=3 --scheduler Fails", "maxin_wrong.py, line 11"),
        ("simulate raises", "the game 'raises' of maxin-wrong 2.0 cannot be made: KeyError"),
        ("simulate raises:size=2", "size cannot be set: it is declared without a type"),
        ("simulate five", "TypeError: a game must be a function or a class; got 5"),
        ("run --player a --player b --budget 1 --runner runner", "which has no 'check'"),
        ("run --player a --player b --budget 1 --runner five", "a runner must be a function"),
        ("typo 1", "NameError: name 'Missing' is not defined"),
        ("five", "TypeError: a command must be a function or a class; got 5"),
    ],
)
def test_a_plug_in_that_loads_and_is_wrong_is_one_line(wrong, tmp_path, words, error):
    done = maxin(wrong, tmp_path, *words.split())
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert error in done.stderr


def test_a_wrong_plug_in_does_not_end_a_list(wrong, tmp_path):
    games = maxin(wrong, tmp_path, "games")
    assert games.returncode == 0
    assert "rock-paper-scissors" in games.stdout
    assert games.stderr.count("warning: the game 'five' of maxin-wrong") == 1
    listed = maxin(wrong, tmp_path, "plugins")
    assert listed.returncode == 1
    assert "a command must be a function or a class; got 5" in " ".join(listed.stdout.split())
