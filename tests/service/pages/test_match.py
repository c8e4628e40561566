"""The page of one match: what was compared or played, by whom, and what became of it."""

import re
import sys

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from hypothesis import assume, example, given
from hypothesis import strategies as st

from maxin.core.checks import given_costs, is_cost
from maxin.runners import Command
from maxin.service.access.guards import Hosts
from maxin.service.access.tokens import AddToken
from maxin.service.arena.item_files import Item
from maxin.service.arena.items import add_items
from maxin.service.arena.voters import Invite
from maxin.service.pages.match_page import MatchPage
from maxin.service.pages.site import environment
from maxin.service.service import Service
from maxin.storage.votes.items import Output
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from maxin.views.formats import DASH
from tests.helpers.arenas import Booth
from tests.helpers.hostile_markdown import HOSTILE
from tests.helpers.serving import serving
from tests.helpers.uci import FOOLS_MATE, fake, open_runner

NAMES = ["alpha", "beta"]
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>'
PROGRAM = """
import pathlib, sys
marker = pathlib.Path(sys.argv[1])
if not marker.exists():
    marker.touch()
    sys.exit("Traceback: <b>out of paper</b>")
print('{"score": 1, "errors": ["odd <i>move"], "data": {"log": "one <b>line</b>\\\\ntwo"}}')
"""


def questions():
    """Three items: the outputs of alpha are text, those of beta do all they can, or are images."""
    outputs = [Output("text/plain", "\n\n".join(HOSTILE).encode()), Output("image/svg+xml", SVG)]
    return [
        Item(
            f"question {number}",
            f"What is **{number}** squared?",
            {
                "alpha": Output("text/plain", f"It is `{number * number}`.".encode()),
                "beta": outputs[number % 2],
            },
        )
        for number in range(4)
    ]


def vote_on_all(tournament, numbers):
    """One pair of each kind; returns the voter."""
    booth = Booth(tournament, n_items=0)
    add_items(tournament, questions())
    ((voter, *_),) = booth.answer(Invite(1, "eve"))
    for kind, choice in (("vote", "a"), ("undone", "b"), ("skipped", "skip"), ("open", None)):
        pair = booth.pair(voter)
        numbers[kind] = max(ticket.id for ticket in tournament.pending())
        if choice is not None:
            booth.vote(pair, choice, voter, ms=12_000, reason="since <b>it</b>\n\nis *right*")
        if kind == "undone":
            booth.undo(pair, voter)
            booth.vote(pair, "tie", voter)
    return voter


def told(tournament, data, **more):
    ticket = tournament.ask()
    tournament.tell(ticket, 1.0, data=data, **more)
    return ticket.id


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A service that others may call, with one match of each kind; `numbers` has their numbers."""
    folder = tmp_path_factory.mktemp("matches")
    (folder / "program.py").write_text(PROGRAM)
    players = [fake(name, "plays", FOOLS_MATE) for name in NAMES]
    with Tournament(players, "sqlite://", seed=1) as tournament:
        with open_runner(opening_plies=0) as runner:
            tournament.run(runner, budget=1, confidence=None)
        command = Command(
            f"{sys.executable} {folder / 'program.py'} {folder / 'marker'} {{a}} {{b}}"
        )
        tournament.run(command, budget=2, confidence=None, backoff=0)
        numbers = {"chess": 1, "program": 2}
        answers = {"prompt": "Which?", "answers": ["**one**", "two <b>"], "verdict": "A"}
        thoughts = {"thoughts": "Because\n\n- *one*", "seen": {"tokens": [1, 2]}}
        judged = {**answers, **thoughts, "cost": 0.0125}
        numbers["judged"] = told(tournament, judged, judge="gpt")
        numbers["retracted"] = told(tournament, {})
        tournament.retract(numbers["retracted"], "the wrong <b>file</b>")
        numbers["void"] = tournament.ask().id
        tournament.void(numbers["void"], "the power failed")
        tournament.add_results([("alpha", "beta", 1.0)])
        voter = vote_on_all(tournament, numbers)
        tokens = {
            role: session_of(tournament).answer(AddToken(role, f"a {role}"))
            for role in ("viewer", "worker", "voter", "admin")
        }
        hosts = Hosts("127.0.0.1", ["arena.example"])
        with serving(Service.of(tournament, hosts=hosts, confidence=None)) as running:
            running.numbers, running.tokens, running.voter = numbers, tokens, voter
            yield running


def page_of(served, kind, query="", role="viewer"):
    path = f"/matches/{served.numbers[kind]}{query}"
    answer = served.ask("GET", path, token=served.tokens[role])
    assert answer.status == 200
    return answer.raw.decode()


def words_of(page):
    """What a reader sees, on one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.partition('<main id="shown"')[2]).split())


