"""The type of an output, which its content decides: text, an image or a sound."""

from __future__ import annotations

from maxin.core import InvalidInput

TEXT, SVG = "text/plain", "image/svg+xml"
SIGNS = (  # the type, the place of a sign in the content, and the sign
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF87a"),
    ("image/gif", 0, b"GIF89a"),
    ("image/webp", 8, b"WEBP"),
    ("audio/wav", 8, b"WAVE"),
    ("audio/ogg", 0, b"OggS"),
    ("audio/mpeg", 0, b"ID3"),
    ("audio/mpeg", 0, b"\xff\xfb"),
    ("audio/mpeg", 0, b"\xff\xf3"),
    ("audio/mpeg", 0, b"\xff\xf2"),
)
ENDINGS = {
    "txt": TEXT,
    "md": TEXT,
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": SVG,
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "ogg": "audio/ogg",
}


def type_of(body: bytes, ending: str, place: str) -> str:
    r"""The type of an output, as in HTTP; raises if its content is not what its name says.

    Args:
        body: the content.
        ending: that of the file's name, such as "png"; "txt" for a text that is not from a file.
        place: where it comes from, for the error.

    >>> type_of(b"\x89PNG\r\n\x1a\n", "png", "anna.png"), type_of(b"# A title", "md", "a.md")
    ('image/png', 'text/plain')
    """
    named = ENDINGS.get(ending)
    if named is None:
        raise InvalidInput(
            f"{place}: the name of an output must end with {', '.join(ENDINGS)}; got {ending!r}"
        )
    found = _found(body, named)
    if found != named:
        what = "neither text nor an image or a sound that we know" if found is None else found
        raise InvalidInput(f"{place}: its name says {named}, and its content is {what}")
    return named


def _found(body: bytes, named: str) -> str | None:
    for kind, start, sign in SIGNS:
        if body[start : start + len(sign)] == sign and (start == 0 or body[:4] == b"RIFF"):
            return kind
    if b"\0" in body:
        return None
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return SVG if named == SVG and "<svg" in text else TEXT
