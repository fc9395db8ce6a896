"""The command line on a real cluster: functions that the embedded cluster does not have."""

from __future__ import annotations

import json
import signal
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import KafkaException, Producer
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import (
    USERS,
    KafkaCluster,
    OwnKafkaCluster,
    SecuredKafkaCluster,
)
from tests.integration.plain_clients import reader, writer
from tests.integration.security import plain
from tests.integration.share_groups import Member, configure_group, wait_for_coordinator
from tests.integration.topics import wait_for_topic
from tests.integration.transactional import new_id, transactional, wait_for_markers
from tests.support.command_line import Ended, ended, run, started
from tests.support.documents import ROOT
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.secrets import secret
from tests.support.stories import matches, output_of
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

Run = Callable[..., Ended]
START = 1_000_000_000_000  # 2001-09-09T01:46:40Z


@pytest.fixture
def timed(kafka: KafkaCluster, make_topic: MakeTopic) -> str:
    """A topic whose messages 0 to 9 are one second apart."""
    topic = make_topic(retention_ms="-1")
    with writer(kafka) as producer:
        for number in range(10):
            producer.produce(topic, b"%d" % number, partition=0, timestamp=START + 1000 * number)
        assert producer.flush(TIMEOUT) == 0
    return topic


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--until", "2001-09-09T01:46:43Z"], range(3)),
        (["--from", "2001-09-09T01:46:47+00:00"], range(7, 10)),
        (["--from", "2001-09-09T01:46:42.500Z", "--until", "2001-09-09T01:46:45Z"], range(3, 5)),
        (["--from", "2030-01-01"], range(0)),
        (["--until", "2030-01-01"], range(10)),
    ],
)
def test_from_and_until_a_time(
    kafka: KafkaCluster, timed: str, options: list[str], expected: range
) -> None:
    """--from and --until with a time mean the first message at or after it, or the end if there is
    none."""
    end = [] if "--until" in options else ["-e"]
    done = run("consume", timed, "-b", kafka.bootstrap_servers, *options, *end, "-q")
    assert done == (0, b"".join(b"%d\n" % number for number in expected), "")


def test_a_group_goes_on(kafka: KafkaCluster, timed: str, group: str) -> None:
    """Each run of a group writes the messages that earlier runs have not written."""
    command = ["consume", timed, "-b", kafka.bootstrap_servers, "-g", group, "-q"]
    assert run(*command, "-n", "4").stdout == b"0\n1\n2\n3\n"
    assert run(*command, "-e").stdout == b"4\n5\n6\n7\n8\n9\n"
    assert run(*command, "-e") == (0, b"", "")


def test_a_transaction_to_the_end(kafka: KafkaCluster, topic: str) -> None:
    """`consume -e` ends even if the last offset is a marker or in an aborted transaction."""
    with writer(kafka, {"transactional.id": topic}) as producer:
        producer.init_transactions(TIMEOUT)
        for value, end in (
            (b"kept", producer.commit_transaction),
            (b"dropped", producer.abort_transaction),
        ):
            producer.begin_transaction()
            producer.produce(topic, value, partition=0)
            end(TIMEOUT)
    done = run("consume", topic, "-b", kafka.bootstrap_servers, "-e", "-q")
    assert done == (0, b"kept\n", "")


def test_a_topic_that_is_not_there(kafka: KafkaCluster, topic: str) -> None:
    """Reading a missing topic ends with status 1 and suggests the nearest name. Sending to it may
    let the brokers create it."""
    servers = kafka.bootstrap_servers
    done = run("consume", f"{topic}x", "-b", servers)
    assert done == (1, b"", f"error: topic '{topic}x' does not exist: did you mean '{topic}'?\n")
    options = ["-X", "allow.auto.create.topics=false", "-X", "topic.metadata.propagation.max.ms=0"]
    done = run("produce", f"{topic}x", "-b", servers, *options, stdin=b"value")
    assert done.status == 1
    assert done.stderr.startswith("0 delivered, 1 failed\nerror: ")


