"""JSON with a schema registry."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("jsonschema", reason="jsonschema is not installed")

from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import (
    AsyncSchemaRegistryClient,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
    header_schema_id_serializer,
)
from confluent_kafka.schema_registry.error import SchemaParseException
from confluent_kafka.schema_registry.json_schema import (
    AsyncJSONDeserializer,
    AsyncJSONDeserializerBuilder,
    AsyncJSONSerializer,
    AsyncJSONSerializerBuilder,
    JSONDeserializer,
    JSONDeserializerBuilder,
    JSONSerializer,
    JSONSerializerBuilder,
    get_inline_tags,
    get_type,
)
from confluent_kafka.serialization import MessageField, SerializationContext

USER = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "User",
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"items": {"type": "integer"}}},
    "required": ["name"],
}
TEXT = json.dumps(USER)
ADA = {"name": "Ada", "tags": [1]}
VALUE = SerializationContext("t", MessageField.VALUE)


@pytest.fixture
def client() -> Iterator[SchemaRegistryClient]:
    """A client of a registry in memory."""
    with SchemaRegistryClient({"url": "mock://"}) as one:
        yield one


def test_the_bytes_of_a_message(client: SchemaRegistryClient) -> None:
    """A message is a zero byte, the id in four bytes and JSON. None stays None."""
    serialize = JSONSerializer(TEXT, client)
    message = serialize(ADA, VALUE)
    assert message is not None
    assert message[:5] == b"\0\0\0\0\1"
    assert json.loads(message[5:]) == ADA
    assert serialize(None, VALUE) is None
    for deserialize in (
        JSONDeserializer(TEXT),
        JSONDeserializer(None, schema_registry_client=client),
        JSONDeserializer(TEXT, schema_registry_client=client),
        JSONDeserializer(None, None, client, {"use.latest.version": True}),
    ):
        assert deserialize(message, VALUE) == deserialize(message, VALUE) == ADA
        assert deserialize(None, VALUE) is None
    assert client.get_latest_version("t-value").schema.schema_type == "JSON"


def test_the_awaiting_classes() -> None:
    """The awaiting serdes, and the serdes that builders create, write and read the same bytes."""
    conf = {"url": "mock://json"}

    async def main() -> None:
        async with AsyncSchemaRegistryClient(conf) as client:
            serialize = await AsyncJSONSerializer(TEXT, client)
            message = await serialize(ADA, VALUE)
            deserialize = await AsyncJSONDeserializer(None, schema_registry_client=client)
            assert await deserialize(message, VALUE) == ADA
            writing, _ = AsyncJSONSerializerBuilder(conf, schema=TEXT).build({}, True)
            reading, _ = AsyncJSONDeserializerBuilder(conf, client, TEXT).build({}, True)
            assert await reading(await writing(ADA, VALUE), VALUE) == ADA

    asyncio.run(main())


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        ({"name": 5}, r"\(User\): name: 5 is not of type 'string'"),
        ({"name": "x", "tags": [1, "y"]}, r"\(User\): tags/1: 'y' is not of type 'integer'"),
        ({}, r"\(User\): the whole: 'name' is a required property"),
        (5, r"\(User\): the whole: 5 is not of type 'object'"),
    ],
)
def test_objects_that_do_not_fit(client: SchemaRegistryClient, obj: Any, said: str) -> None:
    """The error names the schema, its subject and the field, in both directions."""
    with pytest.raises(SerializationError, match="subject 't-value' " + said):
        JSONSerializer(TEXT, client)(obj, VALUE)
    loose = JSONSerializer(TEXT, client, conf={"validate": False})
    message = loose(obj, VALUE)
    with pytest.raises(SerializationError, match=said):
        JSONDeserializer(TEXT)(message, VALUE)
    unchecked = JSONDeserializer(TEXT, conf={"validate": False})
    assert unchecked(message, VALUE) == obj


def test_what_is_no_json(client: SchemaRegistryClient) -> None:
    """An object that JSON cannot represent, and bytes that are not JSON, raise errors of this
    package."""
    serialize = JSONSerializer(TEXT, client)
    with pytest.raises(SerializationError, match=r"\(User\)"):
        serialize({"name": "x", "more": object()}, VALUE)
    message = serialize(ADA, VALUE)
    assert message is not None
    for data in (message[:-1], message[:5], message[:5] + b"\xff"):
        with pytest.raises(SerializationError, match="is not JSON"):
            JSONDeserializer(TEXT)(data, VALUE)
    with pytest.raises(SerializationError, match="magic byte"):
        JSONDeserializer(TEXT)(b"{}", VALUE)
    with pytest.raises(SchemaRegistryError, match="40403"):
        JSONDeserializer(TEXT, schema_registry_client=client)(b"\0\0\0\0\x09{}", VALUE)


def test_conversions(client: SchemaRegistryClient) -> None:
    """Programs can convert objects, and use their own JSON encoders and decoders."""
    serialize = JSONSerializer(
        TEXT,
        client,
        to_dict=lambda name, _: {"name": name},
        json_encode=lambda obj: json.dumps(obj, indent=1),
    )
    message = serialize("Ada", VALUE)
    assert message is not None
    assert b"\n" in message
    deserialize = JSONDeserializer(
        TEXT,
        from_dict=lambda found, ctx: (found["name"], ctx),
        json_decode=lambda data: json.loads(data.decode().upper().replace("NAME", "name")),
    )
    assert deserialize(message, VALUE) == ("ADA", VALUE)


def test_references(client: SchemaRegistryClient) -> None:
    """Definitions of other subjects are found by the names in the schema's references."""
    client.register_schema("age", Schema('{"type": "integer", "minimum": 0}', "JSON"))
    inner = json.dumps({"title": "P", "properties": {"age": {"$ref": "age.json"}}})
    age = SchemaReference("age.json", "age", 1)
    client.register_schema("person", Schema(inner, "JSON", [age]))
    outer = json.dumps({"title": "Team", "items": {"$ref": "person.json"}})
    schema = Schema(outer, "JSON", [SchemaReference("person.json", "person", 1)])
    serialize = JSONSerializer(schema, client)
    message = serialize([{"age": 5}], VALUE)
    deserialize = JSONDeserializer(None, schema_registry_client=client)
    assert deserialize(message, VALUE) == [{"age": 5}]
    with pytest.raises(SerializationError, match="0/age: -1 is less than the minimum"):
        serialize([{"age": -1}], VALUE)
    lost = Schema(outer, "JSON")
    with pytest.raises(SerializationError, match=r"person\.json"):
        JSONSerializer(lost, client)([{"age": 5}], SerializationContext("u", MessageField.VALUE))
    with pytest.raises(ValueError, match="needs a schema_registry_client"):
        JSONDeserializer(schema)


