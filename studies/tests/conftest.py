"""Shared by the tests of the studies: a browser."""

from tests.helpers.browsing import browser, kept_page

__all__ = ["browser", "kept_page"]
