"""What the patches change in librdkafka's mock brokers."""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    Consumer,
    KafkaError,
    Producer,
    TopicPartition,
    protocol,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.wire import api_versions, begin_to_join, join_group, sync_group
from tests.support.kafka import Reports, committed, joined, numbers, read, send, values_of
from tests.support.patches import needs
from tests.support.protocol import ask, compact_text, text
from tests.support.scripts import check_script
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until


@needs("mock-rebalance")
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


@needs("mock-rebalance")
def test_members_that_come_and_go(kafka_cluster: MockCluster) -> None:
    """A rebalance ends when all members have joined, and a group ends with its last member.

    Without mock-rebalance.patch, each takes session.timeout.ms minus one second: 44 s here.
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


@needs("mock-commit-joining")
def test_a_commit_in_on_revoke() -> None:
    """What a member commits when it gives partitions up is kept, as by Kafka.

    mock-commit-joining.patch: it was refused (REBALANCE_IN_PROGRESS) once another one had joined.
    """
    places = [TopicPartition("shared", number, 5 + number) for number in range(2)]
    kept: list[int] = []

    def commit(consumer: Consumer, _: list[TopicPartition]) -> None:
        if not kept:
            done = consumer.commit(offsets=places, asynchronous=False)
            kept.extend(each.offset for each in done)

    with MockCluster(1) as cluster:
        address = cluster.bootstrap_servers
        cluster.create_topic("shared", 2)
        config: dict[str, Any] = {
            "bootstrap.servers": address,
            "group.id": "group",
            "heartbeat.interval.ms": 50,
        }
        with Consumer(config) as consumer:
            consumer.subscribe(["shared"], on_revoke=commit)
            joined(consumer)
            with begin_to_join(address, "group", ""):
                wait_until(lambda: kept, lambda: consumer.poll(0.01))
        with Consumer(config) as consumer:
            assert [each.offset for each in consumer.committed(places, TIMEOUT)] == kept
    assert kept == [5, 6]


@needs("mock-marker-crc")
def test_markers_with_checked_crcs(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A consumer that checks CRCs reads behind the end of a transaction.

    mock-marker-crc.patch: the marker had none.
    """
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    with Producer(config | {"transactional.id": "writer"}) as producer:
        producer.init_transactions(TIMEOUT)
        for value in ("one", "two"):
            producer.begin_transaction()
            producer.produce(kafka_topic, value)
            producer.commit_transaction(TIMEOUT)
    settings: dict[str, Any] = {"group.id": "group", "check.crcs": True}
    with Consumer(config | settings) as consumer:
        assert values_of(read(consumer, kafka_topic, 2)) == [b"one", b"two"]


@needs("mock-lost-member")
def test_member_that_was_never_answered() -> None:
    """A group forgets a member whose connection ended before it was told its id.

    mock-lost-member.patch: the next member waited until the session of the first had timed out.
    """
    with MockCluster(1) as cluster:
        address = cluster.bootstrap_servers
        cluster.start_request_tracking()
        cluster.set_group_initial_rebalance_delay(600)  # so long nobody is answered
        with begin_to_join(address, "group", ""):
            wait_until(lambda: [each.request for each in cluster.requests()] == ["JoinGroup"])
        cluster.set_group_initial_rebalance_delay(0)
        watch = Stopwatch()
        alone = join_group(address, "group")
        assert alone.leader == alone.member
        assert watch.elapsed < SOON


# Two members of a group, one of which leads it; asked() waits until the broker has a request.
TWO_MEMBERS = """
from concurrent.futures import ThreadPoolExecutor
from confluent_kafka.testing import MockCluster
from tests.embedded import wire
from tests.support.protocol import answer_of
from tests.support.waiting import wait_until

def asked(name, count):
    wait_until(lambda: [each.request for each in cluster.requests()].count(name) == count)

with MockCluster(1) as cluster, ThreadPoolExecutor(2) as threads:
    cluster.set_group_initial_rebalance_delay(2)  # so long the group waits for both
    address = cluster.bootstrap_servers
    cluster.start_request_tracking()
    joins = [threads.submit(wire.join_group, address, "group") for _ in range(2)]
    one, two = (join.result() for join in joins)
    leader, follower = (one, two) if one.leader == one.member else (two, one)
"""


