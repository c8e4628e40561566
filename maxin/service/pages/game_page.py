"""What the data of a result says about one game, for the page of its match."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from maxin.core.text import visible
from maxin.core.values import data_of_games
from maxin.service.arena.markdown import markdown_html
from maxin.service.pages.chess_game import ChessView, chess_view
from maxin.service.pages.outputs import ShownSide
from maxin.storage.records import PlayedMatch, vote_of
from maxin.tournament.results.pgn import seated_games
from maxin.views.formats import DASH, points, visible_lines
from maxin.views.recorded.costs import KEY as COST

SHORT = 80  # characters of a value that stands in a list of facts
LONGEST = 20_000  # characters of a log or of other data; of a log these are the last
LOG, PROMPT, ANSWERS = "log", "prompt", "answers"
OF_VOTES = ("voter", "item", "choice", "side", "ms")  # the page has them for the whole match
OF_CHESS = ("moves", "comments", "plies", "fen")

Facts = list[tuple[str, str]]


class Compared(NamedTuple):
    """A prompt, which may be empty, and the two outputs that somebody compared."""

    prompt: Markup
    left: ShownSide
    right: ShownSide


class ShownGame(NamedTuple):
    """One game of a match.

    Args:
        players: the player who sat first, and the other one; every second game has them swapped.
        score: the points of both.
        facts: what is short in its data.
        texts: what is long in its data.
        compared: a prompt and two answers, if its data has them.
        chess: the game, if it was chess.
    """

    players: tuple[str, str]
    score: str
    facts: Facts
    texts: list[tuple[str, Markup]]
    compared: Compared | None
    chess: ChessView | None


def shown_games(
    played: PlayedMatch[str], step: tuple[int | None, int | None] = (None, None)
) -> list[ShownGame]:
    """The games of a match; one for a match without games.

    Args:
        played: the result.
        step: which game is shown after how many moves; all others are shown at their end.

    >>> data = {"games": [{"end": "time"}, {}]}
    >>> played = PlayedMatch(1, "anna", "bo", 0.75, (1.0, 0.5), data=data)
    >>> games = shown_games(played)
    >>> [(game.players, game.score.replace(DASH, "-"), game.facts) for game in games]
    [(('anna', 'bo'), '1 - 0', [('end', 'time')]), (('bo', 'anna'), '½ - ½', [])]
    """
    seated = zip(seated_games(played), data_of_games(played.data, played.games), strict=True)
    return [
        _game((game.white, game.black), game.score, data, step[1] if step[0] == place else None)
        for place, (game, data) in enumerate(seated, start=1)
    ]


def _game(
    players: tuple[str, str], score: float, data: Mapping[str, Any], ply: int | None
) -> ShownGame:
    chess, compared = chess_view(data, ply), _compared(data, players)
    hidden = {COST, "judge", "games"}  # the page has them for the whole match
    hidden |= set(OF_VOTES if vote_of(data) else ()) | set(OF_CHESS if chess else ())
    hidden |= {PROMPT, ANSWERS} if compared else set()
    rest = {key: value for key, value in data.items() if key not in hidden and value is not None}
    texts = [(key, _long(key, value)) for key, value in rest.items() if not _is_short(key, value)]
    return ShownGame(players, score_line(score), facts_of(rest), texts, compared, chess)


def score_line(score: float, n_games: int = 1) -> str:
    """The points of both players.

    >>> score_line(0.75, n_games=2).replace(DASH, "-")
    '1½ - ½'
    """
    return f"{points(score * n_games)} {DASH} {points((1.0 - score) * n_games)}"


def facts_of(data: Mapping[str, Any]) -> Facts:
    """What is short in the data of a result: one line each."""
    return [(key, _line(value)) for key, value in data.items() if _is_short(key, value)]


def _is_short(key: str, value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    if any(isinstance(part, list | dict) for part in parts):
        return False
    return key != LOG and len(_line(value)) <= SHORT and "\n" not in str(value)


def _line(value: Any) -> str:
    return visible(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _long(key: str, value: Any) -> Markup:
    """A text as Markdown; a log, and what is not a text, as it is written."""
    if isinstance(value, str) and key != LOG:
        return markdown_html(value)
    return Markup("<pre>{}</pre>").format(visible_lines(_written(value)))


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value[-LONGEST:]
    try:
        return json.dumps(value, indent=2, ensure_ascii=False)[:LONGEST]
    except RecursionError:  # a value of a thousand levels
        return "..."


def _compared(data: Mapping[str, Any], players: tuple[str, str]) -> Compared | None:
    """The answers that a judge compared, that of the first player first."""
    prompt, answers = data.get(PROMPT, ""), data.get(ANSWERS)
    if not isinstance(answers, list) or [type(one) for one in (*answers, prompt)] != [str] * 3:
        return None
    left, right = (
        ShownSide(letter, markdown_html(answer), player)
        for letter, player, answer in zip("AB", players, answers, strict=True)
    )
    return Compared(markdown_html(prompt) if prompt else Markup(), left, right)
