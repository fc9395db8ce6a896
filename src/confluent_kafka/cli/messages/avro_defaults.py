"""Fills in the fields that a JSON object leaves out, with the defaults of an Avro schema."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any


class Defaults:
    """Adds missing fields to values, in the form of `consume --value avro`.

    Args:
        schema: the schema, as json.loads() returns it.
        references: the schemas that define names which it refers to.
    """

    def __init__(self, schema: Any, references: Iterable[Any]) -> None:
        self._named: dict[str, Any] = {}
        for one in (*references, schema):
            self._collect(one)
        self._schema = schema

    def fill(self, value: Any) -> Any:
        """Return a value with all fields that have a default.

        Args:
            value: the value, as json.loads() returns it.
        """
        return self._filled(self._schema, value)

    def _collect(self, schema: Any) -> None:
        match schema:
            case list():
                for one in schema:
                    self._collect(one)
            case {"type": "record", "name": name, "fields": fields}:
                self._named[name.rpartition(".")[2]] = schema
                for field in fields:
                    self._collect(field["type"])
            case {"type": "array", "items": inner} | {"type": "map", "values": inner}:
                self._collect(inner)

    def _filled(self, schema: Any, value: Any) -> Any:
        if isinstance(schema, str):
            schema = self._named.get(schema.rpartition(".")[2], schema)
        match schema, value:
            case list(), _:
                fitting = [one for one in schema if self._takes(one, value)]
                return self._filled(fitting[0], value) if len(fitting) == 1 else value
            case {"type": "record", "fields": fields}, dict():
                filled = dict(value)
                for field in fields:
                    name, kind = field["name"], field["type"]
                    if name in value:
                        filled[name] = self._filled(kind, value[name])
                    elif "default" in field:
                        filled[name] = _default(kind, field["default"])
                return filled
            case {"type": "array", "items": items}, list():
                return [self._filled(items, one) for one in value]
            case {"type": "map", "values": values}, dict():
                return {name: self._filled(values, one) for name, one in value.items()}
        return value

    def _takes(self, schema: Any, value: Any) -> bool:
        """Return whether a branch of a union can have the value, an object or a list."""
        if isinstance(schema, str):
            schema = self._named.get(schema.rpartition(".")[2])
        kind = schema.get("type") if isinstance(schema, dict) else None
        if isinstance(value, dict):
            return kind in ("record", "map")
        return isinstance(value, list) and kind == "array"


def _default(kind: Any, default: Any) -> Any:
    """Return a default as a value. Avro writes bytes as text, with a character for each byte."""
    if isinstance(kind, list):
        return _default(kind[0], default) if kind else default
    base = kind.get("type") if isinstance(kind, dict) else kind
    if base in ("bytes", "fixed") and isinstance(default, str):
        return base64.b64encode(default.encode("latin-1")).decode()
    return default