@needs("mock-join-twice")
def test_member_that_joins_twice() -> None:
    """The later of its two requests is answered when the other member has joined too."""
    check_script(
        TWO_MEMBERS
        + """
    with wire.begin_to_join(address, "group", one.member):
        asked("JoinGroup", 3)
        with wire.begin_to_join(address, "group", one.member) as again:
            asked("JoinGroup", 4)
            assert wire.join_group(address, "group", two.member).member == two.member
            assert wire.joined(answer_of(again)).member == one.member
"""
    )


@needs("mock-join-twice")
def test_member_that_syncs_twice() -> None:
    """If a member sends SyncGroup twice, the second is answered when the leader has synced."""
    check_script(
        TWO_MEMBERS
        + """
    with wire.begin_to_sync(address, "group", follower, {}):
        asked("SyncGroup", 1)
        with wire.begin_to_sync(address, "group", follower, {}) as again:
            asked("SyncGroup", 2)
            given = {leader.member: b"to the leader", follower.member: b"given"}
            wire.sync_group(address, "group", leader, given)
            assert wire.synced(answer_of(again)) == (0, b"given")
"""
    )


@needs("mock-append-time")
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


@needs("mock-api-versions")
def test_api_versions_of_a_newer_client(kafka_cluster: MockCluster) -> None:
    """A version that is not known is answered as of version 0, which says what is known.

    mock-api-versions.patch: kafka-python 3 and the Java client could not read the answer.
    """
    address = kafka_cluster.bootstrap_servers.partition(",")[0]
    body = compact_text("client") + compact_text("1.0") + b"\0"
    answer = ask(address, api_key=18, version=4, body=body, header_tags=b"\0")
    unsupported, one_entry, api_key = 35, 1, 18
    lowest, highest = api_versions(address)[api_key]
    assert answer == struct.pack(">hihhh", unsupported, one_entry, api_key, lowest, highest)


@needs("mock-group-versions")
def test_versions_of_group_requests(kafka_cluster: MockCluster) -> None:
    """The brokers offer what they can read.

    mock-group-versions.patch: a kafka-python 3 or Java client in a group lost its connection.
    """
    offered = api_versions(kafka_cluster.bootstrap_servers.partition(",")[0])
    join_group, heartbeat, leave_group, sync_group = 11, 12, 13, 14
    assert offered[join_group] == (0, 5)
    assert offered[heartbeat] == (0, 3)
    assert offered[leave_group] == (0, 2)
    assert offered[sync_group] == (0, 3)


@needs("mock-join-nothing", "raw-request")
def test_member_without_protocols(kafka_cluster: MockCluster) -> None:
    """It is refused as Kafka refuses it, and the cluster goes on."""
    kafka_cluster.set_coordinator("group", "", 1)
    body = text("") + struct.pack(">i", 1000) + text("") + text("") + struct.pack(">i", 0)
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        for _ in range(3):
            answer = producer.request(11, 0, body, broker=1, timeout=TIMEOUT)
            assert struct.unpack_from(">h", answer) == (KafkaError.INCONSISTENT_GROUP_PROTOCOL,)
        assert producer.list_topics(timeout=TIMEOUT).brokers


@needs("mock-metadata-tags", "raw-request")
def test_metadata_ends_once(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The answer has nothing behind its end, in every version that the cluster has."""
    request = protocol.MetadataRequest(topics=None)
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        lowest, highest = producer.api_versions(timeout=TIMEOUT)[request.api_key]
        for version in range(max(1, lowest), highest + 1):
            answer = producer.request(request.api_key, version, request.encode(version))
            found = protocol.MetadataResponse.decode(answer, version)
            assert [topic.name for topic in found.topics] == [kafka_topic]


@needs("mock-commit-epoch")
def test_a_commit_after_the_leader_has_moved(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """The epoch of a committed offset is that of the message that was read.

    mock-commit-epoch.patch: the commit was refused (FENCED_LEADER_EPOCH).
    """
    send(producer, kafka_topic, numbers(0, 3))
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with Consumer(config) as consumer:
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        assert values_of(consumer.consume(3, TIMEOUT)) == numbers(0, 3)
        for broker in (2, 3, 1):
            kafka_cluster.set_leader(kafka_topic, 0, broker)
        consumer.commit(asynchronous=False)
        assert committed(consumer, kafka_topic) == 3
