"""Protobuf with a schema registry."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("google.protobuf", reason="protobuf is not installed")

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.api_pb2 import Api, Mixin
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
from google.protobuf.struct_pb2 import ListValue, Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import (
    AsyncSchemaRegistryClient,
    Schema,
    SchemaRegistryClient,
    SchemaRegistryError,
    header_schema_id_serializer,
)
from confluent_kafka.schema_registry.protobuf import (
    AsyncProtobufDeserializer,
    AsyncProtobufDeserializerBuilder,
    AsyncProtobufSerializer,
    AsyncProtobufSerializerBuilder,
    ProtobufDeserializer,
    ProtobufDeserializerBuilder,
    ProtobufSerializer,
    ProtobufSerializerBuilder,
    decimal_to_protobuf,
    get_inline_tags,
    get_type,
    is_map_field,
    protobuf_to_decimal,
)
from confluent_kafka.serialization import MessageField, SerializationContext

VALUE = SerializationContext("t", MessageField.VALUE)
NOON = Timestamp(seconds=5)
# Field 1 as a varint, as Protobuf's specification of the encoding defines it.
NOON_BYTES = b"\x08\x05"


@pytest.fixture
def client() -> Iterator[SchemaRegistryClient]:
    """A client of a registry in memory."""
    with SchemaRegistryClient({"url": "mock://"}) as one:
        yield one


def test_the_bytes_of_a_message(client: SchemaRegistryClient) -> None:
    """A message is a zero byte, the id in four bytes, the message indexes, and the Protobuf
    payload."""
    serialize = ProtobufSerializer(Timestamp, client)
    message = serialize(NOON, VALUE)
    assert message == b"\0\0\0\0\1" + b"\0" + NOON_BYTES
    assert serialize(None, VALUE) is None
    for registry in (None, client):
        deserialize = ProtobufDeserializer(Timestamp, None, registry)
        assert deserialize(message, VALUE) == deserialize(message, VALUE) == NOON
        assert deserialize(None, VALUE) is None
    schema = client.get_latest_version("t-value").schema
    assert schema.schema_type == "PROTOBUF"
    file = FileDescriptorProto.FromString(base64.b64decode(schema.schema_str))
    assert [one.name for one in file.message_type] == ["Timestamp"]


@pytest.mark.parametrize(
    ("message", "indexes"),
    [
        (Struct(), b"\0"),
        (Value(number_value=1), b"\x02\x02"),
        (ListValue(values=[Value(null_value=0)]), b"\x02\x04"),
        (DescriptorProto.ExtensionRange(start=7), b"\x04\x04\x00"),
    ],
)
def test_messages_behind_the_first(
    client: SchemaRegistryClient, message: Any, indexes: bytes
) -> None:
    """The path to a message consists of the number of steps and the index of each step, as zigzag
    varints."""
    data = ProtobufSerializer(type(message), client)(message, VALUE)
    assert data is not None
    assert data[5 : 5 + len(indexes)] == indexes
    deserialize = ProtobufDeserializer(type(message))
    assert deserialize(data, VALUE) == deserialize(data, VALUE) == message


def test_the_awaiting_classes() -> None:
    """The awaiting serdes, and the serdes that builders create, write and read the same bytes."""
    conf = {"url": "mock://protobuf"}

    async def main() -> None:
        async with AsyncSchemaRegistryClient(conf) as client:
            message = await (await AsyncProtobufSerializer(Timestamp, client))(NOON, VALUE)
            assert message is not None
            assert message[5:] == b"\0" + NOON_BYTES
            deserialize = await AsyncProtobufDeserializer(Timestamp)
            assert await deserialize(message, VALUE) == NOON
            writing, _ = AsyncProtobufSerializerBuilder(conf, None, Timestamp).build({}, True)
            reading, _ = AsyncProtobufDeserializerBuilder(conf, client, Timestamp).build({}, True)
            assert await reading(await writing(NOON, VALUE), VALUE) == NOON

    asyncio.run(main())


def test_a_reader_that_is_built_without_a_registry() -> None:
    """A reader needs only the class of the message, and no registry."""
    with SchemaRegistryClient({"url": "mock://"}) as client:
        message = ProtobufSerializer(Timestamp, client)(Timestamp(seconds=7), VALUE)
    deserialize, _ = ProtobufDeserializerBuilder(message_type=Timestamp).build({}, False)
    assert deserialize(message, VALUE) == Timestamp(seconds=7)


def test_imported_files(client: SchemaRegistryClient) -> None:
    """Imported files are registered first, each file once.

    Files that every registry has are not registered.
    """
    ProtobufSerializer(Api, client)(Api(name="x"), SerializationContext("a", MessageField.KEY))
    assert client.get_subjects() == ["a-key"]
    conf = {"skip.known.types": False}
    message = ProtobufSerializer(Api, client, conf)(Api(name="x"), VALUE)
    latest = client.get_latest_version("t-value")
    names = {one.name: one.subject for one in latest.schema.references}
    wanted = {"google/protobuf/source_context.proto", "google/protobuf/type.proto"}
    assert set(names) == wanted
    assert set(names.values()) == wanted
    assert "google/protobuf/any.proto" in client.get_subjects()
    assert ProtobufDeserializer(Api, None, client)(message, VALUE) == Api(name="x")
    named = {
        **conf,
        "reference.subject.name.strategy": lambda ctx, file: f"{ctx.topic}.{file.name}",
    }
    ProtobufSerializer(Api, client, named)(Api(), SerializationContext("u", MessageField.VALUE))
    assert "u.google/protobuf/type.proto" in client.get_subjects()
    lookup = {**conf, "auto.register.schemas": False}
    assert ProtobufSerializer(Api, client, lookup)(Api(name="x"), VALUE) == message
    with pytest.raises(SchemaRegistryError, match="not found"):
        ProtobufSerializer(Api, SchemaRegistryClient({"url": "mock://"}), lookup)(Api(), VALUE)


def test_objects_that_do_not_fit(client: SchemaRegistryClient) -> None:
    """A message of another type, or an object that is not a message, raises an error that names the
    type."""
    serialize = ProtobufSerializer(Timestamp, client)
    with pytest.raises(SerializationError, match=r"google\.protobuf\.Timestamp, not a .*Mixin"):
        serialize(Mixin(), VALUE)
    with pytest.raises(SerializationError, match="not a dict"):
        serialize({}, VALUE)


def test_corrupt_messages(client: SchemaRegistryClient) -> None:
    """A wrong magic byte, wrong message indexes and a cut message raise errors of this package."""
    message = ProtobufSerializer(ListValue, client)(
        ListValue(values=[Value(string_value="text")]), VALUE
    )
    assert message is not None
    deserialize = ProtobufDeserializer(ListValue)
    deserialize(message, VALUE)
    with pytest.raises(SerializationError, match="magic byte"):
        deserialize(b"\3" + message[1:], VALUE)
    for data in (message[:5], message[:6], message[:5] + b"\xff" * 12, message[:5] + b"\1"):
        with pytest.raises(SerializationError, match="no message index"):
            deserialize(data, VALUE)
    with pytest.raises(SerializationError, match=r"google\.protobuf\.ListValue"):
        deserialize(message[:-1], VALUE)
    with pytest.raises(SchemaRegistryError, match="40403"):
        ProtobufDeserializer(ListValue, None, client)(b"\0\0\0\0\x09\0", VALUE)
    client.register_schema("a", Schema('"int"'))
    with pytest.raises(SerializationError, match="schema 2 is AVRO, not PROTOBUF"):
        ProtobufDeserializer(ListValue, None, client)(b"\0\0\0\0\2\0", VALUE)


def test_ids_in_headers(client: SchemaRegistryClient) -> None:
    """The path to the message is in the header with the GUID."""
    conf = {"schema.id.serializer": header_schema_id_serializer}
    headers: list[tuple[str, bytes]] = []
    context = SerializationContext("t", MessageField.VALUE, headers)
    value = Value(number_value=1)
    message = ProtobufSerializer(Value, client, conf)(value, context)
    assert message == value.SerializeToString()
    assert headers[0][1][17:] == b"\x02\x02"
    deserialize = ProtobufDeserializer(Value, None, client)
    assert deserialize(message, context) == deserialize(message, context) == value
    framed = headers[0][1] + (message or b"")
    assert deserialize(framed, VALUE) == deserialize(framed, VALUE) == value


def test_the_latest_version(client: SchemaRegistryClient) -> None:
    """The message gets the id of the subject's latest version. Its class stays the same."""
    text = "syntax = 'proto3'; message Timestamp { int64 seconds = 1; }"
    client.register_schema("t-value", Schema(text, "PROTOBUF"))
    conf = {"auto.register.schemas": False, "use.latest.version": True}
    assert ProtobufSerializer(Timestamp, client, conf)(NOON, VALUE) == b"\0\0\0\0\1\0" + NOON_BYTES


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda c: ProtobufSerializer(None, c), TypeError, "msg_type must be a class of Protobuf"),
        (lambda c: ProtobufSerializer(NOON, c), TypeError, "msg_type must be a class"),
        (lambda c: ProtobufSerializer(int, c), TypeError, "not int"),
        (lambda c: ProtobufSerializer(Timestamp, None), TypeError, "must not be None"),
        (
            lambda c: ProtobufSerializer(Timestamp, c, {"skip.known.type": True}),
            ValueError,
            "mean 'skip.known.types'",
        ),
        (
            lambda c: ProtobufSerializer(Timestamp, c, {"use.deprecated.format": True}),
            ValueError,
            "must be False",
        ),
        (
            lambda c: ProtobufSerializer(Timestamp, c, {"reference.subject.name.strategy": 5}),
            ValueError,
            "must be callable",
        ),
        (lambda c: ProtobufDeserializer("x"), TypeError, "message_type must be a class"),
        (
            lambda c: ProtobufDeserializer(Timestamp, {"use.latest.version": True}),
            ValueError,
            "needs a schema_registry_client",
        ),
    ],
)
def test_wrong_arguments(
    client: SchemaRegistryClient, make: Callable[[Any], Any], error: type[Exception], said: str
) -> None:
    """The error names the argument, the given value and the allowed values."""
    with pytest.raises(error, match=said):
        make(client)


