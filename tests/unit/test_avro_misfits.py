"""Objects that do not match an Avro schema are refused, with subject, schema and field.

Objects that match are written with the same bytes as by fastavro. It is the reference for both
writers of the serializer: the extension's own writer, and fastavro for objects of other types.
"""

from __future__ import annotations

import array
import datetime
import enum
import io
import json
import re
from collections import OrderedDict, UserDict, deque
from collections.abc import Iterator
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

import fastavro

from confluent_kafka import cimpl
from confluent_kafka.avro import loads
from confluent_kafka.avro.serializer import ValueSerializerError
from confluent_kafka.avro.serializer.message_serializer import MessageSerializer
from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry._avro_shapes import Shape
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

VALUE = SerializationContext("t", MessageField.VALUE)
NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.UTC)
UUID_TEXT = "12345678-1234-5678-1234-567812345678"


def logical(kind: str, of: str, **more: Any) -> dict[str, Any]:
    """A logical type."""
    return {"type": kind, "logicalType": of, **more}


class Colour(enum.Enum):
    """An enumeration whose members are not texts, although their values are."""

    RED = "RED"


class Text(enum.StrEnum):
    """An enumeration whose members are texts with a hash of their own."""

    RED = "RED"


ENUM = {"type": "enum", "name": "E", "symbols": ["RED", "BLUE"]}
FIXED = {"type": "fixed", "name": "F", "size": 3}
INNER = {"type": "record", "name": "In", "fields": [{"name": "x", "type": "int"}]}
DECIMAL = logical("bytes", "decimal", precision=4, scale=2)
FIXED_DECIMAL = logical("fixed", "decimal", precision=4, scale=2, name="D", size=2)
TWO_RECORDS = [
    {"type": "record", "name": "A", "fields": [{"name": "a", "type": "int"}]},
    {"type": "record", "name": "B", "fields": [{"name": "b", "type": "int"}]},
]

