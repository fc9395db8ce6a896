"""``topics``: which partitions are shown, offsets, and what is deleted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import KafkaError, protocol
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request", "mock-replicas", "mock-snapshot", "raw-request")

Run = Callable[..., Ended]


@pytest.fixture
def topics(kafka_cluster: MockCluster) -> Run:
    """Runs `topics COMMAND` with the topics orders (two partitions) and payments."""
    kafka_cluster.create_topic("orders", 2, 3)
    kafka_cluster.create_topic("payments", 1, 1)

    def run_with(command: str, *arguments: str, stdin: bytes = b"") -> Ended:
        words = command.split()
        return run("topics", *words, *arguments, "-b", kafka_cluster.bootstrap_servers, stdin=stdin)

    return run_with


def rows(done: Ended) -> list[dict[str, Any]]:
    """The rows that a command with --json wrote."""
    assert (done.status, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def places(done: Ended) -> list[tuple[str, int]]:
    return [(row["topic"], row["partition"]) for row in rows(done)]


def report(cluster: MockCluster, states: dict[tuple[str, int], tuple[int, list[int]]]) -> None:
    """Let the brokers report these leaders and replicas in sync. Partitions have all replicas."""
    response = protocol.MetadataResponse
    addresses = [each.split(":") for each in cluster.bootstrap_servers.split(",")]
    brokers = [
        response.MetadataResponseBroker(node_id=number, host=host, port=int(port))
        for number, (host, port) in enumerate(addresses, start=1)
    ]
    topics = [
        response.MetadataResponseTopic(
            name=topic,
            partitions=[
                response.MetadataResponsePartition(
                    partition_index=number,
                    leader_id=leader,
                    error_code=0 if leader > 0 else KafkaError.LEADER_NOT_AVAILABLE,
                    replica_nodes=[1, 2, 3],
                    isr_nodes=in_sync,
                )
                for (name, number), (leader, in_sync) in states.items()
                if name == topic
            ],
        )
        for topic in dict.fromkeys(topic for topic, _ in states)
    ]

    def answer(request: Any, context: object) -> protocol.MetadataResponse:
        wanted = None if request.topics is None else {topic.name for topic in request.topics}
        chosen = [topic for topic in topics if wanted is None or topic.name in wanted]
        return response(brokers=brokers, controller_id=1, cluster_id="c", topics=chosen)

    cluster.on_request(protocol.MetadataRequest.api_key, answer)


@pytest.fixture
def filled(kafka_cluster: MockCluster, topics: Run) -> Run:
    """Partition 1 of orders has the offsets 0 to 4."""
    lines = b"a\nb\nc\nd\ne\n"
    done = run(
        *("produce", "orders", "-p", "1", "-q", "-b", kafka_cluster.bootstrap_servers), stdin=lines
    )
    assert done.status == 0
    return topics


class TestDescribe:
    def test_chosen_topics(self, topics: Run) -> None:
        """Without arguments, all topics are shown. A topic that a name and a pattern select is
        shown once."""
        everything = [("orders", 0), ("orders", 1), ("payments", 0)]
        assert places(topics("describe -J")) == everything
        assert places(topics("describe ^pay -J")) == [("payments", 0)]
        assert places(topics("describe payments ^pay payments -J")) == [("payments", 0)]
        assert topics("describe ^nosuch") == (1, b"", "error: no topic matches '^nosuch'\n")

    def test_the_nearest_name(self, topics: Run) -> None:
        """A topic that does not exist has a line on stderr; the other topics are shown."""
        done = topics("describe ordres payments nosuch")
        assert (done.status, len(done.stdout.splitlines())) == (1, 2)
        assert done.stderr == (
            "error: topic 'ordres' does not exist: did you mean 'orders'?\n"
            "error: topic 'nosuch' does not exist\n"
        )

    def test_a_wrong_pattern(self, topics: Run) -> None:
        """A text that begins with ^ and is not a regular expression is wrong usage."""
        done = topics("describe ^(")
        assert (done.status, done.stdout) == (2, b"")
        assert "TOPICS: '^(' is not a regular expression" in done.stderr

    def test_partitions_with_a_problem(self, topics: Run, kafka_cluster: MockCluster) -> None:
        """Each option shows the partitions that have this problem; several options show the
        partitions of all of them."""
        assert places(topics("describe --under-replicated --unavailable -J")) == []
        states = {("a", 0): (1, [1, 2]), ("a", 1): (1, [1, 2, 3]), ("b", 0): (-1, [])}
        report(kafka_cluster, states)
        assert places(topics("describe --under-replicated -J")) == [("a", 0), ("b", 0)]
        (row,) = rows(topics("describe --unavailable -J"))
        assert (row["topic"], row["leader"], row["in sync"]) == ("b", None, [])
        assert len(places(topics("describe --under-replicated --unavailable -J"))) == 2

    def test_min_isr(self, topics: Run, kafka_cluster: MockCluster) -> None:
        """--at-min-isr selects partitions with exactly min.insync.replicas replicas in sync,
        --under-min-isr selects partitions with fewer. The table also contains this setting."""
        servers = kafka_cluster.bootstrap_servers
        changed = run("configs", "set", "topic", "orders", "min.insync.replicas=2", "-b", servers)
        assert changed.status == 0
        states = {("orders", 0): (1, [1, 2]), ("orders", 1): (1, [1]), ("payments", 0): (1, [1])}
        report(kafka_cluster, states)
        (row,) = rows(topics("describe orders --at-min-isr -J"))
        assert (row["partition"], row["in sync"], row["min in sync"]) == (0, [1, 2], 2)
        assert places(topics("describe --under-min-isr -J")) == [("orders", 1)]
        # One replica in sync is enough for payments.
        assert places(topics("describe --at-min-isr -J")) == [("orders", 0), ("payments", 0)]

    def test_overrides(self, topics: Run) -> None:
        """--with-overrides shows the settings that topics have set themselves."""
        assert topics("create new -c retention.ms=5 -c cleanup.policy=compact").status == 0
        assert topics("describe --with-overrides").stdout == (
            b"topic\tsetting\tvalue\nnew\tcleanup.policy\tcompact\nnew\tretention.ms\t5\n"
        )
        done = topics("describe --with-overrides --unavailable")
        assert done.status == 2
        assert "--with-overrides: shows settings" in done.stderr


def test_changes_as_json(topics: Run) -> None:
    """With --json, each change is an object that says whether the change was made."""
    steps = {
        "create new --check": [{"topic": "new", "done": False}],
        "create new": [{"topic": "new", "done": True}],
        "create new --if-not-exists": [{"topic": "new", "done": False}],
        "grow new 9 --check": [{"topic": "new", "partitions": 9, "done": False}],
        "grow new 9": [{"topic": "new", "partitions": 9, "done": True}],
        "delete orders new -y": [{"topic": "orders", "done": True}, {"topic": "new", "done": True}],
    }
    for step, changes in steps.items():
        done = topics(f"{step} --json")
        assert done.status == 0, step
        assert [json.loads(line) for line in done.stdout.splitlines()] == changes, step


class TestIfExists:
    def test_create(self, topics: Run) -> None:
        """--if-not-exists succeeds for a topic that exists, and does not change it."""
        done = topics("create orders --partitions 9 --if-not-exists")
        assert done == (0, b"topic orders exists already\n", "")
        assert len(places(topics("describe orders -J"))) == 2
        assert topics("create new --if-not-exists") == (0, b"topic new was created\n", "")
        assert topics("create orders").status == 1

    def test_delete(self, topics: Run) -> None:
        """--if-exists ignores topics that do not exist. Without it the error has the nearest
        name, and the other topics are deleted."""
        assert topics("delete nosuch -y --if-exists") == (0, b"", "")
        done = topics("delete nosuch orders -y --if-exists")
        assert done == (0, b"topic orders was deleted\n", "")
        assert topics("delete paymnts -y") == (
            1,
            b"",
            "error: topic 'paymnts' does not exist: did you mean 'payments'?\n",
        )


class TestOffsets:
    @pytest.mark.parametrize(
        ("at", "expected"),
        [
            ("earliest", [0, 0]),
            ("latest", [0, 5]),
            ("earliest-local", [0, 0]),
            ("latest-tiered", [None, None]),
            ("2001-01-01", [None, 0]),
            ("2101-01-01", [None, None]),
        ],
    )
    def test_positions(self, filled: Run, at: str, expected: list[int | None]) -> None:
        """For each partition, the command shows the offset of the position, or null if there is
        none."""
        found = rows(filled("offsets orders -J --at", at))
        assert [row["offset"] for row in found] == expected
        assert [row["partition"] for row in found] == [0, 1]

    def test_the_default_is_the_end(self, filled: Run) -> None:
        """Without --at, the offsets are the ends; a time also returns the message's timestamp."""
        assert [row["offset"] for row in rows(filled("offsets ^ord -J"))] == [0, 5]
        _, row = rows(filled("offsets orders --at max-timestamp -J"))
        assert row["offset"] is not None
        assert row["timestamp"] > 1_500_000_000_000

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ("orders", [("orders", 0), ("orders", 1)]),
            ("orders:1", [("orders", 1)]),
            ("orders:1,0", [("orders", 0), ("orders", 1)]),
            ("^o|^p", [("orders", 0), ("orders", 1), ("payments", 0)]),
        ],
    )
    def test_chosen_partitions(
        self, filled: Run, where: str, expected: list[tuple[str, int]]
    ) -> None:
        """The commands that are about partitions choose them in the same way."""
        assert places(filled("offsets -J", where)) == expected
        assert places(filled("delete-records --before beginning -J", where)) == expected

    def test_a_partition_that_does_not_exist(self, filled: Run) -> None:
        """A missing partition is reported, and the other partitions are shown."""
        done = filled("offsets orders:1,9")
        assert (done.status, len(done.stdout.splitlines())) == (1, 2)
        assert done.stderr == "error: topic 'orders' has no partition 9, only partitions 0 to 1\n"

    def test_wrong_arguments(self, filled: Run) -> None:
        """The command refuses a position that is neither a name nor a time, and a topic that does
        not exist."""
        done = filled("offsets orders --at soon")
        assert (done.status, done.stdout) == (2, b"")
        assert "--at: 'soon' is not earliest, latest, max-timestamp" in done.stderr
        done = filled("offsets ordres")
        assert done == (
            1,
            b"",
            "error: topic 'ordres' does not exist: did you mean 'orders'?\n",
        )


