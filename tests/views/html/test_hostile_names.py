"""Hostile names in every sentence of a report, as a real browser reads the page."""

import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from functools import cache
from importlib.resources import files

import pytest

from maxin.storage import StoreFailed
from maxin.tournament import Tournament
from maxin.views import Belief, Leaderboard
from maxin.views.html import report
from tests.helpers.browsing import Reader
from tests.helpers.markup import Page
from tests.helpers.shaky import aborted

NAMES = [
    '<meta http-equiv="refresh" content="0;url=data:text/html,gone">',
    "<script>document.title = 'gone'</script>",
    '"><img src=x onerror="document.title = 1">',
    "</title></style></svg></h1></p><form action=x><base href=//x>",
    "{{7*7}}{% raw %}<iframe src=x>",
    "javascript:document.title=1",
    "مرحبا <b>evil</b>",
    "<object data=x>" + "<u>" * 60,
]
PLAIN = [f"player {number}" for number in range(len(NAMES))]
SCRIPT = files("maxin.views.html").joinpath("templates/report.js").read_text()
LOG = "</pre></details><script>document.title = 'gone'</script><meta http-equiv=refresh content=0>"


def cycle(names):
    """Three players beat each other in a ring, and all of them a fourth: a note about cycles."""
    tournament = Tournament(names, "sqlite://")
    ring = [(names[i], names[(i + 1) % 3], 1.0) for i in range(3)]
    tournament.add_results([*ring, *((one, names[3], 1.0) for one in names[:3])] * 6)
    return tournament


def decided(names):
    tournament = Tournament(names, "sqlite://")
    tournament.add_results([(names[0], name, 1.0) for name in names[1:]] * 40)
    return tournament


def ties(names):
    tournament = Tournament(names, "sqlite://", goal="top-3")
    tournament.add_results([(one, two, 0.5) for one in names for two in names if one != two])
    return tournament


def ranking(names):
    tournament = Tournament(names, "sqlite://", goal="ranking")
    tournament.add_results(list(zip(names, names[1:], [1.0] * len(names), strict=False)))
    return tournament


def failed(names):
    """Failures with logs, voided matches, and players who are paused and retired."""
    tournament = Tournament(names, "sqlite://", match=names[1])
    tournament.add_results([(names[0], names[1], 1.0)], source=names[4])
    tournament.void(tournament.ask(), names[2])

    def play(first, second, seed):
        raise RuntimeError(names[0] + (LOG if names is NAMES else "a log"))

    aborted(tournament, play, budget=9, retries=1)
    tournament.pause(names[3])
    tournament.retire(names[5])
    return tournament


LEAGUES = [cycle, decided, ties, ranking, failed]


@cache
def hostile(league):
    """A league of players with hostile names, and its report."""
    tournament = league(NAMES)
    return tournament, report(tournament)


@pytest.fixture(scope="module")
def reader(kept_page):
    return Reader(kept_page)


def shape(page):
    """How many elements there are of each kind, but for the marks of words with hyphens."""
    elements = Page(page).elements
    return Counter(tag for tag, attrs in elements if attrs.get("class") != "whole")


def test_the_note_about_cycles_names_players():
    [note] = hostile(cycle)[0].overview().caveats
    assert any(name in note for name in NAMES[:2])


@pytest.mark.parametrize("league", LEAGUES)
def test_a_browser_finds_only_text_in_names(league, reader, tmp_path):
    tournament, text = hostile(league)
    page = Page(reader.read(text, tmp_path))
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"img", "form", "base", "iframe", "object", "b", "u", "a"}
    assert page.words["script"] == [SCRIPT]
    assert [attrs.get("http-equiv") for tag, attrs in page.elements if tag == "meta"] == [
        None,
        "Content-Security-Policy",
        None,
        None,
    ]
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    found = tournament.overview(tournament.last_stop()).found
    assert page.words["title"][0] == found.title  # it stayed where it is
    assert set(NAMES) == set(page.words["bdi"])


@pytest.mark.parametrize("league", LEAGUES)
def test_hostile_names_make_the_elements_that_plain_ones_make(league):
    assert shape(hostile(league)[1]) == shape(report(league(PLAIN)))


def test_a_page_sends_no_form_and_keeps_its_base():
    page = Page(report(Tournament(["anna", "bo"], "sqlite://")))
    [policy] = [attrs["content"] for _, attrs in page.elements if "http-equiv" in attrs]
    assert "form-action 'none'" in policy
    assert "base-uri 'none'" in policy


