"""The sections of the figures, and what the reproduction says about its method."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from maxin.core import InvalidInput
from maxin.games import Game
from maxin_studies.document import Section
from maxin_studies.estimates import FEWEST_SEEDS
from maxin_studies.reproduction.claims import Claim, EndPoints, Study, claims
from maxin_studies.reproduction.claims.printed_ends import PRINTED_SEEDS
from maxin_studies.reproduction.figures import (
    QUICK_GAMES,
    QUICK_ROUNDS,
    QUICK_SETTINGS,
    Experiment,
    top_players,
)
from maxin_studies.reproduction.grids import EXTRA_NAMES
from maxin_studies.reproduction.page.paper_plots import save_figure
from maxin_studies.reproduction.page.statements import statement_table
from maxin_studies.reproduction.runs import LARGEST_K, TRUTHS, truth_of
from maxin_studies.reproduction.tuning import PROTOCOLS


def notes(study: Study, games: Mapping[str, Game]) -> list[str]:
    """Explanations of the numbers of a figure."""
    return [*_truth_notes(study, games), *_early_notes(study)]


def _truth_notes(study: Study, games: Mapping[str, Game]) -> Iterator[str]:
    """Games whose top by mean score differs from their top by rating."""
    is_wide = study.experiment.shows == "top-k"
    k = LARGEST_K if is_wide else 1
    scripts = (
        "Its authors' scripts use ratings for top-k, too"
        if is_wide
        else "Its authors' scripts take RR by mean score on the Elo games"
    )
    for game in study.experiment.games:
        if game.truth == "rating":
            continue
        tops = [top_players(truth_of(games[game.name], truth), k) for truth in TRUTHS]
        shared = len(tops[0] & tops[1])
        players = f"share {shared} of their top {k}" if is_wide else "name different best players"
        yield (
            f"On {game.name}, ratings and mean scores {players}. The paper defines x* by ratings "
            f"(s.173). {scripts}. Both are shown, each with settings chosen by its own measure."
        )


def _early_notes(study: Study) -> Iterator[str]:
    """Lines of which some runs had nothing left to ask."""
    found: dict[str, list[str]] = {}
    for line in study.lines:
        stopped = sum(outcome.n_played < line.game.rounds for outcome in line.outcomes)
        if stopped and line.algorithm not in EXTRA_NAMES and line.protocol in PROTOCOLS:
            runs = f"{stopped} of {len(line.outcomes)} runs ({line.protocol})"
            found.setdefault(f"{line.algorithm} on {line.game.name}", []).append(runs)
    for name, runs_of in found.items():
        yield (
            f"{name} resolved all pairs and stopped in {', '.join(runs_of)}; its regret grows no "
            "more then, as in the authors' scripts."
        )


def first_look(claims: Sequence[Claim], n_seeds: int, quick: bool) -> Iterator[str]:
    """What limits the verdicts of a small reproduction."""
    if n_seeds < FEWEST_SEEDS:
        yield (
            f"Fewer than {FEWEST_SEEDS} seeds decide no difference, so most statements cannot be "
            f"decided: use at least {FEWEST_SEEDS} seeds."
        )
    if quick:
        yield (
            f"This is a first look: at most {QUICK_GAMES} games per figure, {QUICK_ROUNDS} matches "
            f"per run and {QUICK_SETTINGS} settings per algorithm. Verdicts of the whole run may "
            "be different."
        )
        if all(claim.protocol != "as-printed" for claim in claims):
            yield "The authors' scripts are left out: add `--protocol as-printed` for them."


def overall_section(claims: Sequence[Claim]) -> Section:
    """The claims over the games of several figures."""
    section = Section("overall", "All games of Figures 1 to 3")
    section.header, section.rows = statement_table(claims)
    return section


def figure_section(study: Study, games: Mapping[str, Game], folder: Path) -> Section:
    """A figure: its pictures, and a row for each statement about it."""
    section = Section(study.experiment.name, study.experiment.title)
    section.notes = notes(study, games)
    for protocol in study.protocols:
        if protocol in PROTOCOLS:
            path = save_figure(study.experiment, study.lines, protocol, folder)
            section.pictures.append((_caption(study, protocol), path))
    section.header, section.rows = statement_table(claims(study))
    return section


def _caption(study: Study, protocol: str) -> str:
    """The title and the protocol."""
    caption = f"{study.experiment.title}, {protocol}"
    is_marked = study.experiment.name == "gamma"
    return f"{caption}. Dashed: best at top-1. Bold: best at top-k" if is_marked else caption


def cells_table(studies: Sequence[Study]) -> Section:
    """The final values of every line, and its first seeds with their settings, for a file."""
    section = Section("cells", "The final values of every line")
    section.header = [
        "figure", "game", "truth", "algorithm", "protocol", "seeds", "regret", "regret sd", "RR",
        "RR sd", "hit ratio@10", "NDCG@10", "regret of first", "settings of first",
    ]  # fmt: skip
    for study in studies:
        for line in study.lines:
            ends = [line.end(name) for name in ("regret", "rr", "hit", "ndcg")]
            regret, rank, hit, ndcg = ends
            first = line.first(PRINTED_SEEDS)
            section.rows.append([
                study.experiment.name, line.game.name, line.game.truth, line.algorithm,
                line.protocol, str(len(line.outcomes)), f"{regret[0]:.4f}", f"{regret[1]:.1f}",
                f"{rank[0]:.4f}", f"{rank[1]:.3f}", f"{hit[0]:.4f}", f"{ndcg[0]:.4f}",
                f"{first.end('regret')[0]:.4f}", " ".join(first.settings),
            ])  # fmt: skip
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
    """The first paragraph: what this is, and which games were played."""
    games = "games generated from rules" if folder is None else "payoff files like the paper's own"
    return (
        f"The paper's figures and tables, run again on {games}, with a verdict on each of its "
        "statements of results."
    )


def method_section(figures: Sequence[Experiment], protocols: Sequence[str]) -> Section:
    """How settings are chosen, what is drawn, and how differences are judged."""
    return Section("method", "How it was measured", [*method(figures, protocols)])


def seeds_of(figures: Sequence[Experiment], protocols: Sequence[str]) -> dict[str, str]:
    """The number of seeds under each protocol, as text."""
    tuned, fresh = (
        _range([getattr(figure, name) for figure in figures]) for name in ("n_seeds", "n_fresh")
    )
    found = {"hindsight": tuned, "held-out": fresh, "as-printed": tuned}
    return {name: count for name, count in found.items() if name in protocols}


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


PROTOCOL_SENTENCES = {
    "hindsight": "`hindsight` is the text with our prior: each of {tuned} seeds has the setting "
    "that did best on it, as in the paper; the prior's scale is chosen like eta and gamma, and "
    "verdicts that differ with 1 nat for all are marked.",
    "held-out": "`held-out` is the same with the setting that did best on {tuned} seeds, played on "
    "{fresh} fresh ones. The difference from `hindsight` is luck in choosing.",
    "as-printed": "`as-printed` has the algorithms and grids of the authors' scripts, which differ "
    "from the text (docs/notes/printed-curves.md), in hindsight on {tuned} seeds. How the scripts "
    "tune the sweeps over 2k and tau is not in our sources: the grid is that of Figures 2 "
    "and 3.",
}


def method(figures: Sequence[Experiment], protocols: Sequence[str]) -> Iterator[str]:
    """The notes on how settings are chosen and differences judged."""
    seeds = seeds_of(figures, protocols)
    tuned = seeds.get("hindsight", seeds.get("as-printed", _range([f.n_seeds for f in figures])))
    for protocol in protocols:
        yield PROTOCOL_SENTENCES[protocol].format(tuned=tuned, fresh=seeds.get("held-out", ""))
    if any(figure.varies for figure in figures):
        yield (
            "In Figure 4 and the sweep over gamma, gamma alone varies and all seeds share the "
            "setting, as in the paper (s.586); the rest is that of the best mean RR. The sweeps "
            "over 2k and tau have a prior of 1 nat only."
        )
    yield (
        "The text gives neither the rounds T (they are read off its plots) nor 2k other than 8 and "
        "16 nor tau below 0.5 n or of 2 n, which are those of the authors' scripts."
    )
    yield (
        "The best player has the largest true rating r*, as in the paper; a game is shown twice "
        "where mean scores name another. RR is 1 / the rank that the ratings give to it: 1 is the "
        "top. Players of equal rating share the better rank, and while all are equal the best "
        "counts as in the middle. Bands in the figures are one standard deviation."
    )
