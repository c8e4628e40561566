"""The archive: what was added comes back, and files that are not complete are named or ignored."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

from maxin.core import InvalidInput
from maxin_studies.archive import Archive
from maxin_studies.tasks import StoredTask


class Sums(NamedTuple):
    curve: np.ndarray
    total: float


@dataclass(frozen=True)
class Sum(StoredTask[Sums]):
    kind: ClassVar[str] = "sum"
    version: ClassVar[int] = 1
    outcome_type: ClassVar[type] = Sums

    rounds: int
    seed: int

    def run(self):
        draws = np.random.default_rng(self.seed).random(self.rounds).astype(np.float32)
        return Sums(np.cumsum(draws), float(draws.sum()))


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_outcomes_come_back_unchanged(tmp_path):
    tasks = [Sum(5, seed) for seed in range(3)]
    archive = Archive(tmp_path, Sums)
    archive.add({tasks[0]: tasks[0].run()})
    archive.add({tasks[1]: tasks[1].run()})
    found = Archive(tmp_path, Sums).outcomes(tasks)
    assert set(found) == set(tasks[:2])
    assert all(same(found[task], task.run()) for task in found)


def test_a_broken_file_is_named_and_half_written_files_are_ignored(tmp_path):
    archive = Archive(tmp_path, Sums)
    archive.add({Sum(5, 0): Sum(5, 0).run()})
    (tmp_path / "killed.part").write_bytes(b"half")
    assert len(archive.outcomes([Sum(5, 0)])) == 1
    (tmp_path / "broken.parquet").write_bytes(b"rubbish")
    with pytest.raises(InvalidInput, match=r"broken.parquet' is not a complete Parquet file"):
        archive.outcomes([Sum(5, 0)])


def test_another_version_makes_stored_outcomes_unknown(tmp_path, monkeypatch):
    archive = Archive(tmp_path, Sums)
    archive.add({Sum(5, 0): Sum(5, 0).run()})
    monkeypatch.setattr(Sum, "version", 2)
    assert not archive.outcomes([Sum(5, 0)])
