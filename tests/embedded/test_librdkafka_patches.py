"""What tools/patches changes in librdkafka, seen from Python."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from confluent_kafka import TIMESTAMP_CREATE_TIME, Consumer, Producer
from confluent_kafka.testing import MockCluster
from tests.embedded.wire import join_group, sync_group
from tests.support.kafka import Reports, read
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT, wait_until


def linked_dynamically() -> bool:
    """Whether this is the system's librdkafka, which has no patches of ours."""
    maps = Path("/proc/self/maps")
    return maps.exists() and "librdkafka.so" in maps.read_text()


unpatched = pytest.mark.skipif(
    linked_dynamically(), reason="the system's librdkafka is not patched"
)


@unpatched
def test_assignments_in_a_row(kafka_cluster: MockCluster) -> None:
    """assign() while partitions of the one before are being stopped: the process survives.

    stop-once.patch: librdkafka told a fetcher to stop that had not yet answered the first
    time, and aborted on the second answer.
    """
    kafka_cluster.create_topic("reassigned", 100)
    check_script(
        """
        import sys
        from confluent_kafka import Consumer, Producer, TopicPartition

        config = {"bootstrap.servers": sys.argv[1]}
        partitions = [TopicPartition("reassigned", number, 0) for number in range(100)]
        with Producer(config) as producer:
            for each in partitions:
                producer.produce(each.topic, b"value", partition=each.partition)
        with Consumer(config | {"group.id": "group"}) as consumer:
            consumer.assign(partitions)
            consumed = 0
            while consumed < 100:
                consumed += len(consumer.consume(100, 0.1))
            for _ in range(20):
                consumer.assign(partitions[:50])
        """,
        kafka_cluster.bootstrap_servers,
    )


@unpatched
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


@unpatched
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


@unpatched
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


@unpatched
def test_unit_tests_of_librdkafka(tmp_path: Path) -> None:
    """librdkafka's own unit tests pass with the patches."""
    tool = Path(__file__).resolve().parents[2] / "tools" / "librdkafka.py"

    def flags(kind: str) -> list[str]:
        command = [sys.executable, str(tool), "--print", kind]
        return shlex.split(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )

    source = tmp_path / "unittest.c"
    source.write_text(
        "#include <librdkafka/rdkafka.h>\nint main(void) { return rd_kafka_unittest(); }\n"
    )
    program = tmp_path / "unittest"
    subprocess.run(
        ["cc", "-o", program, *flags("cflags"), source, *flags("libs")], check=True, timeout=60
    )
    # Without what a sanitizer run preloads: some of them read memory that they did not set.
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    environment["CI"] = "1"  # their limits of time are for a machine of their own
    result = subprocess.run(
        [program], capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    failed = [line for line in result.stderr.splitlines() if "RDUT: FAIL" in line]
    assert (result.returncode, failed) == (0, [])


@unpatched
@pytest.mark.parametrize("name", ["list_consumer_group_offsets", "alter_consumer_group_offsets"])
def test_coordinator_that_is_found_late(kafka_cluster: MockCluster, name: str) -> None:
    """An admin request that timed out while its coordinator was looked up, and then it is found.

    admin-coordinator.patch: librdkafka replied to the request that was gone, and aborted.
    """
    kafka_cluster.create_topic("topic")
    kafka_cluster.set_round_trip_time(None, 0.4)
    script = """
        import sys
        from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
        from confluent_kafka.admin import AdminClient

        group = [ConsumerGroupTopicPartitions("group", [TopicPartition("topic", 0, 1)])]
        with AdminClient({"bootstrap.servers": sys.argv[1]}) as admin:
            first = getattr(admin, sys.argv[2])(group, request_timeout=0.1)["group"]
            print(first.exception(30).args[0].name())
            second = getattr(admin, sys.argv[2])(group, request_timeout=30)["group"]
            print(second.exception(60))
        """
    output = check_script(script, kafka_cluster.bootstrap_servers, name)
    assert output == "_TIMED_OUT\nNone\n"


@unpatched
def test_request_that_the_coordinator_does_not_know(kafka_cluster: MockCluster) -> None:
    """The future fails, and the client can be closed.

    admin-coordinator.patch: librdkafka gave the reply queue back twice, and aborted in the end.
    """
    script = """
        import sys
        from confluent_kafka.admin import AdminClient

        with AdminClient({"bootstrap.servers": sys.argv[1]}) as admin:
            future = admin.delete_consumer_groups(["group"])["group"]
            print(future.exception(30).args[0].name())
        """
    assert check_script(script, kafka_cluster.bootstrap_servers) == "_UNSUPPORTED_FEATURE\n"


@unpatched
def test_member_that_syncs_after_the_leader() -> None:
    """It gets the assignment that the leader has given it.

    mock-rebalance.patch: it was refused, and the group had to rebalance.
    """
    with MockCluster(1) as cluster, ThreadPoolExecutor(2) as threads:
        cluster.set_group_initial_rebalance_delay(2)  # so long the group waits for both
        address = cluster.bootstrap_servers
        joins = [threads.submit(join_group, address, "group") for _ in range(2)]
        one, two = (join.result(TIMEOUT) for join in joins)
        leader, follower = (one, two) if one.leader == one.member else (two, one)
        given = {leader.member: b"for the leader", follower.member: b"for the other"}
        assert sync_group(address, "group", leader, given) == (0, b"for the leader")
        assert sync_group(address, "group", follower, {}) == (0, b"for the other")


@unpatched
def test_members_that_come_and_go(kafka_cluster: MockCluster) -> None:
    """A rebalance of the mock cluster ends when all have joined again, a group with its last.

    mock-rebalance.patch: each lasted for session.timeout.ms less one second, 44 s here.
    """
    kafka_cluster.create_topic("shared", 2)
    config: dict[str, str | int] = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "group",
        "heartbeat.interval.ms": 50,
        "session.timeout.ms": 45_000,
    }

    def wait_until_assigned(*counts: int) -> None:
        members = (one, two)[: len(counts)]
        wait_until(
            lambda: tuple(len(member.assignment()) for member in members) == counts,
            lambda: [member.poll(0.01) for member in members],
        )

    with Consumer(config) as one, Consumer(config) as two:
        one.subscribe(["shared"])
        wait_until_assigned(2)
        two.subscribe(["shared"])
        wait_until_assigned(1, 1)
        two.close()
        wait_until_assigned(2)
        one.unsubscribe()
        wait_until_assigned(0)
        one.subscribe(["shared"])
        wait_until_assigned(2)


@unpatched
def test_time_of_delivered_messages(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """Delivery reports have the time that was given, or that of produce(), as the log has it.

    mock-append-time.patch: they all had the time 1234, as if the broker had set it.
    """
    reports = Reports()
    producer.produce(kafka_topic, b"given", timestamp=4711, on_delivery=reports)
    producer.produce(kafka_topic, b"now", on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    told = [message.timestamp() for message in reports.messages]
    assert told[0] == (TIMESTAMP_CREATE_TIME, 4711)
    assert told == [message.timestamp() for message in read(consumer, kafka_topic, 2)]
