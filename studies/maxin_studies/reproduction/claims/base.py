"""A claim, the study it is about, and how verdicts on parts make one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from maxin_studies.estimates import FEWEST_SEEDS
from maxin_studies.reproduction.figures import Experiment, PaperGame
from maxin_studies.reproduction.grids import EXTRAS
from maxin_studies.reproduction.tuning import ONE_NAT, PROTOCOLS, Line

Verdict = bool | None  # None where the runs cannot decide: see `Estimate.is_above`
VERDICTS: Mapping[Verdict, str] = {
    True: "Holds",
    False: "Does not hold",
    None: "Cannot be decided",
}
ALL_PROTOCOLS = tuple(one for name in PROTOCOLS for one in (name, ONE_NAT.get(name)) if one)


def untested(where: str, text: str, evidence: str) -> str:
    """A statement whose hypothesis no run met, with what was seen instead.

    >>> untested("s.396", "The best player stays", "gamma was 1")
    '**Not tested** (s.396): The best player stays. gamma was 1.'
    """
    return f"**Not tested** ({where}): {text}. {evidence}."


def judged(where: str, holds: Verdict, text: str, evidence: str) -> str:
    """A verdict with its place and its numbers, as a sentence.

    >>> judged("s.798", True, "AlphaStar has one top player", "1 of 100")
    '**Holds** (s.798): AlphaStar has one top player. 1 of 100.'
    """
    return f"**{VERDICTS[holds]}** ({where}): {text}. {evidence}."


class Claim(NamedTuple):
    """A statement of the paper, whether it holds here, and the numbers that show it.

    `place` is the line of the paper's text, such as "s.536", or a figure whose printed numbers
    are compared.
    """

    protocol: str
    text: str
    holds: Verdict
    evidence: str
    place: str
    number: str = ""  # the evidence in short

    @property
    def verdict(self) -> str:
        """Whether it holds: "Holds", "Does not hold" or "Cannot be decided"."""
        return VERDICTS[self.holds]


class Panel(NamedTuple):
    """One game of a figure under one protocol, with its lines by algorithm."""

    game: PaperGame
    label: str
    lines: Mapping[str, Line]

    @property
    def is_second(self) -> bool:
        """Whether the game has another panel, with the paper's truth."""
        return self.label != self.game.name


class Part(NamedTuple):
    """The verdict on a claim for one game, or for one line of a sweep."""

    holds: Verdict
    label: str
    numbers: str


class Study(NamedTuple):
    """A figure and its lines under all protocols."""

    experiment: Experiment
    lines: list[Line]

    @property
    def name(self) -> str:
        """The name of the part of `maxin paper` it belongs to."""
        return self.experiment.name.split(",")[0]

    @property
    def protocols(self) -> list[str]:
        """The protocols it was run under."""
        run = {line.protocol for line in self.lines}
        return [protocol for protocol in ALL_PROTOCOLS if protocol in run]

    def of(self, game: PaperGame, protocol: str) -> dict[str, Line]:
        """The lines of one panel, by algorithm.

        Under `as-printed` a game has one panel, which is found by name: its truth is that of the
        authors' scripts.
        """
        return {
            line.algorithm: line
            for line in self.lines
            if line.protocol == protocol
            and (line.game == game or (protocol == "as-printed" and line.game.name == game.name))
        }

    def panels(self, protocol: str, names: Sequence[str] | None = None) -> list[Panel]:
        """The panels of the games in `names`, or of all; without baselines the paper lacks."""
        extras = [line.name for line in EXTRAS]
        games = dict.fromkeys(line.game for line in self.lines if line.protocol == protocol)
        panels = []
        for game in games:
            if names is None or game.name in names:
                lines = {n: x for n, x in self.of(game, protocol).items() if n not in extras}
                label = game.name if protocol == "as-printed" else game.title
                panels.append(Panel(game, label, lines))
        return panels

    def rated_panels(self, protocol: str) -> list[Panel]:
        """The panels whose best player is x*, the one with the largest rating."""
        others = {game.name for game in self.experiment.games if game.truth == "score"}
        return [
            panel
            for panel in self.panels(protocol)
            if not panel.is_second and not (protocol == "as-printed" and panel.label in others)
        ]


def all_hold(verdicts: Sequence[Verdict]) -> Verdict:
    """False if any verdict is False, else None if any is None, else True.

    >>> all_hold([True, None]), all_hold([True, None, False])
    (None, False)
    """
    if False in verdicts:
        return False
    return None if None in verdicts else True


def most_hold(verdicts: Sequence[Verdict]) -> Verdict:
    """True if more than half are True, False if that is impossible, else None.

    >>> most_hold([True, True, False]), most_hold([True, None, False]), most_hold([True, False])
    (True, None, False)
    """
    n_true, n_open = verdicts.count(True), verdicts.count(None)
    if 2 * n_true > len(verdicts):
        return True
    return None if 2 * (n_true + n_open) > len(verdicts) else False


def in_every_run(found: Sequence[bool]) -> Verdict:
    """Whether something is so in every run: one counterexample decides, and five runs confirm.

    >>> in_every_run([True] * 4), in_every_run([True] * 5), in_every_run([True, False])
    (None, True, False)
    """
    if not all(found):
        return False
    return True if len(found) >= FEWEST_SEEDS else None


def claim_over(
    place: str,
    protocol: str,
    text: str,
    parts: Sequence[Part],
    combine: Callable[[Sequence[Verdict]], Verdict] = all_hold,
) -> Iterator[Claim]:
    """One claim from its parts; none if it has no parts, since those games were not played."""
    if parts:
        holds = combine([part.holds for part in parts])
        yield Claim(protocol, text, holds, evidence(parts), place, in_short(parts))


def in_short(parts: Sequence[Part]) -> str:
    """How many of several parts hold; for one part its means, the line in question first.

    >>> in_short([Part(True, "chess", "ours 1.20 ± 0.10 against theirs 3.40 ± 0.20")])
    '1.20 / 3.40'
    >>> in_short([Part(True, "chess", "1"), Part(None, "go", "2")])
    '1 of 2'
    """
    if len(parts) > 1:
        return f"{sum(part.holds is True for part in parts)} of {len(parts)}"
    means = re.findall(r"(-?[\d.]+) ±", parts[0].numbers)
    return " / ".join(means) or parts[0].numbers


def evidence(parts: Sequence[Part]) -> str:
    """The numbers of the parts, in groups of the same verdict, with how many of them hold.

    >>> evidence([Part(True, "chess", "1"), Part(None, "go", "2"), Part(True, "hex", "3")])
    '2 of 3. Holds for chess (1), hex (3). Cannot be decided for go (2)'
    """
    if len(parts) == 1:
        return f"{parts[0].label}: {parts[0].numbers}"
    groups = []
    for verdict, words in VERDICTS.items():
        here = [f"{part.label} ({part.numbers})" for part in parts if part.holds is verdict]
        if here:
            groups.append(f"{words} for {', '.join(here)}")
    n_true = sum(part.holds is True for part in parts)
    return f"{n_true} of {len(parts)}. " + ". ".join(groups)
