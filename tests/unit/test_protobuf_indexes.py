"""Message indexes identify the message of a payload in its schema, and a payload of another message
is refused."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("google.protobuf", reason="protobuf is not installed")

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import (
    AsyncSchemaRegistryClient,
    Schema,
    SchemaRegistryClient,
    header_schema_id_serializer,
)
from confluent_kafka.schema_registry._protobuf_messages import indexes_of, messages_of, names_at
from confluent_kafka.schema_registry.protobuf import (
    AsyncProtobufDeserializer,
    AsyncProtobufSerializer,
    ProtobufDeserializer,
    ProtobufSerializer,
)
from confluent_kafka.serialization import MessageField, SerializationContext

VALUE = SerializationContext("t", MessageField.VALUE)
PAYLOAD = b"\x08\x05"


def file_of(*names: str, package: str = "p") -> FileDescriptorProto:
    """A file of messages. Each message contains a message Inner, and all have the same field."""
    file = FileDescriptorProto(name=f"{package}.{''.join(names)}.proto", package=package)
    for name in names:
        message = file.message_type.add(name=name)
        message.nested_type.add(name="Inner").field.add(name="n", number=1, type=3, label=1)
        message.field.add(name="n", number=1, type=3, label=1)
    return file


def classes(file: FileDescriptorProto) -> dict[str, Any]:
    """The classes of a file's messages, by their names without the package."""
    pool: Any = DescriptorPool()
    pool.Add(file)
    found = {}
    for message in file.message_type:
        for name in (message.name, f"{message.name}.Inner"):
            found[name] = GetMessageClass(pool.FindMessageTypeByName(f"{file.package}.{name}"))
    return found


TYPES = classes(file_of("A", "B"))
each_pair = pytest.mark.parametrize(
    ("written", "wanted"), [(one, other) for one in TYPES for other in TYPES]
)


@pytest.fixture
def client() -> Iterator[SchemaRegistryClient]:
    """A client of a registry in memory."""
    with SchemaRegistryClient({"url": "mock://"}) as one:
        yield one


@each_pair
@pytest.mark.parametrize("place", ["prefix", "header", "guid prefix", "no registry"])
def test_another_message_of_the_schema(
    client: SchemaRegistryClient, written: str, wanted: str, place: str
) -> None:
    """A payload of another message raises an error that names it, wherever the indexes are.

    A payload of the right message is read.
    """
    conf = {"schema.id.serializer": header_schema_id_serializer} if place != "prefix" else {}
    if place == "no registry":
        conf = {}
    headers: list[Any] = []
    context = SerializationContext("t", MessageField.VALUE, headers)
    data = ProtobufSerializer(TYPES[written], client, conf)(TYPES[written](n=5), context)
    assert data is not None
    if place == "guid prefix":
        data, context = headers[0][1] + data, VALUE
    registry = None if place == "no registry" else client
    read = ProtobufDeserializer(TYPES[wanted], None, registry)
    for _ in range(2):
        if written == wanted:
            assert read(data, context) == TYPES[wanted](n=5)
        else:
            with pytest.raises(
                SerializationError, match=rf"is of type {written}, not p\.{wanted}: its message"
            ):
                read(data, context)


def test_the_awaiting_classes() -> None:
    """The awaiting deserializer also refuses another message."""

    async def main() -> None:
        async with AsyncSchemaRegistryClient({"url": "mock://"}) as client:
            data = await AsyncProtobufSerializer(TYPES["B"], client)(TYPES["B"](n=5), VALUE)
            assert await AsyncProtobufDeserializer(TYPES["B"], None, client)(data, VALUE)
            with pytest.raises(SerializationError, match=r"is of type B, not p\.A"):
                await AsyncProtobufDeserializer(TYPES["A"], None, client)(data, VALUE)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("indexes", "said"),
    [
        (b"\x02\x10", "schema 1: message index 8 is out of range"),
        (b"\x04\x00\x02", "schema 1: message index 1 is out of range"),
        (b"\x06\x00\x00\x00", "schema 1: message index 0 is out of range"),
        (b"\x02\x01", "no message index"),
        (b"\x04\x00", "schema 1: message index 4 is out of range"),
    ],
)
def test_indexes_of_no_message(client: SchemaRegistryClient, indexes: bytes, said: str) -> None:
    """Message indexes that do not exist in the schema are refused, at each level."""
    ProtobufSerializer(TYPES["A"], client)(TYPES["A"](), VALUE)
    read = ProtobufDeserializer(TYPES["A"], None, client)
    for _ in range(2):
        with pytest.raises(SerializationError, match=said):
            read(b"\0\0\0\0\1" + indexes + PAYLOAD, VALUE)


