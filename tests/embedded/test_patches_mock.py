"""What the patches change in librdkafka's mock brokers."""

from __future__ import annotations

import contextlib
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    ShareConsumer,
    TopicPartition,
    protocol,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from confluent_kafka.testing._administration._state import State
from tests.embedded.wire import api_versions, begin_to_join, join_group, sync_group
from tests.support.callbacks import Recorder
from tests.support.kafka import Reports, committed, joined, numbers, outcome, read, send, values_of
from tests.support.patches import needs
from tests.support.protocol import ask, compact_text, sized, text
from tests.support.scripts import check_script
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until


@needs("mock-rebalance")
def test_member_that_syncs_after_the_leader() -> None:
    """A member that syncs after the leader gets the assignment that the leader has made.

    Without mock-rebalance.patch, the member was refused, and the group had to rebalance.
    """
    with MockCluster(1) as cluster, ThreadPoolExecutor(2) as threads:
        cluster.set_group_initial_rebalance_delay(2)  # how long the group waits for both members
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


@needs("mock-member-ids")
def test_ids_of_members() -> None:
    """A member never gets the id of a member that has left.

    mock-member-ids.patch: the id was an address in memory, which the next member could also get.
    """
    with MockCluster(1) as cluster:
        cluster.set_group_initial_rebalance_delay(0)
        address, ids = cluster.bootstrap_servers, set()
        for _ in range(20):
            member = join_group(address, "group").member
            leave = protocol.LeaveGroupRequest(group_id="group", member_id=member)
            ask(address, leave.api_key, 1, leave.encode(1))
            ids.add(member)
    assert len(ids) == 20


@needs("mock-commit-joining")
def test_a_commit_in_on_revoke() -> None:
    """As in Kafka, a commit is accepted when a member gives up its partitions.

    Without mock-commit-joining.patch, the commit was refused (REBALANCE_IN_PROGRESS) once another
    member had joined.
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
    """A consumer that checks CRCs reads past the end of a transaction.

    Without mock-marker-crc.patch, the marker had no CRC.
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
    """A group forgets a member whose connection ended before the member got its id.

    Without mock-lost-member.patch, the next member waited until the session of the first one timed
    out.
    """
    with MockCluster(1) as cluster:
        address = cluster.bootstrap_servers
        cluster.start_request_tracking()
        cluster.set_group_initial_rebalance_delay(600)  # no member is answered during this time
        with begin_to_join(address, "group", ""):
            wait_until(lambda: [each.request for each in cluster.requests()] == ["JoinGroup"])
        cluster.set_group_initial_rebalance_delay(0)
        watch = Stopwatch()
        alone = join_group(address, "group")
        assert alone.leader == alone.member
        assert watch.elapsed < SOON


