"""The report: a whole page, nothing from outside, names as text, and true numbers."""

import base64
import hashlib
import re
from itertools import combinations

import pytest

from maxin.core import Entrant, InvalidInput
from maxin.runners import MatchFailed
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from maxin.views import history
from maxin.views.formats import SPACE, whole
from maxin.views.html import report
from maxin.views.html.report_data import options_line, read_report
from maxin.views.overview import MANY, MOST_OTHERS
from maxin.worker.source import Fail
from tests.helpers.leagues import crowd, league
from tests.helpers.markup import Page
from tests.helpers.shaky import aborted

SECTIONS = [
    "Leaderboard",
    "Ratings over time",
    "Candidates over time",
    "Crosstable",
    "Match counts",
    "Seats",
    "Settings",
]
HOSTILE = [
    "<script>alert(1)</script>",
    "\" onload='x' & &amp;",
    "x" * 200,
    "-- 日本語 مرحبا",
    "a</title></style></svg></td></table>",
    "{{ 7 * 7 }}{% raw %}",
]
TAGS = """
    html head meta link title style body footer section h1 h2 p code pre dl div dt dd details
    summary table thead tbody tr th td span bdi small i figure figcaption
    svg g path line circle rect script label input output
"""  # the elements of a report


@pytest.fixture(scope="module")
def played():
    return league([f"player {n}" for n in range(6)], 24)


@pytest.fixture(scope="module")
def text(played):
    return report(played)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_the_page_is_well_formed_and_has_every_section(page):
    assert page.words["h2"] == SECTIONS
    assert page.count("table", class_="board") == 1
    assert page.count("table", class_="cross") == 1
    assert page.count("html", lang="en") == 1


def test_settings_that_say_nothing_are_left_out(page):
    assert "seed" in page.words["dt"]
    assert not {"anchor", "lag", "match", "budget"} & set(page.words["dt"])
    anchored = league(["anna", "bo"], 4, anchor={"anna": 3500})
    assert "anna 3500" in Page(report(anchored)).words["dd"]


def test_the_title_is_the_verdict(page, played):
    [title, *_] = page.words["title"]
    overview = played.overview()
    assert title == overview.found.title
    assert page.words["p"][0].endswith(overview.status)
    assert page.words["h1"] == [whole(overview.found.title)]
    assert page.words["p"][1] == whole(overview.found.details)


def test_nothing_comes_from_outside_and_only_our_script_runs(text, page):
    assert not re.search(r"https?://|url\(|@import", text)
    assert page.count("img") == page.count("iframe") == 0
    for tag, attrs in page.elements:
        assert not any(name.startswith("on") or name == "src" for name in attrs), tag
        assert attrs.get("href", "data:,") == "data:,"
    [policy] = [attrs["content"] for _, attrs in page.elements if "http-equiv" in attrs]
    assert policy.startswith("default-src 'none'")
    [script] = page.words["script"]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "innerHTML" not in script


def test_every_drawing_has_a_title(page):
    drawings = [attrs for tag, attrs in page.elements if tag == "svg"]
    assert len(drawings) == 6 + 4  # an interval per player; ratings, candidates, matches, pairs
    assert all(attrs["role"] == "img" for attrs in drawings)
    assert all(words.strip() for words in page.words["title"])


def test_hostile_names_are_text():
    text = report(league(HOSTILE, 25))
    assert not re.search(r"<[^a-z/!]|&(?!\w+;|#)", text.partition("<script>")[0])
    page = Page(text)
    assert {tag for tag, _ in page.elements} <= set(TAGS.split())
    assert set(HOSTILE) <= set(page.words["bdi"])
    assert page.words["h2"] == SECTIONS
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)


def test_hostile_failures_are_text():
    tournament = Tournament(HOSTILE, "sqlite://", match="</dd><script>alert(3)</script>")

    def play(first, second, seed):
        if tournament.n_matches >= 6:
            raise RuntimeError("</pre></td><img src=x onerror=alert(2)> & {{ 7 * 7 }}")
        return 0.5

    aborted(tournament, play, budget=30, retries=1)
    page = Page(report(tournament))
    assert {tag for tag, _ in page.elements} <= set(TAGS.split())
    assert "onerror=alert(2)> & {{ 7 * 7 }}" in page.words["table"][-1]
    assert "</dd><script>alert(3)</script>" in page.words["dd"]


def test_the_bytes_of_a_file_name_that_are_not_text_are_written_out():
    tournament = Tournament(["anna", "bo"], "sqlite://")
    ticket = tournament.ask()
    failure = MatchFailed("cannot open caf\udce9.py")  # as a runner's error may say
    session_of(tournament).apply([Fail(ticket.id, [failure])])
    text = report(tournament)
    assert text.encode("utf-8")
    assert r"cannot open caf\udce9.py" in text