def test_one_subject_by_two_names(client: SchemaRegistryClient) -> None:
    """A schema and a schema that it refers to may each have their own name for the same subject."""
    client.register_schema("age", Schema('{"type": "integer", "minimum": 0}', "JSON"))
    inner = json.dumps({"title": "P", "properties": {"age": {"$ref": "inner.json"}}})
    inner_age = SchemaReference("inner.json", "age", 1)
    client.register_schema("person", Schema(inner, "JSON", [inner_age]))
    properties = {"least": {"$ref": "outer.json"}, "captain": {"$ref": "person.json"}}
    references = [
        SchemaReference("outer.json", "age", 1),
        SchemaReference("person.json", "person", 1),
    ]
    schema = Schema(json.dumps({"title": "Team", "properties": properties}), "JSON", references)
    serialize = JSONSerializer(schema, client)
    assert serialize({"least": 3, "captain": {"age": 5}}, VALUE) is not None
    for wrong in ({"least": -1}, {"captain": {"age": -1}}):
        with pytest.raises(SerializationError, match="-1 is less than the minimum"):
            serialize(wrong, VALUE)


def test_ids_in_headers(client: SchemaRegistryClient) -> None:
    """With the id in a header, the payload is plain JSON."""
    conf = {"schema.id.serializer": header_schema_id_serializer}
    context = SerializationContext("t", MessageField.KEY, [])
    message = JSONSerializer(TEXT, client, conf=conf)(ADA, context)
    assert message is not None
    assert json.loads(message) == ADA
    assert JSONDeserializer(None, None, client)(message, context) == ADA