@pytest.mark.parametrize("command", ["consume", "produce"])
def test_credentials_of_a_file(
    secured_kafka: SecuredKafkaCluster, topic: str, tmp_path: Path, command: str
) -> None:
    """A password can be in a file. With a wrong password, the command prints one line without it
    and ends."""
    wrong = secret("wrong")
    for password, status in ((USERS["alice"], 0), (wrong, 1)):
        config = secured_kafka.config("SASL_PLAINTEXT") | {
            "sasl.mechanism": "PLAIN",
            "sasl.username": "alice",
            "sasl.password": password,
        }
        file = tmp_path / "kafka.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in config.items()))
        options = ["-e"] if command == "consume" else []
        done = run(command, topic, "-F", str(file), *options, stdin=b"value\n")
        assert done.status == status
    (line,) = done.stderr.splitlines()
    assert "Authentication failed" in line
    assert wrong not in line


@pytest.fixture
def admin(kafka: KafkaCluster) -> Run:
    """Runs a command on the cluster."""

    def run_with(command: str, *arguments: str) -> Ended:
        words = command.split()
        return run(*words, *arguments, "-b", kafka.bootstrap_servers)

    return run_with


class TestAdministration:
    def test_topics(self, admin: Run, kafka: KafkaCluster) -> None:
        """Topics are created, listed, described, given more partitions and deleted."""
        name = f"made-{uuid.uuid4().hex[:12]}"
        options = ["-p", "2", "-r", "1", "-c", "retention.ms=1000"]
        assert admin("topics create", name, *options, "--check").stdout == (
            f"topic {name} can be created\n".encode()
        )
        assert name.encode() not in admin("topics list").stdout
        assert admin("topics create", name, *options).status == 0
        wait_for_topic(kafka, name, 2)
        again = admin("topics create", name)
        assert (again.status, again.stdout) == (1, b"")
        assert "already exists" in again.stderr
        assert f"{name}\t2\t1\n".encode() in admin("topics list").stdout
        assert set_values(admin("configs describe topic", name, "--json")) == {
            "retention.ms": "1000"
        }
        assert admin("topics grow", name, "3").status == 0
        wait_for_topic(kafka, name, 3)
        found = rows(admin("topics describe", name, "--json"))
        assert [row["partition"] for row in found] == [0, 1, 2]
        assert all(row["replicas"] == row["in sync"] == [row["leader"]] for row in found)
        assert admin("topics delete", name, "--yes").status == 0
        wait_for_topic(kafka, name, 0)
        assert name.encode() not in admin("topics list").stdout
        missing = admin("topics describe", name)
        assert missing.status == 1
        assert len(missing.stderr.splitlines()) == 1

    def test_groups(self, admin: Run, kafka: KafkaCluster, timed: str, group: str) -> None:
        """The lag of a group is shown with and without members, and the group is deleted."""
        done = run("consume", timed, "-b", kafka.bootstrap_servers, "-g", group, "-n", "4")
        assert done.status == 0
        idle = {"member": None, "client": None, "host": None}
        place = {"group": group, "topic": timed, "partition": 0}
        place |= {"committed": 4, "end": 10, "lag": 6}
        assert rows(admin("groups describe", group, "--json")) == [place | idle]
        assert f"{group}\tclassic\tconsumer\tempty\n".encode() in admin("groups list").stdout
        with reader(kafka, {"group.id": group, "client.id": "me"}) as consumer:
            consumer.subscribe([timed])
            wait_until(consumer.assignment, lambda: consumer.poll(0.05))
            (row,) = rows(admin("groups describe", group, "--json"))
            assert (row["lag"], row["client"], row["member"]) == (6, "me", consumer.memberid())
            assert admin("groups delete", group, "--yes").status == 1
        assert admin("groups delete", group, "--yes").status == 0
        missing = admin("groups describe", group)
        assert (missing.status, missing.stdout) == (1, b"")
        assert missing.stderr.startswith(f"error: group '{group}' does not exist")

    def test_live_view(self, kafka: KafkaCluster, timed: str, group: str) -> None:
        """--watch shows the lag again and again, until Ctrl-C."""
        servers = kafka.bootstrap_servers
        assert run("consume", timed, "-b", servers, "-g", group, "-n", "4").status == 0
        process = started("groups", "describe", group, "-b", servers, "--watch", "0.1", "--json")
        assert process.stdout is not None
        lines = [json.loads(process.stdout.readline()) for _ in range(3)]
        assert [line["lag"] for line in lines] == [6, 6, 6]
        process.send_signal(signal.SIGINT)
        assert ended(process).status == 130

    def test_configs(self, admin: Run, topic: str, make_topic: MakeTopic) -> None:
        """Configurations are set, read and unset; a value that the broker refuses changes
        nothing."""
        assert (
            admin("configs set topic", topic, "retention.ms=5000", "max.message.bytes=9").status
            == 0
        )
        make_topic()  # afterwards every broker has it
        values = set_values(admin("configs describe topic", topic, "--json"))
        assert values == {"retention.ms": "5000", "max.message.bytes": "9"}
        assert admin("configs set topic", topic, "retention.ms=x").status == 1
        assert admin("configs unset topic", topic, "retention.ms", "max.message.bytes").status == 0
        make_topic()
        assert set_values(admin("configs describe topic", topic, "--json")) == {}
        everything = rows(admin("configs describe topic", topic, "--all", "--json"))
        assert "cleanup.policy" in {row["name"] for row in everything}
        assert admin("configs describe broker", "1", "--json").status == 0

    @needs("raw-request")
    def test_configs_of_client_metrics(self, admin: Run) -> None:
        """Client metrics are set and listed; they are not listed any more when their last setting
        is removed."""
        name = f"metrics-{uuid.uuid4().hex[:12]}"
        row = {"kind": "client-metrics", "name": name}
        assert admin("configs set client-metrics", name, "interval.ms=5000").status == 0
        wait_until(lambda: row in rows(admin("configs list client-metrics", "--json")))
        assert row in rows(admin("configs list", "--json"))
        assert admin("configs unset client-metrics", name, "interval.ms").status == 0
        wait_until(lambda: row not in rows(admin("configs list client-metrics", "--json")))

    @pytest.mark.parametrize(
        "command",
        [
            "configs describe topic nosuch",
            "configs set topic nosuch retention.ms=5000",
            "configs unset topic nosuch retention.ms",
        ],
    )
    def test_configs_of_a_missing_topic(self, admin: Run, command: str) -> None:
        """The error names the missing topic."""
        done = admin(command)
        assert (done.status, done.stdout) == (1, b"")
        assert done.stderr.startswith("error: topic 'nosuch': ")

    @needs("raw-request")
    def test_configs_of_a_logger(self, own_kafka: OwnKafkaCluster, admin: Run) -> None:
        """Each broker has its own logger levels, and a change takes effect at once."""
        logger = "org.apache.kafka.storage.internals.log.TimeIndex"
        done = admin("configs set broker-logger", "2", f"{logger}=ERROR")
        assert done == (0, b"broker_logger 2 was changed\n", "")
        found = rows(admin("configs describe broker-logger", "2", "--json"))
        source = "dynamic_broker_logger_config"
        assert {"name": logger, "value": "ERROR", "source": source} in found
        assert admin("configs unset broker-logger", "2", logger).status == 0
        done = admin("configs set client-metrics", "m", "nosuch=1")
        assert (done.status, done.stdout) == (1, b"")
        assert done.stderr.startswith("error: client_metrics 'm': ")

    def test_acls(
        self, secured_kafka: SecuredKafkaCluster, admin: Run, make_topic: MakeTopic
    ) -> None:
        """ACLs are created, listed by a filter, and deleted."""
        name = f"acl-{uuid.uuid4().hex[:12]}"
        options = ["--resource", "topic", "--name", name]
        binding = ["--principal", "User:bob", "--operation", "read", "--permission", "deny"]
        assert admin("acls create", *options, *binding).status == 0
        expected = {
            "resource": "topic",
            "name": name,
            "pattern": "literal",
            "principal": "User:bob",
            "host": "*",
            "operation": "read",
            "permission": "deny",
        }
        make_topic()  # afterwards every broker has it
        assert rows(admin("acls list", *options, "--json")) == [expected]
        assert rows(admin("acls list", *options, "--operation", "write", "--json")) == []
        done = [expected | {"done": True}]
        assert rows(admin("acls delete", *options, "--yes", "--json")) == done
        make_topic()
        assert rows(admin("acls list", *options, "--json")) == []

    def test_acls_of_a_consumer(
        self, secured_kafka: SecuredKafkaCluster, admin: Run, make_topic: MakeTopic
    ) -> None:
        """--consumer creates the ACLs that a consumer needs, and deletes the same ACLs."""
        name = f"acl-{uuid.uuid4().hex[:12]}"
        options = ["--principal", "User:carol", "--consumer", "--topic", name, "--group", name]
        created = rows(admin("acls create", *options, "--json"))
        assert [(row["resource"], row["operation"]) for row in created] == [
            ("topic", "read"),
            ("topic", "describe"),
            ("group", "read"),
        ]
        make_topic()  # afterwards every broker has them
        assert rows(admin("acls list", "--name", name, "--json")) == created
        done = [row | {"done": True} for row in created]
        assert rows(admin("acls delete", *options, "--yes", "--json")) == done
        make_topic()
        assert rows(admin("acls list", "--name", name, "--json")) == []

    def test_cluster(self, secured_kafka: SecuredKafkaCluster, admin: Run) -> None:
        """The command shows every broker, and which one is the controller."""
        found = rows(admin("cluster describe", "--json"))
        assert [row["broker"] for row in found] == [1, 2, 3]
        assert len({row["cluster"] for row in found}) == 1
        servers = {f"{row['host']}:{row['port']}" for row in found}
        assert servers == set(secured_kafka.bootstrap_servers.split(","))