def test_builders(client: SchemaRegistryClient) -> None:
    """Builders accept everything that the classes accept."""
    made: list[Any] = []
    writer = ProtobufSerializerBuilder(schema_registry_client=client).set_message_type(Timestamp)
    writer.set_serializer_config({"skip.known.types": True}).set_serializer_init(made.append)
    serialize, _ = writer.build({}, False)
    reader = ProtobufDeserializerBuilder(schema_registry_client=client).set_message_type(Timestamp)
    reader.set_deserializer_config({}).set_deserializer_init(made.append)
    deserialize, _ = reader.build({}, False)
    assert made == [serialize, deserialize]
    assert deserialize(serialize(NOON, VALUE), VALUE) == NOON


@pytest.mark.parametrize(
    ("number", "scale", "data", "precision"),
    [
        ("1.5", 1, b"\x0f", 2),
        ("-0.01", 2, b"\xff", 1),
        ("127", 0, b"\x7f", 3),
        ("128", 0, b"\x00\x80", 3),
        ("-128", 0, b"\x80", 3),
        ("-129", 0, b"\xff\x7f", 3),
        ("1E+3", 0, b"\x03\xe8", 4),
        ("1.5", 3, b"\x05\xdc", 4),
        ("0", 0, b"\0", 1),
        ("1234567890123456789012345678901234567890.5", 1, None, 41),
    ],
)
def test_decimals(number: str, scale: int, data: bytes | None, precision: int) -> None:
    """The unscaled value of a decimal is written as the shortest integer in two's complement."""
    message = decimal_to_protobuf(Decimal(number), scale)
    assert message.DESCRIPTOR.full_name == "confluent.type.Decimal"
    assert (message.precision, message.scale) == (precision, scale)
    if data is not None:
        assert message.value == data
    assert protobuf_to_decimal(message) == Decimal(number)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1.55"])