# For each type of Avro: objects that do not match it.
MISFITS: list[tuple[Any, list[Any]]] = [
    ("null", [5, 0, False, "", [], {}]),
    ("boolean", [5, 0, 1, 1.0, "true", b"\1", None, []]),
    ("int", [2**31, -(2**31) - 1, 2**70, 1.9, 1.0, True, "5", b"5", None, Decimal(5), [5], NOW]),
    ("long", [2**63, -(2**63) - 1, 2**70, 1.9, 1e5, False, "5", None, Decimal(5), {}]),
    ("float", ["1.5", "NaN", True, None, 1e300, -1e39, 2**200, b"1", [], 1j, NOW]),
    ("double", ["1.5", "NaN", False, None, 10**400, b"1", {}, 1j]),
    ("bytes", ["text", 5, None, [1, 2], True, 1.5]),
    ("string", [b"bytes", 5, None, True, 1.5, "\ud800", "a\udfffb", Colour.RED, ["x"]]),
    (FIXED, [b"ab", b"abcd", "abc", [1, 2, 3], None, 3, bytearray(b"ab"), memoryview(b"abcd")]),
    (ENUM, ["GREEN", "red", "", None, 0, True, Colour.RED, b"RED", "\ud800", ["RED"]]),
    (
        {"type": "array", "items": "int"},
        [None, "123", b"123", {1: 2}, 5, ["1"], [1, None], [2**31], (1.5,), iter([1])],
    ),
    ({"type": "array", "items": "string"}, ["text", {"a": 1}, [5], [["x"]]]),
    (
        {"type": "map", "values": "int"},
        [None, [1], "x", {"a": 1.5}, {1: 1}, {"\ud800": 1}, {"a": 2**31}, {b"a": 1}, {"a": None}],
    ),
    (INNER, ["x", 5, None, [], [1], {}, {"y": 1}, {"x": 1.5}, {"x": 2**31}, ("In", {"x": 1})]),
    (["null", "int"], [2**31, 1.5, "x", True, (), {}, ("long", 1), ("int", 1.5)]),
    (["null", "boolean"], [5, "x", 0.0]),
    (["null", "float"], [1e300, "1", True]),
    (["int", "string"], [None, 1.5, b"x", 2**31, "\ud800", ("string", 5)]),
    (["null", ENUM], ["GREEN", 5]),
    (["null", {"type": "array", "items": "int"}], [[1.5], "12", ["1"]]),
    (["null", {"type": "map", "values": "int"}], [{"a": 1.5}, {1: 1}, []]),
    (["null", DECIMAL], [Decimal("1.234"), 5, "1.5", 1.5]),
    (
        TWO_RECORDS,
        [{}, {"c": 1}, {"a": 1.5}, ("C", {"a": 1}), ("A", {"b": 1}), {"a": 1, "-type": "C"}],
    ),
    (logical("int", "date"), [1.5, "yesterday", "2026-13-01", None, True, 2**31, datetime.time(1)]),
    (logical("int", "time-millis"), [1.5, None, "12:00", -1, 24 * 3600 * 1000, NOW, True]),
    (logical("long", "time-micros"), [1.5, None, "12:00", -1, 24 * 3600 * 10**6, NOW, True]),
    *(
        (logical("long", of), [1700000000.5, 1.7e9, None, "2026-01-02", True, NOW.date(), 2**63])
        for of in (
            "timestamp-millis",
            "timestamp-micros",
            "local-timestamp-millis",
            "local-timestamp-micros",
        )
    ),
    *(
        (
            kind,
            [
                *(Decimal("1.234"), Decimal("123.45"), Decimal("-123.4"), Decimal("1E5")),
                *(Decimal("NaN"), Decimal("Infinity"), 5, 1.5, "1.5", None, True),
            ],
        )
        for kind in (DECIMAL, FIXED_DECIMAL)
    ),
    (DECIMAL, [(10**4).to_bytes(3, "big")]),
    (logical("string", "uuid"), ["", "x", UUID_TEXT[:-1], UUID_TEXT + "0", 5, b"x" * 16, None]),
    (logical("fixed", "duration", name="P", size=12), [datetime.timedelta(1), b"x" * 11, 5, None]),
]
MISFIT_CASES = [(kind, obj) for kind, objects in MISFITS for obj in objects]

# For each type of Avro: objects that match it.
FITTING: list[tuple[Any, list[Any]]] = [
    ("null", [None]),
    ("boolean", [True, False]),
    ("int", [0, 2**31 - 1, -(2**31), enum.IntEnum("One", "ONE")(1)]),
    ("long", [2**63 - 1, -(2**63), 5]),
    ("float", [1.5, 5, float("inf"), float("-inf"), 3.4028234e38, 1e-60]),
    ("double", [1.5, 5, float("inf"), 1e300, Decimal("1.5")]),
    ("bytes", [b"", b"x", bytearray(b"x"), memoryview(b"xy")]),
    ("string", ["", "x\0y", "ä€😀", Text.RED]),
    (FIXED, [b"abc", bytearray(b"abc")]),
    (ENUM, ["RED", "BLUE", Text.RED]),
    (
        {"type": "array", "items": "int"},
        [[], [1, 2], (1, 2), deque([1]), {1}, array.array("i", [1, 2]), range(3)],
    ),
    (
        {"type": "map", "values": "int"},
        [{}, {"a": 1}, OrderedDict(a=1), MappingProxyType({"a": 1}), UserDict(a=1)],
    ),
    (INNER, [{"x": 1}, {"x": 1, "more": 2}, OrderedDict(x=1), UserDict(x=1)]),
    (["null", "int"], [None, 5, ("int", 5)]),
    (["float", "double"], [1.5, 5]),
    (["double", "float"], [1.5]),
    (["int", "long", "string", "bytes"], [5, 2**31, "x", b"x"]),
    (["string", ENUM], ["RED", "x"]),
    ([ENUM, "string"], ["RED", "x"]),
    ([*TWO_RECORDS, "null"], [{"a": 1}, {"b": 1}, {"a": 1, "b": 1}, ("B", {"b": 1}), None]),
    ([INNER, {"type": "map", "values": "int"}], [{"x": 1}, {"y": 1}]),
    (["null", logical("long", "timestamp-millis"), "string"], [None, NOW, "x", 5]),
    (logical("int", "date"), [NOW.date(), NOW, 5, "2026-01-02"]),
    (logical("int", "time-millis"), [NOW.time(), 0, 24 * 3600 * 1000 - 1]),
    (logical("long", "time-micros"), [NOW.time(), 0]),
    (logical("long", "timestamp-millis"), [NOW, NOW.replace(tzinfo=None), 2**63 - 1, 0]),
    (logical("long", "timestamp-micros"), [NOW, 1]),
    (logical("long", "local-timestamp-millis"), [NOW, 1]),
    (DECIMAL, [Decimal("12.34"), Decimal("-99.99"), Decimal(0), Decimal("1E1"), b"\1"]),
    (FIXED_DECIMAL, [Decimal("12.34"), Decimal("-99.99"), Decimal("0.00"), b"\0\1"]),
    (logical("string", "uuid"), [UUID(UUID_TEXT), UUID_TEXT, UUID_TEXT.replace("-", "")]),
    (logical("fixed", "duration", name="P", size=12), [b"x" * 12]),
    (logical("string", "of-our-own"), ["x"]),
]
FITTING_CASES = [(kind, obj) for kind, objects in FITTING for obj in objects]


