"""Build things by name: `elo:n_players=50,noise=0.1` calls the builder `elo` with two options."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from maxin.core import InvalidInput, check_name

Made = TypeVar("Made")
LONGEST_SPEC = 1000  # characters
LONGEST_SHOWN = 60  # characters of a value in an error


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Split `name:key=value,key=value` into the name and its options.

    >>> parse("blotto:soldiers=5,fields=3")
    ('blotto', {'soldiers': '5', 'fields': '3'})
    """
    if len(text) > LONGEST_SPEC:
        raise InvalidInput(
            f"a name with its options must have at most {LONGEST_SPEC} characters; "
            f"{text[:LONGEST_SHOWN]!r}... has {len(text):,}"
        )
    name, _, tail = text.partition(":")
    options: dict[str, str] = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise InvalidInput(f"options are written key=value,key=value; {text!r} has {part!r}")
        name_of_option = key.strip().replace("-", "_")
        if name_of_option in options:
            raise InvalidInput(
                f"an option may be given only once; {text!r} has {name_of_option!r} twice"
            )
        options[name_of_option] = value.strip()
    return name.strip(), options


def written(name: str, options: Mapping[str, object]) -> str:
    """The text that `parse` splits into this name and these options.

    >>> written("blotto", {"soldiers": 5, "fields": 3})
    'blotto:soldiers=5,fields=3'
    """
    tail = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{name}:{tail}" if tail else name


def make(text: str, builders: Mapping[str, Callable[..., Made]], kind: str, **given: Any) -> Made:
    """Call the builder that `text` names, with its options turned into the types it declares.

    `given` holds the arguments that come from the caller instead of the text. A builder declares
    its options as keyword-only arguments of type `int`, `float`, `str`, or one of them `| None`.

    >>> def pair(*, left: int = 1, right: float = 2.0) -> tuple[int, float]:
    ...     return left, right
    >>> make("pair:right=0.5", {"pair": pair}, "example")
    (1, 0.5)
    """
    name, texts = parse(text)
    if name not in builders:  # only an unknown name needs the names of all
        check_name(name, builders, kind)
    builder = builders[name]
    declared = option_types(builder, given)
    options = {}
    for key, value in texts.items():
        check_name(key, declared, f"option of {kind} {name!r}")
        options[key] = _convert(value, declared[key], f"{kind} {name!r}: {key}")
    return builder(**given, **options)


def option_types(builder: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `builder` that a text may set, with their types."""
    parameters = inspect.signature(builder, eval_str=True).parameters.values()
    return {
        parameter.name: parameter.annotation
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in given
    }


def _convert(value: str, wanted: Any, place: str) -> Any:
    """`value` converted to the type `wanted`, or an error that names that type."""
    if wanted is inspect.Parameter.empty:
        raise InvalidInput(f"{place} cannot be set: it is declared without a type")
    kinds = typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)
    if value.lower() == "none" and types.NoneType in kinds:
        return None
    for kind in kinds:
        if kind in (int, float, str):
            try:
                return kind(value)
            except ValueError:
                continue
    names = " or ".join("none" if kind is types.NoneType else kind.__name__ for kind in kinds)
    shown = repr(value) if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]!r}..."
    raise InvalidInput(f"{place} must be {names}; got {shown}")
