"""The paper's claims, one by one, against what the runs gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from maxin.experiments.paper import Experiment, PaperGame
from maxin.experiments.protocols import Line

RR_IS_ONE = 0.95  # a mean reciprocal rank from here on counts as 1
NEAR = 0.1  # how far an end point may be from the printed one, relatively

EndPoints = Mapping[tuple[str, int, str], tuple[float, float]]  # (game, T, algorithm): regret, RR


class Claim(NamedTuple):
    """What the paper says, whether it holds here, and by which numbers."""

    protocol: str
    text: str
    holds: bool
    evidence: str


class Study(NamedTuple):
    """A figure with its lines under all protocols."""

    experiment: Experiment
    lines: list[Line]

    def of(self, game: PaperGame, protocol: str) -> dict[str, Line]:
        """The lines of one panel, by algorithm."""
        return {
            line.algorithm: line
            for line in self.lines
            if line.game == game and line.protocol == protocol
        }

    @property
    def protocols(self) -> list[str]:
        """Which protocols it was run under."""
        return list(dict.fromkeys(line.protocol for line in self.lines))


def claims(study: Study, printed: EndPoints) -> Iterator[Claim]:
    """All claims that a figure can decide."""
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
        ends = {
            name: line.end("reciprocal_rank")[0] for name, line in study.of(game, protocol).items()
        }
        text = "MaxIn-Elo is level with the best on Triangular game (RR at the end)"
        holds = ends["MaxIn-Elo"] >= max(ends.values()) - 0.05
        yield Claim(protocol, text, holds, _listed(ends, "{:.2f}"))


def _figure3(study: Study, protocol: str) -> Iterator[Claim]:
    yield from _lowest_regret(study, protocol, "MaxIn-mElo", study.experiment.games)
    names = [game.name for game in study.experiment.games if game.name != "Blotto"]
    yield from _reaches_one(study, protocol, "MaxIn-mElo", names)


def _lowest_regret(
    study: Study, protocol: str, algorithm: str, games: Sequence[PaperGame]
) -> Iterator[Claim]:
    """Whether one algorithm ends with the least regret on all of `games`, of all and of most."""
    for aside in ((), ("MaxInP",)):
        lost = []
        for game in games:
            panel = study.of(game, protocol)
            ends = {n: line.end("regret")[0] for n, line in panel.items() if n not in aside}
            best = min(ends, key=ends.__getitem__)
            if best != algorithm:
                lost.append(f"{game.name}: {best} {ends[best]:.0f}, here {ends[algorithm]:.0f}")
        names = ", ".join(game.name for game in games)
        text = f"{algorithm} has the lowest regret on {names}"
        if aside:
            text += "; MaxInP, which is far stronger here than in the print, left aside"
        won = f"Lowest on {len(games) - len(lost)} of {len(games)}"
        yield Claim(protocol, text, not lost, "; ".join([won, *lost]))


def _reaches_one(
    study: Study, protocol: str, algorithm: str, names: Sequence[str]
) -> Iterator[Claim]:
    ends = {
        game.name: study.of(game, protocol)[algorithm].end("reciprocal_rank")[0]
        for game in study.experiment.games
        if game.name in names
    }
    if ends:
        text = f"{algorithm}'s RR goes to 1 on " + ", ".join(ends)
        holds = all(end >= RR_IS_ONE for end in ends.values())
        yield Claim(protocol, text, holds, _listed(ends, "{:.2f}"))


def _as_printed(study: Study, printed: EndPoints) -> Iterator[Claim]:
    """End points of the baselines, and the place of MaxIn among the five, against the print."""
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
        text = f"{name}'s regret ends within {NEAR:.0%} of the printed one"
        holds = all(abs(ratio - 1.0) <= NEAR for ratio in ratios.values())
        yield Claim("hindsight", text, holds, "Ours / printed: " + _listed(ratios, "{:.2f}"))
    places = {game.name: (_place(ours), _place(theirs)) for game, (ours, theirs) in panels.items()}
    text = "MaxIn's place by regret among the algorithms is the printed one"
    holds = all(ours == theirs for ours, theirs in places.values())
    shown = {name: f"{ours} (printed {theirs})" for name, (ours, theirs) in places.items()}
    yield Claim("hindsight", text, holds, _listed(shown, "{}"))


def printed_regrets(game: PaperGame, printed: EndPoints) -> dict[str, float]:
    """The printed end points of a game, if it was played as long as in the print."""
    return {
        algorithm: regret
        for (name, rounds, algorithm), (regret, _) in printed.items()
        if (name, rounds) == (game.name, game.rounds)
    }


def _place(regrets: dict[str, float]) -> int:
    """Where MaxIn stands, 1 for the least regret, among the algorithms of the print."""
    ours = next(regret for name, regret in regrets.items() if name.startswith("MaxIn-"))
    rivals = ("Random", "RG-UCB", "DBGD", "MaxInP")
    return 1 + sum(regret < ours for name, regret in regrets.items() if name in rivals)


def _figure4(study: Study, protocol: str) -> Iterator[Claim]:
    lost = []
    for game in study.experiment.games:
        top = {
            name: line.curves("hit_ratio")[:, 0].mean()
            for name, line in study.of(game, protocol).items()
        }
        if top["MaxIn-Elo"] < max(top.values()):
            lost.append(f"{game.name}: {_listed(top, '{:.2f}')}")
    won = len(study.experiment.games) - len(lost)
    evidence = "; ".join([f"Best on {won} of {len(study.experiment.games)}", *lost])
    yield Claim(protocol, "MaxIn-Elo is best at top-1 on all games", not lost, evidence)


def _gamma(study: Study, protocol: str) -> Iterator[Claim]:
    for game in study.experiment.games:
        if game.name == "Elo game":
            panel = study.of(game, protocol)
            top = {
                name: float(line.curves("hit_ratio")[:, 0].mean()) for name, line in panel.items()
            }
            wide = {name: float(line.curves("ndcg").mean()) for name, line in panel.items()}
            yield _best_is(
                protocol, "gamma = 0.6 is best for top-1 on the Elo game", top, ["gamma = 0.6"]
            )
            about = ["gamma = 0.8", "gamma = 1", "gamma = 1.2"]
            yield _best_is(
                protocol, "gamma of about 1 is best for top-k on the Elo game", wide, about
            )


def _dimension(study: Study, protocol: str) -> Iterator[Claim]:
    names = [line.name for line in study.experiment.algorithms]
    panels = [study.of(game, protocol) for game in study.experiment.games]
    late = {name: float(np.mean([_late(panel[name]) for panel in panels])) for name in names}
    yield _best_is(protocol, "2k = 8 is best (late RR, mean over games)", late, ["2k = 8"])


def _batch(study: Study, protocol: str) -> Iterator[Claim]:
    for game in study.experiment.games:
        late = {name: _late(line) for name, line in study.of(game, protocol).items()}
        about = [f"tau = {share} n" for share in ("0.5", "0.7", "0.9", "1")]
        yield _best_is(protocol, f"tau of 0.5 n to 1.0 n is best on {game.name}", late, about)


def _late(line: Line) -> float:
    return float(np.mean([outcome.late_reciprocal_rank for outcome in line.outcomes]))


def _best_is(protocol: str, text: str, values: dict[str, float], expected: list[str]) -> Claim:
    """Whether one of `expected` has the largest value, ties included."""
    largest = max(values.values())
    holds = any(values[name] >= largest - 1e-9 for name in expected if name in values)
    return Claim(protocol, text, holds, _listed(values, "{:.2f}"))


def _listed(values: dict[str, object] | dict[str, float] | dict[str, str], form: str) -> str:
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