def test_the_table_shows_the_leaderboard(page, played):
    rows = [words for words in page.words["tr"] if "player" in words]
    first = played.leaderboard()[0]
    assert first.player in rows[0]
    assert f"{round(first.rating):+d}" in rows[0]
    assert str(first.matches) in rows[0]
    assert f"{first.wins}/{first.draws}/{first.losses}" in rows[0]


def test_the_candidates_are_bold(page, played):
    bold = page.count("tr", class_="candidate")
    assert bold == len(played.top().candidates)


def test_the_certainty_is_that_of_the_stop(page):
    words = f"95{SPACE}% probability"
    assert sum(words in paragraph for paragraph in page.words["p"]) == 2


def test_the_tolerance_of_the_settings_has_its_unit(page):
    assert "10 Elo" in page.words["dd"]


def test_a_top_is_named_in_the_captions():
    page = Page(report(league([f"player {n}" for n in range(6)], 30, goal="top-2")))
    assert "may still be in the top 2" in page.words["dt"]
    assert "include the top 2" in " ".join(page.words["p"])


def test_an_empty_tournament_makes_a_page():
    tournament = Tournament(["anna", "bo"], "sqlite://")
    page = Page(report(tournament))
    assert page.words["h2"] == ["Leaderboard", "Settings"]
    assert page.words["h1"] == ["No match has been played"]


def test_one_match_makes_a_page_without_a_history():
    page = Page(report(league(["anna", "bo", "cy"], 1)))
    assert page.words["h2"] == [title for title in SECTIONS if "over time" not in title]
    assert "match" in page.words["dt"]


def test_two_matches_make_a_page_with_every_section():
    assert Page(report(league(["anna", "bo", "cy"], 2))).words["h2"] == SECTIONS


def test_one_player_makes_a_page():
    assert Page(report(Tournament(["anna"], "sqlite://"))).words["bdi"] == ["anna"]


def test_a_ranking_makes_a_page():
    tournament = league(["anna", "bo", "cy"], 12, goal="ranking")
    page = Page(report(tournament))
    assert page.words["h1"] == [whole(tournament.overview().found.title)]
    assert any(words.startswith("The best: ") for words in page.words["p"])


def test_a_retired_player_is_listed_last_and_without_a_rank():
    tournament = league(["anna", "bo", "cy"], 30)
    tournament.retire("anna")
    page = Page(report(tournament))
    assert "anna" not in page.words["h1"][0]
    assert page.words["tr"][3].split()[0] == "anna"
    assert "retired" in page.words["tr"][3]


def test_failures_are_listed_with_their_reasons():
    tournament = Tournament(["anna", "bo"], "sqlite://")

    def play(first, second, seed):
        raise RuntimeError("no <board>")

    aborted(tournament, play, budget=5, retries=1)
    page = Page(report(tournament))
    assert "Failures" in page.words["h2"]
    assert "no <board>" in page.words["table"][-1]
    assert "attempt 1 failed" in page.words["table"][-1]
    assert any("None of this counts as a loss." in words for words in page.words["p"])


def test_only_the_latest_failures_are_listed():
    tournament = Tournament(["anna", "bo"], "sqlite://")
    for number in range(60):
        tournament.void(tournament.ask(), f"reason {number}")
    page = Page(report(tournament))
    [table] = page.words["table"][1:]
    assert "reason 59" in table
    assert "reason 9\n" not in table
    assert any("The latest 50 are shown." in words for words in page.words["p"])


def test_the_first_seats_advantage_is_shown_where_it_is_estimated():
    tournament = league(["anna", "bo", "cy"], 12, first_advantage=True)
    assert "Sitting first is worth" in " ".join(Page(report(tournament)).words["p"])
    plain = Page(report(league(["anna", "bo"], 4)))
    assert "does not estimate the advantage" in " ".join(plain.words["p"])


def test_the_same_record_gives_the_same_page(played, text):
    assert report(played) == text


@pytest.mark.parametrize("n_players", [41, pytest.param(120, marks=pytest.mark.slow)])
def test_many_players_make_a_page_of_bounded_size(n_players):
    text = report(league([f"player {n}" for n in range(n_players)], 2 * n_players))
    assert Page(text).count("table", class_="cross") == 0
    assert len(text) < 1_000_000


def entrants(*options):
    return [Entrant(f"player {number}", given) for number, given in enumerate(options)]


