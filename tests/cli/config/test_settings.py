"""One declaration per setting: flags, files, defaults and help agree because they share it."""

import inspect
from dataclasses import fields

import pytest

from maxin.cli.config.declaration import declared, given, library_default, overridden, values
from maxin.cli.config.rules import meaning, number_or_text, one_of, whole
from maxin.cli.config.settings import (
    WAYS,
    MatchSettings,
    RunSettings,
    StopSettings,
    TournamentSettings,
)
from maxin.core import InvalidInput, Stop, StopTerms
from maxin.runners import Uci
from maxin.tournament import Settings, Tournament
from tests.helpers.command import call

KINDS = [TournamentSettings, RunSettings, MatchSettings]
ALL = [(name, one) for kind in KINDS for name, one in declared(kind).items()]


@pytest.mark.parametrize(("name", "one"), ALL, ids=[name for name, _ in ALL])
def test_every_setting_has_a_help_text_that_is_a_sentence(name, one):
    for text in filter(None, (one.help, one.comment)):
        assert text[0].isupper()
        assert text[-1] == "."


def test_the_rules_are_those_of_the_library():
    inside = {"players", "match", "worker", "use_snapshots"}
    parameters = set(inspect.signature(Tournament).parameters) - inside
    assert set(declared(TournamentSettings)) == parameters


def test_the_settings_of_a_run_are_those_of_the_library():
    inside = {"self", "play", "watch", "progress", "raises", "terms"}
    parameters = set(inspect.signature(Tournament.run).parameters) - inside
    assert set(declared(RunSettings)) == parameters | set(declared(StopSettings))
    assert values(RunSettings()) == vars(Stop()) | {
        name: library_default(f"maxin.tournament:Tournament.run.{name}") for name in parameters
    }


def test_the_terms_of_a_stop_are_those_of_the_library():
    names = {field.name for field in fields(Stop)}
    assert set(declared(StopSettings)) == set(StopTerms.__annotations__) == names


def test_defaults_are_read_from_the_library():
    settings = Settings()
    for name, one in declared(TournamentSettings).items():
        if one.default:
            assert one.value == getattr(settings, name)
    plies = inspect.signature(Uci).parameters
    for name in ("opening_plies", "max_plies"):
        assert declared(MatchSettings)[name].value == plies[name].default
    assert declared(TournamentSettings)["goal"].example == settings.goal


def test_ways_to_play_are_settings_of_a_match():
    assert set(WAYS) < set(declared(MatchSettings))


def test_words_stand_for_values():
    assert values(RunSettings(confidence="none", workers="cores"))["confidence"] is None
    assert values(RunSettings(workers="cores"))["workers"] >= 1
    assert values(MatchSettings(timeout="none"))["timeout"] is None
    assert [meaning(value) for value in ("none", 3, 0.5)] == [None, 3, 0.5]


def test_what_is_given_overrides_what_was_set():
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
