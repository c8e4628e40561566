"""Make the gallery in `docs/gallery` from real runs of the scripts in `examples/gallery`.

A script is run as a user runs it. Its page has what its docstring promises, what the run printed, a
picture of its report, what it took, and the script. What a round robin takes is simulated: the same
players meet with the chances that the run estimated, and each simulated tournament ends by the
run's own rule. `docs/gallery/runs.json` keeps the runs: pages follow from them and the scripts.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maxin import Tournament
from maxin.core.units import ELO_PER_NAT

ROOT = Path(__file__).resolve().parents[1]
COLOURS, VOTE_COLOURS = 24, 256  # of a picture: less than 100 kB
SCRIPTS = ROOT / "examples" / "gallery"
GALLERY = ROOT / "docs" / "gallery"
RUNS = GALLERY / "runs.json"
N_SIMULATED = 11  # tournaments per scheduler
MOST = 20_000  # matches of a simulated tournament
WINS = 0.99  # phi of scores that are wins and losses
ROUND_ROBIN = "round-robin:cycles=none"
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux
HEAD = """\
# Gallery

This page lists real tournaments, each one a script of at most 80 lines that uses only public names
of maxin. Each runs with one command, in at most five minutes on two cores, and without a network. A
number after the command is the most matches that it plays. The pages have the script, what it
printed in a real run, and the top of its report.

| | players | matches | round robin | time |
|---|---|---|---|---|
"""
FOOT = """
The column "round robin" is the median number of matches that a round robin of the same players
takes until it is decided by the same rule. It is simulated, with the chances that the run
estimated; each page has the details. The time is that on the clock, on two cores that had other
work too.

`scripts/gallery` runs all scripts again and writes these pages; `scripts/gallery race` runs one.
"""
VOTE = """\
## Let people vote

Run this in the folder where the script ran, and open http://127.0.0.1:8000/vote:

```sh
maxin serve votes.db
```
"""


@dataclass(frozen=True)
class Run:
    """A finished run of a script, and what simulated tournaments like it took."""

    printed: str
    n_players: int
    n_matches: int
    seconds: float  # on the clock
    processor: float  # seconds, of all processes
    confidence: float
    tolerance: float
    has_features: bool
    simulated: dict[str, list[int]]  # matches of each tournament, by the way of choosing them

    def row(self, title: str, taken: list[int]) -> str:
        """A line of the page's table."""
        middle, least, most = statistics.median(taken), min(taken), max(taken)
        matches = f"{number(middle)} ({number(least)} to {number(most)})"
        each = self.processor / self.n_matches
        return f"| {title} | {matches} | {'more than ' * (middle >= MOST)}{long(middle * each)} |"


def number(matches: float) -> str:
    """Matches of a simulated tournament, which ends undecided at `MOST`."""
    return f"more than {MOST:,}" if matches >= MOST else f"{matches:,.0f}"


def long(seconds: float) -> str:
    """A time with two digits or more, as in `0.25 s`, `84 s` or `12 min`."""
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


# The runs


