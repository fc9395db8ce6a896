"""Turns a JSON Schema into the types of JSON payloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from confluent_kafka.columns._json_alternatives import alternatives_of, common_of
from confluent_kafka.columns._json_layout import (
    ANY_JSON,
    JSON_ARRAY,
    JSON_BOOLEAN,
    JSON_NUMBER,
    JSON_OBJECT,
    JSON_STRING,
    JSONSchemaError,
    Value,
)
from confluent_kafka.columns._json_references import Place, References, loads
from confluent_kafka.columns._layout import UUID_EXTENSION, extension

# Deeper nesting would need too much stack to read: csrc/columns/types.h.
DEPTH_LIMIT = 48
# The maximum number of values, ten times that of any schema in use. A short schema whose parts
# refer to each other can grow exponentially.
VALUES_LIMIT = 100_000
# The maximum length of a chain of schemas that are connected by `$ref` and `allOf` alone.
_WAY_LIMIT = 400

_INTEGERS = {
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
}
_NUMBERS = {"float": ("float32", "f"), "double": ("float64", "g")}
_TEXTS = {
    "date-time": Value("timestamp", "tsu:UTC", argument=6, zoned=True),
    "date": Value("date", "tdD"),
    "time": Value("time64", "ttu", argument=6),
    "uuid": Value("uuid", "w:16", metadata=extension("w:16", UUID_EXTENSION).metadata),
}
_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_JSON_TYPES = {
    "boolean": JSON_BOOLEAN,
    "integer": JSON_NUMBER,
    "number": JSON_NUMBER,
    "string": JSON_STRING,
    "array": JSON_ARRAY,
    "object": JSON_OBJECT,
}
_OF_OBJECTS = frozenset({"properties", "patternProperties", "additionalProperties"})
_OF_ARRAYS = frozenset({"items", "prefixItems"})
# Keywords that can affect a column's type. A choice between schemas without them has no effect.
_SHAPING = (
    {"type", "enum", "const", "format", "contentEncoding"}
    | _OF_OBJECTS
    | _OF_ARRAYS
    | {"unevaluatedItems", "unevaluatedProperties"}
)


class _Never(JSONSchemaError):
    """No value matches the schema."""


def from_json_schema(schema: str | Mapping[str, Any], enums: str) -> Value:
    """Return the type of a JSON Schema's values. The schema may be JSON text or parsed JSON.

    A field that cannot become a column has the kind "refused".

    Args:
        schema: the schema.
        enums: "string" or "dictionary".

    Raises:
        JSONSchemaError: it is not valid, or the whole value cannot become a column.
    """
    if isinstance(schema, str):
        schema = loads(schema, "schema")
    return _Reader(References(schema), enums).whole()


@dataclass
class _Found:
    """The schemas that apply together to one value.

    Attributes:
        places: the schemas that have keywords, including all that they refer to.
        choices: lists of schemas; one schema of each list applies.
        seen: the id() of each schema.
        is_recursive: whether a schema refers to a schema that contains it.
    """

    places: list[Place] = field(default_factory=list)
    choices: list[list[Place]] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    is_recursive: bool = False

    def values(self, word: str) -> Iterator[tuple[Place, Any]]:
        """Yield the values of a keyword in all schemas that have it."""
        for place in self.places:
            if word in place.schema:
                yield place, place.schema[word]

    def value(self, word: str) -> Any:
        """Return the first value of a keyword; None if no schema has it."""
        return next((value for _, value in self.values(word)), None)

    def has(self, words: frozenset[str] | set[str]) -> bool:
        """Return whether a schema has one of the keywords."""
        return any(not words.isdisjoint(place.schema) for place in self.places)


class _Reader:
    """Reads one document."""

    def __init__(self, references: References, enums: str) -> None:
        self._references = references
        self._enums = enums
        self._depth = 0
        self._count = 0

    def whole(self) -> Value:
        """Return the type that the whole document describes."""
        return self._value([self._references.document], [], "")

    def _error(self, path: str, problem: str) -> JSONSchemaError:
        return JSONSchemaError(self._words(path, problem))

    def _never(self, path: str, problem: str) -> _Never:
        return _Never(self._words(path, problem))

    @staticmethod
    def _words(path: str, problem: str) -> str:
        where = f"the field {path!r}" if path else "the value"
        hint = "; `columns` can leave it out" if path else ""
        return f"schema cannot become columns: {where} is {problem}{hint}"

    def _list(self, word: str, schema: Mapping[str, Any], path: str) -> Sequence[Any]:
        """Return the list of a keyword; an empty list without the keyword."""
        listed = schema.get(word, ())
        if not isinstance(listed, (list, tuple)):
            raise self._error(path, f"a schema whose {word!r} is {_short(listed)}, not a list")
        return listed

    # --- what applies together

    def _gather(self, places: Sequence[Place], path: str) -> _Found:
        found = _Found()
        for place in places:
            self._add(place, found, path, ())
        return found

    def _add(self, place: Place, found: _Found, path: str, way: tuple[int, ...]) -> None:
        """Add a schema, and all that always apply with it; `way` has the ids on the way to it."""
        schema = place.schema
        if schema is True:
            return
        if schema is False:
            raise self._never(path, "false, which no value matches")
        if not isinstance(schema, Mapping):
            raise self._error(path, f"{_short(schema)}, which is not a schema")
        if id(schema) in way:
            raise self._error(path, "a reference that only leads back to itself")
        if id(schema) in found.seen:
            return
        if len(way) == _WAY_LIMIT:
            raise self._error(path, f"more than {_WAY_LIMIT} schemas that lead to each other")
        found.seen.add(id(schema))
        way = (*way, id(schema))
        for word in ("$ref", "$dynamicRef", "$recursiveRef"):
            if word in schema:
                self._refer(place, schema[word], found, path, way)
        if "$ref" in schema and place.within(None).is_lone:
            return
        found.places.append(place)
        for one in self._list("allOf", schema, path):
            self._add(place.within(one), found, path, way)
        found.choices += self._choices(place, path)

    def _refer(
        self, place: Place, reference: Any, found: _Found, path: str, way: tuple[int, ...]
    ) -> None:
        if not isinstance(reference, str):
            raise self._error(path, f"a reference to {_short(reference)}, which is not a text")
        try:
            target = self._references.target(place, reference)
        except LookupError as error:
            problem = f"a reference to {reference!r}, which is not {error.args[0]}"
            raise self._error(path, problem) from None
        if id(target.schema) in place.way and id(target.schema) not in way:
            found.is_recursive = True
        else:
            self._add(target, found, path, way)

    def _choices(self, place: Place, path: str) -> Iterator[list[Place]]:
        """Yield the lists of schemas of which one applies."""
        schema = place.schema
        for word in ("anyOf", "oneOf"):
            if listed := self._list(word, schema, path):
                yield [place.within(one) for one in listed]
        if "if" in schema:
            cases = [schema.get(word, True) for word in ("then", "else")]
            yield [place.within(one) for one in cases]
        for word in ("dependentSchemas", "dependencies"):
            listed = schema.get(word)
            for one in listed.values() if isinstance(listed, Mapping) else ():
                if isinstance(one, Mapping):
                    yield [place.within(one), place.within(True)]

    # --- one value

    def _value(self, places: Sequence[Place], choices: Sequence[list[Place]], path: str) -> Value:
        """Return the type of a value that matches all `places` and one schema of each choice."""
        if self._depth == DEPTH_LIMIT:
            raise self._error(path, f"nested more than {DEPTH_LIMIT} deep")
        self._depth += 1
        try:
            found = self._gather(places, path)
            found.choices += choices
            return self._read(found, path)
        finally:
            self._depth -= 1

    def _read(self, found: _Found, path: str) -> Value:
        self._decide(found, path)
        self._count += 1
        if self._count > VALUES_LIMIT:
            raise self._error(path, f"one of more than {VALUES_LIMIT} values")
        if found.is_recursive:
            return Value("json", "u", argument=ANY_JSON)
        types = self._types(found, path)
        if any(value for _, value in found.values("properties")):
            types = self._types_with_choices(found, types, path)
            kinds = {"object"} if types is None else types - {"null"}
            if kinds == {"object"}:
                value = self._object(found, path)
                return value.optional(types is not None and "null" in types)
        shaping = [one for one in found.choices if self._is_shaping(one, path)]
        if shaping:
            return common_of([self._alternatives(found, one, path) for one in shaping])
        if types is None:
            types = self._implied(found, path)
        return self._of_types(types, found, path)

    def _of_types(self, types: set[str] | None, found: _Found, path: str) -> Value:
        if types is None:
            return Value("json", "u", argument=ANY_JSON)
        nullable = "null" in types
        kinds = types - {"null"}
        if "number" in kinds:
            kinds.discard("integer")
        if not kinds:
            return Value("null", "n")
        if len(kinds) > 1:
            argument = sum({_JSON_TYPES[kind] for kind in kinds})
            return Value("json", "u", nullable, argument=argument)
        [kind] = kinds
        if kind == "array":
            value = self._array(found, path)
        elif kind == "object":
            value = self._map(found, path)
        else:
            value = self._plain(kind, found, path)
        return value.optional(nullable)

    def _decide(self, found: _Found, path: str) -> None:
        """For each choice in which only one schema can apply, add that schema."""
        open_choices = found.choices
        found.choices = []
        for choice in open_choices:
            possible = [one for one in choice if one.schema is not False]
            if len(possible) == 1:
                self._add(possible[0], found, path, ())
            else:
                found.choices.append(choice)

    # --- types

    def _types(self, found: _Found, path: str) -> set[str] | None:
        """Return the JSON types that all schemas allow; None if no schema restricts them."""
        types: set[str] | None = None
        for _, given in found.values("type"):
            one = self._listed_types(given, path)
            types = one if types is None else _common(types, one)
        if types is not None and not types:
            raise self._never(path, "of no type, since the schemas that apply have none in common")
        return types

    def _listed_types(self, given: Any, path: str) -> set[str]:
        listed = given if isinstance(given, (list, tuple)) else [given]
        if not listed or not all(isinstance(one, str) and one in _TYPES for one in listed):
            raise self._error(path, f"of the type {_short(given)}")
        return set(listed)

    def _types_with_choices(
        self, found: _Found, types: set[str] | None, path: str
    ) -> set[str] | None:
        """Return the JSON types that one schema of each choice also allows."""
        for choice in found.choices:
            allowed: set[str] | None = set()
            for one in self._possible(choice, path):
                of_one = self._types_with_choices(one, self._types(one, path), path)
                allowed = None if allowed is None or of_one is None else allowed | of_one
            if allowed is not None:
                types = allowed if types is None else _common(types, allowed)
        return types

    def _possible(self, choice: Sequence[Place], path: str) -> Iterator[_Found]:
        """Yield those alternatives of a choice that can apply."""
        for place in choice:
            self._count += 1
            if self._count > VALUES_LIMIT:
                raise self._error(path, f"one of more than {VALUES_LIMIT} values")
            try:
                found = self._gather([place], path)
                self._types(found, path)
            except _Never:
                continue
            yield found

    def _implied(self, found: _Found, path: str) -> set[str] | None:
        """Return the JSON types that schemas without `type` imply."""
        if found.has(_OF_OBJECTS):
            return {"object"}
        if found.has(_OF_ARRAYS):
            return {"array"}
        values = self._enumerated(found, path)
        return None if values is None else {_type_of(value) for value in values}

    def _enumerated(self, found: _Found, path: str) -> list[Any] | None:
        """Return the enumerated values; None if any value is allowed."""
        lists = [self._list("enum", place.schema, path) for place, _ in found.values("enum")]
        lists += [[value] for _, value in found.values("const")]
        if not lists:
            return None
        others = [{_type_of(one) + repr(one) for one in values} for values in lists[1:]]
        return [
            one for one in lists[0] if all(_type_of(one) + repr(one) in other for other in others)
        ]

    # --- one of several

    def _is_shaping(self, choice: Sequence[Place], path: str) -> bool:
        """Return whether the choice can affect the type, or no alternative can apply."""
        possible = list(self._possible(choice, path))
        return not possible or any(
            one.is_recursive
            or one.has(_SHAPING)
            or any(self._is_shaping(inner, path) for inner in one.choices)
            for one in possible
        )

    def _alternatives(
        self,
        found: _Found,
        choice: Sequence[Place],
        path: str,
    ) -> Value:
        """Return the type if one of the alternatives applies: one type, or JSON text."""
        values = []
        problem = self._never(path, "of no type")
        for place in choice:
            one = _Found(list(found.places), [], set(found.seen))
            try:
                self._add(place, one, path, ())
                values.append(self._read(one, path))
            except _Never as error:
                problem = error
        if not values:
            raise problem
        return alternatives_of(values)

    # --- objects

    def _object(self, found: _Found, path: str) -> Value:
        """Return an object with the properties of all schemas and all alternatives."""
        properties = self._properties(found, path)
        choices: dict[str, list[list[Place]]] = {}
        for choice in found.choices:
            for name, places in self._possible_properties(choice, path).items():
                choices.setdefault(name, []).append(places)
        names = dict.fromkeys([*properties, *choices])
        required = {
            one
            for place, _ in found.values("required")
            for one in self._list("required", place.schema, path)
            if isinstance(one, str)
        }
        fields = {}
        for name in names:
            places, given = properties.get(name, []), choices.get(name, [])
            if places:  # if an alternative does not mention the field, the other schemas decide
                given = [[*one, Place(True)] for one in given]
            elif given:
                given = [[place for one in given for place in one]]
            value = self._field(name, places, given, f"{path}.{name}" if path else name)
            if name in required:
                fields[name] = replace(value, writes_null=True)
            else:
                # JSONDecoder also reads a null here, but not every alternative accepts a null.
                writes_null = None if value.nullable else False
                fields[name] = replace(value, nullable=True, writes_null=writes_null)
        return Value("object", "+s", fields=fields)

    def _field(
        self, name: str, places: list[Place], choices: list[list[Place]], path: str
    ) -> Value:
        try:
            if "\0" in name:
                raise self._error(path, f"one whose name {name!r} has a NUL")
            return self._value(places, choices, path)
        except JSONSchemaError as error:
            return Value("refused", "", nullable=False, refusal=str(error))

    def _properties(self, found: _Found, path: str) -> dict[str, list[Place]]:
        """Return the schemas of each property."""
        properties: dict[str, list[Place]] = {}
        for place, given in found.values("properties"):
            if not isinstance(given, Mapping):
                raise self._error(path, f"an object with 'properties' of {_short(given)}")
            for name, one in given.items():
                if not isinstance(name, str):
                    raise self._error(
                        path, f"an object with the field {name!r}, which is not a text"
                    )
                properties.setdefault(name, []).append(place.within(one))
        return properties

    def _possible_properties(self, choice: list[Place], path: str) -> dict[str, list[Place]]:
        """Return the schemas of each property in all alternatives, including nested choices."""
        properties: dict[str, list[Place]] = {}
        for one in self._possible(choice, path):
            inner = [self._possible_properties(other, path) for other in one.choices]
            for found in (self._properties(one, path), *inner):
                for name, places in found.items():
                    usable = [place for place in places if place.schema is not False]
                    if usable:
                        properties.setdefault(name, []).extend(usable)
        return properties

    def _map(self, found: _Found, path: str) -> Value:
        """Return the type of an object without properties: a map, or JSON text for any content."""
        inner = f"{path}[]"
        patterns = [
            place.within(one)
            for place, given in found.values("patternProperties")
            if isinstance(given, Mapping)
            for one in given.values()
        ]
        others = self._inner(found, "additionalProperties") or self._inner(
            found, "unevaluatedProperties"
        )
        if not patterns and not any(self._is_shaping([one], path) for one in others):
            return Value("json", "u", argument=JSON_OBJECT)
        if patterns:
            value = self._value([], [[*patterns, *others]], inner)
        else:
            value = self._value(others, [], inner)
        return Value("map", "+m", fields={"value": value})

    # --- arrays

    def _array(self, found: _Found, path: str) -> Value:
        """Return a list whose items have the types of `prefixItems` and `items`."""
        first = [
            place.within(one)
            for word in ("prefixItems", "items")  # in drafts up to 2019-09 "items" has both roles
            for place, given in found.values(word)
            if isinstance(given, (list, tuple))
            for one in given
        ]
        others = self._inner(found, "items") or self._inner(found, "unevaluatedItems")
        others += self._inner(found, "additionalItems") if first else []
        if first:
            value = self._value([], [[*first, *others]], f"{path}[]")
        else:
            value = self._value(others, [], f"{path}[]")
        return Value("array", "+l", fields={"item": value})

    @staticmethod
    def _inner(found: _Found, word: str) -> list[Place]:
        """Return the schemas of a keyword, without true and false."""
        return [
            place.within(given) for place, given in found.values(word) if isinstance(given, Mapping)
        ]

    # --- values that contain no others

    def _plain(self, kind: str, found: _Found, path: str) -> Value:
        if kind == "boolean":
            return Value("bool", "b")
        form = str(found.value("format"))
        if kind == "integer":
            name = form if form in _INTEGERS else "int64"
            return Value(name, _INTEGERS[name])
        if kind == "number":
            return Value(*_NUMBERS.get(form, _NUMBERS["double"]))
        return self._text(found, form, path)

    def _text(self, found: _Found, form: str, path: str) -> Value:
        if found.value("contentEncoding") == "base64":
            return Value("binary", "z")
        if found.has({"enum"}) and self._enums == "dictionary":
            values = self._enumerated(found, path) or ()
            symbols = tuple(dict.fromkeys(one for one in values if isinstance(one, str)))
            return Value("symbol", "i", symbols=symbols)
        return _TEXTS.get(form, Value("string", "u"))


# --- small parts


def _common(first: set[str], second: set[str]) -> set[str]:
    """Return the types that two sets have in common. An integer is also a number."""
    common = first & second
    for one, other in ((first, second), (second, first)):
        if "integer" in one and "number" in other:
            common = common | {"integer"}
    return common


def _type_of(value: Any) -> str:
    """Return the JSON type of a value in `enum` or `const`."""
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")


def _short(value: Any) -> str:
    """Return a short form of a value for error texts: a wrong value may be long or deep."""
    try:
        return repr(str(value)[:80])
    except RecursionError:
        return f"a {type(value).__name__} that is nested too deep"
