"""The paper's claims, each checked against the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from maxin.experiments.estimates import Estimate
from maxin.experiments.reproduction.figures import EXTRAS, Experiment, PaperGame
from maxin.experiments.reproduction.tuning import Line

RR_IS_ONE = 0.95  # a mean reciprocal rank of at least this counts as 1
NEAR = 0.1  # the largest relative difference from a printed end point that counts as agreement
VERDICTS = {True: "Holds", False: "Does not hold", None: "Cannot be decided"}

EndPoints = Mapping[tuple[str, int, str], tuple[float, float]]  # (game, T, algorithm): regret, RR


class Claim(NamedTuple):
    """A statement of the paper, whether it holds here, and the numbers that show it.

    `holds` is None where the runs cannot decide: see `Estimate.is_above`.
    """

    protocol: str
    text: str
    holds: bool | None
    evidence: str

    @property
    def verdict(self) -> str:
        """Whether it holds: "Holds", "Does not hold" or "Cannot be decided"."""
        return VERDICTS[self.holds]


def all_hold(verdicts: Sequence[bool | None]) -> bool | None:
    """False if any verdict is False, else None if any is None, else True.

    >>> all_hold([True, None]), all_hold([True, None, False])
    (None, False)
    """
    if False in verdicts:
        return False
    return None if None in verdicts else True


class Study(NamedTuple):
    """A figure and its lines under all protocols."""

    experiment: Experiment
    lines: list[Line]

    def of(self, game: PaperGame, protocol: str) -> dict[str, Line]:
        """The lines of one panel, by algorithm."""
        return {
            line.algorithm: line
            for line in self.lines
            if line.game == game and line.protocol == protocol
        }

    def printed_lines(self, game: PaperGame, protocol: str) -> dict[str, Line]:
        """The same without the baselines that are not in the paper."""
        extras = [line.name for line in EXTRAS]
        panel = self.of(game, protocol)
        return {name: line for name, line in panel.items() if name not in extras}

    @property
    def protocols(self) -> list[str]:
        """The protocols it was run under."""
        return list(dict.fromkeys(line.protocol for line in self.lines))


def claims(study: Study, printed: EndPoints) -> Iterator[Claim]:
    """All claims about a figure."""
    name = study.experiment.name.split(",")[0]
    for protocol in study.protocols:
        yield from CHECKS.get(name, _no_claims)(study, protocol)
    if name in ("figure2", "figure3") and printed and "hindsight" in study.protocols:
        yield from _as_printed(study, printed)


def _no_claims(study: Study, protocol: str) -> Iterator[Claim]:
    return iter(())


def _figure1(study: Study, protocol: str) -> Iterator[Claim]:
    yield from _lowest_regret(study, protocol, "MaxIn-Elo", study.experiment.games)


def _figure2(study: Study, protocol: str) -> Iterator[Claim]:
    stochastic = [game for game in study.experiment.games if game.name != "Triangular game"]
    yield from _lowest_regret(study, protocol, "MaxIn-Elo", stochastic)
    triangular = [game for game in study.experiment.games if game.name == "Triangular game"]
    yield from _reaches_one(
        study,
        protocol,
        "MaxIn-Elo",
        ["Elo game", "Elo game + noise=0.01", "Elo game + noise=0.05", "Triangular game"],
    )
    for game in triangular:
        panel = study.printed_lines(game, protocol)
        ends = {name: line.end("reciprocal_rank")[0] for name, line in panel.items()}
        text = "MaxIn-Elo is level with the best on Triangular game (final RR within 0.05)"
        holds = ends["MaxIn-Elo"] >= max(ends.values()) - 0.05
        yield Claim(protocol, text, holds, _listed(ends, "{:.2f}"))


def _figure3(study: Study, protocol: str) -> Iterator[Claim]:
    yield from _lowest_regret(study, protocol, "MaxIn-mElo", study.experiment.games)
    names = [game.name for game in study.experiment.games if game.name != "Blotto"]
    yield from _reaches_one(study, protocol, "MaxIn-mElo", names)


def _lowest_regret(
    study: Study, protocol: str, algorithm: str, games: Sequence[PaperGame]
) -> Iterator[Claim]:
    """Whether an algorithm has the lowest final regret on all `games`, with and without MaxInP."""
    if not games:
        return
    for aside in ((), ("MaxInP",)):
        verdicts: list[bool | None] = []
        evidence = []
        for game in games:
            panel = study.printed_lines(game, protocol)
            ends = {n: _ends(line, "regret") for n, line in panel.items() if n not in aside}
            ours = ends.pop(algorithm)
            rival = min(ends, key=lambda name: ends[name].mean)
            verdicts.append(ends[rival].is_above(ours))
            evidence.append(f"{game.name} {ours} against {rival} {ends[rival]}")
        text = f"{algorithm} has the lowest regret on " + ", ".join(game.name for game in games)
        if aside:
            text += ", not counting MaxInP"
        yield Claim(protocol, text, all_hold(verdicts), "; ".join(evidence))


def _ends(line: Line, curve: str) -> Estimate:
    return Estimate.of(line.curves(curve)[:, -1].tolist())


def _reaches_one(
    study: Study, protocol: str, algorithm: str, names: Sequence[str]
) -> Iterator[Claim]:
    ends = {
        game.name: study.of(game, protocol)[algorithm].end("reciprocal_rank")[0]
        for game in study.experiment.games
        if game.name in names
    }
    if ends:
        text = f"{algorithm}'s RR reaches 1 (mean of at least {RR_IS_ONE}) on " + ", ".join(ends)
        holds = all(end >= RR_IS_ONE for end in ends.values())
        yield Claim(protocol, text, holds, _listed(ends, "{:.2f}"))


def _as_printed(study: Study, printed: EndPoints) -> Iterator[Claim]:
    """End points of the baselines, and MaxIn's place among the five, compared with the paper."""
    panels = {
        game: (ours, theirs)
        for game in study.experiment.games
        if (ours := {n: line.end("regret")[0] for n, line in study.of(game, "hindsight").items()})
        and (theirs := printed_regrets(game, printed))
    }
    if not panels:
        return
    for name in ("Random", "RG-UCB", "DBGD", "MaxInP"):
        ratios = {
            game.name: ours[name] / theirs[name]
            for game, (ours, theirs) in panels.items()
            if name in ours and name in theirs
        }
        text = f"{name}'s final regret is within {NEAR:.0%} of the printed one"
        holds = all(abs(ratio - 1.0) <= NEAR for ratio in ratios.values())
        yield Claim("hindsight", text, holds, "Ours / printed: " + _listed(ratios, "{:.2f}"))
    places = {game.name: (_place(ours), _place(theirs)) for game, (ours, theirs) in panels.items()}
    text = "MaxIn has the same place by mean regret as in the paper"
    holds = all(ours == theirs for ours, theirs in places.values())
    shown = {name: f"{ours} (paper: {theirs})" for name, (ours, theirs) in places.items()}
    yield Claim("hindsight", text, holds, _listed(shown, "{}"))


