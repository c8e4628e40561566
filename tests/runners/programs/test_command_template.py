import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxin.core import Entrant, InvalidInput, UnknownName
from maxin.runners import Job
from maxin.runners.programs.command_template import Template

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def filled(text, first="anna", second="bo"):
    players = (Entrant(player) if isinstance(player, str) else player for player in (first, second))
    return Template(text).fill(Job(3, *players, seed=7))


@given(first=NAMES, second=NAMES)
def test_any_name_is_one_argument(first, second):
    arguments = filled("play {a} --second={b}", first, second)
    assert arguments == ["play", first, f"--second={second}"]


def test_all_plain_fields():
    assert filled("{a}{b} {seed}/{match}") == ["annabo", "7/3"]


def test_the_template_is_split_like_a_shell_would():
    assert filled("""p 'x y' "{a} z" w\\ v '' # no""") == [
        *("p", "x y", "anna z", "w v", "", "#", "no")
    ]


def test_doubled_braces_are_literal_braces():
    assert filled("""p '{{"a": "{a}"}}' {{a}}""") == ["p", '{"a": "anna"}', "{a}"]


def test_options_of_each_player():
    first = Entrant("anna", {"nodes": 100, "net-file": "x y.pb", "book": True, "c": 0.5})
    second = Entrant("bo", {"nodes": 5, "net-file": "{a}", "book": False, "c": 1})
    text = "p {a.nodes} {b.nodes} {a.net-file} {b.net-file} {a.book} {b.book} {a.c}"
    expected = ["p", "100", "5", "x y.pb", "{a}", "true", "false", "0.5"]
    assert filled(text, first, second) == expected


@pytest.mark.parametrize("field", ["c", "first", "", "a.", "A", "sede", "0", "a[0]", "a .x"])
def test_unknown_fields_are_refused(field):
    with pytest.raises(UnknownName, match="field of a match command") as caught:
        Template(f"'p {{{field}}}'")
    assert repr(field) in str(caught.value)


def test_a_misspelt_field_gets_a_suggestion():
    with pytest.raises(UnknownName, match="did you mean 'seed'"):
        Template("p {sed}")


@pytest.mark.parametrize("text", ["p {a", "p a}", "p {", "p {a}}", "p {a!r}", "p {seed:05d}"])
def test_braces_must_hold_just_a_field(text):
    with pytest.raises(InvalidInput, match="match command"):
        Template(text)


@pytest.mark.parametrize("text", ["", "  ", "p 'x"])
def test_an_invalid_command_is_refused(text):
    with pytest.raises(InvalidInput, match="match command"):
        Template(text)


def test_check_names_the_player_without_an_option():
    template = Template("p {a.nodes}")
    template.check([Entrant("anna", {"nodes": 1})])
    with pytest.raises(InvalidInput, match=r"'bo'.*'nodes'"):
        template.check([Entrant("anna", {"nodes": 1}), Entrant("bo", {"node": 1})])


@pytest.mark.parametrize("value", [[1], {"x": 1}, None, b"x"])
def test_options_that_cannot_be_arguments(value):
    with pytest.raises(InvalidInput, match=r"'nodes' of player 'anna'"):
        Template("p {b.nodes}").check([Entrant("anna", {"nodes": value})])


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_cannot_be_an_argument(text):
    with pytest.raises(InvalidInput, match="the name of player"):
        Template("p").check([Entrant(text)])
    with pytest.raises(InvalidInput, match="option 'net' of player 'anna'"):
        Template("p {a.net}").check([Entrant("anna", {"net": text})])
