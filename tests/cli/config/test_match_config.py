from pathlib import Path

import pytest

from examples.connect_four.game import PLAYERS
from maxin.cli.config import match_config as module
from maxin.cli.config.config_file import parse_config, read_config
from maxin.cli.config.match_config import CHESS, MatchConfig, match_config, stored_match_config
from maxin.cli.config.settings import MatchSettings
from maxin.core import InvalidInput, MissingExtra
from maxin.runners import DrawRule, Job, Openings, ResignRule
from maxin.tournament.players import entrants

CONFIGS = [
    MatchSettings(command="play {a} {b}"),
    MatchSettings(call="math:hypot"),
    MatchSettings(uci=True),
    MatchSettings(uci=True, opening_plies=2, max_plies=80),
    MatchSettings(
        uci=True,
        openings=Openings("book, 1.pgn", plies=8),
        draw=DrawRule(score=20),
        resign=ResignRule(twosided=True),
        on_crash="loss",
    ),
    MatchSettings(open_spiel="tic_tac_toe"),
    MatchSettings(payoff="good-bad"),
]
RUNNERS = ["Command", "Processes", "Uci", "Uci", "Uci", "OpenSpiel", "Payoff"]
NAMES = [f"{name}-{place}" for place, name in enumerate(RUNNERS)]


@pytest.mark.parametrize("settings", CONFIGS, ids=NAMES)
def test_a_stored_description_gives_the_same_way_to_play(settings):
    match = match_config(settings)
    assert stored_match_config(match.description, MatchSettings()) == match


@pytest.mark.parametrize(("settings", "name"), [*zip(CONFIGS, RUNNERS, strict=True)], ids=NAMES)
def test_a_way_to_play_makes_its_runner(settings, name):
    try:
        runner = match_config(settings).runner(["a", "b", "c", "d"], seed=0)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    assert type(runner).__name__ == name
    runner.close()


def test_the_timeout_is_part_of_the_runner_but_not_of_the_description():
    quick, slow = (match_config(MatchSettings(command="x", timeout=value)) for value in (3, "none"))
    assert (quick.timeout, slow.timeout) == (3, None)
    assert quick.description == slow.description == "command: x"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"command": "x", "call": "y"}, "give one way to play matches; got command and call"),
        ({"call": "y", "max_plies": 3}, "max_plies is for UCI engines; got it with call"),
        ({"opening_plies": 3}, "opening_plies is for UCI engines; got it with no way to play"),
        ({"command": "x", "draw": DrawRule()}, "draw is for UCI engines; got it with command"),
        (
            {"uci": True, "opening_plies": 3, "openings": Openings("book.epd")},
            "openings and opening_plies exclude each other",
        ),
    ],
)
def test_settings_that_contradict_each_other(settings, words):
    with pytest.raises(InvalidInput) as error:
        match_config(MatchSettings(**settings))
    assert words in str(error.value)


def test_chess_is_described_by_what_was_chosen():
    assert match_config(MatchSettings(uci=True)).description == (
        'uci: {"opening_plies": 6, "max_plies": 400}'
    )
    chosen = MatchSettings(uci=True, openings=Openings("book.epd"), draw="none", on_crash="loss")
    assert match_config(chosen).description == (
        'uci: {"max_plies": 400, "openings": {"file": "book.epd", "order": "random", "start": 1}, '
        '"on_crash": "loss"}'
    )


def test_the_order_of_the_openings_follows_from_the_seed_of_the_tournament(monkeypatch):
    made = []
    monkeypatch.setattr(module, "Uci", lambda **arguments: made.append(arguments["openings"].seed))
    for openings in (Openings("book.epd"), Openings("book.epd", seed=9)):
        match_config(MatchSettings(uci=True, openings=openings)).runner([], seed=5)
    assert made == [5, 9]


@pytest.mark.parametrize("text", ["nonsense", "[1]", '{"draw": 3}', '{"games": 3}', "{}x"])
def test_a_damaged_description_of_chess_is_an_error(text):
    with pytest.raises(InvalidInput):
        MatchConfig("uci", text).runner([], seed=0)


@pytest.mark.parametrize("settings", CONFIGS[2:5], ids=NAMES[2:5])
def test_settings_of_chess_alone_choose_the_chess_of_the_store(settings):
    stored = match_config(settings).description
    for key in CHESS:
        value = getattr(settings, key)
        if value is not None:
            assert match_config(MatchSettings(**{key: value}), stored).description == stored
    other = match_config(MatchSettings(max_plies=7), stored)
    assert '"max_plies": 7' in other.description
    book = match_config(MatchSettings(openings=Openings("new.epd")), stored)
    assert '"file": "new.epd"' in book.description
    assert "opening_plies" not in book.description
    plies = match_config(MatchSettings(opening_plies=3), stored)
    assert "openings" not in plies.description


