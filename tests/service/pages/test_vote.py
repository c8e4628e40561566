"""The page on which people vote, in a real browser."""

import re

import pytest

pytest.importorskip("starlette", reason="the extra `web` is not installed")

from maxin.service.access.tokens import AddToken
from maxin.service.arena.item_files import Item
from maxin.service.arena.items import add_items
from maxin.service.arena.voters import Invite, voter_table
from maxin.service.service import Service
from maxin.storage.votes.items import Output
from maxin.tournament import Tournament
from maxin.tournament.tournament import session_of
from tests.helpers.arenas import text_items
from tests.helpers.hostile_markdown import HOSTILE, checked_text
from tests.helpers.serving import serving

NAMES = ["anna-7b", "bo-13b", "cy-70b"]
HERE = re.compile(r"http://127\.0\.0\.1:\d+/|data:|about:blank")
PATIENCE = 120_000  # milliseconds until a test fails


def blind_items(n_items):
    """Outputs that differ by their item alone: what names a player is a leak."""
    same = Output("text/plain", b"**bold** <script>document.title = 'hacked'</script>")
    return [
        item._replace(outputs=dict.fromkeys(NAMES, same)) for item in text_items(NAMES, n_items)
    ]


@pytest.fixture
def served(tmp_path, browser):
    with Tournament(NAMES, tmp_path / "league.db", seed=1) as tournament:
        add_items(tournament, blind_items(8))
        with serving(Service.of(tournament, budget=4, confidence=None)) as running:
            yield running


def new_link(served):
    ((_, _, token),) = session_of(served.service.tournament).answer(Invite(1, "eve"))
    served.service.tokens.read()
    return f"{served.url}/vote#{token}", token


@pytest.fixture(scope="module")
def wrong():
    return []


@pytest.fixture(scope="module")
def kept(browser, wrong):
    return watched(browser.new_context().new_page(), wrong)


def watched(page, wrong):
    """A page that notes whatever goes wrong or leaves this machine."""
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda sent: None if HERE.match(sent.url) else wrong.append(sent.url))
    return page


@pytest.fixture
def visit(browser, kept, wrong, served):
    """Open a page in which nothing may go wrong, without the cookies of other tests."""
    contexts = [kept.context]

    def opened(**options):
        if not options:
            return kept
        contexts.append(browser.new_context(**options))
        return watched(contexts[-1].new_page(), wrong)

    wrong.clear()
    yield opened
    for context in contexts[1:]:
        context.close()
    kept.unroute_all()
    kept.goto("about:blank")
    kept.context.clear_cookies()
    assert [
        line for line in wrong if not re.search("status of 4(01|03|10)|net::ERR_FAILED", line)
    ] == []


def wait_for(page, state, words):
    page.wait_for_selector(f"#vote[data-state={state}] #message:has-text('{words}')")


def test_votes_by_keys_undo_and_the_end(visit, served):
    link, token = new_link(served)
    page, tournament = visit(), served.service.tournament
    bodies = []
    page.on("response", lambda answer: bodies.append((answer.url, answer)))
    page.goto(link)
    page.wait_for_selector("#vote[data-state=pair]")
    assert page.url == f"{served.url}/vote"
    assert page.title() == "Which is better?"
    assert "<script>" in page.inner_text("#left .output")  # as text
    seen = page.content() + "".join(url + repr(answer.all_headers()) for url, answer in bodies)
    assert not any(name in seen for name in NAMES)
    assert token not in page.content()

    page.keyboard.press("1")
    wait_for(page, "pair", "Your last vote: A.")
    page.keyboard.press("4")
    wait_for(page, "pair", "Your last vote: both bad.")
    page.keyboard.press("s")
    wait_for(page, "pair", "Your last vote: skipped.")
    assert page.inner_text("#progress") == "2 votes"
    assert tournament.n_matches == 2
    page.keyboard.press("u")  # the skip
    wait_for(page, "pair", "Undone.")
    page.keyboard.press("u")  # both bad
    page.wait_for_selector("#progress:has-text('1 vote')")
    wait_for(page, "pair", "Undone.")
    assert tournament.n_matches == 1
    for votes in ("2 votes", "3 votes", "4 votes"):
        page.keyboard.press("2")
        page.wait_for_selector(f"#progress:has-text('{votes}')")
        page.wait_for_selector("#undo[aria-disabled=false]")
    wait_for(page, "idle", "Thank you: enough votes are in: the budget of 4 matches is spent")
    (row,) = voter_table(tournament).voters
    assert (row.votes, row.a_share) == (4, 0.25)
    assert row.median_seconds is not None
    page.reload()
    wait_for(page, "idle", "Thank you")


