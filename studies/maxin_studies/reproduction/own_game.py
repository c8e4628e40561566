"""The paper's protocol on a game of one's own: tuning, baselines, metrics and plots."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

import numpy as np

from maxin.core.files import whole_file
from maxin.core.specs import parse
from maxin.games import Game, make_game
from maxin.simulation.pool import Progress
from maxin_studies.archive import StoredPool
from maxin_studies.document import (
    ExperimentReport,
    Section,
    html_page,
    make_folder,
    markdown,
    write_tables,
)
from maxin_studies.reproduction.figures import FIGURES, GAME_SEED, Experiment, top_players
from maxin_studies.reproduction.grids import ALPHA_IG, EXTRAS
from maxin_studies.reproduction.page.figure_sections import PROTOCOL_SENTENCES
from maxin_studies.reproduction.page.paper_plots import save_figure
from maxin_studies.reproduction.reproduce import FIRST_PROTOCOLS, check_scale
from maxin_studies.reproduction.runs import LARGEST_K, TRUTHS, truth_of
from maxin_studies.reproduction.tuning import PROTOCOLS, Line, lines, stages

FIGURE_OF = {"Elo": "figure2", "mElo": "figure3"}  # whose algorithms, settings and T are used
LARGEST_ALPHA_IG = 4  # players, as in the paper; with five a round takes 20 times as long
RR_SENTENCE = "RR is 1 / the rank that the ratings give to the best player: 1 is the top."
SYMBOLS = {"exploration": "gamma", "step_size": "eta", "divisor": "delta", "prior_scale": "prior"}


def reproduce_on(
    game: str,
    *,
    protocols: Sequence[str] | None = None,
    seeds: int | None = None,
    rounds: int | None = None,
    out: Path = Path("out/paper"),
    workers: int | None = None,
    executor: Executor | None = None,
    extra: bool = False,
    quick: bool = False,
    progress: Progress | None = None,
) -> ExperimentReport:
    """Run the paper's whole protocol on one game: that of Figure 2, and that of Figure 3.

    Args:
        game: a payoff file or a game with options; see `make_game`.
        protocols: how settings are chosen; see `reproduce`.
        seeds: how many seeds choose settings.
        rounds: matches per run; by default those of the figure.
        out: the folder of the stored runs; the report is in one named after the game in it.
        workers: see `reproduce`, as for the next.
        executor: where runs are made.
        extra: add baselines that are not in the paper.
        quick: a first look.
        progress: called as work is done.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = reproduce_on(
    ...         "good-bad", protocols=["hindsight"], seeds=1, rounds=10, out=Path(folder), workers=1
    ...     )
    >>> report.sections[0].header[:4], report.sections[0].rows[0][:2]
    (['algorithm', 'protocol', 'settings', 'regret'], ['Random', 'hindsight'])
    """
    if protocols is None:
        protocols = FIRST_PROTOCOLS if quick else PROTOCOLS
    check_scale(protocols, seeds, rounds)
    found = make_game(game, np.random.default_rng([GAME_SEED, 0]))
    games = {found.name: found}
    figures = [figure.smaller(seeds, rounds, quick) for figure in experiments(found, extra)]
    name = re.sub(r"\W+", "-", found.name).strip("-")
    folder = make_folder(out / f"game-{name}{'-quick' if quick else ''}")
    make_folder(folder / "figures")
    pool = StoredPool(out / "runs", workers, progress, executor)
    pool.announce(stages(figure, games, protocols) for figure in figures)
    sections = []
    for figure in figures:
        found_lines = lines(figure, games, protocols, pool.complete)
        made = [line for line in found_lines if line.protocol in protocols]  # not those of 1 nat
        made.sort(key=lambda line: PROTOCOLS.index(line.protocol))
        sections.append(_section(figure, found, made, folder))
    title = f"The paper's protocol on {found.name}"
    intro: tuple[str, ...] = (_best(found), RR_SENTENCE)
    n_seeds, n_fresh = figures[0].n_seeds, figures[0].n_fresh
    intro += tuple(PROTOCOL_SENTENCES[p].format(tuned=n_seeds, fresh=n_fresh) for p in protocols)
    write_tables(sections, folder / "tables")
    page = folder / "report.html"
    with whole_file(folder / "report.md") as file:
        file.write(markdown(title, intro, sections, folder))
    with whole_file(page) as file:
        file.write(html_page(title, intro, sections))
    return ExperimentReport(title, intro, tuple(sections), page)


def experiments(game: Game, extra: bool = False) -> list[Experiment]:
    """The algorithms of Figures 2 and 3 on a game, and alpha-IG on a small one."""
    more = (ALPHA_IG,) if game.n_players <= LARGEST_ALPHA_IG else ()
    return [
        replace(
            figure,
            name=ratings,
            title=f"{ratings} ratings",
            games=(replace(figure.games[0], name=game.name, rules=None),),
            algorithms=(*figure.algorithms, *more, *(EXTRAS if extra else ())),
            printed=(*figure.printed, *more),
        )
        for ratings, figure in ((ratings, FIGURES[name]) for ratings, name in FIGURE_OF.items())
    ]


def _section(figure: Experiment, game: Game, made: Sequence[Line], folder: Path) -> Section:
    """The curves of one kind of ratings, and a table of its lines."""
    section = Section(figure.name, figure.title)
    model = FIGURES[FIGURE_OF[figure.name]].title.partition(".")[0]
    section.notes = [
        f"Algorithms and settings are those of {model}, with {figure.games[0].rounds:,} matches "
        "per run. Numbers are means over the seeds ± standard deviations, after the last match."
    ]
    section.pictures = [
        (f"{figure.title}, {protocol}", save_figure(figure, made, protocol, folder / "figures"))
        for protocol in dict.fromkeys(line.protocol for line in made)
    ]
    k = min(LARGEST_K, game.n_players - 1)
    section.header = ["algorithm", "protocol", "settings", "regret", "RR"]
    section.header += [f"hit ratio@{k}", f"NDCG@{k}"]
    readings = {"regret": -1, "rr": -1, "hit": k - 1, "ndcg": k - 1}
    for line in made:
        ends = {name: line.curves(name)[:, place] for name, place in readings.items()}
        numbers = [
            f"{end.mean():.{digits}f} ± {end.std():.{digits}f}"
            for digits, end in zip((0, 2, 2, 2), ends.values(), strict=True)
        ]
        section.rows.append([line.algorithm, line.protocol, chosen(line.settings), *numbers])
    return section


def chosen(settings: Sequence[str]) -> str:
    """The settings of the runs of a line, with how many of them use each.

    >>> chosen(["maxinp:exploration=1", "maxinp:exploration=0.2", "maxinp:exploration=1"])
    'gamma = 1 (2 of 3); gamma = 0.2 (1 of 3)'
    """
    counts = Counter(_shown(setting) for setting in settings)
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{text} ({n} of {len(settings)})" for text, n in counts.most_common())


def _shown(setting: str) -> str:
    scheduler, _, ratings = setting.partition("+")
    options = parse(scheduler)[1] | parse(ratings)[1]
    return ", ".join(f"{SYMBOLS[key]} = {options[key]}" for key in SYMBOLS if key in options)


def _best(game: Game) -> str:
    """Who is the best player: by true rating, and by mean score where that is another."""
    tops = [top_players(truth_of(game, truth), 1) for truth in TRUTHS]
    names = [
        ", ".join(game.names[x] if game.names else f"player {x}" for x in sorted(top))
        for top in tops
    ]
    other = "" if tops[0] == tops[1] else f" By mean score it would be {names[1]}."
    return (
        f"{game.name} has {game.n_players} players. Best by true rating, which RR and regret are "
        f"measured by: {names[0]}.{other} Under `as-printed`, RR on Elo ratings is by mean score."
    )