def test_settings_of_chess_need_a_store_of_chess():
    with pytest.raises(InvalidInput, match="on_crash is for UCI engines; got it with command"):
        match_config(MatchSettings(on_crash="loss"), "command: play {a} {b}")
    with pytest.raises(InvalidInput, match="got it with no way to play"):
        match_config(MatchSettings(on_crash="loss"), "by hand")


def test_payoffs_bring_their_players_and_seat_them_in_order():
    match = MatchConfig("payoff", "good-bad")
    names = match.names(seed=0)
    assert names == ["player-0", "player-1", "player-2", "player-3"]
    assert MatchConfig("command", "x").names(seed=0) == []
    runner = match.runner([*names, "late"], seed=0)
    with pytest.raises(InvalidInput, match="no row of the payoff matrix named 'late'"):
        runner.check(entrants([*names, "late"]))
    with pytest.raises(InvalidInput, match="a row for each of 4 players; got 2 names"):
        match.runner(names[:2], seed=0)
    first, second = entrants(names[:2])
    assert runner.play(Job(1, first, second, seed=1)).score in (0.0, 1.0)


def test_names_in_a_payoff_file_are_those_of_its_rows_whoever_joined_first(tmp_path):
    path = tmp_path / "odds.csv"
    path.write_text("anna,bo\n0,1\n-1,0\n")
    match = MatchConfig("payoff", str(path))
    assert match.names(seed=0) == ["anna", "bo"]
    runner, (bo, anna) = match.runner(["bo", "anna"], seed=0), entrants(["bo", "anna"])
    scores = [runner.play(Job(1, bo, anna, seed=seed)).score for seed in range(20)]
    assert sum(scores) < 5.0  # a certain win counts as 0.99
    with pytest.raises(InvalidInput, match="no row of the payoff matrix named 'cy'"):
        match.runner(["cy", "anna"], seed=0).check(entrants(["cy", "anna"]))


def test_a_random_game_follows_from_the_seed():
    match = MatchConfig("payoff", "elo:n_players=3,spread=1")
    players = entrants(["a", "b", "c"])

    def scores(seed):
        runner = match.runner(["a", "b", "c"], seed)
        pairs = [(first, second) for first in players for second in players if first != second]
        return [
            runner.play(Job(1, *pair, seed=number)).score for pair in pairs for number in range(20)
        ]

    assert scores(1) == scores(1)
    assert scores(1) != scores(2)


def test_a_store_that_describes_no_way_to_play():
    with pytest.raises(InvalidInput, match="says nothing about how matches are played; give one"):
        stored_match_config("", MatchSettings())
    with pytest.raises(InvalidInput, match="says only 'by hand'"):
        stored_match_config("by hand", MatchSettings())


def test_the_example_has_every_built_in_player_of_connect_four():
    config = read_config(
        Path(__file__).parents[3] / "examples" / "connect_four" / "tournament.toml"
    )
    assert sorted(config.players) == sorted(PLAYERS)
    assert match_config(config.match).description == "call: examples.connect_four.game:play"


def test_env_is_for_programs_of_others():
    match = match_config(MatchSettings(command="play", env=("SEEDS",)))
    assert match.env == ("SEEDS",)
    assert match.description == "command: play"  # a store does not choose variables of ours
    assert stored_match_config(match.description, MatchSettings(env=("SEEDS",))) == match
    with pytest.raises(InvalidInput, match="env is for a command and for UCI engines; got it with"):
        match_config(MatchSettings(call="math:hypot", env=("SEEDS",)))


def test_a_config_file_lists_the_variables_of_a_match():
    config = parse_config("[match]\ncommand = 'play'\nenv = ['SEEDS', 'DATA']", "x")
    assert config.match.env == ("SEEDS", "DATA")
    assert config.with_flags(match=MatchSettings(env=("A",))).match.env == ("A",)
    other = config.with_flags(match=MatchSettings(command="another"))
    assert other.match.env is None  # each program has its own
    with pytest.raises(InvalidInput, match=r"x: \[match\] env must be a list; got 'SEEDS'"):
        parse_config("[match]\nenv = 'SEEDS'", "x")
    with pytest.raises(InvalidInput, match="env must be the name of an environment variable"):
        parse_config("[match]\nenv = ['A=B']", "x")


def test_a_store_does_not_keep_its_cluster():
    here, there = (
        match_config(MatchSettings(command="play {a}", ray=ray)) for ray in ("none", "auto")
    )
    assert (here.ray, there.ray) == (None, "auto")
    assert here.description == there.description
    assert stored_match_config(here.description, MatchSettings(ray="auto")) == there
