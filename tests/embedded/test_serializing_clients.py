"""SerializingProducer and DeserializingConsumer send objects through a cluster."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import (
    DeserializingConsumer,
    DeserializingShareConsumer,
    KafkaError,
    Message,
    Producer,
    SerializingProducer,
    TopicPartition,
)
from confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    ValueDeserializationError,
)
from confluent_kafka.serialization import (
    DeserializerBuilder,
    DoubleDeserializer,
    DoubleSerializer,
    IntegerDeserializer,
    SerializationContext,
    SerializerBuilder,
    StringDeserializer,
    StringSerializer,
)
from confluent_kafka.testing import MockCluster
from tests.support.waiting import TIMEOUT, wait_until


def consumer_of(cluster: MockCluster, topic: str, **more: Any) -> DeserializingConsumer[Any, Any]:
    """A consumer at the beginning of a topic's first partition."""
    config = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g"}
    consumer: DeserializingConsumer[Any, Any] = DeserializingConsumer(config | more)
    consumer.assign([TopicPartition(topic, 0, 0)])
    return consumer


def test_objects_come_back(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Produced objects are consumed unchanged, with headers, by poll() and by iteration."""
    reports: list[tuple[KafkaError | None, Message]] = []
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "key.serializer": StringSerializer(),
        "value.serializer": DoubleSerializer(),
    }
    producer: SerializingProducer[str, float] = SerializingProducer(config)
    with producer:
        for value in (1.5, None):
            producer.produce(
                kafka_topic,
                "k",
                value,
                partition=0,
                on_delivery=lambda *report: reports.append(report),
                timestamp=5,
                headers={"a": b"1"},
            )
        assert producer.flush(TIMEOUT) == 0
    assert [error for error, _ in reports] == [None, None]
    contexts = []

    def deserialize(data: bytes | None, context: SerializationContext) -> Any:
        contexts.append((context.topic, str(context.field), context.headers))
        return DoubleDeserializer()(data, context)

    deserializers = {"key.deserializer": StringDeserializer(), "value.deserializer": deserialize}
    with consumer_of(kafka_cluster, kafka_topic, **deserializers) as consumer:
        first = consumer.poll(TIMEOUT)
        assert first is not None
        assert (first.key(), first.value(), first.timestamp()[1]) == ("k", 1.5, 5)
        second = next(consumer)
        assert (second.key(), second.value()) == ("k", None)
        assert consumer.poll(0) is None
    assert contexts == [(kafka_topic, "value", [("a", b"1")])] * 2


def test_what_cannot_be_deserialized_is_passed_over(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The error contains the original message; the next call returns the next message."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        for key, value in ((b"key", b"12345678"), (b"1234", b"value"), (b"1234", b"12345678")):
            producer.produce(kafka_topic, value, key, partition=0)
        producer.flush(TIMEOUT)
    deserializers = {
        "key.deserializer": IntegerDeserializer(),
        "value.deserializer": DoubleDeserializer(),
    }
    with consumer_of(kafka_cluster, kafka_topic, **deserializers) as consumer:
        with pytest.raises(KeyDeserializationError, match="4 bytes, not 3") as wrong_key:
            consumer.poll(TIMEOUT)
        with pytest.raises(ValueDeserializationError, match="8 bytes, not 5") as wrong_value:
            consumer.poll(TIMEOUT)
        third = consumer.poll(TIMEOUT)
        assert third is not None
        assert (third.offset(), third.key()) == (2, int.from_bytes(b"1234", "big"))
    for offset, raised in enumerate((wrong_key, wrong_value)):
        message = raised.value.kafka_message
        assert message is not None
        assert message.offset() == offset
        assert raised.value.exception is raised.value.__cause__
    assert wrong_value.value.kafka_message.key() == b"1234"  # type: ignore[union-attr]


def test_interrupted_in_a_deserializer(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Ctrl-C in a deserializer loses no message: the next call returns it, and only then is it
    committed."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        for value in (b"0", b"1", b"2"):
            producer.produce(kafka_topic, value, partition=0)
        producer.flush(TIMEOUT)
    interrupts = [b"2", b"1"]

    def deserialize(data: bytes | None, _: SerializationContext) -> Any:
        if interrupts and data == interrupts[-1]:
            interrupts.pop()
            raise KeyboardInterrupt
        return data

    more = {"value.deserializer": deserialize, "enable.auto.commit": False}
    own = [TopicPartition(kafka_topic, 0)]
    with consumer_of(kafka_cluster, kafka_topic, **more) as consumer:
        for value in (b"0", b"1"):
            message = consumer.poll(TIMEOUT) if value == b"0" else next(consumer)
            assert message is not None
            assert message.value() == value
            with pytest.raises(KeyboardInterrupt):
                consumer.poll(TIMEOUT)
            consumer.commit(asynchronous=False)
            assert consumer.committed(own, TIMEOUT)[0].offset == int(value) + 1


class Builder(SerializerBuilder, DeserializerBuilder):
    """A builder that makes one serializer or deserializer, and counts its close() calls."""

    def __init__(self) -> None:
        self.closed = 0

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Any, dict[str, Any]]:
        builder = self

        class Counting(StringDeserializer):
            def close(self) -> None:
                builder.closed += 1

        return Counting(), conf


@pytest.mark.parametrize(
    ("kind", "serde"),
    [
        (SerializingProducer, "value.serializer.builder"),
        (DeserializingConsumer, "value.deserializer.builder"),
        (DeserializingShareConsumer, "value.deserializer.builder"),
    ],
)
def test_a_client_that_stays_open_keeps_its_serdes(
    kafka_cluster: MockCluster, kind: type[Any], serde: str
) -> None:
    """close() is refused in a callback, and the serializers that the client built still work."""
    refused: list[RuntimeError] = []

    def on_statistics(_: str) -> None:
        try:
            client.close()
        except RuntimeError as error:
            refused.append(error)

    builder = Builder()
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, serde: builder}
    config |= {"statistics.interval.ms": 10, "stats_cb": on_statistics}
    if kind is not SerializingProducer:
        config["group.id"] = "g"
    with kind(config) as client:
        if kind is DeserializingShareConsumer:
            client.subscribe(["t"])
        wait_until(lambda: refused, lambda: client.poll(0.05))
        assert builder.closed == 0
    assert builder.closed == 1


def test_errors_of_the_consumer(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """With enable.partition.eof, the end of a partition is a ConsumeError with partition and
    offset."""
    ends = {"enable.partition.eof": True}
    with (
        consumer_of(kafka_cluster, kafka_topic, **ends) as consumer,
        pytest.raises(ConsumeError) as raised,
    ):
        consumer.poll(TIMEOUT)
    assert raised.value.code == KafkaError._PARTITION_EOF
    message = raised.value.kafka_message
    assert message is not None
    assert (message.topic(), message.partition()) == (kafka_topic, 0)


def test_the_cluster_is_known_to_serializers(kafka_cluster: MockCluster) -> None:
    """A serializer can request the id of the cluster."""
    resolvers: list[Any] = []

    class Curious(StringSerializer):
        def set_cluster_id_resolver(self, resolver: Any) -> None:
            resolvers.append(resolver)

    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "key.serializer": Curious()}
    with SerializingProducer(config) as producer:
        (resolver,) = resolvers
        wait_until(lambda: resolver() is not None)
        assert resolver() == producer.cluster_id(TIMEOUT)