def test_it_fits_a_phone_and_works_without_a_mouse(visit, served):
    link, _ = new_link(served)
    page = visit(viewport={"width": 360, "height": 640}, color_scheme="dark", has_touch=True)
    page.goto(link)
    page.wait_for_selector("#vote[data-state=pair]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for button in page.locator("#choices button").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        assert box["height"] >= 40
        assert box["y"] + box["height"] <= 640  # in reach without scrolling
    assert page.evaluate("document.activeElement.id") == "prompt"
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    page.keyboard.press("1")  # not a vote
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Tie").focus()
    page.keyboard.press("Enter")
    wait_for(page, "pair", "Your last vote: tie.")
    assert page.get_by_role("region", name="A", exact=True).count() == 1
    assert page.get_by_role("group", name="Your vote").get_by_role("button").count() == 5
    assert served.service.tournament.n_matches == 1


def test_images_and_sounds_are_shown(visit, served, tmp_path):
    head = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
    svg = head + b"<script>alert(1)</script></svg>"
    wav = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data\0\0\0\0"
    outputs = {"anna-7b": Output("image/svg+xml", svg), "bo-13b": Output("audio/wav", wav)}
    with Tournament(["anna-7b", "bo-13b"], tmp_path / "media.db", seed=1) as tournament:
        add_items(tournament, [Item("one", "Which do you like?", outputs)])
        with serving(Service.of(tournament)) as running:
            link, _ = new_link(running)
            page = visit()
            page.goto(link)
            page.wait_for_selector("#vote[data-state=pair]")
            assert page.locator(".output img").get_attribute("alt") in ("Image A", "Image B")
            assert page.evaluate("document.querySelector('.output img').naturalWidth") == 9
            assert page.locator(".output audio").count() == 1


def test_markdown_is_shown_and_can_do_nothing(visit, tmp_path):
    text = "\n\n".join(["**bold**", "```\na = 1\n```", "|a|\n|-|\n|1|", "$x_1$", *HOSTILE])
    outputs = dict.fromkeys(NAMES[:2], Output("text/plain", text.encode()))
    with Tournament(NAMES[:2], tmp_path / "hostile.db", seed=1) as tournament:
        add_items(tournament, [Item("one", f"Which is *better*?\n\n{text}", outputs)])
        with serving(Service.of(tournament)) as running:
            page = visit()
            page.on("dialog", lambda dialog: pytest.fail(dialog.message))
            page.goto(new_link(running)[0])
            page.wait_for_selector("#vote[data-state=pair]")
            for place in ("#prompt", "#left .output", "#right .output"):
                for shown in ("strong", "pre > code", "td", "code.math"):
                    assert page.locator(f"{place} {shown}").count() > 0, (place, shown)
            checked_text(
                "".join(
                    page.locator(".markdown").evaluate_all(
                        "boxes => boxes.map((box) => box.outerHTML)"
                    )
                )
            )  # as the browser understood it
            assert page.locator("#choices").count() == 1
            assert page.title() == "Which is better?"
            page.locator("#left a").first.focus()
            page.keyboard.press("1")
            wait_for(page, "idle", "There is nothing for you to compare now")
            assert tournament.n_matches == 1


def luminance(colour):
    """The relative luminance of a colour, as WCAG 2 defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """How far two colours are apart, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_and_b_stand_out_among_the_buttons(visit, served, scheme):
    page = visit(color_scheme=scheme)
    page.goto(new_link(served)[0])
    page.wait_for_selector("#vote[data-state=pair]")
    found = page.locator("#choices button").evaluate_all(
        "all => all.map((one) => [getComputedStyle(one), one.offsetWidth])"
        ".map(([style, width]) => [style.backgroundColor, style.color, width])"
    )
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    sides, others = found[:2], found[2:]
    for ground, ink, width in sides:
        assert contrast(ground, paper) > 4.5 > 1.3 > max(contrast(one[0], paper) for one in others)
        assert contrast(ground, ink) > 4.5
        assert width > 1.5 * max(other for _, _, other in others)


def test_without_an_invitation_it_says_so(visit, served):
    session_of(served.service.tournament).answer(AddToken("admin", "boss"))
    served.service.tokens.read()  # from now on everybody needs one
    page = visit()
    page.goto(f"{served.url}/vote")
    wait_for(page, "idle", "You need an invitation to vote")


def test_a_vote_whose_answer_is_lost_counts_once(visit, served):
    link, _ = new_link(served)
    page, sent = visit(), []

    def lose_the_first_answer(route):
        sent.append(route.request.method)
        if len(sent) == 1:
            route.fetch()  # the service has it, but the page does not know
            route.abort()
        else:
            route.continue_()

    page.goto(link)
    page.wait_for_selector("#vote[data-state=pair]")
    page.route("**/api/v1/pairs/*/vote", lose_the_first_answer)
    page.keyboard.press("1")
    wait_for(page, "pair", "Your last vote: A.")
    assert sent == ["PUT", "PUT"]
    assert page.inner_text("#progress") == "1 vote"
    assert served.service.tournament.n_matches == 1