def rows(done: Ended) -> list[dict[str, Any]]:
    """The rows that a command printed with --json."""
    assert (done.status, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def set_values(done: Ended) -> dict[str, str]:
    """The values that are set for the topic itself."""
    return {
        row["name"]: row["value"] for row in rows(done) if row["source"] == "dynamic_topic_config"
    }


@needs("raw-request")
def test_log_dirs(kafka: KafkaCluster, timed: str) -> None:
    """The command shows a row for each replica, or an error for each broker that does not
    answer."""
    command = ["log-dirs", "-b", kafka.bootstrap_servers, "--topic", timed, "--json"]
    rows = [json.loads(line) for line in run(*command).stdout.splitlines()]
    assert {(row["topic"], row["partition"]) for row in rows} == {(timed, 0)}
    assert all(row["bytes"] > 0 and row["directory"].startswith("/") for row in rows)
    done = run(*command, "--broker", "77", "--timeout", "5")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith("error: there is no broker 77, only ")


@needs("raw-request")
def test_reassign(kafka: KafkaCluster, timed: str) -> None:
    """A partition moves to the given brokers; a partition that does not move cannot be
    cancelled."""
    end = ["-b", kafka.bootstrap_servers]
    place = f"{timed}:0"

    def replicas() -> str:
        (row,) = run("topics", "describe", timed, "--json", *end).stdout.splitlines()
        return ",".join(str(node) for node in sorted(json.loads(row)["replicas"]))

    for nodes in ("1,2", "3"):
        done = run("reassign", "start", f"{place}={nodes}", "-y", *end)
        assert done == (0, f"partition {place} is being moved\n".encode(), "")
        wait_until(lambda nodes=nodes: replicas() == nodes)
    assert timed.encode() not in run("reassign", "list", *end).stdout
    done = run("reassign", "cancel", place, "-y", *end)
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"error: partition '{place}': ")
    done = run("reassign", "start", f"{place}=77", "-y", *end)
    assert (done.status, done.stdout) == (1, b"")


