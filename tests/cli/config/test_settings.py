"""One declaration per setting: flags, files, defaults and help agree because they share it."""

import inspect
import re
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import pytest
from cyclopts import App, Parameter
from rich.console import Console

import maxin
from maxin.cli.config import config_file
from maxin.cli.config.flags import Given, default_of, flags, given, meaning, overridden, values
from maxin.cli.config.settings import (
    STORE,
    WAYS,
    MatchSettings,
    RunSettings,
    StopSettings,
    TournamentSettings,
)
from maxin.cli.output.help import HelpPage
from maxin.core import InvalidInput, Stop, StopTerms
from maxin.core.declaration import declare, described, number_or_text, one_of, whole
from maxin.runners import Uci
from maxin.tournament import Settings, Tournament
from maxin.tournament.settings import GivenSettings
from tests.helpers.command import call, right

KINDS = [TournamentSettings, RunSettings, MatchSettings]
ALL = [(name, one) for kind in KINDS for name, one in kind.settings.items()]


@pytest.mark.parametrize(("name", "one"), ALL, ids=[name for name, _ in ALL])
def test_every_setting_has_a_help_text_that_is_a_sentence(name, one):
    for text in (one.help, one.summary):
        assert text[0].isupper()
        assert text[-1] == "."


@described
@dataclass(frozen=True)
class Coloured(Settings):
    """A tournament with one more setting."""

    colour: str = declare("blue", one_of("blue", "red"), "The board. It may be red.", "COLOUR")


@flags(Coloured)
class ColouredFlags(Given):
    """Its flags."""

    store: Any = STORE


PLAIN = ColouredFlags()


def test_a_new_setting_is_one_declaration(monkeypatch):
    with pytest.raises(InvalidInput, match="colour must be 'blue' or 'red'; got 'green'"):
        Coloured(colour="green")
    assert "colour: The board. It may be red." in Coloured.__doc__
    monkeypatch.setattr(config_file, "TournamentSettings", ColouredFlags)
    monkeypatch.setattr(config_file, "FILE_KEYS", (*config_file.FILE_KEYS, "colour"))
    assert '# The board. It may be red.\n#colour = "blue"\n' in config_file.template()
    assert config_file.parse_config("colour = 'red'", "x").tournament.colour == "red"
    app = App(result_action="return_value", help_formatter=HelpPage())

    @app.default
    def run(*, settings: Annotated[ColouredFlags, Parameter("*")] = PLAIN):
        return given(settings)

    assert app(["--colour", "red", "--lag", "2"]) == {"colour": "red", "lag": 2}
    console = Console(width=80, record=True, file=StringIO())
    app.help_print([], console=console)
    assert re.search(r"--colour COLOUR +The board\. \[default: blue\]", console.export_text())


def test_no_other_file_names_all_settings():
    names, package = [field.name for field in fields(Settings)], Path(maxin.__file__).parent
    naming = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if all(re.search(rf"\b{name}\b", path.read_text()) for name in names)
    ]
    assert naming == ["tournament/settings.py"]


def test_the_rules_are_those_of_the_library():
    names = {field.name for field in fields(Settings)}
    assert set(GivenSettings.__annotations__) == names
    assert set(TournamentSettings.settings) == names - {"match"} | {"store"}


def test_the_settings_of_a_run_are_those_of_the_library():
    inside = {"self", "play", "watch", "progress", "raises", "terms"}
    parameters = set(inspect.signature(Tournament.run).parameters) - inside
    assert set(RunSettings.settings) == parameters | set(StopSettings.settings)
    assert values(RunSettings()) == vars(Stop()) | {
        name: default_of(f"maxin.tournament:Tournament.run.{name}")() for name in parameters
    }


def test_the_terms_of_a_stop_are_those_of_the_library():
    names = {field.name for field in fields(Stop)}
    assert set(StopSettings.settings) == set(StopTerms.__annotations__) == names


def test_defaults_are_read_from_the_library():
    settings = Settings()
    plies = inspect.signature(Uci).parameters
    for name in ("opening_plies", "max_plies"):
        assert MatchSettings.settings[name].value == plies[name].default
    assert TournamentSettings.settings["goal"].example == settings.goal


