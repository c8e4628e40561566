import gc
from dataclasses import replace

import pytest

from maxin.cli.config.config_file import Config, parse_config, read_config
from maxin.cli.config.flags import given
from maxin.cli.config.settings import MatchSettings, RunSettings, TournamentSettings
from maxin.core import InvalidInput

WHOLE = """
players = ["anna", "bo"]
store = "sqlite:///league.db"
goal = "top-2"
scheduler = "maxinp"
seed = 3
games_per_match = 2
first_advantage = true
lag = 4
min_matches = 5
anchor = {bo = 3500}
features = "step,size"
half_life = "7d"
confidence = "none"
tolerance = 20
sprt = {elo0 = 0, elo1 = 5}
budget = 100
budget_cost = 20
budget_time = "120m"
workers = 4
retries = 0
backoff = 0.5
[match]
command = "play {a} {b}"
timeout = 2.5
"""


def test_every_key_is_read():
    config = parse_config(WHOLE, "league.toml")
    assert config == Config(
        players=("anna", "bo"),
        tournament=TournamentSettings(
            store="sqlite:///league.db",
            goal="top-2",
            scheduler="maxinp",
            seed=3,
            games_per_match=2,
            first_advantage=True,
            lag=4,
            min_matches=5,
            anchor={"bo": 3500},
            features="step,size",
            half_life="7d",
        ),
        run=RunSettings(
            confidence="none",
            tolerance=20,
            sprt="elo0=0,elo1=5,alpha=0.05,beta=0.05",
            budget=100,
            budget_cost=20.0,
            budget_time="2h",
            workers=4,
            retries=0,
            backoff=0.5,
        ),
        match=MatchSettings(command="play {a} {b}", timeout=2.5),
    )
    assert given(config.tournament).keys() == TournamentSettings.settings.keys()
    assert given(config.run).keys() == RunSettings.settings.keys()


def test_a_setting_that_is_not_given_is_left_to_the_library():
    config = parse_config("", "league.toml")
    assert config == Config()
    assert not any(given(part) for part in (config.tournament, config.run, config.match))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("confidense = 0.9", "no key in league.toml named 'confidense'; did you mean 'confidence'"),
        ("k = 3", "no key in league.toml named 'k'"),
        ("[matsch]", "no key in league.toml named 'matsch'; did you mean 'match'"),
        ("[match]\ncomand = 'x'", "under [match] in league.toml named 'comand'; did you mean"),
        ("timeout = 3", "league.toml: 'timeout' belongs under [match]"),
        ("[match]\nworkers = 3", "[match] has the key 'workers', which belongs to the file"),
        ("workers = 'four'", 'league.toml: workers must be a whole number of at least 1, or "c'),
        ("workers = true", "workers must be a whole number of at least 1"),
        ("workers = 0", 'workers must be a whole number of at least 1, or "cores"; got 0'),
        ("seed = 1.0", "league.toml: seed must be a whole number of at least 0; got 1.0"),
        (
            "games_per_match = 3",
            "games_per_match must be 1, or an even number up to 1,000",
        ),
        ("anchor = 3500", "anchor must be one player and its rating in Elo points, {stockfish"),
        ("anchor = {a = 1, b = 2}", "anchor must be one player and its rating in Elo points"),
        ("anchor = {a = '1'}", "or \"none\"; got {'a': '1'}"),
        ("first_advantage = 1", "first_advantage must be true or false; got 1"),
        ("goal = 'top-k'", "league.toml: goal must be 'best', 'top-3' (any number), 'ranking'"),
        ("goal = 3", "league.toml: goal must be 'best', 'top-3' (any number), 'ranking', 'rat"),
        ("confidence = 0.3", 'confidence must be a number from 0.5 to below 1, or "none"'),
        ("confidence = 'None'", 'confidence must be a number from 0.5 to below 1, or "none"'),
        ("tolerance = inf", "tolerance must be a number of Elo points from 0 to 1000; got inf"),
        ("store = ''", "league.toml: store must be a non-empty text; got ''"),
        ("[match]\ntimeout = 0", "league.toml: [match] timeout must be a positive number"),
        ("[match]\nuci = false", "[match] uci must be true; got False"),
        ("match = 3", "league.toml: [match] must be a table; got 3"),
        ("defaults = []", "league.toml: [defaults] must be a table"),
        ("players = 3", "league.toml: players must be a list of names, a glob or tables; got 3"),
        ("players = ['a', 3]", "league.toml: players: name 2 must be a non-empty text; got 3"),
        ("[players]\nanna = 3", "league.toml: [players.anna] must be a table; got 3"),
        ("[players.anna]\nborn = 1999-01-01", "[players.anna] born must be a text, a number"),
        ("[players.anna]\nx = [{y = nan}]", "[players.anna] x y must be a text, a number"),
        ("seed = 1\nseed = 2", "league.toml is not TOML: Cannot overwrite a value (at "),
        ("seed", "league.toml is not TOML: Expected '=' after a key in a key/value pair (at"),
    ],
)
def test_errors_name_the_file_the_key_and_the_rule(text, words):
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
    assert read_config(tmp_path / "bom.toml").tournament.seed == 3
    assert read_config(None) == Config()


def test_flags_override_the_file():
    config = parse_config(WHOLE, "league.toml")
    changed = config.with_flags(
        TournamentSettings(seed=9), RunSettings(budget="none"), MatchSettings(timeout=8.0)
    )
    assert changed.tournament == replace(config.tournament, seed=9)
    assert changed.run == replace(config.run, budget="none")
    assert given(changed.match) == {"command": "play {a} {b}", "timeout": 8.0}


def test_another_way_to_play_replaces_the_one_in_the_file():
    config = parse_config(WHOLE, "league.toml")
    assert given(config.with_flags(match=MatchSettings(call="a:b")).match) == {
        "call": "a:b",
        "timeout": 2.5,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 3000 + "]" * 3000, "nested too deep"),
        ("seed = " + "9" * 5000, "over 4,300 digits"),
        ("budget = " + "9" * 400, "budget must be a whole number"),
        (f'goal = "top-{"9" * 5000}"', "goal must be"),
    ],
)
def test_odd_toml_is_one_of_our_errors(text, message):
    gc.collect()  # a finalizer of an earlier test's garbage would fail for want of stack
    with pytest.raises(InvalidInput, match=message):
        parse_config(text, "league.toml")
