"""The sections of the benchmark: a table, a picture and notes per question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maxin_studies.benchmarks.bench_plots import (
    BARS,
    Races,
    Stops,
    save_costs,
    save_flights,
    save_goals,
    save_races,
    save_stops,
)
from maxin_studies.benchmarks.costs import Cost
from maxin_studies.benchmarks.pairs import pairs_sections
from maxin_studies.benchmarks.questions import Arena
from maxin_studies.benchmarks.races import TOP, RaceCurves, race_rounds
from maxin_studies.benchmarks.stops import DECIDED, EXACT, FORMER, LEVEL, RULES, StopTimes
from maxin_studies.document import Section
from maxin_studies.estimates import (
    Estimate,
    matches_needed,
    mean_over,
    needed_interval,
    wilson,
)

SHARE = 0.9  # the P(best found) up to which matches are counted
GOALS = {  # by curve: the name of the goal, and the value up to which matches are counted
    "top": (f"the {TOP} best", SHARE),
    "ordered": ("the ranking", 0.95),
}


def curves(races: Sequence[RaceCurves], name: str) -> NDArray[np.float64]:
    """The named curve of every race, shape (seeds, readings)."""
    return np.array([getattr(race, name) for race in races], dtype=np.float64)


def best_section(races: Races, folder: Path) -> Section:
    """How many matches it takes to find the best player."""
    section = Section("bench-best", "Finding the best")
    section.notes = [
        "The best player has the largest mean log-odds against the field. It is found when it "
        "tops the scheduler's ratings; if several players share the top, it counts in part.",
        f"Matches needed: where P(best found), made non-decreasing, reaches {SHARE}. Brackets "
        "are 95 % intervals: for matches by bootstrap over seeds, for shares by Wilson. Numbers "
        "after ± are standard errors. Every seed draws a new random field, the same for all "
        "schedulers. Ratios are relative to the first row of the game.",
        "RR, the reciprocal rank, is 1 / the rank of the best player in the ratings. Players with "
        "equal ratings share their mean rank.",
    ]
    section.header = ["game", "scheduler", "seeds", f"matches to P = {SHARE}", "ratio",
                      "P(best found) at the end", "RR, 2nd half", "regret", "rounds"]  # fmt: skip
    firsts: dict[Arena, float] = {}
    for (arena, scheduler), some in races.items():
        rounds, found = race_rounds(arena.rounds), curves(some, "found")
        needed = matches_needed(found, rounds, SHARE)
        first = firsts.setdefault(arena, needed)
        section.rows.append([
            arena.name,
            scheduler,
            str(len(some)),
            _needed(found, rounds, needed),
            _ratio(needed, first, arena.rounds),
            _share(found[:, -1].sum(), len(some)),
            str(Estimate.of(mean_over(curves(some, "reciprocal_rank"), rounds, 0.5))),
            str(Estimate.of(curves(some, "regret")[:, -1])),
            f"{arena.rounds}",
        ])  # fmt: skip
    section.pictures = [
        (f"P(best found), reciprocal rank (RR) and regret; {BARS}", save_races(races, folder))
    ]
    return section


def best_pairs(races: Races) -> list[Section]:
    """Finding the best: every scheduler against every other."""
    return pairs_sections(
        "bench-best",
        "Finding the best",
        "the mean of P(best found) over all matches",
        races,
        partial(_mean_curve, name="found"),
    )


def goals_section(races: Mapping[str, Races], folder: Path) -> Section:
    """How many matches it takes to find the top three and the whole ranking; races by goal."""
    section = Section("bench-goals", f"The {TOP} best and the whole ranking")
    section.notes = [
        f"The {TOP} best: the share of the {TOP} top-rated players who are truly among the "
        f"{TOP} best. The ranking: the share of all pairs that the ratings put in the true order, "
        "which is (1 + Kendall's tau) / 2. Matches needed and ratios are as above.",
    ]
    section.header = ["game", "goal", "scheduler", "seeds", "to reach", "matches", "ratio",
                      "at the end", "rounds"]  # fmt: skip
    for goal, (name, share) in GOALS.items():
        firsts: dict[Arena, float] = {}
        for (arena, scheduler), some in races[goal].items():
            rounds, curve = race_rounds(arena.rounds), curves(some, goal)
            needed = matches_needed(curve, rounds, share)
            section.rows.append([
                arena.name,
                name,
                scheduler,
                str(len(some)),
                f"{share}",
                _needed(curve, rounds, needed, share),
                _ratio(needed, firsts.setdefault(arena, needed), arena.rounds),
                str(Estimate.of(curve[:, -1])),
                f"{arena.rounds}",
            ])  # fmt: skip
    names = {goal: name for goal, (name, _) in GOALS.items()}
    section.pictures = [(f"The goals; {BARS}", save_goals(races, names, folder))]
    return section


def goal_pairs(races: Mapping[str, Races]) -> list[Section]:
    """Each goal: every scheduler against every other; races by goal."""
    measures = {
        "top": f"the share of the {TOP} best who are found, as a mean over all matches",
        "ordered": "the share of pairs in the true order, as a mean over all matches",
    }
    return [
        section
        for goal, measure in measures.items()
        for section in pairs_sections(
            f"bench-goals-{goal}",
            GOALS[goal][0].capitalize(),
            measure,
            races[goal],
            partial(_mean_curve, name=goal),
        )
    ]


def _mean_curve(arena: Arena, races: Sequence[RaceCurves], name: str) -> NDArray[np.float64]:
    """The mean of the named curve over all matches, one value per seed."""
    return mean_over(curves(races, name), race_rounds(arena.rounds))


def flight_section(alone: Races, flying: Races, in_flight: int, folder: Path) -> Section:
    """What it costs to play many matches at once."""
    section = Section("bench-flight", f"{in_flight} matches in flight")
    section.notes = [
        f"The same seeds with 1 match in flight and with {in_flight}, any of which may end next. "
        "The loss is the share by which the mean of P(best found), or of RR, over all matches is "
        "lower; its standard error is that of the differences per seed.",
    ]
    section.header = ["game", "scheduler", "seeds", f"matches to P = {SHARE}, 1",
                      f"the same, {in_flight}", "mean P, 1", f"the same, {in_flight}",
                      "loss of P", "loss of RR"]  # fmt: skip
    for (arena, scheduler), one in alone.items():
        many, rounds = flying[arena, scheduler], race_rounds(arena.rounds)
        founds = [curves(some, "found") for some in (one, many)]
        means = [mean_over(found, rounds) for found in founds]
        ranks = [mean_over(curves(some, "reciprocal_rank"), rounds) for some in (one, many)]
        section.rows.append([
            arena.name,
            scheduler,
            str(len(one)),
            *(_needed(found, rounds, matches_needed(found, rounds, SHARE)) for found in founds),
            *(str(Estimate.of(mean)) for mean in means),
            _loss(*means),
            _loss(*ranks),
        ])  # fmt: skip
    section.pictures = [(f"P(best found); {BARS}", save_flights(alone, flying, in_flight, folder))]
    return section


def stop_section(stops: Stops, confidence: float, tolerance: float, folder: Path) -> Section:
    """When tournaments stop, and how often they are wrong."""
    section = Section("bench-stop", f"Stopping at confidence {confidence:g}")
    section.notes = [
        "Wrong stops out of all stops, with the 95 % Wilson interval of their share. Matches are "
        "medians; a tournament that never stopped counts with its largest number of matches.",
        f"A decision is wrong if the player named misses the best by more than {tolerance:g} Elo; "
        "with tolerance 0, if it is not the best.",
        f"Coverage: the share of the {LEVEL:.0%} intervals that contain the true strength, at the "
        "verdict or else at the end; for all players, and for the leader alone.",
    ]
    section.header = ["game", "in flight", "scheduler", "tournaments", "undecided", "matches",
                      "wrong / decided", "95 % interval", "matches, tolerance 0",
                      "wrong, tolerance 0", "coverage", "coverage of the leader"]  # fmt: skip
    for arena, scheduler, some in _rows_of(stops):
        matches = np.array([times.matches for times in some])
        is_wrong = np.array([times.is_wrong for times in some])
        decided, stopped = ((matches[:, rule] >= 0.0).sum() for rule in (DECIDED, EXACT))
        section.rows.append([
            arena.name,
            str(arena.in_flight),
            scheduler,
            str(len(some)),
            str(len(some) - decided),
            _median(matches[:, DECIDED], arena.rounds),
            f"{is_wrong[:, DECIDED].sum():.0f} / {decided}",
            _interval(float(is_wrong[:, DECIDED].sum()), int(decided)),
            _median(matches[:, EXACT], arena.rounds),
            f"{is_wrong[:, EXACT].sum():.0f} / {stopped}",
            f"{np.mean([times.covered for times in some]):.3f}",
            f"{np.mean([times.leader_covered for times in some]):.2f}",
        ])  # fmt: skip
    section.pictures = [("Share of tournaments stopped", save_stops(stops, folder))]
    return section


def stop_pairs(stops: Stops) -> list[Section]:
    """Matches to the stop: every scheduler against every other."""
    found = {(arena, scheduler): some for arena, scheduler, some in _rows_of(stops)}
    return pairs_sections(
        "bench-stop",
        "Stopping",
        "matches to the decision, or all matches if there was none",
        found,
        _matches_to_stop,
        is_loss=True,
    )


def _matches_to_stop(arena: Arena, some: Sequence[StopTimes]) -> NDArray[np.float64]:
    matches = np.array([times.matches[DECIDED] for times in some], dtype=np.float64)
    return np.where(matches < 0.0, float(arena.rounds), matches)


def gaps_section(stops: Stops, confidence: float, tolerance: float) -> Section:
    """How often stops are wrong if the best two are a fixed distance apart."""
    section = Section("bench-gaps", f"The best two at a fixed distance, confidence {confidence:g}")
    section.notes = [
        "Each field has its best two this far apart, within 2 %; the others are random. Each cell "
        "has the median of matches and the wrong stops among all tournaments, decided or not, with "
        "the 95 % Wilson interval of their share. That is the share which confidence bounds: of "
        "the few decisions between players who are as good as equal, half are wrong.",
        f"The verdict has a tolerance of {tolerance:g} Elo, or none. The last column is the "
        "former rule, with the same tolerance.",
    ]
    rules = (DECIDED, EXACT, FORMER)
    names = [f"tolerance {tolerance:g}", *(RULES[rule] for rule in rules[1:])]
    section.header = ["field", "in flight", "scheduler", "tournaments", *names]
    for arena, scheduler, some in _rows_of(stops):
        matches = np.array([times.matches for times in some])
        wrong = np.array([times.is_wrong for times in some]).sum(axis=0)
        cells = [
            f"{_median(matches[:, rule], arena.rounds)}, {wrong[rule]:.0f} wrong "
            f"{_interval(float(wrong[rule]), len(some))}"
            for rule in rules
        ]
        section.rows.append([arena.name, str(arena.in_flight), scheduler, str(len(some)), *cells])
    return section


def scores_section(stops: Stops, confidence: float) -> Section:
    """How many matches a decision takes where matches are more than won or lost."""
    section = Section("bench-scores", f"Draws, two-game matches and grades at {confidence:g}")
    section.notes = [
        "The same fields as above, in which only the scores of matches differ. Draws always, or "
        "fewer the clearer the favourite: the share is that of equal players. Paired openings "
        "favour one player by 1 nat in the first game, and the other in the second. Ratios are "
        "relative to matches that are won or lost, and count matches, not games.",
        "Wrong stops, medians and coverage as above.",
    ]
    section.header = ["scores", "scheduler", "tournaments", "undecided", "matches", "ratio",
                      "wrong / decided", "95 % interval", "coverage",
                      "coverage of the leader"]  # fmt: skip
    first: dict[str, float] = {}
    for arena, scheduler, some in _rows_of(stops):
        decided = sum(bool(times.matches[DECIDED] >= 0.0) for times in some)
        is_wrong = sum(float(times.is_wrong[DECIDED]) for times in some)
        median = float(np.median(_matches_to_stop(arena, some)))
        section.rows.append([
            arena.name,
            scheduler,
            str(len(some)),
            str(len(some) - decided),
            f"{median:.0f}",
            f"{median / first.setdefault(scheduler, median):.2f}",
            f"{is_wrong:.0f} / {decided}",
            _interval(is_wrong, decided),
            f"{np.mean([times.covered for times in some]):.3f}",
            f"{np.mean([times.leader_covered for times in some]):.2f}",
        ])  # fmt: skip
    return section


def rules_section(stops: Stops) -> Section:
    """Other stop rules in the same tournaments."""
    section = Section("bench-rules", "The same tournaments under other rules")
    section.notes = [
        "Each cell shows wrong / all stops, and the median of matches. d is 1 - confidence, z the "
        "leader's lead over a rival in standard deviations, t the number of matches, n the number "
        "of players. A rule stops when the sum over rivals of P(z) is below d, or when the least "
        "z^2 / 2 exceeds the logarithm. The former rule bounded the doubt about the tolerance, "
        "and counted how often it had looked. All rules look when a tournament checks its stop.",
    ]
    rules = range(len(RULES))
    section.header = ["game", "in flight", "scheduler", *RULES]
    for arena, scheduler, some in _rows_of(stops):
        matches = np.array([times.matches for times in some])
        is_wrong = np.array([times.is_wrong for times in some])
        cells = [
            f"{is_wrong[:, rule].sum():.0f} / {(matches[:, rule] >= 0.0).sum()}, "
            f"{_median(matches[:, rule], arena.rounds)}"
            for rule in rules
        ]
        section.rows.append([arena.name, str(arena.in_flight), scheduler, *cells])
    return section


def _rows_of(stops: Stops) -> list[tuple[Arena, str, Sequence[StopTimes]]]:
    return [
        (arena, scheduler, some)
        for scheduler, by_arena in stops.items()
        for arena, some in by_arena.items()
    ]


def cost_section(costs: Sequence[Cost], folder: Path) -> Section:
    """The cost of a round."""
    section = Section("bench-cost", "Cost of a round")
    section.notes = [
        "A round asks for a match, reports its result and reads who leads. Processor time: the "
        "median over blocks of 100 rounds after the first n, all schedulers in one process.",
    ]
    sizes = sorted({cost.n_players for cost in costs})
    section.header = ["scheduler", *(f"n = {size}" for size in sizes)]
    for scheduler in dict.fromkeys(cost.scheduler for cost in costs):
        mine = {cost.n_players: cost.seconds for cost in costs if cost.scheduler == scheduler}
        section.rows.append([scheduler, *(f"{1e3 * mine[size]:.3g} ms" for size in sizes)])
    section.pictures = [("Seconds per round", save_costs(costs, folder))]
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
    """The share by which the mean of `many` is below that of `one`, with its standard error."""
    scale = 100.0 / float(one.mean()) if one.any() else 0.0
    return f"{Estimate.of(scale * (one - many)).text(1, '+')} %"


def _median(matches: NDArray[np.float64], cap: int) -> str:
    return f"{np.median(np.where(matches < 0.0, cap, matches)):.0f}"
