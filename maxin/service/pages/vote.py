"""The page on which people vote; what it shows comes from the API, for the voter alone."""

from __future__ import annotations

from functools import cache

from maxin.service.api.answers import Answer
from maxin.service.api.declaring import Call
from maxin.service.pages.site import environment

MEDIA = "text/html; charset=utf-8"
CHOICES = (  # what a vote can be, the key that gives it, and the words of its button
    ("a", "1", "A is better"),
    ("b", "2", "B is better"),
    ("tie", "3", "Tie"),
    ("bad", "4", "Both bad"),
    ("skip", "s", "Skip"),
)


@cache
def vote_html() -> bytes:
    """The page for voters, which is the same for everybody: the API has what it shows."""
    return environment().get_template("vote.html").render(choices=CHOICES).encode()


async def vote_page(call: Call) -> Answer:
    """GET /vote."""
    return Answer(200, vote_html(), (("cache-control", "no-cache"),), MEDIA)
