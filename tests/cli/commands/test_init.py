import re
import tomllib

import pytest

from maxin.cli.commands.init import init, template
from maxin.cli.config.config import KEYS, MATCH_KEYS, TABLES, WAYS, parse_config
from maxin.core import InvalidInput

SETTING = re.compile(r"^#?([a-z_]+) = ", re.MULTILINE)


def sections():
    """The text of the template by its tables; the keys above them under an empty name."""
    parts = re.split(r"^#?\[([a-z.]+)\]$", template(), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def test_every_key_is_in_the_template_and_every_key_of_the_template_is_known():
    found = sections()
    assert set(SETTING.findall(found[""])) == {*KEYS, "players"}
    assert set(SETTING.findall(found["match"])) == set(MATCH_KEYS)
    assert {name.partition(".")[0] for name in found} == {"", *TABLES}


def test_every_key_has_a_line_that_says_why():
    lines = template().splitlines()
    for number, line in enumerate(lines):
        if SETTING.match(line) and not lines[number - 1].startswith(("#[", "[")):
            assert re.match(r"# [A-Z0-9]?.*", lines[number - 1]), line


@pytest.mark.parametrize("text", [template(), re.sub(r"^#.*\n", "", template(), flags=re.M)])
def test_the_template_runs_with_the_defaults(text):
    config = parse_config(text, "maxin.toml")
    plain = parse_config('players = ["anna", "bo", "cy"]', "x")
    for key in ("confidence", "k", "budget", "workers", "retries", "players"):
        assert getattr(config, key) == getattr(plain, key)
    assert config.match["command"].split()[:2] == ["python", "play.py"]
    assert config.match["timeout"] is None


def test_the_rules_of_the_template_are_the_defaults_of_a_tournament():
    from maxin.cli.config.stores import DEFAULT
    from maxin.tournament import Settings

    config = parse_config(template(), "maxin.toml")
    settings = Settings()
    assert config.goal == "best"
    for key in ("seed", "games_per_match", "first_advantage", "lag", "min_matches"):
        assert getattr(config, key) == getattr(settings, key)
    assert config.store == DEFAULT


@pytest.mark.parametrize("way", [way for way in WAYS if way != "command"])
def test_every_way_can_be_uncommented_in_place_of_the_command(way):
    text = re.sub(r"^command = ", "#command = ", template(), flags=re.M)
    config = parse_config(re.sub(rf"^#{way} = ", f"{way} = ", text, flags=re.M), "maxin.toml")
    assert way in config.match


def test_tables_can_be_uncommented_in_place_of_the_list():
    head, _, tail = re.sub(r"^players = ", "#players = ", template(), flags=re.M).partition(
        "# Options that every"
    )
    config = parse_config(head + re.sub(r"^#(?! )", "", tail.partition("\n")[2], flags=re.M), "x")
    assert config.players == {"anna": {"command": "stockfish"}}
    assert config.defaults == {"nodes": 1000}


def test_schedulers_are_all_named():
    from maxin.schedulers import SCHEDULERS

    for name in SCHEDULERS:
        assert re.search(rf"\b{name}\b", sections()[""])


def test_a_file_is_written_once(tmp_path, capsys):
    path = tmp_path / "my league.toml"
    init(path)
    assert capsys.readouterr().out.endswith(f"maxin run '{path}'\n")
    assert tomllib.loads(path.read_text())["players"] == ["anna", "bo", "cy"]
    path.write_text("mine")
    with pytest.raises(InvalidInput, match="is there already; --force writes over it"):
        init(path)
    assert path.read_text() == "mine"
    init(path, force=True)
    assert path.read_text() == template()


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be written: No such file"):
        init(tmp_path / "none" / "x.toml")
    with pytest.raises(InvalidInput, match="cannot be written: Is a directory"):
        init(tmp_path, force=True)
