"""The sections of the theory and of Table 1: lemmas, bounds and costs, measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from maxin.games import Game
from maxin.simulation.pool import TaskPool
from maxin_studies.document import Section
from maxin_studies.estimates import FEWEST_SEEDS, Estimate
from maxin_studies.reproduction.claims import all_hold, judged, untested
from maxin_studies.reproduction.complexity import (
    ALGORITHMS,
    FULL,
    PRINTED,
    QUICK,
    TIMED,
    TRIES,
    Growth,
    growth,
    round_times,
)
from maxin_studies.reproduction.figures import ELO_GAMES
from maxin_studies.reproduction.theory_checks import (
    TheoryCheck,
    TheorySettings,
    check_theory,
    even_game,
    needed_batch,
    theorem1_settings,
    useful_after,
)
from maxin_studies.theory import curvature, exploration

SLACK = 0.1  # an exponent this much above a printed order still agrees: logarithms look like it
NEEDS_LARGE_GAMMA = ("MaxInP", "MaxIn-Elo")  # their bounds have this hypothesis
STABLE = 36  # batches before which a step as Eq. tau allows it overshoots
Checks = Sequence[TheoryCheck]


def theory_sections(games: Mapping[str, Game], quick: bool, pool: TaskPool) -> Iterator[Section]:
    """The part "theory"."""
    cases = _cases(games, quick)
    found: list[Checks] = []
    done, total = 0, theory_rounds(games, quick)
    for game, settings, n_seeds in cases:
        found.append([check_theory(game, settings, seed) for seed in range(n_seeds)])
        done += settings.rounds * n_seeds
        pool.report("theory", done, total)
    n_small = len(list(_small_cases(quick)))
    if len(cases) > n_small:
        yield lemmas_section(found[:-n_small])
    yield theorem_section(found[-n_small:])


def theory_rounds(games: Mapping[str, Game], quick: bool) -> int:
    """The rounds of all runs of `theory_sections`."""
    return sum(settings.rounds * n_seeds for _, settings, n_seeds in _cases(games, quick))


def _cases(games: Mapping[str, Game], quick: bool) -> list[tuple[Game, TheorySettings, int]]:
    """The paper's games with the settings of the experiments, then small ones; with their seeds."""
    here = [games[game.name] for game in ELO_GAMES if game.name in games]
    practical = [
        (game, TheorySettings(1000, round(share * game.n_players)), 1 if quick else 10)
        for game in (here[:2] if quick else here)
        for share in (0.7, 5.0)
    ]
    return practical + [(*case, 1 if quick else 5) for case in _small_cases(quick)]


def _small_cases(quick: bool) -> Iterator[tuple[Game, TheorySettings]]:
    """Games small enough for Eq. tau, and the first with a step size that is stable instead."""
    sizes = ((2, 0.1, 2),) if quick else ((2, 0.1, 4), (2, 0.5, 4), (3, 0.1, 3), (3, 0.3, 3))
    for n_players, lead, n_batches in sizes:
        game = even_game(n_players, lead)
        yield game, theorem1_settings(game.ratings, n_batches)
    game = even_game(*sizes[0][:2])
    settings = theorem1_settings(game.ratings, sizes[0][2])
    yield game, settings._replace(convexity=float(settings.batch_size))


def lemmas_section(found: Sequence[Checks]) -> Section:
    """Lemmas 1 to 3 and Theorem 1 on simulated runs with the settings of the experiments."""
    section = Section("theory", "Lemmas 1 to 3 and Theorem 1 on runs of MaxIn-Elo")
    section.notes = list(_lemma_notes([check for checks in found for check in checks]))
    section.header = ["game", "tau", "tau of Eq. tau", "gamma of Lemma 3", "connectivity",
                      "Lemma 1 holds", "E_1 holds", "largest error / bound", "x* in S",
                      "x* always in S", "regret", "bound of Theorem 1"]  # fmt: skip
    section.shown = ["game", "tau", "tau of Eq. tau", "Lemma 1 holds", "E_1 holds",
                     "x* always in S", "regret", "bound of Theorem 1"]  # fmt: skip
    for checks in found:
        game, (rounds, tau, *_) = checks[0].game, checks[0].settings
        near = curvature(game.ratings, 1.0)
        section.rows.append(
            [
                game.name,
                str(tau),
                f"{needed_batch(game.ratings, rounds):.1g}",
                f"{exploration(rounds, game.n_players, rounds, near):.1g}",
                f"{min(check.connectivity for check in checks):.2f}",
                _count([check.lemma1_holds for check in checks]),
                *_lemma_cells(checks),
                f"{_mean([check.regret for check in checks]):.0f}",
                f"{checks[0].regret_bound:.1g}",
            ]
        )
    return section


