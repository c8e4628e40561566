"""The description of the API, made from the table of routes and the types of its bodies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from maxin._version import __version__
from maxin.service.api.answers import JSON
from maxin.service.api.declaring import ApiRoute
from maxin.service.api.problems import MEDIA, Problem

REFERENCE = "#/components/schemas/{name}"
PART = re.compile(r"\{(\w+)(?::\w+)?\}")  # of a path: {name} or {name:path}


def description(routes: Iterable[ApiRoute]) -> dict[str, Any]:
    """The routes as OpenAPI 3.1 has them."""
    known = [route for route in routes if route.in_api]
    types = [Problem, *(kind for route in known for kind in _types(route))]
    _, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    paths: dict[str, dict[str, Any]] = {}
    for route in known:
        path = PART.sub(r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    bearer = {"type": "http", "scheme": "bearer", "description": "mx_<role>_<id>_<secret>"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "maxin", "version": __version__},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": bearer}},
    }


def _types(route: ApiRoute) -> list[Any]:
    found = [kind for kind in route.answers.values() if kind is not None]
    return [kind for kind in (*found, route.body) if not isinstance(kind, str | None)]


def _operation(route: ApiRoute) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": route.summary,
        "operationId": route.handler.__name__,
        "responses": {
            str(status): _response(status, kind) for status, kind in sorted(route.answers.items())
        },
    }
    parameters = [*_path_parameters(route), *_query_parameters(route)]
    if parameters:
        operation["parameters"] = parameters
    if route.body is not None:
        content = {JSON: {"schema": _schema(route.body)}}
        operation["requestBody"] = {"required": True, "content": content}
    operation["security"] = [] if route.role == "anyone" else [{"token": []}]
    operation["x-role"] = route.role
    return operation


def _response(status: int, kind: Any) -> dict[str, Any]:
    response: dict[str, Any] = {"description": HTTPStatus(status).phrase}
    if status >= 400:
        response["content"] = {MEDIA: {"schema": _schema(Problem)}}
    elif isinstance(kind, str):
        response["content"] = {kind: {"schema": {"type": "string"}}}
    elif kind is bytes:  # a text, an image or a sound: OpenAPI 3.1 has no schema for it
        response["content"] = {"*/*": {}}
    elif kind is not None:
        response["content"] = {JSON: {"schema": _schema(kind)}}
    return response


def _schema(kind: Any) -> Any:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return schema


def _path_parameters(route: ApiRoute) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer" if name == "match" else "string"},
        }
        for name in PART.findall(route.path)
    ]


def _query_parameters(route: ApiRoute) -> list[dict[str, Any]]:
    if route.query is None:
        return []
    component = msgspec.json.schema_components([route.query])[1][route.query.__name__]
    required = component.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in component["properties"].items()
    ]
