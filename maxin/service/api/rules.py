"""Rules of bodies and queries: what is wrong with one, with the value, the rule and the place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from maxin.core import InvalidInput
from maxin.core.text import counted, shortened
from maxin.service.access.refusal import Refusal

Made = TypeVar("Made")
LONGEST = 80  # characters of a value that are shown
AT = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d*|\.\.\.)\]")
UNREADABLE = (RecursionError, UnicodeDecodeError)
SECRET = re.compile(r"mx_[\w-]+")  # a token
NAMES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def checked(make: Callable[[], Made], kind: Any, given: Callable[[], Any], what: str) -> Made:
    """What `make` returns; an error of msgspec becomes one that names value, rule and place.

    Args:
        make: decodes.
        kind: the type to be made.
        given: what was sent, as plain values.
        what: the whole of it: "the body".

    >>> kind, sent = list[int], [1, "x"]
    >>> checked(lambda: msgspec.convert(sent, kind), kind, lambda: sent, "the body")
    Traceback (most recent call last):
    maxin.core.errors.InvalidInput: [1] of the body must be a whole number; got "x"
    """
    try:
        return make()
    except msgspec.ValidationError as error:
        message = str(error)
    except UNREADABLE as error:
        raise _unreadable(error, what) from None
    try:
        sent = given()
    except msgspec.ValidationError:  # such as a number that no type can hold
        raise InvalidInput(f"{what} is invalid: {message}") from None
    except UNREADABLE as error:
        raise _unreadable(error, what) from None
    raise InvalidInput(_sentence(message, kind, sent, what))


def _unreadable(error: Exception, what: str) -> Refusal:
    is_deep = isinstance(error, RecursionError)
    return Refusal(400, f"{what} {'is nested too deeply' if is_deep else 'must be UTF-8'}")


def decoded(decoder: msgspec.json.Decoder[Any], body: bytes, kind: Any) -> Any:
    """The body of a request; the error names what is wrong with it."""
    if not body.strip():
        raise Refusal(400, "the body must be JSON; it is empty")
    return checked(
        lambda: decoder.decode(body), kind, lambda: msgspec.json.decode(body), "the body"
    )


def _sentence(message: str, kind: Any, given: Any, what: str) -> str:
    found = AT.fullmatch(message)
    assert found is not None
    rule, path = found[1], found[2] or ""
    steps = [name or index for name, index in STEP.findall(path)]
    value, at = given, inspect.type_info(kind)
    for step in steps:
        value, at = _inner(value, step), _field(at, step)
    text = SECRET.sub("mx_...", json.dumps(value, ensure_ascii=False, default=str))
    shown = shortened(text, LONGEST)
    place = f"{path.removeprefix('.')} of {what}" if path else what
    named = re.search(r"field `(.*)`", rule)
    fields = ", ".join(field.encode_name for field in getattr(at, "fields", ()))
    if named is not None and "missing" in rule:
        return f"{place} must have the field {named[1]!r}; got {shown}"
    if named is not None:
        return f"{place} has the unknown field {named[1]!r}; it may have {fields}"
    if "enum" in rule:
        return f"{place} must be one of {', '.join(_choices(at))}; got {shown}"
    return f"{place} must be {_wanted(rule)}; got {shown}"


def _inner(value: Any, step: str) -> Any:
    if isinstance(value, list):
        return value[int(step)] if step.isdecimal() else value
    return value.get(step) if isinstance(value, dict) else value


def _field(at: Any, step: str) -> Any:
    """The type of a part; None if it is not known."""
    for one in getattr(at, "types", (at,)):
        if isinstance(one, inspect.ListType):
            return _plain(one.item_type)
        for field in getattr(one, "fields", ()):
            if field.encode_name == step:
                return _plain(field.type)
    return None


def _plain(kind: Any) -> Any:
    return _plain(kind.type) if isinstance(kind, inspect.Metadata) else kind


def _choices(at: Any) -> list[str]:
    return [
        str(value) for one in getattr(at, "types", (at,)) for value in getattr(one, "values", ())
    ]


def _wanted(rule: str) -> str:
    """What is expected, in plain English.

    >>> _wanted("Expected `int` >= 1"), _wanted("Expected `str` of length <= 90")
    ('a whole number of at least 1', 'a text of at most 90 characters')
    """
    found = re.match(r"Expected `([^`]*)`(?: (of length )?(<=|>=|<|>) ([\d.]+))?", rule)
    if found is None:
        return rule
    names, is_length, sign, bound = found.groups()
    words = " or ".join(NAMES.get(name, name) for name in names.split(" | "))
    if sign is None:
        return words
    limit = {"<=": "of at most", ">=": "of at least", "<": "below", ">": "above"}[sign]
    amount = f"{float(bound):,.15g}"
    if is_length:
        amount = counted(int(bound), "element" if "array" in names else "character")
    return f"{words} {limit} {amount}"