def _lemma_notes(runs: Checks) -> Iterator[str]:
    fit = [run.lemma1_holds for run in runs if run.connectivity >= 1.0]
    unfit = [run.lemma1_holds for run in runs if run.connectivity < 1.0]
    if fit:
        yield judged(
            "s.359",
            all(fit),
            "Lemma 1 bounds the sum of widths if the first batch connects all players well "
            "(connectivity of at least 1)",
            f"It did in {len(fit)} of {len(runs)} runs, and the inequality held in {sum(fit)} of "
            f"them. In the other {len(unfit)}, where widths between unconnected players are near "
            f"1000, it held in {sum(unfit)}",
        )
    yield judged(
        "s.386",
        all(run.lemma2_holds for run in runs),
        "The event E_1 of Lemma 2 holds after every batch",
        f"In {_count([run.lemma2_holds for run in runs])} runs. The largest error was "
        f"{max(run.lemma2_ratio for run in runs):.1g} of its bound, so this decides little",
    )
    kept = [run.best_stays for run in runs]
    yield untested(
        "s.396",
        "The best player x* stays in S after the first batch, as Lemma 3 concludes",
        f"It asks for gamma = 2 g_1(t), and gamma is 1 here. x* stayed in {_count(kept)} runs, and "
        f"in {_mean([run.best_share for run in runs]):.0%} of the rounds",
    )
    bounds = [run.regret_bound for run in runs]
    below = sum(run.regret <= run.regret_bound for run in runs)
    met = sum(run.assumption.is_met for run in runs)
    yield (
        f"The regret is below the bound of Theorem 1 in {below} of {len(runs)} runs, but these "
        f"runs do not test the theorem. A bound of {min(bounds):.1g} to {max(bounds):.1g} is above "
        "any possible regret, and the settings of the experiments miss the hypotheses: tau and "
        "gamma are far smaller than Eq. tau and Lemma 3 ask for (with C_1 = C_2 = 1), and the lead "
        f"Delta of the best player is above g_1(T) C in {met} of {len(runs)} runs. "
        "`reproduction/theory.csv` has all numbers."
    )


def theorem_section(found: Sequence[Checks]) -> Section:
    """Theorem 1 on runs that meet its hypotheses as far as any run can."""
    section = Section("theorem1", "Theorem 1 where its hypotheses are met as far as possible")
    section.notes = list(_theorem_notes(found))
    section.header = ["game", "T", "tau", "alpha", "Delta", "g_1(T) C", "regret", "Random's",
                      "T Delta_max", "bound of Theorem 1", "bound < T Delta_max from T =",
                      "E_1 holds", "largest error / bound", "x* in S",
                      "x* always in S"]  # fmt: skip
    section.shown = [*section.header[:6], "T Delta_max", "bound < T Delta_max from T =",
                     "E_1 holds", "x* always in S"]  # fmt: skip
    for checks in found:
        first, ratings = checks[0], checks[0].game.ratings
        rounds, tau, alpha, _ = first.settings
        section.rows.append(
            [
                first.game.name,
                str(rounds),
                str(tau),
                f"{alpha:.3g}",
                f"{first.assumption.lead:.2g}",
                f"{first.assumption.needed:.2g}",
                ", ".join(f"{check.regret:.0f}" for check in checks),
                f"{first.random_regret:.0f}",
                f"{first.largest_regret:.0f}",
                f"{first.regret_bound:.1e}",
                f"{useful_after(ratings):.0e}",
                *_lemma_cells(checks),
            ]
        )
    return section


