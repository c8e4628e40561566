"""What does a newcomer wait for, from an empty clone to the first results? In CPU seconds.

It measures the last commit, in environments of its own; `--old COMMIT` measures an older commit
beside it. Other work on the machine changes CPU time far less than it changes the time on the
clock. Packages come from the package index.
"""

from __future__ import annotations

import argparse
import doctest
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import show

ROOT = Path(__file__).resolve().parents[1]
N_ROWS, N_PLAYERS = 100_000, 100  # of the results that `maxin rank` reads
LARGEST = 5  # packages whose size is shown
Costs = dict[str, float]


def cpu_seconds(*command: object, cwd: Path, repeats: int = 1) -> float:
    """The CPU time of a command and all it starts: the least of some repeats."""
    best = float("inf")
    for _ in range(repeats):
        before = os.times()
        subprocess.run(
            [str(word) for word in command],
            check=True,
            cwd=cwd,
            env=os.environ | {"PYTHON": sys.executable},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        after = os.times()
        spent = after.children_user + after.children_system
        best = min(best, spent - before.children_user - before.children_system)
    return best


def megabytes(folder: Path) -> float:
    """The size of all files in a folder, or of a file."""
    files = [folder, *folder.rglob("*")]
    return sum(path.lstat().st_size for path in files if not path.is_dir()) / 1e6


def installed(site: Path) -> Costs:
    """What lies in an environment, in megabytes: all but pip, and its largest parts."""
    sizes = {path.name: megabytes(path) for path in site.iterdir() if "pip" not in path.name}
    largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:LARGEST]
    return {"installed, MB": sum(sizes.values())} | {
        f"  {name}, MB": sizes[name] for name in largest
    }


def readme_example(tree: Path) -> str:
    """The first example of the README, as a program."""
    found = re.search(r"^```python\n(.*?)^```$", (tree / "README.md").read_text(), re.M | re.S)
    assert found is not None
    return doctest.script_from_examples(found[1])


def write_results(path: Path) -> None:
    """Results of players of whom each is a little better than the next."""
    rng = random.Random(1)
    lines = ["first,second,score"]
    for _ in range(N_ROWS):
        first, second = rng.sample(range(N_PLAYERS), 2)
        score = int(rng.random() < 1 / (1 + 10 ** ((first - second) / 40)))
        lines.append(f"p{first},p{second},{score}")
    path.write_text("\n".join(lines))


def measure(source: str, commit: str, folder: Path) -> Costs:
    """All costs of a commit."""
    costs: Costs = {}
    tree, work = folder / "tree", folder / "work"
    work.mkdir(parents=True)
    subprocess.run(["git", "clone", "--quiet", source, tree], check=True)
    subprocess.run(["git", "checkout", "--quiet", commit], cwd=tree, check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    python, maxin = folder / "env/bin/python", folder / "env/bin/maxin"

    costs["pip install ."] = cpu_seconds(python, "-m", "pip", "install", tree, cwd=work)
    (site,) = (folder / "env/lib").glob("python*/site-packages")
    costs |= installed(site)
    write_results(work / "results.csv")
    for name, command in {
        "README's example": (python, "-c", readme_example(tree)),
        f"maxin rank, {N_ROWS:,} rows": (maxin, "rank", "results.csv"),
    }.items():
        costs[f"{name}: first run"] = cpu_seconds(*command, cwd=work)
        costs[f"{name}: second run"] = cpu_seconds(*command, cwd=work)
    start = [maxin, "start", "--player", "a", "--player", "b", "--player", "c"]
    cpu_seconds(*start, cwd=work)
    for words in (["ask"], ["tell", "1", "1"], ["show"], ["--help"], ["run", "--help"]):
        repeats = 1 if words[0] == "tell" else 3
        costs[f"maxin {' '.join(words)}"] = cpu_seconds(maxin, *words, cwd=work, repeats=repeats)
    clock = time.perf_counter()
    costs["scripts/demo from an empty clone"] = cpu_seconds(tree / "scripts/demo", cwd=tree)
    costs["scripts/demo, on the clock"] = time.perf_counter() - clock
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", help="a commit of this repository, or a folder with another clone")
    old = parser.parse_args().old
    with tempfile.TemporaryDirectory() as folder:
        columns = [measure(str(ROOT), "HEAD", Path(folder, "new"))]
        if old is not None:
            place = (old, "HEAD") if Path(old).is_dir() else (str(ROOT), old)
            columns.append(measure(*place, Path(folder, "old")))
    names = list(dict.fromkeys(name for column in columns for name in column))
    rows = []
    for name in names:
        values = [column.get(name) for column in columns]
        cells = ["-" if value is None else f"{value:.2f}" for value in values]
        if len(values) == 2:
            both = None not in values
            cells.append(f"{values[1] / values[0]:.1f} x" if both else "-")
        rows.append([name, *cells])
    header = ["CPU seconds, unless stated", "now"]
    show("The first run", header + ([old[:20], "old / now"] if old else []), rows)


if __name__ == "__main__":
    main()
