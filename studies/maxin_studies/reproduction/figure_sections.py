"""The sections of the figures, and what the reproduction says about its method."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from maxin.core import InvalidInput
from maxin.core.specs import parse
from maxin.games import Game
from maxin_studies.document import Rows, Section
from maxin_studies.estimates import FEWEST_SEEDS, Estimate
from maxin_studies.reproduction.claims import (
    Claim,
    EndPoints,
    Study,
    claims,
    judged,
    printed_regrets,
)
from maxin_studies.reproduction.figures import (
    QUICK_GAMES,
    QUICK_ROUNDS,
    QUICK_SETTINGS,
    Experiment,
    PaperGame,
    top_players,
)
from maxin_studies.reproduction.grids import EXTRA_NAMES, Algorithm
from maxin_studies.reproduction.paper_plots import chosen_explorations, save_figure
from maxin_studies.reproduction.runs import LARGEST_K, TRUTHS, truth_of
from maxin_studies.reproduction.tuning import PROTOCOLS, Line

MAXINP_NOTE = (
    "Our MaxInP follows the text, with a Gaussian prior of one nat that makes its fit exist, and "
    "ends with a fraction of the printed regret. The authors' scripts scale an unpenalised fit "
    "instead: see the section on the printed curves."
)
DBGD_NOTE = (
    "The paper prints 1320 for DBGD on 5,3-Blotto, more than the 1313 that random pairs cost on "
    "average. DBGD keeps the winner of each match, so it cannot cost that much on this game."
)
SAME_NOTE = (
    "On a seed, Random and RG-UCB draw the same pairs until RG-UCB has resolved one. Where that is "
    "late or never, their lines coincide."
)
STEP_NOTE = (
    'The paper calls eta of Random, DBGD and RG-UCB an "initial" step size. Neither its text nor '
    "the authors' scripts have a decay, and here it is constant too."
)


def notes(study: Study, games: Mapping[str, Game], printed: EndPoints) -> list[str]:
    """Explanations of the numbers of a figure, and of differences from the paper."""
    found = [*_truth_notes(study, games), *_early_notes(study)]
    names = [game.name for game in study.experiment.games if printed_regrets(game, printed)]
    if study.experiment.name in ("figure1", "figure2", "figure3"):
        found += [STEP_NOTE, SAME_NOTE]
    if study.experiment.name in ("figure2", "figure3") and names:
        found += [MAXINP_NOTE, *([DBGD_NOTE] if "5,3-Blotto" in names else [])]
    return found


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
    """Lines of which some runs had nothing left to ask, with their regret per match played."""
    for line in study.lines:
        played = [outcome.n_played for outcome in line.outcomes]
        stopped = sum(count < line.game.rounds for count in played)
        if stopped and line.algorithm not in EXTRA_NAMES:
            per_match = [float(outcome.regret[-1]) / outcome.n_played for outcome in line.outcomes]
            yield (
                f"{line.algorithm} on {line.game.title} ({line.protocol}) resolved all pairs and "
                f"stopped in {stopped} of {len(played)} runs, after {np.mean(played):.0f} matches "
                "on average over all runs. A run that has stopped gains no more regret, as in the "
                f"authors' scripts. Per match played, the regret is {Estimate.of(per_match)}."
            )


def glance_section(claims: Mapping[str, Sequence[Claim]]) -> Section:
    """A table of all statements, by figure, with their verdicts under each protocol."""
    section = Section("statements", "All statements at a glance")
    every = [claim for here in claims.values() for claim in here]
    protocols = [name for name in PROTOCOLS if any(claim.protocol == name for claim in every)]
    section.header = ["place", "about", "statement", *protocols]
    for about, here in claims.items():
        verdicts = {(claim.place, claim.text, claim.protocol): claim.verdict for claim in here}
        section.rows += [
            [place, about, text, *(verdicts.get((place, text, name), "") for name in protocols)]
            for place, text in dict.fromkeys((claim.place, claim.text) for claim in here)
        ]
    section.notes = [
        "The sections below have the numbers; those on theory, time and games judge further "
        "statements."
    ]
    return section


def summary(claims: Sequence[Claim], figures: Sequence[Experiment], quick: bool) -> Iterator[str]:
    """How many statements hold under each protocol, and what limits the verdicts."""
    for name in PROTOCOLS:
        here = [claim for claim in claims if claim.protocol == name]
        if here:
            yield f"Statements under {name} ({PROTOCOL_NAMES[name]}): {_counts(here)}."
    if figures and min(figure.n_seeds for figure in figures) < FEWEST_SEEDS:
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


def _counts(claims: Sequence[Claim]) -> str:
    """How many claims have each verdict.

    >>> _counts([Claim("", "", holds, "", "") for holds in (True, None, True)])
    '2 hold, 0 do not hold, 1 cannot be decided'
    """
    found = [claim.holds for claim in claims]
    n_true, n_false = found.count(True), found.count(False)
    return (
        f"{n_true} {'holds' if n_true == 1 else 'hold'}, "
        f"{n_false} {'does' if n_false == 1 else 'do'} not hold, "
        f"{found.count(None)} cannot be decided"
    )


def overall_section(claims: Sequence[Claim]) -> Section:
    """The claims over the games of several figures."""
    return Section("overall", "All games of Figures 1 to 3", [_sentence(claim) for claim in claims])


def figure_section(
    study: Study, games: Mapping[str, Game], printed: EndPoints, folder: Path
) -> Section:
    """A figure: its claims, its pictures, and its end points next to the printed ones."""
    section = Section(study.experiment.name, study.experiment.title)
    section.notes = [_sentence(claim) for claim in claims(study, printed)]
    section.notes += notes(study, games, printed)
    for protocol in study.protocols:
        path = save_figure(study.experiment, study.lines, protocol, folder)
        section.pictures.append((_caption(study, protocol), path))
    section.header, section.rows = end_table(study, printed)
    return section


def _caption(study: Study, protocol: str) -> str:
    """The title, the protocol, and the gammas that were chosen, if gamma was."""
    caption = f"{study.experiment.title}, {protocol}"
    if study.experiment.name == "gamma":
        return f"{caption}. Dashed: best at top-1. Bold: best at top-k"
    if study.experiment.name != "figure4":
        return caption
    chosen = [
        f"{game.title}: {gammas}"
        for game in study.experiment.games
        if (gammas := chosen_explorations(study.of(game, protocol).values()))
    ]
    return f"{caption}. Gamma with the best top-k: {'; '.join(chosen)}"


def _sentence(claim: Claim) -> str:
    return judged(f"{claim.place}, {claim.protocol}", claim.holds, claim.text, claim.evidence)


def end_table(study: Study, printed: EndPoints) -> tuple[list[str], Rows]:
    """Final values per game and algorithm: regret and RR, or the top-k measures."""
    names = ("hit", "ndcg") if study.experiment.shows == "top-k" else ("regret", "rr")
    protocols = study.protocols
    has_gap = {"hindsight", "held-out"} <= set(protocols)
    is_tuned = study.experiment.varies is None
    header = [
        "game",
        "algorithm",
        "settings (as-printed)" if study.experiment.printed else "settings",
    ]
    if not is_tuned:
        header[-1] = "setting"
    header += [f"{_short(name)}, {protocol}" for protocol in protocols for name in names]
    header += [f"gap in {_short(names[1])}"] if has_gap else []
    has_print = any(printed_regrets(game, printed) for game in study.experiment.games)
    has_print = has_print and study.experiment.name in ("figure2", "figure3")
    header += ["regret, paper", "RR, paper"] if has_print else []
    rows = []
    for game in study.experiment.games:
        panels = {protocol: study.of(game, protocol) for protocol in protocols}
        for line in study.experiment.algorithms:
            ends = {protocol: panel.get(line.name) for protocol, panel in panels.items()}
            row = [game.title, line.name, _used(study.experiment, line, ends.values())]
            row += [_cell(end, name) for end in ends.values() for name in names]
            row += [_gap(line, ends, names[1])] if has_gap else []
            row += _printed_cells(game, line.name, printed) if has_print else []
            rows.append(row)
    return header, rows


def _used(experiment: Experiment, line: Algorithm, ends: Iterable[Line | None]) -> str:
    """How many settings a line chooses from, or the one that it has for all seeds."""
    if experiment.varies is None:
        scripts = {one.name: len(one.settings) for one in experiment.printed}
        n_scripts = f" ({scripts[line.name]})" if line.name in scripts else ""
        return f"{len(line.settings)}{n_scripts}"
    chosen = next((end.settings[0] for end in ends if end is not None), line.settings[0])
    options = parse(chosen.partition("+")[0])[1] | parse(chosen.partition("+")[2])[1]
    shown = {"exploration": "gamma", "step_size": "eta"}
    return ", ".join(f"{shown[key]} = {options[key]}" for key in shown if key in options)


def _cell(end: Line | None, name: str) -> str:
    return "" if end is None else _mean_and_spread(*end.end(name), name)


def _gap(line: Algorithm, ends: Mapping[str, Line | None], name: str) -> str:
    """How much better a line is on the seeds that chose its setting."""
    hindsight, held_out = ends["hindsight"], ends["held-out"]
    if hindsight is None or held_out is None or len(line.settings) == 1:
        return ""
    return f"{hindsight.end(name)[0] - held_out.end(name)[0]:+.2f}"


def _printed_cells(game: PaperGame, algorithm: str, printed: EndPoints) -> list[str]:
    regret, rank = printed.get((game.name, game.rounds, algorithm), (None, None))
    return ["" if regret is None else f"{regret:.0f}", "" if rank is None else f"{rank:.2f}"]


def _short(name: str) -> str:
    return {"rr": "RR", "hit": "hit ratio@10", "ndcg": "NDCG@10"}.get(name, name)


def _mean_and_spread(mean: float, spread: float, name: str) -> str:
    return f"{mean:.0f} ± {spread:.0f}" if name == "regret" else f"{mean:.2f} ± {spread:.2f}"


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
        f"Figures and tables of the paper, run again on {games}, and its statements of results "
        "with verdicts that follow from these runs."
    )


def method_section(figures: Sequence[Experiment], protocols: Sequence[str]) -> Section:
    """How settings are chosen, what is drawn, and how differences are judged."""
    return Section("method", "How it was measured", [*method(figures, protocols)])


RR_SENTENCE = (
    "RR is the reciprocal rank: 1 / the rank that an algorithm's ratings give to the truly best "
    "player. An RR of 1 means that it is on top."
)
PROTOCOL_NAMES = {
    "hindsight": "settings chosen per seed in hindsight, as in the paper",
    "held-out": "settings chosen on other seeds",
    "as-printed": "the algorithms of the authors' scripts",
}
PROTOCOL_SENTENCES = {
    "hindsight": "Under `hindsight`, each of {seeds} seeds uses the setting that did best on that "
    "seed, as in the paper.",
    "held-out": "Under `held-out`, the setting that did best on {seeds} seeds plays {fresh} fresh "
    "seeds.",
    "as-printed": "Under `as-printed` (Figures 1 to 3), the algorithms and the choice of settings "
    "are those of the authors' scripts, which differ from the text.",
}


def method(figures: Sequence[Experiment], protocols: Sequence[str]) -> Iterator[str]:
    """The notes on how settings are chosen and differences judged."""
    seeds = max(figure.n_seeds for figure in figures)
    fresh = max(figure.n_fresh for figure in figures)
    for protocol in protocols:
        yield PROTOCOL_SENTENCES[protocol].format(seeds=seeds, fresh=fresh)
    if {"hindsight", "held-out"} <= set(protocols):
        yield (
            "The gap between `hindsight` and `held-out` shows how much of a curve is luck in "
            "choosing the setting; more settings bring more luck."
        )
    if any(figure.varies for figure in figures):
        yield (
            "In Figure 4 and the sweep over gamma, eta is that of the setting with the best mean "
            "RR over the seeds, gamma alone varies, and all seeds share the setting, as in the "
            "paper (s.586)."
        )
    yield (
        "Settings that the paper's text does not give are ours: the rounds T of each game, 2k "
        "other than 8 and 16, and tau = 0.1 n, 0.3 n, 0.9 n and 2 n. Numbers of settings in "
        "parentheses are those of the authors' scripts."
    )
    yield (
        "The best player is the one with the largest true rating r*, as in the paper; a game is "
        "shown twice where mean scores name another. Players of equal rating share the better "
        "rank, so a line can be high while many players are tied. While all ratings are equal, "
        "nobody is ranked, and the best player counts as being in the middle."
    )
    yield (
        "Lines are means, bands one standard deviation. Numbers after ± are standard deviations "
        "in the tables and standard errors in the sentences. Where Student's t at 95 % cannot "
        f"separate two means, or where there are fewer than {FEWEST_SEEDS} seeds, the sentence "
        "says that the claim cannot be decided. A place such as s.536 is a line of the paper's "
        "source."
    )