def record_of(kind: Any, **more: Any) -> dict[str, Any]:
    """A record with a field of a type, two levels deep."""
    inner = {"type": "record", "name": "Inner", "fields": [{"name": "f", "type": kind, **more}]}
    items = {"type": "array", "items": inner}
    return {"type": "record", "name": "Outer", "fields": [{"name": "list", "type": items}]}


def by_fastavro(schema: Any, obj: Any) -> bytes:
    """The bytes that fastavro writes."""
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, fastavro.parse_schema(schema), obj)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def client() -> Iterator[SchemaRegistryClient]:
    """A client of a registry in memory."""
    with SchemaRegistryClient({"url": "mock://"}) as one:
        yield one


def serializer(client: SchemaRegistryClient, schema: Any, **conf: Any) -> AvroSerializer:
    """A serializer whose schema is registered without a check of its compatibility."""
    client.set_compatibility(level="NONE")
    return AvroSerializer(client, json.dumps(schema), conf=conf)


def name_of(value: Any) -> str:
    """The name of a case, without addresses of objects, so that it is the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


@pytest.mark.parametrize(("kind", "obj"), MISFIT_CASES, ids=name_of)
def test_objects_that_do_not_match(client: SchemaRegistryClient, kind: Any, obj: Any) -> None:
    """The serializer finds a misfit as a field, as an item and as a branch.

    The error names the subject, the schema and the field.
    """
    serialize = serializer(client, record_of(kind))
    with pytest.raises(SerializationError) as raised:
        serialize({"list": [{"f": obj}]}, VALUE)
    said = str(raised.value)
    assert said.startswith("the schema of subject 't-value' (Outer): field 'list[0].f")
    assert isinstance(raised.value, ValueError | TypeError)
    legacy = MessageSerializer(Ids())
    with pytest.raises(ValueSerializerError, match=r"field 'list\[0\]\.f"):
        legacy.encode_record_with_schema(
            "t", loads(json.dumps(record_of(kind))), {"list": [{"f": obj}]}
        )


class Ids:
    """A registry that has an id for every schema."""

    def get_by_id(self, schema_id: int) -> Any:
        """The serializer does not call this method."""

    def register(self, subject: str, schema: Any) -> int:
        """Return the same id for every schema."""
        return 1


@pytest.mark.parametrize(("kind", "obj"), FITTING_CASES, ids=name_of)
def test_objects_that_match(client: SchemaRegistryClient, kind: Any, obj: Any) -> None:
    """Objects that match are written with the same bytes as by fastavro, alone and as a field."""
    schema = record_of(kind)
    written = serializer(client, schema)({"list": [{"f": obj}]}, VALUE)
    assert written is not None
    assert written[5:] == by_fastavro(schema, {"list": [{"f": obj}]})
    if kind not in ("bytes", DECIMAL) and obj is not None:
        alone = serializer(client, kind)(obj, VALUE)
        assert alone is not None
        assert alone[5:] == by_fastavro(kind, obj)


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        ({"list": "x"}, "field 'list': 'x' (str) is not an array: give a list"),
        ({"list": ["x"]}, "field 'list[0]': 'x' (str) is not a record Inner: give a dict with f"),
        ({"list": [{}]}, "field 'list[0].f': the record Inner has no value for it, and the schema"),
        ("x", "'x' (str) is not a record Outer: give a dict with list"),
        ({"list": [{"f": {"k": 1.5}}]}, "field 'list[0].f['k']': 1.5 (float) is not an int from"),
    ],
)
def test_the_text_names_what_was_given(client: SchemaRegistryClient, obj: Any, said: str) -> None:
    """The error contains the given value and the expected type."""
    with pytest.raises(SerializationError) as raised:
        serializer(client, record_of({"type": "map", "values": "int"}))(obj, VALUE)
    assert said in str(raised.value)


def test_the_exceptions_of_fastavro(client: SchemaRegistryClient) -> None:
    """Programs that catch fastavro's TypeError and ValueError also catch these errors."""
    serialize = serializer(client, record_of("int"))
    with pytest.raises(TypeError) as wrong_type:
        serialize({"list": [{"f": "x"}]}, VALUE)
    assert isinstance(wrong_type.value.__cause__, TypeError)
    with pytest.raises(ValueError, match="no value"):
        serialize({"list": [{}]}, VALUE)
    strict = serializer(client, INNER, **{"validate.strict": True})
    with pytest.raises(ValueError, match="has no fields more"):
        strict({"x": 1, "more": 1}, VALUE)


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        ("int", 5, 5),
        ("bytes", "\u00ff\u0001", b"\xff\1"),
        (FIXED, "abc", b"abc"),
        (FIXED_DECIMAL, "\u0001\u0002", b"\1\2"),
        ("double", 1.5, 1.5),
        ({"type": "array", "items": "bytes"}, ["\u00ff"], [b"\xff"]),
        ({"type": "map", "values": FIXED}, {"k": "abc"}, {"k": b"abc"}),
        (INNER, {"x": 1}, {"x": 1}),
        (["null", "bytes"], None, None),
        (["bytes", "null"], "\u00ff", b"\xff"),
        (ENUM, "RED", "RED"),
    ],
)
@pytest.mark.parametrize("kind_of_dict", [dict, OrderedDict])
def test_defaults(
    client: SchemaRegistryClient, kind: Any, default: Any, value: Any, kind_of_dict: type[Any]
) -> None:
    """A missing field is written as its default, also if the default is bytes, which JSON has as
    text."""
    schema = record_of(kind, default=default)
    written = serializer(client, schema)({"list": [kind_of_dict()]}, VALUE)
    assert written is not None
    assert written[5:] == by_fastavro(schema, {"list": [{"f": value}]})


