"""Tasks of the comparison page on a real cluster: read, write and copy messages."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.share_groups import configure_group
from tests.integration.transactional import wait_for_markers
from tests.support.command_line import Ended, run

pytestmark = pytest.mark.integration

Run = Callable[..., Ended]
PLANE = b"\x0a\x04A380\x10\xd5\x06"  # a message of this schema
PROTO = 'syntax = "proto3"; message Plane { string name = 1; int32 seats = 2; }'


@pytest.fixture
def cli(kafka: KafkaCluster) -> Run:
    """Runs a command with the cluster."""

    def run_with(command: str, *arguments: str, stdin: bytes = b"") -> Ended:
        return run(*command.split(), *arguments, "-b", kafka.bootstrap_servers, stdin=stdin)

    return run_with


@pytest.fixture
def numbered(cli: Run, topic: str) -> str:
    """A topic with one partition that contains the numbers 0 to 9."""
    lines = b"".join(b"%d\n" % number for number in range(10))
    assert cli("produce", topic, stdin=lines) == (0, b"", "10 delivered, 0 failed\n")
    return topic


def test_from_an_offset(cli: Run, numbered: str) -> None:
    """Reading begins at an offset of a partition, or at the last messages."""
    assert cli("consume -q -e --from 7 -p 0", numbered).stdout == b"7\n8\n9\n"
    assert cli("consume -q -e --from -2", numbered).stdout == b"8\n9\n"
    assert cli("consume -q -n 2", numbered).stdout == b"0\n1\n"


def test_the_format_of_lines(cli: Run, topic: str) -> None:
    """A line shows the parts of a message that its format names."""
    assert cli("produce -q -p 0 -K : -H a=b", topic, stdin=b"k:v\n").status == 0
    assert cli("consume -q -e -f", "%p %o %k %s %h\\n", topic).stdout == b"0 0 k v a=b\n"


def test_binary_values(cli: Run, topic: str, tmp_path: Path) -> None:
    """A file becomes one message, whose bytes are shown as numbers."""
    file = tmp_path / "value.bin"
    file.write_bytes(struct.pack(">ih", 70_000, -2))
    assert cli("produce -q --whole", topic, str(file)).status == 0
    assert cli("consume -q -e -s", ">ih$", topic).stdout.split() == [b"70000", b"-2"]


def test_protobuf(cli: Run, topic: str, tmp_path: Path) -> None:
    """Values are encoded with a .proto file and a registry, and decoded with the registry. Values
    without a registry are decoded with the file."""
    pytest.importorskip("httpx", reason="httpx is not installed")
    pytest.importorskip("google.protobuf", reason="protobuf is not installed")
    from confluent_kafka.testing import MockRegistry

    file = tmp_path / "plane.proto"
    file.write_text(PROTO)
    plane = {"name": "A380", "seats": 853}
    with MockRegistry() as registry:
        url = ["--registry", registry.url]
        schema = ["--value", "protobuf", "--schema", str(file), "--register"]
        text = json.dumps(plane).encode()
        assert cli("produce -q", topic, *schema, *url, stdin=text).status == 0
        shown = cli("consume -q -e --value protobuf", topic, *url).stdout
    assert json.loads(shown) == plane
    assert cli("produce -q -D", "|", topic, stdin=PLANE).status == 0
    shown = cli("consume -q -e --from -1 --value protobuf --schema", str(file), topic).stdout
    assert json.loads(shown) == plane


def test_keys_and_tombstones(cli: Run, make_topic: MakeTopic) -> None:
    """Lines have keys and headers, an empty value is a null, and a partition can be chosen. Batches
    are compressed."""
    topic = make_topic(partitions=2)
    options = ["-K", ":", "-Z", "-H", "source=import", "-X", "compression.type=zstd"]
    assert cli("produce -q -p 1", topic, *options, stdin=b"a:1\nb:\n").status == 0
    shown = [json.loads(line) for line in cli("consume -q -e -J", topic).stdout.splitlines()]
    assert [(one["partition"], one["key"], one["value"]) for one in shown] == [
        (1, "a", "1"),
        (1, "b", None),
    ]
    assert cli("consume -q -e -Z", topic).stdout == b"1\nNULL\n"
    assert shown[0]["headers"] == [["source", "import"]]


def test_printed(cli: Run, topic: str) -> None:
    """The command writes to stdout what it sends."""
    done = cli("produce --print -K :", topic, stdin=b"a:1\nb:2\n")
    assert done == (0, b"a:1\nb:2\n", "2 delivered, 0 failed\n")
    assert cli("consume -q -e -f", "%k:%s\\n", topic).stdout == done.stdout


def test_at_a_rate(cli: Run, topic: str) -> None:
    """Messages of a template are sent at a rate."""
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    done = cli("produce --rate 1000/s --count 5 --template", "{{ seq }}", topic)
    assert done == (0, b"", "5 delivered, 0 failed\n")
    assert cli("consume -q -e", topic).stdout == b"0\n1\n2\n3\n4\n"


def test_a_copy_to_another_cluster(cli: Run, numbered: str, group: str) -> None:
    """A topic is copied from brokers of Apache Kafka to an embedded cluster."""
    from confluent_kafka.testing import MockCluster

    with MockCluster(brokers=1) as other:
        other.create_topic(numbered, 1)
        done = cli(
            "copy -e -q", numbered, numbered, "-g", group, "--to-brokers", other.bootstrap_servers
        )
        assert done.status == 0, done
        copied = run("consume", numbered, "-e", "-q", "-b", other.bootstrap_servers)
    assert copied.stdout.split() == [b"%d" % number for number in range(10)]


def test_a_file_by_its_timestamps(
    cli: Run, numbered: str, make_topic: MakeTopic, tmp_path: Path
) -> None:
    """--speed sends the messages of a file at the intervals of their timestamps, but faster."""
    target, file = make_topic(), str(tmp_path / "numbers.jsonl")
    assert cli("consume -q -e", numbered, "-o", file).status == 0
    assert cli("load --speed 1000x", target, file) == (0, b"", "10 delivered, 0 failed\n")
    copied = cli("consume -q -e", target).stdout
    assert copied.split() == [b"%d" % number for number in range(10)]


def test_a_dump(cli: Run, numbered: str, make_topic: MakeTopic, tmp_path: Path) -> None:
    """A second dump adds the messages that are new, and the folder is sent to another topic."""
    target, folder = make_topic(), str(tmp_path / "dump")
    assert cli("dump -q -e", numbered, "-o", folder).status == 0
    assert cli("produce -q", numbered, stdin=b"10\n").status == 0
    assert cli("dump -q -e", numbered, "-o", folder).status == 0
    assert cli("load", target, folder) == (0, b"", "11 delivered, 0 failed\n")
    copied = cli("consume -q -e", target).stdout
    assert copied.split() == [b"%d" % number for number in range(11)]


def test_some_messages(cli: Run, kafka: KafkaCluster, numbered: str, make_topic: MakeTopic) -> None:
    """Only the messages that a filter chooses are copied."""
    pytest.importorskip("cel_expr_python", reason="cel-expr-python is not installed")
    target = make_topic()
    assert cli("copy -e -q --value json --where", "value > 7", numbered, target).status == 0
    wait_for_markers(kafka, target)
    assert cli("consume -q -e", target).stdout == b"8\n9\n"


def test_throughput(cli: Run, topic: str) -> None:
    """The throughput of sending and of reading is measured."""
    for command in ("produce", "consume"):
        (row,) = map(json.loads, cli(f"bench {command} -J -n 100", topic).stdout.splitlines())
        assert row["messages"] == 100


def test_a_share_group(cli: Run, kafka: KafkaCluster, numbered: str, group: str) -> None:
    """Written messages are accepted, so the next member of the share group gets the rest."""
    configure_group(kafka, group)
    first = cli("consume -n 4 --share-group", group, numbered)
    assert first == (0, b"0\n1\n2\n3\n", "4 messages\n")
    assert cli("consume -q -n 6 --share-group", group, numbered).stdout == b"4\n5\n6\n7\n8\n9\n"


def test_round_trip(cli: Run, topic: str) -> None:
    """The time from sending to reading is measured, one message at a time."""
    (row,) = map(json.loads, cli("bench round-trip -J -n 20", topic).stdout.splitlines())
    assert row["messages"] == 20
    assert 0 < row["p50 ms"] <= row["p99 ms"] <= row["max ms"] <= row["seconds"] * 1000


def test_throughput_of_a_share_group(
    cli: Run, kafka: KafkaCluster, numbered: str, group: str
) -> None:
    """The throughput of a member is measured, and the messages that it read are accepted."""
    configure_group(kafka, group)
    done = cli("bench share -J -n 6 --group", group, numbered)
    (row,) = map(json.loads, done.stdout.splitlines())
    assert row["messages"] == 6
    assert cli("consume -q -n 4 --share-group", group, numbered).stdout == b"6\n7\n8\n9\n"
