"""The printed MaxInP by gamma, and what each difference of the scripts from the text does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from maxin.games import Game
from maxin_studies.archive import StoredPool
from maxin_studies.document import Rows, Section
from maxin_studies.reproduction.claims import EndPoints
from maxin_studies.reproduction.claims.measures import FINAL_RR
from maxin_studies.reproduction.figures import Experiment, tuning_runs
from maxin_studies.reproduction.printed.variants import VARIANTS, with_variants
from maxin_studies.reproduction.tuning import Choice, Line, hindsight_lines

TEXT, PER_SEED, SHARED = "text", "scripts, per seed", "scripts, shared"
COLUMNS = (TEXT, PER_SEED, SHARED)


def printed_sections(
    figures: Sequence[Experiment], games: Mapping[str, Game], printed: EndPoints, pool: StoredPool
) -> Iterator[Section]:
    """The part "printed": MaxInP by gamma, if its ends are known, and what each difference does."""
    lines = {column: list[Line]() for column in COLUMNS}
    rows: Rows = []
    for figure in figures:
        scripts = with_variants(figure.as_printed())
        done = pool.complete(f"{figure.name}, scripts", list(tuning_runs(scripts, games)))
        rows += [
            row
            for game in scripts.games
            if (row := gamma_row(Choice(scripts, game, games, done), printed))
        ]
        lines[PER_SEED] += hindsight_lines(scripts, games, done, PER_SEED)
        lines[SHARED] += hindsight_lines(scripts, games, done, SHARED, shared=True)
        tuned = pool.complete(f"{figure.name}, tuning", list(tuning_runs(figure, games)))
        lines[TEXT] += hindsight_lines(figure, games, tuned, TEXT)
    if rows:
        yield gamma_section(rows)
    yield variants_section(lines)


def printed_stages(figure: Experiment, games: Mapping[str, Game]) -> dict[str, int]:
    """The names of what `printed_sections` runs for a figure, each with the size of its runs."""
    scripts = with_variants(figure.as_printed())
    runs = {"scripts": tuning_runs(scripts, games), "tuning": tuning_runs(figure, games)}
    return {f"{figure.name}, {name}": sum(run.size for run in some) for name, some in runs.items()}


def gamma_row(choice: Choice, printed: EndPoints) -> list[str]:
    """The gamma at which the scripts' MaxInP has the printed regret most nearly."""
    game, experiment = choice.game, choice.experiment
    point = printed.get((game.name, game.rounds, "MaxInP"))
    if point is None:
        return []
    maxinp = next(line for line in experiment.algorithms if line.name == "MaxInP")
    one_by_one = [choice.fixed(setting, maxinp) for setting in maxinp.settings]
    regrets = [line.end("regret")[0] for line in one_by_one]
    nearest = min(one_by_one, key=lambda line: abs(line.end("regret")[0] - point[0]))
    [gamma] = nearest.explorations
    return [
        game.name, f"{point[0]:.0f}", f"{point[1]:.2f}", f"{min(regrets):.0f}",
        f"{max(regrets):.0f}", gamma, f"{nearest.end('regret')[0]:.0f}",
        f"{FINAL_RR.of(nearest).mean:.2f}",
    ]  # fmt: skip


def gamma_section(rows: Rows) -> Section:
    """MaxInP of the scripts at the gamma that fits the print best."""
    section = Section("printed-maxinp", "The printed MaxInP and gamma")
    section.notes = [
        "The scripts' MaxInP with one gamma for all seeds: its smallest and largest final regret "
        "over the ten values. `reproduction/printed-maxinp.csv` has the value whose regret is "
        "nearest to the printed one.",
    ]
    section.header = ["game", "regret, paper", "RR, paper", "smallest regret", "largest regret",
                      "nearest gamma", "regret there", "RR there"]  # fmt: skip
    section.rows = rows
    section.shown = ["game", "regret, paper", "smallest regret", "largest regret"]
    return section


def variants_section(lines: Mapping[str, Sequence[Line]]) -> Section:
    """What each difference of the scripts from the text does to regret and RR."""
    section = Section(
        "printed-differences", "What each difference of the scripts from the text does"
    )
    games = list(dict.fromkeys(line.game.name for line in lines[PER_SEED]))
    section.header = ["change", *games, "mean ratio", "mean change in RR"]
    section.notes = [
        "Every row undoes one difference in the scripts' algorithm. The ratio is that of the final "
        "regrets, with settings chosen per seed; it is the geometric mean over the games, which "
        "`reproduction/printed-differences.csv` has. The last rows compare the text as a whole, "
        "and one setting for all seeds, with the scripts' choice per seed.",
    ]
    section.shown = ["change", *section.header[-2:]]
    changes = [
        (
            variant.name,
            variant.algorithm,
            [x for x in lines[PER_SEED] if x.algorithm == variant.name],
        )
        for variant in VARIANTS
    ]
    changes += [
        (f"{family}, {column}", family, [x for x in lines[column] if _is(x, family)])
        for column in (TEXT, SHARED)
        for family in ("MaxIn", "MaxInP")
    ]
    scripts = {
        family: {line.game.name: line for line in lines[PER_SEED] if _is(line, family)}
        for family in ("MaxIn", "MaxInP")
    }
    section.rows = [
        _variant_row(name, changed, scripts[family], games)
        for name, family, changed in changes
        if changed
    ]
    return section


def _is(line: Line, family: str) -> bool:
    """Whether a line is MaxIn or MaxInP without a change."""
    names = ("MaxIn-Elo", "MaxIn-mElo") if family == "MaxIn" else ("MaxInP",)
    return line.algorithm in names


def _variant_row(
    name: str, changed: Sequence[Line], scripts: Mapping[str, Line], games: Sequence[str]
) -> list[str]:
    """The ratio of regrets per game, its geometric mean, and the mean change in RR."""
    ratios: dict[str, float] = {}
    changes = []
    for line in changed:
        base = scripts[line.game.name]
        ratio = line.end("regret")[0] / base.end("regret")[0]
        ratios.setdefault(line.game.name, ratio)
        changes.append(np.mean(line.mean_rrs()) - np.mean(base.mean_rrs()))
    cells = [f"{ratios[game]:.2f}" if game in ratios else "" for game in games]
    mean = float(np.exp(np.mean(np.log(list(ratios.values())))))
    return [name, *cells, f"{mean:.2f}", f"{np.mean(changes):+.2f}"]