@needs("raw-request")
class TestTransactions:
    @pytest.fixture
    def producer(self, kafka: KafkaCluster, topic: str) -> Iterator[Producer]:
        """A producer whose transaction is open; its id is the topic's name."""
        with transactional(kafka, topic, {"transaction.timeout.ms": 600_000}) as producer:
            producer.begin_transaction()
            send(producer, topic, [b"value"])
            yield producer

    @pytest.mark.usefixtures("producer")
    def test_shown(self, admin: Run, topic: str) -> None:
        """An open transaction is listed and described, as is its producer in the partition."""
        (listed,) = rows(admin("transactions list", "--state", "ongoing", "--pattern", topic, "-J"))
        assert (listed["transactional id"], listed["state"]) == (topic, "ongoing")
        assert rows(admin("transactions list", "--duration", "600", "--pattern", topic, "-J")) == []
        (described,) = rows(admin("transactions describe", topic, "-J"))
        assert described["producer id"] == listed["producer id"]
        assert (described["partitions"], described["timeout ms"]) == ([f"{topic}:0"], 600_000)
        (found,) = rows(admin("transactions describe-producers", f"{topic}:0", "-J"))
        assert (found["producer id"], found["epoch"]) == (listed["producer id"], described["epoch"])
        assert (found["start offset"], found["coordinator epoch"]) == (0, None)

    @pytest.mark.usefixtures("producer")
    def test_none_hangs(self, admin: Run, topic: str) -> None:
        """A transaction that its coordinator has open does not hang."""
        assert rows(admin("transactions find-hanging", topic, "-J")) == []

    def test_each_id_has_its_own_error(self, admin: Run, producer: Producer, topic: str) -> None:
        """If an id does not exist, only this id fails; the other id is described."""
        missing = new_id()
        done = admin("transactions describe", missing, topic, "-J")
        assert (done.status, len(done.stdout.splitlines())) == (1, 1)
        assert done.stderr.startswith(f"error: transactional id '{missing}': ")
        producer.abort_transaction(TIMEOUT)

    @pytest.mark.parametrize("by", ["start offset", "producer"])
    @pytest.mark.usefixtures("producer")
    def test_aborted_in_one_partition(
        self, kafka: KafkaCluster, admin: Run, topic: str, by: str
    ) -> None:
        """The transaction is selected by its first offset or by its producer, and is then
        aborted."""
        place = f"{topic}:0"
        (found,) = rows(admin("transactions describe-producers", place, "-J"))
        wrong = admin("transactions abort", place, "-y", "--start-offset", "7")
        assert wrong == (1, b"", f"error: no open transaction of {place} begins at 7\n")
        chosen = {
            "start offset": ["--start-offset", "0"],
            "producer": [
                *("--producer-id", str(found["producer id"])),
                *("--producer-epoch", str(found["epoch"])),
            ],
        }
        done = admin("transactions abort", place, "-y", *chosen[by])
        assert done == (0, f"the transaction in {place} was aborted\n".encode(), "")
        wait_for_markers(kafka, topic)
        assert admin("transactions abort", place, "-y", "--start-offset", "0").status == 1

    def test_terminated(
        self, kafka: KafkaCluster, admin: Run, producer: Producer, topic: str
    ) -> None:
        """After a transaction is terminated, its producer cannot commit it."""
        done = admin("transactions force-terminate", topic, "-y", "--json")
        assert json.loads(done.stdout) == {"transactional id": topic, "done": True}
        wait_for_markers(kafka, topic)
        with pytest.raises(KafkaException):
            producer.commit_transaction(TIMEOUT)