# Two members of a group, one of which is the leader; asked() waits until the broker has a request.
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
    """If a member joins twice, its second request is answered when the other member has joined,
    too."""
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
    """If a member sends SyncGroup twice, the second request is answered when the leader has
    synced."""
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
    """Delivery reports have the given time or the time of produce(), the same as the log.

    Without mock-append-time.patch, all reports had the time 1234, as if the broker had set it.
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
    """A request of an unknown version is answered in version 0, with the supported versions.

    Without mock-api-versions.patch, kafka-python 3 and the Java client could not read the answer.
    """
    address = kafka_cluster.bootstrap_servers.partition(",")[0]
    body = compact_text("client") + compact_text("1.0") + b"\0"
    answer = ask(address, api_key=18, version=4, body=body, header_tags=b"\0")
    unsupported, one_entry, api_key = 35, 1, 18
    lowest, highest = api_versions(address)[api_key]
    assert answer == struct.pack(">hihhh", unsupported, one_entry, api_key, lowest, highest)


@needs("mock-group-versions")
def test_versions_of_group_requests(kafka_cluster: MockCluster) -> None:
    """The brokers offer only versions that they can read.

    Without mock-group-versions.patch, a kafka-python 3 or Java client in a group lost its
    connection.
    """
    offered = api_versions(kafka_cluster.bootstrap_servers.partition(",")[0])
    join_group, heartbeat, leave_group, sync_group = 11, 12, 13, 14
    assert offered[join_group] == (0, 5)
    assert offered[heartbeat] == (0, 3)
    assert offered[leave_group] == (0, 5)  # since mock-leave-members.patch
    assert offered[sync_group] == (0, 3)


@needs("mock-producer-ids")
def test_producer_ids(kafka_cluster: MockCluster) -> None:
    """Each producer gets its own id.

    Without mock-producer-ids.patch, the ids were random, and of 6,000 ids about 20 existed twice.
    """
    count = 6_000
    header = struct.pack(">hhi", 22, 0, 1) + text("tests")
    no_transactional_id, timeout = -1, 1000
    request = sized(header + struct.pack(">hi", no_transactional_id, timeout))
    host, port = kafka_cluster.bootstrap_servers.partition(",")[0].split(":")
    with socket.create_connection((host, int(port)), timeout=TIMEOUT) as connection:
        connection.sendall(request * count)
        with connection.makefile("rb") as stream:
            answers = [struct.unpack(">iiihqh", stream.read(24)) for _ in range(count)]
    assert {error for _, _, _, error, _, _ in answers} == {0}
    assert len({producer_id for *_, producer_id, _ in answers}) == count


@needs("mock-join-nothing", "raw-request")
def test_member_without_protocols(kafka_cluster: MockCluster) -> None:
    """A member without protocols is refused with Kafka's error, and the cluster still works."""
    kafka_cluster.set_coordinator("group", "", 1)
    body = text("") + struct.pack(">i", 1000) + text("") + text("") + struct.pack(">i", 0)
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        for _ in range(3):
            answer = producer.request(11, 0, body, broker=1, timeout=TIMEOUT)
            assert struct.unpack_from(">h", answer) == (KafkaError.INCONSISTENT_GROUP_PROTOCOL,)
        assert producer.list_topics(timeout=TIMEOUT).brokers