def run(name: str) -> Run:
    """Run a script, photograph its report, and simulate tournaments like it."""
    from scripts.pictures import photograph_report  # they need matplotlib and Pillow
    from scripts.service_pictures import photograph_vote

    with tempfile.TemporaryDirectory() as folder:
        before, began = processor_seconds(), time.monotonic()
        printed = subprocess.run(
            [sys.executable, SCRIPTS / f"{name}.py"],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        seconds, processor = time.monotonic() - began, processor_seconds() - before
        store = f"sqlite:///{folder}/{name}.db"
        photograph_report(store, figure(name), COLOURS)
        if (votes := Path(folder, "votes.db")).exists():
            photograph_vote(f"sqlite:///{votes}", figure(f"{name}-vote"), VOTE_COLOURS)
        with Tournament(store=store) as finished:
            stop = finished.last_stop()
            assert stop.confidence is not None, f"{name} must end by a decision"
            return Run(
                printed=printed,
                n_players=len(finished.names),
                n_matches=finished.n_matches,
                seconds=round(seconds, 1),
                processor=round(processor, 1),
                confidence=stop.confidence,
                tolerance=stop.tolerance,
                has_features=bool(finished.settings.features),
                simulated={
                    "maxin": simulate(finished, None),
                    "round robin": simulate(finished, ROUND_ROBIN),
                },
            )


def processor_seconds() -> float:
    """What all processes took that this one has started, and those that they started.

    Those whose parents have ended, such as engines, are this one's, and it waits for them.
    """
    with contextlib.suppress(ChildProcessError):  # there is none left
        while True:
            os.waitpid(-1, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def simulate(finished: Tournament, scheduler: str | None) -> list[int]:
    """How many matches tournaments like a finished one take until they are decided.

    With a scheduler of their own they have no features, which a round robin does not take.
    """
    match, stop, settings = simulated_match(finished), finished.last_stop(), finished.settings
    taken = []
    for seed in range(N_SIMULATED):
        with Tournament(
            finished.entrants(),
            goal=str(finished.goal),
            scheduler=scheduler or settings.scheduler,
            features=None if scheduler else settings.features or None,
            seed=seed,
        ) as tournament:
            report = tournament.run(
                match, budget=MOST, confidence=stop.confidence, tolerance=stop.tolerance
            )
            taken.append(report.n_matches)
    return taken


def simulated_match(finished: Tournament) -> Callable[[str, str, int], dict[str, Any]]:
    """A match by the chances p of a finished tournament, with scores that vary as much as its own.

    phi is the variance of its scores over that of wins and losses, the sum of (s - p)^2 over the
    sum of p (1 - p). A score is drawn from the Beta distribution with the mean p and the variance
    phi p (1 - p); from phi = 0.99 on, it is a win or a loss. A judge with the reliability r and the
    bias b sees the log-odds of p times r, plus b; each judge has an equal part of the matches.
    """
    table = finished.chances()
    place = {name: index for index, name in enumerate(table.names)}
    judges = {row.judge: (row.reliability, row.bias / ELO_PER_NAT) for row in finished.judges()}

    def chance(first: str, second: str, judge: str | None) -> float:
        p = float(table.chances[place[first], place[second]])
        reliability, bias = judges.get(judge, (1.0, 0.0))
        return 1.0 / (1.0 + math.exp(-reliability * math.log(p / (1.0 - p)) - bias))

    names = sorted(judges) or [None]
    results = [
        (one.score, chance(one.first, one.second, one.data.get("judge") if one.data else None))
        for one in finished.matches()
    ]
    phi = sum((s - p) ** 2 for s, p in results) / sum(p * (1.0 - p) for _, p in results)

    def match(first: str, second: str, seed: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        judge = names[rng.integers(len(names))]
        p = chance(first, second, judge)
        if phi > WINS:
            score = float(rng.random() < p)
        else:
            score = float(rng.beta(p * (1.0 / phi - 1.0), (1.0 - p) * (1.0 / phi - 1.0)))
        return {"score": score, "data": {"judge": judge} if judge else {}}

    return match


# The pages


def figure(name: str) -> Path:
    """Where a picture is."""
    return GALLERY / "figures" / f"{name}.png"


def page(name: str, found: Run) -> str:
    """The page of a script, from its last run."""
    script = (SCRIPTS / f"{name}.py").read_text()
    title, _, promise = documentation(name).partition("\n\n")
    headline = next(line for line in found.printed.splitlines() if line.startswith("decided: "))
    sections = [
        f"# {title.removesuffix('.')}",
        f"After this run of {long(found.seconds)}, the best of {found.n_players} players is known, "
        f"from {found.n_matches:,} matches. In simulation, a round robin takes "
        f"{number(statistics.median(found.simulated['round robin']))}.",
        promise,
        "## What it found",
        f"```text\n{found.printed.strip()}\n```",
        f"![The top of the report, and its leaderboard: {headline}](figures/{name}.png)",
        "## What it took",
        "\n".join(
            [
                "| | matches | processor time |",
                "|---|---|---|",
                f"| this run | {found.n_matches:,} | {long(found.processor)} |",
                *(found.row(f"{by}, simulated", n) for by, n in found.simulated.items()),
            ]
        ),
        f"This run took {long(found.seconds)} on the clock, on two cores that had other work too. "
        f"The simulated tournaments have the same {found.n_players} players. They meet with the "
        "chances that this run estimated, with scores that vary as much, and end by the same rule: "
        f"{100 * found.confidence:g} % confidence, and a tolerance of {found.tolerance:g} Elo. "
        f"The table has the median of {N_SIMULATED}, and the least and the most. Their processor "
        "time is that of this run, in proportion to the matches."
        + " A round robin takes no features."
        * found.has_features,
        "## The script",
        f"```python\n{script.strip()}\n```",
    ]
    if figure(f"{name}-vote").exists():
        shown = "The page of voters: a question, two pictures, and the buttons below them"
        sections[6:6] = [VOTE + f"\n![{shown}](figures/{name}-vote.png)"]
    return "\n\n".join(sections) + "\n"


def documentation(name: str) -> str:
    """The docstring of a script."""
    found = ast.get_docstring(ast.parse((SCRIPTS / f"{name}.py").read_text()))
    assert found is not None
    return found


def index(runs: dict[str, Run]) -> str:
    """The list of all pages."""
    rows = []
    for name, found in runs.items():
        title = documentation(name).partition("\n")[0].removesuffix(".")
        robin = number(statistics.median(found.simulated["round robin"]))
        cells = [f"[{title}]({name}.md)", found.n_players, f"{found.n_matches:,}", robin]
        rows.append("| " + " | ".join(map(str, [*cells, long(found.seconds)])) + " |")
    return HEAD + "\n".join(rows) + "\n" + FOOT


def read_runs() -> dict[str, Run]:
    """The last run of each script."""
    return {name: Run(**fields) for name, fields in json.loads(RUNS.read_text()).items()}


def main(names: list[str]) -> None:
    """Run these scripts, and write all pages."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    for name in names:
        found = asdict(run(name))
        kept = json.loads(RUNS.read_text()) | {name: found}
        RUNS.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
    for name, found in read_runs().items():
        (GALLERY / f"{name}.md").write_text(page(name, found))
    (GALLERY / "README.md").write_text(index(read_runs()))


if __name__ == "__main__":
    wanted = sys.argv[1:] or sorted(path.stem for path in SCRIPTS.glob("*.py"))
    main([name for name in wanted if name != "--pages"])
