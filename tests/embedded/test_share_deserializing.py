"""DeserializingShareConsumer: objects from a share group."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import (
    AcknowledgeType,
    DeserializingShareConsumer,
    IllegalStateException,
    KafkaError,
    Producer,
    ShareConsumer,
    TopicPartition,
)
from confluent_kafka.serialization import (
    Deserializer,
    DeserializerBuilder,
    IntegerDeserializer,
    IntegerSerializer,
    SerializationContext,
    StringDeserializer,
)
from confluent_kafka.testing import MockCluster
from tests.support.waiting import TIMEOUT


@pytest.fixture
def settings(kafka_cluster: MockCluster) -> dict[str, Any]:
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    return {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "group",
        "share.acknowledgement.mode": "explicit",
        "log_level": 3,
    }


@pytest.fixture
def objects(kafka_topic: str, producer: Producer) -> str:
    """The topic with three records. The first one has a bad key, and the second one has a bad
    value."""
    good = IntegerSerializer()(7)
    for key, value in ((b"\xff", good), (b"b", b"?"), (b"c", good)):
        producer.produce(kafka_topic, value, key, partition=0, headers={"h": b"1"})
    assert producer.flush(TIMEOUT) == 0
    return kafka_topic


def test_objects_and_what_is_none(objects: str, settings: dict[str, Any]) -> None:
    """A bad record has an error and its bytes; other records of its batch are objects."""
    settings |= {
        "key.deserializer": StringDeserializer(),
        "value.deserializer": IntegerDeserializer(),
    }
    consumer: DeserializingShareConsumer[str, int] = DeserializingShareConsumer(settings)
    with consumer:
        consumer.subscribe([objects])
        batch = consumer.poll(TIMEOUT)
        bad_key, bad_value, good = batch
        assert (good.key(), good.value(), good.error()) == ("c", 7, None)
        for message, code in (
            (bad_key, KafkaError._KEY_DESERIALIZATION),
            (bad_value, KafkaError._VALUE_DESERIALIZATION),
        ):
            assert message.error() == code
            consumer.acknowledge(message, AcknowledgeType.REJECT)
        assert (bad_key.key(), bad_value.key(), bad_value.value()) == (b"\xff", b"b", b"?")
        assert "4 bytes, not 1" in str(bad_value.error())
        with pytest.raises(IllegalStateException, match="1 record"):
            consumer.poll(0)
        consumer.acknowledge(good)
        assert consumer.commit_sync(TIMEOUT) == {TopicPartition(objects, 0): None}
        assert consumer.poll(0.1).is_empty()


def test_contexts(objects: str, settings: dict[str, Any]) -> None:
    """A deserializer gets the topic, the field and the headers; any callable can be a
    deserializer."""
    contexts: list[SerializationContext] = []

    def deserialize(value: bytes | None, context: SerializationContext) -> str:
        contexts.append(context)
        return repr(value)

    with DeserializingShareConsumer[Any, Any](
        settings | {"value.deserializer": deserialize}
    ) as consumer:
        consumer.subscribe([objects])
        records = consumer.poll(TIMEOUT).records()
        assert [record.value() for record in records] == [
            repr(IntegerSerializer()(7)),
            "b'?'",
            repr(IntegerSerializer()(7)),
        ]
        assert [record.key() for record in records] == [b"\xff", b"b", b"c"]
    assert {(each.topic, str(each.field)) for each in contexts} == {(objects, "value")}
    assert contexts[0].headers == [("h", b"1")]


def test_interrupted_in_the_middle(objects: str, settings: dict[str, Any]) -> None:
    """Ctrl-C in a deserializer loses no record: the next poll() returns the whole batch."""
    seen: list[bytes | None] = []

    def deserialize(value: bytes | None, _: SerializationContext) -> str:
        seen.append(value)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return "done"

    settings |= {"key.deserializer": deserialize, "share.acknowledgement.mode": "implicit"}
    with DeserializingShareConsumer[Any, Any](settings) as consumer:
        consumer.subscribe([objects])
        with pytest.raises(KeyboardInterrupt):
            consumer.poll(TIMEOUT)
        assert [record.key() for record in consumer.poll(TIMEOUT)] == ["done"] * 3
    assert seen == [b"\xff", b"b", b"\xff", b"b", b"c"]


class Builder(DeserializerBuilder):
    """A builder that makes one deserializer, and counts its close() calls."""

    def __init__(self) -> None:
        self.closed = 0

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Deserializer, dict[str, Any]]:
        builder = self

        class Counting(StringDeserializer):
            def close(self) -> None:
                builder.closed += 1

        return Counting(), {key: value for key, value in conf.items() if key != "mine"}


def test_builders(settings: dict[str, Any]) -> None:
    """Deserializers that a builder made are closed with the consumer, or if the consumer cannot be
    created."""
    builder = Builder()
    settings |= {"key.deserializer.builder": builder, "mine": 1}
    with DeserializingShareConsumer[Any, Any](settings) as consumer:
        assert isinstance(consumer, ShareConsumer)
    assert builder.closed == 1
    with pytest.raises(ValueError, match=r"group\.id"):
        DeserializingShareConsumer(settings | {"group.id": None})
    assert builder.closed == 2


@pytest.mark.parametrize("name", ["key.deserializer", "value.deserializer"])
def test_no_deserializer(name: str, settings: dict[str, Any]) -> None:
    """A TypeError names the wrong key."""
    with pytest.raises(TypeError, match=f"{name} must be callable, not int"):
        DeserializingShareConsumer(settings | {name: 5})