def test_several_messages_of_one_topic(client: SchemaRegistryClient) -> None:
    """If each type has its own subject, a message of another schema is refused, too."""
    conf = {"subject.name.strategy.type": "TOPIC_RECORD"}
    other = classes(file_of("C", package="q"))["C"]
    data = ProtobufSerializer(other, client, conf)(other(n=5), VALUE)
    with pytest.raises(SerializationError, match=r"is of type C, not p\.A"):
        ProtobufDeserializer(TYPES["A"], None, client)(data, VALUE)


def test_packages_and_places_may_change(client: SchemaRegistryClient) -> None:
    """The message is found by its name in the writer's schema.

    Its package and its place may differ.
    """
    moved = classes(file_of("B", "A", package="q.r"))
    data = ProtobufSerializer(TYPES["A"], client)(TYPES["A"](n=5), VALUE)
    assert ProtobufDeserializer(moved["A"], None, client)(data, VALUE) == moved["A"](n=5)
    inner = ProtobufSerializer(TYPES["B.Inner"], client)(TYPES["B.Inner"](n=5), VALUE)
    read = ProtobufDeserializer(moved["B.Inner"], None, client)
    assert read(inner, VALUE) == moved["B.Inner"](n=5)


TEXT = """
syntax = "proto2"; // message Comment { }
package other;
/* message Comment { } */
import "x{.proto";
option (note) = { text: "message Quoted {" };
enum E { message = 0; }
message B {
  optional string message = 1 [default = "}"];
  map<string, int32> by_name = 2;
  oneof choice { int32 n = 3; group Grouped = 4 { message Deep { } } }
  reserved 5 to 9;
  message Inner { optional int64 n = 1; }
}
message A { optional int64 n = 1; }
service S { rpc Call (A) returns (B) { option deprecated = true; } }
"""


def test_names_of_a_text() -> None:
    """The parser skips comments, texts and other parts with braces.

    Each map has an entry message.
    """
    messages = messages_of(TEXT)
    assert [one.name for one in messages] == ["B", "A"]
    assert [one.name for one in messages[0].messages] == ["ByNameEntry", "Grouped", "Inner"]
    assert names_at(messages, [1]) == ["A", "A"]
    # Some writers do not count the entries of maps.
    assert names_at(messages, [0, 1]) == ["B.Grouped", "B.Inner"]
    assert names_at(messages, [0, 2]) == ["B.Inner"]
    assert names_at(messages, [0, 1, 0]) == ["B.Grouped.Deep"]
    assert indexes_of(messages, "B.Inner") == [0, 2]
    assert indexes_of(messages, "B.A") is None
    with pytest.raises(LookupError, match="message index 2"):
        names_at(messages, [2])
    assert messages_of("") == []


def shape(message: Any) -> Any:
    """The names within a message, and the numbers of its fields.

    Fields of map entries are left out, because only compilers have them.
    """
    numbers = [(one.number, one.name) for one in message.fields if not message.is_entry]
    return message.name, message.is_entry, numbers, list(map(shape, message.messages))


def test_texts_are_as_compilers_read_them() -> None:
    """The names and their places are the same as in the compiler's own descriptor."""
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    from confluent_kafka.columns._protobuf_registered import compile_registered

    text = TEXT.replace('import "x{.proto";', "").replace("option (note)", "// option (note)")
    compiled = compile_registered(Schema(text, "PROTOBUF"), None)
    described = base64.b64encode(compiled.files.file[-1].SerializeToString()).decode()
    assert [shape(one) for one in messages_of(described)] == [
        shape(one) for one in messages_of(text)
    ]


