"""``why``: each finding on an embedded cluster."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
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
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ClientQuotaAlteration,
    ClientQuotaEntity,
    GroupState,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from confluent_kafka.protocol import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    ListOffsetsRequest,
    ListTransactionsRequest,
    ListTransactionsResponse,
)
from confluent_kafka.testing import MockCluster, Security
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import NO_BROKER, joined
from tests.support.patches import needs
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT, wait_until

pytest.importorskip("click", reason="the extra [cli] is not installed")

import click

from confluent_kafka import cli
from confluent_kafka.cli.lag import gathering as why_facts
from tests.support.command_line import COMMAND, Ended, ended, run, started

pytestmark = needs("raw-request", "mock-on-request")

Why = Callable[..., Ended]


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        yield admin


class Between:
    """Runs an action between the two samples, instead of the wait."""

    def __init__(self) -> None:
        self.act: Callable[[], object] = lambda: None

    def sleep(self, _: float) -> None:
        """Act only in the first of several waits."""
        act, self.act = self.act, lambda: None
        act()


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Between:
    between = Between()
    clock = SimpleNamespace(time=time.time, monotonic=time.monotonic, sleep=between.sleep)
    monkeypatch.setattr(why_facts, "time", clock)
    return between


@pytest.fixture
def why(kafka_cluster: MockCluster, between: Between) -> Why:
    servers = kafka_cluster.bootstrap_servers
    return lambda *arguments: run("why", *(arguments or ("g",)), "-b", servers)


@pytest.fixture
def orders(admin: AdminClient) -> str:
    """A topic with two partitions."""
    admin.create_topics([NewTopic("orders", 2, 1)])["orders"].result(TIMEOUT)
    return "orders"


def fill(producer: Producer, partition: int, count: int) -> None:
    for _ in range(count):
        producer.produce("orders", b"x", partition=partition)
    assert producer.flush(TIMEOUT) == 0


def commit(admin: AdminClient, *offsets: int, topic: str = "orders") -> None:
    """Commit an offset in each partition for the group g."""
    places = [TopicPartition(topic, number, offset) for number, offset in enumerate(offsets)]
    request = [ConsumerGroupTopicPartitions("g", places)]
    admin.alter_consumer_group_offsets(request)["g"].result(TIMEOUT)


def member(make_consumer: MakeConsumer, topic: str = "orders", **config: Any) -> Consumer:
    """A member of the group g that has its partitions and reads nothing."""
    consumer = make_consumer({"group.id": "g", "client.id": "me"} | config)
    consumer.subscribe([topic])
    joined(consumer)
    return consumer


def found(done: Ended) -> dict[str, dict[str, Any]]:
    """The findings by name. Check that they are ordered by importance, and suggest valid
    commands."""
    assert done.status == 1, done
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    order = ["critical", "warning", "note"]
    ranks = [order.index(row["severity"]) for row in rows]
    assert ranks == sorted(ranks)
    for row in rows:
        assert row["evidence"]
        for line in row["try"]:
            check(line)
    return {row["finding"]: row for row in rows}


def check(line: str) -> None:
    """Check that a command line is valid; it need not contain the address of the cluster."""
    name, *words = shlex.split(line)
    command = cli._imported(name)
    context = click.Context(cli.app)
    if isinstance(command, click.Group):
        command, words = command.commands[words[0]], words[1:]
    command.make_context(name, list(words), parent=context)


def test_nothing_is_wrong(
    admin: AdminClient, why: Why, orders: str, make_consumer: MakeConsumer
) -> None:
    """Without a finding, the status is 0, stdout is empty, and stderr has a summary."""
    commit(admin, 0, 0)
    member(make_consumer)
    assert why() == (
        0,
        b"",
        "group g: classic, stable, 1 member, 2 partitions, lag 0\nnothing is wrong\n",
    )


def test_no_members(admin: AdminClient, why: Why, orders: str, producer: Producer) -> None:
    """A group without members reads nothing. With lag, that is critical."""
    commit(admin, 0, 0)
    assert found(why("g", "-J"))["no-members"]["severity"] == "warning"
    fill(producer, 0, 3)
    done = why("g", "-J")
    assert found(done)["no-members"]["severity"] == "critical"
    assert found(done)["no-members"]["evidence"] == ["state empty, lag 3"]
    assert done.stderr == "group g: classic, empty, 0 members, 2 partitions, lag 3\n"


def test_the_table(admin: AdminClient, why: Why, orders: str) -> None:
    """Without --json, the columns are separated by tabs."""
    commit(admin, 0, 0)
    assert why("g").stdout.decode().splitlines()[1] == (
        "warning\tno-members\tthe group has no members, so nobody reads its partitions: start its "
        "consumers\tstate empty, lag 0\tgroups describe g --members"
    )


def test_members_come_and_go(
    admin: AdminClient, why: Why, between: Between, orders: str, make_consumer: MakeConsumer
) -> None:
    """A member that left while the command watched is named."""
    commit(admin, 0, 0)
    consumer = member(make_consumer)
    name = consumer.memberid()
    between.act = consumer.close
    finding = found(why("g", "-J"))["members-changed"]
    assert finding["evidence"] == [f"member {name} (/127.0.0.1) has left"]


def test_idle_members(
    admin: AdminClient, why: Why, orders: str, make_consumer: MakeConsumer
) -> None:
    """A member without partitions is named, with its client id."""
    admin.create_topics([NewTopic("single", 1, 1)])["single"].result(TIMEOUT)
    commit(admin, 0, topic="single")
    config = {"group.protocol": "consumer", "heartbeat.interval.ms": None, "group.id": "k"}
    one = member(make_consumer, "single", **config)
    two = make_consumer(config | {"client.id": "idle"})
    two.subscribe(["single"])
    wait_for_members(admin, "k", 2, [one, two])
    finding = found(why("k", "-J"))["idle-members"]
    assert finding["evidence"][0] == "members: 2, partitions: 1"
    assert "(client idle, /127.0.0.1)" in finding["evidence"][1]


def test_a_group_without_partitions(
    admin: AdminClient, why: Why, make_consumer: MakeConsumer
) -> None:
    """The only member subscribes to a topic that does not exist."""
    config = {"group.protocol": "consumer", "heartbeat.interval.ms": None, "group.id": "g"}
    consumer = make_consumer(config)
    consumer.subscribe(["nosuch"])
    wait_for_members(admin, "g", 1, [consumer])
    finding = found(why("g", "-J"))["idle-members"]
    assert finding["severity"] == "critical"
    assert finding["evidence"][0] == "members: 1, partitions: 0"


def wait_for_members(admin: AdminClient, group: str, count: int, consumers: list[Consumer]) -> None:
    def all_there() -> bool:
        future = admin.describe_consumer_groups([group])[group]
        return len(future.result(TIMEOUT).members) == count

    wait_until(all_there, lambda: [each.poll(0.02) for each in consumers])


def test_unread_partitions(
    admin: AdminClient, why: Why, orders: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """The group has offsets in a topic that no member subscribes to."""
    admin.create_topics([NewTopic("other", 1, 1)])["other"].result(TIMEOUT)
    fill(producer, 1, 2)
    commit(admin, 0, 0)
    member(make_consumer, "other")
    assert found(why("g", "-J"))["unread-partitions"]["evidence"] == [
        "orders:0, lag 0",
        "orders:1, lag 2",
    ]


def test_missing_topics(
    kafka_cluster: MockCluster, admin: AdminClient, why: Why, orders: str
) -> None:
    """A topic of the group does not exist any more."""
    commit(admin, 0, 0)
    kafka_cluster.set_topic_error(orders, KafkaError.UNKNOWN_TOPIC_OR_PART)
    assert found(why("g", "-J"))["missing-topics"]["evidence"] == ["topic orders"]


def test_data_lost(admin: AdminClient, why: Why, orders: str, producer: Producer) -> None:
    """The log begins after the committed offset."""
    fill(producer, 0, 5)
    commit(admin, 1, 0)
    start = TopicPartition(orders, 0, 4)
    admin.delete_records([start])[start].result(TIMEOUT)
    finding = found(why("g", "-J"))["data-lost"]
    assert finding["evidence"] == ["orders:0: committed 1, log start 4: 3 messages are gone"]
    assert finding["try"] == ["groups reset-offsets g --topic orders:0 --to earliest"]
    assert "retention" not in finding["why"]  # these messages were deleted by a request


def test_offset_beyond_the_end(admin: AdminClient, why: Why, orders: str) -> None:
    """The committed offset is after the end, as if the topic was created again."""
    commit(admin, 7, 0)
    finding = found(why("g", "-J"))["offset-beyond-the-end"]
    assert finding["evidence"] == ["orders:0: committed 7, end 0"]


def test_rebalancing(
    admin: AdminClient, why: Why, orders: str, make_consumer: MakeConsumer
) -> None:
    """A group that distributes its partitions in both samples is critical: one member does not
    call poll(), so the other one waits for it."""
    commit(admin, 0, 0)
    member(make_consumer)
    consumer = make_consumer({"group.id": "g"})
    consumer.subscribe([orders])

    def is_joining() -> bool:
        found = admin.describe_classic_groups(["g"])["g"].result(TIMEOUT)
        return found.state is GroupState.PREPARING_REBALANCE

    wait_until(is_joining, lambda: consumer.poll(0.02))
    finding = found(why("g", "-J"))["rebalancing"]
    assert finding["severity"] == "critical"
    assert finding["evidence"][0].startswith("state preparing_rebalance, seen 7 of 7 times in ")


def test_a_short_rebalance(
    admin: AdminClient, why: Why, between: Between, orders: str, make_consumer: MakeConsumer
) -> None:
    """A member that joins and leaves between the two samples is noticed."""
    commit(admin, 0, 0)
    one = member(make_consumer)
    two = make_consumer({"group.id": "g"})
    name = ""

    def leave() -> None:
        two.close()
        wait_for_members(admin, "g", 1, [one])

    def join() -> None:
        nonlocal name
        two.subscribe([orders])
        wait_for_members(admin, "g", 2, [one, two])
        wait_until(two.assignment, lambda: [each.poll(0.02) for each in (one, two)])
        name = two.memberid() or ""
        between.act = leave

    between.act = join
    assert found(why("g", "-J"))["members-changed"]["evidence"] == [
        f"member {name} (/127.0.0.1) has joined",
        f"member {name} (/127.0.0.1) has left",
    ]


def test_a_topic_that_is_forbidden(
    kafka_cluster: MockCluster, admin: AdminClient, why: Why, orders: str
) -> None:
    """A topic that this user may not describe is a finding, with the reason of the broker."""
    commit(admin, 0, 0)
    kafka_cluster.set_topic_error(orders, KafkaError.TOPIC_AUTHORIZATION_FAILED)
    (line,) = found(why("g", "-J"))["unreadable-topic"]["evidence"]
    assert line.startswith("topic orders: ")


def test_stalled(
    admin: AdminClient, why: Why, orders: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """A member that commits nothing although messages wait is named."""
    consumer = member(make_consumer)
    consumer.commit(offsets=[TopicPartition(orders, 0, 0)], asynchronous=False)
    fill(producer, 0, 5)
    (line,) = found(why("g", "-J"))["stalled"]["evidence"]
    assert line == f"orders:0 at 0, lag 5, member {consumer.memberid()} (/127.0.0.1)"


def test_growing(
    admin: AdminClient,
    why: Why,
    between: Between,
    orders: str,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """Producers are faster than the group, which is shown with both rates."""
    consumer = member(make_consumer)
    fill(producer, 1, 100)
    consumer.commit(offsets=[TopicPartition(orders, 1, 0)], asynchronous=False)

    def act() -> None:
        fill(producer, 1, 10)
        consumer.commit(offsets=[TopicPartition(orders, 1, 4)], asynchronous=False)

    between.act = act
    done = why("g", "-J")
    (line,) = found(done)["growing"]["evidence"]
    assert line.startswith("orders:1: lag 100 to 106 in ")
    assert "stalled" not in found(done)
    assert "lag 106 (+" in done.stderr


def test_a_group_that_keeps_up(
    admin: AdminClient,
    why: Why,
    between: Between,
    orders: str,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """A lag that is not larger than what was produced in between is not a finding: the member will
    commit."""
    consumer = member(make_consumer)
    places = [TopicPartition(orders, number, 0) for number in range(2)]
    consumer.commit(offsets=places, asynchronous=False)
    between.act = lambda: fill(producer, 1, 10)
    assert why("g").status == 0


def test_catching_up(
    admin: AdminClient,
    why: Why,
    between: Between,
    orders: str,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """A lag that falls is not a finding. The summary estimates when the group is done."""
    consumer = member(make_consumer)
    fill(producer, 1, 100)
    places = [TopicPartition(orders, number, 0) for number in range(2)]
    consumer.commit(offsets=places, asynchronous=False)
    later = [TopicPartition(orders, 1, 60)]
    between.act = lambda: consumer.commit(offsets=later, asynchronous=False)
    done = why("g")
    assert (done.status, done.stdout) == (0, b"")
    assert "lag 40 (-" in done.stderr
    assert "at this rate done in " in done.stderr


def test_skewed(
    kafka_cluster: MockCluster, admin: AdminClient, why: Why, orders: str, producer: Producer
) -> None:
    """One partition has most of the lag."""
    commit(admin, 0, 0)
    fill(producer, 0, 10)
    fill(producer, 1, 200)
    finding = found(why("g", "-J"))["skewed"]
    assert finding["evidence"] == ["orders:1: lag 200 of 210 in 2 partitions"]
    where = ["-b", kafka_cluster.bootstrap_servers, "-q"]
    with_group = {"KAFKA_GROUP_ID": "g"}
    done = run(*shlex.split(finding["try"][0]), *where, environment=with_group)
    assert (done.status, done.stderr, len(done.stdout.splitlines())) == (0, "", 100)


def test_no_committed_offset(
    admin: AdminClient, why: Why, orders: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """A member reads a partition and has never committed."""
    fill(producer, 1, 3)
    member(make_consumer, **{"auto.offset.reset": "latest"})
    finding = found(why("g", "-J"))["no-committed-offset"]
    assert finding["evidence"] == ["orders:1, 0 to 3"]


def test_open_transaction(
    admin: AdminClient, why: Why, orders: str, make_producer: MakeProducer
) -> None:
    """An open transaction that delays read_committed readers is shown with its producer."""
    commit(admin, 0, 0)
    writer = make_producer({"transactional.id": "billing 1"})
    writer.init_transactions(TIMEOUT)
    writer.begin_transaction()
    writer.produce(orders, b"x", partition=0)
    assert writer.flush(TIMEOUT) == 0
    finding = found(why("g", "-J"))["open-transaction"]
    (line,) = finding["evidence"]
    assert line.startswith("orders:0: last stable offset 0, end 1, producer ")
    assert "(transactional id billing 1) since " in line
    assert finding["try"] == [
        "transactions describe 'billing 1'",
        "transactions force-terminate 'billing 1'",
    ]
    writer.commit_transaction(TIMEOUT)
    assert "open-transaction" not in found(why("g", "-J"))


def test_a_hanging_transaction(
    kafka_cluster: MockCluster,
    admin: AdminClient,
    why: Why,
    orders: str,
    make_producer: MakeProducer,
) -> None:
    """If the coordinator has ended a transaction that is open in a partition, the finding reports
    this, and suggests a command that aborts the transaction."""
    commit(admin, 0, 0)
    writer = make_producer({"transactional.id": "billing"})
    writer.init_transactions(TIMEOUT)
    writer.begin_transaction()
    writer.produce(orders, b"x", partition=0)
    assert writer.flush(TIMEOUT) == 0
    listing = admin.list_transactions().result(TIMEOUT).valid[0]

    def ended_before(*_: object) -> DescribeTransactionsResponse:
        state = DescribeTransactionsResponse.TransactionState(
            transactional_id="billing",
            transaction_state="CompleteCommit",
            transaction_start_time_ms=-1,
            producer_id=listing.producer_id,
        )
        return DescribeTransactionsResponse(transaction_states=[state])

    kafka_cluster.on_request(DescribeTransactionsRequest.api_key, ended_before)
    finding = found(why("g", "-J"))["open-transaction"]
    assert finding["severity"] == "critical"
    assert "(transactional id billing), last message 20" in finding["evidence"][0]
    command = finding["try"][-1].split()
    assert command == ["transactions", "abort", "orders:0", "--start-offset", "0"]
    servers = kafka_cluster.bootstrap_servers
    hanging = run("transactions", "find-hanging", "-J", "-b", servers)
    row = {"topic": orders, "partition": 0, "start offset": 0, "transactional id": "billing"}
    assert row.items() <= json.loads(hanging.stdout).items()
    assert run(*command, "--yes", "-b", servers).status == 0
    assert run("transactions", "find-hanging", "-J", "-b", servers) == (0, b"", "")
    assert "open-transaction" not in found(why("g", "-J"))


def test_a_transaction_behind_another_one(
    admin: AdminClient, why: Why, orders: str, make_producer: MakeProducer
) -> None:
    """The command suggests to terminate only the transaction that delays the readers."""
    commit(admin, 0, 0)
    writers = []
    for name in ("first", "second"):
        writer = make_producer({"transactional.id": name})
        writer.init_transactions(TIMEOUT)
        writer.begin_transaction()
        writer.produce(orders, b"x", partition=0)
        assert writer.flush(TIMEOUT) == 0
        writers.append(writer)
    finding = found(why("g", "-J"))["open-transaction"]
    assert "(transactional id second)" in finding["evidence"][0]
    assert finding["try"] == ["transactions describe first", "transactions force-terminate first"]
    for writer in writers:
        writer.commit_transaction(TIMEOUT)


def test_a_transaction_that_is_not_listed(
    kafka_cluster: MockCluster,
    admin: AdminClient,
    why: Why,
    orders: str,
    make_producer: MakeProducer,
) -> None:
    """`why` does not suggest to abort the transaction if the user may not describe the
    transactional id."""
    commit(admin, 0, 0)
    writer = make_producer({"transactional.id": "billing"})
    writer.init_transactions(TIMEOUT)
    writer.begin_transaction()
    writer.produce(orders, b"x", partition=0)
    assert writer.flush(TIMEOUT) == 0
    nothing = ListTransactionsResponse()
    kafka_cluster.on_request(ListTransactionsRequest.api_key, lambda *_: nothing)
    finding = found(why("g", "-J"))["open-transaction"]
    assert (finding["severity"], finding["try"]) == (
        "warning",
        ["transactions describe-producers orders:0"],
    )


def test_a_transaction_that_ends(
    admin: AdminClient, why: Why, between: Between, orders: str, make_producer: MakeProducer
) -> None:
    """A transaction that ends while the command watches is not a finding."""
    commit(admin, 0, 0)
    writer = make_producer({"transactional.id": "t"})
    writer.init_transactions(TIMEOUT)
    writer.begin_transaction()
    writer.produce(orders, b"x", partition=0)
    assert writer.flush(TIMEOUT) == 0
    between.act = lambda: writer.commit_transaction(TIMEOUT)
    assert "open-transaction" not in found(why("g", "-J"))


def test_quota(
    admin: AdminClient, why: Why, orders: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """A quota of a member's client id, or of all client ids, is a note if the group has lag."""
    consumer = member(make_consumer)
    for name, rate in (("me", 2048.0), (None, 4096.0), ("another", 1.0)):
        entity = ClientQuotaEntity({ClientQuotaEntity.CLIENT_ID: name})
        change = ClientQuotaAlteration(entity, {"consumer_byte_rate": rate})
        admin.alter_client_quotas([change])[entity].result(TIMEOUT)
    consumer.commit(offsets=[TopicPartition(orders, 0, 0)], asynchronous=False)
    fill(producer, 0, 5)
    assert sorted(found(why("g", "-J"))["quota"]["evidence"]) == [
        "client id me: consumer_byte_rate=2048",
        "the default client id: consumer_byte_rate=4096",
    ]