def test_a_vote_is_shown_with_its_prompt_answers_voter_and_time(served):
    page = page_of(served, "vote")
    words = words_of(page)
    assert "<p>What is <strong>" in page
    assert re.search(r"A (alpha|beta) .*B (alpha|beta) ", words)
    assert "It is <code>" in page
    assert f"voter {served.voter}" in words
    assert "vote A is better" in words
    assert "time taken 12 s" in words
    assert re.search(r"recorded \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", words)
    assert "<em>right</em>" in page  # the reason, which may be long
    assert "<b>" not in page


def test_the_sides_of_a_vote_are_those_that_the_voter_saw(served):
    for kind in ("vote", "undone", "skipped"):
        page, number = page_of(served, kind), served.numbers[kind]
        left, right = re.findall(r'<section id="(?:left|right)".*?</section>', page, re.DOTALL)
        beta = left if ">beta<" in left else right
        alpha = right if beta is left else left
        assert "It is <code>" in alpha
        assert "It is <code>" not in beta
        result = served.service.tournament.match(number).latest
        if result is not None:
            is_swapped = result.played.judge.is_swapped
            assert (result.played.first == "alpha") == ((alpha is left) != is_swapped)


def test_a_vote_that_was_undone_is_shown_with_its_retraction(served):
    words = words_of(page_of(served, "undone"))
    assert "vote Tie" in words
    assert re.search(r"Earlier results .* [\d-]+ [\d:]+ [\d-]+ [\d:]+ undone by the voter", words)


def test_a_result_that_was_taken_back_says_why_and_when(served):
    words = words_of(page_of(served, "retracted"))
    assert re.search(
        r"Retracted at [\d-]+ [\d:]+ UTC by .*: the wrong &lt;b&gt;file&lt;/b&gt;\.", words
    )
    assert f"{served.numbers['retracted']} · retracted" in words


def test_a_match_that_was_given_up_says_why(served):
    assert re.search("Given up at .* UTC: the power failed.", words_of(page_of(served, "void")))
    page = page_of(served, "skipped")
    assert "skipped by a voter" in page
    assert "What was compared" in page


def test_nobody_can_look_up_whose_outputs_a_voter_is_comparing(served):
    number, store = served.numbers["open"], served.service.tournament.store
    (row,) = store.query(
        _sql("select item from maxin_pairs where match = :number"), {"number": number}
    )
    assert row.item
    for role in ("viewer", "admin"):
        page = page_of(served, "open", role=role)
        assert "shown here after the vote" in page
        assert "squared" not in page
        assert "question" not in page
        body = served.api("GET", f"/matches/{number}", token=served.tokens[role]).body
        assert (body["state"], body["item"], body["prompt"], body["outputs"]) == (
            "pending",
            None,
            None,
            [],
        )
        for seat in ("first", "second"):
            found = served.api("GET", f"/matches/{number}/{seat}", token=served.tokens[role])
            assert found.status == 404


def _sql(text):
    from sqlalchemy import text as statement

    return statement(text)


@pytest.mark.parametrize("path", ["/matches/{}", "/api/v1/matches/{}", "/api/v1/matches/{}/first"])
def test_voters_see_no_match_and_others_need_a_token(served, path):
    for kind in ("vote", "open"):
        place = path.format(served.numbers[kind])
        assert served.ask("GET", place, token=served.tokens["voter"]).status == 403
        assert served.ask("GET", place).status == 401


def test_only_organisers_see_the_names_of_voters(served):
    for role, sees_it in (("viewer", False), ("admin", True), ("worker", False)):
        assert ("voter eve " in words_of(page_of(served, "vote", role=role))) == sees_it


def test_a_judges_verdict_cost_and_answers_are_shown(served):
    page = page_of(served, "judged")
    words = words_of(page)
    assert "judge gpt" in words
    assert "cost 0.0125" in words
    assert "verdict A" in words
    assert "<strong>one</strong>" in page
    assert re.search("A alpha|A beta", words)
    assert "two &lt;b&gt;" in page
    assert "<li><em>one</em></li>" in page
    assert "&#34;tokens&#34;" in page


