"""A duel: what the games of two players say about their difference, as chess programs show it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maxin.core import Sprt
from maxin.evaluation.sprt import Interval, Sample
from maxin.ratings import Tally
from maxin.views.formats import chance_in_words


class Duel(NamedTuple):
    """Two players, and how often each score came, from the view of the one who joined first.

    `test` is the sequential test that they play, if there is one.

    >>> print(Duel("new", "old", Sample((13, 37, 50, 25, 3))).sentence)
    new - old: Elo -43.7 ± 29.4, nElo -64.0 ± 42.6, LOS 0.2 %, 256 games, pairs [13, 37, 50, 25, 3]
    """

    first: str
    second: str
    sample: Sample
    test: Sprt | None = None

    @classmethod
    def of(
        cls, names: tuple[str, str], tally: Tally, players: tuple[int, int], test: Sprt | None
    ) -> Duel | None:
        """The duel of two players; None unless all games are won, drawn or lost.

        Games count in pairs if all of them were played in pairs, and else one by one; None if
        only some are in pairs.

        >>> tally = Tally(2)
        >>> tally.add_match(1, 0, [1.0, 0.5])
        >>> Duel.of(("new", "old"), tally, (0, 1), None).sample
        Sample(counts=(0, 1, 0, 0, 0))
        """
        one, two = players
        ahead = (tally.first == one) & (tally.second == two)
        behind = (tally.first == two) & (tally.second == one)
        outcomes = tally.outcomes[ahead].sum(axis=0)[::-1] + tally.outcomes[behind].sum(axis=0)
        pairs = tally.pairs[ahead].sum(axis=0) + tally.pairs[behind].sum(axis=0)[::-1]
        counts = pairs
        if 2 * pairs.sum() != outcomes.sum():
            met, counts = ahead | behind, outcomes
            wins, draws = tally.outcomes[met, 0], tally.outcomes[met, 1]
            is_whole = np.array_equal(tally.games[met], tally.outcomes[met].sum(axis=1))
            if not (is_whole and np.array_equal(tally.points[met], wins + draws / 2.0)):
                return None
        return cls(*names, Sample(tuple(counts.tolist())), test) if outcomes.any() else None

    @property
    def decision(self) -> str | None:
        """The hypothesis of the test that is accepted, "H0" or "H1"; None while it continues."""
        return None if self.test is None else self.sample.decision(self.test)

    @property
    def sentence(self) -> str:
        """The difference in Elo points and in normalised ones, LOS, and the results."""
        sample = self.sample
        kind = "pairs" if sample.is_paired else "lost, drawn and won"
        counts = ", ".join(f"{count:,}" for count in sample.counts)
        return (
            f"{self.first} - {self.second}: Elo {_shown(sample.elo)}, nElo "
            f"{_shown(sample.normalised)}, LOS {chance_in_words(sample.superiority)}, "
            f"{sample.n_games:,} game{'' if sample.n_games == 1 else 's'}, {kind} [{counts}]"
        )

    @property
    def finding(self) -> str:
        """How far the test is, in a sentence."""
        return ": ".join(self.found)

    @property
    def found(self) -> tuple[str, str]:
        """What the test claims so far, and by which likelihood ratio."""
        assert self.test is not None
        test, (low, high) = self.test, self.test.bounds
        accepted, ratio = self.decision, f"{self.sample.log_ratio(test):.2f}"
        claims = {
            name: f"{name} ({self.first} - {self.second} is {points:g} nElo)"
            for name, points in (("H0", test.elo0), ("H1", test.elo1))
        }
        if accepted is None:
            claim = f"neither {claims['H0']} nor {claims['H1']} is accepted yet"
            return claim, f"LLR {ratio}, between {low:.2f} and {high:.2f}"
        other, bound = ("H0", high) if accepted == "H1" else ("H1", low)
        reached = "at least" if accepted == "H1" else "at most"
        claim = f"{claims[accepted]} is accepted against {claims[other]}"
        return claim, f"LLR {ratio}, {reached} {bound:.2f}"

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        sample, test = self.sample, self.test
        return {
            "first": self.first,
            "second": self.second,
            "n_games": sample.n_games,
            "is_paired": sample.is_paired,
            "counts": list(sample.counts),
            "elo": None if sample.elo is None else sample.elo._asdict(),
            "normalised": None if sample.normalised is None else sample.normalised._asdict(),
            "superiority": sample.superiority,
            "sprt": None
            if test is None
            else {
                **test._asdict(),
                "bounds": list(test.bounds),
                "log_ratio": sample.log_ratio(test),
                "accepted": self.decision,
            },
        }


def _shown(estimate: Interval | None) -> str:
    """An estimate with its interval.

    >>> _shown(Interval(12.34, 4.12)), _shown(None)
    ('12.3 ± 4.1', 'not known yet')
    """
    if estimate is None:
        return "not known yet"
    return f"{estimate.value:.1f} ± {estimate.margin:.1f}"
