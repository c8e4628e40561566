"""Which openings are played: a file, and the order in which its openings are used."""

from __future__ import annotations

from typing import NamedTuple

from maxin.core import InvalidInput, check_whole

ORDERS = ("random", "sequential")
ENDINGS = (".epd", ".fen", ".pgn", ".bin")


class Openings(NamedTuple):
    """An opening book. Both games of a pair, with the colours swapped, get the same opening.

    Args:
        file: the path of an EPD, FEN, PGN or Polyglot file; its ending says which.
        order: "random", without repeating one before all were played, or "sequential".
        plies: moves to play of a PGN game or a Polyglot book, of both sides together; all by
            default.
        start: the first opening to use, from 1 on.
        seed: of the random order; 0 by default, and the tournament's on the command line.
    """

    file: str
    order: str = "random"
    plies: int | None = None
    start: int = 1
    seed: int | None = None

    @property
    def is_pgn(self) -> bool:
        """Whether the openings are games, rather than positions."""
        return self.file.lower().endswith(".pgn")

    @property
    def is_polyglot(self) -> bool:
        """Whether the book has weights of moves, by which openings are drawn."""
        return self.file.lower().endswith(".bin")


def check_openings(openings: Openings, place: str = "openings") -> None:
    """Raise unless every setting of a book is allowed; the file itself is not read.

    >>> check_openings(Openings("book.epd", start=0))
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: openings: start must be at least 1; got 0
    """
    file, order, plies, start, seed = openings
    if not isinstance(file, str) or not file.lower().endswith(ENDINGS):
        raise InvalidInput(
            f"{place}: file must be a path that ends with {', '.join(ENDINGS)}; got {file!r}"
        )
    if order not in ORDERS:
        raise InvalidInput(f"{place}: order must be {' or '.join(ORDERS)}; got {order!r}")
    for name, value, least in (("plies", plies, 1), ("start", start, 1), ("seed", seed, 0)):
        if value is not None and check_whole(value, f"{place}: {name}") < least:
            raise InvalidInput(f"{place}: {name} must be at least {least}; got {value}")
    if openings.is_polyglot and (order, start) != ("random", 1):
        raise InvalidInput(
            f"{place}: order and start are for lists of openings; those of the Polyglot book "
            f"{file!r} are drawn by its weights"
        )
    if plies is not None and not (openings.is_pgn or openings.is_polyglot):
        raise InvalidInput(
            f"{place}: plies is for PGN and Polyglot; {file!r} has positions, which are used as "
            "they are"
        )