def test_texts_of_a_registry(client: SchemaRegistryClient) -> None:
    """Readers find the message of a payload in the text of a registered schema."""
    client.register_schema("t-value", Schema(TEXT, "PROTOBUF"))
    for frame, wanted in ((b"\x02\x02", "A"), (b"\0", "B"), (b"\x04\0\x04", "B.Inner")):
        data = b"\0\0\0\0\1" + frame + PAYLOAD
        for name, kind in TYPES.items():
            read = ProtobufDeserializer(kind, None, client)
            if name == wanted:
                assert read(data, VALUE) == kind(n=5)
            else:
                with pytest.raises(SerializationError, match=rf"not p\.{name}:"):
                    read(data, VALUE)


@pytest.mark.parametrize("conf", [{"use.latest.version": True}, {"use.schema.id": 1}])
def test_writers_of_a_registered_schema(client: SchemaRegistryClient, conf: dict[str, Any]) -> None:
    """Writers with a registered schema write the indexes of the message in that schema, even if its
    place differs."""
    client.register_schema("t-value", Schema(TEXT, "PROTOBUF"))
    conf = {"auto.register.schemas": False, **conf}
    data = ProtobufSerializer(TYPES["A"], client, conf)(TYPES["A"](n=5), VALUE)
    assert data == b"\0\0\0\0\1\x02\x02" + PAYLOAD
    assert ProtobufDeserializer(TYPES["A"], None, client)(data, VALUE) == TYPES["A"](n=5)
    with pytest.raises(SerializationError, match=r"has no message p\.A\.Inner, only B, A"):
        ProtobufSerializer(TYPES["A.Inner"], client, conf)(TYPES["A.Inner"](), VALUE)


@each_pair
def test_columns(client: SchemaRegistryClient, written: str, wanted: str) -> None:
    """For columns of a class, a payload of another message is a bad row, with an id before the
    payload or in a header."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from confluent_kafka.columns import ProtobufColumns

    columns = ProtobufColumns(client, TYPES[wanted])
    for conf in ({}, {"schema.id.serializer": header_schema_id_serializer}):
        headers: list[Any] = []
        context = SerializationContext("t", MessageField.VALUE, headers)
        data = ProtobufSerializer(TYPES[written], client, conf)(TYPES[written](n=5), context)
        entry = pa.struct([("key", pa.string()), ("value", pa.binary())])
        of_rows = pa.array([[{"key": k, "value": v} for k, v in headers]], pa.list_(entry))
        rows = columns.decode(pa.array([data]), of_rows)
        found = [row and row["n"] for row in pa.array(rows).to_pylist()]
        assert found == ([5] if written == wanted else [None])
        assert len(rows.errors) == (written != wanted)


def test_columns_of_other_schemas(client: SchemaRegistryClient) -> None:
    """A payload whose schema does not have the message is a bad row.

    Rows are written with the indexes of the schema.
    """
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from confluent_kafka.columns import ProtobufColumns

    other = classes(file_of("C", package="q"))["C"]
    data = ProtobufSerializer(other, client)(other(n=5), SerializationContext("c", VALUE.field))
    rows = ProtobufColumns(client, TYPES["A"]).decode(pa.array([data]))
    assert [error.reason for error in rows.errors] == ["schema 1: the schema has no message p.A"]
    client.register_schema("t-value", Schema(TEXT, "PROTOBUF"))
    columns = ProtobufColumns(client, TYPES["A"], subject="t-value")
    [payload] = pa.array(columns.encode(pa.record_batch({"n": pa.array([5])}))).to_pylist()
    assert payload == b"\0\0\0\0\2\x02\x02" + PAYLOAD
    assert ProtobufDeserializer(TYPES["A"], None, client)(payload, VALUE) == TYPES["A"](n=5)