class TestDeleteRecords:
    def begins(self, filled: Run) -> list[int]:
        return [row["offset"] for row in rows(filled("offsets orders --at earliest -J"))]

    def test_nothing_without_a_confirmation(self, filled: Run) -> None:
        """The command shows what it would delete. Without a terminal it needs --yes."""
        done = filled("delete-records orders --before 3")
        # Partition 0 has no messages at all.
        assert done.stderr == "error: partition 'orders:0': 3 is after its end, which is 0\n"
        done = filled("delete-records orders:1 --before 3")
        assert done.status == 2
        assert done.stdout == (
            b"topic\tpartition\tbegin\tnew begin\tmessages\norders\t1\t0\t3\t3\n"
        )
        assert "--yes: is required without a terminal" in done.stderr
        assert self.begins(filled) == [0, 0]

    @pytest.mark.parametrize(
        ("where", "before", "begin"),
        [
            ("orders:1", "3", 3),
            ("orders", "end", 5),
            ("orders", "2101-01-01", 5),
            ("orders", "2001-01-01", 0),
            ("orders", "beginning", 0),
        ],
    )
    def test_deleted(self, filled: Run, where: str, before: str, begin: int) -> None:
        """The messages before an offset, the end or a time are deleted."""
        done = filled(f"delete-records {where} --before {before} -y")
        assert (done.status, done.stderr) == (0, "")
        said = f"partition orders:1 begins at {begin}\n".encode()
        assert done.stdout.endswith(said) == (begin > 0)
        assert self.begins(filled) == [0, begin]

    def test_as_json(self, filled: Run) -> None:
        """With --json, each row contains whether the messages were deleted."""
        (row,) = rows(filled("delete-records orders:1 --before 2 -y -J"))
        plan = {"topic": "orders", "partition": 1, "begin": 0, "new begin": 2, "messages": 2}
        assert row == {**plan, "done": True}
        (row,) = rows(filled("delete-records orders:1 --before 2 -y -J"))
        assert not row["done"]
        asked = filled("delete-records orders:1 --before 3 -J")
        assert (asked.status, json.loads(asked.stdout)["done"]) == (2, False)

    @pytest.mark.parametrize(
        ("where", "error"),
        [
            ("ordres", "topic 'ordres' does not exist: did you mean 'orders'?"),
            ("orders:7", "topic 'orders' has no partition 7, only partitions 0 to 1"),
            ("payments:1", "topic 'payments' has no partition 1, only partition 0"),
            ("^nosuch", "no topic matches '^nosuch'"),
        ],
    )
    def test_what_does_not_exist(self, filled: Run, where: str, error: str) -> None:
        """Nothing is deleted if one of the arguments does not exist."""
        done = filled("delete-records orders:1", where, "--before", "end", "-y")
        assert done == (1, b"", f"error: {error}\n")
        assert self.begins(filled) == [0, 0]