def test_a_programs_log_errors_and_failed_attempts_are_shown(served):
    words = words_of(page_of(served, "program"))
    assert "odd &lt;i&gt;move" in words
    assert "one &lt;b&gt;line&lt;/b&gt; two" in words
    assert "attempt 1 failed" in words
    assert "Traceback: &lt;b&gt;out of paper&lt;/b&gt;" in words


def test_a_game_of_chess_has_its_moves_and_a_board_after_each(served):
    page = page_of(served, "chess")
    words = words_of(page)
    assert "end checkmate" in words
    assert re.search(r"1\. f3 e5 2\. g4 Qh4#", words)
    assert "After 2... Qh4#" in words
    assert page.count("<svg") == 1
    before = page_of(served, "chess", "?game=1&ply=0")
    assert "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in before
    after_one = page_of(served, "chess", "?game=1&ply=1")
    assert "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1" in after_one
    assert 'id="previous-1" data-step="previous" href="?game=1&amp;ply=0' in after_one
    for odd in ("?game=1&ply=99", "?game=2&ply=1", "?ply=-1&game=1", "?game=x&ply=y", "?ply=1"):
        assert "After 2... Qh4#" in words_of(page_of(served, "chess", odd))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/matches/99", "There is no match 99; 9 were handed out so far"),
        ("/matches/0", "There is no match 0; 9 were handed out so far"),
        ("/matches/x", "The number of a match must be a whole number"),
        ("/results/1", "Entry 1 of the record is not a result without a number"),
    ],
)
def test_a_match_that_does_not_exist_is_a_page_that_leads_back(served, path, reason):
    found = served.ask("GET", path, token=served.tokens["viewer"], Accept="text/html")
    assert found.status == 404
    page = found.raw.decode()
    assert '<a href="/">Live</a>' in page
    assert reason in page


def test_every_match_leads_to_its_page(served):
    token = served.tokens["viewer"]
    for path in ("/", "/matches?retracted=yes", "/players/alpha"):
        page = served.ask("GET", path, token=token).raw.decode()
        rows = re.findall(r"<tr.*?</tr>", page.partition('<table class="matches">')[2], re.DOTALL)[
            1:
        ]
        links = [re.search('href="(/(?:matches|results)/[0-9]+)"', row)[1] for row in rows]
        assert len(links) == len(rows) > 5
        for link in links:
            assert served.ask("GET", link, token=token).status == 200
        assert any(link.startswith("/results/") for link in links)


def test_the_report_of_a_service_leads_to_matches_and_a_file_to_none(served, tmp_path):
    token = served.tokens["viewer"]
    report = served.ask("GET", "/report", token=token).raw.decode()
    links = re.findall(r'href="(/matches[?/][^"]*)"', report)
    assert f"/matches/{served.numbers['program']}" in links  # an attempt at it failed
    assert "/matches?player=alpha&amp;against=beta" in links
    for link in links:
        assert served.ask("GET", link.replace("&amp;", "&"), token=token).status == 200
    written = served.service.tournament.report(tmp_path / "report.html").read_text()
    assert "/matches" not in written


def test_the_api_has_what_the_page_has(served):
    token, number = served.tokens["viewer"], served.numbers["vote"]
    body = served.api("GET", f"/matches/{number}", token=token).body
    assert (body["match"], body["state"]) == (number, "played")
    assert body["results"][0]["data"]["choice"] == "a"
    assert body["prompt"].startswith("What is **")
    for side, name in zip(body["outputs"], ("first", "second"), strict=True):
        found = served.ask("GET", side["url"], token=token)
        assert found.headers["content-type"].partition(";")[0] == side["type"]
        assert "sandbox" in found.headers["content-security-policy"]
        assert (b"It is `" in found.raw) == (body[name] == "alpha")
    undone = served.api("GET", f"/matches/{served.numbers['undone']}", token=token).body
    assert [row["retracted"] for row in undone["results"]] == ["undone by the voter", None]
    failed = served.api("GET", f"/matches/{served.numbers['program']}", token=token).body
    assert "out of paper" in failed["failures"][0]["log"]


