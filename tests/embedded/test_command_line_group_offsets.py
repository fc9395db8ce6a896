"""``groups reset-offsets`` and ``groups delete-offsets``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
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
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import NO_BROKER, joined
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("raw-request", "mock-on-request")

START = 1_000_000_000_000  # 2001-09-09T01:46:40Z
LATE = 4_000_000_000_000
NOTHING = "note: nothing was changed: add --execute to set the new offsets\n"
Run = Callable[..., Ended]


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        yield admin


@pytest.fixture
def groups(kafka_cluster: MockCluster) -> Run:
    """groups("describe", "g"): a command for the cluster."""
    return lambda *arguments: run("groups", *arguments, "-b", kafka_cluster.bootstrap_servers)


@pytest.fixture
def orders(admin: AdminClient, producer: Producer) -> str:
    """A topic with two partitions and ten messages in each, one second apart.

    The log of partition 1 begins at 4.
    """
    admin.create_topics([NewTopic("orders", 2, 1)])["orders"].result(TIMEOUT)
    for partition in range(2):
        for number in range(10):
            when = START + 1000 * number
            producer.produce("orders", b"x", partition=partition, timestamp=when)
    assert producer.flush(TIMEOUT) == 0
    start = TopicPartition("orders", 1, 4)
    admin.delete_records([start])[start].result(TIMEOUT)
    return "orders"


def commit(admin: AdminClient, group: str, **offsets: int) -> None:
    """Commit offsets: commit(admin, "g", orders_0=3)."""
    places = [TopicPartition(*_place(name), offset) for name, offset in offsets.items()]
    request = [ConsumerGroupTopicPartitions(group, places)]
    admin.alter_consumer_group_offsets(request)[group].result(TIMEOUT)


def committed(admin: AdminClient, group: str) -> dict[tuple[str, int], int]:
    request = [ConsumerGroupTopicPartitions(group)]
    found = admin.list_consumer_group_offsets(request)[group].result(TIMEOUT)
    return {(each.topic, each.partition): each.offset for each in found.topic_partitions or []}


def _place(name: str) -> tuple[str, int]:
    topic, _, partition = name.rpartition("_")
    return topic, int(partition)


def rows(done: Ended) -> list[dict[str, Any]]:
    assert done.status == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def new_offsets(done: Ended) -> list[int | None]:
    return [row["new offset"] for row in rows(done)]


@pytest.mark.parametrize(
    ("target", "offsets", "remark"),
    [
        (["--to", "earliest"], [0, 4], None),
        (["--to", "beginning"], [0, 4], None),
        (["--to", "latest"], [10, 10], None),
        (["--to", "end"], [10, 10], None),
        (["--to", "current"], [3, 6], None),
        (["--to", "7"], [7, 7], None),
        (["--to", "2"], [2, 4], "2 is before the start of the log"),
        (["--to", "99"], [10, 10], "99 is after the end of the log"),
        (["--to", "2001-09-09T01:46:45Z"], [5, 5], None),
        (["--to", "2100-01-01"], [10, 10], "no message at or after this time: the end is used"),
        (["--to", "-1h"], [10, 10], "no message at or after this time: the end is used"),
        (["--to", "-9000w"], [0, 4], None),
        (["--to", "PT1H"], [10, 10], "no message at or after this time: the end is used"),
        (["--shift-by", "-2"], [1, 4], None),
        (["--shift-by", "-3"], [0, 4], "3 is before the start of the log"),
        (["--shift-by", "100"], [10, 10], "106 is after the end of the log"),
    ],
)
def test_targets(
    admin: AdminClient,
    groups: Run,
    orders: str,
    target: list[str],
    offsets: list[int],
    remark: str | None,
) -> None:
    """Without --execute, the command only shows the new offsets. If a target is outside the log,
    the row has the nearest offset and a remark."""
    commit(admin, "g", orders_0=3, orders_1=6)
    command = ["reset-offsets", "g", "--topic", orders, *target, "--json"]
    shown = groups(*command)
    assert shown.stderr == NOTHING
    last = rows(shown)[1]
    assert (last["old offset"], last["end"], last["lag before"]) == (6, 10, 4)
    assert last["lag after"] == 10 - offsets[1]
    assert last["remark"] == remark
    assert new_offsets(shown) == offsets
    assert committed(admin, "g") == {(orders, 0): 3, (orders, 1): 6}
    done = groups(*command, "--execute")
    assert (done.stderr, done.stdout) == ("", shown.stdout)
    assert committed(admin, "g") == {(orders, 0): offsets[0], (orders, 1): offsets[1]}


def test_the_table(admin: AdminClient, groups: Run, orders: str) -> None:
    """Without --json, the columns are separated by tabs."""
    commit(admin, "g", orders_0=3)
    done = groups("reset-offsets", "g", "--all-topics", "--to", "latest")
    assert done.stdout.decode() == (
        "topic\tpartition\told offset\tnew offset\tend\tlag before\tlag after\tremark\n"
        "orders\t0\t3\t10\t10\t7\t0\t-\n"
    )


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (["--topic", "orders:1"], [("orders", 1)]),
        (["--topic", "orders:0,1"], [("orders", 0), ("orders", 1)]),
        (["-t", "orders:1", "-t", "other"], [("orders", 1), ("other", 0)]),
        (["--all-topics"], [("orders", 0), ("other", 0)]),
    ],
)
def test_selections(
    admin: AdminClient,
    groups: Run,
    orders: str,
    where: list[str],
    expected: list[tuple[str, int]],
) -> None:
    """Topics and partitions can be selected; --all-topics means the group's offsets."""
    admin.create_topics([NewTopic("other", 1, 1)])["other"].result(TIMEOUT)
    commit(admin, "g", orders_0=3, other_0=0)
    found = rows(groups("reset-offsets", "g", *where, "--to", "earliest", "--json"))
    assert [(row["topic"], row["partition"]) for row in found] == expected


