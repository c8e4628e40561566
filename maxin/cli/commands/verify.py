"""`maxin verify`: does the record say what the tournament believes?"""

from __future__ import annotations

import math

import typer

from maxin.cli.config.stores import DEFAULT, StoreOption, stored_tournament
from maxin.cli.output.tables import Answer, AnswerOption, counted, print_json


def verify(store: StoreOption = DEFAULT, format: AnswerOption = Answer.TEXT) -> None:
    """Recompute everything from the record and compare; exit code 1 if anything is wrong."""
    with stored_tournament(store) as tournament:
        found = tournament.verify()
        n_players = len(tournament.names)
    if format is Answer.JSON:
        difference = found.largest_difference
        answer = found._asdict() | {
            "is_right": not found.problems,
            "n_players": n_players,
            "largest_difference": difference if math.isfinite(difference) else None,
        }
        print_json(answer)
    else:
        typer.echo(
            f"{counted(found.n_matches, 'match')} of {counted(n_players, 'player')} read again, "
            f"{found.n_out:,} out: every match against its asking, players, seeds, "
            "points, ratings and the scheduler"
        )
        typer.echo(f"largest difference of a rating: {found.largest_difference:.3g} nats")
        for problem in found.problems:
            typer.echo(f"wrong: {problem}")
        if not found.problems:
            typer.echo("all is as recorded")
    raise typer.Exit(1 if found.problems else 0)
