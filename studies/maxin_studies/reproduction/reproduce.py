"""The whole reproduction: runs the paper's figures and tables and writes a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from maxin.core import InvalidInput, check_name, check_whole
from maxin.core.files import whole_file
from maxin.games import Game
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
from maxin_studies.estimates import FEWEST_SEEDS
from maxin_studies.reproduction.claims import Claim, EndPoints, Study, claims, overall_claims
from maxin_studies.reproduction.claims.printed_ends import PRINTED_SEEDS
from maxin_studies.reproduction.figures import (
    FIGURES,
    Experiment,
    batch_experiments,
    load_games,
)
from maxin_studies.reproduction.game_tables import games_section
from maxin_studies.reproduction.grids import EXTRAS
from maxin_studies.reproduction.page.end_points import (
    points_section,
    points_table,
    printed_points,
)
from maxin_studies.reproduction.page.figure_sections import (
    cells_table,
    figure_section,
    first_look,
    method_section,
    overall_section,
    read_end_points,
    seeds_of,
    source,
)
from maxin_studies.reproduction.page.priors import (
    mean_rr_by_scale,
    prior_section,
    prior_table,
    scaled_lines,
)
from maxin_studies.reproduction.page.screen import screen_section, sentences
from maxin_studies.reproduction.page.statements import (
    evidence_table,
    open_section,
    open_table,
    summary,
)
from maxin_studies.reproduction.printed.explanation import printed_sections, printed_stages
from maxin_studies.reproduction.theory_sections import (
    growth_rounds,
    growth_sections,
    theory_rounds,
    theory_sections,
)
from maxin_studies.reproduction.tuning import PROTOCOLS, lines, stages

PARTS = (*FIGURES, "batch", "printed", "theory", "table1", "table2")
FIRST_PARTS = tuple(part for part in PARTS if part != "printed")  # of a first look, by default
FIRST_PROTOCOLS = PROTOCOLS[:2]  # likewise: the authors' scripts have most of the settings
PRINTED_FIGURES = ("figure2", "figure3")  # those whose printed end points are known
PRIOR_FIGURES = ("figure1", *PRINTED_FIGURES)  # those with the table of priors
TITLE = "The paper, reproduced"


@dataclass(frozen=True)
class Reproduction(ExperimentReport):
    """The report of the reproduction.

    Args:
        summary: how many of the claims hold, and what limits the verdicts.
        claims: the paper's claims, with whether they hold.
        skipped: games that have no payoff file and no rules, and were left out.
    """

    summary: tuple[str, ...]
    claims: tuple[Claim, ...]
    skipped: tuple[str, ...]


def reproduce(
    parts: Sequence[str] | None = None,
    *,
    protocols: Sequence[str] | None = None,
    seeds: int | None = None,
    rounds: int | None = None,
    games: Path | None = None,
    out: Path = Path("out/paper"),
    workers: int | None = None,
    executor: Executor | None = None,
    extra: bool = False,
    quick: bool = False,
    progress: Progress | None = None,
) -> Reproduction:
    """Reproduce the paper's figures and tables, and check its claims.

    Each run is stored as soon as it is done: after an interrupt, the same call resumes.

    Args:
        parts: of `PARTS`; all by default, but for "printed" in a first look.
        protocols: how settings are chosen: "hindsight", per seed as in the paper, "held-out", on
            other seeds than are measured, or "as-printed", per seed for the algorithms as in the
            authors' scripts. All by default, but for "as-printed" in a first look.
        seeds: how many seeds choose settings; four times as many fresh seeds are measured.
        rounds: matches per run, for all games.
        games: a folder of payoff files such as the paper's; by default games come from rules.
        out: the folder of the report and the stored runs. A report that is not of all parts,
            protocols, seeds and rounds has a folder of its own in it, such as out/quick, so that
            it replaces no larger one.
        workers: how many processes; 1 uses this process, None one per core. With an executor,
            how many it has.
        executor: where runs are made, in place of processes here: any of `concurrent.futures`.
        extra: add baselines that are not in the paper to Figures 1 to 3.
        quick: a first look, in about a minute, without the authors' scripts unless they are given.
        progress: called with the name of a stage, the rounds done and their number in all, where
            a slow round counts as several; with every stage before the first begins.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = reproduce(["table2"], out=Path(folder))
    >>> report.sections[0].rows[0][:4]
    ['Transitive game', '100', '1', '1']
    """
    if protocols is None:
        protocols = FIRST_PROTOCOLS if quick else PROTOCOLS
    wanted = _check(parts, protocols, seeds, rounds, quick)
    found = load_games(games)
    pool = StoredPool(out / "runs", workers, progress, executor)
    figures = _figures(wanted, found, extra)
    here = [figure.only(list(found)).smaller(seeds, rounds, quick) for figure in figures]
    here = [figure.with_truths(found) for figure in here if figure.games]
    folder = _folder(out, wanted, protocols, seeds, rounds, quick)
    make_folder(folder / "figures")
    compared = [FIGURES[name].only(list(found)) for name in PRINTED_FIGURES]
    few = min(seeds or PRINTED_SEEDS, PRINTED_SEEDS)  # as in the paper; some lines are slow
    compared = [one.smaller(few, rounds, quick) for one in compared if one.games]
    pool.announce([stages(one, found, protocols) for one in here])
    pool.announce(_stages(wanted, found, compared, quick))
    studies = [Study(one, list(lines(one, found, protocols, pool.complete))) for one in here]
    pages = _Pages(studies, found, protocols, _printed(games), quick)
    sections, tables = pages.figures(pool, folder / "figures")
    if "printed" in wanted:
        sections += printed_sections(compared, found, _printed(games), pool)
    sections += _tables(wanted, found, quick, pool)
    if not sections:
        raise InvalidInput(f"none of the games of {', '.join(wanted)} is available")
    sections += pages.last()
    intro = (source(games), *pages.limits)
    return Reproduction(
        TITLE,
        intro,
        tuple(sections),
        _write(intro, sections, tables, folder),
        (*summary(pages.claims), *pages.limits),
        tuple(pages.claims),
        tuple(sorted({game.name for one in figures for game in one.games} - set(found))),
    )


class _Pages:
    """The sections that follow from the figures."""

    def __init__(
        self,
        studies: Sequence[Study],
        games: Mapping[str, Game],
        protocols: Sequence[str],
        printed: EndPoints,
        quick: bool,
    ) -> None:
        self.studies, self.games, self.protocols = studies, games, protocols
        self.quick = quick
        overall = overall_claims(studies)
        self.about: dict[str, list[Claim]] = {"all games": overall} if overall else {}
        self.about |= {study.experiment.title: claims(study) for study in studies}
        self.claims = [claim for here in self.about.values() for claim in here]
        self.points = printed_points(studies, printed)
        self.experiments = [study.experiment for study in studies]
        n_seeds = min((one.n_seeds for one in self.experiments), default=FEWEST_SEEDS)
        self.limits = tuple(first_look(self.claims, n_seeds, quick))

    def figures(self, pool: StoredPool, folder: Path) -> tuple[list[Section], list[Section]]:
        """The sections of the page up to the last figure, and those that are files alone."""
        if not self.studies:
            return [], []
        scaled = []
        if "hindsight" in self.protocols and not self.quick:
            tuned = [one for one in self.experiments if one.name in PRIOR_FIGURES]
            scaled = list(scaled_lines(tuned, self.games, pool.complete))
        told = sentences(self.claims, self.studies, mean_rr_by_scale(scaled), self.points)
        words = Section("words", "In words", list(told))
        sections = [screen_section(self.claims), *([words] if words.notes else [])]
        sections += [prior_section(scaled)] if scaled else []
        sections += [figure_section(study, self.games, folder) for study in self.studies]
        if "all games" in self.about:
            sections.append(overall_section(self.about["all games"]))
        sections += [points_section(self.points)] if self.points else []
        tables = [evidence_table(self.about), open_table(self.about), cells_table(self.studies)]
        tables += [prior_table(scaled)] if scaled else []
        tables += [points_table(self.points)] if self.points else []
        return sections, tables

    def last(self) -> list[Section]:
        """What is still open, and how it was measured."""
        if not self.studies:
            return []
        seeds = seeds_of(self.experiments, self.protocols)
        return [
            open_section(self.about, seeds),
            method_section(self.experiments, self.protocols),
        ]


def _check(
    parts: Sequence[str] | None,
    protocols: Sequence[str],
    seeds: int | None,
    rounds: int | None,
    quick: bool,
) -> list[str]:
    """Validate the request before starting; returns the parts."""
    wanted = list(dict.fromkeys(_default_parts(quick) if parts is None else parts))
    for part in wanted:
        check_name(part, PARTS, "part")
    check_scale(protocols, seeds, rounds)
    if not wanted:
        raise InvalidInput("a reproduction needs at least one part")
    return wanted


def check_scale(protocols: Sequence[str], seeds: int | None, rounds: int | None) -> None:
    """Raise unless runs of these protocols, seeds and rounds can be made."""
    for protocol in protocols:
        check_name(protocol, PROTOCOLS, "protocol")
    if not protocols:
        raise InvalidInput("a reproduction needs at least one protocol")
    if seeds is not None and not 1 <= check_whole(seeds, "seeds") <= 1000:
        raise InvalidInput(f"seeds must be from 1 to 1000; got {seeds}")
    if rounds is not None and check_whole(rounds, "rounds") < 10:
        raise InvalidInput(f"rounds must be at least 10; got {rounds}")


def _default_parts(quick: bool) -> tuple[str, ...]:
    return FIRST_PARTS if quick else PARTS


def _figures(wanted: Sequence[str], games: Mapping[str, Game], extra: bool) -> list[Experiment]:
    """The requested figures, on all their games."""
    figures = [FIGURES[part] for part in wanted if part in FIGURES]
    if "batch" in wanted:
        figures += batch_experiments(games)
    return [
        replace(figure, algorithms=(*figure.algorithms, *EXTRAS))
        if extra and figure.name in ("figure1", "figure2", "figure3")
        else figure
        for figure in figures
    ]


def _stages(
    wanted: Sequence[str], games: Mapping[str, Game], compared: Sequence[Experiment], quick: bool
) -> Iterator[dict[str, int]]:
    """The stages of the parts that are not figures, with their sizes."""
    if "printed" in wanted:
        yield from (printed_stages(one, games) for one in compared)
    if "theory" in wanted:
        yield {"theory": theory_rounds(games, quick)}
    if "table1" in wanted:
        yield {"table1": growth_rounds(quick)}


def _tables(
    wanted: Sequence[str], games: Mapping[str, Game], quick: bool, pool: StoredPool
) -> Iterator[Section]:
    """The parts that are tables."""
    if "theory" in wanted:
        yield from theory_sections(games, quick, pool)
    if "table1" in wanted:
        yield from growth_sections(quick, pool)
    if "table2" in wanted:
        yield games_section(games)


def _printed(games: Path | None) -> EndPoints:
    """The printed end points, if there is a file of them next to the payoff files."""
    if games is None:
        return {}
    places = (games / "figures.csv", games.parent / "paper" / "figures.csv")
    return next((read_end_points(path) for path in places if path.is_file()), {})


def _folder(
    out: Path,
    parts: Sequence[str],
    protocols: Sequence[str],
    seeds: int | None,
    rounds: int | None,
    quick: bool,
) -> Path:
    """The folder of a report: `out` for all parts in full, else one named after the request.

    >>> _folder(Path("out"), ["figure1"], PROTOCOLS, 5, None, quick=True).as_posix()
    'out/figure1-hindsight-held-out-as-printed-5seeds-quick'
    >>> _folder(Path("out"), FIRST_PARTS, FIRST_PROTOCOLS, None, None, quick=True).as_posix()
    'out/quick'
    """
    is_whole = set(parts) == set(_default_parts(quick))
    names = [] if is_whole else [part for part in PARTS if part in parts]
    if set(protocols) != set(FIRST_PROTOCOLS if quick else PROTOCOLS):
        names += [protocol for protocol in PROTOCOLS if protocol in protocols]
    names += [] if seeds is None else [f"{seeds}seeds"]
    names += [] if rounds is None else [f"{rounds}rounds"]
    names += ["quick"] if quick else []
    return out / "-".join(names) if names else out


def _write(
    intro: Sequence[str], sections: Sequence[Section], tables: Sequence[Section], folder: Path
) -> Path:
    """Write report.md, report.html and one .csv per table; returns the path of the page."""
    write_tables([*sections, *tables], folder / "tables")
    with whole_file(folder / "report.md") as file:
        file.write(markdown(TITLE, intro, sections, folder))
    page = folder / "report.html"
    with whole_file(page) as file:
        file.write(html_page(TITLE, intro, sections))
    return page
