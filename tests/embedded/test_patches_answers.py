"""Answers that would end the process with an unpatched librdkafka: each one is an error or
skipped."""

from __future__ import annotations

import textwrap

from tests.support.patches import needs
from tests.support.scripts import check_script

# change() gets all answers of the broker with their API keys, and ask() gets all requests.
# `changed` is true if change() was used.
SCRIPT = """
import gzip
import random
import struct
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.support.hostile import HostileProxy

FETCH, METADATA, OFFSET_FETCH, JOIN_GROUP, API_VERSIONS = 1, 3, 9, 11, 18
changed = []

def ask(api_key, frame):
    return frame

{change}

def assigned(config):
    config |= {{"group.id": "group", "heartbeat.interval.ms": 100, "session.timeout.ms": 1000}}
    given = []
    with Consumer(config) as consumer:
        consumer.subscribe(["topic"], on_assign=lambda _, partitions: given.append(partitions))
        while not any(given):
            message = consumer.poll(0.1)
            # The second is the mock's refusal of SyncGroup, where nobody leads or gives partitions.
            refused = (KafkaError._BAD_MSG, KafkaError.INVALID_PARTITIONS)
            assert message is None or message.error() in refused, message
        return given[-1]

def first_message(config):
    with Consumer(config | {{"group.id": "group"}}) as consumer:
        consumer.assign([TopicPartition("topic", 0, 0)])
        return consumer.poll(30)

def brokers(config):
    with Producer(config) as producer:
        while True:
            try:
                return producer.list_topics(timeout=30).brokers
            except KafkaException as exception:
                assert exception.args[0].code() == KafkaError._BAD_MSG, exception

def strings_of_join_group(frame):
    # Behind the correlation id, the throttle time, the error and the generation: the protocol,
    # the leader and this member. Each place is that of a size, in two bytes.
    places = [14]
    for _ in range(3):
        (size,) = struct.unpack_from(">h", frame, places[-1])
        places.append(places[-1] + 2 + size)
    return places

with (
    MockCluster(1) as cluster,
    HostileProxy(cluster.bootstrap_servers, change=change, ask=ask) as proxy,
):
    cluster.create_topic("topic", 2)
    config = {{"bootstrap.servers": proxy.address, "log_level": 0}}
{clients}
assert changed
"""


def check(change: str, clients: str) -> None:
    """Run `clients`, the end of a script, with a broker whose answers go through `change`."""
    check_script(
        SCRIPT.format(
            change=textwrap.dedent(change),
            clients=textwrap.indent(textwrap.dedent(clients), "    "),
        )
    )


@needs("array-count")
def test_null_array_of_members() -> None:
    """If the leader of a group gets no list of its members, it joins again."""
    check(
        """
        def change(api_key, frame):
            if api_key != JOIN_GROUP or b"topic" not in frame or changed:
                return frame
            count = strings_of_join_group(frame)[3]
            changed.append(struct.unpack_from(">i", frame, count))
            return frame[:count] + struct.pack(">i", -1) + frame[count + 4:]
        """,
        "assert len(assigned(config)) == 2",
    )


@needs("array-count")
def test_null_array_of_brokers() -> None:
    """If Metadata contains no list of brokers, the client waits for the next answer."""
    check(
        """
        def change(api_key, frame):
            if api_key != METADATA or len(changed) > 1:
                return frame
            # Behind the correlation id, the tags and the throttle time: a count and one.
            changed.append(frame[9])
            assert frame[9] == 2
            return frame[:9] + bytes(1) + frame[10:]
        """,
        "assert len(brokers(config)) == 1",
    )


@needs("null-string")
def test_leader_without_an_id() -> None:
    """If a group has no leader, the member waits for one for some time, and joins again."""
    check(
        """
        def change(api_key, frame):
            if api_key != JOIN_GROUP or b"topic" not in frame or changed:
                return frame
            leader, member = strings_of_join_group(frame)[1:3]
            changed.append(frame[leader:member])
            return frame[:leader] + struct.pack(">h", -1) + frame[member:]
        """,
        "assert len(assigned(config)) == 2",
    )


