from pathlib import Path

import pytest

from maxin.cli.config.config import KEYS, MATCH_KEYS, Config, parse_config, read_config
from maxin.cli.config.match_config import PLIES, Way, stored_way, way_of
from maxin.cli.config.player_config import field, natural
from maxin.core import InvalidInput, MissingExtra

WHOLE = """
players = ["anna", "bo"]
store = "sqlite:///league.db"
scheduler = "maxinp"
seed = 3
games_per_match = 2
first_advantage = true
lag = 4
min_matches = 5
confidence = "none"
k = 2
budget = 100
workers = 4
retries = 0
[match]
command = "play {a} {b}"
timeout = 2.5
"""


def test_every_key_is_read():
    config = parse_config(WHOLE, "league.toml")
    assert config == Config(
        players=("anna", "bo"),
        match={"command": "play {a} {b}", "timeout": 2.5},
        store="sqlite:///league.db",
        scheduler="maxinp",
        seed=3,
        games_per_match=2,
        first_advantage=True,
        lag=4,
        min_matches=5,
        confidence=None,
        k=2,
        budget=100,
        workers=4,
        retries=0,
    )
    assert set(KEYS) <= set(vars(config))


def test_what_is_not_said_is_left_open_or_the_default_of_a_run():
    import inspect

    from maxin.tournament import Tournament

    config = parse_config("", "league.toml")
    run = inspect.signature(Tournament.run).parameters
    for key in ("budget", "confidence", "indifference", "workers", "retries"):
        assert getattr(config, key) == run[key].default
    assert config.seed is config.scheduler is config.store is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("confidense = 0.9", "no key in league.toml named 'confidense'; did you mean 'confidence'"),
        ("[matsch]", "no key in league.toml named 'matsch'; did you mean 'match'"),
        ("[match]\ncomand = 'x'", "under [match] in league.toml named 'comand'; did you mean"),
        ("timeout = 3", "league.toml: 'timeout' belongs under [match]"),
        ("[match]\nworkers = 3", "[match] has the key 'workers', which is the file's"),
        ("workers = 'four'", 'league.toml: workers must be a whole number from 1 on, or "cores"'),
        ("workers = true", "workers must be a whole number from 1 on"),
        ("workers = 0", 'workers must be a whole number from 1 on, or "cores"; got 0'),
        ("seed = 1.0", "league.toml: seed must be a whole number from 0 on; got 1.0"),
        ("games_per_match = 3", "games_per_match must be a whole number from 1 to 2; got 3"),
        ("first_advantage = 1", "first_advantage must be true or false; got 1"),
        ("confidence = 0.3", 'confidence must be a number from 0.5 to below 1, or "none"'),
        ("confidence = 'None'", 'confidence must be a number from 0.5 to below 1, or "none"'),
        ("store = ''", "league.toml: store must be a text; got ''"),
        ("[match]\ntimeout = 0", "league.toml: [match] timeout must be a positive number"),
        ("[match]\nuci = false", "[match] uci must be true; got False"),
        ("match = 3", "league.toml: [match] must be a table; got 3"),
        ("defaults = []", "league.toml: [defaults] must be a table"),
        ("players = 3", "league.toml: players must be a list of names, a glob or tables; got 3"),
        ("players = ['a', 3]", "league.toml: players: name 2 must be a text; got 3"),
        ("[players]\nanna = 3", "league.toml: [players.anna] must be a table; got 3"),
        ("[players.anna]\nborn = 1999-01-01", "[players.anna] born must be a text, a number"),
        ("[players.anna]\nx = [{y = nan}]", "[players.anna] x y must be a text, a number"),
        ("seed = 1\nseed = 2", "league.toml is not TOML: Cannot overwrite a value (at "),
        ("seed", "league.toml is not TOML: Expected '=' after a key in a key/value pair (at"),
    ],
)
def test_mistakes_are_named_with_their_place(text, words):
    with pytest.raises(InvalidInput) as error:
        parse_config(text, "league.toml")
    assert words in str(error.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidInput, match=r"there is no file .*; `maxin init` writes one"):
        read_config(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'store = "\xe9"')
    with pytest.raises(InvalidInput, match="cannot be read: 'utf-8'"):
        read_config(tmp_path / "latin.toml")
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbfseed = 3")
    assert read_config(tmp_path / "bom.toml").seed == 3


def test_flags_come_first():
    config = parse_config(WHOLE, "league.toml")
    changed = config.overridden({"seed": 9, "budget": "none", "k": None}, {"timeout": 8.0})
    assert (changed.seed, changed.budget, changed.k) == (9, None, 2)
    assert changed.match == {"command": "play {a} {b}", "timeout": 8.0}
    other = config.overridden({}, {"call": "a:b", "uci": None})
    assert other.match == {"call": "a:b", "timeout": 2.5}
    with pytest.raises(InvalidInput, match="--games-per-match must be a whole number"):
        config.overridden({"games_per_match": 7}, {})


def test_workers_can_be_as_many_as_there_are_cores():
    assert parse_config('workers = "cores"', "x").workers >= 1


