"""AvroProducer and AvroConsumer of confluent_kafka.avro: records through a cluster."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.avro import (
    AvroConsumer,
    AvroProducer,
    CachedSchemaRegistryClient,
    ClientError,
    KeySerializerError,
    SerializerError,
    ValueSerializerError,
    loads,
)
from confluent_kafka.testing import MockCluster
from tests.support.schema_registry import FakeRegistry, Fault, running_registry
from tests.support.waiting import TIMEOUT

POINT = {"type": "record", "name": "Point", "fields": [{"name": "x", "type": "int"}]}
VALUE = loads(json.dumps(POINT))
NAMED = loads(
    json.dumps(
        POINT | {"fields": [*POINT["fields"], {"name": "n", "type": "string", "default": "?"}]}
    )
)
KEY = loads('"string"')
# The id of the first schema, and the number 5 in zigzag, as Avro's specification defines it.
FIVE = b"\0\0\0\0\1\x0a"


def deprecated() -> Any:
    """Expect the DeprecationWarning that the constructor of a client must give."""
    return pytest.warns(DeprecationWarning, match="is deprecated: use confluent_kafka")


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with running_registry() as running:
        yield running


Make = Callable[..., Any]


@pytest.fixture
def make_producer(kafka_cluster: MockCluster, registry: FakeRegistry) -> Iterator[Make]:
    """make_producer(more, **arguments): an AvroProducer of `kafka_cluster` and `registry`."""
    with contextlib.ExitStack() as clients:

        def make(more: dict[str, Any] | None = None, **arguments: Any) -> AvroProducer:
            config = {
                "bootstrap.servers": kafka_cluster.bootstrap_servers,
                "schema.registry.url": registry.url,
                "schema.registry.max.retries": 0,
            }
            with pytest.warns(DeprecationWarning, match="use confluent_kafka.SerializingProducer"):
                producer = AvroProducer(config | (more or {}), **arguments)
            clients.callback(producer.close, TIMEOUT)
            return producer

        yield make


@pytest.fixture
def make_consumer(
    kafka_cluster: MockCluster, kafka_topic: str, registry: FakeRegistry
) -> Iterator[Make]:
    """make_consumer(more, **arguments): an AvroConsumer at the beginning of `kafka_topic`."""
    with contextlib.ExitStack() as clients:

        def make(more: dict[str, Any] | None = None, **arguments: Any) -> AvroConsumer:
            config = {
                "bootstrap.servers": kafka_cluster.bootstrap_servers,
                "group.id": "g",
                "schema.registry.url": registry.url,
                "schema.registry.max.retries": 0,
            }
            with pytest.warns(DeprecationWarning, match="confluent_kafka.DeserializingConsumer"):
                consumer = AvroConsumer(config | (more or {}), **arguments)
            clients.callback(consumer.close)
            consumer.assign([TopicPartition(kafka_topic, 0, 0)])
            return consumer

        yield make


def send(cluster: MockCluster, topic: str, *values: bytes, key: bytes | None = None) -> None:
    """Produce bytes as they are."""
    with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
        for value in values:
            producer.produce(topic, value, key, partition=0)
        assert producer.flush(TIMEOUT) == 0


def test_records_come_back(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: Make, make_consumer: Make
) -> None:
    """Keys, values, headers and timestamps come back, from poll() and iteration; None stays
    None."""
    reports: list[tuple[KafkaError | None, Message]] = []
    producer = make_producer(default_key_schema=KEY, default_value_schema=VALUE)
    for value in ({"x": 5}, None):
        producer.produce(
            topic=kafka_topic,
            key="k",
            value=value,
            partition=0,
            timestamp=7,
            headers={"a": b"1"},
            on_delivery=lambda *report: reports.append(report),
        )
    producer.produce(topic=kafka_topic, value={"x": 5}, partition=0)
    assert producer.flush(TIMEOUT) == 0
    assert [error for error, _ in reports] == [None, None]
    consumer = make_consumer()
    first = consumer.poll(TIMEOUT)
    assert (first.key(), first.value(), first.headers()) == ("k", {"x": 5}, [("a", b"1")])
    assert first.timestamp()[1] == 7
    second, third = next(consumer), consumer.poll()
    assert (second.key(), second.value()) == ("k", None)
    assert (third.key(), third.value()) == (None, {"x": 5})
    assert consumer.poll(0) is None


def test_the_bytes_of_messages(
    kafka_topic: str, registry: FakeRegistry, make_producer: Make, make_consumer: Make
) -> None:
    """Other clients of a registry write the same bytes; consume() returns the bytes unchanged."""
    producer = make_producer()
    producer.produce(
        topic=kafka_topic, value={"x": 5}, value_schema=VALUE, key="k", key_schema=KEY, partition=0
    )
    assert producer.flush(TIMEOUT) == 0
    subjects = [request.partition("?")[0] for request in registry.requests]
    assert subjects == [f"/subjects/{kafka_topic}-{field}/versions" for field in ("value", "key")]
    [message] = make_consumer().consume(1, TIMEOUT)
    assert (message.key(), message.value()) == (b"\0\0\0\0\2\x02k", b"\0\0\0\0\1\x0a")


def test_readers_schemas(kafka_topic: str, make_producer: Make, make_consumer: Make) -> None:
    """A value is read with the reader's schema: fields that only the reader has get their
    defaults."""
    producer = make_producer(default_value_schema=VALUE, default_key_schema=VALUE)
    producer.produce(topic=kafka_topic, value={"x": 5}, key={"x": 6}, partition=0)
    assert producer.flush(TIMEOUT) == 0
    message = make_consumer(reader_value_schema=NAMED).poll(TIMEOUT)
    assert (message.key(), message.value()) == ({"x": 6}, {"x": 5, "n": "?"})
    other = make_consumer({"group.id": "h"}, reader_key_schema=NAMED).poll(TIMEOUT)
    assert (other.key(), other.value()) == ({"x": 6, "n": "?"}, {"x": 5})


def test_what_produce_refuses(
    kafka_topic: str, registry: FakeRegistry, make_producer: Make
) -> None:
    """Without a topic or a schema, nothing is registered or queued; the errors name what is
    missing."""
    producer = make_producer()
    with pytest.raises(ClientError, match="topic is missing"):
        producer.produce(value={"x": 5}, value_schema=VALUE)
    with pytest.raises(KeySerializerError, match="give key_schema, or default_key_schema"):
        producer.produce(topic=kafka_topic, key="", value={"x": 5}, value_schema=VALUE)
    with pytest.raises(ValueSerializerError, match="give value_schema, or default_value_schema"):
        producer.produce(topic=kafka_topic, value={})
    with pytest.raises(ValueSerializerError):  # produce() checks the value first
        producer.produce(topic=kafka_topic, value={}, key="")
    with pytest.raises(TypeError, match="topic must be the name of a topic, not 5"):
        producer.produce(topic=5, value={"x": 5}, value_schema=VALUE)
    with pytest.raises(TypeError, match="positional"):
        producer.produce(kafka_topic, {"x": 5})
    assert registry.requests == []
    with pytest.raises(ValueSerializerError, match=r"value: schema 1 \(Point\)"):
        producer.produce(topic=kafka_topic, value={"x": "five"}, value_schema=VALUE)
    assert len(producer) == 0


def test_messages_that_are_none(
    kafka_cluster: MockCluster, kafka_topic: str, registry: FakeRegistry, make_consumer: Make
) -> None:
    """An invalid message raises an error with its offset and the reason; the next call continues
    after it."""
    registry.register(f"{kafka_topic}-value", str(VALUE))
    send(kafka_cluster, kafka_topic, b"text of ours", b"\0\0\0\2\3\x0a", FIVE + b"!", b"", FIVE)
    send(kafka_cluster, kafka_topic, FIVE, key=b"plain")
    consumer = make_consumer()
    faults = (
        "12 bytes that begin with 74 65 78 74 20 are not a message",
        "the registry has no schema 515",
        "1 bytes after the end",
        "0 bytes are not a message",
    )
    for offset, fault in enumerate(faults):
        place = f"topic '{kafka_topic}', partition 0, offset {offset}: value: .*{fault}"
        with pytest.raises(ValueSerializerError, match=place):
            consumer.poll(TIMEOUT)
    assert consumer.poll(TIMEOUT).value() == {"x": 5}
    with pytest.raises(KeySerializerError, match=r"offset 5: key: 5 bytes"):
        next(consumer)


def test_a_registry_that_is_not_there(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    registry: FakeRegistry,
    make_producer: Make,
    make_consumer: Make,
) -> None:
    """Both clients raise ClientError and stay usable; the error contains the offset to seek to."""
    producer = make_producer({"schema.registry.url": "http://127.0.0.1:9"})
    with pytest.raises(ClientError) as raised:
        producer.produce(topic=kafka_topic, value={"x": 5}, value_schema=VALUE)
    assert raised.value.http_code is None
    registry.register(f"{kafka_topic}-value", str(VALUE))
    send(kafka_cluster, kafka_topic, FIVE)
    registry.faults.append(Fault(503, b'{"error_code": 50302, "message": "not now"}'))
    consumer = make_consumer()
    with pytest.raises(ClientError, match=r"partition 0, offset 0: .*not now") as refused:
        consumer.poll(TIMEOUT)
    assert refused.value.http_code == 503
    consumer.seek(TopicPartition(kafka_topic, 0, 0))
    assert consumer.poll(TIMEOUT).value() == {"x": 5}


def test_interrupted_in_the_registry(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: Make, registry: FakeRegistry
) -> None:
    """Ctrl-C during a request to the registry loses no message: the next call returns it."""
    registry.register("s", str(VALUE))
    send(kafka_cluster, kafka_topic, FIVE, FIVE)
    consumer = make_consumer()
    decode_message = consumer._serializer.decode_message
    interrupts = [KeyboardInterrupt, KeyboardInterrupt]

    def decode(*arguments: Any, **more: Any) -> Any:
        if interrupts:
            raise interrupts.pop()
        return decode_message(*arguments, **more)

    consumer._serializer.decode_message = decode
    with pytest.raises(KeyboardInterrupt):
        consumer.poll(TIMEOUT)
    with pytest.raises(KeyboardInterrupt):
        next(consumer)
    assert [consumer.poll(TIMEOUT).offset() for _ in range(2)] == [0, 1]


def test_errors_in_the_place_of_messages(kafka_topic: str, make_consumer: Make) -> None:
    """Events of the consumer, such as the end of a partition, are messages with error()."""
    message = make_consumer({"enable.partition.eof": True}).poll(TIMEOUT)
    assert message.error().code() == KafkaError._PARTITION_EOF
    assert (message.topic(), message.partition()) == (kafka_topic, 0)


def test_who_closes_the_registry(
    kafka_cluster: MockCluster, kafka_topic: str, registry: FakeRegistry
) -> None:
    """A client closes a registry client that it created, but not one that the caller gave it."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    group = config | {"group.id": "g"}
    with CachedSchemaRegistryClient({"url": registry.url, "max.retries": 0}) as given:
        with deprecated():
            producer = AvroProducer(config, schema_registry=given, default_value_schema=VALUE)
        with deprecated():
            consumer = AvroConsumer(group, schema_registry=given)
        with producer, consumer:
            producer.produce(topic=kafka_topic, value={"x": 5}, partition=0)
            assert producer.flush(TIMEOUT) == 0
            consumer.assign([TopicPartition(kafka_topic, 0, 0)])
            assert consumer.poll(TIMEOUT).value() == {"x": 5}
        assert given.get_compatibility() == "BACKWARD"
    with deprecated():
        own = AvroProducer(config | {"schema.registry.url": registry.url})
    made = own._registry.client
    with own:
        assert made.get_compatibility() == "BACKWARD"
    with pytest.raises(RuntimeError, match="closed"):
        made.get_compatibility()


