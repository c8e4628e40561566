"""A real browser for the tests of pages."""

import re
import shutil

import pytest

from tests.helpers.browsing import follow

REFUSED = re.compile(r"status of (401|403|409|422) ")  # what some tests are about


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


@pytest.fixture
def window(browser):
    """Opens pages whose complaints fail the test: errors, blocked content, requests elsewhere."""
    complaints, contexts = [], []

    def open_page(url, *, path="/", width=1100, dark=False, context=None):
        if context is None:
            scheme = "dark" if dark else "light"
            viewport = {"width": width, "height": 800}
            context = browser.new_context(viewport=viewport, color_scheme=scheme)
            contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)  # only spent when a test fails
        page.on("console", lambda message: note(message.type == "error", message.text))
        page.on("pageerror", lambda error: note(True, str(error)))
        page.on("request", lambda request: note(not request.url.startswith(url), request.url))
        if "#mx_" in path:
            follow(page, url + path)
        else:
            page.goto(url + path)
        return page

    def note(is_bad, words):
        # A server that is away is what some tests are about.
        if is_bad and "net::ERR_" not in words and not REFUSED.search(words):
            complaints.append(words)

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
