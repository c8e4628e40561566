"""The rows of the store, as the rooms above see them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from maxin.core import InvalidInput
from maxin.core.checks import LONGEST_NAME

Kind = Literal["player", "ask", "tell", "retract", "void", "request"]
PlayerState = Literal["active", "paused", "retired", "removed"]
AWAY = ("retired", "removed")  # the states of players who get no match and cannot be the best
JUDGE_KEYS = ("judge", "voter")  # of the data of a result that names who judged it
BOTH_BAD = "both bad"  # the choice "bad", as the data of a result has it
ROUNDING = 1e-9  # how far a match's score may be from the mean of its games
LAST_SECOND = 253_402_300_799.0  # of the year 9999
SEAL = 16  # hexadecimal digits of a digest in a fence: 64 bits
_FENCE = re.compile(r"([1-9][0-9]{0,17})(?:-([0-9a-f]{16}))?", re.ASCII)
Player = TypeVar("Player", int, str)


def fence_of(entry: int, digest: str | None) -> str:
    """The fence of a match that this entry hands out; an older version's has no digest.

    A store that was restored from a backup counts its entries and matches on from there, so the
    same numbers come again. The digest of an entry covers all entries before it and the time when
    it was written, so it differs between two histories, however long their common beginning is.

    >>> fence_of(101, "78a30cf960d6ff90cb2b7444db01c267"), fence_of(7, None)
    ('101-78a30cf960d6ff90', '7')
    """
    return f"{entry}-{digest[:SEAL]}" if digest else str(entry)


def entry_of(fence: str) -> int:
    """The number of the entry in a fence.

    >>> entry_of("101-78a30cf960d6ff90")
    101
    """
    found = _FENCE.fullmatch(fence)
    if found is None:
        raise InvalidInput(
            f"a fence must be as the ticket has it, such as 101-78a30cf960d6ff90; got {fence!r:.80}"
        )
    return int(found[1])


def fits(fence: str, digest: str | None) -> bool:
    """Whether a fence is that of an entry with this digest; one without a digest fits any.

    >>> fits("101-78a30cf960d6ff90", "78a30cf960d6ff90cb2b7444db01c267"), fits("101", "78")
    (True, True)
    """
    _, _, seal = fence.partition("-")
    return not seal or seal == str(digest or "")[:SEAL]


class Judge(NamedTuple):
    """Who judged a match, and whether it saw the second player first."""

    name: str
    is_swapped: bool = False


def judge_of(data: Mapping[str, Any] | None) -> Judge | None:
    """The judge that the data of a result names; None if it names none.

    It is `judge`, a text or a whole number, without blanks around it; that of the games, if all
    have the same one; or the voter of the arena, who saw the first player on the `side` that is
    given.

    >>> judge_of({"judge": "gpt"}), judge_of({"voter": "k3x0", "side": "right"}).is_swapped
    (Judge(name='gpt', is_swapped=False), True)
    """
    if not data:
        return None
    name = _judge_name(data.get("judge"))
    if name is not None:
        return Judge(name)
    voter, games = _judge_name(data.get("voter")), data.get("games")
    if voter is not None:
        return Judge(voter, data.get("side") == "right")
    if isinstance(games, list):
        parts = [part.get("judge") if isinstance(part, Mapping) else None for part in games]
        names = {_judge_name(part) for part in parts}
        found = names.pop() if len(names) == 1 else None
        return None if found is None else Judge(found)
    return None


class Vote(NamedTuple):
    """What a person chose between two outputs, as the result of their match keeps it.

    Args:
        judge: the voter, and whether the second player was on the left.
        item: the name of what was compared.
        choice: "a" is the output on the left, "b" the other; "tie", or "bad" if both are bad.
        ms: milliseconds from the showing to the vote.
        reason: in the voter's own words.
        category: of the item, if it has one.

    >>> Vote(Judge("k3x0", is_swapped=True), "greeting", "a").score
    0.0
    """

    judge: Judge
    item: str
    choice: str
    ms: int | None = None
    reason: str | None = None
    category: str | None = None

    @property
    def score(self) -> float:
        """The first player's score."""
        if self.choice not in ("a", "b"):
            return 0.5
        return float((self.choice == "a") != self.judge.is_swapped)

    def data(self) -> dict[str, Any]:
        """The vote as the data of a result; `side` is where the first player was.

        >>> Vote(Judge("k3x0"), "greeting", "bad").data()
        {'voter': 'k3x0', 'item': 'greeting', 'choice': 'both bad', 'side': 'left'}
        """
        data = {
            "voter": self.judge.name,
            "item": self.item,
            "category": self.category or None,
            "choice": BOTH_BAD if self.choice == "bad" else self.choice,
            "side": "right" if self.judge.is_swapped else "left",
            "ms": self.ms,
            "reason": self.reason or None,
        }
        return {key: value for key, value in data.items() if value is not None}


def vote_of(data: Mapping[str, Any] | None) -> Vote | None:
    """The vote in the data of a result; None if it is of another kind.

    >>> vote_of(Vote(Judge("k3x0", is_swapped=True), "greeting", "bad", 900).data()).choice
    'bad'
    """
    judge = judge_of(data)
    if not data or judge is None or not {"voter", "item", "choice"} <= data.keys():
        return None
    choice = "bad" if data["choice"] == BOTH_BAD else data["choice"]
    more = (data.get("ms"), data.get("reason"), data.get("category"))
    return Vote(judge, data["item"], choice, *more)


