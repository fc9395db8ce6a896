"""``why`` on a real cluster."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka.admin import AdminClient, NewTopic
from tests.integration.group_members import PROTOCOLS, Member, poll_until, with_long_sessions
from tests.integration.kafka_cluster import KafkaCluster, OwnKafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.test_aio_faults import leader_that_dies
from tests.integration.topics import wait_for_topic
from tests.integration.transactional import transactional
from tests.support.command_line import Ended, run
from tests.support.kafka import numbers, send
from tests.support.patches import needs
from tests.support.real_kafka import MakeTopic
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters, needs("raw-request")]

Why = Callable[..., Ended]


@pytest.fixture
def why(kafka: KafkaCluster) -> Why:
    servers = kafka.bootstrap_servers
    return lambda *arguments: run("why", *arguments, "--for", "0.2s", "-b", servers, "-J")


def found(done: Ended) -> dict[str, dict[str, Any]]:
    """The findings by name."""
    assert done.status == 1, done
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["finding"]: row for row in rows}


def test_a_group_that_is_stuck(
    kafka: KafkaCluster, why: Why, make_topic: MakeTopic, group: str
) -> None:
    """`why` finds nothing while the group has read everything, then that the member commits
    nothing, then that the member has left."""
    topic = make_topic(partitions=2)
    with writer(kafka) as producer, Member(kafka, group, {"enable.auto.commit": False}) as member:
        send(producer, topic, numbers(0, 3))
        member.join(topic)
        poll_until([member], lambda: len(member.values) == 3)
        member.commit(asynchronous=False)
        healthy = why(group)
        # Partition 1 has no messages, so it needs no committed offset.
        assert (healthy.status, healthy.stdout) == (0, b""), healthy
        assert healthy.stderr.endswith("lag 0\nnothing is wrong\n")
        send(producer, topic, numbers(0, 5))
        (line,) = found(why(group))["stalled"]["evidence"]
        assert line == f"{topic}:0 at 3, lag 5, member {member.memberid()} (/127.0.0.1)"
    wait_until(lambda: "no-members" in found(why(group)))
    finding = found(why(group))["no-members"]
    assert (finding["severity"], finding["evidence"]) == ("critical", ["state empty, lag 5"])


def test_a_member_that_holds_up_a_rebalance(
    kafka: KafkaCluster, why: Why, make_topic: MakeTopic, group: str
) -> None:
    """In a group with the protocol of KIP-848, `why` names the member that does not release its
    partitions, and these partitions."""
    topic = make_topic(partitions=2)
    config = PROTOCOLS["consumer"] | with_long_sessions(kafka, group, "consumer")
    with Member(kafka, group, config) as slow, Member(kafka, group, config) as other:
        slow.join(topic)
        poll_until([slow], lambda: slow.partitions == [0, 1])
        other.join(topic)
        lines: list[str] = []

        def look() -> None:
            other.step()  # meanwhile, `slow` does not call poll()
            done = why(group)
            if done.status == 1:
                lines[:] = found(done).get("rebalancing", {"evidence": []})["evidence"]

        start = f"member {slow.memberid()} (/127.0.0.1) still has to release {topic}:"
        wait_until(lambda: any(line.startswith(start) for line in lines), look)


def test_an_open_transaction(kafka: KafkaCluster, why: Why, topic: str, group: str) -> None:
    """`why` names the producer whose open transaction delays read_committed members, and a command
    that ends this transaction."""
    servers = kafka.bootstrap_servers
    to = ["--topic", topic, "--to", "earliest", "--execute", "-b", servers]
    assert run("groups", "reset-offsets", group, *to).status == 0
    with transactional(kafka, f"{topic}-writer", {"transaction.timeout.ms": 600_000}) as producer:
        producer.begin_transaction()
        send(producer, topic, [b"value"])
        finding = found(why(group))["open-transaction"]
        (line,) = finding["evidence"]
        assert line.startswith(f"{topic}:0: last stable offset 0, end 1, producer ")
        assert f"(transactional id {topic}-writer) since 20" in line
        command = finding["try"][1].split()
        assert command[:2] == ["transactions", "force-terminate"]
        assert run(*command, "--yes", "-b", servers).status == 0
    wait_until(lambda: "open-transaction" not in found(why(group)))


def test_large_batches(kafka: KafkaCluster, why: Why, make_topic: MakeTopic, group: str) -> None:
    """`why` finds a batch that is larger than the size that a member fetches from a partition. It
    does not report small batches of topics that allow large batches."""
    large, small = (make_topic(max_message_bytes="5000000") for _ in range(2))
    servers = kafka.bootstrap_servers
    with writer(kafka, {"message.max.bytes": 4_000_000}) as producer:
        for topic, value in ((large, b"x" * 2_000_000), (large, b"x"), (small, b"x")):
            producer.produce(topic, value, partition=0)
            assert producer.flush(TIMEOUT) == 0
    for topic in (large, small):
        to = ["--topic", topic, "--to", "earliest", "--execute", "-b", servers]
        assert run("groups", "reset-offsets", group, *to).status == 0
    (line,) = found(why(group))["large-batches"]["evidence"]
    size = int(line.split("a batch of ")[1].split()[0].replace(",", ""))
    assert line == f"{large}:0 at 0: a batch of {size:,} bytes, lag 2"
    assert 0 < size - 2_000_000 < 200
    to = ["--topic", large, "--to", "1", "--execute", "-b", servers]
    assert run("groups", "reset-offsets", group, *to).status == 0
    assert "large-batches" not in found(why(group))


@pytest.mark.usefixtures("real_kafka")  # topics of the embedded cluster always have leaders
def test_a_broker_that_is_gone(own_kafka: OwnKafkaCluster, why: Why, group: str) -> None:
    """A partition without a leader and replicas that are not in sync are found, and the rest of the
    group is still examined. `groups describe` shows the rest as well."""
    name = f"alone-{uuid.uuid4().hex[:12]}"
    servers = own_kafka.bootstrap_servers
    with AdminClient(own_kafka.config()) as admin:
        new = [NewTopic(name, 3, 1), NewTopic(f"{name}-3", 1, 3)]
        for future in admin.create_topics(new).values():
            future.result(TIMEOUT)
    wait_for_topic(own_kafka, name, 3)
    wait_for_topic(own_kafka, f"{name}-3", 1)
    topics = ["--topic", name, "--topic", f"{name}-3"]
    reset = ["groups", "reset-offsets", group, *topics, "--to", "earliest", "--execute"]
    assert run(*reset, "-b", servers).status == 0
    with leader_that_dies(own_kafka, name) as leader:
        leader.kill()
        seen: dict[str, Any] = {}

        def look() -> None:
            seen.clear()
            seen.update(found(why(group, "--timeout", "20")))

        wait_until(lambda: {"no-leader", "under-replicated"} <= seen.keys(), look, timeout=90)
        finding = seen["no-leader"]
        assert finding["evidence"] == [f"{name}:0, replicas on brokers {leader.appid}"]
        assert finding["severity"] == "critical"
        described = run("groups", "describe", group, "-b", servers, "-J")
        rows = [json.loads(line) for line in described.stdout.splitlines()]
        ends = {(row["topic"], row["partition"]): row["end"] for row in rows}
        others = dict.fromkeys([(name, 1), (name, 2), (f"{name}-3", 0)], 0)
        assert ends == {(name, 0): None} | others, described