def test_a_notebook_shows_names_as_text():
    tournament = decided(NAMES)
    board = Leaderboard.of(Belief(NAMES, tournament.tally()))
    shown = tournament.run(lambda first, second, seed: 1.0, budget=1)._repr_html_()
    for text in (board._repr_html_(), shown):
        assert not re.search(r"<(?!/?(p|table|thead|tbody|tr|th|td)\b)", text)
        assert NAMES[0] in Page(text).words["table"][0]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A store with failures and a result, which no test may change."""
    path = tmp_path_factory.mktemp("played") / "league.db"
    with Tournament(PLAIN[:3], f"sqlite:///{path}") as tournament:
        aborted(tournament, lambda first, second, seed: 1 / 0, budget=2, retries=1)
        tournament.add_results([(PLAIN[0], PLAIN[1], 1.0)])
    return path


def written_directly(played, folder, *, names=PLAIN[:3], reason="it hung", log="a log"):
    """A store whose names, reasons and logs were written with SQL, past all our checks."""
    path = shutil.copy(played, folder)
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, name in enumerate(names):
            connection.execute("UPDATE maxin_players SET name = ? WHERE player = ?", (name, number))
        connection.execute(
            "UPDATE maxin_events SET detail = json_object('reason', ?, 'log', ?)", (reason, log)
        )
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
def plain_shape(played, tmp_path_factory):
    url = written_directly(played, tmp_path_factory.mktemp("plain"))
    with Tournament(store=url) as tournament:
        return shape(report(tournament))


@pytest.mark.parametrize("names", [NAMES[:3], NAMES[3:6], NAMES[5:]], ids=["0", "3", "5"])
def test_names_written_with_sql_are_text_too(played, plain_shape, tmp_path, names):
    with Tournament(store=written_directly(played, tmp_path, names=names)) as tournament:
        page = report(tournament)
    assert shape(page) == plain_shape
    assert set(names) == set(Page(page).words["bdi"])


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\nb", "\u202eevil", "<script>" * 131_072, "\0"])
def test_names_that_no_player_can_have_make_no_page(played, tmp_path, name):
    url = written_directly(played, tmp_path, names=[name])
    place = "in the table maxin_players, the row with"
    with (
        Tournament(store=url) as tournament,
        pytest.raises(StoreFailed, match=place) as caught,
    ):
        report(tournament)
    assert len(str(caught.value)) < 1000
    assert str(caught.value).isprintable()


HOSTILE = LOG + "".join(NAMES) + "\x1b]0;gone\x07\0\u202e"


def test_hostile_reasons_and_logs_make_the_elements_that_plain_ones_make(
    played, plain_shape, tmp_path
):
    url = written_directly(played, tmp_path, reason=HOSTILE, log=HOSTILE)
    with Tournament(store=url) as tournament:
        page = report(tournament)
    assert shape(page) == plain_shape
    assert not {"\x1b", "\x07", "\0", "\u202e"} & set(page)


def test_a_browser_runs_nothing_and_stays(reader, played, tmp_path):
    url = written_directly(played, tmp_path, names=NAMES[:3], reason=HOSTILE, log=HOSTILE)
    with Tournament(store=url) as tournament:
        page, overview = report(tournament), tournament.overview(tournament.last_stop())
    check_harmless(reader, page, overview.found.title, tmp_path)


def check_harmless(reader, page, title, tmp_path):
    """Whether a browser runs nothing of a page, loads nothing, and stays on it."""
    found = Page(reader.read(page, tmp_path))
    tags = {tag for tag, _ in found.elements}
    assert not tags & {"img", "form", "base", "iframe", "object", "b", "u"}
    assert all(at["href"].startswith("#") for tag, at in found.elements if tag == "a")
    assert set(found.words.get("script", [])) <= {SCRIPT}
    assert not any(name.startswith("on") for _, attrs in found.elements for name in attrs)
    loaded = [
        attrs[name] for _, attrs in found.elements for name in ("src", "href") if name in attrs
    ]
    loaded = {where for where in loaded if not where.startswith("#")}  # but parts of the page
    assert loaded <= {"data:,"}  # the empty icon
    refreshing = [attrs for _, attrs in found.elements if attrs.get("http-equiv") == "refresh"]
    assert refreshing == []
    assert found.words["title"][0] == title  # it stayed where it is
