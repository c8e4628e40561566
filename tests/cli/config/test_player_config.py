from dataclasses import replace

import pytest

from maxin.cli.config.config_file import Config, parse_config
from maxin.cli.config.open_tournament import rules
from maxin.cli.config.players import natural, players_of
from maxin.cli.config.settings import PlayerFlags, TournamentSettings
from maxin.core import InvalidInput


def test_a_glob_is_sorted_naturally_and_names_are_the_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    for name in ("b10.py", "b9.py", "b1 [x].py", "note.txt"):
        (tmp_path / "bots" / name).touch()
    config = parse_config('players = "bots/*.py"', "x")
    names = [entrant.name for entrant in players_of(config)]
    assert names == ["bots/b1 [x].py", "bots/b9.py", "bots/b10.py"]
    with pytest.raises(InvalidInput, match=r"no file matches the glob 'bots/\*\.c'"):
        players_of(Config(players="bots/*.c"))
    with pytest.raises(InvalidInput, match="at least two players; got 1"):
        players_of(Config(players="bots/*.txt"))


@pytest.mark.parametrize("names", [["²", "٣", "3"], ["a1b2", "a1b10", "a01", "a1"], ["", "1"]])
def test_all_names_can_be_ordered(names):
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
    anna, bo = players_of(config)
    assert anna == ("anna b", {"nodes": 10, "options": {"Hash": 1, "Threads": 1}})
    assert bo == ("bo", {"nodes": 99, "options": {"Hash": 7, "Threads": 1}})
    bo, cy = players_of(config, PlayerFlags(player=("bo", "cy")))
    assert (bo.options["nodes"], cy.options["nodes"]) == (99, 10)


def test_a_limit_of_a_chess_player_replaces_that_of_the_defaults():
    text = """
    [defaults]
    nodes = 10
    options = {Hash = 1}
    [players.deep]
    depth = 3
    [players.fast]
    """
    deep, fast = players_of(parse_config(text, "x"), kind="uci")
    assert deep.options == {"command": "deep", "depth": 3, "options": {"Hash": 1}}
    assert fast.options == {"command": "fast", "nodes": 10, "options": {"Hash": 1}}
    deep, _ = players_of(parse_config(text, "x"), kind="command")
    assert deep.options == {"nodes": 10, "depth": 3, "options": {"Hash": 1}}


def test_engines_and_bots_are_given_by_their_names():
    quick, fair = players_of(
        Config(players=("sf -x:nodes=5", "b"), defaults={"movetime": 100}), kind="uci"
    )
    assert quick.options == {"command": "sf -x", "nodes": 5}
    assert fair.options == {"movetime": 100, "command": "b"}
    assert players_of(Config(players=("a:b=1", "c")), kind="command")[0].options == {}


def test_features_of_a_table_become_options(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("name,step\nanna,1\nbo,2\n")
    config = Config(
        players=("anna", "bo"),
        defaults={"depth": 3},
        tournament=TournamentSettings(features=str(table)),
    )
    assert [one.options for one in players_of(config)] == [
        {"depth": 3, "step": 1},
        {"depth": 3, "step": 2},
    ]
    assert rules(config)["features"] == ("step",)
    with pytest.raises(InvalidInput, match="have no line for 'cy'"):
        players_of(replace(config, players=("anna", "cy")))
