"""The sections of the reproduction: one per figure and table of the paper."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from maxin.core import InvalidInput
from maxin.evaluation import sink_players
from maxin.experiments.document import Rows, Section
from maxin.experiments.reproduction.claims import Claim, EndPoints, Study, claims, printed_regrets
from maxin.experiments.reproduction.complexity import PRINTED, Growth
from maxin.experiments.reproduction.figures import Experiment
from maxin.experiments.reproduction.paper_plots import save_figure
from maxin.experiments.reproduction.theory_checks import TheoryCheck
from maxin.games import Game
from maxin.ratings import hodge_decomposition

MAXINP_NOTE = (
    "Our MaxInP differs from the paper's: it fits the whole history with a Gaussian prior of one "
    "nat on every rating, and ends with a fraction of the printed regret. The paper does not say "
    "how its maximum-likelihood estimate, which need not exist, was kept finite."
)
DBGD_NOTE = (
    "The paper prints 1320 for DBGD on 5,3-Blotto, more than the 1313 that random pairs cost on "
    "average. DBGD keeps the winner of each match, so it cannot cost that much on this game."
)
SCORE_NOTE = (
    "RR counts the player with the largest mean score as best, regret the one with the largest "
    "rating; on Elo game + noise=0.01 these are two different players."
)


def notes(study: Study, printed: EndPoints) -> list[str]:
    """Explanations of differences from the paper, for figures with printed end points."""
    names = [game.name for game in study.experiment.games if printed_regrets(game, printed)]
    if study.experiment.name not in ("figure2", "figure3") or not names:
        return []
    blotto = [DBGD_NOTE] if "5,3-Blotto" in names else []
    noisy = [SCORE_NOTE] if "Elo game + noise=0.01" in names else []
    return [MAXINP_NOTE, *blotto, *noisy]


def figure_section(study: Study, printed: EndPoints, folder: Path) -> Section:
    """A figure: its claims, its pictures, and its end points next to the printed ones."""
    section = Section(study.experiment.name, study.experiment.title)
    section.notes = [_sentence(claim) for claim in claims(study, printed)]
    section.notes += notes(study, printed)
    for protocol in study.protocols:
        path = save_figure(study.experiment, study.lines, protocol, folder)
        section.pictures.append((f"{study.experiment.title}, {protocol}", path))
    section.header, section.rows = _end_table(study, printed)
    return section


def _sentence(claim: Claim) -> str:
    return f"**{claim.verdict}** ({claim.protocol}): {claim.text}. {claim.evidence}."


def _end_table(study: Study, printed: EndPoints) -> tuple[list[str], Rows]:
    """Final values per game and algorithm: regret and RR, or the top-k measures."""
    names = ("regret", "reciprocal_rank")
    if study.experiment.shows == "top-k":
        names = ("hit_ratio", "ndcg")
    header = ["game", "algorithm", "settings"]
    for protocol in study.protocols:
        header += [f"{_short(name)}, {protocol}" for name in names]
    if len(study.protocols) == 2:
        header.append(f"gap in {_short(names[1])}")
    has_print = any(printed_regrets(game, printed) for game in study.experiment.games)
    has_print = has_print and study.experiment.name in ("figure2", "figure3")
    header += ["regret, paper", "RR, paper"] if has_print else []
    rows = []
    for game in study.experiment.games:
        for line in study.experiment.algorithms:
            ends = [study.of(game, protocol)[line.name] for protocol in study.protocols]
            row = [game.name, line.name, str(len(line.settings))]
            row += [_mean_and_spread(*end.end(name), name) for end in ends for name in names]
            if len(ends) == 2:
                gap = ends[0].end(names[1])[0] - ends[1].end(names[1])[0]
                row.append(f"{gap:+.2f}" if len(line.settings) > 1 else "")
            if has_print:
                regret, rank = printed.get((game.name, game.rounds, line.name), (None, None))
                row += [
                    "" if regret is None else f"{regret:.0f}",
                    "" if rank is None else f"{rank:.2f}",
                ]
            rows.append(row)
    return header, rows


def _short(name: str) -> str:
    return {"reciprocal_rank": "RR", "hit_ratio": "hit ratio@10", "ndcg": "NDCG@10"}.get(name, name)


def _mean_and_spread(mean: float, spread: float, name: str) -> str:
    return f"{mean:.0f} ± {spread:.0f}" if name == "regret" else f"{mean:.2f} ± {spread:.2f}"


def growth_section(measured: Sequence[Growth]) -> Section:
    """Table 1: exponents of time and memory."""
    section = Section("table1", "Table 1. Time and memory, measured")
    section.notes = [
        "Exponents of the cost of a whole run in rounds T and players n, fitted on a log-log "
        "scale. Our MaxInP stores counts of pairs instead of the history, so neither its time nor "
        "its memory grows with T as the paper's does. MaxIn-Elo updates only a few widths per "
        "round, so its time grows more slowly with n. RG-UCB stores a count for every pair.",
    ]
    section.header = ["algorithm", "time in T", "time in n", "memory in T", "memory in n",
                      "paper: time", "paper: memory", "paper: regret"]  # fmt: skip
    for row in measured:
        regret, duration, memory = PRINTED[row.algorithm]
        numbers = [f"{value:.2f}" for value in row[1:]]
        section.rows.append([row.algorithm, *numbers, duration, memory, regret])
    return section


TOP_SINKS = {  # the column |Top SSCC| of the paper
    "Transitive game": 1, "Triangular game": 1, "Elo game": 1, "Elo game + noise=0.01": 1,
    "Elo game + noise=0.05": 1, "Elo game + noise=0.1": 1, "Kuhn-poker": 64, "AlphaStar": 1,
    "tic_tac_toe": 2, "hex(board_size=3)": 2, "Blotto": 99, "5,3-Blotto": 18,
}  # fmt: skip


def games_section(games: Mapping[str, Game]) -> Section:
    """Table 2: statistics of the games."""
    section = Section("table2", "Table 2. The games")
    section.header = ["game", "players", "in sink components", "paper", "transitive share"]
    for name, top in TOP_SINKS.items():
        if name in games:
            chances = games[name].probabilities
            share = hodge_decomposition(np.log(chances / (1.0 - chances))).transitive_share
            sinks = len(sink_players(chances))
            row = [name, str(games[name].n_players), str(sinks), str(top), f"{share:.2f}"]
            section.rows.append(row)
    agree = sum(row[2] == row[3] for row in section.rows)
    section.notes = [f"{agree} of {len(section.rows)} sizes agree with the paper."]
    return section


def theory_section(checks: Sequence[TheoryCheck]) -> Section:
    """Lemma 1 and Theorem 1 on simulated runs."""
    section = Section("theory", "Lemma 1 and Theorem 1 on runs of MaxIn-Elo")
    fit = [check.lemma_holds for check in checks if check.connectivity >= 1.0]
    unfit = [check.lemma_holds for check in checks if check.connectivity < 1.0]
    below = sum(check.regret <= check.regret_bound for check in checks)
    section.notes = [
        "Lemma 1 assumes that the first batch connects all players well (connectivity of at least "
        f"1). It did in {len(fit)} of {len(checks)} runs, and the inequality held in {sum(fit)} of "
        f"them. In the other {len(unfit)} runs, where widths between unconnected players are near "
        f"1000, it held in {sum(unfit)}.",
        f"The regret was within the bound of Theorem 1 in {below} of {len(checks)} runs. The bound "
        "is huge because its constant 1 / c_1 grows with the exponential of the largest rating "
        "difference.",
    ]
    section.header = ["game", "tau", "connectivity", "sum of widths", "bound of the lemma",
                      "lemma holds", "regret", "bound of the theorem"]  # fmt: skip
    section.rows = [
        [
            check.game,
            str(check.batch_size),
            f"{check.connectivity:.2f}",
            f"{check.sum_of_widths:.1f}",
            f"{check.lemma_bound:.1f}",
            "yes" if check.lemma_holds else "no",
            f"{check.regret:.0f}",
            f"{check.regret_bound:.2g}",
        ]
        for check in checks
    ]
    return section


def read_end_points(path: Path) -> EndPoints:
    """The printed end points, from a .csv: game, horizon, algorithm, regret_end, rr_end."""
    try:
        with path.open(newline="") as file:
            return {
                (row["game"], int(row["horizon"]), row["algorithm"]): (
                    float(row["regret_end"]),
                    float(row["rr_end"]),
                )
                for row in csv.DictReader(file)
            }
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"{str(path)!r} must have the columns game, horizon, algorithm, regret_end and rr_end "
            f"of printed end points: {error!r}"
        ) from error


def source(folder: Path | None) -> str:
    """The first paragraph: which games were played."""
    games = "games generated from rules" if folder is None else "payoff files like the paper's own"
    return f"Played on {games}. Lines are means, bands one standard deviation."


def method(figures: Sequence[Experiment], protocols: Sequence[str]) -> str:
    """The second paragraph: how settings are chosen and differences judged."""
    seeds = max(figure.n_seeds for figure in figures)
    fresh = max(figure.n_fresh for figure in figures)
    sentences = {
        "hindsight": f"Under `hindsight`, each of {seeds} seeds uses the setting that did best on "
        "that seed, as in the paper.",
        "held-out": f"Under `held-out`, the setting that did best on {seeds} seeds plays {fresh} "
        "fresh seeds.",
    }
    gap = (
        "The gap between the two shows how much of a curve is luck in choosing the setting; more "
        "settings bring more luck. "
        if len(protocols) == 2
        else ""
    )
    return (
        " ".join(sentences[protocol] for protocol in protocols) + f" {gap}Players of equal rating "
        "share the better rank, so a line can be high while many players are tied. While all "
        "ratings are equal, nobody is ranked, and the best player counts as being in the middle. "
        "Numbers after ± are standard deviations in the tables and standard errors in the "
        "sentences. Where Student's t at 95 % cannot separate two means, the sentence says that "
        "the claim cannot be decided."
    )
