"""Members of a group share a topic: under every protocol, each record is read exactly once."""

from __future__ import annotations

import contextlib
import threading

import pytest

from confluent_kafka import KafkaError, Producer
from tests.chaos.tcp_proxy import TcpProxy
from tests.integration.broker_requests import set_group_config
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import (
    EAGER,
    PROTOCOLS,
    Event,
    Member,
    poll_until,
    share,
    with_long_sessions,
)
from tests.integration.kafka_cluster import KafkaCluster, OwnKafkaCluster
from tests.integration.plain_clients import writer
from tests.support.kafka import numbers
from tests.support.patches import needs
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

PARTITIONS = 6
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


def spread(producer: Producer, topic: str, start: int, stop: int) -> None:
    """Delivers the values b"`start`" and so on, to the partitions in turn."""
    for i in range(start, stop):
        producer.produce(topic, b"%d" % i, partition=i % PARTITIONS)
    assert producer.flush(TIMEOUT) == 0


@every_protocol
def test_members_join_and_leave(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """Three members join and two leave: each time partitions are shared evenly, and each record is
    read once."""
    topic = make_topic(partitions=PARTITIONS)
    config = PROTOCOLS[protocol]
    members: list[Member] = []
    read: list[bytes | None] = []
    with (
        writer(kafka) as producer,
        Member(kafka, group, config) as one,
        Member(kafka, group, config) as two,
        Member(kafka, group, config) as three,
    ):

        def read_all(count: int) -> None:
            spread(producer, topic, count - 60, count)
            poll_until(members, lambda: len(read) + sum(len(m.values) for m in members) >= count)

        for i, member in enumerate((one, two, three)):
            member.join(topic)
            members.append(member)
            share(members, PARTITIONS)
            read_all(60 * (i + 1))
        for i, member in enumerate((one, three)):
            members.remove(member)
            member.close()
            read += member.values
            share(members, PARTITIONS)
            read_all(60 * (i + 4))
        read += two.values
    assert sorted(read, key=lambda value: int(value or b"")) == numbers(0, 300)


@every_protocol
def test_members_in_threads(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """Three members poll in their own threads, and each record is read once."""
    topic = make_topic(partitions=PARTITIONS)
    members = [Member(kafka, group, PROTOCOLS[protocol]) for _ in range(3)]
    all_read = threading.Event()

    def work(member: Member) -> None:
        with member:
            member.join(topic)
            while not all_read.is_set():
                member.step()

    threads = [threading.Thread(target=work, args=(member,)) for member in members]
    for thread in threads:
        thread.start()
    try:
        with writer(kafka) as producer:
            wait_until(lambda: all(member.events for member in members))
            spread(producer, topic, 0, 300)
        wait_until(lambda: sum(len(member.values) for member in members) >= 300)
    finally:
        all_read.set()
        for thread in threads:
            thread.join(TIMEOUT)
    read = [value for member in members for value in member.values]
    assert sorted(read, key=lambda value: int(value or b"")) == numbers(0, 300)


@every_protocol
def test_close_leaves_at_once(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """When a member closes, the other member takes over long before a session would end."""
    topic = make_topic(partitions=PARTITIONS)
    config = PROTOCOLS[protocol] | with_long_sessions(kafka, group, protocol)
    with Member(kafka, group, config) as one, Member(kafka, group, config) as two:
        one.join(topic)
        two.join(topic)
        share([one, two], PARTITIONS)
        watch = Stopwatch()
        one.close()
        share([two], PARTITIONS)
        assert watch.elapsed < SOON


def test_a_member_without_partitions(kafka: KafkaCluster, topic: str, group: str) -> None:
    """With more members than partitions, one member waits and takes over when the other one
    leaves."""
    with Member(kafka, group) as one, Member(kafka, group) as two:
        one.join(topic)
        share([one], 1)
        two.join(topic)
        poll_until([one, two], lambda: two.events and len(one.partitions + two.partitions) == 1)
        owner, idle = (one, two) if one.partitions else (two, one)
        assert (owner.partitions, idle.partitions) == ([0], [])
        owner.close()
        share([idle], 1)
    assert Event("member", "lost", [0]) not in one.events + two.events


def test_strategies_that_do_not_match(kafka: KafkaCluster, topic: str, group: str) -> None:
    """A member whose strategy the group does not support gets a typed error and no partition."""
    with Member(kafka, group, EAGER["range"]) as one:
        one.join(topic)
        share([one], 1)
        with Member(kafka, group, EAGER["roundrobin"]) as other:
            other.join(topic)
            poll_until([one, other], lambda: other.errors)
            assert other.errors[0] == KafkaError.INCONSISTENT_GROUP_PROTOCOL
            assert other.events == []
        assert one.partitions == [0]


@needs("lost-heartbeat")
def test_an_assignment_whose_answer_is_lost(
    own_kafka: OwnKafkaCluster, make_topic: MakeTopic, group: str
) -> None:
    """A member gives up partitions that another member gets, even if the answer with this
    assignment was lost.

    Without lost-heartbeat.patch, the member kept the partitions for max.poll.interval.ms.
    """
    topic = make_topic(partitions=PARTITIONS)
    # The time between heartbeats is long, so that a second member joins before the next heartbeat.
    times = {"consumer_heartbeat_interval_ms": "2000", "consumer_session_timeout_ms": "45000"}
    set_group_config(own_kafka, group, **times)
    config = PROTOCOLS["consumer"] | {"enable.auto.commit": False}
    # The client closes a connection that gets no answers. Its next connection gets answers.
    behind_proxies = config | {
        "bootstrap.servers": own_kafka.servers("PROXIED"),
        "socket.timeout.ms": 2000,
    }
    with contextlib.ExitStack() as stack:
        proxies = [
            stack.enter_context(TcpProxy(broker.listeners["PROXIED"], broker.behind_proxy))
            for broker in own_kafka.brokers
        ]
        one = stack.enter_context(Member(own_kafka, group, behind_proxies))
        two = stack.enter_context(Member(own_kafka, group, config))
        with writer(own_kafka) as producer:
            spread(producer, topic, 0, PARTITIONS)
        one.join(topic)
        poll_until([one], lambda: len(one.values) == PARTITIONS)
        for proxy in proxies:
            proxy.half_open()
        two.join(topic)
        share([one, two], PARTITIONS)
