"""Pairs of an older and a newer schema, and whether the registry's rules allow them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Pair(NamedTuple):
    """An older and a newer schema.

    Attributes:
        what: the change, in words.
        backward: whether the newer schema can read data of the older schema.
        forward: whether the older schema can read data of the newer schema.
    """

    kind: str
    what: str
    old: str
    new: str
    backward: bool
    forward: bool

    def fits(self, level: str) -> bool:
        """Return whether a level allows for the newer schema."""
        wanted = {"BACKWARD": [self.backward], "FORWARD": [self.forward], "NONE": []}
        both = [self.backward, self.forward]
        return all(wanted.get(level.removesuffix("_TRANSITIVE"), both))


def _record(*fields: Any, name: str = "R", **more: Any) -> Any:
    named = [
        {"name": f"f{i}", "type": one} if isinstance(one, str) else one
        for i, one in enumerate(fields)
    ]
    return {"type": "record", "name": name, **more, "fields": named}


def _enum(*symbols: str, **more: Any) -> Any:
    return {"type": "enum", "name": "E", "symbols": list(symbols), **more}


def _fixed(size: int, name: str = "F", **more: Any) -> Any:
    return {"type": "fixed", "name": name, "size": size, **more}


_LIST = _record(
    {"name": "v", "type": "int"}, {"name": "next", "type": ["null", "R"], "default": None}
)
_WIDER_LIST = _record(
    {"name": "v", "type": "long"}, {"name": "next", "type": ["null", "R"], "default": None}
)
_A = {"name": "a", "type": "int"}
_B = {"name": "b", "type": "int"}
_B_DEFAULT = {**_B, "default": 0}

_AVRO: list[tuple[str, Any, Any, bool, bool]] = [
    *[
        (f"{old} to {new}", old, new, True, False)
        for old, new in (
            ("int", "long"),
            ("int", "float"),
            ("int", "double"),
            ("long", "float"),
            ("long", "double"),
            ("float", "double"),
        )
    ],
    *[
        (f"{old} to {new}", old, new, False, False)
        for old, new in (
            ("int", "string"),
            ("null", "int"),
            ("boolean", "int"),
            ("bytes", "int"),
            ("string", {"type": "array", "items": "string"}),
            ("string", _enum("A")),
        )
    ],
    ("string to bytes", "string", "bytes", True, True),
    ("a type written as an object", "int", {"type": "int", "x": 1}, True, True),
    ("a logical type", "long", {"type": "long", "logicalType": "timestamp-millis"}, True, True),
    ("a field with a default", _record(_A), _record(_A, _B_DEFAULT), True, True),
    ("a field without a default", _record(_A), _record(_A, _B), False, True),
    ("a field with a default is gone", _record(_A, _B_DEFAULT), _record(_A), True, True),
    ("a field without a default is gone", _record(_A, _B), _record(_A), True, False),
    ("the order of fields", _record(_A, _B), _record(_B, _A), True, True),
    ("a field's name", _record(_A), _record({"name": "b", "type": "int"}), False, False),
    ("an alias of a field", _record(_A), _record({**_B, "aliases": ["a"]}), True, False),
    (
        "a default of null",
        _record(_A),
        _record(_A, {"name": "b", "type": ["null", "int"], "default": None}),
        True,
        True,
    ),
    ("a field's type", _record(_A), _record({"name": "a", "type": "string"}), False, False),
    ("a wider field", _record(_A), _record({"name": "a", "type": "long"}), True, False),
    ("a record's name", _record(_A), _record(_A, name="S"), False, False),
    ("a namespace", _record(_A), _record(_A, namespace="n"), True, True),
    ("a symbol", _enum("A"), _enum("A", "B"), True, False),
    (
        "a symbol of an enum with a default",
        _enum("A", default="A"),
        _enum("A", "B", default="A"),
        True,
        True,
    ),
    ("a symbol is replaced", _enum("A", "B"), _enum("A", "C"), False, False),
    ("the order of symbols", _enum("A", "B"), _enum("B", "A"), True, True),
    ("a size", _fixed(4), _fixed(8), False, False),
    ("the name of a fixed", _fixed(4), _fixed(4, "G"), False, False),
    ("an optional value", "int", ["null", "int"], True, False),
    ("a branch", ["null", "int"], ["null", "int", "string"], True, False),
    ("another branch", ["null", "int"], ["null", "string"], False, False),
    ("a wider branch", ["null", "int"], ["null", "long"], True, False),
    ("the order of branches", ["null", "int"], ["int", "null"], True, True),
    ("a union of one", ["int"], "int", True, True),
    ("items", {"type": "array", "items": "int"}, {"type": "array", "items": "long"}, True, False),
    ("values", {"type": "map", "values": "int"}, {"type": "map", "values": "string"}, False, False),
    (
        "an array becomes a map",
        {"type": "array", "items": "int"},
        {"type": "map", "values": "int"},
        False,
        False,
    ),
    ("a record with itself within", _LIST, _LIST | {"doc": "same"}, True, True),
    ("a wider record with itself within", _LIST, _WIDER_LIST, True, False),
    (
        "a nested field",
        _record({"name": "r", "type": _record(_A, name="I")}),
        _record({"name": "r", "type": _record(_A, _B, name="I")}),
        False,
        True,
    ),
    ("records of a union", ["null", _record(_A)], ["null", _record(_A, _B)], False, True),
]


def _object(**properties: Any) -> Any:
    return {"type": "object", "properties": properties}


def _closed(**properties: Any) -> Any:
    return _object(**properties) | {"additionalProperties": False}


def _texts_only(**properties: Any) -> Any:
    return _object(**properties) | {"additionalProperties": {"type": "string"}}


def _dependent(what: Any) -> Any:
    return {"type": "object", "dependencies": {"a": what}}


_INT, _NUM, _STR = {"type": "integer"}, {"type": "number"}, {"type": "string"}
_TREE = {"type": "object", "properties": {"v": _INT, "next": {"$ref": "#"}}}
_WIDER_TREE = {"type": "object", "properties": {"v": _NUM, "next": {"$ref": "#"}}}


def _limit(kind: str, keyword: str, tight: Any, loose: Any, none: bool = True) -> Any:
    tight, loose = {"type": kind, keyword: tight}, {"type": kind, keyword: loose}
    rows = [(f"{keyword} is looser", tight, loose, True, False)]
    return [*rows, (f"{keyword} is gone", tight, {"type": kind}, True, False)] if none else rows


_JSON: list[tuple[str, Any, Any, bool, bool]] = [
    (
        "words for people",
        {**_STR, "title": "a"},
        {**_STR, "title": "b", "description": "c"},
        True,
        True,
    ),
    ("a type", _STR, _NUM, False, False),
    ("a wider number", _INT, _NUM, True, False),
    ("anything", _STR, {}, True, False),
    ("true and false", _STR, True, True, False),
    ("nothing", False, _STR, True, False),
    *_limit("string", "maxLength", 3, 5),
    *_limit("string", "minLength", 5, 3),
    *_limit("number", "maximum", 3, 5),
    *_limit("number", "minimum", 5, 3),
    *_limit("number", "exclusiveMaximum", 3, 5),
    *_limit("integer", "exclusiveMinimum", 5, 3),
    *_limit("integer", "multipleOf", 10, 5),
    *_limit("array", "maxItems", 3, 5),
    *_limit("array", "minItems", 5, 3),
    *_limit("object", "maxProperties", 3, 5),
    *_limit("object", "minProperties", 5, 3),
    ("a pattern is gone", {**_STR, "pattern": "a"}, _STR, True, False),
    ("another pattern", {**_STR, "pattern": "a"}, {**_STR, "pattern": "b"}, False, False),
    ("unique items", {"type": "array", "uniqueItems": True}, {"type": "array"}, True, False),
    ("a value of an enum", {"enum": ["a"]}, {"enum": ["a", "b"]}, True, False),
    ("another value of an enum", {"enum": ["a"]}, {"enum": ["b"]}, False, False),
    ("1 and true", {"enum": [1]}, {"enum": [True]}, False, False),
    ("an enum is gone", {**_STR, "enum": ["a"]}, _STR, True, False),
    ("a constant", {"const": 1}, {"const": 2}, False, False),
    ("what is excluded", {"not": _NUM}, {"not": _INT}, True, False),
    (
        "an optional property of an open object",
        _object(a=_STR),
        _object(a=_STR, b=_STR),
        False,
        True,
    ),
    ("any property of an open object", _object(a=_STR), _object(a=_STR, b={}), True, True),
    (
        "an optional property of a closed object",
        _closed(a=_STR),
        _closed(a=_STR, b=_STR),
        True,
        False,
    ),
    (
        "a required property of a closed object",
        _closed(a=_STR),
        _closed(a=_STR, b=_STR) | {"required": ["b"]},
        False,
        False,
    ),
    (
        "a required property with a default",
        _closed(a=_STR),
        _closed(a=_STR, b={**_STR, "default": ""}) | {"required": ["b"]},
        True,
        False,
    ),
    ("a covered property", _texts_only(a=_STR), _texts_only(a=_STR, b=_STR), True, True),
    (
        "a property that is not covered",
        _texts_only(a=_STR),
        _texts_only(a=_STR, b=_NUM),
        False,
        False,
    ),
    (
        "a property becomes optional",
        _object(a=_STR) | {"required": ["a"]},
        _object(a=_STR),
        True,
        False,
    ),
    (
        "a required name that is not a property",
        _object(a=_STR) | {"required": ["a"]},
        _object(a=_STR) | {"required": ["b"]},
        True,
        False,
    ),
    ("a property's type", _object(a=_STR), _object(a=_NUM), False, False),
    ("a property's wider type", _object(a=_INT), _object(a=_NUM), True, False),
    ("closed to open", _closed(a=_STR), _object(a=_STR), True, False),
    ("partially open to open", _texts_only(a=_STR), _object(a=_STR), True, False),
    (
        "a pattern of properties",
        _closed(a=_STR, I_1=_INT),
        _closed(a=_STR) | {"patternProperties": {"^I_": _NUM}},
        True,
        False,
    ),
    ("a dependency", _dependent(["b"]), {"type": "object"}, True, False),
    ("a longer dependency", _dependent(["b"]), _dependent(["b", "c"]), False, True),
    (
        "a dependency's schema",
        _dependent(_closed(b=_INT)),
        _dependent(_closed(b=_NUM)),
        True,
        False,
    ),
    ("items", {"type": "array", "items": _INT}, {"type": "array", "items": _NUM}, True, False),
    ("items of any kind", {"type": "array", "items": _INT}, {"type": "array"}, True, False),
    (
        "a first item",
        {"type": "array", "items": [_INT], "additionalItems": False},
        {"type": "array", "items": [_INT, _STR], "additionalItems": False},
        True,
        False,
    ),
    (
        "a first item of an open array",
        {"type": "array", "items": [_INT]},
        {"type": "array", "items": [_INT, _STR]},
        False,
        True,
    ),
    ("other items", {"type": "array", "additionalItems": False}, {"type": "array"}, True, False),
    (
        "an item of a tuple",
        {"type": "array", "prefixItems": [_INT]},
        {"type": "array", "prefixItems": [_NUM]},
        True,
        False,
    ),
    ("a type of several", {"type": ["string"]}, {"type": ["string", "null"]}, True, False),
    ("a nullable string", _STR, {"type": ["string", "null"]}, True, False),
    ("a schema of a sum", {"oneOf": [_STR]}, {"oneOf": [_NUM, _STR]}, True, False),
    ("another schema of a sum", {"oneOf": [_STR]}, {"oneOf": [_NUM]}, False, False),
    (
        "a schema of any",
        {"anyOf": [_STR, _INT]},
        {"anyOf": [_STR, _INT, {"type": "null"}]},
        True,
        False,
    ),
    ("a schema of a product", {"allOf": [_STR, {"maxLength": 3}]}, {"allOf": [_STR]}, True, False),
    ("any of becomes one of", {"anyOf": [_STR, _INT]}, {"oneOf": [_STR, _INT]}, False, True),
    (
        "a reference",
        {"$defs": {"t": _INT}, "properties": {"a": {"$ref": "#/$defs/t"}}},
        {"$defs": {"t": _NUM}, "properties": {"a": {"$ref": "#/$defs/t"}}},
        True,
        False,
    ),
    ("a schema with itself within", _TREE, {**_TREE, "title": "t"}, True, True),
    ("a wider schema with itself within", _TREE, _WIDER_TREE, True, False),
]


def _proto(body: str, package: str = "p", syntax: str = "proto3") -> str:
    return f'syntax = "{syntax}"; package {package}; {body}'


def _message(fields: str) -> str:
    others = "enum E { Z = 0; } message I { int32 i = 1; } message J { int32 i = 1; }"
    return _proto(f"{others} message M {{ {fields} }}")


_PROTOBUF: list[tuple[str, str, str, bool, bool]] = [
    ("a field", _message("int32 a = 1;"), _message("int32 a = 1; string b = 2;"), True, True),
    ("a field's name", _message("int32 a = 1;"), _message("int32 b = 1;"), True, True),
    ("a field's number", _message("int32 a = 1;"), _message("int32 a = 2;"), True, True),
    *[
        (f"{old} to {new}", _message(f"{old} a = 1;"), _message(f"{new} a = 1;"), fits, fits)
        for old, new, fits in (
            ("int32", "int64", True),
            ("int32", "uint64", True),
            ("int32", "bool", True),
            ("int32", "E", True),
            ("sint32", "sint64", True),
            ("string", "bytes", True),
            ("fixed32", "sfixed32", True),
            ("fixed64", "sfixed64", True),
            ("int32", "sint32", False),
            ("int32", "fixed32", False),
            ("int32", "string", False),
            ("fixed32", "fixed64", False),
            ("float", "double", False),
            ("float", "fixed32", False),
            ("int32", "I", False),
            ("string", "I", False),
            ("I", "J", False),
            ("map<string, int32>", "I", False),
            ("map<string, int32>", "map<string, int64>", True),
            ("map<string, int32>", "map<int32, int32>", False),
            ("repeated string", "string", True),
            ("repeated I", "I", True),
            ("repeated int32", "int32", False),
            ("optional int32", "int32", True),
        )
    ],
    ("a package", _proto("message M {}"), _proto("message M {}", "q"), False, False),
    ("a message", _proto("message M {}"), _proto("message M {} message N {}"), True, False),
    ("a nested message", _proto("message M {}"), _proto("message M { message N {} }"), True, False),
    (
        "the order of messages",
        _proto("message M {} message N {}"),
        _proto("message N {} message M {}"),
        True,
        True,
    ),
    ("an enum", _proto("message M {}"), _proto("message M {} enum E { Z = 0; }"), True, True),
    (
        "a constant of an enum",
        _proto("enum E { Z = 0; } message M {}"),
        _proto("enum E { Z = 0; A = 1; } message M {}"),
        True,
        True,
    ),
    (
        "a field of a oneof",
        _message("oneof o { int32 a = 1; }"),
        _message("oneof o { int32 a = 1; int32 b = 2; }"),
        True,
        False,
    ),
    (
        "a field becomes a oneof",
        _message("int32 a = 1;"),
        _message("oneof o { int32 a = 1; }"),
        True,
        True,
    ),
    (
        "a field and a new one in a oneof",
        _message("int32 a = 1;"),
        _message("oneof o { int32 a = 1; int32 b = 2; }"),
        True,
        False,
    ),
    (
        "two fields in a oneof",
        _message("int32 a = 1; int32 b = 2;"),
        _message("oneof o { int32 a = 1; int32 b = 2; }"),
        False,
        True,
    ),
    (
        "a field moves into a oneof",
        _message("int32 a = 1; oneof o { int32 b = 2; }"),
        _message("oneof o { int32 a = 1; int32 b = 2; }"),
        False,
        True,
    ),
    (
        "a type within a oneof",
        _message("oneof o { int32 a = 1; }"),
        _message("oneof o { string a = 1; }"),
        False,
        False,
    ),
    (
        "a type in another oneof",
        _message("oneof o { int32 a = 1; }"),
        _message("oneof q { string a = 1; }"),
        False,
        False,
    ),
    (
        "a required field",
        _proto("message M { }", syntax="proto2"),
        _proto("message M { required int32 a = 1; }", syntax="proto2"),
        False,
        False,
    ),
    (
        "a field becomes required",
        _proto("message M { optional int32 a = 1; }", syntax="proto2"),
        _proto("message M { required int32 a = 1; }", syntax="proto2"),
        False,
        True,
    ),
    (
        "a field of a message within",
        _proto("message M { N n = 1; message N { int32 a = 1; } }"),
        _proto("message M { N n = 1; message N { string a = 1; } }"),
        False,
        False,
    ),
    (
        "a message with itself within",
        _proto("message M { M m = 1; }"),
        _proto("message M { M m = 1; int32 a = 2; }"),
        True,
        True,
    ),
    (
        "a type of Protobuf itself",
        _message("google.protobuf.Timestamp t = 1;"),
        _message("google.protobuf.Duration t = 1;"),
        False,
        False,
    ),
]

PAIRS = [
    *(
        Pair("AVRO", what, json.dumps(old), json.dumps(new), *fits)
        for what, old, new, *fits in _AVRO
    ),
    *(
        Pair("JSON", what, json.dumps(old), json.dumps(new), *fits)
        for what, old, new, *fits in _JSON
    ),
    *(Pair("PROTOBUF", what, old, new, *fits) for what, old, new, *fits in _PROTOBUF),
]