def _theorem_notes(found: Sequence[Checks]) -> Iterator[str]:
    runs = [run for checks in found for run in checks]
    asked = [run for run in runs if run.settings.convexity < run.settings.batch_size]
    kept, below = (
        [run.best_stays for run in asked],
        [run.regret <= run.regret_bound for run in runs],
    )
    lost = [run for run in asked if not run.best_stays]
    worse = sum(run.regret > run.random_regret for run in lost)
    yield (
        "These games are so close that tau of Eq. tau (C_1 = C_2 = 1, lambda_f = 2 / (n - 1), "
        "the largest possible) is playable. gamma is 2 g_1(t), and alpha the largest that Eq. tau "
        "allows, in the last row tau instead. No run can have the lead Delta > g_1(T) C that "
        "Theorem 1 assumes: g_1(T) C is above 5 exp(Delta) for all ratings if T >= n."
    )
    excess = min(run.regret_bound / run.largest_regret for run in runs)
    yield judged(
        "s.404",
        all(below),
        "The regret is below the bound of Theorem 1",
        f"In {_count(below)} runs, but the bound is {excess:.0e} times T Delta_max or "
        "more, and no run can exceed T Delta_max. It takes the number of matches in the table for "
        "the bound to say anything",
    )
    yield judged(
        "s.393, s.397",
        all(kept),
        "The best player stays in S with gamma = 2 g_1(t) and an alpha that Eq. tau allows",
        f"In {_count(kept)} runs; where it left, the regret was above Random's in {worse} of "
        f"{len(lost)}. E_1 holds in {_count([run.lemma2_holds for run in asked])} runs, and does "
        "not decide this: its second term, g_2(j) sqrt(2 / j), allows errors of many nats",
    )
    yield (
        "The best player can leave because of the steps. Eq. tau makes alpha less than "
        "c_3 tau / (2 (n - 1)), and then the gradient step of batch j overshoots while "
        f"j < {STABLE}, on any game: errors grow until the projection stops them. With alpha = "
        "tau, the last row, the steps are stable, but the loss of a batch is not alpha-strongly "
        "convex, as Lemma 2 needs. Its lambda_f > 0 also fails as soon as a player is ruled out "
        "for good, so Theorem 1 cannot cover the rounds in which S has shrunk. Proposition 1 is "
        "printed with a probability of 1 - 1 / delta; it must be 1 - delta."
    )


def _lemma_cells(checks: Checks) -> list[str]:
    """E_1 holds, its largest ratio, the share of rounds with x* in S, and runs with all of them."""
    return [
        _count([check.lemma2_holds for check in checks]),
        f"{max(check.lemma2_ratio for check in checks):.1g}",
        f"{_mean([check.best_share for check in checks]):.0%}",
        _count([check.best_stays for check in checks]),
    ]


def growth_sections(quick: bool, pool: TaskPool) -> Iterator[Section]:
    """The part "table1"."""
    sizes = QUICK if quick else FULL
    total, measured = growth_rounds(quick), []
    for name in ALGORITHMS:
        measured.append(growth(name, sizes))
        pool.report("table1", len(measured) * sizes.growth_rounds, total)
    yield growth_section(measured)
    yield time_section(round_times(sizes), measured)
    pool.report("table1", total, total)


def growth_rounds(quick: bool) -> int:
    """The rounds of all runs of `growth_sections`."""
    sizes = QUICK if quick else FULL
    timed = TRIES * sizes.repeats * sizes.timed_rounds * len(TIMED)
    return len(ALGORITHMS) * sizes.growth_rounds + timed


def growth_section(measured: Sequence[Growth]) -> Section:
    """Table 1: exponents of regret, time and memory."""
    section = Section("table1", "Table 1. Regret, time and memory, measured")
    section.notes = [*_growth_notes(measured)]
    section.header = ["algorithm", "regret in T", "linear at the end", "paper: regret",
                      "time in T", "time in n", "paper: time", "memory in T", "memory in n",
                      "paper: memory"]  # fmt: skip
    for row in measured:
        printed = PRINTED[row.algorithm]
        section.rows.append(
            [
                row.algorithm,
                _with_interval(row.regret),
                f"{row.n_linear} of {row.regret.n_seeds}",
                printed.regret,
                _with_interval(row.time_rounds),
                _with_interval(row.time_players),
                printed.time,
                f"{row.memory_rounds:.2f}",
                f"{row.memory_players:.2f}",
                printed.memory,
            ]
        )
    return section


