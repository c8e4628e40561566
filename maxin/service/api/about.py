"""What a worker has to know about the tournament before it plays."""

from __future__ import annotations

import msgspec

from maxin.service.api.answers import Answer
from maxin.service.api.declaring import ApiRoute, Call, api
from maxin.service.service import Service


class TournamentBody(msgspec.Struct):
    """The tournament: what no other one has as its id, its rules, and its players."""

    id: str
    goal: str
    games_per_match: int
    seed: int
    players: list[str]


def described(service: Service) -> TournamentBody:
    """The tournament as a worker sees it.

    >>> from maxin.tournament import Tournament
    >>> described(Service.of(Tournament(["anna", "bo"], seed=7))).seed
    7
    """
    tournament, settings = service.tournament, service.tournament.settings
    return TournamentBody(
        tournament.store.identity(),
        str(settings.goal),
        settings.games_per_match,
        settings.seed,
        tournament.names,
    )


async def about(call: Call) -> Answer:
    """GET /tournament."""
    return Answer(200, await call.service.desk.call(lambda: described(call.service)))


ABOUT: tuple[ApiRoute, ...] = (
    api(
        "GET",
        "/tournament",
        "worker",
        about,
        "What a worker has to know: the rules, and the players in the order they joined.",
        {200: TournamentBody},
    ),
)
