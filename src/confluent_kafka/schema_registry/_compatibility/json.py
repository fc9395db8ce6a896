"""Checks whether one JSON Schema accepts all documents that another one allows.

Source: Confluent Schema Registry, "JSON Schema compatibility rules". Objects and arrays have an
open, a closed or a partially open content model, which decides what a new property means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from .problem import Problem, SchemaError, Text

# The limits of each type. Upper limits may only rise, and lower limits may only fall.
_UPPER = {
    "string": ("maxLength",),
    "number": ("maximum", "exclusiveMaximum"),
    "array": ("maxItems",),
    "object": ("maxProperties",),
}
_LOWER = {
    "string": ("minLength",),
    "number": ("minimum", "exclusiveMinimum"),
    "array": ("minItems",),
    "object": ("minProperties",),
}
_OTHERS = {
    "string": ("pattern",),
    "number": ("multipleOf",),
    "array": ("items", "prefixItems", "additionalItems", "uniqueItems"),
    "object": (
        *("properties", "required", "additionalProperties", "patternProperties"),
        *("dependencies", "dependentRequired", "dependentSchemas"),
    ),
}
_SUMS = ("anyOf", "oneOf")
_COMBINED = ("allOf", *_SUMS)


def problems(reader: Text, writer: Text) -> list[Problem]:
    """Return why a reader's schema refuses documents of a writer's schema, or nothing.

    Raises:
        SchemaError: one of the texts is not a JSON Schema.
    """
    return list(_Comparison().compare(_parsed(writer), _parsed(reader), "#"))


def check(text: Text) -> None:
    """Check that a text is a JSON Schema.

    Raises:
        SchemaError: the text is not a JSON Schema.
    """
    _parsed(text)


def _parsed(text: Text) -> _Node:
    others: dict[str, _Document] = {}
    for name, one in text.references.items():
        others[name] = _Document(json.loads(one), others)
    document = _Document(json.loads(text.schema), others)
    return _Node.of(document.root, document)


# --- schemas ------------------------------------------------------------------------------


class _Document(NamedTuple):
    """A document, and the documents that its references name."""

    root: Any
    others: Mapping[str, _Document]

    def target(self, reference: str) -> _Node:
        """Return the schema that a reference names."""
        name, _, pointer = reference.partition("#")
        document = self._named(name)
        place = None if document is None else document.root
        if pointer and not pointer.startswith("/"):
            place = next((one for one in _objects(place) if one.get("$anchor") == pointer), None)
        else:
            for step in unquote(pointer).split("/")[1:]:
                place = _step(place, step.replace("~1", "/").replace("~0", "~"))
        if document is None or place is None:
            raise SchemaError(f"Invalid JSON Schema: {reference!r} is not defined")
        return _Node.of(place, document)

    def _named(self, name: str) -> _Document | None:
        if name in ("", _id(self.root)):
            return self
        for known, one in self.others.items():
            for other in (known, str(_id(one.root))):
                # A name may be relative to the "$id" of its document: then only the ends of the two
                # names are equal.
                if f"/{name}".endswith(f"/{other}") or f"/{other}".endswith(f"/{name}"):
                    return one
        return None


def _id(root: Any) -> Any:
    return root.get("$id", root.get("id")) if isinstance(root, dict) else None


def _step(place: Any, step: str) -> Any:
    if isinstance(place, list):
        return place[int(step)] if step.isdecimal() and int(step) < len(place) else None
    return place.get(step) if isinstance(place, dict) else None


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from _objects(one)


class _Node(NamedTuple):
    """A schema with one meaning: a type, an enumeration, or a combination of schemas."""

    kind: str
    value: Any
    """The keywords of a type, the values of an enumeration, the combined schemas."""
    document: _Document

    @staticmethod
    def of(schema: Any, document: _Document) -> _Node:
        """Return a schema as one node; several meanings become a combination."""
        if isinstance(schema, _Node):
            return schema
        if isinstance(schema, bool):
            return _Node("anything" if schema else "nothing", None, document)
        if not isinstance(schema, dict):
            raise SchemaError(f"Invalid JSON Schema: {schema!r} is not a schema")
        said = tuple(_said(schema, document))
        if len(said) == 1:
            return said[0]
        return _Node("allOf", said, document) if said else _Node("anything", None, document)

    @property
    def parts(self) -> list[_Node]:
        """The schemas of a combination."""
        return [_Node.of(one, self.document) for one in self.value]

    def part(self, keyword: str) -> _Node | None:
        """Return the schema that a keyword of a type has, if it has any."""
        schema = self.value.get(keyword)
        return None if schema is None else _Node.of(schema, self.document)


def _said(schema: dict[str, Any], document: _Document) -> Iterator[_Node]:
    if "$ref" in schema:
        yield document.target(schema["$ref"])
    kinds = schema.get("type", [one for one in _OTHERS if not _keywords(one).isdisjoint(schema)])
    types = tuple(
        _Node("number" if one == "integer" else one, schema, document)
        for one in ([kinds] if isinstance(kinds, str) else kinds)
    )
    # Without "type" the keywords of each type apply to its values, and any other value fits.
    yield from (_Node("anyOf", types, document),) if "type" in schema and len(types) > 1 else types
    if "enum" in schema or "const" in schema:
        yield _Node("enum", schema.get("enum", (schema.get("const"),)), document)
    for kind in ("not", *_COMBINED):
        if kind in schema:
            yield _Node(kind, schema[kind], document)


def _keywords(kind: str) -> frozenset[str]:
    return frozenset((*_UPPER[kind], *_LOWER[kind], *_OTHERS[kind]))


# --- comparison ---------------------------------------------------------------------------


class _Comparison:
    def __init__(self) -> None:
        # Pairs that were compared or are being compared: schemas may contain themselves.
        self._seen: set[tuple[str, int, str, int]] = set()

    def compare(self, old: _Node, new: _Node, path: str) -> Iterator[Problem]:
        if new.kind == "anything" or old.kind == "nothing":
            return
        pair = (old.kind, id(old.value), new.kind, id(new.value))
        if pair in self._seen:
            return
        if not isinstance(old.value, tuple) and not isinstance(new.value, tuple):
            self._seen.add(pair)  # each call makes a new tuple
        if old.kind in _COMBINED or new.kind in _COMBINED:
            yield from self._compare_combined(old, new, path)
        elif old.kind != new.kind:
            yield Problem("TYPE_CHANGED", path, f"{old.kind} became {new.kind}")
        elif old.kind == "enum":
            if not _values(old.value) <= _values(new.value):
                yield Problem("ENUM_ARRAY_NARROWED", f"{path}/enum", "the new enum lacks values")
        elif old.kind == "not":
            was, now = (_Node.of(one.value, one.document) for one in (old, new))
            if not self._fits(now, was, path):
                yield Problem("NOT_TYPE_EXTENDED", f"{path}/not", "the new schema excludes more")
        elif old.kind in _OTHERS:
            yield from _compare_limits(old, new, path)
            rules = {
                "string": _compare_strings,
                "number": _compare_numbers,
                "object": self._compare_objects,
                "array": self._compare_arrays,
            }
            yield from rules[old.kind](old, new, path)

    def _fits(self, old: _Node, new: _Node, path: str) -> bool:
        # Pairs found on the way to a part that does not fit are valid only for this part.
        seen = set(self._seen)
        fits = not any(True for _ in self.compare(old, new, path))
        if not fits:
            self._seen = seen
        return fits

    def _compare_combined(self, old: _Node, new: _Node, path: str) -> Iterator[Problem]:
        both = old.kind in _COMBINED and new.kind in _COMBINED
        if both and new.kind == "oneOf" != old.kind and len(old.value) > 1:
            yield Problem("COMBINED_TYPE_CHANGED", path, f"{old.kind} became oneOf")
        elif not self._fits_combined(old, new, path):
            kind, why = "TYPE_CHANGED", f"{old.kind} became {new.kind}"
            if both:
                kind, why = "COMBINED_TYPE_SUBSCHEMAS_CHANGED", "the combined schemas do not fit"
                if new.kind == "allOf" and len(new.value) > len(old.value):
                    kind = "PRODUCT_TYPE_EXTENDED"
                elif new.kind in _SUMS and len(new.value) < len(old.value):
                    kind = "SUM_TYPE_NARROWED"
            yield Problem(kind, path, why)

    def _fits_combined(self, old: _Node, new: _Node, path: str) -> bool:
        if old.kind in _SUMS:
            return all(self._fits(one, new, path) for one in old.parts)
        if new.kind == "allOf":
            return all(self._fits(old, one, path) for one in new.parts)
        return (new.kind in _SUMS and any(self._fits(old, one, path) for one in new.parts)) or (
            old.kind == "allOf" and any(self._fits(one, new, path) for one in old.parts)
        )

    # --- objects ---

    def _compare_objects(self, old: _Node, new: _Node, path: str) -> Iterator[Problem]:
        was, now = old.value.get("properties") or {}, new.value.get("properties") or {}
        for name in dict.fromkeys([*was, *now]):
            before = _Node.of(was[name], old.document) if name in was else None
            after = _Node.of(now[name], new.document) if name in now else None
            where = f"{path}/properties/{name}"
            if before is not None and after is not None:
                yield from self.compare(before, after, where)
            elif before is not None:
                rest = _rest_of_object(new, name)
                yield from self._compare_removed(before, rest, where, "PROPERTY")
            elif after is not None:
                rest = _rest_of_object(old, name)
                yield from self._compare_added(rest, after, where, "PROPERTY")
        required = old.value.get("required") or ()
        for name in new.value.get("required") or ():
            # Required names that are not properties do not matter.
            if name in now and name not in required and not _has_default(now[name]):
                where, why = f"{path}/required/{name}", "it has no default"
                if name in was:
                    yield Problem("REQUIRED_ATTRIBUTE_ADDED", where, why)
                elif _rest_of_object(old, name).kind != "anything":
                    kind = "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL"
                    yield Problem(kind, where, why)
        yield from self._compare_rests(old, new, "additionalProperties", path)
        yield from self._compare_dependencies(old, new, f"{path}/dependencies")

    def _compare_removed(self, old: _Node, rest: _Node, path: str, what: str) -> Iterator[Problem]:
        if rest.kind == "nothing" != old.kind:
            why = "the new schema does not allow it"
            yield Problem(f"{what}_REMOVED_FROM_CLOSED_CONTENT_MODEL", path, why)
        elif not self._fits(old, rest, path):
            why = "the new schema allows it only with another schema"
            kind = f"{what}_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL"
            yield Problem(kind, path, why)

    def _compare_added(self, rest: _Node, new: _Node, path: str, what: str) -> Iterator[Problem]:
        if rest.kind == "anything" != new.kind:
            why = "the old schema allowed it with any value"
            yield Problem(f"{what}_ADDED_TO_OPEN_CONTENT_MODEL", path, why)
        elif not self._fits(rest, new, path):
            kind = f"{what}_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL"
            yield Problem(kind, path, "the old schema allowed it with another schema")

    def _compare_rests(self, old: _Node, new: _Node, keyword: str, path: str) -> Iterator[Problem]:
        was, now = _rest(old, keyword), _rest(new, keyword)
        kind = re.sub("([A-Z])", r"_\1", keyword).upper()
        if now.kind == "nothing" != was.kind:
            yield Problem(f"{kind}_REMOVED", f"{path}/{keyword}", "the new schema forbids them")
        elif was.kind == "anything" != now.kind:
            yield Problem(f"{kind}_NARROWED", f"{path}/{keyword}", "the new schema restricts them")
        else:
            yield from self.compare(was, now, f"{path}/{keyword}")

    def _compare_dependencies(self, old: _Node, new: _Node, path: str) -> Iterator[Problem]:
        was, now = _dependencies(old.value), _dependencies(new.value)
        for name, one in now.items():
            where, before = f"{path}/{name}", was.get(name)
            kind = "ARRAY" if isinstance(one, list) else "SCHEMA"
            if before is None or isinstance(before, list) != isinstance(one, list):
                yield Problem(f"DEPENDENCY_{kind}_ADDED", where, "the old schema did not have it")
            elif not isinstance(one, list):
                nodes = _Node.of(before, old.document), _Node.of(one, new.document)
                yield from self.compare(*nodes, where)
            elif not set(one) <= set(before):
                yield Problem("DEPENDENCY_ARRAY_EXTENDED", where, "more properties are needed")

    # --- arrays ---

    def _compare_arrays(self, old: _Node, new: _Node, path: str) -> Iterator[Problem]:
        if new.value.get("uniqueItems") and not old.value.get("uniqueItems"):
            yield Problem(
                "UNIQUE_ITEMS_ADDED", f"{path}/uniqueItems", "the old schema did not require it"
            )
        (was, other), (now, another) = _items(old), _items(new)
        for place in range(max(len(was), len(now))):
            where = f"{path}/items/{place}"
            if place >= len(now):
                yield from self._compare_removed(was[place], _rest(new, another), where, "ITEM")
            elif place >= len(was):
                yield from self._compare_added(_rest(old, other), now[place], where, "ITEM")
            else:
                yield from self.compare(was[place], now[place], where)
        if other == another:
            yield from self._compare_rests(old, new, other, path)
        else:
            yield from self.compare(_rest(old, other), _rest(new, another), f"{path}/items")


def _items(array: _Node) -> tuple[list[_Node], str]:
    """Return the schemas of the first items, and the keyword for the other items."""
    listed, rest = array.value.get("items"), "additionalItems"
    if not isinstance(listed, list) and (listed is not None or rest not in array.value):
        listed, rest = array.value.get("prefixItems"), "items"
    return [_Node.of(one, array.document) for one in listed or ()], rest


def _rest(node: _Node, keyword: str) -> _Node:
    """Return the schema of items or properties that are not listed."""
    return node.part(keyword) or _Node("anything", None, node.document)


def _rest_of_object(node: _Node, name: str) -> _Node:
    """Return the schema of a property that is not listed."""
    for pattern, schema in (node.value.get("patternProperties") or {}).items():
        if re.search(pattern, name):
            return _Node.of(schema, node.document)
    return _rest(node, "additionalProperties")


def _dependencies(keywords: Mapping[str, Any]) -> dict[str, Any]:
    names = ("dependencies", "dependentRequired", "dependentSchemas")
    return {name: one for key in names for name, one in (keywords.get(key) or {}).items()}


def _has_default(schema: Any) -> bool:
    return isinstance(schema, dict) and "default" in schema


def _values(values: Collection[Any]) -> set[str]:
    """Return JSON values in a form that can be compared: 1 is not equal to true."""
    return {json.dumps(one, sort_keys=True) for one in values}


# --- limits -------------------------------------------------------------------------------


def _compare_limits(old: _Node, new: _Node, path: str) -> Iterator[Problem]:
    for keywords, worse, sign in ((_UPPER, "DECREASED", 1), (_LOWER, "INCREASED", -1)):
        for keyword in keywords[old.kind]:
            was, now = _limit(old.value, keyword), _limit(new.value, keyword)
            if now is not None and (was is None or sign * now < sign * was):
                name = re.sub("([A-Z])", r"_\1", keyword).upper()
                kind = f"{name}_{'ADDED' if was is None else worse}"
                yield Problem(kind, f"{path}/{keyword}", f"{was} became {now}")


def _limit(keywords: Mapping[str, Any], keyword: str) -> Any:
    """Return a limit; up to draft 4, "exclusiveMaximum" changes the meaning of "maximum"."""
    inclusive = {"exclusiveMaximum": "maximum", "exclusiveMinimum": "minimum"}
    found = keywords.get(keyword)
    if isinstance(found, bool):
        return keywords.get(inclusive[keyword]) if found else None
    is_exclusive = any(keywords.get(one) is True and inclusive[one] == keyword for one in inclusive)
    return None if is_exclusive else found


def _compare_strings(old: _Node, new: _Node, path: str) -> Iterator[Problem]:
    was, now = old.value.get("pattern"), new.value.get("pattern")
    if now is not None and now != was:
        kind = "PATTERN_ADDED" if was is None else "PATTERN_CHANGED"
        yield Problem(kind, f"{path}/pattern", f"{was} became {now}")


def _compare_numbers(old: _Node, new: _Node, path: str) -> Iterator[Problem]:
    was, now = old.value.get("multipleOf"), new.value.get("multipleOf")
    if now is not None and (was is None or was % now):
        kind = "MULTIPLE_OF_ADDED" if was is None else "MULTIPLE_OF_CHANGED"
        yield Problem(kind, f"{path}/multipleOf", f"{was} became {now}")
    if _is_integer(new.value) and not _is_integer(old.value):
        yield Problem("TYPE_NARROWED", path, "number became integer")


def _is_integer(keywords: Mapping[str, Any]) -> bool:
    kinds = keywords.get("type") or ()
    return "integer" in kinds and "number" not in kinds
