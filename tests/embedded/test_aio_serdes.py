"""AsyncSerializingProducer and AsyncDeserializingConsumer send objects through a cluster."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.aio import AsyncDeserializingConsumer, AsyncSerializingProducer
from confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    KeySerializationError,
    ValueDeserializationError,
    ValueSerializationError,
)
from confluent_kafka.serialization import (
    DoubleDeserializer,
    DoubleSerializer,
    SerializationContext,
    StringDeserializer,
    StringSerializer,
)
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop
from tests.support.kafka import numbers, send
from tests.support.waiting import TIMEOUT


def producer_of(cluster: MockCluster, **serdes: Any) -> AsyncSerializingProducer[Any, Any]:
    config = {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0}
    named = {f"{field}.serializer": serde for field, serde in serdes.items()}
    return AsyncSerializingProducer(config | named)


async def consumer_of(
    cluster: MockCluster, topic: str, **serdes: Any
) -> AsyncDeserializingConsumer[Any, Any]:
    """A consumer at the beginning of a topic's first partition."""
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "g",
        "fetch.wait.max.ms": 50,
    }
    named = {f"{field}.deserializer": serde for field, serde in serdes.items()}
    consumer: AsyncDeserializingConsumer[Any, Any] = AsyncDeserializingConsumer(config | named)
    await consumer.assign([TopicPartition(topic, 0, 0)])
    return consumer


async def to_bytes(obj: Any, ctx: SerializationContext) -> bytes | None:
    """A serializer that awaits something, and adds a header."""
    await asyncio.sleep(0)
    ctx.headers.append((f"{ctx.field}", b"seen"))
    return None if obj is None else str(obj).encode()


async def from_bytes(data: bytes | None, ctx: SerializationContext) -> Any:
    await asyncio.sleep(0)
    return None if data is None else int(data)


@in_loop
async def test_objects_come_back(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Objects come back unchanged. One function is for keys, one for values; the constructors can
    be awaited."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    serializers = {"key.serializer": StringSerializer(), "value.serializer": DoubleSerializer()}
    producer: AsyncSerializingProducer[str, float] = await AsyncSerializingProducer(
        config | serializers, max_workers=1
    )
    async with producer:
        delivery = await producer.produce(
            kafka_topic, "k", 1.5, partition=0, timestamp=5, headers={"a": b"1"}
        )
        assert (await delivery).value() == bytes.fromhex("3ff8000000000000")
        await producer.produce(kafka_topic, value=None)
    deserializers = {
        "key.deserializer": StringDeserializer(),
        "value.deserializer": DoubleDeserializer(),
    }
    consumer: AsyncDeserializingConsumer[str, float] = await AsyncDeserializingConsumer(
        config | deserializers | {"group.id": "g"}
    )
    async with consumer:
        await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        message = await consumer.poll(TIMEOUT)
        assert message is not None
        assert (message.key(), message.value(), message.timestamp()[1]) == ("k", 1.5, 5)
        assert message.headers() == [("a", b"1")]
        [empty] = await consumer.consume(1, TIMEOUT)
        assert (empty.key(), empty.value()) == (None, None)


@in_loop
async def test_coroutines_as_serdes(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Coroutines are awaited, and may add headers; the caller's list does not change."""
    headers = [("own", b"1")]
    async with producer_of(kafka_cluster, key=to_bytes, value=to_bytes) as producer:
        await producer.produce(kafka_topic, 1, 2, headers=headers)
    assert headers == [("own", b"1")]
    serdes = {"key": from_bytes, "value": from_bytes}
    async with await consumer_of(kafka_cluster, kafka_topic, **serdes) as consumer:
        message = await consumer.poll(TIMEOUT)
    assert message is not None
    assert (message.key(), message.value()) == (1, 2)
    added = [(str(field), b"seen") for field in ("key", "value")]
    assert message.headers() == [("own", b"1"), *added]


@pytest.mark.parametrize(
    ("field", "error"),
    [("key", KeySerializationError), ("value", ValueSerializationError)],
)
@in_loop
async def test_what_cannot_be_serialized(
    kafka_cluster: MockCluster, kafka_topic: str, field: str, error: type[Exception]
) -> None:
    """The error contains the given message and the cause; nothing is sent."""

    async def fail(obj: Any, _: SerializationContext) -> bytes:
        raise ZeroDivisionError

    async with producer_of(kafka_cluster, **{field: fail}) as producer:
        with pytest.raises(error) as raised:
            await producer.produce(kafka_topic, "k", "v")
        assert len(producer) == 0
    message: Any = raised.value.kafka_message  # type: ignore[attr-defined]
    assert (message.topic(), message.key(), message.value()) == (kafka_topic, "k", "v")
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("field", "error"),
    [("key", KeyDeserializationError), ("value", ValueDeserializationError)],
)
@in_loop
async def test_what_cannot_be_deserialized(
    kafka_cluster: MockCluster, kafka_topic: str, field: str, error: type[Exception]
) -> None:
    """poll() raises, and then continues after the message; consume() returns the other messages
    first."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        for text in (b"1", b"x", b"3", b"x", b"5"):
            producer.produce(kafka_topic, key=text, value=text, partition=0)
    async with await consumer_of(kafka_cluster, kafka_topic, **{field: from_bytes}) as consumer:

        def read(message: Any) -> Any:
            return getattr(message, field)()

        assert read(await consumer.poll(TIMEOUT)) == 1
        with pytest.raises(error) as raised:
            await consumer.poll(TIMEOUT)
        assert raised.value.kafka_message.value() == b"x"  # type: ignore[attr-defined]
        assert [read(message) for message in await consumer.consume(3, TIMEOUT)] == [3, 5]
        with pytest.raises(error):
            await consumer.consume(1, TIMEOUT)
        assert await consumer.consume(1, 0) == []


@pytest.mark.parametrize("given", [True, None, False], ids=["stored", "by default", "by hand"])
@in_loop
async def test_a_deserializer_that_is_cancelled(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, given: bool | None
) -> None:
    """Messages of a cancelled deserializer come again, and are not committed before that."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 10))
    release = asyncio.Event()

    async def slow(data: bytes | None, _: SerializationContext) -> Any:
        if data != b"0":
            await release.wait()
        return data

    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "g",
        "fetch.wait.max.ms": 50,
        "enable.auto.commit": False,
        "enable.auto.offset.store": given,
        "value.deserializer": slow,
    }
    store = given is not False
    own = [TopicPartition(kafka_topic, 0)]
    async with AsyncDeserializingConsumer[Any, Any](config) as consumer:
        await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        assert (await consumer.consume(1, TIMEOUT))[0].value() == b"0"
        for call in (consumer.poll(), consumer.consume(9)):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(call, 0.2)
        if store:
            await consumer.commit(asynchronous=False)
            assert [one.offset for one in await consumer.committed(own, TIMEOUT)] == [1]
        release.set()
        found = [message.value() for message in await consumer.consume(9, TIMEOUT)]
        assert found == numbers(1, 10)
        if store:
            await consumer.commit(asynchronous=False)
            assert [one.offset for one in await consumer.committed(own, TIMEOUT)] == [10]
        else:
            with pytest.raises(KafkaException):  # nothing is stored yet
                await consumer.commit(asynchronous=False)


