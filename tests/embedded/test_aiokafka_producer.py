"""compat.aiokafka: AIOKafkaProducer, its batches and its transactions."""

from __future__ import annotations

import asyncio
import functools
import gc
from itertools import count
from time import monotonic
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError
from confluent_kafka.compat.aiokafka import (
    AIOKafkaProducer,
    OffsetAndMetadata,
    TopicPartition,
    client,
)
from confluent_kafka.compat.aiokafka import errors as failures
from confluent_kafka.compat.aiokafka.structs import RecordMetadata
from confluent_kafka.compat.aiokafka.util import commit_structure_validate
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop, until
from tests.support.kafka import NO_BROKER, read, values_of

pytestmark = pytest.mark.kafka_topic(partitions=4)


def producer_of(cluster: MockCluster, **keywords: Any) -> AIOKafkaProducer:
    return AIOKafkaProducer(bootstrap_servers=cluster.bootstrap_servers, **keywords)


@in_loop
async def test_a_message_is_sent(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """The future's result has the partition and offset; the message has all given fields."""
    async with producer_of(kafka_cluster) as producer:
        delivery = await producer.send(
            kafka_topic, b"v", b"k", partition=0, timestamp_ms=5, headers=[("h", b"1"), ("n", None)]
        )
        assert asyncio.isfuture(delivery)
        place = TopicPartition(kafka_topic, 0)
        assert await delivery == RecordMetadata(kafka_topic, 0, place, 0, 5, 0, None)
        assert type(delivery.result()) is RecordMetadata
        assert type(delivery.result().topic_partition) is TopicPartition
        second = await producer.send_and_wait(kafka_topic, None, key=b"k", partition=0)
        assert (second.partition, second.offset) == (0, 1)
    first, last = await asyncio.to_thread(read, consumer, kafka_topic, 2)
    assert (first.key(), first.value(), first.timestamp()[1]) == (b"k", b"v", 5)
    assert first.headers() == [("h", b"1"), ("n", None)]
    assert last.value() is None


@in_loop
async def test_without_acknowledgement(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """With acks=0, the result is None, because the broker does not return an offset."""
    async with producer_of(kafka_cluster, acks=0) as producer:
        assert await producer.send_and_wait(kafka_topic, b"v") is None


@in_loop
async def test_serializers(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """Serializers return the bytes of keys and values. For other types, the error names the
    argument."""
    async with producer_of(
        kafka_cluster,
        key_serializer=str.encode,
        value_serializer=lambda value: value and b"%d" % value,
    ) as producer:
        await producer.send_and_wait(kafka_topic, 5, "key", partition=0)
        with pytest.raises(TypeError, match="'int' object"):
            await producer.send(kafka_topic, 5, 5)
    async with producer_of(kafka_cluster, value_serializer=str) as producer:
        with pytest.raises(TypeError, match="value that value_serializer returned must be bytes"):
            await producer.send(kafka_topic, 5)
    async with producer_of(kafka_cluster) as producer:
        for key, value in (("k", b"v"), (b"k", "v"), (b"k", 5)):
            with pytest.raises(TypeError):
                await producer.send(kafka_topic, value, key)
        with pytest.raises(AssertionError, match="Need at least one: key or value"):
            await producer.send(kafka_topic)
    [message] = await asyncio.to_thread(read, consumer, kafka_topic, 1)
    assert (message.key(), message.value()) == (b"key", b"5")


@in_loop
async def test_a_partitioner(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A partitioner gets the key's bytes and the topic's partitions, and chooses a partition."""
    calls = []

    def last(key: bytes | None, everything: list[int], available: list[int]) -> int:
        calls.append((key, everything, available))
        return everything[-1]

    async with producer_of(kafka_cluster, key_serializer=str.encode, partitioner=last) as producer:
        partitions = sorted(await producer.partitions_for(kafka_topic))
        record = await producer.send_and_wait(kafka_topic, b"v", "k")
        assert record.partition == partitions[-1]
        assert calls == [(b"k", partitions, partitions)]
        assert (await producer.send_and_wait(kafka_topic, b"v", "k", partition=0)).partition == 0
    assert len(calls) == 1
    for nowhere in (-1, 4, None):
        async with producer_of(kafka_cluster, partitioner=lambda *_, it=nowhere: it) as producer:
            with pytest.raises(AssertionError, match=f"partitioner returned {nowhere}, and topic"):
                await producer.send(kafka_topic, b"v")
    with pytest.raises(TypeError, match="partitioner must be callable, not int"):
        AIOKafkaProducer(partitioner=5)  # type: ignore[arg-type]


@in_loop
async def test_the_default_partitioner(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """By default, keys go to the partition that _partition() computes with librdkafka's
    partitioner."""
    async with producer_of(kafka_cluster) as producer:
        await producer.partitions_for(kafka_topic)
        for number in range(30):
            key = b"key %d" % number
            record = await producer.send_and_wait(kafka_topic, b"v", key)
            assert record.partition == producer._partition(kafka_topic, None, key, b"v", key, b"v")


@in_loop
async def test_partitions_that_are_not_there(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If the partition does not exist, the message is refused at once."""
    async with producer_of(kafka_cluster) as producer:
        for partition in (-1, 99):
            with pytest.raises(AssertionError, match="no partition"):
                await producer.send(kafka_topic, b"v", partition=partition)
            with pytest.raises(AssertionError, match="no partition"):
                await producer.send_batch(producer.create_batch(), kafka_topic, partition=partition)


@in_loop
async def test_an_unknown_topic(
    kafka_cluster: MockCluster, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """send() waits for the topic for request_timeout_ms, and then raises; other sends succeed
    meanwhile."""
    kafka_cluster.set_topic_error("missing", KafkaError.UNKNOWN_TOPIC_OR_PART)
    async with producer_of(kafka_cluster) as producer:
        missing = asyncio.create_task(producer.send("missing", b"v"))
        await producer.send_and_wait(kafka_topic, b"v")
        assert not missing.done()
        # Each look at this clock advances it by 15 s, but the brokers have enough real time.
        monkeypatch.setattr(client, "monotonic", functools.partial(next, count(monotonic(), 15)))
        with pytest.raises(failures.UnknownTopicOrPartitionError, match="'missing' for 40000 ms"):
            await missing
        with pytest.raises(failures.UnknownTopicOrPartitionError):
            await producer.partitions_for("missing")


@in_loop
async def test_stop_while_a_topic_is_waited_for(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """send() raises an error when the producer stops; its task is not cancelled."""
    kafka_cluster.set_topic_error("missing", KafkaError.UNKNOWN_TOPIC_OR_PART)
    producer = producer_of(kafka_cluster)
    await producer.start()
    await producer.send_and_wait(kafka_topic, b"v")
    waiting = [asyncio.create_task(producer.send("missing", b"v")) for _ in range(2)]
    await asyncio.sleep(0.01)
    waiting[0].cancel()
    await producer.stop()
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(error) for error in ended] == [asyncio.CancelledError, failures.ProducerClosed]


@in_loop
async def test_a_topic_that_is_no_name(kafka_cluster: MockCluster) -> None:
    """A topic of a wrong type is refused at once, and the error names the argument."""
    async with producer_of(kafka_cluster) as producer:
        topic: Any
        for topic in (None, b"topic", 5):
            with pytest.raises(TypeError, match="topic must be str, not"):
                await producer.send(topic, b"v")
            with pytest.raises(TypeError, match="topic must be str, not"):
                await producer.partitions_for(topic)


@in_loop
async def test_timestamps(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Timestamps such as time.time() * 1000 lose their fraction. For other types, the error names
    the argument."""
    async with producer_of(kafka_cluster) as producer:
        record = await producer.send_and_wait(kafka_topic, b"v", timestamp_ms=1700000000123.75)
        assert record.timestamp == 1700000000123
        appended = producer.create_batch().append(timestamp=1.5, key=None, value=b"v")
        assert appended is not None
        assert appended.timestamp == 1
        wrong: Any
        for wrong, kind in (("1", TypeError), (-5, ValueError), (1e30, OverflowError)):
            with pytest.raises(kind, match="timestamp_ms must be a number"):
                await producer.send(kafka_topic, b"v", timestamp_ms=wrong)
            with pytest.raises(kind, match="timestamp must be a number"):
                producer.create_batch().append(timestamp=wrong, key=None, value=b"v")


@pytest.mark.parametrize(
    "headers",
    [{"h": b"v"}, [("h", "v")], [(b"h", b"v")], [("h", 5)], iter([("h", b"v")]), "hv", 5, [5]],
)
@in_loop
async def test_headers_that_are_none(
    kafka_cluster: MockCluster, kafka_topic: str, headers: Any
) -> None:
    """Headers that aiokafka refuses are refused here, too, and nothing is sent."""
    async with producer_of(kafka_cluster) as producer:
        with pytest.raises(TypeError):
            await producer.send(kafka_topic, b"v", headers=headers)
        with pytest.raises(TypeError):
            producer.create_batch().append(timestamp=None, key=b"k", value=b"v", headers=headers)


@in_loop
async def test_a_topic_that_appears(kafka_cluster: MockCluster) -> None:
    """A send() that waits for a topic ends when it is there."""
    kafka_cluster.set_topic_error("late", KafkaError.UNKNOWN_TOPIC_OR_PART)
    async with producer_of(kafka_cluster, retry_backoff_ms=10) as producer:
        sending = asyncio.create_task(producer.send_and_wait("late", b"v"))
        await asyncio.sleep(0.05)
        kafka_cluster.set_topic_error("late", None)
        assert (await sending).topic == "late"


@in_loop
async def test_a_topic_that_may_not_be_used(kafka_cluster: MockCluster) -> None:
    """send() raises the topic's error without waiting."""
    kafka_cluster.set_topic_error("secret", KafkaError.TOPIC_AUTHORIZATION_FAILED)
    async with producer_of(kafka_cluster) as producer:
        with pytest.raises(failures.TopicAuthorizationFailedError, match="secret"):
            await producer.send("secret", b"v")
        assert producer.client.cluster.unauthorized_topics == {"secret"}


@in_loop
async def test_a_large_message(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """send() itself refuses a message that is too large."""
    async with producer_of(kafka_cluster, max_request_size=1000) as producer:
        with pytest.raises(failures.MessageSizeTooLargeError):
            await producer.send(kafka_topic, b"v" * 2000)
        batch = producer.create_batch()
        assert batch.append(timestamp=None, key=None, value=b"small")
        assert batch.append(timestamp=None, key=None, value=b"v" * 2000)
        with pytest.raises(failures.MessageSizeTooLargeError):
            await (await producer.send_batch(batch, kafka_topic, partition=0))


@in_loop
async def test_a_broker_that_refuses(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The future has aiokafka's exception, with librdkafka's as its cause."""
    async with producer_of(kafka_cluster) as producer:
        kafka_cluster.inject_errors("Produce", [KafkaError.TOPIC_AUTHORIZATION_FAILED])
        delivery = await producer.send(kafka_topic, b"v")
        with pytest.raises(failures.TopicAuthorizationFailedError) as raised:
            await delivery
        assert raised.value.__cause__ is not None


@in_loop
async def test_a_broker_that_is_gone(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A message that cannot be delivered in time fails with KafkaTimeoutError."""
    async with producer_of(kafka_cluster, properties={"message.timeout.ms": 500}) as producer:
        await producer.partitions_for(kafka_topic)
        kafka_cluster.set_broker_down()
        delivery = await producer.send(kafka_topic, b"v")
        with pytest.raises(failures.KafkaTimeoutError):
            await delivery


@in_loop
async def test_no_broker() -> None:
    """If no broker answers, start() raises an error, and can be called again."""
    producer = AIOKafkaProducer(bootstrap_servers=NO_BROKER)
    for _ in range(2):
        with pytest.raises(failures.KafkaConnectionError, match="Unable to bootstrap from"):
            await producer.start()
    await producer.stop()


@in_loop
async def test_before_and_after(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If the producer is not running, send() raises; start() and stop() can be called twice."""
    producer = producer_of(kafka_cluster)
    with pytest.raises(failures.ProducerClosed):
        await producer.send(kafka_topic, b"v")
    await producer.start()
    await producer.start()
    delivery = await producer.send(kafka_topic, b"v")
    await producer.stop()
    assert delivery.result().offset == 0
    await producer.stop()
    await producer.flush()
    with pytest.raises(failures.ProducerClosed):
        await producer.send(kafka_topic, b"v")
    await producer.start()
    await producer.send_and_wait(kafka_topic, b"v", partition=0)
    await producer.stop()


@in_loop
async def test_stop_does_not_wait_for_linger(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Messages that wait for linger_ms are sent at once; a cancelled future stays cancelled."""
    producer = producer_of(kafka_cluster, linger_ms=200_000, request_timeout_ms=300_000)
    await producer.start()
    first, second = [await producer.send(kafka_topic, b"v", partition=0) for _ in range(2)]
    first.cancel()
    await producer.stop()
    assert first.cancelled()
    assert second.result().offset == 1


@in_loop
async def test_a_producer_that_nobody_stops(kafka_cluster: MockCluster) -> None:
    """Python warns about a producer that nobody stops, and the producer ends."""
    producer = producer_of(kafka_cluster)
    await producer.start()
    with pytest.warns(ResourceWarning, match="Unclosed AIOKafkaProducer") as warned:  # noqa: PT031
        del producer
        while not warned.list:  # the thread that connected the client may still refer to it
            gc.collect()
            await asyncio.sleep(0.002)


@in_loop
async def test_a_batch(kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer) -> None:
    """When all records of a batch are delivered, the result has the partition and offset of the
    first one."""
    async with producer_of(kafka_cluster, value_serializer=str.encode) as producer:
        batch = producer.create_batch()
        for number in range(5):
            record = batch.append(
                timestamp=5, key=None, value=str(number), headers=[("h", b"%d" % number)]
            )
            assert record is not None
            assert (record.offset, record.timestamp) == (number, 5)
        await producer.send_and_wait(kafka_topic, "before", partition=0)
        delivery = await producer.send_batch(batch, kafka_topic, partition=0)
        assert batch.closed()
        result = await delivery
        assert result is not None
        assert (result.partition, result.offset, result.timestamp) == (0, 1, 5)
        nothing = await producer.send_batch(producer.create_batch(), kafka_topic, partition=0)
        assert await nothing is None
    messages = await asyncio.to_thread(read, consumer, kafka_topic, 6)
    assert values_of(messages) == [b"before", *(b"%d" % number for number in range(5))]
    assert messages[-1].headers() == [("h", b"4")]


def test_the_size_of_a_batch() -> None:
    """A batch accepts at least one record, and is closed when a record does not fit."""
    batch = AIOKafkaProducer(max_batch_size=200).create_batch()
    assert (batch.size(), batch.record_count()) == (61, 0)
    first = batch.append(timestamp=5, key=b"k", value=b"v" * 50, headers=[("a", b"b")])
    assert first is not None
    assert (first.size, batch.size()) == (62, 123)
    assert batch.append(timestamp=9, key=None, value=b"v" * 500) is None
    assert batch.append(timestamp=9, key=None, value=b"v") is None
    assert (batch.closed(), batch.record_count(), batch.size()) == (True, 1, 123)
    batch = AIOKafkaProducer(max_batch_size=200).create_batch()
    assert batch.append(timestamp=5, key=b"k", value=b"v" * 500) is not None
    batch.close()
    assert batch.append(timestamp=5, key=b"k", value=b"v") is None


@in_loop
async def test_transactions(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """Messages of a committed transaction can be read; steps in the wrong order are refused."""
    producer = producer_of(kafka_cluster, transactional_id="t")
    await producer.start()
    offsets = {TopicPartition(kafka_topic, 0): 5}
    for step in (
        lambda: producer.send(kafka_topic, b"v"),
        producer.commit_transaction,
        producer.abort_transaction,
        lambda: producer.send_offsets_to_transaction(offsets, "g"),
    ):
        with pytest.raises(failures.IllegalOperation, match="no transaction is open"):
            await step()
    await producer.begin_transaction()
    with pytest.raises(failures.IllegalOperation, match="a transaction is open"):
        await producer.begin_transaction()
    await producer.send(kafka_topic, b"1", partition=0)
    await producer.send_offsets_to_transaction(offsets, "g")
    await producer.commit_transaction()
    async with producer.transaction():
        delivery = await producer.send(kafka_topic, b"2", partition=0)
    assert delivery.result().offset > 0
    with pytest.raises(ZeroDivisionError):
        async with producer.transaction():
            _ = 1 / 0
    async with producer.transaction():
        await producer.send(kafka_topic, b"3", partition=0)
    await producer.stop()
    messages = await asyncio.to_thread(read, consumer, kafka_topic, 3)
    assert values_of(messages) == [b"1", b"2", b"3"]


@in_loop
async def test_an_aborted_message_was_delivered(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """Aborting waits for deliveries, so that futures of delivered messages have their results."""
    async with producer_of(kafka_cluster, transactional_id="t", linger_ms=10_000) as producer:
        await producer.begin_transaction()
        delivery = await producer.send(kafka_topic, b"v", partition=0)
        await producer.abort_transaction()
        assert delivery.result().partition == 0


@in_loop
async def test_offsets_of_a_transaction(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Offsets by partition can be int or OffsetAndMetadata, and the group must have a name."""
    async with producer_of(kafka_cluster, transactional_id="t") as producer, producer.transaction():
        place = TopicPartition(kafka_topic, 0)
        await producer.send_offsets_to_transaction({place: OffsetAndMetadata(5, "text")}, "g")
        wrong: Any
        for wrong in ({}, [5], {place: "5"}, {place: (5, "", 5)}):
            with pytest.raises(ValueError, match="offset"):
                await producer.send_offsets_to_transaction(wrong, "g")
        for wrong in ({"topic": 5}, {(kafka_topic, 0): 5}, {place: (5, None)}, {place: (5, b"")}):
            with pytest.raises(TypeError, match="offset"):
                await producer.send_offsets_to_transaction(wrong, "g")
        with pytest.raises(ValueError, match="group_id"):
            await producer.send_offsets_to_transaction({place: 5}, "")


@in_loop
async def test_a_producer_that_was_fenced(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Another producer with the same transactional_id fences it, and then each of its calls
    raises."""
    old, new = (producer_of(kafka_cluster, transactional_id="t") for _ in range(2))
    await old.start()
    await old.begin_transaction()
    await (await old.send(kafka_topic, b"v", partition=0))
    kafka_cluster.inject_errors("EndTxn", [KafkaError.INVALID_PRODUCER_EPOCH])
    with pytest.raises(failures.ProducerFenced):
        await old.commit_transaction()
    with pytest.raises(failures.ProducerFenced):
        await old.send(kafka_topic, b"v")
    await old.stop()
    assert new._transactions is not None


@in_loop
async def test_transactions_need_a_name(kafka_cluster: MockCluster) -> None:
    """Without transactional_id the methods of transactions raise."""
    async with producer_of(kafka_cluster) as producer:
        with pytest.raises(failures.IllegalOperation, match="transactional_id"):
            await producer.begin_transaction()


@pytest.mark.parametrize(
    "keywords",
    [{"enable_idempotence": True, "acks": 1}, {"transactional_id": "t", "acks": 0}],
)
def test_keywords_that_exclude_each_other(keywords: dict[str, Any]) -> None:
    """Idempotence and transactions need acks="all"."""
    with pytest.raises(ValueError, match="not supported if enable_idempotence=True"):
        AIOKafkaProducer(**keywords)


@in_loop
async def test_what_tracing_packages_read(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The private attributes of aiokafka's producer that tracing packages use exist here, too."""
    async with producer_of(
        kafka_cluster, client_id="c", key_serializer=str.encode, value_serializer=str.encode
    ) as producer:
        assert producer.client._bootstrap_servers == kafka_cluster.bootstrap_servers
        assert producer.client._client_id == "c"
        assert producer._key_serializer is producer._value_serializer is str.encode
        assert producer._serialize(kafka_topic, "k", "v") == (b"k", b"v")
        partitions = await producer.client._wait_on_metadata(kafka_topic)
        assert producer._partition(kafka_topic, None, "k", "v", b"k", b"v") in partitions
        assert producer._partition(kafka_topic, 1, "k", "v", b"k", b"v") == 1
    assert AIOKafkaProducer().client._client_id != AIOKafkaProducer().client._client_id


class TestTasksThatAreCancelled:
    """A framework cancels every task, and the producer works afterwards."""

    @in_loop
    async def test_metadata_that_a_send_waits_for(
        self, kafka_cluster: MockCluster, kafka_topic: str
    ) -> None:
        """If a request for metadata is cancelled, the producer repeats it for a send() that
        waits."""
        async with producer_of(kafka_cluster, retry_backoff_ms=10) as producer:
            kafka_cluster.set_topic_error(kafka_topic, KafkaError.LEADER_NOT_AVAILABLE)
            sending = asyncio.ensure_future(producer.send_and_wait(kafka_topic, b"v", partition=0))
            await until(lambda: kafka_topic in producer.client._asked)
            producer.client._asked[kafka_topic].cancel()
            await asyncio.sleep(0)
            kafka_cluster.set_topic_error(kafka_topic, None)
            assert (await sending).offset == 0

    @in_loop
    async def test_metadata_that_is_old(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """If a refresh of the metadata was cancelled, the next message repeats it."""
        async with producer_of(
            kafka_cluster, partitioner=lambda key, every, available: 0, metadata_max_age_ms=1000
        ) as producer:
            await producer.send_and_wait(kafka_topic, b"v")
            client = producer.client
            client._updated[kafka_topic] -= 2
            await producer.send(kafka_topic, b"v")  # returns at once, before the refresh has begun
            [refresh] = client._refreshing
            refresh.cancel()
            await asyncio.wait([refresh])
            before = client._updated[kafka_topic]
            await producer.send_and_wait(kafka_topic, b"v")
            await until(lambda: not client._refreshing)
            assert client._updated[kafka_topic] > before + 1


@pytest.mark.parametrize(
    "error",
    [
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.REQUEST_TIMED_OUT,
    ],
)
@in_loop
async def test_a_broker_that_refuses_until_the_end(
    kafka_cluster: MockCluster, kafka_topic: str, error: int
) -> None:
    """The message is sent again for request_timeout_ms, and fails with the broker's last error."""
    async with producer_of(
        kafka_cluster, acks="all", request_timeout_ms=1000, retry_backoff_ms=20
    ) as producer:
        await producer.send_and_wait(kafka_topic, b"v", partition=0)
        kafka_cluster.inject_errors("Produce", [error] * 3)
        await producer.send_and_wait(kafka_topic, b"v", partition=0)
        kafka_cluster.inject_errors("Produce", [error] * 1000)
        with pytest.raises(failures.for_code(error)):
            await producer.send_and_wait(kafka_topic, b"v", partition=0)


@in_loop
async def test_an_idempotent_producer_goes_on(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The message of an idempotent producer does not expire, because that would leave a gap.

    request_timeout_ms has no effect on it.
    """
    async with producer_of(
        kafka_cluster, enable_idempotence=True, request_timeout_ms=500, retry_backoff_ms=20
    ) as producer:
        await producer.send_and_wait(kafka_topic, b"v", partition=0)
        kafka_cluster.inject_errors("Produce", [KafkaError.NOT_ENOUGH_REPLICAS] * 1000)
        sending = asyncio.ensure_future(producer.send_and_wait(kafka_topic, b"v", partition=0))
        done, _ = await asyncio.wait([sending], timeout=2)
        assert not done
        kafka_cluster.clear_errors()
        assert (await sending).offset == 1


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"value": None}, AssertionError, "Need at least one: key or value"),
        ({"partition": 99}, AssertionError, "Unrecognized partition: no partition 99"),
        ({"value": 5}, TypeError, "a bytes-like object is required, not 'int': the value must be"),
        ({"key": "k"}, TypeError, "a bytes-like object is required, not 'str': the key must be"),
        ({"key": 5}, TypeError, "a bytes-like object is required, not 'int': the key must be"),
        ({"headers": "h"}, TypeError, "Expected list, got str: headers must be a list"),
        ({"headers": [("h", "v")]}, TypeError, "Expected bytes, got str: the value of header 'h'"),
        ({"headers": [(b"h", b"v")]}, TypeError, "Expected str, got bytes: the name of a header"),
    ],
)
@in_loop
async def test_errors_of_send_begin_with_the_words_of_aiokafka(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    arguments: dict[str, Any],
    kind: type[Exception],
    words: str,
) -> None:
    """Applications and their tests match these words; the details follow after them."""
    async with producer_of(kafka_cluster) as producer:
        await producer.send_and_wait(kafka_topic, b"v")
        with pytest.raises(kind) as raised:
            await producer.send(kafka_topic, **{"value": b"v"} | arguments)
        assert str(raised.value).startswith(words)


@pytest.mark.parametrize(
    ("offsets", "kind", "words"),
    [
        ({"topic": 5}, TypeError, "Key should be TopicPartition instance"),
        ({TopicPartition("t", 0): (5, None)}, TypeError, "Metadata should be a string"),
        ({TopicPartition("t", 0): (5, b"")}, TypeError, "Metadata should be a string"),
    ],
)
def test_errors_of_offsets_begin_with_the_words_of_aiokafka(
    offsets: Any, kind: type[Exception], words: str
) -> None:
    """The errors of commits and of transactions begin with the words of aiokafka."""
    with pytest.raises(kind) as raised:
        commit_structure_validate(offsets)
    assert str(raised.value).startswith(words)
