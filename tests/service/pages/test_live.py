"""The live pages over real HTTP: what they show, to whom, and how often it is sent."""

import gzip
import re

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.core import Entrant
from maxin.service.arena.item_files import Item
from maxin.service.arena.items import add_items
from maxin.service.pages.shown import ShownPlayer
from maxin.service.service import Service
from maxin.storage.votes.items import Output
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from maxin.views.crosstable import Crosstable
from maxin.views.overview import Leaders
from maxin.worker.source import Ask
from tests.helpers.leagues import crowd
from tests.helpers.serving import serving
from tests.helpers.waiting import wait_until

HOSTILE = "<script>alert(1)</script>/x"


@pytest.fixture(scope="module")
def served():
    players = [Entrant("anna", {"depth": 3}), "bo", "cy", HOSTILE]
    with Tournament(players, "sqlite://", seed=1) as tournament:
        for score in (1.0, 0.5, 1.0, 0.0, 1.0, 1.0):
            tournament.tell(tournament.ask(), score)
        tournament.retract(6, "the wrong file was compared")
        with serving(Service.of(tournament, confidence=None)) as served:
            yield served


def text(reply):
    assert reply.status == 200
    return reply.raw.decode()


def test_the_live_page_has_the_verdict_standings_and_matches(served):
    page = text(served.ask("GET", "/"))
    assert "5 matches" in page
    found = served.service.board.state.overview.found
    assert f"<h1>{found.title}</h1>" in page
    assert '<p class="details">' in page
    for heading in ("Leaderboard", "Ratings over time", "Candidates over time", "Crosstable"):
        assert f"<h2>{heading}</h2>" in page
    assert 'href="/players/anna"' in page


def test_the_live_page_names_what_is_sought_as_the_report_does():
    players = [f"player {n}" for n in range(4)]
    sought = {"best": ("the best", "the best player"), "top-2": ("in the top 2", "the top 2")}
    for goal, (place, top) in sought.items():
        with Tournament(players, "sqlite://", goal=goal, seed=2) as tournament:
            for _ in range(5):
                tournament.tell(tournament.ask(), 1.0)
            with serving(Service.of(tournament)) as served:
                for path in ("/", "/report"):
                    page = text(served.ask("GET", path))
                    assert f"Players in bold may still be {place}" in page
                    assert f"How many players it takes to include {top} with" in page


def test_the_live_page_of_a_ranking_says_who_is_best():
    with Tournament(["anna", "bo", "cy"], "sqlite://", goal="ranking", seed=2) as tournament:
        tournament.tell(tournament.ask(), 1.0)
        with serving(Service.of(tournament)) as served:
            assert "<p>The best: 3 may still be the best; " in text(served.ask("GET", "/"))


def test_the_live_page_says_how_judges_count():
    with Tournament(["anna", "bo"], "sqlite://", seed=2) as tournament:
        for judge in ("ann", "cy"):
            tournament.tell(tournament.ask(), 1.0, judge=judge)
        with serving(Service.of(tournament, confidence=None)) as served:
            page = text(served.ask("GET", "/"))
    assert "2 judges fitted, none of them counted reversed; with --ignore-judges" in page


def test_names_are_text_on_every_page(served):
    folder = "/players/%3Cscript%3Ealert%281%29%3C%2Fscript%3E%2Fx"
    for path in ("/", "/matches", f"/matches?player={folder[9:]}", folder, "/report"):
        page = text(served.ask("GET", path))
        assert "<script>alert" not in page, path
        assert "&lt;script&gt;alert" in page, path


def test_a_report_has_its_own_policy_and_others_the_strict_one(served):
    policy = served.ask("GET", "/report").headers["content-security-policy"]
    assert "default-src 'none'; script-src 'sha256-" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self'" in served.ask("GET", "/").headers["content-security-policy"]


def test_a_page_that_is_known_is_not_sent_again(served):
    first = served.ask("GET", "/")
    etag = first.headers["etag"]
    again = served.ask("GET", "/", If_None_Match=etag)
    assert (again.status, again.raw) == (304, b"")
    assert served.ask("GET", "/", If_None_Match='"0"').status == 200


def test_an_open_page_gets_its_content_alone(served):
    part = text(served.ask("GET", "/", X_Part="shown"))
    assert "<html" not in part
    assert "<h2>Leaderboard</h2>" in part
    assert part.strip() in text(served.ask("GET", "/"))


