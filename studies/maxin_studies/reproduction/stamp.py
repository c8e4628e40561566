"""What the page was made from: digests of the code of its runs, and cells to compute again.

`scripts/reproduction` calls this. A digest ignores comments, docstrings and blank lines.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from maxin.core import InvalidInput
from maxin.games import Game
from maxin_studies.reproduction.figures import (
    ELO_GAMES,
    GOOD_BAD,
    MELO_GAMES,
    load_games,
    run_of,
)

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "studies" / "docs"
CELLS = DOCS / "reproduction" / "cells.csv"
STAMP = DOCS / "reproduction" / "made-from.json"
# The files whose functions a run of the paper calls; a test follows runs and compares.
RUN_SOURCES = (
    "kernels/core/arrays.hpp", "kernels/core/blas.cpp", "kernels/core/blas.hpp",
    "kernels/core/core.cpp", "kernels/core/linalg.hpp", "kernels/core/loops.cpp",
    "kernels/core/loops.hpp", "kernels/core/numbers.cpp", "kernels/core/numbers.hpp",
    "kernels/ratings/elo.cpp", "kernels/ratings/groups.hpp", "kernels/ratings/learner.cpp",
    "kernels/ratings/pairs.cpp", "kernels/schedulers/widths.cpp",
    "maxin/core/linalg.py", "maxin/evaluation/alpha_rank.py", "maxin/evaluation/metrics.py",
    "maxin/games/base.py", "maxin/games/files.py", "maxin/ratings/base.py",
    "maxin/ratings/bradley_terry.py", "maxin/ratings/elo.py",
    "maxin/ratings/fitting/curvature.py", "maxin/ratings/fitting/logs.py",
    "maxin/ratings/fitting/newton.py", "maxin/ratings/fitting/pairs.py", "maxin/ratings/melo.py",
    "maxin/schedulers/base.py", "maxin/schedulers/in_flight.py",
    "maxin/schedulers/paper/alpha_ig.py", "maxin/schedulers/paper/dbgd.py",
    "maxin/schedulers/paper/maxin.py", "maxin/schedulers/paper/maxinp.py",
    "maxin/schedulers/paper/rg_ucb.py", "maxin/schedulers/paper/widths.py",
    "maxin/schedulers/random.py", "maxin/simulation/simulation.py",
    "studies/maxin_studies/reproduction/printed/script_schedulers.py",
    "studies/maxin_studies/reproduction/runs.py",
)  # fmt: skip
# With those that say what is run, and which setting of it is shown.
SOURCES = (
    *RUN_SOURCES,
    "studies/maxin_studies/reproduction/figures.py",
    "studies/maxin_studies/reproduction/grids.py",
    "studies/maxin_studies/reproduction/tuning.py",
)
# They check arguments and build schedulers by name: no number follows from them.
CARRIERS = ("maxin/core/checks.py", "maxin/core/specs.py", "maxin/evaluation/checks.py",
            "maxin/schedulers/registry.py", "studies/maxin_studies/tasks.py")  # fmt: skip
STALE = (
    "{files} changed since studies/docs/reproduction.md was made. If no number changes by it, "
    "`scripts/reproduction GAMES_FOLDER --check` finds so in a minute and stamps the page again; "
    "otherwise `scripts/reproduction GAMES_FOLDER` makes it again, in three hours on two cores"
)


def digests(root: Path = ROOT) -> dict[str, str]:
    """A digest of the code of every source."""
    return {
        name: hashlib.sha256(code_of(root / name).encode()).hexdigest()[:16] for name in SOURCES
    }


def code_of(path: Path) -> str:
    """A source without comments, docstrings, blank lines and spaces at the ends of lines."""
    text = path.read_text()
    bare = _bare_python(text) if path.suffix == ".py" else _bare_cpp(text)
    return "\n".join(line.rstrip() for line in bare.splitlines() if line.strip())


def _bare_python(text: str) -> str:
    r"""Python code without comments and docstrings.

    >>> _bare_python('def one():  # the first\n    "A number."\n    return 1\n').split()
    ['def', 'one():', 'return', '1']
    """
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            for row in range(first.lineno, (first.end_lineno or first.lineno) + 1):
                lines[row - 1] = ""
    return "\n".join(lines)


def _bare_cpp(text: str) -> str:
    r"""C++ code without comments.

    >>> _bare_cpp("int one; // the first\n/* two\nlines */int two;")
    'int one; \nint two;'
    """
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def changed(stamp: Path, sources: Sequence[str] = SOURCES, root: Path = ROOT) -> list[str]:
    """The sources that are not as they were when a stamp was written; all if there is none."""
    made = json.loads(stamp.read_text()) if stamp.is_file() else {}
    now = digests(root)
    return [name for name in sources if now[name] != made.get(name)]


def write(stamp: Path) -> None:
    """Write the present digests."""
    stamp.write_text(json.dumps(digests(), indent=1) + "\n")


def prepare(runs: Path) -> None:
    """Remove stored runs that other code made, if there is a stamp that says so."""
    runs.mkdir(parents=True, exist_ok=True)
    stamp = runs / "made-from.json"
    if stamp.is_file() and changed(stamp, RUN_SOURCES):
        for path in runs.glob("*.parquet"):
            path.unlink()
    write(stamp)


Cell = Mapping[str, str]  # a row of the file of cells


def read_cells(path: Path = CELLS) -> list[dict[str, str]]:
    """The cells of the page whose settings were chosen on the seeds that are shown."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["protocol"] in ("hindsight", "as-printed")]