@pytest.mark.parametrize("schema", ["{", '{"type": "nope"}', "5", '"text"', '{"required": 5}'])
def test_schemas_that_are_none(client: SchemaRegistryClient, schema: str) -> None:
    """The constructor refuses a wrong schema. The error names the place in the schema."""
    for make in (lambda: JSONSerializer(schema, client), lambda: JSONDeserializer(schema)):
        with pytest.raises(SchemaParseException, match="schema_str is not"):
            make()


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda c: JSONSerializer(TEXT, None), TypeError, "must not be None"),
        (lambda c: JSONSerializer(5, c), TypeError, "schema_str must be a str or a Schema"),
        (lambda c: JSONSerializer(TEXT, c, 5), ValueError, "to_dict must be callable"),
        (lambda c: JSONSerializer(TEXT, c, json_encode=5), ValueError, "json_encode"),
        (lambda c: JSONSerializer(TEXT, c, conf={"validat": 1}), ValueError, "mean 'validate'"),
        (lambda c: JSONDeserializer(None), ValueError, "schema_registry_client is required"),
        (lambda c: JSONDeserializer(TEXT, 5), ValueError, "from_dict must be callable"),
        (lambda c: JSONDeserializer(TEXT, json_decode=5), ValueError, "json_decode"),
        (lambda c: JSONDeserializer(TEXT, schema_registry_client=5), TypeError, "not int"),
    ],
)
def test_wrong_arguments(
    client: SchemaRegistryClient, make: Callable[[Any], Any], error: type[Exception], said: str
) -> None:
    """The error names the argument, its value, and the allowed values."""
    with pytest.raises(error, match=said):
        make(client)


def test_builders(client: SchemaRegistryClient) -> None:
    """Builders accept everything that the classes accept."""
    writer = JSONSerializerBuilder(schema_registry_client=client).set_schema(TEXT)
    writer.set_to_dict(lambda name, _: {"name": name}).set_json_encode(json.dumps)
    writer.set_serializer_config({"normalize.schemas": True})
    serialize, _ = writer.build({}, False)
    reader = JSONDeserializerBuilder(schema_registry_client=client).set_schema(TEXT)
    reader.set_from_dict(lambda found, _: found["name"]).set_json_decode(json.loads)
    deserialize, _ = reader.set_deserializer_config({"validate": False}).build({}, False)
    assert deserialize(serialize("Ada", VALUE), VALUE) == "Ada"


def test_a_reader_that_is_built_without_a_registry(client: SchemaRegistryClient) -> None:
    """A reader needs either its own schema or a registry."""
    made: list[Any] = []
    reader = JSONDeserializerBuilder(schema=TEXT, deserializer_init=made.append)
    deserialize, _ = reader.build({}, False)
    message = JSONSerializer(TEXT, client)(ADA, VALUE)
    assert (made, deserialize(message, VALUE)) == ([deserialize], ADA)
    deserialize.close()

    async def main() -> None:
        awaiting, _ = AsyncJSONDeserializerBuilder(schema=TEXT).build({}, False)
        assert await awaiting(message, VALUE) == ADA

    asyncio.run(main())
    with pytest.raises(ValueError, match="schema_registry_client"):
        JSONDeserializerBuilder().build({}, False)
    with pytest.raises(ValueError, match="Missing required configuration property url"):
        JSONDeserializerBuilder({}, schema=TEXT).build({}, False)


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        (True, "COMBINED"),
        ({"enum": [1]}, "ENUM"),
        ({"type": "integer"}, "INT"),
        ({"type": "number"}, "DOUBLE"),
        ({"type": "object"}, "MAP"),
        ({"type": "object", "properties": {}}, "RECORD"),
        ({"type": ["string", "null"]}, "NULL"),
        ({}, "NULL"),
    ],
)
def test_kinds_of_schemas(schema: Any, kind: str) -> None:
    """get_type() returns the kind of a schema, and NULL if the schema leaves the kind open."""
    assert get_type(schema) == kind


def test_tags_of_schemas() -> None:
    """A schema without tags has none."""
    assert get_inline_tags({"confluent:tags": ["PII"]}) == {"PII"}
    assert get_inline_tags({}) == set()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("place", ["alone", "dict", "list", "dataclass"])
def test_numbers_that_json_does_not_have(
    client: SchemaRegistryClient, number: float, place: str
) -> None:
    """NaN and the infinities are refused, also with orjson, which would write null so that readers
    would not get the value."""
    made = dataclasses.make_dataclass("Made", ["number"])(number)
    obj = {"alone": number, "dict": {"a": number}, "list": [1, (number,)], "dataclass": made}[place]
    with pytest.raises(SerializationError):
        JSONSerializer('{"title": "T"}', client)({"none": None, "a": obj}, VALUE)
    assert JSONSerializer('{"title": "T"}', client)({"a": [None, 1.5]}, VALUE) is not None
