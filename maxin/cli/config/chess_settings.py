"""The settings of chess: openings, adjudication, and what a crash means."""

from typing import Annotated, Literal

from maxin.cli.config.declaration import setting
from maxin.cli.config.rules import TableRule, one_of, whole
from maxin.runners.uci.adjudication import DrawRule, ResignRule, check_rule
from maxin.runners.uci.opening_settings import Openings, check_openings
from maxin.runners.uci.runner import ON_CRASH

UCI = "maxin.runners:Uci"
OPENINGS = TableRule(Openings, check_openings)
DRAW = TableRule(DrawRule, check_rule)
RESIGN = TableRule(ResignRule, check_rule)

OpeningPlies = Annotated[
    int | None,
    setting(
        whole(0),
        "Random moves at the start of a chess game without an opening book.",
        "N",
        comment="Random moves, of both sides together, at the start of a chess game without "
        "an opening book.",
        default=f"{UCI}.opening_plies",
    ),
]
MaxPlies = Annotated[
    int | None,
    setting(
        whole(1),
        "Moves after which a chess game is a draw.",
        "N",
        comment="Moves, of both sides together, after which a chess game is a draw.",
        default=f"{UCI}.max_plies",
    ),
]
OpeningBook = Annotated[
    Openings | Literal["none"] | None,
    setting(
        OPENINGS,
        "An opening book for chess, in EPD or PGN: file=book.epd order=random|sequential "
        "plies=16 start=1 seed=7.",
        "KEY=VALUE",
        comment="An opening book for chess, in place of random moves: "
        '{file = "book.pgn", order = "random", plies = 16, start = 1, seed = 7}. The file is '
        'EPD or PGN, the order is "random" or "sequential", plies are the moves of a PGN game '
        "to use, and start is the first opening to use. Both games of a pair have the same "
        "opening.",
        shown="none",
        example="none",
    ),
]
DrawSetting = Annotated[
    DrawRule | Literal["none"] | None,
    setting(
        DRAW,
        "Adjudicate chess games as draws: movenumber=40 movecount=8 score=10.",
        "KEY=VALUE",
        comment="When a chess game is adjudicated as a draw. {movenumber = 40, movecount = 8, "
        "score = 10}: from move 40 on, once both engines gave evaluations of at most 10 "
        "centipawns for 8 moves in a row.",
        shown="none",
        example="none",
    ),
]
ResignSetting = Annotated[
    ResignRule | Literal["none"] | None,
    setting(
        RESIGN,
        "Adjudicate chess games as losses: movecount=3 score=600 twosided=true.",
        "KEY=VALUE",
        comment="When a chess game is adjudicated as a loss. {movecount = 3, score = 600, "
        "twosided = true}: once a player gave evaluations of -600 centipawns or less for 3 "
        "moves in a row, and, because of twosided, its opponent agreed.",
        shown="none",
        example="none",
    ),
]
OnCrash = Annotated[
    str | None,
    setting(
        one_of(*ON_CRASH),
        "What a crash, a hang or an illegal move of a chess engine means: retry or loss.",
        "MEANING",
        comment="What it means if a chess engine crashes, hangs or makes an illegal move: "
        '"retry", or "loss". With "loss", a move that takes more than 0.1 seconds longer than '
        "movetime loses too. A player that oversteps its clock always loses.",
        default=f"{UCI}.on_crash",
    ),
]
