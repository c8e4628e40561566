"""`maxin ask`, `tell`, `void` and `demand`: a tournament driven from any language."""

from __future__ import annotations

import json
import math
import socket
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from maxin.cli.config.stores import DEFAULT, StoreOption, stored_tournament
from maxin.cli.output.tables import Answer, AnswerOption, counted, print_json
from maxin.core import InvalidInput

if TYPE_CHECKING:
    from maxin.storage import Writer
    from maxin.tournament import Ticket, Tournament

LEASE = 600.0  # seconds, as of `Tournament.ask`
LATER, OVER = 3, 4  # exit codes: nothing to ask now, and never again

MatchArgument = Annotated[int, typer.Argument(metavar="ID", help="The match's number.")]


class Nothing(NamedTuple):
    """Why there is no match to play; `is_over` if waiting will not help."""

    reason: str
    is_over: bool


def ask(
    store: StoreOption = DEFAULT,
    lease: Annotated[
        float, typer.Option(help="Seconds until the match may be handed to somebody else.")
    ] = LEASE,
    budget: Annotated[
        int | None, typer.Option(min=1, help="Hand out no more matches than this, in all.")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Hand out no more once the top is known so surely.")
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(min=1, help="The size of that top.", show_default="what the goal is"),
    ] = None,
    format: AnswerOption = Answer.TEXT,
) -> None:
    """Hand out a match to play; bring its score with `maxin tell`.

    Prints the match's number, who sits first, who second, and a seed, with tabs between. The
    exit code is 3 when there is nothing to ask until a result comes, and 4 when it is over.
    """
    with stored_tournament(store, worker=_worker()) as tournament:
        answer = _asked(tournament, _positive(lease), budget, confidence, k)
    if isinstance(answer, Nothing):
        _print_nothing(answer, format)
        raise typer.Exit(OVER if answer.is_over else LATER)
    if format is Answer.JSON:
        number, first, second, seed = answer
        print_json({"match": number, "first": first, "second": second, "seed": seed})
    else:
        typer.echo("\t".join(map(str, answer)))


def _worker() -> str:
    """Who holds the ticket: not this process, which ends at once, but whoever called it."""
    return f"shell:{socket.gethostname()}"


def _positive(lease: float) -> float:
    if not 0.0 < lease < math.inf:
        raise InvalidInput(f"--lease is a positive number of seconds; got {lease:g}")
    return lease


def _print_nothing(answer: Nothing, format: Answer) -> None:
    if format is Answer.JSON:
        print_json({"match": None, "reason": answer.reason, "is_over": answer.is_over})
    else:
        typer.echo(answer.reason, err=True)


def _asked(
    tournament: Tournament,
    lease: float,
    budget: int | None,
    confidence: float | None,
    k: int | None,
) -> Ticket | Nothing:
    """A ticket, or why there is none."""
    if confidence is not None and (known := _known(tournament, confidence, k)):
        return Nothing(f"decided: {known}", is_over=True)
    most = math.inf if budget is None else budget

    def work(writer: Writer) -> Ticket | None:
        is_paid = tournament.n_matches + tournament.n_out >= most
        return tournament.desk.ask(writer, lease=lease, only_lapsed=is_paid)

    return tournament.transact(work) or _nothing(tournament, most)


def _known(tournament: Tournament, confidence: float, k: int | None) -> str | None:
    """What is known so surely that no more matches are needed; None if it is not."""
    from maxin.cli.output.standings import known_order

    if k is None and tournament.settings.seeks_order:
        return known_order(tournament, confidence)
    top = tournament.top(k, confidence=confidence)
    return f"the top {len(top.players)} is known" if top.is_decided else None


def _nothing(tournament: Tournament, budget: float) -> Nothing:
    """Why there is nothing to ask, and whether that can change."""
    n_out, n_active = tournament.n_out, len(tournament.desk.league.active())
    waits = f"; {counted(n_out, 'match')} still out" if n_out else ""
    if tournament.n_matches + n_out >= budget:
        return Nothing(f"the budget of {budget:,} matches is spent{waits}", is_over=not n_out)
    if n_active < 2:
        return Nothing(f"a match needs two active players; there are {n_active}", is_over=not n_out)
    if n_out:
        return Nothing(f"nothing to ask until a result comes{waits}", is_over=False)
    return Nothing("the scheduler has nothing more to ask", is_over=True)


def tell(
    match: MatchArgument,
    score: Annotated[
        float, typer.Argument(help="The first player's share of the win: 1, 0.5, 0, or between.")
    ],
    store: StoreOption = DEFAULT,
    games: Annotated[
        str | None,
        typer.Option(help="The first player's score in each game of the match, e.g. 1,0.5."),
    ] = None,
    error: Annotated[
        list[str] | None, typer.Option(help="What the game complained of; as often as it did.")
    ] = None,
    data: Annotated[str | None, typer.Option(help="A JSON object to keep with the result.")] = None,
    format: AnswerOption = Answer.TEXT,
) -> None:
    """Tell the score of a match that was asked.

    It may come late or twice: the same score again changes nothing. Another score than before is
    refused, with exit code 2.
    """
    shares, kept = _games(games), _object(data)
    with stored_tournament(store, worker=_worker()) as tournament:
        is_new = tournament.tell(match, score, games=shares, errors=error or (), data=kept)
        n_matches = tournament.n_matches
    if format is Answer.JSON:
        answer = {"match": match, "score": score, "is_new": is_new, "n_matches": n_matches}
        print_json(answer)
    elif is_new:
        typer.echo(f"match {match}: {score:g}; {counted(n_matches, 'match')} told")
    else:
        typer.echo(f"match {match}: {score:g} was told already")


def _games(text: str | None) -> list[float] | None:
    """Scores of games."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(
            f"--games are numbers with commas between, 1,0.5; got {text!r}"
        ) from None


def _object(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"--data is a JSON object; {text!r} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInput(f"--data is a JSON object, {{...}}; got {text!r}")
    return value


def void(
    match: MatchArgument,
    reason: Annotated[str, typer.Argument(help="Why, to be kept.")],
    store: StoreOption = DEFAULT,
) -> None:
    """Give up a match that was asked: it counts for nobody, unless its score is told after all."""
    with stored_tournament(store, worker=_worker()) as tournament:
        tournament.refresh()
        is_out = match in tournament.desk.league.out
        tournament.void(match, reason)
    typer.echo(f"match {match} is void" if is_out else f"match {match} was not out")


def demand(
    first: Annotated[str, typer.Argument(help="Who sits first.")],
    second: Annotated[str, typer.Argument(help="Who sits second.")],
    store: StoreOption = DEFAULT,
    times: Annotated[int, typer.Option(min=1, help="How often they are to meet.")] = 1,
) -> None:
    """Have two players meet before anything else is asked."""
    with stored_tournament(store) as tournament:
        tournament.demand(first, second, times=times)
    typer.echo(f"next: {first} - {second}" + (f", {times} times" if times > 1 else ""))