@needs("mock-metadata-tags", "raw-request")
def test_metadata_ends_once(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The answer has no bytes after its end, in every version that the cluster offers."""
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
    """The epoch of a committed offset is the epoch of the message that was read.

    Without mock-commit-epoch.patch, the commit was refused (FENCED_LEADER_EPOCH).
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


def answer_of(cluster: MockCluster, request: Any, version: int, **where: Any) -> Any:
    """The response of a broker to a request."""
    with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
        body = request.encode(version)
        answer = producer.request(request.api_key, version, body, timeout=TIMEOUT, **where)
    return request.response_class.decode(answer, version)


@needs("mock-operations", "raw-request")
def test_authorized_operations(kafka_cluster: MockCluster) -> None:
    """Without ACLs, a description that asks for the authorized operations contains all of them.

    Without mock-operations.patch, the brokers did not return what a client may do.
    """
    kafka_cluster.create_topic("orders")
    silent, told = (
        answer_of(
            kafka_cluster,
            protocol.MetadataRequest(
                topics=None,
                include_cluster_authorized_operations=asked,
                include_topic_authorized_operations=asked,
            ),
            8,
        )
        for asked in (False, True)
    )
    assert silent.cluster_authorized_operations == -(2**31)
    assert silent.topics[0].topic_authorized_operations == -(2**31)
    assert told.cluster_authorized_operations == 0b1111110100000
    assert told.topics[0].topic_authorized_operations == 0b110111111000


@needs("mock-topic-names")
@pytest.mark.parametrize("name", ["not a topic!", ".", "..", "x" * 250, "ü"])
def test_names_of_topics(kafka_cluster: MockCluster, name: str) -> None:
    """An invalid topic name is refused, and no topic of this name exists afterwards.

    Without mock-topic-names.patch, the brokers created such a topic.
    """
    refused = (KafkaError.TOPIC_EXCEPTION, KafkaError._UNKNOWN_TOPIC)
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        asked = producer.list_topics(name, TIMEOUT).topics[name]
        assert asked.error == KafkaError.TOPIC_EXCEPTION
        assert outcome(producer, "another name!") in refused
        assert producer.list_topics(timeout=TIMEOUT).topics == {}


ANYTHING: dict[str, Any] = {
    "max_size": 2**31 - 1,
    "low": 2**63 - 1,
    "high": 2**63 - 1,
    "append_time": False,
    "compacted": False,
}


@needs("mock-topic-rules")
@pytest.mark.parametrize(
    ("rules", "message", "code"),
    [
        ({"max_size": 5000}, {"value": bytes(6000)}, KafkaError.MSG_SIZE_TOO_LARGE),
        ({"low": 60_000}, {"timestamp": 1}, KafkaError.INVALID_TIMESTAMP),
        ({"high": 60_000}, {"timestamp": 2**42}, KafkaError.INVALID_TIMESTAMP),
        ({"compacted": True}, {"value": b"without a key"}, KafkaError.INVALID_RECORD),
    ],
)
def test_rules_of_topics(
    kafka_cluster: MockCluster, rules: dict[str, Any], message: dict[str, Any], code: int
) -> None:
    """A topic refuses what its rules forbid, accepts the next message, and its rules can be
    removed.

    Without mock-topic-rules.patch, topics accepted everything.
    """
    kafka_cluster.create_topic("orders")
    kafka_cluster._set_topic_rules("orders", **ANYTHING | rules)
    reports = Reports()
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:

        def produce(**fields: Any) -> None:
            producer.produce("orders", partition=0, on_delivery=reports, **fields)
            assert producer.flush(TIMEOUT) == 0

        produce(**message)
        produce(key=b"key", value=b"value")
        kafka_cluster._set_topic_rules("orders", **ANYTHING)
        produce(**message)
    assert reports.errors == [code, None, None]


@needs("mock-topic-rules")
@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_log_append_time(kafka_cluster: MockCluster, codec: str) -> None:
    """The brokers' time replaces the producer's, in the report and in the log, whose CRC is right.

    Without mock-topic-rules.patch, topics kept the producer's timestamps.
    """
    kafka_cluster.create_topic("orders")
    kafka_cluster._set_topic_rules("orders", **ANYTHING | {"append_time": True})
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    reports = Reports()
    with Producer(config | {"compression.type": codec}) as producer:
        producer.produce("orders", b"x" * 1000, partition=0, timestamp=1, on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
    with Consumer(config | {"group.id": "group", "check.crcs": True}) as consumer:
        (message,) = read(consumer, "orders", 1)
    kind, timestamp = message.timestamp()
    assert kind == TIMESTAMP_LOG_APPEND_TIME
    assert timestamp > 1_700_000_000_000
    assert reports.messages[0].timestamp() == (kind, timestamp)


@needs("mock-coordinators", "raw-request")
def test_coordinators_of_several_groups(kafka_cluster: MockCluster) -> None:
    """One request finds the coordinators of several groups, with the result of one request per
    group.

    Without mock-coordinators.patch, the brokers did not support versions with several keys.
    """
    names = ["one", "two", "three"]
    found = answer_of(
        kafka_cluster, protocol.FindCoordinatorRequest(coordinator_keys=[*names, ""]), 4
    ).coordinators
    single = [
        answer_of(kafka_cluster, protocol.FindCoordinatorRequest(key=name), 1) for name in names
    ]
    assert [each.key for each in found] == [*names, ""]
    assert [each.port for each in found] == [*(each.port for each in single), -1]
    assert [each.error_code for each in found] == [
        *[0] * 3,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
    ]


@needs("mock-leave-members", "raw-request")
def test_members_that_are_removed(kafka_cluster: MockCluster) -> None:
    """An administrator can remove a member by its id, and a static member by its group.instance.id.

    Without mock-leave-members.patch, the brokers did not support a list of members.
    """
    kafka_cluster.create_topic("orders")
    kafka_cluster.set_coordinator("group", "group", 1)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    identity = protocol.LeaveGroupRequest.MemberIdentity
    with Consumer(config | {"group.instance.id": "static"}) as consumer:
        consumer.subscribe(["orders"])
        joined(consumer)
        asked = [
            identity(member_id="nobody"),
            identity(member_id="other", group_instance_id="static"),
            identity(group_instance_id="static"),
            identity(group_instance_id="static"),
        ]
        request = protocol.LeaveGroupRequest(group_id="group", members=asked)
        members = answer_of(kafka_cluster, request, 5, broker=1).members
    assert [each.error_code for each in members] == [
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.FENCED_INSTANCE_ID,
        0,
        KafkaError.UNKNOWN_MEMBER_ID,
    ]


@needs("mock-used-client-ids")
@pytest.mark.parametrize("kind", ["classic", "consumer"])
def test_client_ids_of_members(kafka_cluster: MockCluster, kind: str) -> None:
    """A description of a group contains the client ids and hosts of its members.

    Without mock-used-client-ids.patch, both were empty.
    """
    kafka_cluster.create_topic("orders")
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    more = {"group.id": "group", "group.protocol": kind, "client.id": "mine"}
    with Consumer(config | more) as consumer, AdminClient(config) as admin:
        consumer.subscribe(["orders"])
        joined(consumer)
        described = admin.describe_consumer_groups(["group"])["group"].result(TIMEOUT)
        (member,) = described.members
    assert (member.client_id, member.host) == ("mine", "/127.0.0.1")


@needs("mock-remove-members")
def test_members_that_are_removed_from_a_modern_group(kafka_cluster: MockCluster) -> None:
    """An administrator can remove members of a KIP-848 group like members of a classic group.

    Without mock-remove-members.patch, the brokers looked for the group only among the classic
    groups.
    """
    kafka_cluster.create_topic("orders")
    kafka_cluster.set_coordinator("group", "group", 1)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    identity = protocol.LeaveGroupRequest.MemberIdentity
    config |= {"group.protocol": "consumer", "group.instance.id": "static"}
    with Consumer(config) as consumer:
        consumer.subscribe(["orders"])
        joined(consumer)
        asked = [
            identity(member_id="nobody"),
            identity(member_id="other", group_instance_id="static"),
            identity(group_instance_id="static"),
            identity(group_instance_id="static"),
        ]
        request = protocol.LeaveGroupRequest(group_id="group", members=asked)
        members = answer_of(kafka_cluster, request, 5, broker=1).members
    assert [each.error_code for each in members] == [
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.FENCED_INSTANCE_ID,
        0,
        KafkaError.UNKNOWN_MEMBER_ID,
    ]


@needs("mock-replicas")
def test_replicas_that_are_assigned(kafka_cluster: MockCluster) -> None:
    """A partition has its assigned replicas, and one of them is the leader.

    Without mock-replicas.patch, the brokers chose the replicas.
    """
    kafka_cluster.create_topic("orders", 1, 3)
    kafka_cluster.set_leader("orders", 0, 1)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:

        def placed() -> tuple[int, list[int]]:
            partition = admin.list_topics("orders").topics["orders"].partitions[0]
            return partition.leader, partition.replicas

        kafka_cluster._set_replicas("orders", 0, [3, 1])
        assert placed() == (1, [3, 1])
        kafka_cluster._set_replicas("orders", 0, [2, 3])
        assert placed() == (2, [2, 3])
    for topic, brokers, code in (
        ("orders", [], KafkaError.INVALID_REPLICA_ASSIGNMENT),
        ("nowhere", [1], KafkaError.UNKNOWN_TOPIC_OR_PART),
    ):
        with pytest.raises(KafkaException) as caught:
            kafka_cluster._set_replicas(topic, 0, brokers)
        assert caught.value.code() == code


@needs("mock-quotas")
def test_quotas_of_clients(kafka_cluster: MockCluster) -> None:
    """If a client sends more than 10 s of its quota, or of the default quota, it is throttled.

    Without mock-quotas.patch, the brokers throttled no client.
    """
    kafka_cluster.create_topic("orders", 1)
    rate = 90_000

    def is_throttled(client_id: str) -> bool:
        throttled, reports = Recorder(), Reports()
        config: dict[str, Any] = {
            "bootstrap.servers": kafka_cluster.bootstrap_servers,
            "client.id": client_id,
            "throttle_cb": throttled,
        }
        with Producer(config) as producer:
            producer.produce("orders", bytes(rate * 21 // 2), on_delivery=reports)
            assert producer.flush(TIMEOUT) == 0
        assert reports.errors == [None]
        # A later answer can replace this event with an event that the throttling has ended.
        return throttled.calls != []

    assert not is_throttled("me")
    kafka_cluster._set_client_quota("me", rate, 0)
    assert (is_throttled("me"), is_throttled("you")) == (True, False)
    kafka_cluster._set_client_quota(None, rate, 0)
    kafka_cluster._set_client_quota("me", 2 * rate, 0)
    assert (is_throttled("me"), is_throttled("you")) == (False, True)
    kafka_cluster._set_client_quota("me", 0, 0)
    assert is_throttled("me")
    kafka_cluster._set_client_quota(None, 0, 0)
    assert not is_throttled("me")


@needs("mock-replicas")
def test_the_leader_of_a_new_partition(kafka_cluster: MockCluster) -> None:
    """The preferred replica leads each new partition.

    Without mock-replicas.patch, any of the replicas was the leader.
    """
    kafka_cluster.create_topic("orders", 20, 3)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        partitions = admin.list_topics("orders").topics["orders"].partitions.values()
    assert [each.leader for each in partitions] == [each.replicas[0] for each in partitions]
    assert all(sorted(each.replicas) == [1, 2, 3] for each in partitions)


@needs("mock-shared-partitions")
def test_members_that_share_a_partition(kafka_cluster: MockCluster) -> None:
    """With more members than partitions, every member has a partition, and the shares are even.

    Without mock-shared-partitions.patch, some members had no partition.
    """
    kafka_cluster.create_topic("orders", 2)
    kafka_cluster.set_share_group_heartbeat_interval(0.1)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    with contextlib.ExitStack() as stack:
        admin = stack.enter_context(AdminClient(config))
        for _ in range(4):
            member = stack.enter_context(ShareConsumer(config | {"group.id": "group"}))
            member.subscribe(["orders"])

        def assigned() -> list[int]:
            described = admin.describe_share_groups(["group"])["group"].result(TIMEOUT)
            return sorted(
                each.partition
                for member in described.members
                for each in member.assignment.topic_partitions
            )

        wait_until(lambda: assigned() == [0, 0, 1, 1])


@needs("mock-start-offsets")
def test_start_offsets_of_share_groups(kafka_cluster: MockCluster) -> None:
    """A share group continues at the offset that is set, and can forget its offset.

    Without mock-start-offsets.patch, the offset could be neither set nor read.
    """
    kafka_cluster.create_topic("orders")

    def starts() -> list[int]:
        groups = State.read(kafka_cluster._snapshot()).share_groups
        return [each.start for each in groups["group"].partitions]

    with pytest.raises(KafkaException) as caught:
        kafka_cluster._set_share_offset("group", "orders", 0, -1)
    assert caught.value.code() == KafkaError.GROUP_ID_NOT_FOUND
    kafka_cluster._set_share_offset("group", "orders", 0, 7)
    kafka_cluster._set_share_offset("group", "orders", 0, 5)
    assert starts() == [5]
    kafka_cluster._set_share_offset("group", "orders", 0, -1)
    assert starts() == []
    with pytest.raises(KafkaException) as caught:
        kafka_cluster._set_share_offset("group", "orders", 1, 0)
    assert caught.value.code() == KafkaError.UNKNOWN_TOPIC_OR_PART


@needs("mock-fenced-producer", "mock-transaction-version")
def test_a_fenced_producer_that_produces(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A fenced producer gets the error for a fenced producer.

    Without mock-fenced-producer.patch, the error was OUT_OF_ORDER_SEQUENCE_NUMBER.
    """
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "transactional.id": "one"}
    reports = Reports()
    with Producer(config) as first, Producer(config) as second:
        first.init_transactions(TIMEOUT)
        first.begin_transaction()
        send(first, kafka_topic, [b"in time"])
        second.init_transactions(TIMEOUT)
        first.produce(kafka_topic, b"late", partition=0, on_delivery=reports)
        wait_until(lambda: reports.errors, lambda: first.poll(0.05))
        with pytest.raises(KafkaException) as caught:
            first.commit_transaction(TIMEOUT)
    assert caught.value.args[0].code() == KafkaError._FENCED


@needs("mock-txn-offsets")
def test_offsets_in_a_transaction_of_a_member_that_has_left(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """Offsets of a member that has left are refused while the group has other members.

    Without mock-txn-offsets.patch, the brokers did not check who sent the offsets.
    """
    common = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    config = common | {"group.id": "group"}
    with Consumer(config) as gone:
        gone.subscribe([kafka_topic])
        joined(gone)
        metadata = gone.consumer_group_metadata()
    with Consumer(config) as member, Producer(common | {"transactional.id": "one"}) as producer:
        member.subscribe([kafka_topic])
        joined(member)
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        offsets = [TopicPartition(kafka_topic, 0, 1)]
        with pytest.raises(KafkaException) as caught:
            producer.send_offsets_to_transaction(offsets, metadata, TIMEOUT)
    assert caught.value.args[0].code() == KafkaError.UNKNOWN_MEMBER_ID


@needs("mock-txn-offsets")
def test_the_metadata_of_an_offset(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The brokers accept up to 4096 bytes of metadata.

    Without mock-txn-offsets.patch, the brokers accepted any size.
    """
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with Consumer(config) as consumer:

        def commit(size: int) -> None:
            place = TopicPartition(kafka_topic, 0, size, metadata="x" * size)
            consumer.commit(offsets=[place], asynchronous=False)

        commit(4096)
        with pytest.raises(KafkaException) as caught:
            commit(4097)
        assert caught.value.args[0].code() == KafkaError.OFFSET_METADATA_TOO_LARGE
        assert committed(consumer, kafka_topic) == 4096


@needs("mock-txn-offsets")
def test_the_epoch_of_a_committed_offset(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The epoch of a committed offset is the epoch that the client has committed.

    Without mock-txn-offsets.patch, the brokers returned the present epoch of the leader.
    """
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with Consumer(config) as consumer:
        for broker in (2, 3, 1):
            kafka_cluster.set_leader(kafka_topic, 0, broker)
        place = TopicPartition(kafka_topic, 0, 5, leader_epoch=1)
        consumer.commit(offsets=[place], asynchronous=False)
        (found,) = consumer.committed([TopicPartition(kafka_topic, 0)], TIMEOUT)
        assert (found.offset, found.leader_epoch) == (5, 1)


@needs("mock-txn-timeouts")
def test_a_transaction_that_nobody_reads(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If nobody reads a transaction, the brokers still abort it after its timeout.

    Without mock-txn-timeouts.patch, the brokers aborted it only at the next request about it.
    """
    config: dict[str, Any] = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "transactional.id": "one",
        "transaction.timeout.ms": 1000,
        "message.timeout.ms": 1000,
    }
    with Producer(config) as producer:
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        send(producer, kafka_topic, [b"left open"])
        wait_until(
            lambda: (
                [batch.is_control for batch in batches_of(kafka_cluster, kafka_topic)]
                == [False, True]
            )
        )


def batches_of(cluster: MockCluster, topic: str) -> list[protocol.records.RecordBatch]:
    """The record batches of the first partition."""
    batches = list(protocol.records.read(cluster._records(topic, 0)))
    assert all(isinstance(batch, protocol.records.RecordBatch) for batch in batches)
    return batches  # type: ignore[return-value]


@needs("mock-txn-timeouts")
def test_the_longest_transaction(kafka_cluster: MockCluster) -> None:
    """The brokers refuse transaction.timeout.ms above 15 minutes.

    Without mock-txn-timeouts.patch, the brokers accepted any time.
    """
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "transactional.id": "one"}
    with Producer(config | {"transaction.timeout.ms": 900_000}) as producer:
        producer.init_transactions(TIMEOUT)
    with (
        Producer(config | {"transaction.timeout.ms": 900_001}) as producer,
        pytest.raises(KafkaException) as caught,
    ):
        producer.init_transactions(TIMEOUT)
    assert caught.value.args[0].code() == KafkaError.INVALID_TRANSACTION_TIMEOUT


@needs("mock-vacant-instances")
def test_a_static_member_that_restarts(kafka_cluster: MockCluster) -> None:
    """A static member that restarts gets its partitions back, and the group does not rebalance.

    Without mock-vacant-instances.patch, the brokers treated it as a new member.
    """
    kafka_cluster.create_topic("orders", 2)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    restarts = config | {"group.instance.id": "restarts"}
    rebalances = 0

    def count(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        nonlocal rebalances
        rebalances += 1

    with Consumer(config | {"group.instance.id": "stays"}) as stays:

        def restart() -> list[TopicPartition]:
            """Restart the member; return its partitions."""
            with Consumer(restarts) as consumer:
                consumer.subscribe(["orders"])
                wait_until(
                    lambda: len(consumer.assignment()) == len(stays.assignment()) == 1,
                    lambda: (consumer.poll(0.01), stays.poll(0.01)),
                )
                return consumer.assignment()

        stays.subscribe(["orders"], on_assign=count, on_revoke=count)
        before, known = restart(), rebalances
        assert (restart(), rebalances) == (before, known)


@needs("mock-vacant-instances")
def test_two_clients_with_one_instance_id(kafka_cluster: MockCluster) -> None:
    """In a classic group, the second client replaces the first one, which is fenced.

    Without mock-vacant-instances.patch, both clients were members.
    """
    kafka_cluster.create_topic("orders", 2)
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "group",
        "group.instance.id": "same",
        "heartbeat.interval.ms": 50,
    }
    with Consumer(config) as first, Consumer(config) as second:
        errors: list[KafkaError] = []

        def poll() -> None:
            second.poll(0.01)
            message = first.poll(0.01)
            if message is not None and (error := message.error()) is not None:
                errors.append(error)

        first.subscribe(["orders"])
        joined(first)
        second.subscribe(["orders"])
        wait_until(lambda: errors and len(second.assignment()) == 2, poll)
    assert errors[0].fatal()
    assert KafkaError(KafkaError.FENCED_INSTANCE_ID).str() in errors[0].str()


@needs("mock-idempotence")
@pytest.mark.parametrize("identity", [{}, {"transactional.id": "one"}])
def test_a_batch_that_is_sent_again(
    kafka_cluster: MockCluster, kafka_topic: str, identity: dict[str, str]
) -> None:
    """The brokers store a batch that is sent again once, and return its offset.

    Without mock-idempotence.patch, a batch of an idempotent producer was stored twice, and a batch
    of a transactional producer had no offset.
    """
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "enable.idempotence": True}
    reports = Reports()
    with Producer(config | identity) as producer:
        if identity:
            producer.init_transactions(TIMEOUT)
            producer.begin_transaction()
        send(producer, kafka_topic, [b"0"])
        for broker in range(1, 4):
            kafka_cluster.set_round_trip_time(broker, 86_400)
        producer.produce(kafka_topic, b"1", partition=0, on_delivery=reports)
        wait_until(lambda: len(batches_of(kafka_cluster, kafka_topic)) == 2)
        for broker in range(1, 4):
            kafka_cluster.set_broker_down(broker)  # the broker's answers are lost
            kafka_cluster.set_round_trip_time(broker, 0)
            kafka_cluster.set_broker_up(broker)
        wait_until(lambda: len(reports) == 1, lambda: producer.poll(0.05))
        send(producer, kafka_topic, [b"2"])
    assert (reports.errors, [message.offset() for message in reports.messages]) == ([None], [1])
    stored = [batch for batch in batches_of(kafka_cluster, kafka_topic) if not batch.is_control]
    assert [record.value for batch in stored for record in batch.records()] == [b"0", b"1", b"2"]


@needs("mock-idempotence")
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "code",
    [
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError._TRANSPORT,
    ],
)
def test_the_first_batches_get_an_error(
    kafka_cluster: MockCluster, kafka_topic: str, code: int, count: int
) -> None:
    """If the first of several pipelined batches get an error, all are stored once and in order.

    mock-idempotence.patch: the brokers stored the second batch before the first one. The first
    batch, sent again, was then a duplicate, and the producer reported that it was stored.
    """
    values = [b"%d" % number for number in range(5)]
    config: dict[str, Any] = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "enable.idempotence": True,
        "batch.num.messages": 1,
        "linger.ms": 0,
        "retry.backoff.ms": 1,
    }
    reports = Reports()
    with Producer(config) as producer:
        producer.list_topics(kafka_topic, timeout=TIMEOUT)
        kafka_cluster.inject_errors("Produce", [code] * count)
        for broker in range(1, 4):
            kafka_cluster.set_round_trip_time(broker, 0.1)  # so that several batches wait for it
        for value in values:
            producer.produce(kafka_topic, value, partition=0, on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [None] * len(values)
    stored = batches_of(kafka_cluster, kafka_topic)
    assert [record.value for batch in stored for record in batch.records()] == values
    assert [message.offset() for message in reports.messages] == list(range(len(values)))