def check_judge(value: Any) -> None:
    """Raise unless a judge can have this name.

    >>> check_judge(3.5)
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: a judge must be a text in one line ...; got 3.5
    """
    if _judge_name(value) is None:
        raise InvalidInput(
            f"a judge must be a text in one line that is not blank, of at most {LONGEST_NAME} "
            f"characters, or a whole number; got {value!r:.80}"
        )


def with_judge(data: Mapping[str, Any] | None, judge: str | None) -> Mapping[str, Any] | None:
    """The data of a result with the name of its judge in it.

    >>> with_judge({"ms": 900}, " gpt"), with_judge(None, None)
    ({'ms': 900, 'judge': 'gpt'}, None)
    """
    if judge is None:
        return data
    check_judge(judge)
    name = str(judge).strip()
    before = data.get("judge", name) if isinstance(data, Mapping) else name
    if _judge_name(before) != name:
        raise InvalidInput(f"judge is {name!r}, but data has the judge {before!r:.80}")
    return {**(data or {}), "judge": name}


def _judge_name(value: Any) -> str | None:
    """The name of a judge without blanks around it, or None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    name = value.strip() if isinstance(value, str) else ""
    return name if name and name.isprintable() and len(name) <= LONGEST_NAME else None


def time_of(number: int | None, data: Mapping[str, Any] | None, recorded: float) -> float:
    """When a match was played, in seconds since 1970, as far as one can tell.

    It is when its result was recorded. A match that was played elsewhere, which has no number, was
    played at the `time` in its data, if there is one, but not after it was recorded.

    >>> time_of(None, {"time": 1.5e9}, 1.7e9), time_of(3, {"time": 1.5e9}, 1.7e9)
    (1500000000.0, 1700000000.0)
    """
    time = None if number is not None or not data else data.get("time")
    if isinstance(time, int | float) and not isinstance(time, bool) and time >= 0.0:
        return min(float(time), recorded)
    return recorded


class Entry(NamedTuple):
    """One step of the record: ratings and schedules are derived from these alone.

    `seq` counts everything ever written and grows in the order of commits. The kind says which
    other fields are set:

    - player: `first` is the player's number, `name` its name, `state` its new state;
    - ask: the match's number and who sits where;
    - tell: the same with the score, `games` if the match had several, its judge if it has one, and
      the time when it was played; a result that was imported has no number;
    - retract: the same as in the result that is taken back;
    - void: the match's number;
    - request: who is to sit where.
    """

    seq: int
    kind: Kind
    match: int | None = None
    first: int | None = None
    second: int | None = None
    score: float | None = None
    games: tuple[float, ...] | None = None
    name: str | None = None
    state: PlayerState | None = None
    judge: Judge | None = None
    time: float = 0.0


class Counted(NamedTuple):
    """A summary of the record: its last entry, its last match, and how often each result came.

    A result is the first player, the second, the score, the games and the judge, as in `Entry`.
    Those that were retracted by then are left out.
    """

    last: int
    n_asked: int
    results: list[tuple[int, int, float, tuple[float, ...] | None, Judge | None, int]]


class PlayedMatch(NamedTuple, Generic[Player]):
    """A match with its result: players are numbers in the store, names where people read.

    Args:
        number: the match's number; None if it was played elsewhere.
        first: the player who sat first.
        second: the other one.
        score: the first player's share of the win.
        games: the first player's score in each game, every second one with the seats swapped;
            None for a match of one game.
        errors: what the game complained about.
        data: anything kept with the result.
        source: where an imported result comes from.
        line: its line in that source.
        seed: the seed the match was played with, if it was scheduled here.
        time: when it was recorded, in seconds since 1970.
        worker: who reported it.
        retracted: why the result was taken back; None if it stands.
    """

    number: int | None
    first: Player
    second: Player
    score: float
    games: tuple[float, ...] | None = None
    errors: tuple[str, ...] = ()
    data: Mapping[str, Any] | None = None
    source: str | None = None
    line: int | None = None
    seed: int | None = None
    time: float = 0.0
    worker: str | None = None
    retracted: str | None = None

    @property
    def judge(self) -> Judge | None:
        """Who judged it, if its data says so."""
        return judge_of(self.data)


class PlayerRow(NamedTuple):
    """A player as of its latest change."""

    player: int
    name: str
    state: PlayerState
    options: Mapping[str, Any]


class StoredEvent(NamedTuple):
    """Something else worth keeping: a failed attempt, a refused score, a pause, a request.

    `seq` is the number of its entry.
    """

    kind: str
    match: int | None
    player: int | None
    detail: Mapping[str, Any]
    time: float
    seq: int = 0


class Lease(NamedTuple):
    """Who plays a match, since when, and until when nobody else may.

    `uptime` is `since` by a clock that is never set: see `maxin.storage.machine`. It is of use on
    the same machine only, and until it is started again: while `boot` is its `boot_id`.
    """

    match: int
    worker: str
    since: float
    until: float
    boot: str = ""
    uptime: float = 0.0
