"""Ratings of finished results: those of a file, a data frame or a list; nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

from maxin.core import InvalidInput, check_name
from maxin.core.checks import check_anchor, check_keywords
from maxin.ratings.judging.control_log import ControlLog
from maxin.storage import PlayedMatch
from maxin.tournament.results.findings import FinishedLog, findings, remarks
from maxin.tournament.results.reading import ReadingTerms, Results, read_results
from maxin.views import Belief, Leaderboard, Overview
from maxin.views.history import GameLog
from maxin.views.recorded.controls import add_controlled

# The covariance of all pairs of names takes memory: 0.7 GB for 2,000 names, 6 GB for 6,000. A fit
# takes time with the cube of the largest group of names that results connect.
MOST_NAMES = 2000


def rank(
    results: Any,
    *,
    first_advantage: bool = False,
    anchor: Mapping[str, float] | None = None,
    controls: Sequence[str] = (),
    ignore_judges: bool = False,
    **how: Unpack[ReadingTerms],
) -> Leaderboard:
    """Rate the players of finished results; nothing is stored.

    Args:
        results: a file, a data frame (pandas, polars, pyarrow, or another one with the Arrow
            PyCapsule protocol), a list of dictionaries or of (first, second, score), or what
            `read_results` returns.
        first_advantage: estimate what sitting first is worth.
        anchor: one player and its rating, {"stockfish": 3500}, which set the scale.
        controls: covariates whose effects are taken out of the ratings, such as "length".
        ignore_judges: count all votes alike, whoever gave them.
        how: `format`, `columns`, `delimiter` and `skip_invalid`; see
            `maxin.tournament.results.read_results`.

    >>> votes = [{"winner": "anna", "loser": "bo"}] * 8 + [{"winner": "bo", "loser": "cy"}] * 4
    >>> leaderboard = rank(votes)
    >>> leaderboard[0].player, leaderboard[0].matches
    ('anna', 8)
    >>> rank([{"x": "anna", "y": "bo", "preferred": "x"}] * 9,
    ...      columns={"first": "x", "second": "y", "winner": "preferred"})[0].score
    1.0
    """
    check_keywords(rank, how, ReadingTerms)
    found = RankedResults.of(
        read_results(results, **how),
        first_advantage=first_advantage,
        anchor=anchor,
        controls=controls,
        ignore_judges=ignore_judges,
    )
    return found.leaderboard


@dataclass(frozen=True)
class RankedResults:
    """Finished results and what they say: `rank` returns its leaderboard.

    Args:
        log: the results, counted.
        overview: what is known of the players.

    >>> ranked = RankedResults.of(read_results([("anna", "bo", 1.0)]))
    >>> ranked.facts["n_matches"], ranked.remarks[0]
    (1, '2 players, 1 match')
    """

    log: FinishedLog
    overview: Overview

    @classmethod
    def of(
        cls,
        results: Results,
        *,
        first_advantage: bool = False,
        anchor: Mapping[str, float] | None = None,
        controls: Sequence[str] = (),
        ignore_judges: bool = False,
    ) -> RankedResults:
        """Count results and fit ratings to them."""
        known = check_anchor(anchor)
        log = counted_log(results, controls)
        if first_advantage and not results.has_seats:
            raise InvalidInput(
                f"{results} has columns of winners and losers, which do not say who sat first, so "
                "the advantage of sitting first cannot be estimated"
            )
        for name in known or {}:
            check_name(name, log.names, "player for the anchor")
        overview = Overview(
            Belief(
                log.names,
                log.tally,
                anchor=known,
                controls=log.controls,
                ignore_judges=ignore_judges,
            ),
            n_matches=log.n_matches,
            first_advantage=first_advantage,
            has_los=log.is_chess,
        )
        return cls(log, overview)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What ratings alone do not show, for programs."""
        return findings(self.log, self.overview)

    @cached_property
    def remarks(self) -> list[str]:
        """The same as sentences."""
        return list(remarks(self.log, self.facts))

    @property
    def leaderboard(self) -> Leaderboard:
        """The ratings, with the verdict and all remarks below."""
        overview = self.overview
        notes = [*overview.lines, *overview.difference, *self.remarks]
        return overview.leaderboard.with_notes(notes)


class _Numbers(dict[str, int]):
    """The numbers of players, in the order in which they are asked for."""

    def __missing__(self, name: str) -> int:
        return self.setdefault(name, len(self))


def counted_log(results: Results, controls: Sequence[str] = ()) -> FinishedLog:
    """Count results in one pass, with a few bytes per result."""
    controlled = ControlLog(controls) if controls else None
    numbers = _Numbers()
    log = GameLog.of(_standing(results, numbers, controlled), numbers)
    if not len(log):
        rest = "".join(f"; {note}" for note in results.problems.notes)
        raise InvalidInput(f"there are no finished matches in {results}{rest}")
    return FinishedLog(
        list(numbers),
        log.tally(len(numbers)),
        len(log),
        results.n_skipped,
        results.problems,
        results.format == "pgn",
        controlled,
    )


def _standing(
    results: Results, numbers: Mapping[str, int], controlled: ControlLog | None
) -> Iterator[PlayedMatch[str]]:
    """The results that were not taken back; their covariates are noted."""
    for row in results:
        if row.retracted is not None:
            continue
        if controlled is not None:
            add_controlled(controlled, row, numbers, str(results))
        yield row
        if len(numbers) > MOST_NAMES:
            raise InvalidInput(
                f"{results}, line {row.line}: a file must have at most {MOST_NAMES:,} names to "
                "be rated, because the covariances of all pairs of names are held in memory; this "
                "one has more"
            )
