"""The reference pages that are made from the code: the HTTP API and the config file."""

import json

from maxin.cli.config.config_file import template
from maxin.service.api.openapi import description
from maxin.service.api.routes import TABLE

ROLES = {
    "anyone": "Anyone",
    "viewer": "Viewers",
    "worker": "Workers",
    "voter": "Voters",
    "admin": "Admins",
}
LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
}
API_HEAD = """\
# The HTTP API

This page lists every request that `maxin serve` answers. It is made from `/openapi.json`, the
OpenAPI schema of the service. A request needs a token of the role under which it is listed, in the
header `Authorization: Bearer mx_...`. Workers may do all that viewers may, and admins everything:
[who may do what](service-pages.md#who-may-do-what). The body of an error is a [Problem](#problem).
[Play matches for a service](../how-to/workers.md#in-another-language) shows the two requests of a
worker with curl."""
CONFIG_HEAD = """\
# The config file

This page lists every key of a config file, with its default and its meaning. It is the file that
`maxin init` writes and `maxin run maxin.toml` plays. A flag of the same name overrides a key, as in
`--workers 8` for `workers`; [the command](cli.md#maxin-run) lists the flags. In Python, the keys
are arguments of [`Tournament`](python.md) and of its `run`."""


def config_page():
    """The page of the config file."""
    return f"{CONFIG_HEAD}\n\n```toml\n{template().strip()}\n```\n"


def api_page():
    """The page of the HTTP API."""
    described = description(TABLE)
    parts = [API_HEAD]
    for role, title in ROLES.items():
        parts.append(f"## {title}")
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                if operation["x-role"] == role:
                    parts += request(f"{method.upper()} {path}", operation)
    parts.append("## Bodies")
    for name, schema in sorted(described["components"]["schemas"].items()):
        parts += body(name, schema)
    return "\n\n".join(parts) + "\n"


def request(title, operation):
    """The parts of the page about one request."""
    yield f"### `{title}`"
    yield operation["summary"]
    if "parameters" in operation:
        rows = [
            (
                f"`{given['name']}`",
                kind(given["schema"]),
                remarks(given["schema"], given["required"]),
            )
            for given in operation["parameters"]
        ]
        yield table(("parameter", "type", "remarks"), rows)
    if "requestBody" in operation:
        yield f"Body: {content(operation['requestBody'])}."
    answers = operation["responses"].items()
    good = [f"{status} {content(each)}".strip() for status, each in answers if status < "400"]
    errors = [status for status, _ in answers if status >= "400"]
    ends = [f"Answers: {', '.join(good)}."] + ([f"Errors: {', '.join(errors)}."] if errors else [])
    yield " ".join(ends)


def content(answer):
    """What a request or an answer contains."""
    kinds = answer.get("content", {}).items()
    return ", ".join(
        kind(found["schema"]) if "json" in name else f"`{name}`" for name, found in kinds
    )


def body(name, schema):
    """The parts of the page about one body."""
    yield f"### {name}"
    yield " ".join(schema.get("description", "").split())
    fields = schema.get("properties", {})
    rows = [
        (f"`{field}`", kind(given), remarks(given, field in schema.get("required", ())))
        for field, given in fields.items()
    ]
    if rows:
        yield table(("field", "type", "remarks"), rows)


def kind(schema):
    """The type of a value, which leads to its body if it has one."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if schema.get("type") == "array" and "items" in schema:
        return f"array of {kind(schema['items'])}"
    found = schema.get("type", "any")
    return " or ".join(found) if isinstance(found, list) else found


def remarks(schema, is_required):
    """What else is known of a value: its meaning, whether it must be given, its limits."""
    given = {**schema, **next((each for each in schema.get("anyOf", ()) if len(each) > 1), {})}
    found = [given["description"].rstrip(".")] if "description" in given else []
    found += ["required"] if is_required else []
    found += [limit.format(f"{given[key]:,}") for key, limit in LIMITS.items() if key in given]
    if "default" in schema and not is_required:
        found.append(f"by default `{json.dumps(schema['default'])}`")
    return "; ".join(found)


def table(header, rows):
    """A table of Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
