"""Checks the examples in the usage pages of kafka-python 0.9.5, on any cluster at `servers`.

Topics have four partitions and are empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka.compat.kafka_0_9 import (
    KafkaClient,
    KafkaConsumer,
    KeyedProducer,
    MultiProcessConsumer,
    RoundRobinPartitioner,
    SimpleConsumer,
    SimpleProducer,
    create_gzip_message,
    create_message,
    create_snappy_message,
)
from confluent_kafka.compat.kafka_0_9.common import (
    FetchRequest,
    Message,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetRequest,
    ProduceRequest,
)
from confluent_kafka.compat.kafka_0_9.context import OffsetCommitContext
from confluent_kafka.compat.kafka_0_9.partitioner import Murmur2Partitioner
from tests.support.kafka import numbers
from tests.support.waiting import TIMEOUT, wait_until

PARTITIONS = 4

Page = Callable[[str, str], None]
GroupPage = Callable[[str, str, str], None]


def everything(client: KafkaClient, topic: str, count: int) -> dict[int, list[Any]]:
    """The first `count` messages of the topic, by partition."""
    consumer = SimpleConsumer(client, None, topic, max_buffer_size=None)
    consumer.provide_partition_info()
    found: dict[int, list[Any]] = {partition: [] for partition in range(PARTITIONS)}
    pairs = consumer.get_messages(count, timeout=TIMEOUT)
    assert len(pairs) == count
    for partition, message in pairs:
        found[partition].append(message.message)
    consumer.stop()
    return found


def values(messages: list[Any]) -> list[bytes]:
    """The values of OffsetAndMessages."""
    return [message.message.value for message in messages]


def fill(client: KafkaClient, topic: str, count: int) -> None:
    """Sends numbers to the partitions in turn."""
    producer = SimpleProducer(client, random_start=False)
    for value in numbers(0, count):
        producer.send_messages(topic, value)


def messages_are_sent_at_once(servers: str, topic: str) -> None:
    """Each call sends to the next partition, and returns the offset of its first message."""
    client = KafkaClient(servers)
    producer = SimpleProducer(client, random_start=False)
    sent = [producer.send_messages(topic.encode(), b"a", b"b"), producer.send_messages(topic, b"c")]
    sent += [producer.send_messages(topic, b"d%d" % number) for number in range(3)]
    places = [(answer.partition, answer.offset) for (answer,) in sent]
    assert places == [(0, 0), (1, 0), (2, 0), (3, 0), (0, 2)]
    assert {(answer.topic, answer.error) for (answer,) in sent} == {(topic.encode(), 0)}
    found = everything(client, topic, 6)
    assert found[0] == [Message(0, 0, None, value) for value in (b"a", b"b", b"d2")]
    client.close()


def acknowledgements_are_chosen(servers: str, topic: str) -> None:
    """With acknowledgements, the response has an offset. Without them, there is no response."""
    client = KafkaClient(servers)
    for acks, offsets in ((SimpleProducer.ACK_AFTER_CLUSTER_COMMIT, [0]), (2, [1]), (0, [])):
        producer = SimpleProducer(
            client,
            req_acks=acks,
            ack_timeout=30_000,
            sync_fail_on_error=False,
            random_start=False,
            async_=False,
        )
        assert [answer.offset for answer in producer.send_messages(topic, b"v")] == offsets
    assert len(everything(client, topic, 3)[0]) == 3
    client.close()


def codecs_compress(servers: str, topic: str) -> None:
    """A consumer reads compressed messages without changes."""
    client = KafkaClient(servers)
    for number, codec in enumerate((1, 2), 1):
        producer = SimpleProducer(client, codec=codec, random_start=False)
        producer.send_messages(topic, *[b"v" * 1000] * 10)
        found = everything(client, topic, 10 * number)[0]
        assert found == [Message(0, 0, None, b"v" * 1000)] * 10 * number
    client.close()


def messages_are_sent_in_the_background(servers: str, topic: str) -> None:
    """The producer sends a batch when it is full, and sends the rest when it stops."""
    client = KafkaClient(servers)
    producer = SimpleProducer(
        client,
        random_start=False,
        **{"async": True, "batch_send_every_n": 3, "batch_send_every_t": 3600},
    )
    assert producer.send_messages(topic, *numbers(0, 4)) == []
    assert len(everything(client, topic, 3)[0]) == 3
    producer.stop()
    assert [one.value for one in everything(client, topic, 4)[0]] == numbers(0, 4)
    client.close()


def keys_choose_partitions(servers: str, topic: str) -> None:
    """Each partitioner chooses partitions: by hash, by the Java client's hash, and round-robin."""
    client = KafkaClient(servers)
    producer = KeyedProducer(client)
    for key in (b"key1", b"key2", b"key1"):
        producer.send(topic, key, b"v")
    found = everything(client, topic, 3)
    assert any(keys_of(some).count(b"key1") == 2 for some in found.values())

    producer = KeyedProducer(client, partitioner=Murmur2Partitioner)
    (answer,) = producer.send_messages(topic.encode(), b"abc", b"v", b"w")
    assert answer.partition == 479470107 % PARTITIONS

    producer = KeyedProducer(client, partitioner=RoundRobinPartitioner)
    sent = [producer.send(topic, b"k", b"v")[0].partition for _ in range(5)]
    assert sent == [0, 1, 2, 3, 0]
    client.close()