def _growth_notes(measured: Sequence[Growth]) -> Iterator[str]:
    first = measured[0]
    yield (
        "Exponents of a whole run in rounds T and players n, fitted on a log-log scale, with 95 % "
        f"intervals over {first.regret.n_seeds} seeds (regret) and {first.time_rounds.n_seeds} "
        "repeats (processor time). Games are drawn from the rule of the Elo game. Orders hide "
        f"logarithms, so an exponent of up to {SLACK:g} above the printed one agrees."
    )
    for row in measured:
        printed = PRINTED[row.algorithm]
        if printed.exponent is None:
            continue
        text = f"The regret of {row.algorithm} grows like {printed.regret} or slower"
        seen = (
            f"The exponent is {_with_interval(row.regret)}, and at the end the regret grows "
            f"linearly in {row.n_linear} of {row.regret.n_seeds} runs"
        )
        if row.algorithm in NEEDS_LARGE_GAMMA:
            seen = f"It asks for gamma = 2 g_1(t), and gamma is 1 here. {seen}"
            yield untested(printed.place, text, seen)
        else:
            yield judged(printed.place, _grows_at_most(row, printed.exponent), text, seen)
    yield (
        "With a constant gamma, MaxInP and MaxIn-Elo soon rule out everybody but one player. If it "
        "is the best one, the regret stops. If not, it grows linearly for ever, with a small "
        "slope: the exponent is low at first and tends to 1."
    )
    yield (
        "DBGD always plays a random opponent when players have no features, and half of that "
        "opponent's loss is regret in every round. Our MaxInP stores counts of pairs instead of "
        "the history, so neither its time nor its memory grows with T as the paper's does. "
        "MaxIn-Elo updates only a few widths per round, so its time grows more slowly with n. "
        "RG-UCB stores a count for every pair."
    )


def _grows_at_most(row: Growth, order: float) -> bool | None:
    """Whether the regret grows with this exponent or a smaller one, in all runs to their ends."""
    if row.n_linear and row.regret.n_seeds >= FEWEST_SEEDS:
        return False
    return row.regret.is_at_most(order + SLACK)


def time_section(times: Mapping[tuple[str, str], Estimate], measured: Sequence[Growth]) -> Section:
    """Time per round, and the paper's claims about it."""
    section = Section("time", "Time per round, measured")
    section.notes = list(_time_notes(times, {row.algorithm: row for row in measured}))
    section.header = ["algorithm", "players", "microseconds per round"]
    section.rows = [
        [name, _players(game), _with_interval(estimate)] for (name, game), estimate in times.items()
    ]
    return section


def _players(game: str) -> str:
    return "4" if game == "good-bad" else game.rpartition("=")[2]


def _time_notes(
    times: Mapping[tuple[str, str], Estimate], rows: Mapping[str, Growth]
) -> Iterator[str]:
    large, small = "elo:n_players=100", "good-bad"
    ours = times["MaxIn-Elo", large]

    def against(rival: str, game: str) -> str:
        return f"{times['MaxIn-Elo', game]} against {times[rival, game]} microseconds ({rival})"

    yield judged(
        "s.132, s.302",
        times["MaxInP", large].is_above(ours),
        "MaxIn-Elo takes less time per round than MaxInP",
        f"With 100 players, {against('MaxInP', large)}",
    )
    yield judged(
        "s.435",
        times["alpha-IG", small].is_above(times["MaxIn-Elo", small]),
        "MaxIn-Elo takes less time per round than alpha-IG",
        f"With 4 players, {against('alpha-IG', small)}",
    )
    rivals = [name for name in ALGORITHMS if name != "MaxIn-Elo"]
    yield judged(
        "s.103",
        all_hold([times[name, large].is_above(ours) for name in rivals]),
        "MaxIn-Elo takes the least time per round of all",
        f"With 100 players, {ours} microseconds, against "
        + ", ".join(f"{times[name, large]} ({name})" for name in rivals),
    )
    in_rounds = rows["MaxIn-Elo"].time_rounds
    yield judged(
        "s.102",
        in_rounds.is_at_most(1.0 + SLACK),
        "The time per round of MaxIn-Elo does not grow with the number of rounds",
        f"The time of a run grows with the exponent {_with_interval(in_rounds)}",
    )
    memory = rows["MaxIn-Elo"].memory_rounds
    yield judged(
        "s.102, s.414",
        memory <= SLACK,
        "The memory of MaxIn-Elo does not grow with the number of rounds",
        f"It grows with the exponent {memory:.2f}",
    )
    history = rows["MaxInP"].time_rounds
    slower = history.is_at_most(1.0 + SLACK)
    yield judged(
        "s.102, s.417",
        None if slower is None else not slower,
        "The time per round of maximum likelihood (MaxInP) grows with the number of rounds",
        f"The time of a run grows with the exponent {_with_interval(history)}, since our fit uses "
        "counts of pairs, and starts from the last ratings",
    )


def _with_interval(estimate: Estimate) -> str:
    low, high = estimate.interval()
    digits = 1 if abs(estimate.mean) >= 5.0 else 2
    return f"{estimate.mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _count(flags: Sequence[bool]) -> str:
    return f"{sum(flags)} of {len(flags)}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
