"""A real browser, and the steps of a person in it."""

import shutil

import pytest


@pytest.fixture(scope="module")  # a loop of events runs while it is open, as some tests do
def browser():
    """The system's chromium; tests that need it are skipped where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def kept_page(browser):
    """One page for all tests of a file; a new one for each would cost more than what they do."""
    return browser.new_context().new_page()


class Reader:
    """Reads pages as the browser shows them after three seconds, in which nothing is waited for."""

    MILLISECONDS = 3000

    def __init__(self, page):
        self._page, self._expired = page, []
        self._session = page.context.new_cdp_session(page)
        self._session.on("Emulation.virtualTimeBudgetExpired", lambda _: self._expired.append(1))

    def read(self, page, folder):
        """A page after the browser has read it and run what it would run."""
        path = folder / "page.html"
        path.write_text(page, encoding="utf-8")
        self._advance()
        self._page.goto(path.as_uri())
        self._expired.clear()
        self._advance(budget=self.MILLISECONDS)
        while not self._expired:
            self._page.wait_for_timeout(5)
        return self._page.content()

    def _advance(self, **options):
        policy = {"policy": "advance", **options}
        self._session.send("Emulation.setVirtualTimePolicy", policy)


def follow(page, link):
    """Open a link that carries a token, and wait for the page that signing in leads to.

    The page sends the token, and then loads itself again. Whoever goes elsewhere before that is
    interrupted by it.
    """
    seen = ["link"]

    def note_request(request):
        if seen[-1] == "link" and request.method == "POST" and "/api/v1/session" in request.url:
            seen.append("sent")
        elif seen[-1] == "sent" and request.is_navigation_request():
            seen.append("again")

    def note_load(_):
        if seen[-1] == "again":
            seen.append("there")

    page.on("request", note_request)
    page.on("load", note_load)
    page.goto(link, wait_until="commit")
    while seen[-1] != "there":
        page.wait_for_timeout(20)
    page.remove_listener("request", note_request)
    page.remove_listener("load", note_load)
