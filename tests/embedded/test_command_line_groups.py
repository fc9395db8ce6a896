"""``groups list`` and ``groups describe``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    Producer,
    ShareConsumer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.protocol import ListGroupsRequest
from confluent_kafka.testing import MockCluster, Security
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import NO_BROKER, joined, numbers, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("raw-request", "mock-on-request")

Run = Callable[..., Ended]


@pytest.fixture
def groups(kafka_cluster: MockCluster) -> Run:
    """groups("describe", "g"): a command for the cluster."""
    return lambda *arguments: run("groups", *arguments, "-b", kafka_cluster.bootstrap_servers)


@pytest.fixture
def commit(kafka_cluster: MockCluster) -> Callable[..., None]:
    """commit("g", TopicPartition("t", 0, 3)) commits offsets."""

    def commit(group: str, *places: TopicPartition) -> None:
        request = [ConsumerGroupTopicPartitions(group, list(places))]
        with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
            admin.alter_consumer_group_offsets(request)[group].result(TIMEOUT)

    return commit


@pytest.fixture
def new(make_consumer: MakeConsumer, kafka_topic: str) -> Consumer:
    """The member of the group `new`, which has the protocol of KIP-848."""
    config = {"group.protocol": "consumer", "heartbeat.interval.ms": None, "client.id": "me"}
    consumer = make_consumer(config | {"group.id": "new"})
    consumer.subscribe([kafka_topic])
    joined(consumer)
    return consumer


def rows(done: Ended) -> list[dict[str, Any]]:
    assert done.status == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def partitions(done: Ended) -> dict[tuple[str, int], tuple[int | None, ...]]:
    return {
        (row["topic"], row["partition"]): (row["committed"], row["end"], row["lag"])
        for row in rows(done)
    }


class TestList:
    def test_all_kinds(
        self, kafka_cluster: MockCluster, kafka_topic: str, groups: Run, commit: Any, new: Consumer
    ) -> None:
        """Consumer, classic and share groups are in one list, and can be selected."""
        commit("old", TopicPartition(kafka_topic, 0, 0))
        consumer = {"group": "new", "type": "consumer", "protocol": "consumer", "state": "stable"}
        classic = {"group": "old", "type": "classic", "protocol": None, "state": "empty"}
        assert rows(groups("list", "-J")) == [consumer, classic]
        share = {"group": "workers", "type": "share", "protocol": "share", "state": "stable"}
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "workers"}
        with ShareConsumer(config) as member:
            member.subscribe([kafka_topic])
            wait_until(
                lambda: rows(groups("list", "-J")) == [consumer, classic, share],
                lambda: member.poll(0.05),
            )
        assert rows(groups("list", "-J", "--state", "stable", "--type", "consumer")) == [consumer]
        both = groups("list", "-J", "--type", "classic", "--type", "consumer")
        assert rows(both) == [consumer, classic]

    def test_lag(
        self, kafka_topic: str, producer: Producer, groups: Run, commit: Any, new: Consumer
    ) -> None:
        """--lag adds the number of members, and the sum of the lag of all partitions."""
        commit("old", TopicPartition(kafka_topic, 0, 1))
        send(producer, kafka_topic, numbers(0, 5))
        found = {row["group"]: row for row in rows(groups("list", "--lag", "-J"))}
        assert (found["old"]["members"], found["old"]["lag"]) == (0, 4)
        assert (found["new"]["members"], found["new"]["lag"]) == (1, None)  # no offsets yet
        table = groups("list", "--lag").stdout.decode().splitlines()
        assert table[0] == "group\ttype\tprotocol\tstate\tmembers\tlag"
        assert table[2] == "old\tclassic\t-\tempty\t0\t4"

    def test_old_brokers(
        self, kafka_cluster: MockCluster, kafka_topic: str, groups: Run, commit: Any
    ) -> None:
        """Brokers before 2.6 return neither states nor types. Groups are described all the same."""
        commit("old", TopicPartition(kafka_topic, 0, 0))
        before_states = (0, 3)
        key = ListGroupsRequest.api_key
        kafka_cluster.on_request(key, lambda *_: None, versions=before_states)
        (row,) = rows(groups("list", "--lag", "-J"))
        unknown = {"type": None, "protocol": None, "state": None}
        assert row == {"group": "old", "members": 0, "lag": 0} | unknown
        (row,) = rows(groups("describe", "old", "--members", "-J"))
        assert (row["type"], row["state"]) == ("classic", "empty")

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--state", "x"], "--state: 'x' is not one of preparing_rebalance, "),
            (["--type", "x"], "--type: 'x' is not one of consumer, classic, share, streams"),
        ],
    )
    def test_wrong_usage(self, groups: Run, arguments: list[str], reason: str) -> None:
        """The error names the states and types that exist."""
        done = groups("list", *arguments)
        assert (done.status, done.stdout) == (2, b"")
        assert done.stderr.startswith(f"error: {reason}")


class TestDescribe:
    def test_a_topic_that_is_gone(
        self,
        kafka_cluster: MockCluster,
        kafka_topic: str,
        producer: Producer,
        groups: Run,
        commit: Any,
    ) -> None:
        """The end and the lag of the deleted topic are unknown; the group's other rows are
        shown."""
        send(producer, kafka_topic, numbers(0, 5))
        commit("g", TopicPartition(kafka_topic, 0, 3))
        assert partitions(groups("describe", "g", "-J")) == {(kafka_topic, 0): (3, 5, 2)}
        kafka_cluster.set_topic_error(kafka_topic, KafkaError.UNKNOWN_TOPIC_OR_PART)
        assert partitions(groups("describe", "g", "-J")) == {(kafka_topic, 0): (3, None, None)}

    def test_several_groups(self, kafka_topic: str, groups: Run, commit: Any) -> None:
        """Several groups or all groups are described; the error about a missing group suggests the
        nearest name."""
        for name in ("billing", "audit"):
            commit(name, TopicPartition(kafka_topic, 0, 0))
        for arguments in (["audit", "billing"], ["--all"]):
            found = rows(groups("describe", *arguments, "-J"))
            assert [row["group"] for row in found] == ["audit", "billing"]
        done = groups("describe", "audit", "biling")
        assert done.status == 1
        assert done.stdout.decode().splitlines()[1].startswith("audit\t")
        assert done.stderr == "error: group 'biling' does not exist: did you mean 'billing'?\n"

    def test_members(self, kafka_topic: str, groups: Run, commit: Any, new: Consumer) -> None:
        """--members shows clients and hosts, and --verbose also what each member reads."""
        commit("old", TopicPartition(kafka_topic, 0, 0))
        member, nobody = rows(groups("describe", "new", "old", "--members", "-J"))
        assert member == {
            "group": "new",
            "type": "consumer",
            "state": "stable",
            "member": new.memberid(),
            "client": "me",
            "host": "/127.0.0.1",
            "partitions": 1,
        }
        assert (nobody["group"], nobody["state"], nobody["member"]) == ("old", "empty", None)
        (member,) = rows(groups("describe", "new", "--members", "--verbose", "-J"))
        places = [f"{kafka_topic}:0"]
        assert (member["assignment"], member["target"]) == (places, places)

    def test_static_members(
        self, kafka_topic: str, groups: Run, make_consumer: MakeConsumer
    ) -> None:
        """--verbose shows the instance ids of static members. A classic group has no target."""
        consumer = make_consumer({"group.id": "g", "group.instance.id": "a"})
        consumer.subscribe([kafka_topic])
        joined(consumer)
        (member,) = rows(groups("describe", "g", "--members", "--verbose", "-J"))
        assert (member["type"], member["instance"], member["target"]) == ("classic", "a", None)
        table = groups("describe", "g", "--members", "--verbose").stdout.decode().splitlines()
        assert [line.split("\t")[-1] for line in table] == ["details", "-"]

    def test_coordinators(
        self,
        kafka_cluster: MockCluster,
        kafka_topic: str,
        groups: Run,
        commit: Any,
        new: Consumer,
        make_consumer: MakeConsumer,
    ) -> None:
        """--state shows the assignor, the coordinator and the number of members of each group."""
        classic = make_consumer({"group.id": "classic"})
        classic.subscribe([kafka_topic])
        joined(classic)
        commit("old", TopicPartition(kafka_topic, 0, 0))
        addresses = kafka_cluster.bootstrap_servers.split(",")
        found = {row["group"]: row for row in rows(groups("describe", "--all", "--state", "-J"))}
        assert list(found["old"].items())[:4] == [
            *(("group", "old"), ("type", "classic"), ("state", "empty"), ("assignor", None))
        ]
        assert found["old"]["members"] == 0
        assert (found["classic"]["assignor"], found["classic"]["members"]) == ("range", 1)
        assert (found["new"]["type"], found["new"]["assignor"]) == ("consumer", "uniform")
        for row in found.values():
            assert row["address"] == addresses[row["coordinator"] - 1]

    def test_a_cluster_that_does_not_answer(self) -> None:
        """If the cluster does not answer, the command fails."""
        done = run("groups", "describe", "g", "-b", NO_BROKER, "--timeout", "0.1")
        assert (done.status, done.stdout) == (1, b"")

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            ([], "GROUPS: give the names of groups or --all"),
            (["g", "--all"], "GROUPS: cannot be combined with --all"),
            (["g", "--verbose"], "--verbose: needs --members"),
            (["g", "--state", "--members"], "--state: cannot be combined with --members"),
        ],
    )
    def test_wrong_usage(self, groups: Run, arguments: list[str], reason: str) -> None:
        """The error names the argument and what is allowed."""
        done = groups("describe", *arguments)
        assert (done.status, done.stdout) == (2, b"")
        assert done.stderr.startswith(f"error: {reason}")


def test_deleting_a_group_that_does_not_exist(kafka_topic: str, groups: Run, commit: Any) -> None:
    """The error has the nearest name. The other groups are deleted."""
    for name in ("billing", "audit"):
        commit(name, TopicPartition(kafka_topic, 0, 0))
    done = groups("delete", "biling", "audit", "--yes")
    reason = "error: group 'biling' does not exist: did you mean 'billing'?\n"
    assert done == (1, b"group audit was deleted\n", reason)


def test_a_group_that_is_named_twice(kafka_topic: str, groups: Run, commit: Any) -> None:
    """It is deleted once."""
    commit("billing", TopicPartition(kafka_topic, 0, 0))
    done = groups("delete", "billing", "billing", "--yes")
    assert done == (0, b"group billing was deleted\n", "")


def test_deleting_a_group_with_members(
    kafka_topic: str, groups: Run, commit: Any, new: Consumer
) -> None:
    """The brokers refuse it, and the other groups are deleted."""
    for name in ("first", "last"):
        commit(name, TopicPartition(kafka_topic, 0, 0))
    done = groups("delete", "first", "new", "last", "--yes")
    deleted = b"group first was deleted\ngroup last was deleted\n"
    assert done == (1, deleted, "error: group 'new': Broker: The group is not empty\n")


@pytest.mark.parametrize("kind", ["groups", "share-groups", "streams-groups"])
@pytest.mark.parametrize(
    "command",
    [
        "describe",
        "offsets",
        "delete --yes",
        "reset-offsets --all-topics --to 0",
        "reset-offsets --all-topics --shift-by 1 --execute",
        "delete-offsets --all-topics --yes",
    ],
)
def test_a_group_that_does_not_exist(
    kafka_cluster: MockCluster, kafka_topic: str, commit: Any, kind: str, command: str
) -> None:
    """Every command says it in the same words, with the nearest name, and writes nothing to
    stdout."""
    if (kind, command) == ("groups", "offsets"):
        command = "describe"  # it shows the offsets
    arguments = command.split()
    if (kind, arguments[0]) == ("share-groups", "delete-offsets"):
        arguments = ["delete-offsets", "--yes", kafka_topic]
    commit("billing", TopicPartition(kafka_topic, 0, 0))
    servers = kafka_cluster.bootstrap_servers
    done = run(kind, arguments[0], "biling", *arguments[1:], "-b", servers)
    assert done == (1, b"", "error: group 'biling' does not exist: did you mean 'billing'?\n")


@pytest.mark.parametrize(
    ("command", "right"),
    [
        ("streams-groups describe", "groups describe"),
        ("streams-groups offsets", "groups describe"),
        ("streams-groups delete --yes", "groups delete"),
        ("streams-groups reset-offsets --all-topics --to 0 --execute", "groups reset-offsets"),
        ("streams-groups delete-offsets --all-topics --yes", "groups delete-offsets"),
        ("share-groups describe", "groups describe"),
        ("share-groups offsets", "groups describe"),
        ("share-groups delete --yes", "groups delete"),
        ("share-groups reset-offsets --all-topics --to 0 --execute", "groups reset-offsets"),
        ("share-groups delete-offsets --yes", "groups delete-offsets"),
    ],
)
def test_a_group_of_another_kind(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    groups: Run,
    commit: Any,
    command: str,
    right: str,
) -> None:
    """If a group is of another kind, the command changes nothing, and its error names the right
    command."""
    commit("billing", TopicPartition(kafka_topic, 0, 3))
    topics = [kafka_topic] if command == "share-groups delete-offsets --yes" else []
    arguments = [*command.split(), "billing", *topics, "-b", kafka_cluster.bootstrap_servers]
    done = run(*arguments)
    assert done == (
        1,
        b"",
        f"error: group 'billing' is a classic group: use `{right} billing`\n",
    )
    assert partitions(groups("describe", "billing", "-J"))[kafka_topic, 0][0] == 3


@pytest.mark.parametrize(
    "command",
    [
        "groups describe g",
        "groups reset-offsets g --topic t --to 0",
        "groups reset-offsets g --topic t --to 0 --execute",
        "groups delete-offsets g --topic t --yes",
        "why g",
    ],
)
def test_a_group_that_this_user_may_not_see(command: str) -> None:
    """Brokers do not list a forbidden group. The error contains this reason, and not that the group
    is missing."""
    security = Security(protocol="PLAINTEXT", authorizer=True)
    with MockCluster(brokers=1, security=security) as cluster:
        done = run(*command.split(), "-b", cluster.bootstrap_servers)
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr == "error: group 'g': Broker: Group authorization failed\n"
