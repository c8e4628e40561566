"""The pages in a real browser."""

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access.guards import Hosts
from maxin.service.access.tokens import AddToken
from maxin.service.server import listen, serving
from maxin.service.service import Service
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.browsing import follow
from tests.helpers.leagues import crowd
from tests.helpers.serving import Served
from tests.helpers.waiting import wait_until

HOSTILE = "<img src=x onerror=document.title='owned'>"


def result(served, score=1.0, token=None):
    """Have one match played."""
    asked = served.api("POST", "/matches", {"n": 1, "lease": 60}, token)
    (ticket,) = asked.body["tickets"]
    served.api("POST", f"/matches/{ticket['match']}/result", {"score": score}, token)


@pytest.fixture
def tournament():
    with Tournament(["anna", "bo", "cy", HOSTILE], "sqlite://", seed=1) as opened:
        for score in (1.0, 0.5, 1.0, 0.0):
            opened.tell(opened.ask(), score)
        yield opened


@pytest.fixture
def served(tournament):
    service = Service.of(tournament, confidence=None)
    with serving(service, listen("127.0.0.1", 0)) as url:
        yield Served(service, url)


def shows(page, words):
    """Wait until the page shows this."""
    page.wait_for_function("words => document.body.innerText.includes(words)", arg=words)


@pytest.mark.parametrize("n_tabs", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_a_result_is_on_every_tab(served, window, n_tabs):
    first = window(served.url)
    tabs = [first, *(window(served.url, context=first.context) for _ in range(n_tabs - 1))]
    for tab in tabs:
        shows(tab, "4 matches")
    result(served)
    for tab in tabs:
        shows(tab, "5 matches")
    assert len(served.service.streams) == 1  # one listens and tells the others
    assert first.title() != "owned"


def test_an_idle_page_asks_for_nothing(served, window):
    page = window(served.url)
    page.wait_for_selector("#lamp[data-state=live]")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(700)
    assert asked == []


def test_a_page_catches_up_when_the_server_is_back(tournament, window):
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    with serving(Service.of(tournament, confidence=None), listening) as url:
        page = window(url)
        shows(page, "4 matches")
    page.wait_for_selector("#lamp[data-state=away]")
    tournament.tell(tournament.ask(), 1.0)
    with serving(Service.of(tournament, confidence=None), listen("127.0.0.1", port)):
        shows(page, "5 matches")
        page.wait_for_selector("#lamp[data-state=live]")


@pytest.mark.parametrize("path", ["/", "/players/anna", "/matches", "/admin"])
def test_pages_fit_a_phone_and_the_dark(served, window, path):
    page = window(served.url, path=path, width=360, dark=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(21, 23, 26)"
    page.evaluate(
        "document.querySelector('nav a').insertAdjacentHTML('afterend', '<a href=/vote>Vote</a>');"
        "document.getElementById('lamp').hidden = false"
    )  # as where there is something to vote on
    middles = page.evaluate(
        "[...document.querySelectorAll('nav > *')].map(one => {"
        " const box = one.getBoundingClientRect(); return (box.top + box.bottom) / 2; })"
    )
    assert max(middles) - min(middles) < 16  # no item is in a second row


def test_pages_are_told_apart_without_seeing_them(served, window):
    page = window(served.url)
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input, button, select, svg[role=img]')].filter(one =>"
        " !one.labels?.length && !one.ariaLabel && !one.textContent.trim()).length"
    )
    assert unnamed == 0
    assert page.locator("h1").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Live"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/matches")


def test_a_browser_finds_one_of_many_players(window):
    players = [f"checkpoint-{number:03d}" for number in range(101)]
    tournament = crowd(players, 400)
    last = [row.player for row in tournament.leaderboard()][-1]
    with serving(Service.of(tournament, confidence=None), listen("127.0.0.1", 0)) as url:
        page = window(url)
        names = page.locator("table.board tbody .name")
        assert last not in names.all_text_contents()
        page.fill("input[name=find]", last)
        page.keyboard.press("Enter")
        page.wait_for_url("**/?find=*")
        assert names.all_text_contents() == [last]
        page.goto(url)
        for number in (2, 3):
            page.click("a[rel=next]")
            shows(page, f"Page {number} of 3")
        assert names.all_text_contents()[-1] == last
        page.goto(f"{url}/admin?find={last}")
        page.click(f"button[aria-label='pause {last}']")
        page.wait_for_selector(f"button[aria-label='resume {last}']")
        assert page.locator("button[aria-label^='pause ']").count() == 0


def test_an_unfolded_leaderboard_stays_so_when_the_board_changes(window):
    tournament = crowd([f"checkpoint-{number:03d}" for number in range(43)], 800)
    service = Service.of(tournament, confidence=None)
    with serving(service, listen("127.0.0.1", 0)) as url:
        page = window(url)
        rows = page.locator("table.board tbody tr:visible")
        assert rows.count() < 43
        page.click("label.fold")
        assert rows.count() == 43
        result(Served(service, url))
        shows(page, "801 matches")
        assert rows.count() == 43


def test_the_report_is_a_page_too(served, window):
    page = window(served.url, path="/report")
    shows(page, "Tournament report")
    assert page.title() != "owned"


def test_typing_is_not_lost_when_the_board_changes(served, window):
    page = window(served.url, path="/matches")
    page.wait_for_selector("#lamp[data-state=live]")
    page.fill("input[name=player]", "ann")
    before = served.service.board.state.seq
    result(served)
    wait_until(lambda: served.service.board.state.seq > before)
    page.wait_for_timeout(500)  # for what must not happen
    assert page.input_value("input[name=player]") == "ann"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    shows(page, "5 matches")


