"""Chess from flags, as fastchess has them."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from maxin.cli.config.config_file import Config, parse_config
from maxin.cli.config.flags import table_of
from maxin.cli.config.match_config import match_config
from maxin.cli.config.players import players_of, with_engines
from maxin.cli.config.settings import MatchSettings, PlayerFlags
from maxin.core import InvalidInput
from maxin.runners.uci.engine_settings import read_settings
from maxin.tournament import Tournament
from tests.helpers.command import call, right
from tests.helpers.uci import FAKE, FOOLS_MATE, STOCKFISH, needs_stockfish

ENGINE = shlex.join([sys.executable, "-S", str(FAKE), "plays", *FOOLS_MATE])
CHESS_PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "chess.md"
BOOK = '[ECO "A00"]\n\n1. f3 e5 *\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with a book, as the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    (tmp_path / "book.pgn").write_text(BOOK)
    return tmp_path


def test_flags_become_players_with_their_options():
    flags = PlayerFlags(
        engine=(
            {"cmd": "sf", "name": "weak", "option.Skill Level": 5, "proto": "uci"},
            {"cmd": "sf", "args": "-q", "name": "slow", "st": 0.5},
        ),
        each={"tc": "10+0.1", "option.Hash": 16},
    )
    config = with_engines(Config(), flags)
    assert config.match.uci is True
    assert players_of(config, flags, "uci") == [
        ("weak", {"command": "sf", "tc": "10+0.1", "options": {"Hash": 16, "Skill Level": 5}}),
        ("slow", {"command": "sf -q", "movetime": "0.5s", "options": {"Hash": 16}}),
    ]


def test_each_adds_to_the_players_of_a_file():
    text = "[match]\nuci = true\nmax_plies = 9\n[defaults]\nnodes = 3\n[players.a]\n[players.b]\n"
    config = with_engines(parse_config(text, "x"), PlayerFlags(each={"depth": 2}))
    assert [player.options for player in players_of(config, kind="uci")] == [
        {"depth": 2, "command": "a"},
        {"depth": 2, "command": "b"},
    ]
    assert config.match.max_plies == 9


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"engine": ({"cmd": "sf"}, {"cmd": "sf"})}, "two engines are named 'sf'; give each a na"),
        ({"engine": ({"nodes": 3},)}, "--engine needs cmd or name; got nodes"),
        ({"engine": ({"cmd": "sf", "node": 3},)}, "no key of --engine named 'node'; did you mean"),
        ({"engine": ({"cmd": "sf", "proto": "x"},)}, "proto must be uci or xboard; got 'x'"),
        ({"engine": ({"cmd": "sf"},), "player": ("a",)}, "--engine and --player or --players excl"),
        ({"each": {"name": "x"}}, "no key of --each named 'name'"),
    ],
)
def test_invalid_flags_are_refused(flags, words):
    with pytest.raises(InvalidInput, match=words):
        with_engines(Config(), PlayerFlags(**flags))


def test_engines_need_chess():
    config = Config(match=MatchSettings(command="play {a} {b}"))
    with pytest.raises(InvalidInput, match="are for UCI engines; got them with command"):
        with_engines(config, PlayerFlags(each={"nodes": 3}))


def test_two_flags_run_a_match_which_can_be_resumed(folder):
    engines = [word for name in "ab" for word in ("--engine", f"cmd={ENGINE}", f"name={name}")]
    flags = [*engines, "--each", "nodes=1", "--openings"]
    flags += ["file=book.pgn", "order=sequential", "--games-per-match", "2", "--quiet"]
    right("run", *flags, "--confidence", "none", "--budget", "1")
    right("run", *flags, "--confidence", "none", "--budget", "2")  # the same settings
    right("export", "games.pgn")
    games = (folder / "games.pgn").read_text()
    assert games.count('[Result "0-1"]') == games.count('[ECO "A00"]') == 4
    assert "1. f3 {book} 1... e5 {book} 2. g4 {" in games
    again = ["--store", "maxin.db", "--openings", "file=book.pgn", "order=sequential", "--quiet"]
    right("run", *again, "--on-crash", "retry", "--confidence", "none", "--budget", "3")
    for other in ([*flags, "--on-crash", "loss"], [*again, "--on-crash", "loss"]):
        done = call("run", *other, "--budget", "4")
        assert done.code == 2
        assert (
            "was started with other settings: on_crash is not set in the store "
            "and 'loss' here; to resume it as it was"
        ) in " ".join(done.err.split())


def test_the_config_in_the_docs_is_valid():
    (text,) = re.findall(r"^```toml\n(.*?)^```$", CHESS_PAGE.read_text(), re.M | re.S)
    config = parse_config(text, "chess.toml")
    full, _, deep, quick = map(read_settings, players_of(config, kind="uci"))
    assert (full.tc, deep.depth, quick.movetime) == ((10.0, 0.1, 0), 12, 0.05)
    assert deep.tc is quick.tc is None
    assert match_config(config.match).kind == "uci"


@needs_stockfish
def test_a_real_match_is_played_with_clocks_and_adjudicated(folder):
    right(
        *["run", "--engine", f"cmd={STOCKFISH}", "name=weak", "option.Skill", "Level=0"],
        *["--engine", f"cmd={STOCKFISH}", "name=strong", "--each", "tc=5+0.01", "option.Hash=1"],
        *["--resign", "movecount=1", "score=100", "--draw", "movenumber=20", "movecount=1"],
        *["--confidence", "none", "--budget", "1", "--quiet"],
    )
    (match,) = Tournament(store="sqlite:///maxin.db").matches()
    assert match.data["end"] in ("resignation", "draw by adjudication", "checkmate")
    assert match.data["comments"].count("s, ") == match.data["plies"] - 6 - 1


@pytest.mark.parametrize("name", ["16.10", "1e3", "007", "false", "true"])
def test_the_name_of_an_engine_stays_as_it_is_written(name):
    flags = PlayerFlags(engine=(table_of([f"name={name}", "cmd=sf"], "--engine"),))
    assert list(with_engines(Config(), flags).players) == [name]
