"""A plug-in of maxin: a scheduler, a game, a runner and a command."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from maxin import BradleyTerry, Entrant, Game, InvalidInput, Match, Result
from maxin.runners import Job, Outcome
from maxin.schedulers.base import LearningScheduler


class Neglected(LearningScheduler):
    """The pair that met least often.

    A scheduler is built from `n_players` and `rng`. Its options are keyword-only arguments:
    `neglected:prior_scale=2` sets the one below.
    """

    def __init__(
        self, n_players: int, *, rng: np.random.Generator, prior_scale: float = 1.0
    ) -> None:
        super().__init__(BradleyTerry(n_players, prior_scale=prior_scale))
        self._met = np.zeros((n_players, n_players))

    def _choose(self) -> Match:
        met = self._met.copy()
        for match in self.in_flight:
            met[min(match), max(match)] += 1.0
        met[np.tril_indices(self.n_players)] = np.inf  # each pair once, no self-matches
        first, second = np.unravel_index(met.argmin(), met.shape)
        return Match(int(first), int(second))

    def _learn(self, result: Result) -> None:
        super()._learn(result)
        self._met[min(result.match), max(result.match)] += 1.0


def dice(rng: np.random.Generator, *, n_players: int = 6) -> Game:
    """Dice of 4, 6, 8, ... sides: the higher roll wins."""
    sides = 4 + 2 * np.arange(n_players)
    rolls = [np.arange(1, n + 1) for n in sides]
    payoffs = [[np.sign(a[:, None] - b[None, :]).mean() for b in rolls] for a in rolls]
    return Game(f"{n_players} dice", payoffs)


class Dice:
    """Rolls two dice; a player is named after its sides, as d20.

    The options of a runner are keyword-only arguments. It may also declare `names` (of the
    players), `seed` (of the tournament) and `timeout`.
    """

    def __init__(self, *, rolls: int = 1) -> None:
        self.rolls = rolls

    def check(self, entrants: Iterable[Entrant]) -> None:
        """Raise unless every player is a die."""
        for entrant in entrants:
            if not entrant.name[1:].isdecimal():
                raise InvalidInput(f"a die is named d6, d20 and the like; got {entrant.name!r}")

    def play(self, job: Job) -> Outcome:
        """The higher sum wins."""
        roll = random.Random(job.seed).randint
        first, second = (
            sum(roll(1, int(player.name[1:])) for _ in range(self.rolls))
            for player in (job.first, job.second)
        )
        return Outcome((first > second) + (first == second) / 2)

    def kill(self) -> None:
        """A roll ends by itself."""

    def close(self) -> None:
        """There is nothing to end."""


def roll(
    die: Annotated[str, Parameter(help="A die, such as d20.", metavar="DIE")],
    /,
    *,
    seed: Annotated[int, Parameter(help="Seed of the roll.", metavar="N")] = 0,
) -> None:
    """Roll a die."""
    print(random.Random(seed).randint(1, int(die[1:])))
