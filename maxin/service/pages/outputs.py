"""What people compare as HTML: Markdown, images and sounds; and what a vote can be."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from maxin.service.arena.markdown import markdown_html
from maxin.service.arena.media import TEXT
from maxin.storage.votes.items import Output

CHOICES = (  # what a vote can be, the key that gives it, and the words of its button
    ("a", "1", "A is better"),
    ("b", "2", "B is better"),
    ("tie", "3", "Tie"),
    ("bad", "4", "Both bad"),
    ("skip", "s", "Skip"),
)


class ShownSide(NamedTuple):
    """One of two outputs: its letter, whose it is if readers may know that, and what they see."""

    letter: str
    html: Markup
    name: str = ""


def output_html(output: Output, letter: str, url: str) -> Markup:
    """An output on a page; an image or a sound is loaded from `url`.

    >>> print(output_html(Output("image/png", b"..."), "A", "/api/v1/pairs/k/left"))
    <img src="/api/v1/pairs/k/left" alt="Image A">
    """
    if output.type == TEXT:
        return markdown_html(output.body.decode())
    if output.type.startswith("audio/"):
        sound = Markup('<audio controls src="{}" aria-label="Sound {}"></audio>')
        return sound.format(url, letter)
    return Markup('<img src="{}" alt="Image {}">').format(url, letter)