def test_the_options_of_players_are_shown():
    tournament = Tournament(entrants({"nodes": 100, "options": {"Hash": 16}}, {}, {"a": [1, "<"]}))
    page = Page(report(tournament))
    assert "nodes 100, Hash 16" in page.words["small"]
    assert "a 1 <" in page.words["small"]
    assert page.count("small", class_="options") == 2


def test_options_are_one_line_of_limited_length():
    deep = current = {}
    for _ in range(900):
        current["x"] = current = {}
    for given in ({"a": "b\n\x1b[31m\u202ec"}, {"a": "x" * 10**5}, {"deep": deep}):
        line = options_line(given)
        assert line.isprintable()
        assert len(line) <= 300


def test_the_budget_and_the_confidence_of_the_last_run_are_shown():
    tournament = league(["anna", "bo", "cy"], 3)
    for budget, confidence in [(5, 0.9), (6, 0.998)]:
        tournament.run(lambda *_: 0.5, budget=budget, confidence=confidence)
    page = Page(report(tournament))
    facts = dict(zip(page.words["dt"], page.words["dd"], strict=True))
    assert facts["confidence to reach"] == facts["confidence"] == f"99.8{SPACE}%"
    assert facts["matches in the budget"] == facts["budget"] == "6"
    assert f"stopping at 99.8{SPACE}% confidence needs 0.0" in page.words["p"][1]


def test_without_a_run_the_confidence_is_the_default(page):
    assert f"95{SPACE}%" in page.words["dd"]
    assert "matches in the budget" not in page.words["dt"]


def test_a_report_can_ask_for_another_confidence(tmp_path):
    tournament = league(["anna", "bo", "cy"], 30)
    path = tournament.report(tmp_path / "report.html", confidence=0.998)
    details = Page(path.read_text()).words["p"][1]
    assert f"stopping at 99.8{SPACE}% confidence needs under 0.01{SPACE}Elo" in details
    with pytest.raises(InvalidInput, match=r"a report must be a \.html file; got '.*league\.db'"):
        tournament.report(tmp_path / "league.db")


def test_the_cost_is_shown():
    tournament = Tournament(["anna", "bo"])
    tournament.run(lambda *_: {"score": 0.5, "data": {"cost": 0.25}}, budget=6, confidence=None)
    page = Page(report(tournament))
    facts = dict(zip(page.words["dt"], page.words["dd"], strict=True))
    assert facts["cost, 0.25 per match"] == "1.5"


@pytest.mark.parametrize(
    ("n_players", "n_matches", "confidence"), [(6, 10, 0.95), (6, 30, 0.998), (3, 30, 0.6)]
)
def test_the_last_point_of_the_candidates_agrees_with_the_headline(
    n_players, n_matches, confidence
):
    tournament = league([f"player {n}" for n in range(n_players)], n_matches)
    data = read_report(tournament, confidence=confidence)
    text = report(tournament, confidence=confidence)
    page = Page(text)
    last = int(data.history.n_candidates[-1])
    facts = dict(zip(page.words["dt"], page.words["dd"], strict=True))
    assert facts["may still be the best"] == str(last)
    headline = page.words["h1"][0]
    assert (
        headline == f"Too early to say: {last} may still be the best"
        if last > 1
        else " is the best, give or take" in headline
    )
    assert page.count("tr", class_="candidate") == last
    [chart] = re.findall(r"<h2>Candidates.*?</section>", text, re.DOTALL)
    assert re.findall(r'<div class="right"><span [^>]*>(\d+)<', chart) == [str(last)]


def test_a_report_of_a_thousand_players_is_small(monkeypatch):
    monkeypatch.setattr(history, "most_checkpoints", lambda *_, **__: 1)  # fits take time, not room
    names = [f"a name that is rather long, with a number: {n}" for n in range(1_000)]
    tournament = crowd([Entrant(name, {"model": name * 9}) for name in names], 8_000)
    tournament.add_results([(*pair, 0.5) for pair in combinations(names[:75], 2)])
    text = report(tournament)
    assert len(text.encode()) < 2_000_000
    page = Page(text)
    assert page.words["h2"] == [title for title in SECTIONS if "over time" not in title]
    assert page.count("tr", class_="candidate") <= MANY + MOST_OTHERS
    assert "Shown are the best 50 of 1,000 players" in " ".join(page.words["p"])


def test_judges_have_a_section():
    tournament = league(["anna", "bo", "cy"], 4)
    tournament.tell(tournament.ask(), 1.0, judge="<b>gpt</b>")
    page = Page(report(tournament))
    assert "Judges" in page.words["h2"]
    assert "<b>gpt</b>" in page.words["bdi"]