class TestApply:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        """Declares more partitions and a setting for orders, and a new topic."""
        file = tmp_path / "topics.toml"
        file.write_text(
            "[topics.orders]\npartitions = 4\nconfig = {retention.ms = 5}\n"
            "[topics.new]\npartitions = 2\nreplicas = 3\n"
        )
        return file

    def test_nothing_without_execute(self, topics: Run, file: Path) -> None:
        """The table shows each change, stderr reports that nothing was changed, and nothing was
        changed."""
        done = topics("apply", str(file))
        assert done == (
            0,
            b"topic\tchange\tsetting\told\tnew\n"
            b"orders\tgrow\tpartitions\t2\t4\n"
            b"orders\tset\tretention.ms\t-\t5\n"
            b"new\tcreate\tpartitions\t-\t2\n"
            b"new\tcreate\treplicas\t-\t3\n",
            "note: nothing was changed: add --execute to make these changes\n",
        )
        assert len(topics("apply", str(file), "--json").stdout.splitlines()) == 4

    def test_twice(self, topics: Run, file: Path) -> None:
        """--execute makes the changes. A second run finds no difference, and changes nothing."""
        done = topics("apply", str(file), "--execute")
        assert (done.status, done.stderr) == (0, "")
        assert done.stdout.endswith(
            b"topic new was created\ntopic orders has more partitions\ntopic orders was changed\n"
        )
        assert len(places(topics("describe orders -J"))) == 4
        assert topics("apply", str(file), "--execute") == (0, b"nothing is different\n", "")
        assert rows(topics("apply", str(file), "--execute", "--json")) == []

    def test_a_setting_that_the_file_leaves_out(self, topics: Run, file: Path) -> None:
        """If the file has a table of settings for a topic, a setting that is missing there gets its
        default again."""
        assert topics("apply", str(file), "--execute").status == 0
        file.write_text("[topics.orders]\npartitions = 4\n")
        assert topics("apply", str(file)).stdout == b"nothing is different\n"
        file.write_text("[topics.orders.config]\n")
        (row,) = rows(topics("apply", str(file), "--execute", "--json"))
        assert (row["change"], row["setting"], row["old"]) == ("unset", "retention.ms", "5")
        assert rows(topics("describe --with-overrides -J")) == []

    def test_prune(self, topics: Run, file: Path) -> None:
        """Other topics are deleted with --prune only, and after a confirmation."""
        assert topics("apply", str(file), "--execute").status == 0
        done = topics("apply", str(file), "--prune")
        assert done.stdout.endswith(b"\npayments\tdelete\t-\t-\t-\n")
        done = topics("apply", str(file), "--prune", "--execute")
        assert done.status == 2
        assert "--yes: is required without a terminal" in done.stderr
        assert ("payments", 0) in places(topics("describe -J"))
        done = topics("apply", str(file), "--prune", "--execute", "--yes")
        assert done.stdout.endswith(b"\ntopic payments was deleted\n")
        assert ("payments", 0) not in places(topics("describe -J"))

    def test_nothing_is_changed_if_a_part_is_refused(self, topics: Run, file: Path) -> None:
        """The brokers check everything first: no topic grows, is created or is deleted."""
        before = places(topics("describe -J"))
        file.write_text(
            "[topics.orders]\npartitions = 4\n[topics.new]\n[topics.bad.config]\nnosuch = 1\n"
        )
        done = topics("apply", str(file), "--prune", "--execute", "--yes")
        assert done.status == 1
        assert done.stderr.startswith("error: topic 'bad': ")
        assert places(topics("describe -J")) == before

    def test_nothing_is_deleted_after_a_failure(
        self, topics: Run, file: Path, kafka_cluster: MockCluster
    ) -> None:
        """A change can fail although the brokers' check succeeded."""

        def answer(request: Any, context: object) -> protocol.CreateTopicsResponse | None:
            if request.validate_only:
                return None
            result = protocol.CreateTopicsResponse.CreatableTopicResult
            code = KafkaError.POLICY_VIOLATION
            names = [each.name for each in request.topics]
            return protocol.CreateTopicsResponse(
                topics=[result(name=name, error_code=code) for name in names]
            )

        kafka_cluster.on_request(protocol.CreateTopicsRequest.api_key, answer)
        done = topics("apply", str(file), "--prune", "--execute", "--yes", "--json")
        assert done.status == 1
        assert done.stderr.startswith("error: topic 'new': ")
        assert not any(json.loads(line)["done"] for line in done.stdout.splitlines())
        assert ("payments", 0) in places(topics("describe -J"))

    def test_prune_without_topics(self, topics: Run, file: Path) -> None:
        """A file that declares no topics would delete all of them: it is refused."""
        file.write_text("")
        done = topics("apply", str(file), "--prune", "--execute", "--yes")
        assert (done.status, done.stdout) == (2, b"")
        assert done.stderr.startswith(f"error: --prune: {file} declares no topics")
        assert ("payments", 0) in places(topics("describe -J"))

    def test_rows_contain_what_was_done(self, topics: Run, file: Path) -> None:
        """With --json, each row is written once, and contains whether the change was made."""
        assert not any(
            json.loads(each)["done"]
            for each in topics("apply", str(file), "-J").stdout.splitlines()
        )
        found = rows(topics("apply", str(file), "--execute", "--prune", "--yes", "-J"))
        assert [row["topic"] for row in found] == ["orders", "orders", "new", "new", "payments"]
        assert all(row["done"] for row in found)

    def test_diff(self, topics: Run, file: Path) -> None:
        """--diff shows the changes, as the command does without --execute."""
        assert topics("apply", str(file), "--diff") == topics("apply", str(file))
        done = topics("apply", str(file), "--diff", "--execute")
        assert done.status == 2
        assert done.stderr.startswith("error: --diff: cannot be combined with --execute\n")

    def test_what_cannot_be_changed(self, topics: Run, file: Path) -> None:
        """If a file would remove partitions, the error explains that this is impossible; nothing is
        changed."""
        file.write_text("[topics.orders]\npartitions = 1\n[topics.new]\n")
        done = topics("apply", str(file), "--execute")
        assert done.status == 1
        assert done.stderr == (
            "error: topic 'orders' has 2 partitions, and the file declares 1: Kafka cannot remove "
            "partitions\n"
        )
        assert ("new", 0) not in places(topics("describe -J"))

    def test_brokers_check_the_changes(self, topics: Run, file: Path) -> None:
        """Also without --execute, a setting that does not exist is an error."""
        file.write_text("[topics.orders.config]\nnosuch = 1\n")
        done = topics("apply", str(file))
        assert done.status == 1
        assert done.stderr.startswith("error: topic 'orders': ")
        assert "nosuch" in done.stderr

    def test_a_wrong_file(self, topics: Run, file: Path) -> None:
        """The error names the file and the key."""
        file.write_text("[topics.orders]\npartition = 1\n")
        done = topics("apply", str(file))
        assert (done.status, done.stdout) == (2, b"")
        assert done.stderr.startswith(
            f"error: FILE: {file}: topic 'orders': unknown key 'partition': did you mean "
            "'partitions'?\n"
        )


