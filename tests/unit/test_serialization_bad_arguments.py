"""Wrong arguments of serializers and of the registry's client raise typed errors."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")
pytest.importorskip("jsonschema", reason="jsonschema is not installed")
pytest.importorskip("google.protobuf", reason="protobuf is not installed")

from google.protobuf.api_pb2 import Api
from google.protobuf.timestamp_pb2 import Timestamp

from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import (
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaParseException
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import (
    DoubleDeserializer,
    DoubleSerializer,
    IntegerDeserializer,
    IntegerSerializer,
    MessageField,
    SerializationContext,
    StringDeserializer,
    StringSerializer,
)

VALUES: dict[str, Any] = {
    "None": None,
    "int": 5,
    "large": 2**33,
    "huge": 2**200,
    "negative": -1,
    "float": 1.5,
    "nan": float("nan"),
    "bytes": b"x",
    "empty": "",
    "text": "text",
    "surrogate": "\ud800",
    "zero": "a\0b",
    "slash": "a/b?c#d",
    "list": [5],
    "dict": {"a": b"x"},
    "keys": {5: 6},
    "object": object(),
    "type": int,
    "function": lambda: None,
    "schema": Schema("{"),
    "nested": Schema('"int"', references=[SchemaReference("n", "s", 1)]),
    "broken": Schema(5),  # type: ignore[arg-type]
}
ALLOWED = (TypeError, ValueError, SerializationError, SchemaRegistryError, SchemaParseException)
VALUE = SerializationContext("t", MessageField.VALUE)
INT = Schema('"int"')


def registry() -> SchemaRegistryClient:
    """A client of a registry that has one subject."""
    client = SchemaRegistryClient({"url": "mock://"})
    client.register_schema("s", INT)
    return client


GOOD: dict[Callable[..., Any], dict[str, Any]] = {
    AvroSerializer: {"schema_registry_client": None, "schema_str": '"int"'},
    AvroDeserializer: {"schema_registry_client": None},
    JSONSerializer: {"schema_str": "{}", "schema_registry_client": None},
    JSONDeserializer: {"schema_str": "{}"},
    ProtobufSerializer: {"msg_type": Timestamp, "schema_registry_client": None},
    ProtobufDeserializer: {"message_type": Timestamp},
}


def attempt(call: Callable[[], Any]) -> None:
    """Run a call, and allow only the documented exceptions."""
    with contextlib.suppress(*ALLOWED):
        call()


@pytest.mark.parametrize("kind", GOOD, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("value", VALUES)
def test_arguments_of_serdes(kind: Callable[..., Any], value: str) -> None:
    """Each argument is replaced in turn. If the serde can still be created, the test uses it."""
    with registry() as client:
        given = {
            name: client if name == "schema_registry_client" else one
            for name, one in GOOD[kind].items()
        }
        for name in inspect.signature(kind).parameters:

            def make_and_use(name: str = name) -> None:
                serde = kind(**given | {name: VALUES[value]})
                for obj in (5, b"\0\0\0\0\1\2", {}, Timestamp()):
                    attempt(lambda obj=obj: serde(obj, VALUE))  # type: ignore[misc]

            attempt(make_and_use)


@pytest.mark.parametrize("value", VALUES)
def test_objects_and_messages(value: str) -> None:
    """A serde that gets any value, as an object or as bytes, with or without a context, raises only
    documented errors."""
    with registry() as client:
        serdes: list[Callable[..., Any]] = [
            AvroSerializer(client, '{"type": "map", "values": "bytes"}'),
            AvroDeserializer(client),
            JSONSerializer("{}", client),
            JSONDeserializer("{}"),
            ProtobufSerializer(Timestamp, client),
            ProtobufDeserializer(Timestamp),
            StringSerializer(),
            StringDeserializer(),
            IntegerSerializer(),
            IntegerDeserializer(),
            DoubleSerializer(),
            DoubleDeserializer(),
        ]
        for serde in serdes:
            for context in (None, VALUE):
                attempt(lambda serde=serde, context=context: serde(VALUES[value], context))  # type: ignore[misc]


METHODS = [
    name
    for name, method in vars(SchemaRegistryClient).items()
    if inspect.isfunction(method) and not name.startswith("_") and name != "close"
]
ARGUMENTS: dict[str, Any] = {
    "subject_name": "s",
    "schema": INT,
    "schema_id": 1,
    "guid": "89791762-2336-4186-9674-299b90a802e2",
    "version": 1,
    "metadata": {},
    "mode": "READWRITE",
    "level": "FULL",
    "resource_name": "t",
    "resource_namespace": "-",
    "resource_id": "i",
}


@pytest.mark.parametrize("name", METHODS)
def test_arguments_of_the_client(name: str) -> None:
    """Each argument of each method is replaced in turn.

    The methods raise only documented errors.
    """
    parameters = list(inspect.signature(getattr(SchemaRegistryClient, name)).parameters)[1:]
    good = {one: ARGUMENTS[one] for one in parameters if one in ARGUMENTS}
    for parameter in parameters:
        for value in VALUES.values():
            with registry() as client:
                method = getattr(client, name)
                attempt(lambda: method(**good | {parameter: value}))  # noqa: B023


NESTED = """
{"type": "record", "name": "R", "fields": [
  {"name": "a", "type": {"type": "array", "items": "string"}},
  {"name": "m", "type": {"type": "map", "values": ["null", "long", "R"]}},
  {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["X", "Y"]}},
  {"name": "f", "type": {"type": "fixed", "name": "F", "size": 3}},
  {"name": "d", "type": {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}},
  {"name": "t", "type": {"type": "long", "logicalType": "timestamp-micros"}},
  {"name": "y", "type": {"type": "int", "logicalType": "date"}},
  {"name": "u", "type": {"type": "string", "logicalType": "uuid"}},
  {"name": "r", "type": ["null", "R"]}
]}
"""


def spoilt(message: bytes, random: Random) -> bytes:
    """The message, in which some bytes after the id are changed, removed or added."""
    data = bytearray(message)
    for _ in range(random.randint(1, 4)):
        place = random.randint(5, len(data))
        match random.randint(0, 2):
            case 0:
                data[place:] = b""
            case 1:
                data[place : place + 1] = random.randbytes(random.randint(1, 10))
            case 2:
                data[place:place] = random.choice((b"\xff" * 9 + b"\1", b"\x80", b"\0"))
    return bytes(data)


def test_spoilt_messages() -> None:
    """Any bytes after an id are soon decoded to an object, or raise SerializationError."""
    row: dict[str, Any] = {
        "a": ["x", "yy"],
        "m": {"k": 5, "n": None},
        "e": "Y",
        "f": b"123",
        "d": Decimal("1.25"),
        "t": datetime(2026, 1, 1, tzinfo=UTC),
        "y": date(2026, 1, 1),
        "u": UUID(int=5),
        "r": None,
    }
    random = Random(7)
    with registry() as client:
        client.set_compatibility(level="NONE")
        for serialize, deserialize, obj in (
            (AvroSerializer(client, NESTED), AvroDeserializer(client), {**row, "r": row}),
            (JSONSerializer("{}", client), JSONDeserializer("{}"), {"a": [1, "x", None]}),
            (ProtobufSerializer(Api, client), ProtobufDeserializer(Api), Api(name="x")),
        ):
            message = serialize(obj, VALUE)
            assert message is not None
            for _ in range(3000):
                with contextlib.suppress(SerializationError):
                    deserialize(spoilt(message, random), VALUE)
