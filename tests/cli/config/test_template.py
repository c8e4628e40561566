import re

import pytest

from maxin.cli.config.config_file import FILE_KEYS, MATCH_KEYS, TABLES, parse_config, template
from maxin.cli.config.flags import given, values
from maxin.cli.config.settings import WAYS
from maxin.schedulers import SCHEDULERS

KEY = re.compile(r"^#?([a-z_]+) = ", re.MULTILINE)


def sections():
    """The text of the template by its tables; the keys above them under an empty name."""
    parts = re.split(r"^#?\[([a-z.]+)\]$", template(), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def test_every_key_is_in_the_template_and_every_key_of_the_template_is_known():
    found = sections()
    assert set(KEY.findall(found[""])) == {*FILE_KEYS, "players"}
    assert set(KEY.findall(found["match"])) == set(MATCH_KEYS)
    assert {name.partition(".")[0] for name in found} == {"", *TABLES}


def test_every_key_has_a_comment_above_it():
    lines = template().splitlines()
    for number, line in enumerate(lines):
        if KEY.match(line) and not lines[number - 1].startswith(("#[", "[")):
            assert lines[number - 1].startswith("# "), line


def test_lines_are_short_and_comments_are_set_apart_from_keys():
    for line in template().splitlines():
        assert len(line) <= 100
        assert not line.startswith("#") or line.startswith("# ") or KEY.match(line) or "[" in line


def test_the_template_runs_with_the_defaults():
    config = parse_config(template(), "maxin.toml")
    plain = parse_config('players = ["anna", "bo", "cy"]', "x")
    assert config.players == plain.players
    assert values(config.run) == values(plain.run)
    assert given(config.tournament) == {"goal": "best"}
    assert config.match.command.split()[:2] == ["python", "play.py"]


def test_every_key_that_is_commented_out_shows_its_default():
    ways = "|".join(WAYS)
    text = re.sub(rf"^#(?!({ways}) )([a-z_]+ = )", r"\2", template(), flags=re.M)
    config = parse_config(text.partition("# Options of every player")[0], "maxin.toml")
    plain = parse_config("[match]\ncommand = 'x'", "x")
    assert len(given(config.run)) == 9
    assert values(config.run) == values(plain.run)
    assert values(config.match) == values(plain.match) | {"command": config.match.command}


@pytest.mark.parametrize("way", [way for way in WAYS if way != "command"])
def test_every_way_to_play_can_be_uncommented_in_place_of_the_command(way):
    text = re.sub(r"^command = ", "#command = ", template(), flags=re.M)
    config = parse_config(re.sub(rf"^#{way} = ", f"{way} = ", text, flags=re.M), "maxin.toml")
    assert list(given(config.match)) == [way]


def test_tables_can_be_uncommented_in_place_of_the_list():
    head, _, tail = re.sub(r"^players = ", "#players = ", template(), flags=re.M).partition(
        "# Options of every"
    )
    config = parse_config(head + re.sub(r"^#(?! )", "", tail.partition("\n")[2], flags=re.M), "x")
    assert config.players == {"anna": {"command": "stockfish"}}
    assert config.defaults == {"nodes": 1000}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_scheduler_is_named(name):
    assert re.search(rf"\b{name}\b", sections()[""])