@needs("raw-request")
class TestQuotas:
    @pytest.fixture
    def user(self) -> str:
        """A user whom no other test has."""
        return f"user-{uuid.uuid4().hex[:12]}"

    def test_changed_and_shown(self, admin: Run, user: str) -> None:
        """Quotas of a user, and defaults for the user's clients, can be set, shown and removed."""
        alone, both = ["--user", user], ["--user", user, "--default", "client-id"]
        done = admin("quotas alter", *alone, "producer_byte_rate=1000", "request_percentage=1.5")
        assert done == (0, f"quotas of user {user} were changed\n".encode(), "")
        done = admin("quotas alter", *both, "consumer_byte_rate=2000")
        assert done.stdout == f"quotas of user {user}, client-id <default> were changed\n".encode()

        def shown(*options: str) -> list[tuple[Any, ...]]:
            found = rows(admin("quotas describe", *options, "--json"))
            return [(row["client-id"], row["quota"], row["value"]) for row in found]

        of_user = [(None, "producer_byte_rate", 1000.0), (None, "request_percentage", 1.5)]
        of_clients = [("<default>", "consumer_byte_rate", 2000.0)]
        wait_until(lambda: shown(*alone) == of_user + of_clients)
        wait_until(lambda: shown(*alone, "--only") == of_user)
        wait_until(lambda: shown(*both) == of_clients)
        wait_until(lambda: shown(*alone, "--every", "client-id") == of_clients)
        removed = ["--remove", "producer_byte_rate", "--remove", "request_percentage"]
        assert admin("quotas alter", *alone, *removed).status == 0
        assert admin("quotas alter", *both, "--remove", "consumer_byte_rate").status == 0
        wait_until(lambda: shown(*alone) == [])

    def test_refused(self, admin: Run, user: str) -> None:
        """A quota that does not exist is refused, also with validation only."""
        for options in (["--check"], []):
            done = admin("quotas alter", "--user", user, "nosuch=1", *options)
            assert (done.status, done.stdout) == (1, b"")
            assert "nosuch" in done.stderr
        done = admin("quotas alter", "--user", user, "producer_byte_rate=1", "--check")
        assert done == (0, f"quotas of user {user} can be changed\n".encode(), "")