@in_loop
async def test_called_while_a_cancellation_is_handled(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A CancelledError of the caller is not treated as an error of the deserializer: no message is
    repeated."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 4))
    own = [TopicPartition(kafka_topic, 0)]
    async with await consumer_of(kafka_cluster, kafka_topic, value=from_bytes) as consumer:
        try:
            raise asyncio.CancelledError
        except asyncio.CancelledError:
            first = await consumer.poll(TIMEOUT)
            rest = await consumer.consume(2, TIMEOUT)
            assert first is not None
            assert [message.value() for message in (first, *rest)] == [0, 1, 2]
            assert [one.offset for one in await consumer.position(own)] == [3]
            [last] = await consumer.consume(1, TIMEOUT)
        assert last.value() == 3


@in_loop
async def test_columns_store_their_offsets(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """consume_arrow() returns bytes, and its rows are committed like rows of an AIOConsumer."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 5))
    own = [TopicPartition(kafka_topic, 0)]
    async with await consumer_of(kafka_cluster, kafka_topic, value=from_bytes) as consumer:
        assert len(await consumer.consume_arrow(5, TIMEOUT)) == 5
        await consumer.commit(asynchronous=False)
        assert [one.offset for one in await consumer.committed(own, TIMEOUT)] == [5]
        with pytest.raises(KafkaException, match="INVALID_ARG"):
            await consumer.store_offsets(offsets=own)  # uses the configuration


@in_loop
async def test_a_batch_without_failures_leaves_the_turn(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """After a batch without failures, the next call also uses the fast path."""
    await asyncio.to_thread(send, producer, kafka_topic, [*numbers(0, 11), b"x", b"12"])
    async with await consumer_of(kafka_cluster, kafka_topic, value=from_bytes) as consumer:
        await consumer.poll(TIMEOUT)
        consumer._client._begin_turn(-1)  # disable the time limit of the fast path
        await consumer.consume(9, TIMEOUT)
        await consumer.getmany(timeout=TIMEOUT, max_records=1)
        assert consumer._client._is_turn
        assert [message.value() for message in await consumer.consume(2, TIMEOUT)] == [12]
        assert not consumer._client._is_turn
        with pytest.raises(ValueDeserializationError):
            await consumer.consume(1, 0)


@in_loop
async def test_errors_in_the_place_of_messages(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """If an error comes instead of a message, poll() and consume() raise a ConsumeError."""
    await asyncio.to_thread(send, producer, kafka_topic, [b"1"])
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "g",
        "enable.partition.eof": True,
    }
    async with AsyncDeserializingConsumer[Any, Any](config) as consumer:
        for method in (consumer.poll, consumer.consume):
            await consumer.assign([TopicPartition(kafka_topic, 0, 1)])
            with pytest.raises(ConsumeError) as raised:
                await method(timeout=TIMEOUT)
            assert raised.value.code == KafkaError._PARTITION_EOF


@in_loop
async def test_headers_that_are_none(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Serializers cannot add headers to an int, so the error names the argument."""
    async with producer_of(kafka_cluster, value=to_bytes) as producer:
        with pytest.raises(TypeError, match=r"headers must be a dict or a list .* not int"):
            await producer.produce(kafka_topic, value=1, headers=5)


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        (AsyncSerializingProducer, {"key.serializer": 1}),
        (AsyncDeserializingConsumer, {"value.deserializer": 1, "group.id": "g"}),
        (AsyncDeserializingConsumer, {"key.deserializer.builder": 1, "group.id": "g"}),
    ],
)
@in_loop
async def test_bad_configuration(kind: Any, config: dict[str, Any]) -> None:
    """The error names a serializer or deserializer that is not callable."""
    with pytest.raises(TypeError, match=next(iter(config))):
        kind(config)