def test_a_client_that_stays_open_keeps_the_registry(
    kafka_topic: str, make_producer: Make, registry: FakeRegistry
) -> None:
    """close() is refused in a callback, so the next message can still be encoded."""
    producer = make_producer(default_value_schema=VALUE)
    refused: list[RuntimeError] = []

    def on_delivery(*_: Any) -> None:
        try:
            producer.close()
        except RuntimeError as error:
            refused.append(error)

    producer.produce(topic=kafka_topic, value={"x": 5}, on_delivery=on_delivery)
    assert producer.flush(TIMEOUT) == 0
    assert len(refused) == 1
    producer.produce(topic=f"{kafka_topic}2", value={"x": 5})


@pytest.mark.parametrize("source", ["schema.registry.sasl", "sasl"])
def test_the_registry_inherits_sasl(
    registry: FakeRegistry, kafka_topic: str, make_producer: Make, source: str
) -> None:
    """SASL_INHERIT takes user and password from the client's keys or from the registry's keys."""
    registry.user = "ada:secret"
    inherit = {"schema.registry.basic.auth.credentials.source": "SASL_INHERIT"}
    secrets = {f"{source}.username": "ada", f"{source}.password": "secret"}
    producer = make_producer(inherit | secrets, default_value_schema=VALUE)
    producer.produce(topic=kafka_topic, value={"x": 5})
    assert producer.flush(TIMEOUT) == 0


