"""The settings of the command line, each declared once.

The flags, the keys of the config file, the template that `maxin init` writes and the help pages
all follow from these declarations, and from those of the library: `Settings` and `Stop`. A setting
that is not given is None, and then the default of the library applies: it is read from there, never
repeated here.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from maxin.cli.config.flags import (
    GROUPS,
    ONLY_TRUE,
    WORDS,
    Given,
    TableRule,
    default_of,
    flags,
    one_table_of,
    parameter,
    repeated,
    setting,
    switch,
    tables_of,
    values,
)
from maxin.core import AskTerms, PlanTerms, Stop
from maxin.core.declaration import NONE, TEXT, Rule, Setting, declared, number, one_of, whole
from maxin.runners.programs import environment
from maxin.runners.uci.adjudication import DrawRule, ResignRule, check_rule
from maxin.runners.uci.opening_settings import Openings, check_openings
from maxin.runners.uci.runner import ON_CRASH
from maxin.tournament.settings import Settings

DEFAULT_STORE = "sqlite:///maxin.db"
CONFIG_FILE = Path("maxin.toml")
SECONDS = number("a positive number of seconds", lambda value: value > 0.0)
BACKOFF = number("a number of seconds, 0 or more", lambda value: value >= 0.0)
VARIABLE = Rule(environment.RULE, environment.is_variable)
OPENINGS = TableRule(Openings, check_openings)
DRAW = TableRule(DrawRule, check_rule)
RESIGN = TableRule(ResignRule, check_rule)


STORE = Setting(
    TEXT,
    "Where the tournament is stored: sqlite:///league.db, a file, or postgresql://host/name, for "
    "several machines. The environment variable MAXIN_STORE names the store for all commands.",
    "URL",
    shown=f"$MAXIN_STORE or {DEFAULT_STORE}",
    example=DEFAULT_STORE,
)
WORKERS = Setting(
    whole(1),
    "Matches played at the same time; cores for one per processor.",
    "N",
    words=("cores",),
    default=default_of("maxin.tournament:Tournament.run.workers"),
    is_starter=True,
)


@flags(Settings)
class TournamentSettings(Given):
    """The rules of a tournament, which stay the same while it lasts, and its store."""

    store: Any = STORE


@flags(Stop)
class StopSettings(Given):
    """When a tournament ends."""


@flags(Stop, terms=PlanTerms)
class PlanSettings(Given):
    """When a simulated tournament ends."""


@flags(Stop, terms=AskTerms)
class AskSettings(Given):
    """When `maxin ask` hands out no more matches: by default, never."""

    confidence: Any = replace(declared(Stop)["confidence"], default=None)


def stop_of(settings: Given) -> Stop:
    """The stop that settings describe, among others.

    >>> stop_of(StopSettings(budget=20, confidence="none"))
    Stop(budget=20, confidence=None, tolerance=10.0, sprt=None, budget_cost=None, budget_time=None)
    """
    every = values(settings)
    return Stop(**{name: every[name] for name in declared(Stop) if name in every})


@flags()
class WorkSettings(Given):
    """What a worker of a service may use, whatever the others do."""

    budget: Any = replace(declared(Stop)["budget"], help="Most matches that this worker plays.")
    budget_cost: Any = replace(
        declared(Stop)["budget_cost"],
        help="Most cost of the matches that this worker plays, as they report it.",
    )
    budget_time: Any = replace(
        declared(Stop)["budget_time"],
        help="After how much time this worker takes no more matches, 2h, 30m or 45s.",
    )


@flags()
class RunSettings(StopSettings):
    """When a run ends, and how it is played."""

    workers: Any = WORKERS
    retries: Any = Setting(
        whole(0),
        "How often a match that gave no score is repeated before it is void. A failed match never "
        "counts as a loss.",
        "N",
        default=default_of("maxin.tournament:Tournament.run.retries"),
        group="Expert",
    )
    backoff: Any = Setting(
        BACKOFF,
        "Seconds that the first retry waits at most; each further one up to twice as long. The "
        "limit is a minute, and the wait is random below its limit.",
        "SECONDS",
        default=default_of("maxin.tournament:Tournament.run.backoff"),
        group="Expert",
    )


@flags()
class MatchSettings(Given):
    """How a match is played: one of `WAYS`, and what belongs to it."""

    command: Any = Setting(
        TEXT,
        "Play a match with a program, 'play.py {a} {b} --seed {seed}'; the last line it prints is "
        'the score of {a}: 1, 0.5, 0, or JSON such as {"score": 0.5}. The program runs without a '
        "shell. {a} and {b} are the names of the players, {a.KEY} is an option of a player, and "
        "{seed} and {match} are numbers.",
        "COMMAND",
        example="python play.py {a} {b} --seed {seed}",
        is_starter=True,
    )
    call: Any = Setting(
        TEXT,
        "Play a match with a Python function play(first, second, seed), which returns the score of "
        "the first player. It is called in worker processes.",
        "MODULE:NAME",
        example="module:function",
    )
    uci: Any = Setting(
        ONLY_TRUE,
        "Play chess between UCI engines; name a player engine:nodes=100, or use --engine. The "
        "options of a player are its command, the table options, and one limit: nodes, depth, "
        'movetime ("50ms", "1s", or a number of milliseconds) or tc (seconds, "10+0.1").',
        example=True,
    )
    open_spiel: Any = Setting(
        TEXT,
        "Play a game of OpenSpiel; name a player mcts:simulations=100. The option of a player is "
        "its bot: random, mcts, ...",
        "GAME",
        example="tic_tac_toe",
    )
    payoff: Any = Setting(
        TEXT,
        "Simulate matches from a payoff file (.csv or .npy) or a built-in game (see `maxin "
        "games`).",
        "FILE|GAME",
        example="elo:n_players=20",
    )
    runner: Any = Setting(
        TEXT,
        "Play with a runner that a plug-in adds, name:option=1 (see `maxin plugins`).",
        "NAME",
        example="name:option=1",
    )
    timeout: Any = Setting(
        SECONDS,
        "Seconds after which a match is killed and has failed. The default for chess is 60.",
        "SECONDS",
        words=(NONE,),
        shown="none, for chess 60",
        example=NONE,
    )
    env: Any = Setting(
        VARIABLE,
        "An environment variable that the command or the engines get, besides PATH, HOME and the "
        "like; repeat it for each. They get PATH, HOME, USER, LOGNAME, SHELL, LANG, LANGUAGE, "
        "LC_*, TZ, TMPDIR, LD_LIBRARY_PATH, DYLD_LIBRARY_PATH and CUDA_VISIBLE_DEVICES, and no "
        "other, so no password of yours. The store does not keep this list.",
        "NAME",
        default=default_of("maxin.runners:Command.env"),
        shown=NONE,
        is_list=True,
        group="Expert",
    )
    ray: Any = Setting(
        TEXT,
        "Use a Ray cluster: auto (the one of this machine), local (start one here), host:6379 "
        "(this machine is a node of it) or ray://host:10001 (it is not).",
        "ADDRESS",
        words=(NONE,),
        default=None,
        group="Cluster",
    )
    opening_plies: Any = Setting(
        whole(0),
        "Random moves, of both sides together, at the start of a chess game without an opening "
        "book.",
        "N",
        default=default_of("maxin.runners:Uci.opening_plies"),
        group="Chess",
    )
    max_plies: Any = Setting(
        whole(1),
        "Moves, of both sides together, after which a chess game is a draw.",
        "N",
        default=default_of("maxin.runners:Uci.max_plies"),
        group="Chess",
    )
    openings: Any = Setting(
        OPENINGS,
        "An opening book in place of random moves, in EPD, PGN or Polyglot (.bin): file=book.epd "
        "order=random|sequential plies=16 start=1 seed=7. In a config file, "
        '{file = "book.pgn", order = "random", plies = 16, start = 1, seed = 7}: plies are the '
        "moves of a PGN game or a Polyglot book to use, and start is the first opening to use. "
        "Both games of a pair have the same opening.",
        "KEY=VALUE",
        words=(NONE,),
        default=None,
        group="Chess",
    )
    draw: Any = Setting(
        DRAW,
        "Adjudicate games as draws: movenumber=40 movecount=8 score=10. In a config file, "
        "{movenumber = 40, movecount = 8, score = 10}: from move 40 on, once both engines gave "
        "evaluations of at most 10 centipawns for 8 moves in a row.",
        "KEY=VALUE",
        words=(NONE,),
        default=None,
        group="Chess",
    )
    resign: Any = Setting(
        RESIGN,
        "Adjudicate games as losses: movecount=3 score=600 twosided=true. In a config file, "
        "{movecount = 3, score = 600, twosided = true}: once a player gave evaluations of -600 "
        "centipawns or less for 3 moves in a row, and, because of twosided, its opponent agreed.",
        "KEY=VALUE",
        words=(NONE,),
        default=None,
        group="Chess",
    )
    on_crash: Any = Setting(
        one_of(*ON_CRASH),
        "What a crash, a hang or an illegal move of an engine means: retry or loss. With loss, a "
        "move that takes more than 0.1 seconds longer than movetime loses too. A player that "
        "oversteps its clock always loses.",
        "MEANING",
        default=default_of("maxin.runners:Uci.on_crash"),
        group="Chess",
    )


WAYS = ("command", "call", "uci", "open_spiel", "payoff", "runner")
ONE_WAY = f"{', '.join(WAYS[:-1])} and {WAYS[-1]}"


@dataclass(frozen=True, kw_only=True)
class PlayerFlags:
    """The players of a tournament, in place of those in the config file."""

    player: Annotated[
        tuple[str, ...], repeated("The name of a player; repeat it for each player.", "NAME")
    ] = ()
    players: Annotated[
        str | None,
        Parameter(help="Files as players: a glob in quotes, 'bots/*.py'.", metavar="GLOB"),
    ] = None
    join: Annotated[
        bool,
        switch("Let players join who are new to a stored tournament, such as new files.", "Expert"),
    ] = False
    engine: Annotated[
        tuple[dict[str, Any], ...],
        Parameter(
            converter=tables_of,
            help="A UCI engine as a player, cmd=stockfish name=weak 'option.Skill Level=5' "
            "tc=10+0.1; repeat it for each.",
            metavar="KEY=VALUE",
            show_default=False,
            group=GROUPS["Chess"],
        ),
        WORDS,
    ] = ()
    each: Annotated[
        dict[str, Any] | None,
        Parameter(
            converter=one_table_of,
            help="Options of every engine: tc=10+0.1 option.Hash=16. Those of --engine override "
            "them.",
            metavar="KEY=VALUE",
            show_default=False,
            group=GROUPS["Chess"],
        ),
        WORDS,
    ] = None


# Arguments and options that several commands share


def _rule(name: str) -> Parameter:
    """The flag of a rule of a tournament, on the page of a command with few flags."""
    return parameter(replace(declared(Settings)[name], group=""))


Store = Annotated[str | None, parameter(STORE)]
Goal = Annotated[str | None, _rule("goal")]
Scheduler = Annotated[str | None, _rule("scheduler")]
Seed = Annotated[int | None, _rule("seed")]
AnchorOption = Annotated[Any, _rule("anchor")]  # a dictionary in one word
Workers = Annotated[int | str | None, parameter(WORKERS)]
RayAddress = Annotated[str | None, parameter(replace(MatchSettings.settings["ray"], group=""))]
ConfigArgument = Annotated[
    Path | None, Parameter(help="A config file; `maxin init` writes one.", metavar="CONFIG")
]
Reason = Annotated[str, Parameter(help="Why; it is recorded.", metavar="TEXT")]
ControlsOption = Annotated[
    tuple[str, ...],
    repeated(
        "A covariate of matches whose effect is taken out of the ratings, such as length; repeat "
        "it for each. Results have it as a field, the first player's value minus the second's, or "
        "as a pair of fields, length_a and length_b.",
        "FIELD",
        "control",
    ),
]
IgnoreJudges = Annotated[bool, switch("Let all votes count alike, whoever judged.")]
ByOption = Annotated[
    str | None,
    setting(
        TEXT,
        "A leaderboard for each value of this field of the results: a column of a file, or a key "
        "of a result's data, such as category. Ratings in a slice are shrunk towards the overall "
        "ones.",
        "FIELD",
    ),
]
Format = Literal["text", "json", "csv", "markdown"]
FormatOption = Annotated[
    Format,
    setting(
        one_of("text", "json", "csv", "markdown"),
        "text for people; json, csv or markdown for programs and documents.",
        "FORMAT",
        shown="text",
    ),
]
InputFormat = Annotated[
    Literal["csv", "tsv", "jsonl", "json", "parquet", "pgn"] | None,
    setting(
        one_of("csv", "tsv", "jsonl", "json", "parquet", "pgn"),
        "The format of the file, if its name does not say it: csv, tsv, json, jsonl, parquet or "
        "pgn.",
        "FORMAT",
    ),
]
ColumnOption = Annotated[
    tuple[str, ...],
    repeated(
        "A column that has a name of its own, winner=preference; repeat it for each. The roles are "
        "first, second, score, winner, loser, draw, id, judge and time; id=none says that no "
        "column identifies results.",
        "ROLE=COLUMN",
    ),
]
DelimiterOption = Annotated[
    str | None,
    setting(
        TEXT,
        "What separates the cells of CSV, or tab; by default whichever of comma, semicolon, tab "
        "and | fits the first row.",
        "CHARACTER",
    ),
]
SkipInvalidOption = Annotated[
    bool,
    switch(
        "Leave out rows that cannot be read, have no result, repeat an id, or have a player meet "
        "itself, and count them. By default they are an error, which lists the first ten."
    ),
]
AnswerOption = Annotated[
    Literal["text", "json"],
    setting(one_of("text", "json"), "text for people; json for programs.", "FORMAT", shown="text"),
]
