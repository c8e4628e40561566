"""The result file of an entry: every number of every seed, and what follows from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxin import __version__
from maxin.core import InvalidInput
from maxin.core.files import whole_file
from maxin_studies.benchmarks.entries.entry_race import EntryNumbers
from maxin_studies.benchmarks.entries.frozen_set import HALVES, FrozenSet
from maxin_studies.estimates import Estimate, wilson

Values = NDArray[np.float64]
Runs = Mapping[tuple[str, str], Sequence[EntryNumbers]]  # by game and half, one per seed
INNERMOST = re.compile(r"\[[^][{}]*\]|\{[^][{}]*\}")  # lists and tables of a JSON text


@dataclass(frozen=True)
class EntryResult:
    """The result of an entry.

    Args:
        entry: its name.
        maxin: the version of maxin that played it.
        frozen_set: what it played.
        runs: the numbers of every tournament.
    """

    entry: str
    maxin: str
    frozen_set: FrozenSet
    runs: Runs

    def losses(self, game: str, halves: Iterable[str] = HALVES) -> Values:
        """The mean loss over the budgets, one per seed."""
        return _array(float(np.mean(run.losses)) for run in self._of(game, halves))

    def loss(self, halves: Iterable[str] = HALVES) -> Estimate:
        """The mean loss over games, budgets and seeds."""
        return Estimate.over_games([self.losses(one, halves) for one in self.frozen_set.games])

    def summary(self, games: Sequence[str]) -> dict[str, dict[str, float]]:
        """The measures over games, each of which counts alike, with their 95 % intervals.

        A tournament that never stopped counts as stopped at its last match. A share of wrong stops
        is one of all stops.
        """
        runs = [self._of(game, HALVES) for game in games]
        stops = [run for some in runs for run in some if run.stop is not None]
        n_wrong, n_stops = sum(run.is_wrong for run in stops), len(stops)
        matches = Estimate.over_games([self._matches(game) for game in games])
        loss = Estimate.over_games([self.losses(game) for game in games])
        return {
            "loss": _cell(1, loss.mean, loss.interval()),
            "found": _share([_array(run.found for run in some) for some in runs]),
            "matches": _cell(1, matches.mean, matches.interval()),
            "stopped": _share([_array(run.stop is not None for run in some) for some in runs]),
            "wrong_stops": _cell(4, n_wrong / max(1, n_stops), wilson(n_wrong, n_stops)),
        }

    def _matches(self, game: str) -> Values:
        """The matches to the stop, or to the end of a tournament that has not stopped."""
        most = self.frozen_set.rounds[game]
        return _array(run.stop or most for run in self._of(game, HALVES))

    def _of(self, game: str, halves: Iterable[str]) -> list[EntryNumbers]:
        return [run for half in halves for run in self.runs[game, half]]

    def document(self) -> dict[str, Any]:
        """What the file says."""
        frozen = self.frozen_set
        return {
            "entry": self.entry,
            "maxin": self.maxin,
            "set": {"version": frozen.version, "hash": frozen.hash},
            "first_seeds": {half: frozen.seeds(half, self.entry).start for half in HALVES},
            "summary": self.summary(frozen.games),
            "games": [
                {
                    "game": game,
                    "summary": self.summary([game]),
                    **{half: _columns(self.runs[game, half]) for half in HALVES},
                }
                for game in frozen.games
            ],
        }

    def write(self, folder: Path) -> Path:
        """Write the file, which follows from the numbers alone."""
        path = folder / file_name(self.entry)
        text = json.dumps(self.document(), indent=1)
        with whole_file(path) as file:
            file.write(INNERMOST.sub(lambda one: "".join(one[0].split()), text) + "\n")
        return path

    @classmethod
    def of(cls, entry: str, frozen_set: FrozenSet, runs: Runs) -> EntryResult:
        """The result of runs that were made now."""
        return cls(entry, __version__, frozen_set, runs)

    @classmethod
    def read(cls, path: Path, frozen_set: FrozenSet) -> EntryResult:
        """The result in a file, or an error if the file is not that of this set, as it was written.

        Whatever follows from the numbers is computed again and compared.
        """
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            label = {"version": frozen_set.version, "hash": frozen_set.hash}
            if document["set"] != label:
                raise InvalidInput(
                    f"{path.name} was measured on the set {document['set']}, and the set is now "
                    f"{label}; measure the entry again"
                )
            runs = {
                (one["game"], half): _numbers(one[half])
                for one in document["games"]
                for half in HALVES
            }
            result = cls(str(document["entry"]), str(document["maxin"]), frozen_set, runs)
            _check(result)
            same = json.loads(json.dumps(result.document())) == document
        except InvalidInput:
            raise
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise InvalidInput(
                f"{path.name} is not a result file of `maxin bench --entry`: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not same or path.name != file_name(result.entry):
            raise InvalidInput(
                f"{path.name} is not as `maxin bench --entry` writes it: its name, seeds and "
                f"summaries must follow from its entry and numbers; measure the entry again"
            )
        return result


def file_name(entry: str) -> str:
    """The name of an entry's file: other characters than letters, digits and -_+. become "-".

    >>> file_name("round-robin:cycles=none")
    'round-robin-cycles-none.json'
    """
    return re.sub(r"[^\w+.-]+", "-", entry) + ".json"


def _share(games: Sequence[Values]) -> dict[str, float]:
    """The share over games: by Wilson for one game, and by Student's t for a mean of several.

    Games of the same seed may have the same players, so their cases cannot be counted together.
    """
    if len(games) == 1:
        return _cell(4, games[0].mean(), wilson(games[0].sum(), len(games[0])))
    share = Estimate.over_games(games)
    low, high = share.interval()
    return _cell(4, share.mean, (max(0.0, low), min(1.0, high)))


def _cell(digits: int, mean: float, interval: tuple[float, float]) -> dict[str, float]:
    values = zip(("mean", "low", "high"), (mean, *interval), strict=True)
    return {name: round(float(value), digits) for name, value in values}


def _array(values: Iterable[float]) -> Values:
    return np.array(list(values), dtype=np.float64)


def _columns(runs: Sequence[EntryNumbers]) -> dict[str, Any]:
    """The numbers of all seeds, compactly."""
    return {
        "losses": [list(losses) for losses in zip(*(run.losses for run in runs), strict=True)],
        "found": [run.found for run in runs],
        "stop": [run.stop for run in runs],
        "wrong": [int(run.is_wrong) for run in runs],
    }


def _numbers(columns: Mapping[str, Any]) -> list[EntryNumbers]:
    """The opposite of `_columns`."""
    cells = zip(
        zip(*columns["losses"], strict=True),
        columns["found"],
        columns["stop"],
        columns["wrong"],
        strict=True,
    )
    return [
        EntryNumbers(tuple(map(float, losses)), float(found), stop, bool(wrong))
        for losses, found, stop, wrong in cells
    ]


def _check(result: EntryResult) -> None:
    """Raise unless all numbers are there and possible."""
    frozen = result.frozen_set
    for game, rounds in frozen.rounds.items():
        for half in HALVES:
            runs = result.runs[game, half]
            if len(runs) != frozen.n_seeds or not all(
                _is_possible(run, len(frozen.multiples), rounds) for run in runs
            ):
                raise ValueError(f"the {half} half of {game} has impossible numbers")


def _is_possible(run: EntryNumbers, n_losses: int, rounds: int) -> bool:
    return (
        len(run.losses) == n_losses
        and all(0.0 <= loss < np.inf for loss in run.losses)
        and 0.0 <= run.found <= 1.0
        and (run.stop is None or run.stop in range(1, rounds + 1))
        and (run.stop is not None or not run.is_wrong)
    )