def test_decimals_that_do_not_fit(number: str) -> None:
    """A decimal that does not fit is refused, not rounded."""
    with pytest.raises(ValueError, match="value"):
        decimal_to_protobuf(Decimal(number), 1)


def test_kinds_of_fields() -> None:
    """Maps are distinguished from other lists of messages."""
    (fields,) = Struct.DESCRIPTOR.fields
    assert is_map_field(fields)
    assert get_type(fields) == "MAP"
    kinds = {one.name: str(get_type(one)) for one in Value.DESCRIPTOR.fields}
    assert kinds["null_value"] == "ENUM"
    assert kinds["number_value"] == "DOUBLE"
    assert kinds["list_value"] == "RECORD"


@pytest.mark.parametrize("compiled", [False, True], ids=["unknown option", "meta.proto compiled"])
def test_tags_of_fields(compiled: bool) -> None:
    """Tags are found whether or not the program has compiled the option."""
    pool = descriptor_pool.DescriptorPool()
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="tagged.proto", syntax="proto3")
    if compiled:
        pool.AddSerializedFile(descriptor_pb2.DESCRIPTOR.serialized_pb)
        meta = descriptor_pb2.FileDescriptorProto(name="confluent/meta.proto", package="confluent")
        meta.dependency.append("google/protobuf/descriptor.proto")
        meta.message_type.add(name="Meta").field.add(
            name="tags", number=3, type=field.TYPE_STRING, label=field.LABEL_REPEATED
        )
        meta.extension.add(
            name="field_meta",
            number=1088,
            type=field.TYPE_MESSAGE,
            type_name=".confluent.Meta",
            label=field.LABEL_OPTIONAL,
            extendee=".google.protobuf.FieldOptions",
        )
        pool.AddSerializedFile(meta.SerializeToString())
        file.dependency.append("confluent/meta.proto")
    message = file.message_type.add(name="Tagged")
    for number, name in enumerate(("tagged", "plain"), 1):
        message.field.add(
            name=name, number=number, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL
        )
    # Field 1088 is a message of eleven bytes with two fields 3: the texts "PII" and "SECR".
    message.field[0].options.MergeFromString(b"\x82\x44\x0b\x1a\x03PII\x1a\x04SECR")
    pool.AddSerializedFile(file.SerializeToString())
    fields = pool.FindMessageTypeByName("Tagged").fields_by_name
    assert get_inline_tags(fields["tagged"]) == {"PII", "SECR"}
    assert get_inline_tags(fields["plain"]) == set()
