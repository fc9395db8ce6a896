"""``groups`` on a real cluster: offsets that are reset and deleted, and groups of all types."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka.admin import AdminClient
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import PROTOCOLS, Member, poll_until
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.share_groups import Member as ShareMember
from tests.integration.share_groups import configure_group
from tests.integration.test_admin_streams_groups import joined
from tests.integration.topics import delete_topic
from tests.support.command_line import Ended, run
from tests.support.documents import ROOT
from tests.support.patches import needs
from tests.support.stories import output_of
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters, needs("raw-request")]

Run = Callable[..., Ended]
START = 1_000_000_000_000  # 2001-09-09T01:46:40Z


@pytest.fixture
def groups(kafka: KafkaCluster) -> Run:
    return lambda *arguments: run("groups", *arguments, "-b", kafka.bootstrap_servers)


@pytest.fixture
def timed(kafka: KafkaCluster, make_topic: MakeTopic) -> str:
    """A topic with two partitions; the messages 0 to 9 of each are one second apart."""
    topic = make_topic(partitions=2, retention_ms="-1")
    with writer(kafka) as producer:
        for partition in range(2):
            for number in range(10):
                when = START + 1000 * number
                producer.produce(topic, b"%d" % number, partition=partition, timestamp=when)
        assert producer.flush(TIMEOUT) == 0
    return topic


def rows(done: Ended) -> list[dict[str, Any]]:
    assert done.status == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def committed(groups: Run, group: str) -> list[int | None]:
    return [row["committed"] for row in rows(groups("describe", group, "-J"))]


def test_offsets_of_a_classic_group(kafka: KafkaCluster, groups: Run, timed: str) -> None:
    """Offsets can be reset before the group exists and after its member has left, but not while
    the group has a member."""
    check_offsets(kafka, groups, timed, "range")


@pytest.mark.usefixtures("real_kafka")  # the embedded cluster takes offsets only from members
def test_offsets_of_a_consumer_group(kafka: KafkaCluster, groups: Run, timed: str) -> None:
    """Offsets of a group with the protocol of KIP-848 can be reset in the same states."""
    check_offsets(kafka, groups, timed, "consumer")


def check_offsets(kafka: KafkaCluster, groups: Run, timed: str, protocol: str) -> None:
    group = f"{timed}-{protocol}"
    reset = ["reset-offsets", group, "--topic", timed, "-J", "--to"]
    shown = groups(*reset, "2001-09-09T01:46:43Z")
    assert [row["new offset"] for row in rows(shown)] == [3, 3]
    assert groups("describe", group).status == 1
    assert groups(*reset, "2001-09-09T01:46:43Z", "--execute").status == 0
    assert committed(groups, group) == [3, 3]
    config = PROTOCOLS[protocol] | {"client.id": "me"}
    with Member(kafka, group, config) as member:
        member.join(timed)
        poll_until([member], lambda: len(member.values) == 14)
        refused = groups(*reset, "earliest", "--execute")
        assert (refused.status, refused.stdout) == (1, b"")
        assert f"group '{group}' has 1 active member" in refused.stderr
        assert f"member {member.memberid()} (client me) runs on host /127.0.0.1" in refused.stderr
    wait_until(lambda: groups("list", "--state", "empty").stdout.find(group.encode()) >= 0)
    back = groups("reset-offsets", group, "--all-topics", "--shift-by", "-4", "-J", "--execute")
    assert [(row["old offset"], row["new offset"]) for row in rows(back)] == [(10, 6), (10, 6)]
    assert committed(groups, group) == [6, 6]
    deleted = groups("delete-offsets", group, "--topic", f"{timed}:1", "--yes", "-J")
    assert rows(deleted) == [{"topic": timed, "partition": 1, "deleted offset": 6}]
    assert committed(groups, group) == [6]


def test_all_kinds_in_one_list(kafka: KafkaCluster, groups: Run, timed: str, group: str) -> None:
    """Classic, consumer and share groups have their types, members and lags in one list."""
    names = {kind: f"{group}-{kind}" for kind in ("classic", "consumer", "share")}
    configure_group(kafka, names["share"], share_session_timeout_ms="45000")
    with (
        Member(kafka, names["classic"]) as classic,
        Member(kafka, names["consumer"], PROTOCOLS["consumer"]) as consumer,
        ShareMember(kafka, names["share"], client_id="me") as share,
    ):
        classic.join(timed)
        consumer.join(timed)
        poll_until([classic, consumer], lambda: len(classic.values) + len(consumer.values) == 40)
        for each in (classic, consumer):
            each.commit(asynchronous=False)
        share.subscribe([timed])
        share.fetch()
        found = {row["group"]: row for row in rows(groups("list", "--lag", "-J"))}
        for kind, name in names.items():
            row = found[name]
            assert (row["type"], row["state"], row["members"]) == (kind, "stable", 1)
        assert [found[names[kind]]["lag"] for kind in ("classic", "consumer")] == [0, 0]
        shown = rows(groups("describe", *names.values(), "--members", "--verbose", "-J"))
        places = [f"{timed}:0", f"{timed}:1"]
        assert [row["assignment"] for row in shown] == [places] * 3
        states = rows(groups("describe", *names.values(), "--state", "-J"))
        assert [row["assignor"] for row in states] == ["range", "uniform", None]
        brokers = kafka.bootstrap_servers.split(",")
        for row in states:
            assert (row["state"], row["members"]) == ("stable", 1)
            assert row["address"] == brokers[row["coordinator"] - 1]
        wrong = groups("reset-offsets", names["share"], "--to", "earliest", "--topic", timed)
        assert (wrong.status, wrong.stdout) == (1, b"")
        assert wrong.stderr == (
            f"error: group '{names['share']}' is a share group: use "
            f"`share-groups reset-offsets {names['share']}`\n"
        )


def test_an_application(kafka: KafkaCluster, groups: Run, timed: str, group: str) -> None:
    """`reset-application` moves a classic group to the start of its input topic, and deletes its
    internal topics. It keeps other topics, including the topics of a group with a longer name."""
    longer = f"{group}-b"
    internal = f"{group}-sums-changelog"
    others = [f"{longer}-x-changelog", f"{group}-results"]
    for name in (group, longer):
        moved = groups("reset-offsets", name, "-t", timed, "--to", "latest", "--execute")
        assert moved.status == 0
    servers = kafka.bootstrap_servers
    for name in (internal, *others):
        assert run("topics", "create", name, "-b", servers).status == 0

    def topics() -> set[str]:
        listed = {row["topic"] for row in rows(run("topics", "list", "-J", "-b", servers))}
        return listed & {internal, *others}

    wait_until(lambda: len(topics()) == 3)
    reset = ["streams-groups", "reset-application", group, "-t", timed, "-J", "-b", servers]
    plan = run(*reset)
    assert [(row["old offset"], row["new offset"]) for row in rows(plan)] == [(10, 0), (10, 0)]
    assert f"note: --execute deletes the internal topic {internal}\n" in plan.stderr
    assert committed(groups, group) == [10, 10]
    with Member(kafka, group) as member:
        member.join(timed)
        poll_until([member], member.assignment)
        refused = run(*reset, "--execute")
        assert f"group '{group}' has 1 active member" in refused.stderr
    wait_until(lambda: groups("list", "--state", "empty").stdout.find(f"{group}\t".encode()) >= 0)
    *moves, deleted = rows(run(*reset, "--execute"))
    assert [row["new offset"] for row in moves] == [0, 0]
    assert deleted == {"topic": internal, "done": True}
    assert committed(groups, group) == [0, 0]
    wait_until(lambda: topics() == {*others})
    for name in others:
        delete_topic(kafka, name)


class TestStreamsGroups:
    """The embedded cluster has no streams groups."""

    @pytest.fixture
    def streams(self, real_kafka: KafkaCluster) -> Run:
        servers = real_kafka.bootstrap_servers
        return lambda *arguments: run("streams-groups", *arguments, "-b", servers)

    def test_shown_and_moved(
        self, real_kafka: KafkaCluster, streams: Run, timed: str, group: str
    ) -> None:
        """A streams group is shown with a member; after the member has left, its offsets can be
        reset, and it can be deleted."""
        reset = ["reset-offsets", group, "--topic", timed, "--to", "4", "--execute", "-J"]
        missing = streams(*reset)
        assert (missing.status, missing.stdout) == (1, b"")
        assert missing.stderr.startswith(f"error: group '{group}' does not exist")
        with (
            AdminClient(real_kafka.config()) as admin,
            joined(admin, group, timed) as member,
        ):
            assert {"group": group, "state": "stable"} in rows(streams("list", "-J"))
            (row,) = rows(streams("describe", group, "-J"))
            (state,) = rows(
                run(
                    *("groups", "describe", group, "--state", "-J"),
                    *("-b", real_kafka.bootstrap_servers),
                )
            )
            assert (state["type"], state["assignor"], state["members"]) == ("streams", None, 1)
            assert state["address"] in real_kafka.bootstrap_servers.split(",")
            assert (row["member"], row["assignment"]) == (
                member.member_id,
                [f"{timed}:0", f"{timed}:1"],
            )
            assert "tags=zone:a" in row["details"]
            assert "process=process" in row["details"]
            refused = streams(*reset)
            assert refused.status == 1
            assert f"group '{group}' has 1 active member" in refused.stderr
        page = ROOT / "docs/guides/command-line/groups.md"
        end = "-b localhost:9092"
        for text, arguments in (
            ("reset-offsets totals --topic orders --to 4 --execute", reset[:-1]),
            ("offsets totals", ["offsets", group]),
        ):
            printed = streams(*arguments).stdout.decode()
            printed = printed.replace(group, "totals").replace(timed, "orders")
            assert printed == output_of(page, f"confluent-kafka streams-groups {text} {end}")
        shown = rows(streams("offsets", group, "-J"))
        assert [(row["committed"], row["lag"]) for row in shown] == [(4, 6), (4, 6)]
        listed = run("groups", "list", "--lag", "-J", "-b", real_kafka.bootstrap_servers)
        assert {row["group"]: row["lag"] for row in rows(listed)}[group] == 12
        behind = run("why", group, "--for", "0s", "-J", "-b", real_kafka.bootstrap_servers)
        assert behind.stderr == f"group {group}: streams, empty, 0 members, 2 partitions, lag 12\n"
        (finding,) = map(json.loads, behind.stdout.splitlines())
        assert finding["finding"] == "no-members"
        gone = streams("delete-offsets", group, "--topic", f"{timed}:1", "--yes", "-J")
        assert rows(gone) == [{"topic": timed, "partition": 1, "deleted offset": 4}]
        assert streams("delete", group, "--yes").status == 0
        assert streams("describe", group).status == 1

    def test_internal_topics(
        self, real_kafka: KafkaCluster, streams: Run, timed: str, group: str
    ) -> None:
        """The internal topics of a group are deleted with it, but not while it has members."""
        changelog = f"{timed}-changelog"
        servers = ["-b", real_kafka.bootstrap_servers]

        def topics() -> set[str]:
            return {row["topic"] for row in rows(run("topics", "list", "-J", *servers))}

        delete = ["delete", group, "--internal-topics", "--yes"]
        with AdminClient(real_kafka.config()) as admin, joined(admin, group, timed):
            wait_until(lambda: changelog in topics())
            assert streams(*delete).status == 1
            assert changelog in topics()
        done = streams(*delete)
        text = f"group {group} was deleted\ntopic {changelog} was deleted\n"
        assert done == (0, text.encode(), "")
        wait_until(lambda: changelog not in topics())
        assert timed in topics()

    def test_another_kind(self, streams: Run, groups: Run, timed: str, group: str) -> None:
        """For a classic group, the error names the command `groups`."""
        assert groups("reset-offsets", group, "-t", timed, "--to", "1", "--execute").status == 0
        done = streams("reset-offsets", group, "-t", timed, "--to", "1")
        assert (done.status, done.stdout) == (1, b"")
        assert done.stderr.endswith(f"is a classic group: use `groups reset-offsets {group}`\n")
