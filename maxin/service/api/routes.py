"""All routes; the app and the description of the API are made from this one table."""

from __future__ import annotations

from typing import Any

from maxin._version import __version__
from maxin.service.api.about import ABOUT
from maxin.service.api.admin import ADMIN
from maxin.service.api.answers import Answer
from maxin.service.api.bodies import HealthBody
from maxin.service.api.declaring import ApiRoute, Call, declared
from maxin.service.api.openapi import description
from maxin.service.api.session import SESSION
from maxin.service.api.viewers import VIEWERS
from maxin.service.api.voters import VOTERS
from maxin.service.api.workers import WORKERS
from maxin.service.pages.routes import PAGES


async def health(call: Call) -> Answer:
    """GET /health."""
    return Answer(200, HealthBody("ok", __version__))


async def openapi(call: Call) -> Answer:
    """GET /openapi.json."""
    return Answer(200, description(TABLE))


GENERAL: tuple[ApiRoute, ...] = (
    declared("GET", "/health", "anyone", health, "Whether the service works.", {200: HealthBody}),
    declared("GET", "/openapi.json", "anyone", openapi, "This description.", {200: dict[str, Any]}),
)

TABLE: tuple[ApiRoute, ...] = (
    *WORKERS,
    *VOTERS,
    *ABOUT,
    *VIEWERS,
    *ADMIN,
    *SESSION,
    *GENERAL,
    *PAGES,
)