@needs("raw-request")
class TestShareGroups:
    def test_shown_and_deleted(
        self, kafka: KafkaCluster, admin: Run, timed: str, group: str
    ) -> None:
        """A share group is shown with a member and without, and deleted when it has none."""
        configure_group(kafka, group, share_session_timeout_ms="45000")
        with Member(kafka, group, client_id="me") as member:
            member.subscribe([timed])
            member.fetch()
            assert f"{group}\tstable\n".encode() in admin("share-groups list").stdout
            (row,) = rows(admin("share-groups describe", group, "--json"))
            assert (row["group"], row["state"], row["client"]) == (group, "stable", "me")
            assert row["partitions"] == [f"{timed}:0"]
            assert admin("share-groups delete", group, "-y").status == 1
        wait_until(lambda: _without_members(admin, group))
        assert group.encode() in admin("share-groups list", "--state", "empty").stdout
        assert group.encode() not in admin("share-groups list", "--state", "stable").stdout
        missing = admin("share-groups describe", f"{group}x")
        assert missing.status == 1
        assert missing.stderr.startswith(f"error: group '{group}x' does not exist")
        done = admin("share-groups delete", group, "-y")
        assert done == (0, f"group {group} was deleted\n".encode(), "")

    def test_offsets(
        self, kafka: KafkaCluster, admin: Run, timed: str, group: str, make_topic: MakeTopic
    ) -> None:
        """Offsets can be set to the beginning, the end, an offset or a time, and can be deleted."""
        two = make_topic(partitions=2)
        wait_for_coordinator(kafka, group, timed, two)
        for to, start in (
            ("3", 3),
            ("beginning", 0),
            ("end", 10),
            ("2001-09-09T01:46:45Z", 5),
            ("2030-01-01", 10),
        ):
            reset = ["share-groups reset-offsets", group, "-t", timed, "--to", to, "--json"]
            for options in ([], ["--execute"]):
                row = json.loads(admin(*reset, *options).stdout)
                assert (row["topic"], row["partition"], row["new offset"]) == (timed, 0, start)
        done = admin(
            "share-groups reset-offsets", group, "-t", f"{two}:1", "--to", "end", "--execute"
        )
        assert (done.status, done.stderr) == (0, "")

        def shown() -> dict[tuple[str, int], tuple[int, int]]:
            found = rows(admin("share-groups offsets", group, "--json"))
            return {(row["topic"], row["partition"]): (row["start"], row["lag"]) for row in found}

        wait_until(lambda: shown() == {(timed, 0): (10, 0), (two, 1): (0, 0)})
        done = admin("share-groups delete-offsets", group, two, "-y")
        assert done == (0, f"group {group} has no offsets in {two}\n".encode(), "")
        wait_until(lambda: shown() == {(timed, 0): (10, 0)})
        for where in (f"{timed}:7", f"{timed}x"):
            done = admin("share-groups reset-offsets", group, "-t", where, "--to", "0", "--execute")
            assert done.status == 1
            assert done.stderr.splitlines()[-1].startswith(f"error: topic '{timed}")


