"""How unsubscribe() and close() end the membership in a group."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from confluent_kafka import Consumer, ShareConsumer, TopicPartition, protocol
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("unsubscribed-member", "mock-commit-nobody")

PLACE = TopicPartition("topic", 0)


def config(cluster: MockCluster, **changes: str) -> dict[str, Any]:
    common = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "group",
        "auto.offset.reset": "earliest",
        "heartbeat.interval.ms": 100,
        "session.timeout.ms": 6000,
    }
    return common | {name.replace("_", "."): value for name, value in changes.items()}


def joined(consumer: Consumer) -> None:
    consumer.subscribe(["topic"])
    wait_until(lambda: consumer.poll(0.05) is None and consumer.assignment() != [])


def requests(cluster: MockCluster, kind: str) -> int:
    return sum(each.request == kind for each in cluster.requests())


def leavings(cluster: MockCluster) -> int:
    return requests(cluster, "LeaveGroup")


@needs("unsubscribed-member")
@pytest.mark.parametrize("unsubscribes", [True, False])
@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_static_member(kafka_cluster: MockCluster, strategy: str, unsubscribes: bool) -> None:
    """A static member never leaves: the group keeps its partitions for it (KIP-345)."""
    kafka_cluster.create_topic("topic", 1)
    kafka_cluster.start_request_tracking()
    options = {"group_instance_id": "one", "partition_assignment_strategy": strategy}
    with Consumer(config(kafka_cluster, **options)) as consumer:
        joined(consumer)
        if unsubscribes:
            consumer.unsubscribe()
            wait_until(lambda: consumer.poll(0.05) is None and consumer.assignment() == [])
    assert leavings(kafka_cluster) == 0


def test_static_member_of_asyncio(kafka_cluster: MockCluster) -> None:
    """close() of an AIOConsumer unsubscribes first, but its static member does not leave the
    group."""
    kafka_cluster.create_topic("topic", 1)
    kafka_cluster.start_request_tracking()

    async def main() -> None:
        async with AIOConsumer(config(kafka_cluster, group_instance_id="one")) as consumer:
            await consumer.subscribe(["topic"])
            async with asyncio.timeout(TIMEOUT):
                while not await consumer.assignment():
                    await consumer.poll(0.05)

    asyncio.run(main())
    assert leavings(kafka_cluster) == 0


def test_dynamic_member(kafka_cluster: MockCluster) -> None:
    """A dynamic member leaves at once, with one request."""
    kafka_cluster.create_topic("topic", 1)
    kafka_cluster.start_request_tracking()
    with Consumer(config(kafka_cluster)) as consumer:
        joined(consumer)
        consumer.unsubscribe()
        wait_until(lambda: consumer.poll(0.05) is None and leavings(kafka_cluster) == 1)
    assert leavings(kafka_cluster) == 1


@needs("unsubscribed-member")
def test_commit_after_the_group_was_left(kafka_cluster: MockCluster) -> None:
    """unsubscribe() ends the membership: offsets of partitions that are then assigned by hand can
    be committed."""
    kafka_cluster.create_topic("topic", 1)
    kafka_cluster.start_request_tracking()
    with Consumer(config(kafka_cluster, enable_auto_commit="false")) as consumer:
        joined(consumer)
        consumer.unsubscribe()
        wait_until(lambda: consumer.poll(0.05) is None and consumer.assignment() == [])
        consumer.assign([TopicPartition("topic", 0, 0)])
        consumer.commit(offsets=[TopicPartition("topic", 0, 7)], asynchronous=False)
        assert consumer.committed([PLACE], timeout=TIMEOUT)[0].offset == 7


def test_a_static_member_joins_again(kafka_cluster: MockCluster) -> None:
    """After unsubscribe(), a static member can subscribe again, and gets its partitions."""
    kafka_cluster.create_topic("topic", 1)
    kafka_cluster.start_request_tracking()
    with Consumer(config(kafka_cluster, group_instance_id="one")) as consumer:
        joined(consumer)
        consumer.unsubscribe()
        wait_until(lambda: consumer.poll(0.05) is None and consumer.assignment() == [])
        joined(consumer)


@needs("mock-commit-nobody")
@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_commit_in_a_group_without_members(kafka_cluster: MockCluster, protocol: str) -> None:
    """A consumer that only assigns can commit for a group whose members have all left."""
    kafka_cluster.create_topic("topic", 1)
    settings = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "group",
        "group.protocol": protocol,
    }
    with Consumer(settings) as consumer:
        joined(consumer)
    with Consumer(settings) as another:
        another.commit(offsets=[TopicPartition("topic", 0, 7)], asynchronous=False)
        assert another.committed([PLACE], timeout=TIMEOUT)[0].offset == 7


@needs("waiting-leave")
@pytest.mark.parametrize("ends", ["close", "unsubscribe"])
def test_leaving_while_the_group_waits(kafka_cluster: MockCluster, ends: str) -> None:
    """A member whose JoinGroup waits for other members can leave at once, and they do not wait for
    it."""
    kafka_cluster.create_topic("topic", 2)
    settings = config(kafka_cluster, session_timeout_ms="45000")
    with Consumer(settings) as first, Consumer(settings) as second, Consumer(settings) as third:
        first.subscribe(["topic"])
        second.subscribe(["topic"])
        wait_until(
            lambda: len(first.assignment()) == len(second.assignment()) == 1,
            lambda: (first.poll(0.01), second.poll(0.01)),
        )
        kafka_cluster.start_request_tracking()
        third.subscribe(["topic"])
        # The first member revokes and joins again. The second one is not polled, so the group waits
        # for it.
        wait_until(lambda: requests(kafka_cluster, "JoinGroup") == 2, lambda: first.poll(0.01))
        getattr(first, ends)()
        if ends == "unsubscribe":
            first.assign([PLACE])
        wait_until(lambda: leavings(kafka_cluster) == 1)
        wait_until(
            lambda: len(second.assignment()) == len(third.assignment()) == 1,
            lambda: (second.poll(0.01), third.poll(0.01)),
        )
        assert ends == "close" or (first.poll(0), first.assignment()) == (None, [PLACE])


@needs("pending-leave", "mock-on-request")
@pytest.mark.parametrize("ends", ["close", "unsubscribe"])
@pytest.mark.parametrize("kind", [Consumer, ShareConsumer])
def test_a_member_that_closes_while_it_joins(
    kafka_cluster: MockCluster, kind: type[Any], ends: str
) -> None:
    """A member of a KIP-848 or share group that closes early still sends its request to leave.

    Without pending-leave.patch, close() ended at once, and the coordinator kept the member.
    """
    epochs: list[int] = []
    has_come, goes_on = threading.Event(), threading.Event()

    def hold(request: Any, _: object) -> None:
        epochs.append(request.member_epoch)
        has_come.set()
        goes_on.wait(TIMEOUT)

    name = "ShareGroupHeartbeat" if kind is ShareConsumer else "ConsumerGroupHeartbeat"
    kafka_cluster.on_request(getattr(protocol, f"{name}Request").api_key, hold)
    protocol_of = {} if kind is ShareConsumer else {"group.protocol": "consumer"}
    member = kind(
        {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"} | protocol_of
    )
    member.subscribe(["topic"])
    assert has_come.wait(TIMEOUT)
    if ends == "unsubscribe":
        member.unsubscribe()
    closing = threading.Thread(target=member.close)
    closing.start()
    closing.join(0.3)  # without the patch, it ends at once
    goes_on.set()
    closing.join(TIMEOUT)
    assert epochs == [0, -1]
