"""`maxin ask`, `tell`, `fail`, `void`, `retract`, `request`: matches of a stored tournament."""

import json
import socket
import sys
from contextlib import suppress
from typing import Annotated, Any

from cyclopts import Parameter

from maxin.cli.config.flags import default_of, repeated, setting, values
from maxin.cli.config.settings import AnswerOption, AskSettings, Reason, Store
from maxin.cli.config.stores import stored_tournament
from maxin.cli.output.printing import print_json
from maxin.core import InvalidInput, Match
from maxin.core.checks import LONGEST_LEASE, MOST_ASKED
from maxin.core.declaration import NONE, TEXT, number, whole
from maxin.core.text import counted
from maxin.tournament import Tournament
from maxin.tournament.results.columns import score_of
from maxin.worker import Idle, Ticket

LATER, OVER = 3, 4  # exit codes: no match now, and no match ever again

LEASE = number(
    f"a number of seconds above 0 and at most {LONGEST_LEASE:,}",
    lambda value: 0 < value <= LONGEST_LEASE,
)
SEATS = {"first": 1.0, "second": 0.0}  # the winner by seat, and the score of the first player
MatchNumber = Annotated[int, setting(whole(1), "The number of the match.", "MATCH")]
Fence = Annotated[
    str,
    Parameter(
        help="What `maxin ask` printed after the seed.",
        metavar="FENCE",
        show_default=lambda _: "any",
    ),
]


def ask(
    *,
    store: Store = None,
    n_matches: Annotated[
        int,
        setting(
            whole(1, MOST_ASKED), "How many matches to get, if there are so many.", "N", shown="1"
        ),
        Parameter(name=["--number", "-n"]),
    ] = 1,
    lease: Annotated[
        float | None,
        setting(
            LEASE,
            "Time until the match may be given to another worker.",
            "SECONDS",
            default=default_of("maxin.tournament:Tournament.ask.lease"),
        ),
    ] = None,
    stop: Annotated[AskSettings, Parameter("*")] = AskSettings(),
    format: AnswerOption = "text",
) -> int:
    """Get the next match to play; report its score with `maxin tell`.

    Prints the number of the match, the first player, the second player, a seed and a fence,
    separated by tabs, in a line per match. With the fence, `maxin tell` refuses a result if the
    store was restored from a backup meanwhile and the number is that of another match. The exit
    code is 3 if there is no match until a result is reported, and 4 if the tournament is over.
    """
    ends: Any = values(stop)
    held: dict[str, Any] = {} if lease is None else {"lease": lease}
    with stored_tournament(store, worker=_worker()) as tournament:
        for n_printed in range(n_matches):
            ticket = tournament.ask(**held, **ends)
            if ticket is None:
                idle = tournament.idle_reason(**ends)
                return 0 if n_printed else _print_idle(idle, format)
            _print_ticket(ticket, format)
    return 0


def _print_ticket(ticket: Ticket, format: str) -> None:
    if format == "json":
        seats = {"first": ticket.first, "second": ticket.second}
        print_json({"match": ticket.id, **seats, "seed": ticket.seed, "fence": ticket.fence})
    else:
        fields = ticket.id, ticket.first, ticket.second, ticket.seed, ticket.fence
        print(*fields, sep="\t", flush=True)


def _worker() -> str:
    """The holder of a ticket: this process ends at once, so it is the machine."""
    return f"shell:{socket.gethostname()}"


def _print_idle(idle: Idle, format: str) -> int:
    """Print why there is no match; returns the exit code."""
    if format == "json":
        print_json({"match": None, "reason": idle.reason, "is_over": idle.is_over})
    else:
        print(idle.reason, file=sys.stderr)
    return OVER if idle.is_over else LATER


def tell(
    match: MatchNumber,
    score: Annotated[
        str,
        setting(
            TEXT,
            "Who won: first, second, tie or draw, 1-0, 0-1 or 1/2-1/2, or the name of the winner; "
            "or the score of the first player, from 0 to 1.",
            "SCORE",
        ),
    ],
    /,
    *,
    store: Store = None,
    games: Annotated[
        str | None,
        Parameter(
            help="The first player's score in each game of the match: 1,0.5.", metavar="SCORES"
        ),
    ] = None,
    error: Annotated[
        tuple[str, ...],
        repeated("An error of the game; repeat it for each error.", "TEXT"),
    ] = (),
    data: Annotated[
        str | None, Parameter(help="A JSON object to keep with the result.", metavar="JSON")
    ] = None,
    judge: Annotated[
        str | None,
        Parameter(
            help="Who judged the match: a person or a model; see `maxin show judges`.",
            metavar="NAME",
        ),
    ] = None,
    fence: Fence = "",
    format: AnswerOption = "text",
) -> None:
    """Report the score of a match.

    The score may come late or twice: the same score again changes nothing. A different score is
    refused, with exit code 2, and so is the fence of another history of the store. A word or a
    number comes before a name: if a player is named second, `maxin tell 1 second` still means that
    the second player won.
    """
    scores, kept = _scores(games), _object(data)
    with stored_tournament(store, worker=_worker()) as tournament:
        share = _share(score, match, tournament)
        told = _fenced(match, fence)
        is_new = tournament.tell(told, share, games=scores, errors=error, data=kept, judge=judge)
        n_matches = tournament.store.n_results()  # without reading the record
    if format == "json":
        print_json({"match": match, "score": share, "is_new": is_new, "n_matches": n_matches})
    elif is_new:
        print(f"match {match}: {share:g}; {counted(n_matches, 'match')} played")
    else:
        print(f"match {match}: {share:g} was reported already")


