"""Openings: random moves, and books in EPD, PGN and Polyglot."""

import struct
from collections import Counter

import pytest

from maxin.core import InvalidInput
from maxin.runners import Job, Openings
from tests.helpers.uci import FOOLS_MATE, fake, open_runner

chess = pytest.importorskip("chess", reason="python-chess is not installed")

from chess import polyglot  # noqa: E402

from maxin.runners.uci.openings import (  # noqa: E402
    Book,
    PolyglotBook,
    ending,
    random_opening,
)

# A position in EPD with an operation, one in FEN, and one in bare EPD.
EPD = """\
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - eco "B00"; id "one";

rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq -
"""
PGN = """\
[Event "?"]
[ECO "C20"]
[Opening "King's pawn"]

1. e4 {best by test
[%clk 1:00]} e5 2. Nf3 *

[Event "?"]
[ECO "?"]

1. d4 d5 *
"""


@pytest.fixture
def book(tmp_path):
    """Makes a book from a text."""

    def make(text, name="book.epd", **settings):
        path = tmp_path / name
        path.write_text(text)
        return Book(Openings(str(path), **{"order": "sequential", **settings}), max_plies=9)

    return make


def moves(opening):
    return [move.uci() for move in opening.board.move_stack]


def test_random_moves_depend_on_the_seed_and_do_not_end_the_game():
    boards = [random_opening(seed, n_plies=6).board for seed in range(60)]
    assert len({board.fen() for board in boards}) > 57
    for seed, board in enumerate(boards):
        assert board.ply() == 6
        assert board.outcome(claim_draw=True) is None
        assert board.move_stack == random_opening(seed, n_plies=6).board.move_stack


def test_many_random_moves_never_end_the_game():
    assert all(ending(random_opening(seed, n_plies=300).board) is None for seed in range(2))


def test_positions_are_read_from_epd_and_fen(book):
    found = [book(EPD).opening(place) for place in range(3)]
    pawns = [
        opening.board.piece_at(square)
        for opening, square in zip(found, (chess.E4, chess.D4, chess.C4), strict=True)
    ]
    assert pawns == [chess.Piece.from_symbol("P")] * 3
    assert [opening.tags for opening in found] == [{"ECO": "B00"}, {}, {}]
    assert all(opening.board.turn == chess.BLACK for opening in found)


def test_moves_and_tags_are_read_from_pgn(book):
    found = [book(PGN, "book.pgn").opening(place) for place in range(3)]
    assert [moves(opening) for opening in found] == [
        ["e2e4", "e7e5", "g1f3"],
        ["d2d4", "d7d5"],
        ["e2e4", "e7e5", "g1f3"],  # after the last comes the first again
    ]
    assert found[0].tags == {"ECO": "C20", "Opening": "King's pawn"}
    assert found[1].tags == {}
    short = book(PGN, "book.pgn", plies=1)
    assert [moves(short.opening(place)) for place in range(2)] == [["e2e4"], ["d2d4"]]


def test_start_skips_openings(book):
    assert book(EPD, start=3).opening(0) == book(EPD).opening(2)
    assert book(EPD, start=3).opening(1) == book(EPD).opening(0)
    with pytest.raises(InvalidInput, match="start must be at most 3, the number of openings"):
        book(EPD, start=4)


def test_a_random_order_follows_from_its_seed_and_repeats_nothing(book):
    lines = "".join(
        f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {n} 1\n" for n in range(50)
    )

    def clocks(**settings):
        found = book(lines, **settings)
        return [found.opening(place).board.halfmove_clock for place in range(50)]

    assert clocks() == list(range(50))
    assert clocks(order="random", seed=1) == clocks(order="random", seed=1)
    assert clocks(order="random", seed=1) != clocks(order="random", seed=2)
    assert sorted(clocks(order="random", seed=1)) == list(range(50))


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("# empty\n", "book.epd", "has no opening"),
        ("\nnonsense\n", "book.epd", r"book\.epd, line 2: "),
        ("8/8/8/8/8/8/8/8 w - -\n", "book.epd", "line 1: the position .* is impossible"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -\n", "book.epd", r"over after it \(stalemate\)"),
        ('[Event "?"]\n\n1. e4 e4 *\n', "book.pgn", "line 1: illegal san: 'e4'"),
        ('[Event "?"]\n\n' + "a3 a6 b3 b6 c3 c6 d3 d6 e3 *", "book.pgn", "max_plies is 9"),
        ('[Event "?"]\n\n1. f3 e5 2. g4 Qh4# *\n', "book.pgn", "checkmate.; plies uses fewer"),
    ],
)
def test_invalid_openings_are_named_with_their_line(book, text, name, words):
    with pytest.raises(InvalidInput, match=words):
        book(text, name).check()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"file": "book.abk"}, r"file must be a path that ends with \.epd, \.fen, \.pgn, \.bin"),
        ({"file": "book.bin", "start": 3}, "order and start are for lists of openings"),
        ({"file": "book.bin", "order": "sequential"}, "order and start are for lists of openings"),
        ({"file": "book.bin", "plies": 0}, "plies must be at least 1; got 0"),
        ({"file": "book.epd", "order": "any"}, "order must be random or sequential; got 'any'"),
        ({"file": "book.epd", "plies": 4}, "plies is for PGN"),
        ({"file": "book.pgn", "plies": 0}, "plies must be at least 1; got 0"),
        ({"file": "no-such-book.epd"}, "'no-such-book.epd' cannot be read: No such file"),
    ],
)
def test_invalid_settings_are_refused_before_the_first_game(settings, words):
    with (
        pytest.raises(InvalidInput, match=f"openings: .*{words}"),
        open_runner(openings=Openings(**settings)) as runner,
    ):
        runner.check([])


