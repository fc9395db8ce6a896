"""Objects are sent through real brokers, with their schemas in a real registry."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")
pytest.importorskip("jsonschema", reason="jsonschema is not installed")
pytest.importorskip("google.protobuf", reason="protobuf is not installed")

from google.protobuf.api_pb2 import Api
from google.protobuf.struct_pb2 import Value

from confluent_kafka import DeserializingConsumer, SerializingProducer, TopicPartition
from confluent_kafka.error import ValueDeserializationError
from confluent_kafka.schema_registry import (
    AsyncSchemaRegistryClient,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from confluent_kafka.schema_registry.avro import (
    AsyncAvroDeserializer,
    AsyncAvroSerializer,
    AvroDeserializer,
    AvroSerializer,
)
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext, StringSerializer
from tests.integration.registry_process import running_apicurio
from tests.support.schema_pairs import PAIRS
from tests.support.waiting import TIMEOUT

if TYPE_CHECKING:
    from tests.integration.kafka_cluster import KafkaCluster

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

RECORD = {
    "type": "record",
    "name": "Flight",
    "namespace": "test",
    "fields": [{"name": "number", "type": "int"}],
}
TEXT = json.dumps(RECORD)


def with_field(**field: Any) -> Schema:
    """The record's schema with an additional field."""
    return Schema(json.dumps(RECORD | {"fields": [*RECORD["fields"], field]}))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a registry that runs for these tests."""
    with running_apicurio(tmp_path_factory.mktemp("registry")) as address:
        yield address


@pytest.fixture
def client(url: str) -> Iterator[SchemaRegistryClient]:
    """A client with an empty cache."""
    with SchemaRegistryClient({"url": url}) as one:
        yield one


@pytest.fixture
def subject() -> str:
    """A subject that no other test uses."""
    return f"subject-{uuid.uuid4().hex[:12]}"


def test_register_and_look_up(url: str, client: SchemaRegistryClient, subject: str) -> None:
    """A registered schema is found by id, by version, by content and among the subjects."""
    number = client.register_schema(subject, Schema(TEXT))
    with SchemaRegistryClient({"url": url}) as other:
        assert json.loads(other.get_schema(number, subject).schema_str) == RECORD
        latest = other.get_latest_version(subject)
        assert (latest.schema_id, latest.version, latest.subject) == (number, 1, subject)
        assert other.lookup_schema(subject, Schema(TEXT)).version == 1
        assert other.get_versions(subject) == [1]
        assert subject in other.get_subjects()
        places = other.get_schema_versions(number)
        assert (subject, 1) in [(one.subject, one.version) for one in places]
        assert set(other.get_schema_types()) == {"AVRO", "JSON", "PROTOBUF"}
        assert other.delete_subject(subject) == [1]
    for wrong, code in (
        (lambda: client.get_latest_version(subject + "x"), 40401),
        (lambda: client.get_version(subject + "x", 7), 40401),
        (lambda: client.get_schema(99_999), 40403),
        (lambda: client.register_schema(subject, Schema('{"type": "recor"}')), 42201),
    ):
        with pytest.raises(SchemaRegistryError) as raised:
            wrong()
        assert raised.value.error_code == code


def test_compatibility(client: SchemaRegistryClient, subject: str) -> None:
    """If readers could not read a version, the check and the registration refuse it."""
    client.register_schema(subject, Schema(TEXT))
    client.set_compatibility(subject, "BACKWARD")
    assert client.get_compatibility(subject) == "BACKWARD"
    assert client.get_config(subject).compatibility_level == "BACKWARD"
    worse = with_field(name="gate", type="string")
    better = with_field(name="gate", type="string", default="?")
    assert not client.test_compatibility(subject, worse)
    assert client.test_compatibility(subject, better)
    assert client.test_compatibility_all_versions(subject, better)
    with pytest.raises(SchemaRegistryError) as raised:
        client.register_schema(subject, worse)
    assert raised.value.http_status_code == 409
    client.register_schema(subject, better)
    assert client.get_versions(subject) == [1, 2]
    assert client.delete_config(subject).compatibility_level == "BACKWARD"


def through(
    kafka: KafkaCluster, topic: str, serializer: Any, deserializer: Any, objects: list[Any]
) -> list[Any]:
    """Produce objects and return what is consumed."""
    config = {"bootstrap.servers": kafka.bootstrap_servers}
    with SerializingProducer(
        {**config, "key.serializer": StringSerializer(), "value.serializer": serializer}
    ) as producer:
        for obj in objects:
            producer.produce(topic, key="k", value=obj)
        assert producer.flush(TIMEOUT) == 0
    consumer_config = {**config, "group.id": topic, "value.deserializer": deserializer}
    found = []
    with DeserializingConsumer(consumer_config) as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])
        for _ in objects:
            message = consumer.poll(TIMEOUT)
            assert message is not None
            found.append(message.value())
    return found


def test_avro_through_brokers(
    kafka: KafkaCluster, topic: str, url: str, client: SchemaRegistryClient, subject: str
) -> None:
    """A consumer without a schema reads records with a type that another subject contains."""
    client.register_schema(subject, Schema(TEXT))
    trip = {
        "type": "record",
        "name": "Trip",
        "fields": [{"name": "flights", "type": {"type": "array", "items": "test.Flight"}}],
    }
    reference = SchemaReference("test.Flight", subject, 1)
    schema = Schema(json.dumps(trip), references=[reference])
    objects = [{"flights": [{"number": one}]} for one in range(3)]
    serializer = AvroSerializer(client, schema)
    with SchemaRegistryClient({"url": url}) as other:
        found = through(kafka, topic, serializer, AvroDeserializer(other), objects)
    assert found == objects
    assert client.get_referenced_by(subject, 1) != []


def test_evolution_through_brokers(
    kafka: KafkaCluster, topic: str, client: SchemaRegistryClient
) -> None:
    """A consumer that uses the latest version reads old messages as records of that version."""
    client.register_schema(f"{topic}-value", Schema(TEXT))
    newer = with_field(name="gate", type="string", default="?")
    client.register_schema(f"{topic}-value", newer)
    deserializer = AvroDeserializer(client, conf={"use.latest.version": True})
    found = through(kafka, topic, AvroSerializer(client, TEXT), deserializer, [{"number": 1}])
    assert found == [{"number": 1, "gate": "?"}]


def test_json_through_brokers(
    kafka: KafkaCluster, topic: str, url: str, client: SchemaRegistryClient
) -> None:
    """Objects that fit their JSON Schema come back unchanged through brokers."""
    schema = '{"title": "T", "type": "object", "properties": {"a": {"type": "integer"}}}'
    objects = [{"a": one} for one in range(3)]
    with SchemaRegistryClient({"url": url}) as other:
        deserializer = JSONDeserializer(None, schema_registry_client=other)
        found = through(kafka, topic, JSONSerializer(schema, client), deserializer, objects)
    assert found == objects


@pytest.mark.parametrize("message", [Api(name="x"), Value(number_value=1)])
def test_protobuf_through_brokers(
    kafka: KafkaCluster, topic: str, url: str, client: SchemaRegistryClient, message: Any
) -> None:
    """Messages come back even if their files import other files or if they are not first in their
    file."""
    serializer = ProtobufSerializer(type(message), client, {"skip.known.types": False})
    with SchemaRegistryClient({"url": url}) as other:
        deserializer = ProtobufDeserializer(type(message), None, other)
        assert through(kafka, topic, serializer, deserializer, [message]) == [message]


def test_messages_of_others(kafka: KafkaCluster, topic: str, client: SchemaRegistryClient) -> None:
    """A message with text instead of Avro raises an error that contains the message."""
    with pytest.raises(ValueDeserializationError, match="magic byte") as raised:
        through(kafka, topic, StringSerializer(), AvroDeserializer(client), ["text"])
    message = raised.value.kafka_message
    assert message is not None
    assert (message.topic(), message.value()) == (topic, b"text")


def test_the_awaiting_client(url: str, subject: str) -> None:
    """The asyncio client sends the same requests, and its serializers return the same bytes."""

    async def main() -> None:
        async with AsyncSchemaRegistryClient({"url": url}) as client:
            await client.register_schema(subject, Schema(TEXT))
            assert (await client.get_latest_version(subject)).version == 1
            serialize = await AsyncAvroSerializer(client, TEXT)
            deserialize = await AsyncAvroDeserializer(client)
            context = SerializationContext(subject, MessageField.VALUE)
            message = await serialize({"number": 1}, context)
            assert await deserialize(message, context) == {"number": 1}

    asyncio.run(main())


# Cases that Apicurio's registry does not support, or decides by rules of its own.
_OTHER_RULES = frozenset(
    {
        "nothing",
        "any property of an open object",
        "a required name that is not a property",
        "a required property with a default",
        "a pattern of properties",
        "a nullable string",
        "an item of a tuple",
    }
)


@pytest.mark.parametrize("level", ["BACKWARD", "FORWARD", "FULL"])
@pytest.mark.parametrize("kind", ["AVRO", "JSON"])
def test_what_is_compatible(client: SchemaRegistryClient, kind: str, level: str) -> None:
    """The registry in memory and the real registry return the table's result for each pair."""

    def schema(text: str) -> Schema:
        document = json.loads(text)
        if kind == "JSON" and isinstance(document, dict):
            document = {"$schema": "http://json-schema.org/draft-07/schema#", **document}
        return Schema(json.dumps(document), kind)

    differences = []
    for pair in PAIRS:
        if pair.kind == kind and pair.what not in _OTHER_RULES:
            subject = f"subject-{uuid.uuid4().hex[:12]}"
            client.register_schema(subject, schema(pair.old))
            client.set_compatibility(subject, level)
            if client.test_compatibility(subject, schema(pair.new)) != pair.fits(level):
                differences.append(pair.what)
    assert differences == []
