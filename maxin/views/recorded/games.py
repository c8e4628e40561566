"""How games ended: by a mate, a draw, an adjudication, or a forfeit of one player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from maxin.core.text import counted
from maxin.core.values import data_of_games
from maxin.storage import PlayedMatch
from maxin.views.columns import COUNT, Column, DataTable
from maxin.views.recorded.failures import Failure

# What a runner says of a game that a player lost without being beaten, and how people say it.
FORFEITS = {"time": "on time", "crash": "by a crash", "illegal move": "by an illegal move"}
FORFEIT = "forfeit"  # the kind of such a game among failures


class EndedGame(NamedTuple):
    """How a game ended, and who lost it; None for a draw."""

    end: str
    loser: str | None

    @property
    def is_forfeit(self) -> bool:
        """Whether the loser was not beaten on the board."""
        return self.end in FORFEITS and self.loser is not None


def ended_games(
    players: tuple[str, str],
    score: float,
    games: Sequence[float] | None,
    data: Mapping[str, Any] | None,
) -> list[EndedGame]:
    """The games of a match whose data say how each ended; none if they do not.

    >>> ended_games(("anna", "bo"), 0.0, None, {"end": "time", "plies": 31})
    [EndedGame(end='time', loser='anna')]
    """
    found = []
    for part, share in zip(data_of_games(data, games), games or (score,), strict=True):
        end = part.get("end")
        if not isinstance(end, str):
            return []
        loser = players[0] if share < 0.5 else players[1] if share > 0.5 else None
        found.append(EndedGame(end, loser))
    return found


def ends_line(ended: Iterable[EndedGame]) -> str:
    """How the games of a match ended, in a few words.

    >>> ends_line([EndedGame("time", "anna"), EndedGame("stalemate", None)])
    'anna lost on time; stalemate'
    >>> ends_line([EndedGame("checkmate", "anna"), EndedGame("checkmate", "bo")])
    'checkmate (2 games)'
    """
    ways = Counter(
        f"{one.loser} lost {FORFEITS[one.end]}" if one.is_forfeit else one.end for one in ended
    )
    return "; ".join(f"{way} ({n} games)" if n > 1 else way for way, n in ways.items())


class Forfeits(NamedTuple):
    """The games that a player lost without being beaten, of those it played."""

    player: str
    games: int
    time: int
    crash: int
    illegal: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.time + self.crash + self.illegal


COLUMNS: tuple[Column[Forfeits], ...] = (
    Column("player", "player", left=True),
    Column("games", "games", format=COUNT),
    Column("time", "lost on time", format=COUNT),
    Column("crash", "by a crash", format=COUNT),
    Column("illegal", "by an illegal move", format=COUNT),
)


@dataclass(frozen=True)
class GameEnds:
    """How the games of a tournament ended.

    Args:
        ends: how many games ended in each way.
        played: how many of them each player played.
        lost: how many games each player forfeited, by the way.
        failures: the forfeited games, oldest first.
    """

    ends: Counter[str] = field(default_factory=Counter)
    played: Counter[str] = field(default_factory=Counter)
    lost: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    @classmethod
    def of(cls, matches: Iterable[PlayedMatch[str]]) -> GameEnds:
        """Those of some matches.

        >>> matches = [PlayedMatch(1, "anna", "bo", 0.0, data={"end": "time"})] * 2
        >>> print(*GameEnds.of(matches).notes, sep="; ")
        games ended by time 2; forfeits: 2 of 2 games: anna lost 2 on time
        """
        found = cls()
        for match in matches:
            players = match.first, match.second
            games = ended_games(players, match.score, match.games, match.data)
            found._add(match, games)
        return found

    def _add(self, match: PlayedMatch[str], games: Sequence[EndedGame]) -> None:
        forfeits = [game for game in games if game.is_forfeit]
        self.ends.update(game.end for game in games)
        for player in (match.first, match.second) if games else ():
            self.played[player] += len(games)
        for place, (end, loser) in enumerate(forfeits):
            assert loser is not None
            self.lost[loser, end] += 1
            reason = f"{loser} lost {FORFEITS[end]}"
            if end != "time" and len(match.errors) == len(forfeits):
                reason += f": {match.errors[place]}"
            event = (match.time, FORFEIT, match.number, match.first, match.second)
            self.failures.append(Failure(*event, None, None, reason, ""))

    @property
    def forfeits(self) -> list[Forfeits]:
        """The players who forfeited games, those who did most often first."""
        players = dict.fromkeys(player for player, _ in self.lost)
        rows = [
            Forfeits(player, self.played[player], *(self.lost[player, end] for end in FORFEITS))
            for player in players
        ]
        return sorted(rows, key=lambda row: -row.total)

    @property
    def table(self) -> DataTable[Forfeits]:
        """Time losses, crashes and illegal moves of each player who has some."""
        return DataTable(COLUMNS, self.forfeits, "forfeits")

    @property
    def notes(self) -> list[str]:
        """A line about how games ended, and one about forfeits; nothing without games."""
        if not self.ends:
            return []
        ways = ", ".join(f"{end} {count:,}" for end, count in self.ends.most_common())
        n_games, n_lost = self.ends.total(), self.lost.total()
        lines = [f"games ended by {ways}"]
        if n_lost:
            players = "; ".join(map(_lost, self.forfeits))
            lines.append(f"forfeits: {n_lost:,} of {counted(n_games, 'game')}: {players}")
        return lines

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        return {"ends": dict(self.ends.most_common()), **self.table.document()}


def _lost(row: Forfeits) -> str:
    """What a player forfeited, in a few words."""
    counts = zip((row.time, row.crash, row.illegal), FORFEITS.values(), strict=True)
    ways = [f"{count:,} {way}" for count, way in counts if count]
    return f"{row.player} lost {', '.join(ways)}"
