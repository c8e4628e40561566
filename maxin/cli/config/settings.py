"""Every setting, declared once.

The flags, the keys of the config file, the template that `maxin init` writes and the help pages
all follow from these declarations. A setting that is not given is None, and then the default of
the library applies: it is read from there, never repeated here.
"""

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

from maxin.cli.config.chess_settings import (
    DrawSetting,
    MaxPlies,
    OnCrash,
    OpeningBook,
    OpeningPlies,
    ResignSetting,
)
from maxin.cli.config.declaration import setting, values
from maxin.cli.config.rules import (
    ANCHOR,
    BACKOFF,
    CONFIDENCE,
    ELO_POINTS,
    GAME_COUNT,
    GOAL,
    HALF_LIFE,
    NONE,
    ONLY_TRUE,
    SECONDS,
    SWITCH,
    TEXT,
    VARIABLE,
    whole,
)
from maxin.core import Stop

RULES, RUN, STOP, PROGRAM = (
    "maxin.tournament:Settings",
    "maxin.tournament:Tournament.run",
    "maxin.core:Stop",
    "maxin.runners:Command",
)
DEFAULT_STORE = "sqlite:///maxin.db"
CONFIG_FILE = Path("maxin.toml")
SCHEDULER_NAMES = (
    "top-two, double-thompson, ranking, maxin, maxinp, rg-ucb, dbgd, alpha-ig, random, "
    "round-robin, knockout, swiss, swiss-information, information, halving or gauntlet"
)


Store = Annotated[
    str | None,
    setting(
        TEXT,
        "Where the tournament is stored: sqlite:///league.db or postgresql://host/name.",
        "URL",
        comment="Where the tournament is stored: a file, sqlite:///league.db, or a database for "
        "several machines, postgresql://host/name. The environment variable MAXIN_STORE names "
        "the store for all commands.",
        shown=f"$MAXIN_STORE or {DEFAULT_STORE}",
        example=DEFAULT_STORE,
    ),
]
Goal = Annotated[
    str | None,
    setting(
        GOAL,
        "What to find out: best, top-3 (any number), ranking, ratings (of everyone, accurate), or "
        "regret (the best player, while weak players play little).",
        "GOAL",
        comment='What to find out: "best", the best player; "top-3", the best three (any number); '
        '"ranking", the order of all players; "ratings", accurate ratings of everyone; or '
        '"regret", the best player while weak players play little.',
        shown="best",
        example="best",
        is_starter=True,
    ),
]
Scheduler = Annotated[
    str | None,
    setting(
        TEXT,
        f"How the next match is chosen: {SCHEDULER_NAMES}.",
        "NAME",
        shown="what the goal needs",
        example="top-two",
    ),
]
Seed = Annotated[
    int | None,
    setting(
        whole(0),
        "Seed of everything random.",
        "N",
        comment="Everything random follows from the seed. Each match gets a seed of its own.",
        default=f"{RULES}.seed",
    ),
]
Confidence = Annotated[
    float | Literal["none"] | None,
    setting(
        CONFIDENCE,
        "Stop at this confidence.",
        "NUMBER|none",
        comment='Stop when the goal is reached with this confidence; "none" to play until the '
        "budget is spent.",
        default=f"{STOP}.confidence",
        is_starter=True,
    ),
]
Tolerance = Annotated[
    float | None,
    setting(
        ELO_POINTS,
        "Name players that miss the best by at most this many Elo points.",
        "ELO",
        comment="By how many Elo points the players named may miss the best; with 0, near ties "
        "can go on without end.",
        default=f"{STOP}.tolerance",
    ),
]
Budget = Annotated[
    int | Literal["none"] | None,
    setting(
        whole(1, math.inf, "none"),
        "Most matches in total, including those of earlier runs.",
        "N|none",
        comment="Most matches of the whole tournament, including those of earlier runs; "
        '"none" for no limit.',
        default=f"{STOP}.budget",
    ),
]
Workers = Annotated[
    int | Literal["cores"] | None,
    setting(
        whole(1, math.inf, "cores"),
        "Matches played at the same time.",
        "N|cores",
        comment='Matches played at the same time; "cores" for one per processor.',
        default=f"{RUN}.workers",
        is_starter=True,
    ),
]