def _without_members(admin: Run, group: str) -> bool:
    return [row["member"] for row in rows(admin("share-groups describe", group, "-J"))] == [None]


@needs("raw-request")
def test_delegation_tokens(secured_kafka: SecuredKafkaCluster, tmp_path: Path) -> None:
    """A token is created, described with and without its secret, renewed, and expired."""
    config = secured_kafka.config("SASL_PLAINTEXT") | plain("alice", USERS["alice"])
    file = tmp_path / "kafka.properties"
    file.write_text("".join(f"{key}={value}\n" for key, value in config.items()))

    def tokens(command: str, *arguments: str, stdin: bytes = b"") -> Ended:
        return run("delegation-tokens", command, "-F", str(file), *arguments, stdin=stdin)

    options = ["--renewer", "User:bob", "--max-lifetime", "3600", "--json"]
    (made,) = rows(tokens("create", *options))
    hmac = made.pop("hmac")
    assert (made["owner"], made["requester"]) == ("User:alice", "User:alice")
    assert made["renewers"] == ["User:bob"]
    assert tokens("create", "--owner", "alice").status == 2
    assert made["max"] - made["issued"] == 3_600_000
    owner = ["--owner", "User:alice", "--json"]
    wait_until(lambda: made in rows(tokens("describe", *owner)))
    wait_until(lambda: made | {"hmac": hmac} in rows(tokens("describe", "--secrets", *owner)))
    # The controller gets the token after a delay, as every broker does.
    wait_until(lambda: tokens("renew", "--period", "60", stdin=f"{hmac}\n".encode()).status == 0)
    done = tokens("expire", hmac)
    assert done.status == 0
    assert done.stdout.startswith(b"the token expires at 1")
    wait_until(lambda: not _has(rows(tokens("describe", *owner)), made["token id"]))
    wait_until(lambda: tokens("expire", hmac).status == 1)
    command = "confluent-kafka delegation-tokens create --max-lifetime 3600 -F alice.properties"
    shown = output_of(ROOT / "docs/guides/command-line/security.md", command)
    made_again = tokens("create", "--max-lifetime", "3600").stdout.decode()
    assert matches(shown, made_again), made_again
    wait_until(lambda: tokens("expire", made_again.split()[-1]).status == 0)
    servers = secured_kafka.bootstrap_servers
    assert run("delegation-tokens", "describe", "-b", servers).status == 1


def _has(found: list[dict[str, Any]], token: str) -> bool:
    return token in [row["token id"] for row in found]
