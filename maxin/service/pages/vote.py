"""The page on which people vote, and the one on which organisers see the voters."""

from __future__ import annotations

import asyncio
from functools import cache

from maxin.service.api.answers import Answer
from maxin.service.api.declaring import Call
from maxin.service.arena.voters import voter_table
from maxin.service.board import Seen
from maxin.service.pages.shown import progress
from maxin.service.pages.site import PART, environment, render
from maxin.tournament import Tournament

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
    """The page for voters, which is the same for everybody: the API has what it shows.

    >>> vote_html().count(b"data-choice")
    5
    """
    return environment().get_template("vote.html").render(choices=CHOICES).encode()


async def vote_page(call: Call) -> Answer:
    """GET /vote."""
    return Answer(200, vote_html(), (("cache-control", "no-cache"),), MEDIA)


async def voters_page(call: Call) -> Answer:
    """GET /voters."""
    service, is_part = call.service, call.header(PART.lower()) is not None
    text = await asyncio.to_thread(_voters, service.tournament, service.board.seen, is_part)
    return Answer(200, text.encode(), (), MEDIA)


def _voters(tournament: Tournament, seen: Seen, is_part: bool) -> str:
    return render(
        "voters.html",
        is_part=is_part,
        here="/voters",
        script="voters.js",
        seen=seen,
        progress=progress(seen),
        table=voter_table(tournament),
    )