def test_defaults_that_do_not_match(client: SchemaRegistryClient) -> None:
    """A default of a wrong type is refused only when it would be written."""
    serialize = serializer(client, record_of(ENUM, default="GREEN"))
    assert serialize({"list": [{"f": "RED"}]}, VALUE) is not None
    with pytest.raises(SerializationError, match=r"field 'list\[0\]\.f': 'GREEN' \(str\) is not"):
        serialize({"list": [{}]}, VALUE)


def test_fields_that_may_be_missing(client: SchemaRegistryClient) -> None:
    """A missing field is null where its type allows null. Unknown fields are left out, unless
    validate.strict is set."""
    nullable = record_of(["null", "int"])
    obj = {"list": [{"unknown": 1}]}
    assert serializer(client, nullable)(obj, VALUE) is not None
    for strict in ("validate.strict", "validate.strict.allow.default"):
        for one in (obj, {"list": [{}]}):
            with pytest.raises(SerializationError, match=r"list\[0\]"):
                serializer(client, nullable, **{strict: True})(one, VALUE)


def test_recursion(client: SchemaRegistryClient) -> None:
    """Values of a recursive type are written; an object that contains itself is refused."""
    node = {
        "type": "record",
        "name": "Node",
        "fields": [{"name": "next", "type": ["null", "Node"]}],
    }
    chain: dict[str, Any] = {"next": {"next": {"next": None}}}
    written = serializer(client, node)(chain, VALUE)
    assert written is not None
    assert written[5:] == by_fastavro(node, chain)
    chain["next"] = chain
    with pytest.raises(SerializationError, match="recursion"):
        serializer(client, node)(chain, VALUE)