def test_one_sample(
    admin: AdminClient, why: Why, orders: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """With --for 0s nothing is compared, so no partition is stalled."""
    consumer = member(make_consumer)
    places = [TopicPartition(orders, number, 0) for number in range(2)]
    consumer.commit(offsets=places, asynchronous=False)
    fill(producer, 0, 5)
    assert why("g", "--for", "0s").status == 0


def test_a_share_group(
    kafka_cluster: MockCluster, why: Why, orders: str, producer: Producer
) -> None:
    """The members of a share group are examined like the members of a consumer group."""
    fill(producer, 0, 3)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "workers"}
    with ShareConsumer(config) as worker:
        worker.subscribe([orders])
        wait_until(
            lambda: "share, stable, 1 member" in why("workers", "-J").stderr,
            lambda: worker.poll(0.05),
        )
    assert "no-members" in found(why("workers", "-J"))


def test_a_profile_on_a_terminal(
    kafka_cluster: MockCluster, admin: AdminClient, orders: str, tmp_path: Path
) -> None:
    """The commands that are suggested connect with the same profile."""
    pty = pytest.importorskip("pty", reason="needs a terminal")
    commit(admin, 0, 0)
    file = tmp_path / "profiles.toml"
    file.write_text(f'[prod]\n"bootstrap.servers" = "{kafka_cluster.bootstrap_servers}"\n')
    ours, theirs = pty.openpty()
    command = [*COMMAND, "why", "g", "--for", "0s", "-C", "prod"]
    environment = {**os.environ, "KAFKA_PROFILES": str(file), "KAFKA_CONFIG_FILE": str(file)}
    with subprocess.Popen(
        command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        try:
            assert process.wait(TIMEOUT) == 1
        finally:
            process.kill()
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "$ confluent-kafka groups describe g --members -C prod\r\n" in shown


def test_a_share_group_outside_of_the_log(
    kafka_cluster: MockCluster, admin: AdminClient, why: Why, orders: str, producer: Producer
) -> None:
    """The command that is suggested is the one for this kind of groups."""
    fill(producer, 1, 5)
    place = TopicPartition(orders, 1)
    admin.alter_share_group_offsets("workers", {place: 1})[place].result(TIMEOUT)
    start = TopicPartition(orders, 1, 4)
    admin.delete_records([start])[start].result(TIMEOUT)
    finding = found(why("workers", "-J"))["data-lost"]
    assert finding["try"] == ["share-groups reset-offsets workers --topic orders:1 --to earliest"]


def test_without_permission(between: Between, tmp_path: Path) -> None:
    """A user who may only describe the group and its topics gets all findings without the
    producers."""
    users = {name: secret(name) for name in ("admin", "alice")}
    security = Security(
        protocol="SASL_PLAINTEXT", users=users, authorizer=True, super_users={"User:admin"}
    )
    with MockCluster(brokers=1, security=security) as cluster:
        with AdminClient(cluster.client_config("admin")) as admin:
            admin.create_topics([NewTopic("orders", 1, 1)])["orders"].result(TIMEOUT)
            commit(admin, 0)
            for kind, name in ((ResourceType.GROUP, "g"), (ResourceType.TOPIC, "orders")):
                rule = AclBinding(
                    *(kind, name, ResourcePatternType.LITERAL, "User:alice", "*"),
                    *(AclOperation.DESCRIBE, AclPermissionType.ALLOW),
                )
                admin.create_acls([rule])[rule].result(TIMEOUT)
        config = cluster.client_config("admin") | {"transactional.id": "t", "linger.ms": 0}
        with Producer(config) as writer:
            writer.init_transactions(TIMEOUT)
            writer.begin_transaction()
            writer.produce("orders", b"x", partition=0)
            assert writer.flush(TIMEOUT) == 0
            file = tmp_path / "alice.properties"
            lines = [f"{key}={value}" for key, value in cluster.client_config("alice").items()]
            file.write_text("\n".join(lines))
            findings = found(run("why", "g", "-F", str(file), "-J"))
    assert findings.keys() == {"no-members", "open-transaction"}
    (line,) = findings["open-transaction"]["evidence"]
    assert line == "orders:0: last stable offset 0, end 1, the producer is unknown"


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["nosuch"], 1, "group 'nosuch' does not exist"),
        (["g", "--for", "soon"], 2, "--for: 'soon' is not a duration such as 5s, 1h30m or PT1H"),
        ([], 2, "GROUP is missing"),
    ],
)
def test_wrong(kafka_cluster: MockCluster, arguments: list[str], status: int, reason: str) -> None:
    """A missing group and a wrong duration are named."""
    done = run("why", *arguments, "-b", kafka_cluster.bootstrap_servers)
    assert (done.status, done.stdout) == (status, b"")
    assert done.stderr.startswith(f"error: {reason}")


def test_a_cluster_that_does_not_answer() -> None:
    """If no broker answers, the status is 1, and stdout is empty."""
    done = run("why", "g", "-b", NO_BROKER, "--timeout", "0.1")
    assert (done.status, done.stdout) == (1, b"")


def test_ctrl_c(kafka_cluster: MockCluster, admin: AdminClient, orders: str) -> None:
    """Ctrl-C ends the command while it waits for the second sample."""
    commit(admin, 0, 0)
    kafka_cluster.start_request_tracking()
    process = started("why", "g", "--for", "1h", "-b", kafka_cluster.bootstrap_servers)
    seen: set[int] = set()

    def look() -> None:
        seen.update(request.api_key for request in kafka_cluster.requests())

    wait_until(lambda: ListOffsetsRequest.api_key in seen, look)
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, b"", "")