@needs("metadata-host")
def test_broker_without_a_host() -> None:
    """If Metadata contains a null host name, the answer is refused, and the next one is read."""
    check(
        """
        def change(api_key, frame):
            if api_key != METADATA or len(changed) > 1:
                return frame
            size = frame.index(b"127.0.0.1") - 1  # and one
            changed.append(frame[size])
            assert frame[size] == 10
            return frame[:size] + bytes(1) + frame[size + 10:]
        """,
        "assert len(brokers(config)) == 1",
    )


@needs("offset-fetch")
def test_committed_offsets_that_cannot_be_read() -> None:
    """If an answer to OffsetFetch ends too early, the requested partitions have an error."""
    check(
        """
        def change(api_key, frame):
            if api_key != OFFSET_FETCH:
                return frame
            changed.append(frame)
            return frame[:4]
        """,
        """
        with Consumer(config | {"group.id": "group"}) as consumer:
            consumer.assign([TopicPartition("topic", 0)])
            message = consumer.poll(30)
            assert message.error() is not None
            print(message.error())
        """,
    )


@needs("empty-batch")
def test_compressed_batch_of_nothing() -> None:
    """If records decompress to no bytes, this is an error, as other invalid compression is."""
    check(
        """
        def change(api_key, frame):
            start = frame.find(b"\\x1f\\x8b\\x08") if api_key == FETCH else -1
            if start < 0:
                return frame
            nothing = gzip.compress(b"")
            changed.append(frame)
            return frame[:start] + nothing + frame[start + len(nothing):]
        """,
        """
        with Producer(config | {"compression.codec": "gzip"}) as producer:
            producer.produce("topic", bytes(1000), partition=0)
        error = first_message(config).error()
        assert error.code() == KafkaError._BAD_COMPRESSION, error
        """,
    )


@needs("empty-buffer")
def test_member_without_metadata() -> None:
    """If a group's leader gets a member without metadata, it continues and joins again."""
    check(
        """
        def change(api_key, frame):
            if api_key != JOIN_GROUP or b"topic" not in frame or changed:
                return frame
            # Before the topic: the metadata's version, a count, the topic's size.
            start = frame.index(b"topic") - 8
            (size,) = struct.unpack_from(">i", frame, start - 4)
            changed.append(size)
            return frame[:start - 4] + bytes(4) + frame[start + size:]
        """,
        "assert len(assigned(config)) == 2",
    )


@needs("truncated-gzip")
def test_gzip_that_was_cut_short() -> None:
    """If compressed data ends too early, this is an error, and the consumer can be closed."""
    check(
        """
        def change(api_key, frame):
            start = frame.find(b"\\x1f\\x8b\\x08") if api_key == FETCH else -1
            if start < 0:
                return frame
            longer = gzip.compress(random.Random(0).randbytes(len(frame)))
            changed.append(frame)
            return frame[:start] + longer[:len(frame) - start]
        """,
        """
        with Producer(config | {"compression.codec": "gzip"}) as producer:
            producer.produce("topic", bytes(1000), partition=0)
        error = first_message(config).error()
        assert error.code() == KafkaError._BAD_COMPRESSION, error
        """,
    )


@needs("fetch-answer")
def test_partition_that_was_not_asked_for() -> None:
    """An answer about another partition of the topic is skipped, and the next one is read."""
    check(
        """
        def change(api_key, frame):
            if api_key != FETCH or b"topic" not in frame or changed:
                return frame
            place = frame.index(b"topic") + len(b"topic") + 4  # behind a count
            changed.append(struct.unpack_from(">i", frame, place))
            assert changed == [(0,)]
            return frame[:place] + struct.pack(">i", 1) + frame[place + 4:]
        """,
        """
        with Producer(config) as producer:
            producer.produce("topic", b"value", partition=0)
        message = first_message(config)
        assert (message.error(), message.value()) == (None, b"value")
        """,
    )