def test_both_games_of_a_pair_start_alike_and_the_game_knows_its_opening(book):
    lines = PGN.replace("1. e4 {best by test\n[%clk 1:00]} e5 2. Nf3", "1. f3 e5")
    settings = book(lines, "book.pgn").settings
    player, other = fake("a", "plays", FOOLS_MATE), fake("b", "plays", FOOLS_MATE)
    queens = ["d2d4", "d7d5", "g1f3", "g8f6"]
    with open_runner(openings=settings, max_plies=4) as runner:
        there = runner.play(Job(1, player, other, seed=1, pair=1))
        back = runner.play(Job(1, other, player, seed=1, pair=1))
        assert there.data["moves"] == back.data["moves"] == " ".join(FOOLS_MATE)
        assert there.data["ECO"] == "C20"
        other_opening = runner.play(Job(2, *(fake(name, "plays", queens) for name in "cd"), seed=2))
    assert other_opening.data["moves"].startswith("d2d4 d7d5")


@pytest.fixture
def polyglot_book(tmp_path):
    """Makes a Polyglot book of lines with the weights of their last moves."""

    def make(lines, **settings):
        entries = []
        for line, weight in lines.items():
            board = chess.Board()
            *before, last = map(chess.Move.from_uci, line.split())
            for move in before:
                board.push(move)
            raw = last.to_square | last.from_square << 6
            entries.append((polyglot.zobrist_hash(board), raw, weight, 0))
        path = tmp_path / "book.bin"
        path.write_bytes(b"".join(struct.pack(">QHHI", *entry) for entry in sorted(entries)))
        return PolyglotBook(Openings(str(path), **settings), max_plies=9)

    return make


LINES = {"e2e4": 3, "d2d4": 1, "e2e4 e7e5": 1, "e2e4 e7e5 g1f3": 1, "d2d4 d7d5": 1}


def test_a_polyglot_book_is_drawn_by_its_weights(polyglot_book):
    book = polyglot_book(LINES)
    book.check()
    drawn = Counter(" ".join(moves(book.opening(place))) for place in range(400))
    assert drawn.keys() == {"e2e4 e7e5 g1f3", "d2d4 d7d5"}
    assert 260 < drawn["e2e4 e7e5 g1f3"] < 340  # three in four
    again = polyglot_book(LINES)
    assert all(moves(book.opening(n)) == moves(again.opening(n)) for n in range(20))
    other = polyglot_book(LINES, seed=5)
    assert any(moves(book.opening(n)) != moves(other.opening(n)) for n in range(20))


def test_plies_end_a_polyglot_opening(polyglot_book):
    assert {len(moves(polyglot_book(LINES, plies=2).opening(n))) for n in range(9)} == {2}
    assert {len(moves(polyglot_book(LINES, plies=1).opening(n))) for n in range(9)} == {1}


def test_a_polyglot_book_that_cannot_be_used_is_refused(polyglot_book, tmp_path):
    with pytest.raises(InvalidInput, match="has no move for the start"):
        polyglot_book({"e2e4 e7e5": 1}).check()
    (tmp_path / "bad.bin").write_bytes(b"0" * 17)
    for name, words in (("bad.bin", "valid polyglot"), ("none.bin", "No such file")):
        with pytest.raises(InvalidInput, match=words):
            PolyglotBook(Openings(str(tmp_path / name)), max_plies=9)


def test_a_polyglot_book_opens_games(polyglot_book):
    book = polyglot_book(LINES, plies=2)
    with open_runner(openings=book.settings, max_plies=4) as runner:
        player = fake("a", "plays", ["g1f3", "g8f6", "b1c3", "b8c6"])
        runner.check([player])
        found = [runner.play(Job(1, player, player, seed=1, pair=7)).data["moves"] for _ in "ab"]
    assert found[0] == found[1]
    assert found[0].startswith(("e2e4 e7e5 ", "d2d4 d7d5 "))