def test_a_group_with_members(
    admin: AdminClient, groups: Run, orders: str, make_consumer: MakeConsumer
) -> None:
    """--execute is refused with the members and their hosts. A plan is shown all the same."""
    consumer: Consumer = make_consumer(
        {"group.id": "g", "client.id": "me", "auto.offset.reset": "latest"}
    )
    consumer.subscribe([orders])
    joined(consumer)
    command = ["reset-offsets", "g", "--topic", orders, "--to", "earliest"]
    shown = groups(*command)
    reason = (
        "group 'g' has 1 active member, which would overwrite the offsets. Stop the members first:",
        f"member {consumer.memberid()} (client me) runs on host /127.0.0.1",
    )
    assert shown.status == 0
    assert shown.stderr.splitlines()[1:] == [
        "note: --execute will be refused:",
        *(f"note: {line}" for line in reason),
    ]
    refused = groups(*command, "--execute")
    assert refused == (1, b"", "".join(f"error: {line}\n" for line in reason))
    assert committed(admin, "g") == {}


def test_members_that_join_in_between(
    kafka_cluster: MockCluster, admin: AdminClient, groups: Run, orders: str
) -> None:
    """The coordinator refuses offsets of a group that got members after the plan was made."""
    commit(admin, "g", orders_0=3)
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError.UNKNOWN_MEMBER_ID])
    done = groups("reset-offsets", "g", "--all-topics", "--to", "latest", "--execute", "-J")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr == ("error: partition orders:0: the group now has active members\n")


def test_a_cluster_that_does_not_answer() -> None:
    """If no broker answers, the status is 1, and nothing is written to stdout."""
    for command in ("reset-offsets g --all-topics --to 0", "delete-offsets g --all-topics --yes"):
        done = run("groups", *command.split(), "-b", NO_BROKER, "--timeout", "0.1")
        assert (done.status, done.stdout) == (1, b"")


def test_a_new_group(admin: AdminClient, groups: Run, orders: str) -> None:
    """Offsets can be set for a group that does not exist. A note reports this and suggests the
    nearest name."""
    commit(admin, "billing", orders_0=3)
    command = ["reset-offsets", "biling", "--topic", orders, "--to", "latest", "--json"]
    shown = groups(*command)
    assert shown.stderr == (
        "note: group 'biling' does not exist: did you mean 'billing'?\n"
        f"note: the group is created when its offsets are set\n{NOTHING}"
    )
    assert [row["old offset"] for row in rows(shown)] == [None, None]
    assert groups(*command, "--execute").status == 0
    assert committed(admin, "biling") == {(orders, 0): 10, (orders, 1): 10}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--topic", "order"], "topic 'order' does not exist: did you mean 'orders'?"),
        (["--topic", "orders:7"], "topic 'orders' has no partition 7, only partitions 0 to 1"),
    ],
)
def test_nothing_there(groups: Run, orders: str, arguments: list[str], reason: str) -> None:
    """The error about a missing topic suggests the nearest name; the error about a missing
    partition lists the existing partitions."""
    done = groups("reset-offsets", "empty", *arguments, "--to", "latest", "--execute")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.splitlines()[-1] == f"error: {reason}"