def keys_of(messages: list[Message]) -> list[bytes | None]:
    """The keys of messages."""
    return [message.key for message in messages]


def a_group_goes_on(servers: str, topic: str, group: str) -> None:
    """A SimpleConsumer continues at the offset that it has stored."""
    client = KafkaClient(servers)
    fill(client, topic, 20)
    first = SimpleConsumer(client, group, topic)
    read = values(first.get_messages(8, timeout=TIMEOUT))
    first.stop()
    second = SimpleConsumer(client, group, topic, iter_timeout=0.5)
    wait_until(lambda: read.extend(values(list(second))) or len(read) >= 20)
    assert sorted(read) == sorted(numbers(0, 20))
    second.stop()
    third = SimpleConsumer(client, group, topic)
    assert third.pending() == 0
    third.stop()
    client.close()


def processes_share(servers: str, topic: str, group: str) -> None:
    """The processes of a MultiProcessConsumer read all partitions, and end when it stops."""
    client = KafkaClient(servers)
    fill(client, topic, 20)
    for options in ({"num_procs": 2}, {"partitions_per_proc": 3}):
        consumer = MultiProcessConsumer(client, group, topic, **options)
        processes = [worker._process for worker in consumer._workers]
        assert len(processes) == 2
        found = consumer.get_messages(count=20, block=True, timeout=TIMEOUT)
        assert sorted(values(found)) == sorted(numbers(0, 20))
        consumer.stop()
        assert [process.returncode for process in processes] == [0, 0]
        assert SimpleConsumer(client, group, topic, auto_commit=False).pending() == 0
        group += "-2"
    client.close()


def offsets_are_of_what_is_done(servers: str, topic: str, group: str) -> None:
    """KafkaConsumer stores only the offsets of messages that task_done() has marked."""
    client = KafkaClient(servers)
    fill(client, topic, 8)
    options: dict[str, Any] = {
        "bootstrap_servers": servers.split(","),
        "group_id": group,
        "auto_offset_reset": "smallest",
    }
    consumer = KafkaConsumer(topic, **options)
    read = [consumer.next() for _ in range(8)]
    assert sorted(message.value for message in read) == numbers(0, 8)
    for message in read:
        if message.partition != 3:
            assert consumer.task_done(message)
    assert consumer.commit()
    assert not consumer.commit()
    consumer.close()

    consumer = KafkaConsumer((topic, 2), {topic: 3}, **options)
    name = topic.encode()
    assert consumer.offsets("fetch") == {(name, 2): 2, (name, 3): 0}
    again = [consumer.next(), consumer.next()]
    assert [message.value for message in again] == [b"3", b"7"]
    consumer.close()
    client.close()