def _fenced(match: int, fence: str) -> Ticket:
    """A ticket, as far as a shell has it."""
    return Ticket(match, "", "", 0, Match(-1, -1), fence)


def _share(text: str, match: int, tournament: Tournament) -> float:
    """The score of the first player, from a word, a number or the name of the winner."""
    if text in SEATS:
        return SEATS[text]
    with suppress(InvalidInput):
        share = score_of(text)
        if share is not None:
            return share + 0.0  # no -0.0
    seats = tournament.store.seats([match]).get(match, ())
    names = {row.player: row.name for row in tournament.store.players()} if seats else {}
    players = [names[player] for player in seats]
    if text in players:
        return 1.0 - players.index(text)
    winner = f"the name of the winner, {' or '.join(map(repr, players))}, " if players else ""
    raise InvalidInput(
        f"SCORE must be first, second, tie, draw, 1-0, 0-1, 1/2-1/2, {winner}"
        f"or the score of the first player from 0 to 1; got {text!r}"
    )


def _scores(text: str | None) -> list[float] | None:
    """Scores of games, from 1,0.5."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(
            f"--games must be numbers separated by commas, 1,0.5; got {text!r}"
        ) from None


def _object(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"--data must be a JSON object; {text!r} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInput(f"--data must be a JSON object, {{...}}; got {text!r}")
    return value


def fail(
    match: MatchNumber,
    /,
    *,
    reason: Reason,
    player: Annotated[
        str | None,
        Parameter(
            help="The player whose fault it is.",
            metavar="NAME",
            show_default=lambda _: "not known",
        ),
    ] = None,
    fence: Fence = "",
    store: Store = None,
    format: AnswerOption = "text",
) -> None:
    """Report that a match gave no score: it is handed out again, and void after three failures.

    A failure is never a loss. Only the machine that asked for a match can report its failure; if
    the match is not pending there, that is an error, unless the same failure was reported before.
    """
    with stored_tournament(store, worker=_worker()) as tournament:
        found = tournament.fail(_fenced(match, fence), reason, player=player)
        if not found.attempt and not _was_reported(tournament, match, reason):
            raise InvalidInput(
                f"match {match} is not pending on this machine, so it cannot fail; nothing is "
                "recorded"
            )
    if format == "json":
        paused = [{"player": name, "reason": why} for name, why in found.paused]
        print_json({"match": match, **found._asdict(), "paused": paused})
    elif found.attempt:
        then = "it is void" if found.is_void else "it is handed out again"
        print(f"match {match}: attempt {found.attempt} failed; {then}")
    else:
        print(f"match {match}: this failure was reported already")


def _was_reported(tournament: Tournament, match: int, reason: str) -> bool:
    """Whether the last failure of a match is this one."""
    failed = [one for one in tournament.store.events("failed") if one.match == match]
    return bool(failed) and failed[-1].detail.get("reason") == reason


def void(
    match: MatchNumber,
    /,
    *,
    reason: Reason,
    store: Store = None,
) -> None:
    """Give up a pending match: it counts for nobody, unless its score is reported after all."""
    with stored_tournament(store, worker=_worker()) as tournament:
        was_pending = tournament.void(match, reason)
    print(f"match {match} is void" if was_pending else f"match {match} was not pending")


def retract(
    match: Annotated[
        int | None, setting(whole(1), "The number of the match.", "MATCH", shown=NONE)
    ] = None,
    /,
    *,
    reason: Reason,
    source: Annotated[
        str | None,
        Parameter(
            help="Take back all results that were imported from this file, or under this name.",
            metavar="NAME",
            show_default=lambda _: "none",
        ),
    ] = None,
    line: Annotated[
        int | None,
        setting(
            whole(1),
            "With --source, take back only the result in this line; see `maxin show matches`.",
            "N",
            shown="all",
        ),
    ] = None,
    store: Store = None,
) -> None:
    """Take back a wrong result, or results of an import; the record keeps both.

    Ratings follow at once. The right score of a match can then be reported with `maxin tell`, and
    a corrected file can be imported again.
    """
    if (match is None) == (source is None):
        raise InvalidInput("give either the number of a match or --source")
    if line is not None and source is None:
        raise InvalidInput("--line is a line of a --source; give both")
    with stored_tournament(store) as tournament:
        if source is not None:
            n_results = tournament.retract_source(source, reason, line=line)
            place = source if line is None else f"{source}, line {line}"
            done = f"retracted {counted(n_results, 'match')} of {place}"
        else:
            assert match is not None
            was_there = tournament.retract(match, reason)
            done = f"match {match} {'is' if was_there else 'was already'} retracted"
        n_matches = tournament.n_matches
    print(f"{done}; {counted(n_matches, 'match')} in total")


def request(
    first: Annotated[str, Parameter(help="The player who sits first.", metavar="FIRST")],
    second: Annotated[str, Parameter(help="The player who sits second.", metavar="SECOND")],
    /,
    *,
    store: Store = None,
    times: Annotated[int, setting(whole(1), "How many matches to request.", "N", shown="1")] = 1,
) -> None:
    """Request a match of two players: it is handed out before any other."""
    with stored_tournament(store) as tournament:
        tournament.request(first, second, times=times)
    print(f"next: {first} - {second}" + (f", {times} times" if times > 1 else ""))