def test_pages_are_small(served):
    packed = served.ask("GET", "/", Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    page = gzip.decompress(packed.raw)
    assert page == served.ask("GET", "/").raw
    files = [text(served.ask("GET", f"/static/{name}")) for name in ("style.css", "live.js")]
    whole = len(packed.raw) + sum(len(gzip.compress(file.encode())) for file in files)
    assert whole < 50_000


def test_a_players_page_has_its_results(served):
    page = text(served.ask("GET", "/players/anna"))
    assert "depth 3" in page
    assert "won, drawn, lost" in page
    assert re.search(r'<p class="kicker">rank [1-4] of 4</p>', page)
    missing = served.ask("GET", "/players/nobody")
    assert missing.status == 404
    assert "nobody" in missing.body["detail"]


def test_matches_are_filtered_by_players(served):
    everything = text(served.ask("GET", "/matches"))
    assert everything.count("<tr") == 1 + 5
    with_retracted = text(served.ask("GET", "/matches?retracted=yes"))
    assert with_retracted.count("<tr") == 1 + 6
    assert "the wrong file was compared" in with_retracted
    anna = text(served.ask("GET", "/matches?player=bo"))
    pair = text(served.ask("GET", "/matches?player=bo&against=anna"))
    assert everything.count("<tr") > anna.count("<tr") >= pair.count("<tr")
    assert "There is no player named &#39;nobody&#39;" in text(
        served.ask("GET", "/matches?player=nobody")
    )


def test_an_invalid_place_is_refused_with_a_reason(served):
    page = text(served.ask("GET", "/matches?before=zz"))
    assert "must be the number of an entry; got &#39;zz&#39;" in page
    assert "There are none." not in page


@pytest.mark.parametrize("path", ["/nope", "/players/nobody", "/static/nope.js"])
def test_a_browser_gets_a_page_that_leads_back(served, path):
    missing = served.ask("GET", path, Accept="text/html")
    assert missing.status == 404
    page = missing.raw.decode()
    assert '<a href="/">Live</a>' in page
    assert "Not Found" in page
    assert served.ask("GET", path).headers["content-type"] == "application/problem+json"


def test_the_report_leads_back(served):
    assert '<a href="/">Live</a>' in text(served.ask("GET", "/report"))


@pytest.mark.parametrize("path", ["/static/live.py", "/static/..%2Fsite.py", "/static/"])
def test_only_the_files_of_pages_are_served(served, path):
    assert served.ask("GET", path).status == 404


@pytest.mark.parametrize("query", ["page=-1", "page=x", "page=999999999999999999999", "find=%00"])
def test_odd_queries_show_a_page(served, query):
    assert served.ask("GET", f"/?{query}").status == 200


def test_the_line_on_top_and_the_verdict_have_one_number():
    with Tournament([f"model-{n}" for n in range(9)], "sqlite://", seed=1) as tournament:
        for score in (1.0, 0.0, 0.5) * 12:
            tournament.tell(tournament.ask(), score)
        with serving(Service.of(tournament)) as served:
            page = text(served.ask("GET", "/"))
    (to_go,) = re.findall(r"about ([\d,]+) to go", page)
    assert f"about {to_go} more matches" in page
    assert '<span class="whole">model-' in page


def test_pages_lead_to_the_votes_once_there_is_something_to_vote_on():
    outputs = dict.fromkeys(("anna", "bo"), Output("text/plain", b"Hello!"))
    with (
        Tournament(["anna", "bo"], "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        board = served.service.board
        assert '<a href="/vote">' not in text(served.ask("GET", "/"))
        before = board.state.seq
        add_items(tournament, [Item("greeting", "Say hello.", outputs)])
        wait_until(lambda: board.state.seq > before)
        assert '<a href="/vote">' in text(served.ask("GET", "/"))


def test_a_long_name_hides_neither_the_verdict_nor_the_log():
    long = "n" * 300
    with Tournament([long, "bo"], "sqlite://", seed=1) as tournament:
        for _ in range(20):
            ticket = tournament.ask()
            tournament.tell(ticket, float(ticket.first == long))
        with serving(Service.of(tournament, confidence=None)) as served:
            served.api("PATCH", f"/players/{long}", {"state": "paused"})
            page, admin = (text(served.ask("GET", path)) for path in ("/", "/admin"))
    (headline,) = re.findall("<h1.*?>(.*?)</h1>", page)
    assert "is the best, give or take" in headline
    assert "n" * 50 not in headline
    assert re.search("change a player: name n+…n+, state paused", admin)


def test_people_who_vote_are_no_workers():
    with Tournament(["anna", "bo", "cy"], "sqlite://", seed=1) as tournament:
        for holder in ("vote|", "vote|", "vote|k3x9", "shell:office"):
            session_of(tournament).apply([Ask(1, 60.0, worker=holder)])
        with serving(Service.of(tournament, confidence=None)) as served:
            page = text(served.ask("GET", "/"))
    assert "2 being played" in page
    assert "1 pair is shown to a voter, and 2 pairs wait for voters" in page
    workers = page.partition("<h2>Workers</h2>")[2]
    assert "shell:office" in workers
    assert "vote" not in workers.partition("</section>")[0]


def test_many_players_are_paged_and_searched():
    names = [f"checkpoint-{number:03d}" for number in range(101)]
    with (
        Tournament(names, "sqlite://", seed=1) as tournament,
        serving(Service.of(tournament, confidence=None)) as served,
    ):
        first, last = (text(served.ask("GET", f"/?page={page}")) for page in (1, 3))
        assert "Page 1 of 3" in first
        assert "tall" not in first  # the page scrolls, not a window in it
        assert "Page 3 of 3" in last
        assert first.count('href="/players/') == 50
        assert last.count('href="/players/') == 1
        found = text(served.ask("GET", "/?find=POINT-07"))
        assert found.count('href="/players/') == 10
        assert "No player&#39;s name" not in found
        assert "name has this in it" in text(served.ask("GET", "/?find=zzz"))


@pytest.fixture(scope="module")
def crowded():
    players = [f"checkpoint-{number:03d}" for number in range(101)]
    with serving(Service.of(crowd(players, 200), confidence=None)) as served:
        yield served


def test_the_first_page_of_many_players_has_the_candidates_too(crowded):
    overview = crowded.service.board.state.overview
    leaders = Leaders.of(overview)
    assert leaders.others
    page = text(crowded.ask("GET", "/"))
    board = page.partition('<table class="board">')[2].partition("</table>")[0]
    assert re.findall('href="/players/(.*?)"', board) == leaders.names
    assert "Candidates rated below" in board
    assert leaders.sentence in page
    for query in ("page=2", "find=checkpoint-1"):
        other = text(crowded.ask("GET", f"/?{query}"))
        assert "Candidates rated below" not in other
    assert len(page) < 200_000


def test_organisers_have_the_same_pages_and_search(crowded):
    first, last = (text(crowded.ask("GET", f"/admin?page={page}")) for page in (1, 3))
    assert "Page 1 of 3" in first
    assert first.count('aria-label="pause ') == 50
    assert last.count('aria-label="pause ') == 1
    found = text(crowded.ask("GET", "/admin?find=POINT-077"))
    assert found.count('aria-label="pause ') == 1
    assert "name has this in it" in text(crowded.ask("GET", "/admin?find=zzz"))


def test_charts_and_crosstable_show_the_leaders_alone(crowded):
    page = text(crowded.ask("GET", "/"))
    leaders = Leaders.of(crowded.service.board.state.overview)
    assert page.count('class="line ') <= len(leaders.rows) + 1  # and one of the candidates
    assert page.count('<tr><td class="rank">') == 24


def test_a_player_has_the_opponents_of_the_crosstable(crowded):
    seen = crowded.service.board.state
    row, names = seen.overview.leaderboard[0], seen.overview.belief.names
    table = Crosstable.of(names, seen.overview.belief.tally)
    here = names.index(row.player)
    wanted = {
        names[one]: (int(table.n_met[here, one]), float(table.points[here, one]))
        for one in np.flatnonzero(table.n_met[here])
    }
    found = ShownPlayer.of(seen, row, "").opponents
    assert {one.name: (one.n_matches, one.points) for one in found} == wanted
    counts = [one.n_matches for one in found]
    assert counts == sorted(counts, reverse=True)


def test_the_api_has_the_same_slices(crowded):
    whole = crowded.api("GET", "/leaderboard").body
    assert whole["n_found"] == len(whole["standings"]) == 101
    part = crowded.api("GET", "/leaderboard?offset=50&limit=10").body
    assert part["standings"] == whole["standings"][50:60]
    found = crowded.api("GET", "/leaderboard?find=POINT-07&limit=3").body
    assert (found["n_found"], len(found["standings"])) == (10, 3)
    table = crowded.api("GET", "/crosstable?limit=7").body
    assert table["players"] == [row["player"] for row in whole["standings"][:7]]
    for path in ("/leaderboard?limit=0", "/leaderboard?offset=-1", "/crosstable?limit=1001"):
        assert crowded.api("GET", path).status == 422


def test_the_live_page_says_that_older_results_fade():
    with Tournament(["anna", "bo"], "sqlite://", seed=1, half_life=2) as tournament:
        for score in (1.0, 0.5, 1.0, 0.0):
            tournament.tell(tournament.ask(), score)
        tournament.retract(4, "the wrong file was compared")
        with serving(Service.of(tournament, confidence=None)) as served:
            page = text(served.ask("GET", "/"))
    assert "older results fade: half-life 2 matches; 3 matches count as 2" in page
