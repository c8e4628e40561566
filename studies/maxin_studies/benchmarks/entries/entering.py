"""`maxin bench --entry`: plays the frozen set with one scheduler, and writes its result file."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from maxin.simulation.pool import Progress, TaskPool
from maxin_studies.benchmarks.entries.entry_race import EntryRace, made_entry
from maxin_studies.benchmarks.entries.frozen_set import HALVES, SET, FrozenSet
from maxin_studies.benchmarks.entries.result_file import EntryResult
from maxin_studies.benchmarks.questions import by_seed
from maxin_studies.benchmarks.races import game_of
from maxin_studies.document import ExperimentReport, Section, make_folder

MEASURES = ("loss, Elo", "P(best)", "matches to the stop", "stopped", "wrong stops")


def enter(
    entry: str,
    *,
    out: Path = Path("out/bench"),
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    frozen_set: FrozenSet = SET,
) -> ExperimentReport:
    """Play the frozen set with a scheduler, and write one result file.

    Nothing is resumed, since the code of an entry may change while its name does not. The same
    code gives the same file.

    Args:
        entry: package:Class, for a class that is called as `Class(n_players, rng=rng)`; or a name
            with options, see `make_scheduler`.
        out: the folder of the file, which is named after the entry.
        workers: how many processes; 1 uses this process, None one per core. With an executor,
            how many it has.
        executor: where tournaments are played, in place of processes here.
        progress: called as work is done.
        frozen_set: what to play.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = enter("random", out=Path(folder), workers=1, frozen_set=SET.smaller(1, 2))
    ...     report.path.name
    'random.json'
    >>> report.sections[0].rows[0][:2]
    ['field:n_players=10', '4']
    """
    for game in frozen_set.games:
        made_entry(entry, game_of(game, 0).n_players, np.random.default_rng(0))
    groups = entry_races(entry, frozen_set)
    tasks = by_seed(groups.values())
    pool = TaskPool(workers, progress, executor)
    make_folder(out)
    pool.report("entry", 0, sum(task.size for task in tasks))
    done = pool.complete("entry", tasks)
    runs = {where: [done[task] for task in some] for where, some in groups.items()}
    result = EntryResult.of(entry, frozen_set, runs)
    title, path = f"The entry {entry}", result.write(out)
    intro = (f"Version {frozen_set.version} of the frozen set, {frozen_set.hash}.",)
    return ExperimentReport(title, intro, (result_section(result),), path)


def entry_races(entry: str, frozen_set: FrozenSet) -> dict[tuple[str, str], list[EntryRace]]:
    """The tournaments of each game and half, one per seed."""
    numbers = frozen_set.multiples, frozen_set.confidence, frozen_set.tolerance
    return {
        (game, half): [
            EntryRace(game, "", entry, rounds, seed, 1, *numbers)
            for seed in frozen_set.seeds(half, entry)
        ]
        for game, rounds in frozen_set.rounds.items()
        for half in HALVES
    }


def result_section(result: EntryResult) -> Section:
    """The table of an entry, by game and of all."""
    section = Section("entry", f"The entry {result.entry}")
    section.header = ["game", "seeds", *MEASURES]
    n_seeds = str(len(HALVES) * result.frozen_set.n_seeds)
    games = result.frozen_set.games
    section.rows = [[game, n_seeds, *measures(result, [game])] for game in games]
    section.rows.append(["all", n_seeds, *measures(result, games)])
    return section


def measures(result: EntryResult, games: tuple[str, ...] | list[str]) -> list[str]:
    """The cells of `MEASURES`, each with its interval."""
    digits = {"loss": 0, "found": 2, "matches": 0, "stopped": 2, "wrong_stops": 3}
    return [
        "{mean:.{n}f} [{low:.{n}f}, {high:.{n}f}]".format(**cell, n=digits[name])
        for name, cell in result.summary(games).items()
    ]