@needs("fetch-answer")
def test_tags_of_a_partition_that_cannot_be_read() -> None:
    """If a Fetch answer ends within a partition's tags, this is an error, and the next answer is
    read."""
    check(
        """
        def ask(api_key, frame):
            # The mock brokers do not offer the first version with tags: they are asked for
            # something else, and change() answers for them.
            if api_key != FETCH:
                return frame
            assert struct.unpack_from(">h", frame, 2) == (12,)
            return struct.pack(">hh4sh", API_VERSIONS, 0, frame[4:8], -1)

        def change(api_key, frame):
            if api_key == API_VERSIONS:
                offered, tagged = (struct.pack(">hhh", FETCH, 0, version) for version in (11, 12))
                return frame.replace(offered, tagged, 1)
            if api_key != FETCH:
                return frame
            changed.append(frame)
            # The correlation id; the throttle time, the error, the session; a topic, a partition.
            answer = frame[:4] + bytes(1) + bytes(10) + b"\\2" + b"\\6topic" + b"\\2"
            # Its number, the error, where it ends (twice) and begins; an aborted transaction.
            spoilt = len(changed) <= 10
            answer += struct.pack(">ihqqq", 0, 0, spoilt, spoilt, 0) + b"\\2" + bytes(8 + 8 + 1)
            # The preferred replica; no records; the tags, those of the topic, those of all.
            answer += struct.pack(">i", -1) + b"\\1"
            return answer + (b"\\1" if spoilt else bytes(3))
        """,
        """
        error = first_message(
            config | {"enable.partition.eof": True, "fetch.error.backoff.ms": 0}
        ).error()
        assert error.code() == KafkaError._PARTITION_EOF, error
        assert len(changed) > 10
        """,
    )


@needs("small-message")
def test_message_that_is_smaller_than_its_header() -> None:
    """A message of an old format whose size is too small is discarded, and fetched again."""
    check(
        """
        def change(api_key, frame):
            if api_key != FETCH or b"value" not in frame or changed:
                return frame
            # A batch of one: its offset (8 bytes), size (4), the leader's epoch (4), format 2;
            # at its end the value and that there are no headers.
            end = frame.index(b"value") + 6
            start = next(
                place for place in range(end)
                if struct.unpack_from(">qi", frame, place) == (0, end - place - 12)
            )
            changed.append(frame[start + 16])
            assert changed[-1] == 2
            frame = bytearray(frame)
            frame[start + 8:start + 12] = struct.pack(">i", 1)
            frame[start + 16] = 1
            return bytes(frame)
        """,
        """
        with Producer(config) as producer:
            producer.produce("topic", b"value", partition=0)
        message = first_message(config | {"check.crcs": True})
        assert (message.error(), message.value()) == (None, b"value")
        """,
    )


@needs("late-partitions")
def test_no_answer_to_partitions_of_an_aborted_transaction() -> None:
    """If AddPartitionsToTxn times out after its transaction has ended, the next transaction still
    works."""
    check(
        """
        import threading
        import time

        ADD_PARTITIONS_TO_TXN = 24
        came = threading.Event()

        def change(api_key, frame):
            if api_key != ADD_PARTITIONS_TO_TXN or changed:
                return frame
            changed.append(frame[:4])
            came.set()
            return bytes(4) + frame[4:]  # the answer to a request that nobody has sent
        """,
        """
        given_up_ms = 1000
        cluster.set_transaction_version(1)  # else nothing asks to add partitions
        config |= {"transactional.id": "one", "socket.timeout.ms": given_up_ms}
        with Producer(config) as producer:
            producer.init_transactions(30)
            producer.begin_transaction()
            producer.produce("topic", b"aborted")
            assert came.wait(30)
            producer.abort_transaction(30)
            time.sleep(2 * given_up_ms / 1000)  # nothing tells when it is given up
            producer.begin_transaction()
            producer.produce("topic", b"committed")
            producer.commit_transaction(30)
        """,
    )
