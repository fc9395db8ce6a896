"""Tasks of the comparison page on a real cluster that have no test with the other commands."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.cli.administration.release_features import RELEASES
from tests.integration.conftest import MakeTopic, kafka_home
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.topics import delete_topic, wait_for_topic
from tests.support.command_line import COMMAND, Ended, run
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request")]

Run = Callable[..., Ended]


@pytest.fixture
def cli(kafka: KafkaCluster) -> Run:
    """Runs a command with the cluster."""

    def run_with(command: str, *arguments: str) -> Ended:
        return run(*command.split(), *arguments, "-b", kafka.bootstrap_servers)

    return run_with


def rows(done: Ended) -> list[dict[str, Any]]:
    """What a command with --json wrote."""
    assert done.status == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_brokers_of_a_new_topic(kafka: KafkaCluster, cli: Run) -> None:
    """Each partition of a new topic gets the brokers that the command names."""
    name = f"assigned-{uuid.uuid4().hex[:12]}"
    done = cli("topics create --assign 2,1 --assign 3,2", name)
    assert done == (0, f"topic {name} was created\n".encode(), "")
    wait_for_topic(kafka, name, 2)
    assert [row["replicas"] for row in rows(cli("topics describe -J", name))] == [[2, 1], [3, 2]]
    delete_topic(kafka, name)


def test_topics_by_pattern_and_id(cli: Run, make_topic: MakeTopic) -> None:
    """A pattern lists the topics that match it, and the ids in the list select topics."""
    first, second = make_topic(partitions=1), make_topic(partitions=2)
    listed = rows(cli("topics list --ids -J", f"^({first}|{second})$"))
    assert {row["topic"]: row["partitions"] for row in listed} == {first: 1, second: 2}
    ids = {row["topic"]: row["id"] for row in listed}
    found = rows(cli("topics describe -J", "--id", ids[second], "--id", ids[first]))
    assert [(row["topic"], row["partition"]) for row in found] == [
        *((second, 0), (second, 1), (first, 0))
    ]
    missing = cli("topics list", f"^{first}-nosuch")
    assert missing == (1, b"", f"error: no topic matches '^{first}-nosuch'\n")
    assert cli("topics list", "^(").status == 2
    unknown = cli("topics describe --id", "AAAAAAAAAAEAAAAAAAAAAg")
    assert (unknown.status, unknown.stdout) == (1, b"")
    assert unknown.stderr.startswith("error: topic id 'AAAAAAAAAAEAAAAAAAAAAg': ")


def test_a_topic_like_another_one(kafka: KafkaCluster, cli: Run, make_topic: MakeTopic) -> None:
    """A new topic has the partitions, the replicas and the settings of another topic."""
    old = make_topic(partitions=2, retention_ms="360000", cleanup_policy="compact")
    new = f"{old}-like"
    check = cli("topics create --check --like", old, new)
    assert check == (0, f"topic {new} can be created\n".encode(), "")
    assert cli("topics create --like", old, new, "-c", "retention.ms=720000").status == 0
    wait_for_topic(kafka, new, 2)
    models = {row["topic"]: row for row in rows(cli("topics list -J", old, new))}
    assert models[new] == models[old] | {"topic": new}
    settings = rows(cli("topics describe --with-overrides -J", old, new))
    found = {(row["topic"] == new, row["setting"]): row["value"] for row in settings}
    expected = {name: value for (is_new, name), value in found.items() if not is_new}
    assert expected["cleanup.policy"] == "compact"
    assert {name: value for (is_new, name), value in found.items() if is_new} == (
        expected | {"retention.ms": "720000"}
    )
    delete_topic(kafka, new)


def test_internal_topics(cli: Run, kafka: KafkaCluster, topic: str, group: str) -> None:
    """The offsets of groups, the states of transactions and of share groups are decoded."""
    servers = kafka.bootstrap_servers

    def messages(internal: str) -> list[tuple[dict[str, Any], Any]]:
        found = rows(cli("consume -e -q --json --key internal --value internal", internal))
        return [(row["key"], row["value"]) for row in found]

    reset = ("reset-offsets --to earliest --execute --topic", topic)
    share = f"{group}-share"
    assert cli("groups", *reset[0].split(), topic, group).status == 0
    # The coordinator may learn later than its broker's metadata that the topic exists.
    wait_until(lambda: cli("share-groups", *reset[0].split(), topic, share).status == 0)
    produce = ("produce", topic, "--transaction-size", "1", "-X", f"transactional.id={topic}")
    assert run(*produce, "-b", servers, stdin=b"one\n").status == 0

    place = {"group": group, "topic": topic, "partition": 0}
    offsets = [
        value["OffsetCommitValue"]["offset"]
        for key, value in messages("__consumer_offsets")
        if key == {"OffsetCommitKey": place}
    ]
    assert offsets == [0]
    transactions = [
        value["TransactionLogValue"]
        for key, value in messages("__transaction_state")
        if key == {"TransactionLogKey": {"transactional_id": topic}}
    ]
    assert {each["producer_id"] for each in transactions} == {transactions[0]["producer_id"]}
    assert len(transactions) > 2  # empty, ongoing, and how it ended
    starts = [
        value["ShareSnapshotValue"]["start_offset"]
        for key, value in messages("__share_group_state")
        if key.get("ShareSnapshotKey", {}).get("group_id") == share
    ]
    assert starts == [0]
    assert cli("groups delete --yes", group).status == 0
    assert cli("share-groups delete --yes", share).status == 0


def test_the_number_of_replicas(cli: Run, topic: str, tmp_path: Path) -> None:
    """A plan gives each partition of a topic another number of replicas."""
    plan = cli("reassign plan --replicas 1", topic)
    (item,) = json.loads(plan.stdout)["partitions"]
    assert len(item["replicas"]) == 1
    file = tmp_path / "plan.json"
    file.write_bytes(plan.stdout)
    assert cli("reassign start -y --file", str(file)).status == 0

    def replicas() -> list[int]:
        (row,) = rows(cli("topics describe -J", topic))
        found: list[int] = row["replicas"]
        return found

    wait_until(lambda: replicas() == item["replicas"])


def test_replicas(kafka: KafkaCluster, cli: Run) -> None:
    """Replicas with the same batches are equal. A replica with a changed byte differs."""
    name = f"compared-{uuid.uuid4().hex[:12]}"
    assert cli("topics create --assign 1,2,3", name).status == 0
    wait_until(lambda: len(rows(cli("topics describe -J", name))) == 1)
    with writer(kafka) as producer:
        for number in range(3):
            producer.produce(name, b"value-%d" % number, partition=0)
            assert producer.flush(TIMEOUT) == 0
    columns = b"topic\tpartition\toffset\tleader\treplica\tdifference\n"
    equal = "note: the replicas of 1 partition have the same batches\n"
    assert cli("topics compare-replicas", name) == (0, columns, equal)
    listed = rows(cli("log-dirs -J --broker 2 --topic", name))
    file = Path(listed[0]["directory"]) / f"{name}-0" / "00000000000000000000.log"
    content = file.read_bytes()
    changed = bytearray(content)
    first = 12 + int.from_bytes(content[8:12], "big")
    changed[first + 17] ^= 1  # in the checksum of the second batch
    file.write_bytes(changed)
    done = cli("topics compare-replicas -J", name)
    file.write_bytes(content)
    assert done.status == 1
    (row,) = map(json.loads, done.stdout.splitlines())
    assert (row["offset"], row["leader"], row["replica"]) == (1, 1, 2)
    assert row["difference"].startswith("the checksum is ")
    delete_topic(kafka, name)


def test_the_features_of_releases() -> None:
    """The features of each release are those that Kafka's own tool lists. The latest release of the
    table is the release of the tool."""
    script = str(kafka_home() / "bin" / "kafka-run-class.sh")
    tool = [script, "org.apache.kafka.tools.FeatureCommand", "version-mapping"]
    for release in RELEASES:
        command = [*tool, "--release-version", release]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT)
        expected = dict(re.findall(r"^([a-z.]+)=(\d+)", done.stdout, re.M))
        shown = rows(run("features", "describe", "--release", release, "-J"))
        assert {row["feature"]: str(row["version"]) for row in shown} == expected
    later = subprocess.run(tool, capture_output=True, text=True, check=True, timeout=TIMEOUT)
    assert max(RELEASES) in later.stdout


def test_another_disk(kafka: KafkaCluster, cli: Run, make_topic: MakeTopic) -> None:
    """A replica moves to another directory of its broker."""
    topic = make_topic()
    with writer(kafka) as producer:
        producer.produce(topic, b"moved", partition=0)
        assert producer.flush(TIMEOUT) == 0

    def place() -> tuple[int, str]:
        shown = rows(cli("log-dirs -J --topic", topic))
        return next((row["broker"], row["directory"]) for row in shown if not row["future"])

    broker, here = place()
    node = str(broker)
    move = ["reassign move-disk --yes", f"{topic}:0", "--broker", node, "--to"]
    wrong = cli(*move, "/not/there")
    assert (wrong.status, wrong.stdout) == (1, b"")
    assert f"broker {node} has no log directory '/not/there', only " in wrong.stderr
    assert here in wrong.stderr
    known = wrong.stderr.partition(", only ")[2].strip().split(", ")
    there = next(path for path in known if path != here)
    begun = f"replica {topic}:0 of broker {node} is being moved to {there}\n".encode()
    assert cli(*move, there) == (0, begun, "")
    wait_until(lambda: (broker, there) in [place()])
    wait_until(lambda: cli("log-dirs -J --moving --topic", topic).stdout == b"")
    assert cli("consume -q -e", topic).stdout == b"moved\n"
    again = cli(*move, there)
    assert again == (0, b"no replica has to move\n", f"note: already in {there}: {topic}:0\n")


def test_offsets_from_elsewhere(
    kafka: KafkaCluster, cli: Run, topic: str, group: str, tmp_path: Path
) -> None:
    """A group moves back by a duration, and returns to offsets that were stored in a file. Another
    group gets its offsets."""
    with writer(kafka) as producer:
        producer.produce(topic, b"new", partition=0)
        assert producer.flush(TIMEOUT) == 0
    reset = ["groups reset-offsets -J --execute", group]
    assert cli(*reset, "--topic", topic, "--to", "latest").status == 0
    file = tmp_path / "offsets.json"
    file.write_bytes(cli("groups describe -J", group).stdout)
    (back,) = rows(cli(*reset, "--topic", topic, "--to", "PT1H"))
    assert (back["old offset"], back["new offset"]) == (1, 0)
    (restored,) = rows(cli(*reset, "--from-file", str(file)))
    assert (restored["old offset"], restored["new offset"]) == (0, 1)
    other = f"{group}-copy"
    (copied,) = rows(cli("groups reset-offsets -J --execute", other, "--from-group", group))
    assert (copied["topic"], copied["new offset"]) == (topic, 1)
    assert cli("groups delete --yes", other).status == 0
    assert cli("groups delete --yes", group).status == 0


def test_the_configuration_of_a_broker(cli: Run) -> None:
    """A setting of a broker is changed, shown and reset."""
    # Not log.cleaner.*: a change restarts the threads that compact the topics of other tests.
    name = "log.index.interval.bytes"

    def sources() -> list[str]:
        found = rows(cli("configs describe broker 1 --all -J"))
        return [row["source"] for row in found if (row["name"], row["value"]) == (name, "4097")]

    assert cli("configs set broker 1", f"{name}=4097").status == 0
    wait_until(lambda: sources() == ["dynamic_broker_config"])
    assert cli("configs unset broker 1", name).status == 0
    wait_until(lambda: sources() == [])


def test_the_configuration_of_a_group(cli: Run, group: str) -> None:
    """A setting of a group is changed, shown and reset."""

    def values() -> list[str]:
        found = rows(cli("configs describe group -J", group))
        return [row["value"] for row in found if row["source"] == "group_config"]

    assert cli("configs set group", group, "consumer.session.timeout.ms=7000").status == 0
    wait_until(lambda: values() == ["7000"])
    assert cli("configs unset group", group, "consumer.session.timeout.ms").status == 0
    wait_until(lambda: values() == [])


def test_health(cli: Run, kafka: KafkaCluster, topic: str, group: str) -> None:
    """Brokers and the controller are healthy, and the lag of a group has a limit."""
    reset = cli("groups reset-offsets --execute --to earliest", group, "--topic", topic)
    assert reset.status == 0
    lag = f"lag {group}"

    def checks() -> dict[str, bool]:
        done = cli("health -J --max-lag", f"{group}=0")
        found = {row["check"]: row for row in map(json.loads, done.stdout.splitlines())}
        # Other tests leave topics with fewer replicas in sync than min.insync.replicas.
        assert done.status == (0 if all(row["ok"] for row in found.values()) else 1)
        return {name: found[name]["ok"] for name in ("brokers", "controller", lag)}

    assert checks() == {"brokers": True, "controller": True, lag: True}
    with writer(kafka) as producer:
        producer.produce(topic, b"new", partition=0)
        assert producer.flush(TIMEOUT) == 0
    assert checks() == {"brokers": True, "controller": True, lag: False}
    assert cli("groups delete --yes", group).status == 0


def test_a_language_model(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """A client of the Model Context Protocol sees the topics, and cannot change them."""
    mcp = pytest.importorskip("mcp", reason="the extra [mcp] is not installed")
    topic = make_topic()
    arguments = [*COMMAND[1:], "mcp", "-b", kafka.bootstrap_servers]
    server = mcp.StdioServerParameters(command=sys.executable, args=arguments)

    async def look() -> tuple[set[str], Any]:
        async with mcp.Client(server) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            answer = await client.call_tool("topics", {"pattern": topic})
            return tools, answer.structured_content

    tools, found = asyncio.run(asyncio.wait_for(look(), TIMEOUT))
    assert [each["topic"] for each in found["topics"]] == [topic]
    assert not {"produce", "reset"} & tools
