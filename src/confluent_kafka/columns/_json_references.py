"""Resolves the references in a JSON Schema document."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

from confluent_kafka.columns._json_layout import JSONSchemaError

# Keywords whose values are not schemas: an "$id" in them is not an identifier.
_DATA = frozenset({"const", "default", "enum", "examples"})
# Keywords whose values are dicts of name to schema: there, "const" or "$id" is an ordinary name.
_BY_NAME = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)
# The beginnings of `$schema` for drafts in which keywords beside `$ref` are ignored.
_LONE_REFERENCES = re.compile(r"https?://json-schema\.org/draft-0[3-7]/")


class Place(NamedTuple):
    """A schema within the document.

    Attributes:
        schema: the schema itself.
        base: the URI that its own `$id` is relative to.
        is_lone: whether keywords beside a `$ref` are ignored, as in drafts up to 7.
        way: the id() of each schema on the way from the document to this schema.
    """

    schema: Any
    base: str = ""
    is_lone: bool = False
    way: tuple[int, ...] = ()

    def within(self, schema: Any) -> Place:
        """Return the place of a schema that is nested in this one."""
        way = (*self.way, id(self.schema))
        if not isinstance(self.schema, Mapping):
            return Place(schema, self.base, self.is_lone, way)
        dialect = self.schema.get("$schema")
        is_lone = self.is_lone
        if isinstance(dialect, str):
            is_lone = _LONE_REFERENCES.match(dialect) is not None
        return Place(schema, _base_within(self.schema, self.base), is_lone, way)


def with_references(text: str, references: Mapping[str, str]) -> Any:
    """Return a document that contains the documents that it refers to by name.

    Args:
        text: the document.
        references: the other documents, as a dict by the names that are used as their URIs.

    Raises:
        JSONSchemaError: one of them is not JSON.
    """
    document = loads(text, "schema")
    if not isinstance(document, Mapping):
        return document
    known = document.get("$defs")
    within = dict(known) if isinstance(known, Mapping) else {}
    for name, other in references.items():
        one = loads(other, f"the schema of the reference {name!r}")
        # A document's own "$id" may differ from the name under which the registry has it.
        within[name] = {**one, "$id": name} if isinstance(one, Mapping) else one
    return {**document, "$defs": within} if references else document


def loads(text: str, what: str) -> Any:
    """Parse a JSON text. If it is not JSON, the JSONSchemaError names it with `what`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise JSONSchemaError(f"{what} is not JSON: {error}") from error


class References:
    """The schemas that references in one document can name."""

    def __init__(self, document: Any) -> None:
        self.document = Place(document)

    def target(self, place: Place, reference: str) -> Place:
        """Return the schema that a reference names.

        Raises:
            LookupError: the schema does not exist; the text continues "a reference to ...".
        """
        uri = _joined(_base_within(place.schema, place.base), reference)
        found = self._find(uri)
        if found is None and reference.startswith("#"):
            # An `id` for human readers must not hide the document's definitions.
            found = self._find(reference)
        if found is not None:
            return found._replace(way=place.within(None).way)
        resource = uri.partition("#")[0]
        if resource in self._named:
            raise LookupError("there; add it to the schema, or correct the reference")
        raise LookupError(f"within the schema; copy it into '$defs', with the '$id' {resource!r}")

    def _find(self, uri: str) -> Place | None:
        """Return the place for a URI with a JSON pointer or an anchor; None if there is none."""
        resource, _, fragment = uri.partition("#")
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._named.get(f"{resource}#{fragment}")
        place = self._named.get(resource)
        return None if place is None else _pointed(place, fragment)

    @cached_property
    def _named(self) -> dict[str, Place]:
        """All schemas that references can name, by URI: those with an `$id` or an anchor."""
        named = {"": self.document}
        seen: set[int] = set()  # a dict that a program built may contain itself
        places = [(self.document, True)]
        while places:
            place, is_schema = places.pop()
            part = place.schema
            if not isinstance(part, (Mapping, list, tuple)) or id(part) in seen:
                continue
            seen.add(id(part))
            if not isinstance(part, Mapping):
                places += [(place._replace(schema=one), True) for one in part]
                continue
            for uri in _names(part, place.base) if is_schema else ():
                named.setdefault(uri, place)
            inner = place.within(None)._replace(way=()) if is_schema else place
            places += [
                (inner._replace(schema=one), not (is_schema and word in _BY_NAME))
                for word, one in part.items()
                if not (is_schema and word in _DATA)
            ]
        return named


def _joined(base: str, reference: str) -> str:
    """Return the absolute URI of a reference; urljoin() does not support fragments of URNs."""
    if reference.startswith("#"):
        return base + reference
    try:
        return urljoin(base, reference)
    except ValueError:  # it is not a URI, and can only name itself
        return reference


def _identifiers(schema: Mapping[str, Any], base: str) -> list[str]:
    """Return the URIs of `$id`; drafts up to 4 call the keyword `id`."""
    words = (schema.get("$id"), schema.get("id"))
    return [_joined(base, one) for one in words if isinstance(one, str)]


def _base_within(schema: Mapping[str, Any], base: str) -> str:
    """Return the base URI of references in a schema."""
    uri = next(iter(_identifiers(schema, base)), base)
    return uri.partition("#")[0]


def _names(schema: Mapping[str, Any], outer: str) -> list[str]:
    """Return the URIs of a schema. In drafts up to 7, an anchor is the fragment of `$id`."""
    anchors = (schema.get("$anchor"), schema.get("$dynamicAnchor"))
    names = [one.removesuffix("#") for one in _identifiers(schema, outer)]
    base = _base_within(schema, outer)
    return names + [f"{base}#{one}" for one in anchors if isinstance(one, str)]


def _pointed(place: Place, pointer: str) -> Place | None:
    """Return the place that a JSON pointer (RFC 6901) names; None if it does not exist."""
    for part in pointer.split("/")[1:]:
        found, name = place.schema, part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            if name not in found:
                return None
            place = place.within(found[name])
        elif isinstance(found, (list, tuple)):
            # Only the canonical form is an index: "00" is not.
            inside = {str(index): one for index, one in enumerate(found)}
            if name not in inside:
                return None
            place = place._replace(schema=inside[name])
        else:
            return None
    return place
