"""The benchmark as data: which schedulers play which games, with which seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import get_args, get_type_hints

import numpy as np

from maxin.core import InvalidInput, check_name
from maxin.core.specs import parse
from maxin.core.units import ELO_PER_NAT
from maxin.games.registry import FILE
from maxin.schedulers import make_scheduler
from maxin.schedulers.posterior.base import RatedByPosterior
from maxin.schedulers.registry import SCHEDULERS as SCHEDULERS_BY_NAME
from maxin_studies.benchmarks.races import TOP, Race, game_of
from maxin_studies.benchmarks.stops import StopRace
from maxin_studies.reproduction.figures import ELO_GAMES, MELO_GAMES
from maxin_studies.tasks import OutcomeT, StoredTask, fingerprint

FIRST_SEED = 10_000  # of the measured seeds, on which no setting was ever chosen
BASELINES = ("random+bradley-terry", "round-robin:cycles=none")
FOR_ALL = ("swiss", "swiss-information", "information")  # what practitioners rate everyone by
SCHEDULERS = ("top-two", "double-thompson", *BASELINES, *FOR_ALL, "halving", "gauntlet")
LOSS_SCHEDULERS = ("top-two", "double-thompson", BASELINES[0], "swiss", "information", "halving")
GOALS_OF: dict[str, tuple[str, ...]] = {  # schedulers by the curve of the goal
    "top": (f"top-two:k={TOP}", "top-two", *BASELINES, "swiss", "halving"),
    "ordered": ("ranking", "top-two", *BASELINES, *FOR_ALL),
}
ROUNDS = 2000  # on games that the user names


@dataclass(frozen=True)
class Arena:
    """A game of the benchmark: its name in tables, its description, and its number of matches."""

    name: str
    game: str
    rounds: int
    in_flight: int = 1
    n_seeds: int | None = None  # None means the question's


@dataclass(frozen=True)
class Question:
    """A part of the benchmark: its games, and the number of seeds of each."""

    arenas: tuple[Arena, ...]
    n_seeds: int

    def smaller(self, n_arenas: int, n_seeds: int, rounds: int) -> Question:
        """A first look: the first games, with fewer seeds and fewer matches."""
        arenas = tuple(
            replace(arena, rounds=min(rounds, arena.rounds), n_seeds=None)
            for arena in self.arenas[:n_arenas]
        )
        return Question(arenas, min(n_seeds, self.n_seeds))


def _family(name: str, options: str = "", in_flight: int = 1) -> Arena:
    """Fields of 10 to 20 players, for measuring stops."""
    mixed = "field:n_players=10,most_players=20,spread=0.5,most_spread=1.5"
    return Arena(name, mixed + options, 5000, in_flight)


BEST = Question(
    (
        Arena("10 players", "field:n_players=10", 4000, n_seeds=200),
        Arena("30 players", "field:n_players=30", 8000),
        Arena("100 players", "field:n_players=100", 12_000, n_seeds=50),
    ),
    n_seeds=120,
)
FAMILIES = {  # games made from rules, each unlike the others, with their number of players
    "connect-four": 50,
    "connect-four:pure=1": 50,
    "parity": 32,
    "pig": 40,
    "spinning-top": 100,
    "checkpoints": 60,
    "blotto:soldiers=10,fields=3": 66,
    "blotto:soldiers=10,fields=4,n_players=100": 100,
    "blotto:soldiers=10,fields=5,n_players=100": 100,
    "field:n_players=30": 30,
    "field:n_players=30,kappa=1": 30,
    "field:n_players=30,kappa=0.7,cycles=low-rank": 30,
}
PAPER_SIZES = {"Kuhn-poker": 64, "5,3-Blotto": 21}  # the paper's other games have 100 players
MULTIPLES = (1, 3, 10)  # of n players: after so many times n matches the loss is read
LOSS = Question(
    (
        *(Arena(game, game, MULTIPLES[-1] * size) for game, size in FAMILIES.items()),
        *(
            Arena(game.name, game.rules, MULTIPLES[-1] * PAPER_SIZES.get(game.name, 100))
            for game in (*ELO_GAMES, *MELO_GAMES)
            if game.rules is not None
        ),
    ),
    n_seeds=60,
)
GOALS = Question(tuple(replace(arena, n_seeds=None) for arena in BEST.arenas[:2]), n_seeds=40)
FLIGHT = Question(
    (
        Arena("10 players", "field:n_players=10", 2000),
        Arena("30 players", "field:n_players=30", 4000),
        Arena("30 players, kappa 1", "field:n_players=30,kappa=1", 4000),
        Arena("100 players", "field:n_players=100", 6000),
    ),
    n_seeds=60,
)
NEAR = ",least_gap=0.03,most_gap=0.15"
STOP = Question(
    (
        _family("Bradley-Terry"),
        _family("kappa 1", ",kappa=1"),
        _family("Bradley-Terry", in_flight=16),
        _family("half drawn", ",draws=0.5"),
        _family("kappa 0.5", ",kappa=0.5"),
        _family("low-rank cycles", ",kappa=0.7,cycles=low-rank"),
        _family("kappa 1", ",kappa=1", in_flight=16),
    ),
    n_seeds=150,
)
SCORES = Question(  # what else than a win or a loss a match can be
    (
        _family("won or lost"),
        *(
            _family(f"{share:.0%} draws, {when}", f",{option}={share:g}")
            for when, option in (("always", "steady_draws"), ("fewer with a favourite", "draws"))
            for share in (0.25, 0.5, 0.7, 0.9)
        ),
        _family("two games", ",openings=0"),
        _family("two games, paired openings", ",openings=1"),
        _family("graded, a tenth of a coin's variance", ",graded=0.1"),
    ),
    n_seeds=60,
)
HARD = Question(  # stops where the model is wrong or the best two are close, on fewer seeds
    (
        _family("sparse cycles", ",kappa=2,cycles=sparse"),
        _family("low-rank cycles", ",kappa=0.7,cycles=low-rank", in_flight=16),
        _family("near ties", NEAR),
        _family("near ties, kappa 1", ",kappa=1" + NEAR),
    ),
    n_seeds=100,
)


def _gap(
    n_players: int, nats: float, n_seeds: int, kappa: float = 0.0, in_flight: int = 1
) -> Arena:
    """Fields whose best two are a fixed gap apart, within 2 %."""
    cycles = f", kappa {kappa:g}" if kappa else ""
    game = f"field:n_players={n_players},least_gap={0.98 * nats:g},most_gap={1.02 * nats:g}"
    if kappa:
        game += f",kappa={kappa:g}"
    name = f"{n_players} players{cycles}, {nats * ELO_PER_NAT:.0f} Elo"
    return Arena(name, game, 3000, in_flight, n_seeds)


GAPS = Question(  # the best two at a fixed distance; 11 Elo is just beyond the tolerance of 10
    (
        _gap(2, 0.065, 200),
        _gap(2, 0.065, 200, in_flight=64),
        _gap(3, 0.065, 400),
        _gap(3, 0.3, 200),
        _gap(3, 0.065, 200, kappa=0.5),
        _gap(3, 0.065, 200, in_flight=64),
        _gap(5, 0.065, 400),
        _gap(5, 0.3, 200),
        _gap(5, 0.065, 200, kappa=0.5),
        _gap(5, 0.065, 200, in_flight=64),
        *(_gap(10, nats, 100, kappa) for kappa in (0.0, 0.5) for nats in (0.065, 0.3)),
        *(_gap(30, 0.065, 100, kappa) for kappa in (0.0, 0.5)),
        *(_gap(100, nats, 50) for nats in (0.065, 0.3)),
    ),
    n_seeds=200,
)


def question_about(games: Sequence[str], n_seeds: int, flights: Sequence[int] = (1,)) -> Question:
    """A question about the games that a user names, once per number of matches in flight.

    >>> question_about(["field:n_players=5"], 10).arenas[0].rounds
    2000
    """
    arenas = [Arena(game, game, ROUNDS, flight) for game in games for flight in flights]
    return Question(tuple(arenas), n_seeds)


def with_numbers(question: Question, seeds: int | None, rounds: int | None) -> Question:
    """The same with other numbers of seeds and matches; None keeps a number."""
    arenas = tuple(
        replace(arena, rounds=rounds or arena.rounds, n_seeds=seeds or arena.n_seeds)
        for arena in question.arenas
    )
    return Question(arenas, seeds or question.n_seeds)


def check_contestants(question: Question, schedulers: Sequence[str]) -> None:
    """Raise unless every game and scheduler can be built and is named once."""
    for what, names in (("games", _games(question)), ("schedulers", schedulers)):
        if len(set(names)) < len(names):
            raise InvalidInput(f"{what} must be different; got {', '.join(names)}")
    for arena in question.arenas:
        n_players = game_of(arena.game, FIRST_SEED).n_players
        for scheduler in schedulers:
            try:
                make_scheduler(scheduler, n_players, np.random.default_rng(0))
            except InvalidInput as error:
                raise InvalidInput(f"{scheduler} on {arena.name}: {error}") from error


def _games(question: Question) -> list[str]:
    return [f"{arena.game} ({arena.in_flight} in flight)" for arena in question.arenas]


def with_posterior(schedulers: Sequence[str]) -> list[str]:
    """The schedulers that have a posterior, from which a verdict can be computed.

    >>> with_posterior(["top-two", "random+bradley-terry", "swiss"])
    ['top-two', 'swiss']
    """
    names = {text: parse(text.partition("+")[0])[0] for text in schedulers}
    return [text for text, name in names.items() if _rates_by_posterior(name)]


def _rates_by_posterior(name: str) -> bool:
    """Whether the scheduler of this name has a posterior."""
    builder = SCHEDULERS_BY_NAME[check_name(name, SCHEDULERS_BY_NAME, "scheduler")]
    made = builder if isinstance(builder, type) else get_type_hints(builder).get("return", object)
    return any(issubclass(one, RatedByPosterior) for one in get_args(made) or (made,))


def races(
    question: Question, schedulers: Sequence[str], first_seed: int, in_flight: int = 1
) -> dict[tuple[Arena, str], list[Race]]:
    """The races per game and scheduler, one per seed."""
    return {
        (arena, scheduler): [
            Race(arena.game, _mark(arena), scheduler, arena.rounds, seed, in_flight)
            for seed in range(first_seed, first_seed + (arena.n_seeds or question.n_seeds))
        ]
        for arena in question.arenas
        for scheduler in schedulers
    }


def stops(
    question: Question, scheduler: str, first_seed: int, confidence: float, tolerance: float
) -> dict[Arena, list[StopRace]]:
    """The stopped tournaments per game, one per seed."""
    return {
        arena: [
            StopRace(
                arena.game,
                _mark(arena),
                scheduler,
                arena.rounds,
                seed,
                arena.in_flight,
                confidence,
                tolerance,
            )
            for seed in range(first_seed, first_seed + (arena.n_seeds or question.n_seeds))
        ]
        for arena in question.arenas
    }


def by_seed(groups: Iterable[Sequence[StoredTask[OutcomeT]]]) -> list[StoredTask[OutcomeT]]:
    """One task of each group in turn, so that progress is steady and the time left can be read."""
    return [task for seed in zip_longest(*groups) for task in seed if task is not None]


def _mark(arena: Arena) -> str:
    """The fingerprint of a file, since two files may have the same name; else empty."""
    is_file = FILE.fullmatch(arena.game.strip()) is not None
    return fingerprint(game_of(arena.game, FIRST_SEED)) if is_file else ""
