"""Compatibility of Avro schemas. Source: Avro's rules of schema resolution."""

from __future__ import annotations

from typing import Any

_PROMOTIONS = {
    "int": {"long", "float", "double"},
    "long": {"float", "double"},
    "float": {"double"},
    "string": {"bytes"},
    "bytes": {"string"},
}


def readable(reader: Any, writer: Any) -> list[str]:
    """Return the reasons why a schema cannot read what another one writes; none if it can."""
    resolution = _Resolution(_names(reader), _names(writer))
    return resolution.compare(reader, writer, "")


def _names(schema: Any, namespace: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(schema, list):
        for one in schema:
            found |= _names(one, namespace)
    elif isinstance(schema, dict):
        if "name" in schema and schema.get("type") in ("record", "error", "enum", "fixed"):
            full = _full(schema["name"], schema.get("namespace", namespace))
            found[full] = found[full.rpartition(".")[2]] = schema
            namespace = full.rpartition(".")[0]
        for place in ("type", "items", "values"):
            if isinstance(schema.get(place), dict | list):
                found |= _names(schema[place], namespace)
        for one in schema.get("fields", ()):
            found |= _names(one["type"], namespace)
    return found


def _full(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


class _Resolution:
    def __init__(self, reader_names: dict[str, Any], writer_names: dict[str, Any]) -> None:
        self._reader_names = reader_names
        self._writer_names = writer_names
        self._open: set[tuple[int, int]] = set()

    def compare(self, reader: Any, writer: Any, path: str) -> list[str]:
        reader, kind = _resolve(reader, self._reader_names)
        writer, written = _resolve(writer, self._writer_names)
        pair = (id(reader), id(writer))
        if pair in self._open:  # a type that has itself in it
            return []
        if isinstance(reader, dict) and isinstance(writer, dict):
            self._open.add(pair)
        if written == "union":
            return [why for one in writer for why in self.compare(reader, one, path)]
        if kind == "union":
            if any(not self.compare(one, writer, path) for one in reader):
                return []
            return [f"{path or '/'}: no branch of the reader's union reads {written}"]
        if kind != written:
            if kind in _PROMOTIONS.get(written, ()):
                return []
            return [f"{path or '/'}: the reader has {kind}, the writer {written}"]
        match kind:
            case "record":
                return self._records(reader, writer, path)
            case "array":
                return self.compare(reader["items"], writer["items"], f"{path}/items")
            case "map":
                return self.compare(reader["values"], writer["values"], f"{path}/values")
            case "enum":
                unknown = set(writer["symbols"]) - set(reader["symbols"])
                if unknown and "default" not in reader:
                    return [f"{path or '/'}: the reader does not know {', '.join(sorted(unknown))}"]
            case "fixed" if reader["size"] != writer["size"]:
                return [f"{path or '/'}: the sizes are {reader['size']} and {writer['size']}"]
        return []

    def _records(self, reader: Any, writer: Any, path: str) -> list[str]:
        problems = []
        written = {one["name"]: one for one in writer["fields"]}
        for one in reader["fields"]:
            place = f"{path}/{one['name']}"
            names = [one["name"], *one.get("aliases", ())]
            found = next((written[name] for name in names if name in written), None)
            if found is not None:
                problems += self.compare(one["type"], found["type"], place)
            elif "default" not in one:
                problems.append(f"{place}: the reader's field has no default, the writer lacks it")
        return problems


def _resolve(schema: Any, names: dict[str, Any]) -> tuple[Any, str]:
    """Return a schema with its kind; names are resolved."""
    while True:
        if isinstance(schema, list):
            return schema, "union"
        if isinstance(schema, str):
            if schema not in names:
                return schema, schema
            schema = names[schema]
        kind = schema["type"]
        if kind == "error":
            kind = "record"
        if isinstance(kind, str) and (kind not in names or kind in ("record", "enum", "fixed")):
            return schema, kind
        schema = kind