def test_a_glob_is_sorted_naturally_and_names_are_the_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    for name in ("b10.py", "b9.py", "b1 [x].py", "note.txt"):
        (tmp_path / "bots" / name).touch()
    config = parse_config('players = "bots/*.py"', "x")
    names = [entrant.name for entrant in field(config.players, {})]
    assert names == ["bots/b1 [x].py", "bots/b9.py", "bots/b10.py"]
    with pytest.raises(InvalidInput, match=r"no file matches the glob 'bots/\*\.c'"):
        field("bots/*.c", {})
    with pytest.raises(InvalidInput, match="at least two players; got 1"):
        field("bots/*.txt", {})


@pytest.mark.parametrize("names", [["²", "٣", "3"], ["a1b2", "a1b10", "a01", "a1"], ["", "1"]])
def test_any_names_have_an_order(names):
    turned = names[::-1]
    assert sorted(names, key=natural) == sorted(turned, key=natural)


def test_players_have_the_defaults_and_their_own_options():
    config = parse_config(
        """
        [defaults]
        nodes = 10
        options = {Hash = 1, Threads = 1}
        [players."anna b"]
        [players.bo]
        nodes = 99
        options = {Hash = 7}
        """,
        "x",
    )
    anna, bo = field(config.players, config.defaults)
    assert anna == ("anna b", {"nodes": 10, "options": {"Hash": 1, "Threads": 1}})
    assert bo == ("bo", {"nodes": 99, "options": {"Hash": 7, "Threads": 1}})
    bo, cy = field(config.players, config.defaults, names=["bo", "cy"])
    assert (bo.options["nodes"], cy.options["nodes"]) == (99, 10)


def test_engines_and_bots_can_be_said_by_their_names():
    quick, fair = field(["sf -x:nodes=5", "b"], {"movetime": 0.1}, way="uci")
    assert quick.options == {"movetime": 0.1, "command": "sf -x", "nodes": 5}
    assert fair.options == {"movetime": 0.1, "command": "b"}
    assert field(["a:b=1", "c"], {}, way="command")[0].options == {}


WAYS = [
    {"command": "play {a} {b}"},
    {"call": "math:hypot"},
    {"uci": True},
    {"uci": True, "opening_plies": 2, "max_plies": 80},
    {"open_spiel": "tic_tac_toe"},
    {"payoff": "good-bad"},
]


@pytest.mark.parametrize("match", WAYS, ids=str)
def test_a_way_is_known_again_by_the_words_that_are_stored(match):
    way = way_of(match)
    assert stored_way(way.words, None) == way


@pytest.mark.parametrize(
    ("match", "name"),
    [*zip(WAYS, ["Command", "Processes", "Uci", "Uci", "OpenSpiel", "Payoff"], strict=True)],
    ids=str,
)
def test_a_way_makes_its_runner(match, name):
    try:
        runner = way_of(match).runner(["a", "b", "c", "d"], seed=0)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    assert type(runner).__name__ == name
    runner.close()


def test_plies_are_those_of_the_runner():
    import inspect

    from maxin.runners.uci.runner import Uci

    parameters = inspect.signature(Uci).parameters
    assert {key: parameters[key].default for key in PLIES} == PLIES
    assert set(PLIES) < set(MATCH_KEYS)


@pytest.mark.parametrize(
    ("match", "words"),
    [
        ({"command": "x", "call": "y"}, "matches are played in one way; got command and call"),
        ({"call": "y", "max_plies": 3}, "max_plies is for UCI engines; got it with call"),
        ({"opening_plies": 3}, "opening_plies is for UCI engines; got it with no way to play"),
    ],
)
def test_ways_that_make_no_sense(match, words):
    with pytest.raises(InvalidInput) as error:
        way_of(match)
    assert words in str(error.value)


def test_payoffs_bring_their_players_and_seat_them_in_order():
    from maxin.runners import Job

    way = Way("payoff", "good-bad")
    names = way.names(seed=0)
    assert names == ["player-0", "player-1", "player-2", "player-3"]
    assert Way("command", "x").names(seed=0) == []
    runner = way.runner([*names, "late"], seed=0)
    with pytest.raises(InvalidInput, match="no row of the payoff matrix named 'late'"):
        runner.check(field([*names, "late"], {}))
    with pytest.raises(InvalidInput, match="a row for each of 4 players; got 2 names"):
        way.runner(names[:2], seed=0)
    first, second = field(names[:2], {})
    assert runner.play(Job(1, first, second, seed=1)).score in (0.0, 1.0)


def test_a_random_game_is_that_of_the_seed():
    way = Way("payoff", "elo:n_players=3")
    one, same, other = (way.runner(["a", "b", "c"], seed)._chances for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_a_store_that_says_no_way():
    with pytest.raises(InvalidInput, match="says nothing about how matches are played; give one"):
        stored_way("", None)
    with pytest.raises(InvalidInput, match="says only 'by hand'"):
        stored_way("by hand", None)


def test_the_example_has_every_built_in_player_of_connect_four():
    from examples.connect_four.game import PLAYERS

    config = read_config(
        Path(__file__).parents[3] / "examples" / "connect_four" / "tournament.toml"
    )
    assert sorted(config.players) == sorted(PLAYERS)
    assert way_of(config.match).words == "call: examples.connect_four.game:play"