def test_functions_of_logical_types(
    client: SchemaRegistryClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The serializer uses functions that a program gave to fastavro.

    If a function raises, the object does not match.
    """
    monkeypatch.setitem(
        fastavro.write.LOGICAL_WRITERS, "string-upper", lambda data, schema: data.upper()
    )
    serialize = serializer(client, record_of(logical("string", "upper")))
    assert serialize({"list": [{"f": "x"}]}, VALUE).endswith(b"\2\2X\0")  # type: ignore[union-attr]
    with pytest.raises(SerializationError, match=r"5 \(int\) is not a string.*no attribute"):
        serialize({"list": [{"f": 5}]}, VALUE)


def test_numbers_of_numpy(client: SchemaRegistryClient) -> None:
    """Numbers of numpy are written as numbers. A number that does not fit the type is refused."""
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    fields = [("i", "int"), ("d", "double"), ("f", "float"), ("b", "boolean")]
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": name, "type": kind} for name, kind in fields],
    }
    obj = {"i": numpy.int64(5), "d": numpy.float64(1.5), "f": numpy.float32(1), "b": numpy.True_}
    serialize = serializer(client, schema)
    written = serialize(obj, VALUE)
    assert written is not None
    assert written[5:] == by_fastavro(schema, {"i": 5, "d": 1.5, "f": 1.0, "b": True})
    for wrong in (numpy.int64(2**31), numpy.float64(1.5), numpy.True_, numpy.datetime64(1, "s")):
        with pytest.raises(SerializationError, match="field 'i'"):
            serialize(obj | {"i": wrong}, VALUE)


@pytest.mark.parametrize(
    ("shapes", "error"),
    [
        ((), ValueError),
        ((5,), TypeError),
        (([],), TypeError),
        ((Shape("nothing"),), ValueError),
        ((Shape("array"),), ValueError),
        ((Shape("array", parts=(1,)),), ValueError),
        ((Shape("array", parts=(-1,)),), ValueError),
        ((Shape("array", parts=("x",)),), TypeError),  # type: ignore[arg-type]
        ((Shape("int", parts=(0,)),), ValueError),
        ((Shape("enum"),), ValueError),
        ((Shape("record", names=("a",)),), ValueError),
        ((Shape("record", names=("a",), parts=(0,)),), ValueError),
        ((Shape("record", names=("a",), parts=(0,), defaults=(5,)),), ValueError),  # type: ignore[arg-type]
        ((Shape("union", parts=(0,)),), ValueError),
        ((Shape("int", low=2**70),), OverflowError),
        ([Shape("int")], TypeError),
    ],
)
def test_shapes_of_a_wrong_form(shapes: Any, error: type[Exception]) -> None:
    """The extension refuses a description of a schema that has a wrong form."""
    with pytest.raises(error):
        cimpl._AvroWriter(shapes)