def test_ways_to_play_are_settings_of_a_match():
    assert set(WAYS) < set(MatchSettings.settings)


def test_words_stand_for_values():
    assert values(RunSettings(confidence="none", workers="cores"))["confidence"] is None
    assert values(RunSettings(workers="cores"))["workers"] >= 1
    assert values(MatchSettings(timeout="none"))["timeout"] is None
    assert [meaning(value) for value in ("none", 3, 0.5)] == [None, 3, 0.5]


def test_an_argument_overrides_a_setting():
    assert given(overridden(RunSettings(budget=9, retries=1), RunSettings(budget=5))) == {
        "budget": 5,
        "retries": 1,
    }


@pytest.mark.parametrize(
    ("text", "value"), [("4", 4), ("0.5", 0.5), ("1e3", 1000.0), ("none", "none"), ("", "")]
)
def test_numbers_of_flags_are_read_as_a_file_has_them(text, value):
    assert number_or_text(text) == value
    assert type(number_or_text(text)) is type(value)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, float("nan"), 0, 3])
def test_a_whole_number_is_nothing_else(value):
    with pytest.raises(InvalidInput, match=r"^workers must be a whole number from 1 to 2; got"):
        whole(1, 2).read(value, "workers")


def test_a_choice_that_is_far_off_is_not_offered():
    with pytest.raises(InvalidInput, match=r"got 'xyon'$"):
        one_of("text", "json").read("xyon", "--format")


def test_a_choice_that_is_almost_right_is_offered():
    with pytest.raises(InvalidInput, match=r"got 'jsn'; did you mean 'json'\?$"):
        one_of("text", "json").read("jsn", "--format")


WRITTEN = "--openings takes words such as key=value, as in"
FLAGS = [
    ("--seed", "x", "--seed must be a whole number of at least 0; got 'x'"),
    ("--games-per-match", "7", "--games-per-match must be 1, or an even number up to 1,000: games"),
    ("--goal", "top-0", "--goal must be 'best', 'top-3' (any number), 'ranking', 'ratings' or"),
    ("--timeout", "0", '--timeout must be a positive number of seconds, or "none"; got 0'),
    ("--workers", "many", '--workers must be a whole number of at least 1, or "cores"; got'),
    ("--retries", "-1", "--retries must be a whole number of at least 0; got -1"),
    ("--command", " ", "--command must be a non-empty text; got ' '"),
    ("--draw", "movecount=0", "--draw: movecount must be at least 1; got 0"),
    (
        "--resign",
        "movecounts=1",
        "there is no key of --resign named 'movecounts'; did you mean 'movecount'",
    ),
    ("--openings", "order=random", "--openings needs the key file; got {'order': 'random'}"),
    ("--openings", "book.epd", f"{WRITTEN} --openings file=book.epd; got 'book.epd'"),
    ("--openings", ("book.epd", "order=random"), f"{WRITTEN} --openings file=book.epd; got"),
    ("--draw", "on", "--draw takes words such as key=value, as in --draw movenumber=...; got 'on'"),
    ("--on-crash", "win", "--on-crash must be 'retry' or 'loss'; got 'win'"),
    ("--engine", "nodes=5", "--engine needs cmd or name; got nodes"),
]


@pytest.mark.parametrize(("flag", "value", "words"), FLAGS)
def test_a_flag_obeys_the_same_rule_as_its_key(flag, value, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call("run", flag, *([value] if isinstance(value, str) else value))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {words}")
    assert done.err.count("\n") == 1


def test_flags_are_read_alike_where_a_program_has_loaded_pydantic(tmp_path, monkeypatch):
    """Cyclopts then has it compare the values with the types of the flags."""
    pytest.importorskip("pydantic")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAXIN_STORE", raising=False)
    numbers = ("--budget", 2, "--seed", 5, "--tolerance", 150, "--anchor", "anna=3500")
    right("run", "--player", "anna", "--player", "bo", "--command", "echo 1", *numbers)
    settings = right("show", "--format", "json").document["settings"]
    assert (settings["seed"], settings["anchor"]) == (5, {"anna": 3500.0})