def offsets_are_of_what_was_marked(servers: str, topic: str, group: str) -> None:
    """OffsetCommitContext stores the offset of the marked message, and the rest is read again."""
    client = KafkaClient(servers)
    fill(client, topic, 8)
    consumer = SimpleConsumer(client, group, topic, auto_commit=False)
    consumer.provide_partition_info()
    with OffsetCommitContext(consumer) as context:
        found = consumer.get_messages(8, timeout=TIMEOUT)
        partition, message = found[0]
        context.mark(partition, message.offset)
        assert context
    assert consumer.pending() == 7
    assert len(consumer.get_messages(7, timeout=TIMEOUT)) == 7
    assert SimpleConsumer(client, group, topic, auto_commit=False).pending() == 7
    client.close()


def compressed_messages_are_unpacked(servers: str, topic: str) -> None:
    """The broker unpacks messages from create_gzip_message() and create_snappy_message()."""
    client = KafkaClient(servers)
    name = topic.encode()
    payloads = [
        ProduceRequest(name, 0, [create_message(b"plain", b"key")]),
        ProduceRequest(name, 1, [create_gzip_message([(b"a", None), (b"b", b"k")])]),
        ProduceRequest(name, 2, [create_snappy_message([(b"c", None)]), create_message(b"d")]),
    ]
    answers = client.send_produce_request(payloads)
    assert [(one.partition, one.error, one.offset) for one in answers] == [
        (0, 0, 0),
        (1, 0, 0),
        (2, 0, 0),
    ]
    found = everything(client, topic, 5)
    assert [(one.key, one.value) for one in found[0]] == [(b"key", b"plain")]
    assert [(one.key, one.value) for one in found[1]] == [(None, b"a"), (b"k", b"b")]
    assert [one.value for one in found[2]] == [b"c", b"d"]
    client.close()


def requests_are_answered(servers: str, topic: str, group: str) -> None:
    """Each low-level request returns a response for each payload, in the order of the payloads."""
    client = KafkaClient(servers)
    name = topic.encode()
    payloads = [
        ProduceRequest(name, partition, [Message(0, 0, None, b"v"), Message(0, 0, b"k", b"w")])
        for partition in (3, 0, 2)
    ]
    answers = client.send_produce_request(
        payloads=payloads, acks=-1, timeout=30_000, fail_on_error=True
    )
    assert [(one.topic, one.partition, one.error, one.offset) for one in answers] == [
        (name, partition, 0, 0) for partition in (3, 0, 2)
    ]
    fetched = client.send_fetch_request(
        [FetchRequest(name, 2, 1, 4096), FetchRequest(name, 3, 0, 4096)], min_bytes=1
    )
    assert [(one.partition, one.error, one.highwaterMark) for one in fetched] == [
        (2, 0, 2),
        (3, 0, 2),
    ]
    assert [[m.offset for m in one.messages] for one in fetched] == [[1], [0, 1]]
    ends = client.send_offset_request(
        [
            OffsetRequest(name, 0, -1, 2),
            OffsetRequest(name, 1, -1, 2),
            OffsetRequest(name, 2, -2, 1),
        ]
    )
    assert [one.offsets for one in ends] == [(2, 0), (0,), (0,)]

    commits = [OffsetCommitRequest(name, 0, 2, b"note"), OffsetCommitRequest(name, 2, 1, None)]
    stored = client.send_offset_commit_request(group, commits)
    assert [(one.partition, one.error) for one in stored] == [(0, 0), (2, 0)]
    wanted = [OffsetFetchRequest(name, partition) for partition in (2, 1, 0)]
    found = client.send_offset_fetch_request(group.encode(), wanted, fail_on_error=False)
    assert [(one.offset, one.metadata, one.error) for one in found] == [
        (1, b"", 0),
        (-1, b"", 3),
        (2, b"note", 0),
    ]
    found = client.send_offset_fetch_request_kafka(group, wanted, callback=lambda one: one.error)
    assert found == [0, 0, 0]

    cluster = client.send_metadata_request([topic])
    (described,) = cluster.topics
    assert (described.topic, described.error) == (name, 0)
    assert sorted(one.partition for one in described.partitions) == [0, 1, 2, 3]
    coordinator = client.send_consumer_metadata_request(group)
    assert (coordinator.nodeId, coordinator.host, coordinator.port) in cluster.brokers
    client.close()