def test_a_token_signs_in_and_never_stays_in_the_address(tournament, window):
    token = session_of(tournament).answer(AddToken("viewer", "wall"))
    hosts = Hosts("127.0.0.1", ["arena.example"])
    with serving(Service.of(tournament, hosts=hosts), listen("127.0.0.1", 0)) as url:
        page = window(url)
        shows(page, "Sign in to see this page")
        page.fill("input[name=token]", "mx_viewer_0_wrong")
        page.keyboard.press("Enter")
        shows(page, "this token is not valid")
        linked = window(url, path=f"/#{token}")
        shows(linked, "4 matches")
        assert token not in linked.url
        assert token not in linked.evaluate("document.cookie")


def test_an_invitation_does_not_sign_an_organiser_out(tournament, window):
    admin = session_of(tournament).answer(AddToken("admin", "me"))
    voter = session_of(tournament).answer(AddToken("voter", "eve"))
    with serving(Service.of(tournament), listen("127.0.0.1", 0)) as url:
        page = window(url, path=f"/admin#{admin}")
        shows(page, "Administration")
        page.goto(f"{url}/vote#{voter}")
        shows(page, "there is nothing to compare yet")
        page.goto(f"{url}/admin")
        shows(page, "Administration")
        page.goto(f"{url}/sign-in")
        shows(page, "signed in with the token me, of role admin")
        page.click("text=Sign out")
        shows(page, "This browser is not signed in.")


def test_a_token_in_the_address_replaces_the_old_one(tournament, window):
    viewer = session_of(tournament).answer(AddToken("viewer", "wall"))
    admin = session_of(tournament).answer(AddToken("admin", "me"))
    with serving(Service.of(tournament), listen("127.0.0.1", 0)) as url:
        page = window(url, path=f"/#{viewer}")
        shows(page, "4 matches")
        page.goto(f"{url}/admin")
        shows(page, "Sign in with another token")
        for _ in range(2):  # first from the page that refuses us, then when we are signed in
            follow(page, f"{url}/admin#{admin}")
            shows(page, "Administration")
            assert page.url == f"{url}/admin"
        follow(page, f"{url}/report#{admin}")
        assert page.url == f"{url}/report"


def test_a_change_that_cannot_be_undone_asks_first(tournament, window, accept):
    admin = session_of(tournament).answer(AddToken("admin", "me"))
    session_of(tournament).answer(AddToken("admin", "other"))
    with serving(Service.of(tournament), listen("127.0.0.1", 0)) as url:
        page = window(url, path=f"/admin#{admin}")
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.click("button[aria-label='retire anna']")
        assert tournament.states["anna"] == "active"
        asked = accept(page)
        page.click("button[aria-label='retire anna']")
        page.wait_for_selector("button[aria-label='resume anna']")
        assert page.locator("button[aria-label='pause anna']").count() == 0
        page.click("button[aria-label='revoke the token of other']")
        shows(page, "Done.")
        page.click("button[aria-label='revoke the token of me']")
        page.wait_for_selector("button[aria-label='revoke the token of me']", state="detached")
        shows(page, "Administration")  # the only token: now this machine may do everything
        assert [words.partition("?")[0] for words in asked] == [
            "Retire anna",
            "Revoke the token of other",
            "Revoke the token of me",
        ]
        assert "This browser uses it" in asked[2]


def test_an_organiser_who_revokes_their_own_token_can_sign_in_again(tournament, window, accept):
    admin = session_of(tournament).answer(AddToken("admin", "me"))
    session_of(tournament).answer(AddToken("admin", "other"))
    with serving(Service.of(tournament), listen("127.0.0.1", 0)) as url:
        page = window(url, path=f"/admin#{admin}")
        accept(page)
        page.click("button[aria-label='revoke the token of me']")
        shows(page, "Sign in to see this page")
        assert page.locator("#sign-in").count() == 1


def test_an_organiser_is_told_that_the_service_is_away(tournament, window):
    with serving(Service.of(tournament), listen("127.0.0.1", 0)) as url:
        page = window(url, path="/admin")
    page.fill("form[data-call$=players] input[name=name]", "dee")
    page.click("text=Add player")
    shows(page, "The service cannot be reached")


def test_an_organiser_changes_players_and_makes_tokens(served, window, accept):
    page = window(served.url, path="/admin")
    page.fill("form[data-call$=players] input[name=name]", "dee")
    page.click("text=Add player")
    shows(page, "Done.")
    page.click("button[aria-label='pause dee']")
    page.wait_for_selector("button[aria-label='resume dee']")
    page.fill("form[data-call$=players] input[name=name]", "dee")
    page.click("text=Add player")
    shows(page, "dee")
    page.fill("form[data-call$=tokens] input[name=name]", "lab")
    page.click("text=Make a token")
    shows(page, "The token, shown only once: mx_worker_")
    assert served.service.tournament.states["dee"] == "paused"
    page.fill("form[data-call$=voters] input[name=name]", "student")
    page.fill("form[data-call$=voters] input[name=n]", "2")
    page.click("text=Invite")
    shows(page, f"student 2: {served.url}/vote#mx_voter_")
    accept(page)
    page.click("button[aria-label='remove student 1']")
    shows(page, "Done.")
    page.wait_for_selector("tr.away:has-text('student 1')")
