"""A real browser for the tests of pages."""

import re

import pytest

from tests.helpers.browsing import browser, follow, kept_page

__all__ = ["accept", "browser", "kept_page", "window"]

REFUSED = re.compile(r"status of (401|403|409|422) ")  # what some tests are about


@pytest.fixture
def window(browser, kept_page):
    """Opens pages whose complaints fail the test: errors, blocked content, requests elsewhere."""
    complaints, opened = [], []

    def open_page(url, *, path="/", width=1100, dark=False, context=None):
        page = kept_page if not opened else (context or browser.new_context()).new_page()
        watch = {
            "console": lambda message: note(message.type == "error", message.text),
            "pageerror": lambda error: note(True, str(error)),
            "request": lambda request: note(not request.url.startswith(url), request.url),
        }
        opened.append((page, watch))
        for event, act in watch.items():
            page.on(event, act)
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_default_timeout(120_000)  # only spent when a test fails
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
    for page, watch in reversed(opened):
        for event, act in watch.items():
            page.remove_listener(event, act)
        clear(page) if page is kept_page else page.close()
    assert complaints == []


def clear(page):
    """Leave a page as a new one is."""
    page.goto("about:blank")
    page.context.clear_cookies()


@pytest.fixture
def accept():
    """Says yes to every question of a page; returns what was asked."""
    accepting = []

    def start(page):
        asked = []

        def say_yes(dialog):
            asked.append(dialog.message)
            dialog.accept()

        page.on("dialog", say_yes)
        accepting.append((page, say_yes))
        return asked

    yield start
    for page, say_yes in accepting:
        page.remove_listener("dialog", say_yes)
