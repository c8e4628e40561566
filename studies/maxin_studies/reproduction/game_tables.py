"""The section of Table 2: statistics of the games, and what the paper says about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from maxin.evaluation import players_in_cycles, sink_components, sink_players
from maxin.games import Game
from maxin.ratings import hodge_decomposition
from maxin_studies.document import Section
from maxin_studies.reproduction.claims import judged


@dataclass(frozen=True)
class Table2Row:
    """A row of Table 2, and how the game made from rules differs from the paper's file."""

    n_players: int
    top: int  # |Top SSCC|
    is_transitive: bool
    difference: str


DRAWN = "in the players drawn"

TABLE2 = {
    "Transitive game": Table2Row(100, 1, True, DRAWN),
    "Triangular game": Table2Row(100, 1, True, "in the order of the players only"),
    "Elo game": Table2Row(100, 1, True, DRAWN),
    "Elo game + noise=0.01": Table2Row(100, 1, True, DRAWN),
    "Elo game + noise=0.05": Table2Row(100, 1, True, DRAWN),
    "Elo game + noise=0.1": Table2Row(100, 1, True, DRAWN),
    "Kuhn-poker": Table2Row(64, 64, False, "in the cards dealt"),
    "AlphaStar": Table2Row(100, 1, False, "there are no rules"),
    "tic_tac_toe": Table2Row(100, 2, False, "in how its pure players choose moves"),
    "hex(board_size=3)": Table2Row(100, 2, False, "in how its pure players choose moves"),
    "Blotto": Table2Row(100, 99, False, DRAWN),
    "5,3-Blotto": Table2Row(21, 18, False, "nowhere"),
}

DEFINITION = (
    "A player beats another if it wins with probability above 1/2. A game is strictly transitive "
    "if nobody is on a cycle of players who beat each other, that is, if every strongly connected "
    "component is one player. The paper does not define its column Transitivity. The transitive "
    "share is that of the log-odds in the Hodge decomposition."
)


@dataclass(frozen=True)
class GameStatistics:
    """What the section computes for one game."""

    name: str
    game: Game
    printed: Table2Row

    @property
    def sinks(self) -> list[int]:
        """The sizes of the sink components."""
        return [len(players) for players in sink_components(self.game.probabilities)]

    @property
    def n_in_cycles(self) -> int:
        """The number of players on cycles."""
        return len(players_in_cycles(self.game.probabilities))

    @property
    def n_in_cycles_outside(self) -> int:
        """The number of players on cycles who are in no sink component."""
        chances = self.game.probabilities
        return len(np.setdiff1d(players_in_cycles(chances), sink_players(chances)))

    @property
    def is_as_printed(self) -> bool:
        """Whether the players and those in the top are as many as in the paper."""
        return (self.game.n_players, sum(self.sinks)) == (self.printed.n_players, self.printed.top)

    @property
    def weakest_win(self) -> float:
        """The smallest probability of the best player against another."""
        chances = self.game.probabilities + np.diag(np.full(self.game.n_players, np.inf))
        return float(chances.min(axis=1).max())

    @property
    def is_from_rules(self) -> bool:
        """Whether the game was made from rules; a game from a file has the file's name."""
        return self.game.name != self.name

    def row(self) -> list[str]:
        """The game's row of the section's table."""
        chances = self.game.probabilities
        share = hodge_decomposition(np.log(chances / (1.0 - chances))).transitive_share
        return [
            self.name,
            str(self.game.n_players),
            str(sum(self.sinks)),
            str(self.printed.top),
            str(self.n_in_cycles),
            _yes(self.n_in_cycles == 0),
            _yes(self.printed.is_transitive),
            f"{share:.2f}",
        ]


def games_section(games: Mapping[str, Game]) -> Section:
    """Table 2: statistics of the games, next to the printed ones.

    >>> section = games_section({"Triangular game": Game("order", [[0, 1], [-1, 0]])})
    >>> section.notes[0]
    '0 of 1 sizes agree with the paper. Triangular game has 2 players, 1 in sink components
    (paper: 100 and 1).'
    """
    found = [
        GameStatistics(name, games[name], row) for name, row in TABLE2.items() if name in games
    ]
    section = Section("table2", "Table 2. The games")
    section.header = [
        "game", "players", "in sink components", "in sink components, paper", "in cycles",
        "strictly transitive", "transitive, paper", "transitive share",
    ]  # fmt: skip
    section.rows = [game.row() for game in found]
    if any(game.is_from_rules for game in found):
        section.header.append("differs from the paper's file")
        for game, row in zip(found, section.rows, strict=True):
            row.append(game.printed.difference if game.is_from_rules else "")
    section.notes = [_sizes(found), DEFINITION, *_transitivity(found), *_several_tops(found)]
    section.notes += [*_top_players(found), *_cycles_outside(found)]
    return section


def _sizes(found: Sequence[GameStatistics]) -> str:
    """How many rows agree with the paper in players and top, and which do not."""
    others = [
        f"{game.name} has {game.game.n_players} players, {sum(game.sinks)} in sink components "
        f"(paper: {game.printed.n_players} and {game.printed.top})"
        for game in found
        if not game.is_as_printed
    ]
    agree = f"{len(found) - len(others)} of {len(found)} sizes agree with the paper"
    return f"{agree}. {'; '.join(others)}." if others else f"{agree}."


def _transitivity(found: Sequence[GameStatistics]) -> list[str]:
    """Whether the printed Yes and No are right, strictly."""
    wrong = [game for game in found if (game.n_in_cycles == 0) != game.printed.is_transitive]
    evidence = "; ".join(
        f"{game.name}, printed {_yes(game.printed.is_transitive)}, has {game.n_in_cycles} of "
        f"{game.game.n_players} players in cycles"
        for game in wrong
    )
    right = f"{len(found) - len(wrong)} of {len(found)} games agree"
    text = "strictly, the games printed as transitive are, and the others are not"
    return (
        [judged("Table 2", not wrong, text, f"{right}; {evidence}" if evidence else right)]
        if found
        else []
    )


def _several_tops(found: Sequence[GameStatistics]) -> list[str]:
    several = [game for game in found if len(game.sinks) > 1]
    if not several:
        return []
    counts = ", ".join(f"{game.name} ({len(game.sinks)})" for game in several)
    return [
        f"Games with several sink components: {counts}. Players of different ones tie, so none is "
        "the top alone. The players of all of them are counted, as in the paper."
    ]


def _top_players(found: Sequence[GameStatistics]) -> list[str]:
    """The paper: six games have a top player who beats all others."""
    games = [game for game in found if game.printed.is_transitive]
    if not games:
        return []
    evidence = ", ".join(f"{game.name} {game.weakest_win:.3f}" for game in games)
    return [
        judged(
            "s.798",
            all(sum(game.sinks) == 1 and game.weakest_win > 0.5 for game in games),
            "each game printed as transitive has a top player who wins against every other with "
            "probability above 0.5",
            f"Its smallest probability: {evidence}",
        )
    ]


def _cycles_outside(found: Sequence[GameStatistics]) -> list[str]:
    """The paper: AlphaStar has one top player, and cycles among the others."""
    return [
        judged(
            "s.798",
            game.sinks == [1] and game.n_in_cycles_outside > 0,
            "AlphaStar's top is one player, and there are cycles outside it",
            f"{sum(game.sinks)} in sink components; {game.n_in_cycles_outside} of the other "
            f"{game.game.n_players - sum(game.sinks)} players are in cycles",
        )
        for game in found
        if game.name == "AlphaStar"
    ]


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
