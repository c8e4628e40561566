"""`maxin rank`: ratings from a file of results."""

import sys
from array import array
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from maxin.cli.config.flags import meaning, switch
from maxin.cli.config.settings import AnchorOption, FormatOption, InputFormat
from maxin.cli.output.printing import present
from maxin.cli.output.tables.leaderboards import leaderboard_table
from maxin.cli.output.tables.log_findings import FinishedLog, findings, remarks
from maxin.core import InvalidInput, check_name
from maxin.ratings.judging.judge_log import JudgeLog
from maxin.ratings.judging.judged_tally import JudgedTally
from maxin.tournament.results import read_results
from maxin.views import Belief, Overview

# The covariance of all pairs of names takes memory: 0.7 GB for 2,000 names, 6 GB for 6,000. A fit
# takes time with the cube of the largest group of names that results connect.
MOST_NAMES = 2000


def rank(
    file: Annotated[
        Path,
        Parameter(
            help="Results: CSV, TSV or JSON with the columns first, second and score, or white, "
            "black and result, or model_a, model_b and winner; or PGN. Also compressed, as .gz.",
            metavar="FILE",
        ),
    ],
    /,
    *,
    format: FormatOption = "text",
    input_format: InputFormat = None,
    first_advantage: Annotated[bool, switch("Estimate the advantage of sitting first.")] = False,
    anchor: AnchorOption = None,
) -> None:
    """Rate the players of a file of results, with 95 % intervals; nothing is stored."""
    log = read(file, input_format)
    known: dict[str, float] | None = meaning(anchor)
    for name in known or {}:
        check_name(name, log.names, "player for the anchor")
    belief = Belief(log.names, log.tally, anchor=known)
    overview = Overview(
        belief,
        n_matches=log.n_matches,
        first_advantage=first_advantage,
        has_los=log.is_chess,
    )
    found = findings(log, overview)
    notes = list(remarks(log, found))
    board = overview.leaderboard
    below = [*overview.scale, *overview.lines, *notes]
    present(leaderboard_table(board, facts=found, notes=below), format)
    if format in ("csv", "markdown"):
        print(*notes, sep="\n", file=sys.stderr)


def read(file: Path, format: str | None) -> FinishedLog:
    """Read a file of results in one pass, with a few bytes per result."""
    numbers: dict[str, int] = {}
    first, second = array("q"), array("q")
    scores, weights, means = array("d"), array("d"), array("d")
    judges, n_matches = JudgeLog(), 0
    log = read_results(file, format)
    for row in log:
        if row.retracted is not None:
            continue
        n_matches += 1
        one = numbers.setdefault(row.first, len(numbers))
        two = numbers.setdefault(row.second, len(numbers))
        games, judge = row.games or (row.score,), row.judge
        for number, score in enumerate(games):
            if judge is not None:
                judges.add(len(scores), judge.name, is_swapped=judge.is_swapped)
            is_swapped = number % 2 == 1  # the score is still the first player's of the match
            first.append(two if is_swapped else one)
            second.append(one if is_swapped else two)
            scores.append(1.0 - score if is_swapped else score)
            weights.append(1.0 / len(games))
            means.append(row.score)
        if len(numbers) > MOST_NAMES:
            raise InvalidInput(
                f"{str(file)!r}, line {row.line}: a file must have at most {MOST_NAMES:,} names to "
                "be rated, because the covariances of all pairs of names are held in memory; this "
                "one has more"
            )
    if not scores:
        raise InvalidInput(f"there are no finished matches in {str(file)!r}")
    tally, players = JudgedTally(len(numbers)), np.array([first, second])
    tally.add_many(first, second, scores, weights, means=means)
    judges.note(tally, players, np.array(scores), np.array(weights), np.array(means))
    is_chess = log.format == "pgn"
    return FinishedLog(list(numbers), tally, n_matches, log.n_skipped, is_chess)
