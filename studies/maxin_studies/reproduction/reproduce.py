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
from maxin_studies.reproduction.claims import (
    Claim,
    EndPoints,
    Study,
    claims,
    overall_claims,
)
from maxin_studies.reproduction.figure_sections import (
    RR_SENTENCE,
    figure_section,
    glance_section,
    method_section,
    overall_section,
    read_end_points,
    source,
    summary,
)
from maxin_studies.reproduction.figures import (
    FIGURES,
    Experiment,
    batch_experiments,
    load_games,
)
from maxin_studies.reproduction.game_tables import games_section
from maxin_studies.reproduction.grids import EXTRAS
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
TUNED_ONLY = ("figure4", "gamma", "dimension", "batch")  # without the protocol `as-printed`
PRINTED_FIGURES = ("figure2", "figure3")  # those whose printed end points are known
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
            authors' scripts (Figures 1 to 3). All by default, but for "as-printed" in a first
            look.
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
    here = [figure for figure in here if figure.printed or set(protocols) != {"as-printed"}]
    printed = _printed(games)
    folder = _folder(out, wanted, protocols, seeds, rounds, quick)
    make_folder(folder / "figures")
    compared = [FIGURES[name].only(list(found)) for name in PRINTED_FIGURES]
    compared = [one.smaller(seeds, rounds, quick) for one in compared if one.games]
    pool.announce([stages(one, found, protocols) for one in here])
    pool.announce(_stages(wanted, found, compared, quick))
    studies = [Study(one, list(lines(one, found, protocols, pool.complete))) for one in here]
    overall = overall_claims(studies)
    about = {"all games": overall} if overall else {}
    about |= {study.experiment.title: list(claims(study, printed)) for study in studies}
    every = [claim for found_here in about.values() for claim in found_here]
    sections = [glance_section(about)] if about else []
    sections += [method_section(here, protocols)] if here else []
    sections += [overall_section(overall)] if overall else []
    sections += [figure_section(study, found, printed, folder / "figures") for study in studies]
    if "printed" in wanted:
        sections += printed_sections(compared, found, printed, pool)
    sections += _tables(wanted, found, quick, pool)
    if not sections:
        raise InvalidInput(f"none of the games of {', '.join(wanted)} is available")
    summed_up = tuple(summary(every, here, quick))
    intro = (source(games), *summed_up, *([RR_SENTENCE] if here else []))
    return Reproduction(
        TITLE,
        intro,
        tuple(sections),
        _write(intro, sections, folder),
        summed_up,
        tuple(every),
        tuple(sorted({game.name for one in figures for game in one.games} - set(found))),
    )


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
    if parts is not None and set(protocols) == {"as-printed"}:
        _check_printed(wanted)
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


def _check_printed(wanted: Sequence[str]) -> None:
    """Raise if a part is asked for that has no lines under `as-printed`."""
    without = [part for part in wanted if part in TUNED_ONLY]
    if without:
        raise InvalidInput(
            "the protocol 'as-printed' exists for figure1, figure2 and figure3 only; got the part "
            f"{without[0]!r}"
        )


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


def _write(intro: Sequence[str], sections: Sequence[Section], folder: Path) -> Path:
    """Write report.md, report.html and one .csv per table; returns the path of the page."""
    write_tables(sections, folder / "tables")
    with whole_file(folder / "report.md") as file:
        file.write(markdown(TITLE, intro, sections, folder, has_contents=True))
    page = folder / "report.html"
    with whole_file(page) as file:
        file.write(html_page(TITLE, intro, sections))
    return page