def test_chosen_brokers(topics: Run) -> None:
    """--assign names the brokers of each partition in turn."""
    assert topics("create placed --assign 3,1 --assign 2,3").status == 0
    found = rows(topics("describe placed -J"))
    assert [(row["leader"], row["replicas"]) for row in found] == [(3, [3, 1]), (2, [2, 3])]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--assign 1;2", "--assign: '1;2': needs BROKER,..."),
        ("--assign 1 -p 1", "--assign: cannot be combined with --partitions and --replicas"),
        ("--assign 1 -r 1", "--assign: cannot be combined with --partitions and --replicas"),
    ],
)
def test_wrong_brokers(topics: Run, options: str, reason: str) -> None:
    """The error names the option and what it needs."""
    done = topics(f"create placed {options}")
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"error: {reason}\n")


def test_replicas_that_cannot_be_compared(topics: Run, kafka_cluster: MockCluster) -> None:
    """Brokers that do not let readers compare the replicas are named."""
    kafka_cluster.create_topic("pairs", 1, 2)
    servers = ["-b", kafka_cluster.bootstrap_servers]
    assert run("produce", "pairs", "-q", *servers, stdin=b"1").status == 0
    (row,) = rows(topics("describe pairs -J"))
    leader = row["leader"]
    (follower,) = set(row["replicas"]) - {leader}
    # Its followers answer only if a test asks for it. The leader then sends readers to them.
    refused = topics("compare-replicas pairs -J")
    assert (refused.status, refused.stdout) == (1, b"")
    assert refused.stderr.startswith(f"error: partition pairs:0: broker {follower}: ")
    kafka_cluster.set_follower("pairs", 0, follower)
    reason = f"broker {leader}: sends readers to broker {follower}"
    assert topics("compare-replicas pairs -J").stderr == f"error: partition pairs:0: {reason}\n"
    missing = topics("compare-replicas pairs:7").stderr
    assert missing == "error: topic 'pairs' has no partition 7, only partition 0\n"
    one = topics("compare-replicas payments -J")
    assert one == (0, b"", "note: the replicas of 1 partition have the same batches\n")