def test_a_group_without_offsets(
    kafka_cluster: MockCluster, make_consumer: MakeConsumer, groups: Run, orders: str
) -> None:
    """--all-topics needs committed offsets, and the error says so if the group exists."""
    consumer = make_consumer({"group.id": "new", "enable.auto.commit": False})
    consumer.subscribe([orders])
    joined(consumer)
    done = groups("reset-offsets", "new", "--all-topics", "--to", "latest")
    assert done == (1, b"", "error: group 'new' has no committed offsets\n")


def test_a_partition_that_does_not_exist(
    admin: AdminClient, groups: Run, orders: str, tmp_path: Path
) -> None:
    """If a file names a topic or a partition that no longer exists, the plan shows this, and
    --execute changes nothing. The other partitions can be selected."""
    file = tmp_path / "offsets"
    file.write_text("gone,0,2\norders,0,7\norders,5,1\n")
    command = ["reset-offsets", "g", "--from-file", str(file), "--json"]
    shown = groups(*command)
    found = rows(shown)
    assert [row["new offset"] for row in found] == [None, 7, None]
    assert found[0]["remark"] == "the partition does not exist or cannot be read: not changed"
    reason = "does not exist or cannot be read, so nothing is changed. Select the other partitions"
    lines = [f"partition {place} {reason} with --topic" for place in ("gone:0", "orders:5")]
    assert shown.stderr.endswith("".join(f"note: {line}\n" for line in lines))
    refused = groups(*command, "--execute")
    assert (refused.status, refused.stdout) == (1, b"")
    assert refused.stderr.endswith("".join(f"error: {line}\n" for line in lines))
    assert committed(admin, "g") == {}
    assert new_offsets(groups(*command, "--topic", "orders:0", "--execute")) == [7]


def test_committed_offsets_of_a_deleted_topic(
    admin: AdminClient, groups: Run, orders: str, kafka_cluster: MockCluster
) -> None:
    """A group keeps its offsets in a deleted topic, so --all-topics --execute reports it and
    changes nothing."""
    admin.create_topics([NewTopic("other", 1, 1)])["other"].result(TIMEOUT)
    commit(admin, "g", orders_0=3, other_0=0)
    kafka_cluster.set_topic_error("other", KafkaError.UNKNOWN_TOPIC_OR_PART)
    refused = groups("reset-offsets", "g", "--all-topics", "--to", "earliest", "--execute")
    assert (refused.status, refused.stdout) == (1, b"")
    assert refused.stderr.startswith("error: partition other:0 does not exist")
    assert committed(admin, "g")[orders, 0] == 3


def test_a_shift_without_an_offset(admin: AdminClient, groups: Run, orders: str) -> None:
    """A shift needs a committed offset. If no offset can be changed, the command fails."""
    commit(admin, "g", orders_0=3)
    command = ["reset-offsets", "g", "--shift-by", "1", "--topic"]
    assert new_offsets(groups(*command, orders, "--json")) == [4, None]
    done = groups(*command, "orders:1", "--execute")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith("error: no offset can be changed")


@pytest.mark.parametrize(
    ("target", "offsets"),
    [
        (["--to", "earliest"], [0, 4]),
        (["--to", "beginning"], [0, 4]),
        (["--to", "latest"], [10, 10]),
        (["--to", "7"], [7, 7]),
        (["--to", "2001-09-09T01:46:45Z"], [5, 5]),
        (["--to", "-9000w"], [0, 4]),
    ],
)
def test_share_groups(
    kafka_cluster: MockCluster, orders: str, target: list[str], offsets: list[int]
) -> None:
    """Share groups have the same options, and a plan that changes nothing without --execute."""
    where = ["-b", kafka_cluster.bootstrap_servers, "--json"]
    command = ["share-groups", "reset-offsets", "workers", "--topic", orders, *target, *where]
    shown = run(*command)
    assert new_offsets(shown) == offsets
    assert shown.stderr.endswith(NOTHING)
    missing = run("share-groups", "offsets", "workers", *where)
    assert missing == (1, b"", "error: group 'workers' does not exist\n")
    done = run(*command, "--execute")
    assert (new_offsets(done), done.stdout) == (offsets, shown.stdout)
    found = rows(run("share-groups", "offsets", "workers", *where))
    assert [row["start"] for row in found] == offsets