def test_games_with_swapped_seats_are_shown_one_by_one():
    with Tournament(NAMES, "sqlite://", seed=1, games_per_match=2) as tournament:
        ticket = tournament.ask()
        game = {"end": "checkmate", "plies": 4, "moves": " ".join(FOOLS_MATE)}
        data = {"games": [game, {**game, "cost": 2.0}], "judge": "gpt"}
        tournament.tell(ticket, 0.5, games=[0.0, 1.0], data=data)
        page = MatchPage.of(tournament.store, tournament.match(1), (2, 1), names_voters=True)
    pairs = [(ticket.first, ticket.second), (ticket.second, ticket.first)]
    assert [game.players for game in page.games] == pairs
    assert [game.score for game in page.games] == [f"0 {DASH} 1"] * 2
    assert [game.chess.ply for game in page.games] == [4, 1]
    assert (page.score, page.facts) == (f"1 {DASH} 1", [("judge", "gpt"), ("cost", "2")])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from([*HOSTILE, "e2e4 e7e5", "0000", "both bad"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=6,
)
KEYS = [
    "prompt",
    "answers",
    "judge",
    "voter",
    "item",
    "choice",
    "ms",
    "side",
    "cost",
    "games",
    "log",
]
KEYS += ["end", "plies", "moves", "comments", "fen", "reason", "<b>"]


@pytest.fixture(scope="module")
def anything():
    with Tournament(NAMES, "sqlite://", seed=1) as tournament:
        yield tournament


@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=9))
@example({"end": 1, "plies": [], "moves": "e2e4 e9e9", "fen": "8/8"})
@example({"end": "x", "plies": 1, "moves": "e2e4", "fen": "8/8/8/8/8/8/8/8 w - - 0 1"})
@example({"end": "<b>", "plies": 1, "moves": "0000 e7e5", "comments": ", ".join("<b>" * 9)})
@example({"voter": "k", "item": [1], "choice": ["a"], "ms": 10**400, "side": {}})
@example({"prompt": "<b>", "answers": ["<b>", "<script>alert(1)</script>"]})
@example({"log": "<b>\x1b[31m", "<b>": {"a": [[[["<b>"]]]]}})
def test_whatever_data_a_result_has_the_page_shows_it_as_text(anything, data):
    assume(all(map(is_cost, given_costs(data))))
    ticket = anything.ask()
    anything.tell(ticket, 0.5, data=data)
    match = anything.match(ticket.id)
    page = MatchPage.of(anything.store, match, (1, 1), names_voters=True)
    template = environment().get_template("match.html")
    shown = template.render(layout="fragment.html", page=page, match=match)
    for tag in ("<b>", "<script", "<img", "<iframe", "<form", "<style", 'javascript:alert(1)"'):
        assert tag not in shown


def test_a_short_list_is_one_line(anything):
    ticket = anything.ask()
    nested, long = [[1]], [0.5] * 40
    anything.tell(ticket, 0.5, data={"length": [192, 85], "nested": nested, "long": long})
    page = MatchPage.of(anything.store, anything.match(ticket.id), (1, 1), names_voters=True)
    assert page.games[0].facts == [("length", "[192, 85]")]


def test_a_browser_steps_through_a_game_by_links_and_keys(served, window):
    page = window(served.url, path=f"/matches/1#{served.tokens['viewer']}")
    page.evaluate("window.isSame = true")  # as long as no other page is loaded
    shown = page.locator("figcaption")
    page.click("a[aria-label='first position']")
    shown.filter(has_text="Before the game").wait_for()
    for label in ("After 1. f3", "After 1... e5"):
        page.keyboard.press("ArrowRight")
        shown.filter(has_text=label).wait_for()
    assert page.url.endswith("/matches/1?game=1&ply=2#game-1")
    page.locator("a", has_text="g4").focus()
    page.keyboard.press("Enter")
    shown.filter(has_text="After 2. g4").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "g4"
    page.keyboard.press("ArrowLeft")
    shown.filter(has_text="After 1... e5").wait_for()
    assert page.evaluate("window.isSame")
    assert page.locator("[role=img] svg").count() == 1
    page.reload()
    assert shown.inner_text().startswith("After 1... e5")


@pytest.mark.parametrize("kind", ["vote", "chess", "judged", "program", "undone"])
def test_every_match_fits_a_phone_and_can_do_nothing(served, window, kind):
    place = f"/matches/{served.numbers[kind]}#{served.tokens['viewer']}"
    page = window(served.url, path=place, width=360, dark=True)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.wait_for_selector("#lamp[data-state=live]")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.title().startswith(f"Match {served.numbers[kind]}: ")
    assert page.locator("h1").count() == 1
    widths = page.evaluate("[...document.images].map((one) => one.naturalWidth)")
    assert widths == ([9] if kind == "vote" else [])  # one of its outputs is an image
