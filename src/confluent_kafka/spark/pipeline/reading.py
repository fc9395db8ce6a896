"""Turn the tables of a TOML file into the dataclasses of the model, and note every problem."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from confluent_kafka._suggestions import nearest_name
from confluent_kafka.spark.formats.model import Decoding

from .model import Encoding
from .problems import Findings, Key, Problem, nearest

T = TypeVar("T")

_SCALARS = {str: "a string", bool: "true or false", int: "a whole number"}


def read(cls: type[T], table: Any, key: Key, found: Findings) -> T:
    """Return a dataclass with the values of a table. Other values replace the invalid ones.

    Args:
        cls: the dataclass.
        table: the value in the file.
        key: the key of that value.
        found: takes the problems.
    """
    if isinstance(table, str) and cls in (Decoding, Encoding):
        table = {"format": table}
    whole = isinstance(table, Mapping)
    if not whole:
        found.note(key, f"needs a table, not {_kind(table)}")
        table = {}
    hints = get_type_hints(cls)
    fields = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    table, unknown = _meant(table, fields)
    for name in unknown:
        found.problems.append(Problem((*key, name), f"unknown key: {nearest(name, fields)}"))
    values: dict[str, Any] = {}
    for name, field in fields.items():
        required = field.default is field.default_factory is dataclasses.MISSING
        if name in table:
            value = _value(hints[name], table[name], (*key, name), found)
            if value is not None:
                values[name] = value
        elif required and whole:
            found.note(key, f"the key {name!r} is missing", broken=(*key, name))
        if required and name not in values:
            values[name] = "" if hints[name] is str else {}
    return cls(**values)


def _meant(table: Mapping[str, Any], fields: Iterable[str]) -> tuple[Mapping[str, Any], list[str]]:
    """Return a table in which misspelt keys are corrected, and the list of unknown keys.

    So the values of misspelt keys are checked as well, and the correct keys are not missing.
    """
    known = set(fields)
    unknown = [name for name in table if name not in known]
    meant = {name: value for name, value in table.items() if name in known}
    for name in unknown:
        near = nearest_name(name, known - meant.keys())
        if near is not None:
            meant[near] = table[name]
    return meant, unknown


def _value(hint: Any, given: Any, key: Key, found: Findings) -> Any:
    """Return a value of this type. If the given one is invalid, note a problem and return None."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        [hint] = [one for one in arguments if one is not type(None)]
        return _value(hint, given, key, found)
    if dataclasses.is_dataclass(hint):
        return read(hint, given, key, found)  # type: ignore[arg-type]
    if origin is Literal:
        if given in arguments:
            return given
        shown = repr(given) if isinstance(given, str) else _kind(given)
        found.note(key, f"cannot be {shown}: {nearest(str(given), arguments)}")
        return None
    if origin is tuple:
        if isinstance(given, list | tuple) and all(isinstance(one, str) for one in given):
            return tuple(given)
        found.note(key, f"needs a list of strings, not {_kind(given)}")
        return None
    if origin is not None:
        return _mapping(arguments[1], given, key, found)
    if type(given) is hint:
        return given
    found.note(key, f"needs {_SCALARS[hint]}, not {_kind(given)}")
    return None


def _mapping(hint: Any, given: Any, key: Key, found: Findings) -> dict[str, Any] | None:
    if not isinstance(given, Mapping):
        found.note(key, f"needs a table, not {_kind(given)}")
        return None
    if hint is str:
        return _settings(given, key, found)
    return {name: read(hint, one, (*key, name), found) for name, one in given.items()}


def _settings(table: Mapping[str, Any], key: Key, found: Findings) -> dict[str, str]:
    """Return settings in the form for Spark and Kafka: dotted names, and texts.

    To TOML, ``a.b = 1`` without quotes is a table in a table. Here it is the setting ``a.b``.
    """
    settings: dict[str, str] = {}
    for name, given in table.items():
        if isinstance(given, Mapping):
            nested = _settings(given, (*key, name), found)
            settings.update({f"{name}.{rest}": text for rest, text in nested.items()})
        elif isinstance(given, bool):
            settings[name] = str(given).lower()
        elif isinstance(given, str | int | float):
            settings[name] = str(given)
        else:
            found.note(
                (*key, name), f"needs a string, number, or true or false, not {_kind(given)}"
            )
    return settings


def _kind(given: Any) -> str:
    """Return the name of a type in TOML. The value itself may be a secret."""
    kinds = {
        str: "a string",
        bool: "a boolean",
        int: "a whole number",
        float: "a fraction",
        list: "an array",
        dict: "a table",
    }
    return kinds.get(type(given), f"a {type(given).__name__}")
