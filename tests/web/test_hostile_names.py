"""Hostile names in every sentence of a report, as a real browser reads the page."""

import re
import shutil
import subprocess
from collections import Counter

import pytest

from maxin.tournament import Tournament
from maxin.views import Belief, Leaderboard
from maxin.web import report
from tests.helpers.markup import Page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
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
LOG = "</pre></details><script>document.title = 'gone'</script><meta http-equiv=refresh content=0>"


def cycle(names):
    """Three players beat each other in a ring, and all of them a fourth: a note about cycles."""
    tournament = Tournament(names, "sqlite://")
    ring = [(names[i], names[(i + 1) % 3], 1.0) for i in range(3)]
    tournament.add_results([*ring, *((one, names[3], 1.0) for one in names[:3])] * 9)
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

    tournament.run(play, budget=9, retries=1)
    tournament.pause(names[3])
    tournament.retire(names[5])
    return tournament


LEAGUES = [cycle, decided, ties, ranking, failed]


def dom(page, folder):
    """The page after a browser has read it and run what it would run."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    done = subprocess.run(
        [BROWSER, *flags, "--virtual-time-budget=3000", "--dump-dom", path.as_uri()],
        capture_output=True,
        timeout=120,
        check=True,
    )
    return done.stdout.decode("utf-8")


def shape(page):
    """How many elements there are of each kind."""
    return Counter(tag for tag, _ in Page(page).elements)


def test_the_note_about_cycles_names_players():
    [note] = cycle(NAMES).overview().caveats
    assert any(name in note for name in NAMES[:2])


@pytest.mark.skipif(BROWSER is None, reason="there is no chromium on this machine")
@pytest.mark.parametrize("league", LEAGUES)
def test_a_browser_finds_only_text_in_names(league, tmp_path):
    tournament = league(NAMES)
    found = dom(report(tournament), tmp_path)
    page = Page(found)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "img", "form", "base", "iframe", "object", "b", "u", "a"}
    assert [attrs.get("http-equiv") for tag, attrs in page.elements if tag == "meta"] == [
        None,
        "Content-Security-Policy",
        None,
        None,
    ]
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert page.words["title"][0] == tournament.overview().verdict  # it stayed where it is
    assert set(NAMES) == set(page.words["bdi"])


@pytest.mark.parametrize("league", LEAGUES)
def test_hostile_names_make_the_elements_that_plain_ones_make(league):
    assert shape(report(league(NAMES))) == shape(report(league(PLAIN)))


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
