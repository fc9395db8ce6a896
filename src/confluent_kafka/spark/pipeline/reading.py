"""From the tables of a TOML file to the dataclasses of the model, with every problem noted."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from confluent_kafka.spark.formats.model import Decoding

from .model import Encoding
from .problems import Key, Problem, nearest

T = TypeVar("T")

_SCALARS = {str: "a string", bool: "true or false", int: "a whole number"}


def read(cls: type[T], table: Any, key: Key, problems: list[Problem]) -> T | None:
    """Return a dataclass made of a table; None, with the problems noted, if that fails.

    Args:
        cls: the dataclass.
        table: what the file has there.
        key: where that is.
        problems: where problems go.
    """
    if isinstance(table, str) and cls in (Decoding, Encoding):
        table = {"format": table}
    if not isinstance(table, Mapping):
        problems.append(Problem(key, f"needs a table, not {_kind(table)}"))
        return None
    before = len(problems)
    hints = get_type_hints(cls)
    fields = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    problems += [
        Problem((*key, name), f"unknown key: {nearest(name, fields)}")
        for name in table
        if name not in fields
    ]
    values = {
        name: _value(hints[name], table[name], (*key, name), problems)
        for name in fields
        if name in table
    }
    for name, field in fields.items():
        required = field.default is field.default_factory is dataclasses.MISSING
        if required and name not in table:
            problems.append(Problem(key, f"the key {name!r} is missing"))
    return cls(**values) if len(problems) == before else None


def _value(hint: Any, given: Any, key: Key, problems: list[Problem]) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        [hint] = [one for one in arguments if one is not type(None)]
        return _value(hint, given, key, problems)
    if dataclasses.is_dataclass(hint):
        return read(hint, given, key, problems)  # type: ignore[arg-type]
    if origin is Literal:
        if given not in arguments:
            shown = repr(given) if isinstance(given, str) else _kind(given)
            problems.append(Problem(key, f"cannot be {shown}: {nearest(str(given), arguments)}"))
        return given
    if origin is tuple:
        if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
            problems.append(Problem(key, f"needs a list of strings, not {_kind(given)}"))
            return ()
        return tuple(given)
    if origin is not None:
        return _mapping(arguments[1], given, key, problems)
    if type(given) is not hint:
        problems.append(Problem(key, f"needs {_SCALARS[hint]}, not {_kind(given)}"))
    return given


def _mapping(hint: Any, given: Any, key: Key, problems: list[Problem]) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        problems.append(Problem(key, f"needs a table, not {_kind(given)}"))
        return {}
    if hint is str:
        return _settings(given, key, problems)
    return {name: read(hint, one, (*key, name), problems) for name, one in given.items()}


def _settings(table: Mapping[str, Any], key: Key, problems: list[Problem]) -> dict[str, str]:
    """Return settings as Spark and Kafka take them: dotted names, and texts.

    ``a.b = 1`` without quotes is a table in a table to TOML; here it is the setting ``a.b``.
    """
    settings: dict[str, str] = {}
    for name, given in table.items():
        if isinstance(given, Mapping):
            nested = _settings(given, (*key, name), problems)
            settings.update({f"{name}.{rest}": text for rest, text in nested.items()})
        elif isinstance(given, bool):
            settings[name] = str(given).lower()
        elif isinstance(given, str | int | float):
            settings[name] = str(given)
        else:
            problems.append(
                Problem(
                    (*key, name), f"needs a string, number, or true or false, not {_kind(given)}"
                )
            )
    return settings


def _kind(given: Any) -> str:
    """Name a type in TOML's words. The value itself may be a secret."""
    kinds = {
        str: "a string",
        bool: "a boolean",
        int: "a whole number",
        float: "a fraction",
        list: "an array",
        dict: "a table",
    }
    return kinds.get(type(given), f"a {type(given).__name__}")