def test_share_groups_move_and_return(
    kafka_cluster: MockCluster, orders: str, tmp_path: Path
) -> None:
    """Start offsets can be shifted, and can be set from the output of `share-groups offsets
    --json`.

    If the group has members, the error names them, and nothing is changed.
    """
    where = ["-b", kafka_cluster.bootstrap_servers, "--json"]
    reset = ["share-groups", "reset-offsets", "workers"]
    assert run(*reset, "-t", "orders:0", "--to", "7", "--execute", *where).status == 0
    file = tmp_path / "offsets"
    file.write_bytes(run("share-groups", "offsets", "workers", *where).stdout)
    moved = run(*reset, "--all-topics", "--shift-by", "-2", "--execute", *where)
    assert [(row["old offset"], row["new offset"]) for row in rows(moved)] == [(7, 5)]
    returned = run(*reset, "--from-file", str(file), "--execute", *where)
    assert [(row["old offset"], row["new offset"]) for row in rows(returned)] == [(5, 7)]
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "workers"}
    with ShareConsumer(config) as member:
        member.subscribe([orders])
        described = ["share-groups", "describe", "workers", *where]
        wait_until(
            lambda: rows(run(*described))[0]["member"] is not None, lambda: member.poll(0.05)
        )
        refused = run(*reset, "--all-topics", "--to", "0", "--execute", *where)
        assert (refused.status, refused.stdout) == (1, b"")
        assert "has 1 active member, so brokers refuse new offsets" in refused.stderr


class TestFiles:
    def test_a_backup(self, admin: AdminClient, groups: Run, orders: str, tmp_path: Path) -> None:
        """Offsets can be set from the output of `describe --json` and `reset-offsets --json`, even
        if the file has lines of other groups."""
        commit(admin, "g", orders_0=3, orders_1=6)
        commit(admin, "h", orders_0=1)
        file = tmp_path / "offsets"
        plan = ["reset-offsets", "g", "--all-topics", "--to", "current"]
        for backup in (["describe", "--all"], plan):
            file.write_bytes(groups(*backup, "--json").stdout)
            commit(admin, "g", orders_0=0, orders_1=4)
            command = ["reset-offsets", "g", "--from-file", str(file), "--execute", "--json"]
            assert new_offsets(groups(*command)) == [3, 6]
            assert committed(admin, "g") == {(orders, 0): 3, (orders, 1): 6}

    def test_lines_of_kafka(self, groups: Run, orders: str, tmp_path: Path) -> None:
        """Kafka's own tool exports topic,partition,offset. --topic selects some of the lines."""
        file = tmp_path / "offsets"
        file.write_text("orders,0,2\n\norders,1,7\n")
        command = ["reset-offsets", "g", "--from-file", str(file), "--json"]
        assert new_offsets(groups(*command)) == [2, 7]
        assert new_offsets(groups(*command, "--topic", "orders:1")) == [7]

    def test_kafkas_export_of_several_groups(
        self, groups: Run, orders: str, tmp_path: Path
    ) -> None:
        """Each line of such an export begins with a group. A BOM and quotes around names are
        accepted."""
        file = tmp_path / "offsets"
        file.write_text('"g","orders",0,2\nh,orders,0,5\ng,"orders",1,7\n', encoding="utf-8-sig")
        command = ["reset-offsets", "g", "--from-file", str(file), "--json"]
        assert new_offsets(groups(*command)) == [2, 7]

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("orders,0", "needs topic,partition,offset or "),
            ("a,g,orders,0,1", "needs topic,partition,offset or "),
            ('"orders,0,1', "needs topic,partition,offset or "),
            ("orders,x,1", "partition 'x' is not a whole number"),
            ("orders,0,-1", "offset '-1' is not a whole number"),
            ("or/ders,0,1", "'or/ders' cannot be a topic: "),
            ('{"topic": "t"', "needs topic,partition,offset or "),
            ('{"offset": 1}', "needs topic,partition,offset or "),
            ('{"topic": "t", "partition": 0, "offset": 7.5}', "offset 7.5 is not a whole number"),
            ('{"topic": "t", "partition": true, "offset": 7}', "partition True is not a whole"),
            ('{"topic": 7, "partition": 0, "offset": 7}', "topic 7 is not a string"),
            (f"orders,1,{2**63}", f"offset {2**63} is not a whole number from 0 to {2**63 - 1}"),
            ("orders,0,1", "partition orders:0 is listed twice"),
        ],
    )
    def test_wrong_lines(self, groups: Run, tmp_path: Path, line: str, reason: str) -> None:
        """The error contains the number of the line and the reason."""
        file = tmp_path / "offsets"
        file.write_text(f"orders,0,1\n{line}\n")
        done = groups("reset-offsets", "g", "--from-file", str(file))
        assert (done.status, done.stdout) == (2, b"")
        assert done.stderr.startswith(f"error: --from-file: {file}, line 2: {reason}")