def test_without_registration(
    registry: FakeRegistry, kafka_topic: str, make_producer: Make
) -> None:
    """With schema.registry.auto.register.schemas=False, only registered schemas are used."""
    producer = make_producer({"schema.registry.auto.register.schemas": False})
    with pytest.raises(ClientError) as raised:
        producer.produce(topic=kafka_topic, value={"x": 5}, value_schema=VALUE)
    assert raised.value.http_code == 404
    registry.register(f"{kafka_topic}-value", str(VALUE))
    producer.produce(topic=kafka_topic, value={"x": 5}, value_schema=VALUE)
    assert producer.flush(TIMEOUT) == 0


@pytest.mark.parametrize("kind", [AvroProducer, AvroConsumer])
@pytest.mark.parametrize(
    ("config", "arguments", "error", "said"),
    [
        ({}, {}, ValueError, "set schema.registry.url in config"),
        (None, {}, TypeError, "config must be a dict, not NoneType"),
        (
            {"schema.registry.url": None},
            {},
            ValueError,
            "Missing required configuration property url",
        ),
        ({"schema.registry.url": 5}, {}, TypeError, "url must be a str, not <class 'int'>"),
        ({"schema.registry.url": "x"}, {}, ValueError, "Invalid url x: it must be http://"),
        (
            {"schema.registry.url": "mock://", "schema.registry.foo": 1},
            {},
            ValueError,
            "Unrecognized properties: foo",
        ),
        ({}, {"schema_registry": 5}, TypeError, "must be a CachedSchemaRegistryClient.*not int"),
        (
            {"schema.registry.url": "mock://"},
            {"schema_registry": 5},
            ValueError,
            "schema_registry and schema.registry.url are mutually exclusive",
        ),
        (
            {"schema.registry.basic.auth.user.info": "a:b"},
            {"schema_registry": 5},
            ValueError,
            "schema.registry.basic.auth.user.info are mutually exclusive",
        ),
        ({"schema.registry.url": "mock://", "foo": 1}, {}, KafkaException, "foo"),
    ],
)
def test_configurations_that_are_refused(
    kind: type[Producer] | type[Consumer],
    config: dict[str, Any] | None,
    arguments: dict[str, Any],
    error: type[Exception],
    said: str,
) -> None:
    """The error names the key or argument, and the allowed values."""
    group = {"group.id": "g"} if kind is AvroConsumer else {}
    whole = config if config is None else config | group
    with deprecated(), pytest.raises(error, match=said):
        kind(whole, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "argument"),
    [
        (AvroProducer, "default_key_schema"),
        (AvroProducer, "default_value_schema"),
        (AvroConsumer, "reader_key_schema"),
        (AvroConsumer, "reader_value_schema"),
    ],
)
def test_schemas_that_are_none(kind: type[Producer] | type[Consumer], argument: str) -> None:
    """An invalid schema is refused when the client is created, and not with the first message."""
    config: dict[str, Any] = {"schema.registry.url": "mock://", "group.id": "g"}
    with deprecated(), pytest.raises(TypeError, match=f"{argument} must be"):
        kind(config, **{argument: 5})
    with deprecated(), pytest.raises(ClientError, match="not an Avro schema"):
        kind(config, **{argument: '{"type": "nope"}'})


def test_the_warning_is_at_the_callers_line() -> None:
    """The warning has the caller's file and line, so Python shows it by default."""
    for kind in (AvroProducer, AvroConsumer):
        with deprecated() as warned, pytest.raises(ValueError, match="no schema registry"):
            kind({})
        assert warned[0].filename == __file__


def test_one_error_is_enough_to_catch() -> None:
    """Faults in keys and in values both raise SerializerError."""
    assert issubclass(KeySerializerError, SerializerError)
    assert issubclass(ValueSerializerError, SerializerError)
