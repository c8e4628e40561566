"""How an output is sent: a text, an image or a sound, whole or in part."""

from __future__ import annotations

import re

from maxin.service.api.answers import Answer
from maxin.service.arena.media import TEXT
from maxin.storage.votes.items import Output

# What an output may do if somebody opens it by itself: nothing. It is shown as text, or in an
# <img> or <audio>; an SVG image has no script there anyway.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
RANGE = re.compile(r"bytes=(\d{1,12})-(\d{0,12})")


def sent(output: Output, range: str | None) -> Answer:
    """An output, or the part that a player of sounds asks for."""
    headers = (
        ("cache-control", "no-store"),
        ("content-security-policy", POLICY),
        ("content-disposition", "inline"),
        ("accept-ranges", "bytes"),
    )
    media = f"{TEXT}; charset=utf-8" if output.type == TEXT else output.type
    found = None if range is None else RANGE.fullmatch(range)
    if found is None:
        return Answer(200, output.body, headers, media)
    size, start = len(output.body), int(found[1])
    end = min(int(found[2]) if found[2] else size - 1, size - 1)
    if start > end:
        return Answer(416, None, (*headers, ("content-range", f"bytes */{size}")), media)
    place = ("content-range", f"bytes {start}-{end}/{size}")
    return Answer(206, output.body[start : end + 1], (*headers, place), media)