def test_the_offsets_of_another_group(admin: AdminClient, groups: Run, orders: str) -> None:
    """A group gets the offsets of another group, all of them or those of some partitions."""
    commit(admin, "billing", orders_0=3, orders_1=7)
    copy = ["reset-offsets", "audit", "--from-group", "billing", "--execute"]
    assert groups(*copy, "--topic", "orders:1").status == 0
    assert committed(admin, "audit") == {(orders, 1): 7}
    assert new_offsets(groups(*copy, "--json")) == [3, 7]
    assert committed(admin, "audit") == committed(admin, "billing")
    missing = groups("reset-offsets", "audit", "--from-group", "biling")
    reason = "error: group 'biling' does not exist: did you mean 'billing'?\n"
    assert missing == (1, b"", reason)
    none = groups("reset-offsets", "audit", "--from-group", "billing", "--topic", "other")
    reason = "error: group 'audit' has no offsets in the other group for the selected partitions\n"
    assert none == (1, b"", reason)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("--topic t", "give one of --to, --shift-by, --from-file and --from-group"),
        (
            "--topic t --to 1 --shift-by 2",
            "give one of --to, --shift-by, --from-file and --from-group",
        ),
        ("--to 1 --from-group h", "give one of --to, --shift-by, --from-file and --from-group"),
        ("--to 1", "give --topic TOPIC or --all-topics"),
        ("--to 1 --topic t --all-topics", "--all-topics: cannot be used with --topic"),
        ("--to 1 --topic t:x", "--topic: 't:x': needs TOPIC or TOPIC:PARTITION,..."),
        ("--to -5 --topic t", "--to: '-5' is not earliest, latest, current, an offset, a time"),
        ("--to soon --topic t", "--to: 'soon' is not earliest, latest, current, an offset"),
        ("--shift-by x --topic t", "--shift-by: 'x' is not a whole number"),
        ("--to-earliest --topic t", "there is no option --to-earliest. Use --to earliest."),
        ("--from-file nosuch", "--from-file: 'nosuch' does not exist"),
    ],
)
def test_wrong_usage(groups: Run, arguments: str, reason: str) -> None:
    """Every wrong argument is named, with what is allowed."""
    done = groups("reset-offsets", "g", *arguments.split())
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"error: {reason}")


class TestDelete:
    def test_offsets(self, admin: AdminClient, groups: Run, orders: str) -> None:
        """The offsets of a partition, of a topic, or of all topics are deleted, and shown."""
        commit(admin, "g", orders_0=3, orders_1=6)
        command = ["delete-offsets", "g", "--yes", "--json"]
        done = groups(*command, "--topic", "orders:1")
        assert rows(done) == [{"topic": orders, "partition": 1, "deleted offset": 6}]
        assert committed(admin, "g") == {(orders, 0): 3}
        assert len(rows(groups(*command, "--all-topics"))) == 1
        assert committed(admin, "g") == {}

    def test_needs_confirmation(self, admin: AdminClient, groups: Run, orders: str) -> None:
        """Nothing is deleted without --yes if there is no terminal to ask."""
        commit(admin, "g", orders_0=3)
        done = groups("delete-offsets", "g", "--topic", orders)
        assert (done.status, done.stdout) == (2, b"")
        assert done.stderr.startswith("error: --yes: is required without a terminal")
        assert committed(admin, "g") == {(orders, 0): 3}

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (
                ["g", "-t", "order"],
                "group 'g' has no offsets in topic 'order': did you mean 'orders'?",
            ),
            (
                ["g", "-t", "orders:1"],
                "group 'g' has no committed offsets in the selected partitions",
            ),
            (["gg", "-t", "orders"], "group 'gg' does not exist"),
        ],
    )
    def test_nothing_there(
        self, admin: AdminClient, groups: Run, orders: str, arguments: list[str], reason: str
    ) -> None:
        """The error names what is missing."""
        commit(admin, "g", orders_0=3)
        done = groups("delete-offsets", *arguments, "--yes")
        assert (done.status, done.stdout) == (1, b"")
        assert done.stderr.startswith(f"error: {reason}")

    def test_a_topic_that_a_member_reads(
        self, admin: AdminClient, groups: Run, orders: str, make_consumer: MakeConsumer
    ) -> None:
        """The coordinator refuses, and the error names each partition."""
        consumer = make_consumer({"group.id": "g"})
        commit(admin, "g", orders_0=10)
        consumer.subscribe([orders])
        consumer.poll(TIMEOUT)
        done = groups("delete-offsets", "g", "--topic", orders, "--yes")
        assert done.status == 1
        assert done.stderr.startswith("error: partition orders:0: ")
        assert committed(admin, "g") == {(orders, 0): 10}