AnchorOption = Annotated[
    dict[str, float] | Literal["none"] | None,
    setting(
        ANCHOR,
        "A player whose rating is known, as in stockfish=3500: all others are measured against it.",
        "NAME=ELO",
        comment="A player whose rating is known, {stockfish = 3500}: all ratings and intervals "
        "are then relative to this player. Unlike the other rules, it may change later.",
        default=f"{RULES}.anchor",
    ),
]


RayAddress = Annotated[
    str | None,
    setting(
        TEXT._replace(words=(NONE,)),
        "Use a Ray cluster: auto (the one of this machine), local (start one here) or host:6379.",
        "ADDRESS|none",
        comment='The Ray cluster on which matches are played: "auto" for the one of this machine, '
        '"local" to start one here, or "host:6379"; "none" to play here.',
        shown=NONE,
        example=NONE,
    ),
]


@dataclass(frozen=True, kw_only=True)
class TournamentSettings:
    """The rules of a tournament, which stay the same while it lasts, and its store."""

    store: Store = None
    goal: Goal = None
    scheduler: Scheduler = None
    seed: Seed = None
    games_per_match: Annotated[
        int | None,
        setting(
            GAME_COUNT,
            "Games per match, 1 or an even number: 2 plays each match twice, with the seats "
            "swapped.",
            "N",
            comment="Games per match: 1, or an even number. 2 plays each match twice, with the "
            "same seed and the seats swapped; 4 plays two such pairs, each with its own seed.",
            default=f"{RULES}.games_per_match",
        ),
    ] = None
    first_advantage: Annotated[
        bool | None,
        setting(
            SWITCH,
            "Estimate the advantage of sitting first.",
            comment="Whether to estimate and report the advantage of sitting first.",
            default=f"{RULES}.first_advantage",
        ),
    ] = None
    lag: Annotated[
        int | None,
        setting(
            whole(0),
            "Choose each match without the results of the last N - 1: then up to N workers play "
            "the same matches as one.",
            "N",
            comment="With a lag of N, a match is chosen without the results of the N - 1 matches "
            "before it. Then up to N workers play exactly the same matches as one.",
            default=f"{RULES}.lag",
        ),
    ] = None
    min_matches: Annotated[
        int | None,
        setting(
            whole(0),
            "Matches that each player gets before the scheduler chooses freely.",
            "N",
            default=f"{RULES}.min_matches",
        ),
    ] = None
    anchor: AnchorOption = None
    features: Annotated[
        str | None,
        setting(
            TEXT,
            "What predicts ratings: options of the players, step,size, or a CSV file with a line "
            "per player.",
            "NAMES|FILE",
            comment='What predicts ratings: options of the players, "step,size", or a CSV file '
            'with a header and a line per player, "table.csv": its name, then its features.',
            shown="none",
            example="step,size",
        ),
    ] = None
    half_life: Annotated[
        float | str | None,
        setting(
            HALF_LIFE,
            "After how many matches, 1000, or how much time, 7d, a result counts half: for "
            "players whose skill drifts.",
            "N|TIME",
            comment="For players whose skill drifts: after how many matches, 1000, or how much "
            'time, "7d", "12h" or "30m", a result counts half.',
            shown="none",
            example=1000,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class StopSettings:
    """When a tournament ends."""

    confidence: Confidence = None
    tolerance: Tolerance = None
    budget: Budget = None


def stop_of(settings: StopSettings) -> Stop:
    """The stop that settings describe, among others.

    >>> stop_of(StopSettings(budget=20, confidence="none"))
    Stop(budget=20, confidence=None, tolerance=10.0)
    """
    every = values(settings)
    return Stop(**{field.name: every[field.name] for field in fields(Stop)})


@dataclass(frozen=True, kw_only=True)
class RunSettings(StopSettings):
    """When a run ends, and how it is played."""

    workers: Workers = None
    retries: Annotated[
        int | None,
        setting(
            whole(0),
            "How often a failed match is repeated.",
            "N",
            comment="How often a match that gave no score is repeated before it is void. A failed "
            "match never counts as a loss.",
            default=f"{RUN}.retries",
        ),
    ] = None
    backoff: Annotated[
        float | None,
        setting(
            BACKOFF,
            "Seconds that the first retry waits at most; each further one twice as long.",
            "SECONDS",
            comment="Seconds that the first retry waits at most. The limit doubles with every "
            "further one, up to a minute, and the wait is random below its limit.",
            default=f"{RUN}.backoff",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class MatchSettings:
    """How a match is played: one of the five ways, and what belongs to it."""

    command: Annotated[
        str | None,
        setting(
            TEXT,
            "Play a match with a program, 'play.py {a} {b} --seed {seed}'; the last line it "
            "prints is the score of {a}.",
            "COMMAND",
            comment="A program, run without a shell. The last line it prints is the score of {a}: "
            '1, 0.5, 0, or JSON such as {"score": 0.5}. {a} and {b} are the names of the players, '
            "{a.KEY} is an option of a player, and {seed} and {match} are numbers.",
            example="python play.py {a} {b} --seed {seed}",
            is_starter=True,
        ),
    ] = None
    call: Annotated[
        str | None,
        setting(
            TEXT,
            "Play a match with a Python function play(first, second, seed).",
            "MODULE:NAME",
            comment="A Python function play(first, second, seed), called in worker processes. It "
            "returns the score of the first player.",
            example="module:function",
        ),
    ] = None
    uci: Annotated[
        bool | None,
        setting(
            ONLY_TRUE,
            "Play chess between UCI engines; name a player engine:nodes=100, or use --engine.",
            comment="Chess between UCI engines. The options of a player are its command, the "
            'table options, and one limit: nodes, depth, movetime ("50ms", "1s", or a number of '
            'milliseconds) or tc (seconds, "10+0.1").',
            example=True,
        ),
    ] = None
    open_spiel: Annotated[
        str | None,
        setting(
            TEXT,
            "Play a game of OpenSpiel; name a player mcts:simulations=100.",
            "GAME",
            comment="A game of OpenSpiel. The option of a player is its bot: random, mcts, ...",
            example="tic_tac_toe",
        ),
    ] = None
    payoff: Annotated[
        str | None,
        setting(
            TEXT,
            "Simulate matches from a payoff file or a built-in game (see `maxin games`).",
            "FILE|GAME",
            comment="Simulated matches, from a payoff file (.csv or .npy) or a built-in game (see "
            "`maxin games`).",
            example="elo:n_players=20",
        ),
    ] = None
    timeout: Annotated[
        float | Literal["none"] | None,
        setting(
            SECONDS,
            "Seconds after which a match has failed.",
            "SECONDS|none",
            comment='Seconds after which a match is killed and has failed; "none" to wait. The '
            "default for chess engines is 60.",
            shown="none, for chess 60",
            example="none",
        ),
    ] = None
    env: Annotated[
        tuple[str, ...] | None,
        setting(
            VARIABLE,
            "An environment variable that the command or the engines get, besides PATH, HOME and "
            "the like; repeat it for each.",
            "NAME",
            comment="Environment variables that the command or the engines get, besides PATH, "
            "HOME, USER, LOGNAME, SHELL, LANG, LANGUAGE, LC_*, TZ, TMPDIR, LD_LIBRARY_PATH, "
            "DYLD_LIBRARY_PATH and CUDA_VISIBLE_DEVICES. They get no other, so no password of "
            "yours. The store does not keep this list.",
            default=f"{PROGRAM}.env",
            shown="none",
            is_list=True,
        ),
    ] = None
    ray: RayAddress = None
    opening_plies: OpeningPlies = None
    max_plies: MaxPlies = None
    openings: OpeningBook = None
    draw: DrawSetting = None
    resign: ResignSetting = None
    on_crash: OnCrash = None


WAYS = ("command", "call", "uci", "open_spiel", "payoff")
