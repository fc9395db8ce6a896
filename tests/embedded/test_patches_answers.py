"""Answers of a hostile broker that librdkafka, unpatched, does not survive."""

from __future__ import annotations

from tests.support.patches import needs
from tests.support.scripts import check_script


@needs("empty-buffer")
def test_member_without_metadata() -> None:
    """A group's leader is told of a member without metadata: it goes on, and joins again.

    empty-buffer.patch: no bytes to read the metadata from ended the process.
    """
    check_script(
        """
        import struct
        from confluent_kafka import TIMESTAMP_CREATE_TIME, Consumer, Producer
        from confluent_kafka.testing import MockCluster
        from tests.support.hostile import HostileProxy

        changed = []

        def change(api_key, frame):
            if api_key != 11 or b"joined" not in frame or changed:  # JoinGroup
                return frame
            # Before the topic: the metadata's version, a count, the topic's length.
            start = frame.index(b"joined") - 8
            (size,) = struct.unpack_from(">i", frame, start - 4)
            changed.append(size)
            return frame[:start - 4] + bytes(4) + frame[start + size:]

        assigned = []
        with (
            MockCluster(1) as cluster,
            HostileProxy(cluster.bootstrap_servers, change=change) as proxy,
        ):
            cluster.create_topic("joined")
            config = {
                "bootstrap.servers": proxy.address,
                "group.id": "group",
                "heartbeat.interval.ms": 100,
                "log_level": 0,
                "session.timeout.ms": 1000,
            }
            with Consumer(config) as consumer:
                consumer.subscribe(["joined"], on_assign=lambda _, given: assigned.append(given))
                while not any(assigned):
                    assert consumer.poll(0.1) is None
            assert changed
        """
    )


@needs("truncated-gzip")
def test_gzip_that_was_cut_short() -> None:
    """Records whose compressed data end early are an error, and the consumer can be closed.

    truncated-gzip.patch: the broker's thread decompressed them for ever.
    """
    check_script(
        """
        import gzip
        import random
        from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
        from confluent_kafka.testing import MockCluster
        from tests.support.hostile import HostileProxy

        def change(api_key, frame):
            start = frame.find(b"\\x1f\\x8b\\x08") if api_key == 1 else -1  # Fetch
            if start < 0:
                return frame
            longer = gzip.compress(random.Random(0).randbytes(len(frame)))
            return frame[:start] + longer[:len(frame) - start]

        with (
            MockCluster(1) as cluster,
            HostileProxy(cluster.bootstrap_servers, change=change) as proxy,
        ):
            cluster.create_topic("topic")
            config = {"bootstrap.servers": proxy.address, "log_level": 0}
            with Producer(config | {"compression.codec": "gzip"}) as producer:
                producer.produce("topic", bytes(1000), partition=0)
            with Consumer(config | {"group.id": "group"}) as consumer:
                consumer.assign([TopicPartition("topic", 0, 0)])
                message = consumer.poll(10)
                assert message.error().code() == KafkaError._BAD_COMPRESSION, message
        """,
        timeout=20,
    )


@needs("fetch-answer")
def test_partition_that_was_not_asked_for() -> None:
    """An answer about another partition of the topic is skipped, and the next one is read.

    fetch-answer.patch: it ended the process.
    """
    check_script(
        """
        import struct
        from confluent_kafka import Consumer, Producer, TopicPartition
        from confluent_kafka.testing import MockCluster
        from tests.support.hostile import HostileProxy

        changed = []

        def change(api_key, frame):
            if api_key != 1 or b"fetched" not in frame or changed:  # Fetch
                return frame
            place = frame.index(b"fetched") + len(b"fetched") + 4  # behind a count
            changed.append(struct.unpack_from(">i", frame, place))
            return frame[:place] + struct.pack(">i", 1) + frame[place + 4:]

        with (
            MockCluster(1) as cluster,
            HostileProxy(cluster.bootstrap_servers, change=change) as proxy,
        ):
            cluster.create_topic("fetched", 2)
            config = {"bootstrap.servers": proxy.address}
            with Producer(config) as producer:
                producer.produce("fetched", b"value", partition=0)
            with Consumer(config | {"group.id": "group"}) as consumer:
                consumer.assign([TopicPartition("fetched", 0, 0)])
                message = consumer.poll(10)
                assert (message.error(), message.value()) == (None, b"value")
            assert changed == [(0,)]
        """,
        timeout=20,
    )
