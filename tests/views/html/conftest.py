"""The browser of `tests.helpers.browsing`, for the pages that it reads."""

from tests.helpers.browsing import browser, kept_page

__all__ = ["browser", "kept_page"]