def sample(cells: Sequence[Cell], per_figure: int | None = None) -> list[Cell]:
    """Cells of MaxIn and MaxInP, of each figure and protocol, on so many games or on all.

    The scripts' MaxInP is left out, since each of its runs takes a second.
    """
    kept: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        settings = cell["settings of first"]
        if "maxin" in settings and not settings.startswith("printed-maxinp"):
            family = cell["algorithm"].split("-")[0].split(" = ")[0]
            kept.setdefault((cell["figure"], cell["protocol"], family), []).append(cell)
    return [cell for found in kept.values() for cell in found[:per_figure]]


def regret_now(cell: Cell, games: Mapping[str, Game]) -> float:
    """The mean final regret of a cell on its first seeds, computed again."""
    known = {game.name: game for game in (*GOOD_BAD, *ELO_GAMES, *MELO_GAMES)}
    settings = cell["settings of first"].split()
    runs = [
        run_of(known[cell["game"]], games, setting, seed) for seed, setting in enumerate(settings)
    ]
    return sum(float(run.run().regret[-1]) for run in runs) / len(runs)


def differences(cells: Sequence[Cell], games: Mapping[str, Game]) -> Iterator[str]:
    """The cells that are no longer what they were, as text."""
    for cell in cells:
        now, was = regret_now(cell, games), float(cell["regret of first"])
        if abs(now - was) > 1e-4 * max(1.0, was):
            where = f"{cell['figure']}, {cell['game']}, {cell['algorithm']}, {cell['protocol']}"
            yield f"{where}: a regret of {now:.4f}, on the page {was:.4f}"


def check(folder: Path, runs: Path) -> None:
    """Compute cells again and, if none differs, stamp the page and the stored runs."""
    cells = sample(read_cells(), per_figure=6)
    found = list(differences(cells, load_games(folder)))
    if found:
        raise InvalidInput(
            f"{len(found)} of {len(cells)} cells changed, so the page must be made again; the "
            f"first is {found[0]}"
        )
    write(STAMP)
    if runs.is_dir():
        write(runs / "made-from.json")
    print(f"{len(cells)} cells are what they were: stamped")


def main(action: str, *arguments: str) -> None:
    """`prepare RUNS`, `write`, or `check GAMES_FOLDER RUNS`."""
    if action == "prepare":
        prepare(Path(arguments[0]))
    elif action == "write":
        write(STAMP)
    else:
        check(Path(arguments[0]), Path(arguments[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
