"""The bench's answers: a section per question, with a table, a picture and what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maxin.experiments.benchmarks.costs import Cost
from maxin.experiments.benchmarks.plots import (
    save_costs,
    save_courses,
    save_endings,
    save_flights,
    save_goals,
)
from maxin.experiments.benchmarks.questions import Arena
from maxin.experiments.benchmarks.races import TOP, Course, reading_rounds
from maxin.experiments.benchmarks.stops import DECIDED, LEVEL, RULES, TIED, Ending
from maxin.experiments.estimates import matches_needed, mean_over, needed_interval, wilson
from maxin.experiments.reproduction.claims import Estimate
from maxin.experiments.reproduction.report import Section

Courses = Mapping[tuple[Arena, str], Sequence[Course]]
Endings = Mapping[str, Mapping[Arena, Sequence[Ending]]]  # by scheduler and game
SHARE = 0.9  # of P(best found), to which matches are counted
GOALS = {  # what a curve is called, and to which value of it matches are counted
    "top": (f"the {TOP} best", SHARE),
    "ordered": ("the ranking", 0.95),
}


def curves(courses: Sequence[Course], name: str) -> NDArray[np.float64]:
    """The named curve of every course, shape (seeds, readings)."""
    return np.array([getattr(course, name) for course in courses], dtype=np.float64)


def best_section(courses: Courses, folder: Path) -> Section:
    """How many matches it takes to find the best."""
    section = Section("bench-best", "Finding the best")
    section.words = [
        "The best has the largest mean log-odds against the field. It is found when it tops the "
        "scheduler's ratings; among equals at the top, each counts in part.",
        f"Matches needed: where P(best found), made to rise, reaches {SHARE}; in brackets 95 % "
        "intervals, of matches by drawing the seeds anew, of shares by Wilson. Numbers after ± "
        "are standard errors. Random fields are drawn anew for every seed, the same for all "
        "schedulers. Ratios are to the first row of the game.",
    ]
    section.header = ["game", "scheduler", "seeds", f"matches to P = {SHARE}", "ratio",
                      "P(best found) at the end", "RR, 2nd half", "regret", "rounds"]  # fmt: skip
    firsts: dict[Arena, float] = {}
    for (arena, scheduler), some in courses.items():
        rounds, found = reading_rounds(arena.rounds), curves(some, "found")
        needed = matches_needed(found, rounds, SHARE)
        first = firsts.setdefault(arena, needed)
        section.rows.append([
            arena.name,
            scheduler,
            str(len(some)),
            _needed(found, rounds, needed),
            _ratio(needed, first, arena.rounds),
            _share(found[:, -1].sum(), len(some)),
            str(Estimate.of(mean_over(curves(some, "reciprocal_rank"), rounds, 0.5).tolist())),
            str(Estimate.of(curves(some, "regret")[:, -1].tolist())),
            f"{arena.rounds}",
        ])  # fmt: skip
    section.pictures = [("P(best found), RR and regret", save_courses(courses, folder))]
    return section


def goals_section(courses: Mapping[str, Courses], folder: Path) -> Section:
    """How many matches it takes to find the few best, and to order all; courses by goal."""
    section = Section("bench-goals", f"The {TOP} best, and the whole ranking")
    section.words = [
        f"The {TOP} best: the share of those who top the ratings that belong there. The ranking: "
        "the share of all pairs that the ratings put in the true order, which is (1 + Kendall's "
        "tau) / 2. Matches needed and ratios as above.",
    ]
    section.header = ["game", "goal", "scheduler", "seeds", "to reach", "matches", "ratio",
                      "at the end", "rounds"]  # fmt: skip
    for goal, (name, share) in GOALS.items():
        firsts: dict[Arena, float] = {}
        for (arena, scheduler), some in courses[goal].items():
            rounds, curve = reading_rounds(arena.rounds), curves(some, goal)
            needed = matches_needed(curve, rounds, share)
            section.rows.append([
                arena.name,
                name,
                scheduler,
                str(len(some)),
                f"{share}",
                _needed(curve, rounds, needed, share),
                _ratio(needed, firsts.setdefault(arena, needed), arena.rounds),
                str(Estimate.of(curve[:, -1].tolist())),
                f"{arena.rounds}",
            ])  # fmt: skip
    names = {goal: name for goal, (name, _) in GOALS.items()}
    section.pictures = [("The goals", save_goals(courses, names, folder))]
    return section


def flight_section(alone: Courses, flying: Courses, in_flight: int, folder: Path) -> Section:
    """What playing many matches at once costs."""
    section = Section("bench-flight", f"{in_flight} matches in flight")
    section.words = [
        f"The same seeds with one match at a time and with {in_flight}, of which any comes back "
        "next. The loss is the share by which the mean of P(best found), or RR, over all numbers "
        "of matches is lower; its standard error is that of the differences, seed by seed.",
    ]
    section.header = ["game", "scheduler", "seeds", f"matches to P = {SHARE}, 1",
                      f"the same, {in_flight}", "P over the run, 1", f"the same, {in_flight}",
                      "loss of P", "loss of RR"]  # fmt: skip
    for (arena, scheduler), one in alone.items():
        many, rounds = flying[arena, scheduler], reading_rounds(arena.rounds)
        founds = [curves(some, "found") for some in (one, many)]
        means = [mean_over(found, rounds) for found in founds]
        ranks = [mean_over(curves(some, "reciprocal_rank"), rounds) for some in (one, many)]
        section.rows.append([
            arena.name,
            scheduler,
            str(len(one)),
            *(_needed(found, rounds, matches_needed(found, rounds, SHARE)) for found in founds),
            *(str(Estimate.of(mean.tolist())) for mean in means),
            _loss(*means),
            _loss(*ranks),
        ])  # fmt: skip
    section.pictures = [("P(best found)", save_flights(alone, flying, in_flight, folder))]
    return section


def stop_section(endings: Endings, confidence: float, indifference: float, folder: Path) -> Section:
    """When tournaments stop, and how often that is wrong."""
    section = Section("bench-stop", f"Stopping at confidence {confidence:g}")
    section.words = [
        "Wrong stops of all stops, with the 95 % interval of their share by Wilson. Matches are "
        "medians, where a tournament that never stopped counts as the cap.",
        f"A tie is said of players within {indifference:g} Elo. It is wrong if the best is not "
        "among them, or one of them is further than that from the first.",
        f"Coverage: how many of the {LEVEL:.0%} intervals hold the true strength at the verdict, "
        "or at the cap; those of all players, and the leader's own.",
    ]
    section.header = ["game", "in flight", "scheduler", "tournaments", "undecided", "matches",
                      "wrong / decided", "95 %", "tied", "wrong with ties", "coverage",
                      "the leader's"]  # fmt: skip
    for arena, scheduler, some in _rows_of(endings):
        matches = np.array([ending.matches for ending in some])
        is_wrong = np.array([ending.is_wrong for ending in some])
        decided, said = ((matches[:, rule] >= 0.0).sum() for rule in (DECIDED, TIED))
        section.rows.append([
            arena.name,
            str(arena.in_flight),
            scheduler,
            str(len(some)),
            str(len(some) - decided),
            _median(matches[:, DECIDED], arena.rounds),
            f"{is_wrong[:, DECIDED].sum():.0f} / {decided}",
            _interval(float(is_wrong[:, DECIDED].sum()), int(decided)),
            f"{sum(ending.is_tied for ending in some):.0f}",
            f"{is_wrong[:, TIED].sum():.0f} / {said}",
            f"{np.mean([ending.covered for ending in some]):.3f}",
            f"{np.mean([ending.leader_covered for ending in some]):.2f}",
        ])  # fmt: skip
    section.pictures = [("Share of tournaments stopped", save_endings(endings, folder))]
    return section


def rules_section(endings: Endings) -> Section:
    """Other rules, in the same tournaments."""
    section = Section("bench-rules", "The same tournaments under other rules")
    section.words = [
        "Wrong / stops, median matches. With d = 1 - confidence and z the leader's lead over a "
        "rival in standard deviations: the sum over rivals of P(z) is below d, or the least "
        "z^2 / 2 above the logarithm. After t matches of n players.",
    ]
    rules = [DECIDED, *range(TIED + 1, len(RULES))]
    section.header = ["game", "in flight", "scheduler", *(RULES[rule] for rule in rules)]
    for arena, scheduler, some in _rows_of(endings):
        matches = np.array([ending.matches for ending in some])
        is_wrong = np.array([ending.is_wrong for ending in some])
        cells = [
            f"{is_wrong[:, rule].sum():.0f} / {(matches[:, rule] >= 0.0).sum()}, "
            f"{_median(matches[:, rule], arena.rounds)}"
            for rule in rules
        ]
        section.rows.append([arena.name, str(arena.in_flight), scheduler, *cells])
    return section


def _rows_of(endings: Endings) -> list[tuple[Arena, str, Sequence[Ending]]]:
    return [
        (arena, scheduler, some)
        for scheduler, by_arena in endings.items()
        for arena, some in by_arena.items()
    ]


def cost_section(costs: Sequence[Cost], folder: Path) -> Section:
    """What a round costs."""
    section = Section("bench-cost", "Cost of a round")
    section.words = [
        "A round is: ask, tell, and read who leads. Time of the processor, the median over "
        "blocks of 100 rounds after the first n, one scheduler after the other in one process.",
    ]
    sizes = sorted({cost.n_players for cost in costs})
    section.header = ["scheduler", *(f"n = {size}" for size in sizes)]
    for scheduler in dict.fromkeys(cost.scheduler for cost in costs):
        mine = {cost.n_players: cost.seconds for cost in costs if cost.scheduler == scheduler}
        section.rows.append([scheduler, *(f"{1e3 * mine[size]:.3g} ms" for size in sizes)])
    section.pictures = [("Seconds a round", save_costs(costs, folder))]
    return section


def _needed(
    found: NDArray[np.float64], rounds: NDArray[np.int64], needed: float, share: float = SHARE
) -> str:
    low, high = needed_interval(found, rounds, np.random.default_rng(0), share)
    last = float(rounds[-1])
    return f"{_count(needed, last)} [{_count(low, last)}, {_count(high, last)}]"


def _count(matches: float, last: float) -> str:
    return f"> {last:.0f}" if math.isinf(matches) else f"{matches:.0f}"


def _ratio(needed: float, first: float, last: float) -> str:
    if math.isinf(first):
        return ""
    return f"> {last / first:.1f}" if math.isinf(needed) else f"{needed / first:.2f}"


def _share(successes: float, n: int) -> str:
    return f"{successes / n:.2f} {_interval(successes, n, 2)}"


def _interval(successes: float, n: int, digits: int = 3) -> str:
    if n == 0:
        return ""
    low, high = wilson(successes, n)
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def _loss(one: NDArray[np.float64], many: NDArray[np.float64]) -> str:
    """By which share the mean of `many` is below that of `one`, with its standard error."""
    lower = Estimate.of((one - many).tolist())
    scale = 100.0 / float(one.mean()) if one.any() else 0.0
    return f"{scale * lower.mean:+.1f} ± {scale * lower.error:.1f} %"


def _median(matches: NDArray[np.float64], cap: int) -> str:
    return f"{np.median(np.where(matches < 0.0, cap, matches)):.0f}"