def printed_regrets(game: PaperGame, printed: EndPoints) -> dict[str, float]:
    """The printed end points of a game, if it was played for as many rounds as in the paper."""
    return {
        algorithm: regret
        for (name, rounds, algorithm), (regret, _) in printed.items()
        if (name, rounds) == (game.name, game.rounds)
    }


def _place(regrets: dict[str, float]) -> int:
    """MaxIn's place among the paper's algorithms, 1 for the lowest regret."""
    ours = next(regret for name, regret in regrets.items() if name.startswith("MaxIn-"))
    rivals = ("Random", "RG-UCB", "DBGD", "MaxInP")
    return 1 + sum(regret < ours for name, regret in regrets.items() if name in rivals)


def _figure4(study: Study, protocol: str) -> Iterator[Claim]:
    verdicts: list[bool | None] = []
    evidence = []
    for game in study.experiment.games:
        top = {
            name: Estimate.of(line.curves("hit_ratio")[:, 0].tolist())
            for name, line in study.of(game, protocol).items()
        }
        ours = top.pop("MaxIn-Elo")
        rival = max(top, key=lambda name: top[name].mean)
        verdicts.append(ours.is_above(top[rival]))
        evidence.append(f"{game.name} {ours} against {rival} {top[rival]}")
    text = "MaxIn-Elo is best at top-1 on all games"
    yield Claim(protocol, text, all_hold(verdicts), "; ".join(evidence))


def _gamma(study: Study, protocol: str) -> Iterator[Claim]:
    for game in study.experiment.games:
        if game.name != "Elo game":
            continue
        panel = study.of(game, protocol)
        first = {n: Estimate.of(x.curves("hit_ratio")[:, 0].tolist()) for n, x in panel.items()}
        text = "gamma = 0.6 is best for top-1 on the Elo game"
        yield _best_is(protocol, text, first, ["gamma = 0.6"])
        wide = {n: Estimate.of(x.curves("ndcg").mean(axis=1).tolist()) for n, x in panel.items()}
        text = "gamma of about 1 is best for top-k on the Elo game"
        yield _best_is(protocol, text, wide, ["gamma = 0.8", "gamma = 1", "gamma = 1.2"])


def _dimension(study: Study, protocol: str) -> Iterator[Claim]:
    panels = [study.of(game, protocol) for game in study.experiment.games]
    late = {
        line.name: Estimate.of(np.mean([_late(panel[line.name]) for panel in panels], axis=0))
        for line in study.experiment.algorithms
    }
    yield _best_is(protocol, "2k = 8 is best (late RR, mean over games)", late, ["2k = 8"])


def _batch(study: Study, protocol: str) -> Iterator[Claim]:
    for game in study.experiment.games:
        late = {name: Estimate.of(_late(x)) for name, x in study.of(game, protocol).items()}
        about = [f"tau = {share} n" for share in ("0.5", "0.7", "0.9", "1")]
        text = f"tau from 0.5 n to 1.0 n is best on {game.name} (late RR)"
        yield _best_is(protocol, text, late, about)


def _late(line: Line) -> list[float]:
    """Mean RR over the second half, per seed."""
    return [outcome.late_reciprocal_rank for outcome in line.outcomes]


def _best_is(
    protocol: str, text: str, values: Mapping[str, Estimate], expected: Sequence[str]
) -> Claim:
    """Whether the best of `expected` is above the best of the others."""
    here = [value for name, value in values.items() if name in expected]
    others = [value for name, value in values.items() if name not in expected]
    holds = max(here).is_above(max(others)) if here and others else None
    return Claim(protocol, text, holds, _listed(dict(values), "{}"))


def _listed(values: Mapping[str, object], form: str) -> str:
    return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())


CHECKS: dict[str, Callable[[Study, str], Iterator[Claim]]] = {
    "figure1": _figure1,
    "figure2": _figure2,
    "figure3": _figure3,
    "figure4": _figure4,
    "gamma": _gamma,
    "dimension": _dimension,
    "batch": _batch,
}
