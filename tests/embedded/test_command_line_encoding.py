"""`produce` encodes with schemas, makes messages from templates, and sends in transactions."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer
from confluent_kafka.testing import MockCluster, MockRegistry
from tests.support.command_line import Ended, run
from tests.support.kafka import read, values_of
from tests.support.patches import needs

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient, SchemaRegistryError

Command = Callable[..., Ended]

FLIGHT = {
    "type": "record",
    "name": "Flight",
    "fields": [
        {"name": "carrier", "type": "string"},
        {"name": "delay", "type": "int", "default": 5},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        {"name": "raw", "type": "bytes"},
    ],
}
FIRST = {"carrier": "UA", "delay": 1, "at": "2026-01-01T00:00:00Z", "raw": "/w=="}
PROTO = 'syntax = "proto3"; message Plane { string name = 1; int64 seats = 2; }'
JSON_SCHEMA = '{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}'


@pytest.fixture
def registry() -> Iterator[MockRegistry]:
    with MockRegistry() as registry:
        yield registry


@pytest.fixture
def client(registry: MockRegistry) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": registry.url}) as client:
        yield client


@pytest.fixture
def produce(kafka_cluster: MockCluster, kafka_topic: str) -> Command:
    def produce(*options: str, stdin: bytes = b"") -> Ended:
        brokers = ["-b", kafka_cluster.bootstrap_servers]
        return run("produce", kafka_topic, *brokers, *options, stdin=stdin)

    return produce


@pytest.fixture
def values(
    kafka_cluster: MockCluster, kafka_topic: str, registry: MockRegistry
) -> Callable[..., Any]:
    """The decoded values of the topic."""

    def values(*options: str) -> Any:
        brokers = ["-b", kafka_cluster.bootstrap_servers, "--registry", registry.url]
        done = run("consume", kafka_topic, "-e", "-q", "--value", "auto", *brokers, *options)
        assert done.status == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return values


def lines(*objects: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


def test_avro(
    produce: Command,
    values: Callable[..., Any],
    registry: MockRegistry,
    client: SchemaRegistryClient,
    kafka_topic: str,
    tmp_path: Path,
) -> None:
    """Values are written with the schema of a file, which is registered only with --register. The
    JSON is what `consume` shows, and a field that is missing gets its default."""
    file = tmp_path / "flight.avsc"
    file.write_text(json.dumps(FLIGHT))
    options = ["--value", "avro", "--schema", str(file), "--registry", registry.url]
    second = {"carrier": "DL", "at": None, "raw": ""}
    stdin = lines(FIRST, second)
    refused = produce(*options, stdin=stdin)
    assert refused.status == 1
    assert f"--value: subject '{kafka_topic}-value': " in refused.stderr
    with pytest.raises(SchemaRegistryError):
        client.get_latest_version(f"{kafka_topic}-value")
    assert produce(*options, "--register", stdin=stdin) == (0, b"", "2 delivered, 0 failed\n")
    assert produce(*options, stdin=lines(FIRST)).status == 0
    assert values() == [FIRST, second | {"delay": 5}, FIRST]


def test_the_schema_of_a_subject_or_an_id(
    produce: Command,
    values: Callable[..., Any],
    registry: MockRegistry,
    client: SchemaRegistryClient,
    kafka_topic: str,
) -> None:
    """By default values have the latest schema of the topic's subject; --subject and --schema-id
    name another schema. A record that contains itself can be written, too."""
    tree = {
        "type": "record",
        "name": "Tree",
        "fields": [{"name": "v", "type": "int"}, {"name": "n", "type": ["null", "Tree"]}],
    }
    number = client.register_schema("trees", Schema(json.dumps(tree), "AVRO"))
    client.register_schema(f"{kafka_topic}-value", Schema('"string"', "AVRO"))
    url = ["--registry", registry.url, "--value", "avro"]
    value = {"v": 1, "n": {"v": 2, "n": None}}
    assert produce(*url, stdin=lines("plain")).status == 0
    assert produce(*url, "--subject", "trees", stdin=lines(value)).status == 0
    assert produce(*url, "--schema-id", str(number), stdin=lines(value)).status == 0
    assert values() == ["plain", value, value]


@pytest.mark.parametrize(
    ("kind", "text", "suffix", "good", "bad", "reason"),
    [
        (
            "protobuf",
            PROTO,
            "proto",
            {"name": "B7", "seats": 3},
            {"nam": ""},
            "the schema does not have",
        ),
        ("json-schema", JSON_SCHEMA, "json", {"id": 1}, {"id": "x"}, "id"),
        ("avro", json.dumps(FLIGHT), "avsc", FIRST, FIRST | {"delay": "x"}, "delay"),
    ],
)
def test_what_does_not_fit(
    kind: str,
    text: str,
    suffix: str,
    good: object,
    bad: object,
    reason: str,
    produce: Command,
    values: Callable[..., Any],
    registry: MockRegistry,
    tmp_path: Path,
) -> None:
    """The first message that does not fit ends the command with the field; the messages before it
    are delivered."""
    if kind == "protobuf":
        pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    file = tmp_path / f"schema.{suffix}"
    file.write_text(text)
    options = ["--value", kind, "--schema", str(file), "--register", "--registry", registry.url]
    done = produce(*options, stdin=lines(good, bad, good))
    assert (done.status, done.stderr.splitlines()[0]) == (1, "1 delivered, 0 failed")
    assert done.stderr.splitlines()[1].startswith("error: stdin, message 2: value: ")
    assert reason in done.stderr.splitlines()[1]
    assert values() == [good]


def test_json_lines(
    produce: Command,
    values: Callable[..., Any],
    registry: MockRegistry,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    consumer: Consumer,
    tmp_path: Path,
) -> None:
    """`produce --json` reads the output of `consume --json` with decoded values: values,
    tombstones, headers, timestamps, and with --keep-partitions the partitions."""
    kafka_cluster.create_topic("spread", 3)
    file = tmp_path / "flight.avsc"
    file.write_text(json.dumps(FLIGHT))
    options = ["--value", "avro", "--schema", str(file), "--register", "--registry", registry.url]
    records: list[dict[str, Any]] = [
        {"partition": 2, "value": FIRST, "key": "a", "timestamp": 1000, "headers": [["h", "1"]]},
        {"partition": 1, "value": None, "key": "b", "timestamp": 2000, "headers": []},
    ]
    brokers = ["-b", kafka_cluster.bootstrap_servers]
    flags = ["--json", "--keep-partitions", *options]
    assert run("produce", "spread", *brokers, *flags, stdin=lines(*records)).status == 0
    shown = ["--json", "--value", "avro", "--registry", registry.url]
    done = run("consume", "spread", "-e", "-q", *brokers, *shown)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    names = ("partition", "value", "key", "timestamp", "headers")
    assert sorted(({name: one[name] for name in names} for one in found), key=str) == sorted(
        ({name: one[name] for name in names} for one in records), key=str
    )
    wrong = produce("--json", "--keep-partitions", stdin=b'{"value": "x"}')
    assert "partition must be a number of at least 0, not None" in wrong.stderr


@pytest.mark.parametrize(
    ("kind", "text", "payload"),
    [
        ("int32", b"-2", b"\xff\xff\xff\xfe"),
        ("int64", b"7", bytes(7) + b"\7"),
        ("float", b"0.5", struct.pack(">f", 0.5)),
        ("double", b"1e3", struct.pack(">d", 1000)),
        ("string", b"a", b"a"),
        ("json", b'{"a": 1}', b'{"a": 1}'),
        ("bytes", b"\xff", b"\xff"),
    ],
)
def test_formats_without_a_schema(
    kind: str, text: bytes, payload: bytes, produce: Command, consumer: Consumer, kafka_topic: str
) -> None:
    """Keys and values are read as text, and written as Kafka's serializers write them."""
    options = ["--value", kind, "--key-format", kind, "-K", "|"]
    assert produce(*options, stdin=text + b"|" + text + b"\n").status == 0
    [message] = read(consumer, kafka_topic, 1)
    assert (message.key(), message.value()) == (payload, payload)


@pytest.mark.parametrize("kind", ["string", "bytes", "json", "int64", "double"])
def test_what_consume_shows_can_be_sent(
    kind: str,
    produce: Command,
    kafka_cluster: MockCluster,
    consumer: Consumer,
    kafka_topic: str,
) -> None:
    """The objects of `consume --json` become the same bytes again, in each format."""
    payload = {"string": b'"a"', "bytes": b"\xff", "json": b'{"a": "b"}'}.get(
        kind, bytes(7) + b"\7"
    )
    shown = json.dumps({"value": {"base64": base64.b64encode(payload).decode()}})
    assert produce("--json", stdin=shown.encode()).status == 0
    options = ["--json", "--value", kind]
    brokers = ["-b", kafka_cluster.bootstrap_servers]
    done = run("consume", kafka_topic, "-e", "-q", *options, *brokers)
    assert produce(*options, stdin=done.stdout).status == 0
    assert values_of(read(consumer, kafka_topic, 2)) == [payload, payload]


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("int32", b"3000000000", "'3000000000' is not int32"),
        ("int64", b"x", "'x' is not int64"),
        ("string", b"\xff", "not UTF-8: byte 0"),
        ("json", b"{", "not JSON: "),
    ],
)
def test_texts_that_do_not_fit(kind: str, text: bytes, reason: str, produce: Command) -> None:
    done = produce("--value", kind, stdin=text)
    assert done.status == 1
    assert f"error: stdin, message 1: value: {reason}" in done.stderr


def test_printed(produce: Command, registry: MockRegistry, tmp_path: Path) -> None:
    """--print writes each record that is sent, as it was read. A record that is not a message is
    not written, and neither is a record that does not fit the schema."""
    assert produce("--print", "-q", stdin=b"a\n\xff") == (0, b"a\n\xff\n", "")
    assert produce("--print", "-q", "-K", ":", "-D", ";", stdin=b"k:v;none").stdout == b"k:v;"
    whole = tmp_path / "whole"
    whole.write_bytes(b"a\nb")
    assert produce("--print", "-q", "--whole", str(whole)).stdout == b"a\nb"
    schema = tmp_path / "flight.avsc"
    schema.write_text(json.dumps(FLIGHT))
    options = ["--value", "avro", "--schema", str(schema), "--register", "-q"]
    stdin = lines(FIRST, {"carrier": 1})
    done = produce("--print", *options, "--registry", registry.url, stdin=stdin)
    assert (done.status, done.stdout) == (1, lines(FIRST))


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read")
def test_a_file_that_cannot_be_read(produce: Command, tmp_path: Path) -> None:
    """The messages before the fault are delivered, and counted."""
    file = tmp_path / "lines"
    file.write_bytes(b"a\nb\n")
    done = produce(str(file), "/proc/self/mem")
    assert (done.status, done.stdout) == (1, b"")
    counts, error = done.stderr.splitlines()
    assert counts == "2 delivered, 0 not delivered"
    assert error.startswith("error: ")


def test_printed_templates(produce: Command) -> None:
    """--print writes the values that a template makes."""
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    done = produce("--print", "-q", "--template", "v{{seq}}", "--key", "k", "-n", "2")
    assert done == (0, b"v0\nv1\n", "")


class TestTemplates:
    @pytest.fixture(autouse=True)
    def jinja(self) -> None:
        pytest.importorskip("jinja2", reason="jinja2 is not installed")

    def test_functions(self, produce: Command, consumer: Consumer, kafka_topic: str) -> None:
        """A template has the functions that the page lists; --key is one, too."""
        template = (
            '{"id": {{seq}}, "u": "{{uuid()}}", "now": {{now()}}, "day": "{{today()}}", '
            '"c": "{{choice("a", "b")}}", "r": {{randint(1, 3)}}}'
        )
        options = ["--template", template, "--key", "k{{seq % 2}}", "-n", "5", "--rate", "1000/s"]
        assert produce(*options) == (0, b"", "5 delivered, 0 failed\n")
        messages = read(consumer, kafka_topic, 5)
        objects = [json.loads(one.value() or b"") for one in messages]
        assert [one["id"] for one in objects] == list(range(5))
        assert [one.key() for one in messages] == [b"k0", b"k1", b"k0", b"k1", b"k0"]
        assert len({one["u"] for one in objects}) == 5
        assert {one["c"] for one in objects} <= {"a", "b"}
        assert {one["r"] for one in objects} <= {1, 2, 3}

    @pytest.mark.parametrize(
        ("options", "status", "reason"),
        [
            (["--template", "{{"], 2, "--template: "),
            (["--template", "{{nothing}}"], 1, "--template: 'nothing' is undefined"),
            (["--template", "x", "-K", ":"], 2, "--template: cannot be combined with FILES"),
            (["--template", "x", "--rate", "5/x"], 2, "'5/x' is not a rate such as 1000/s"),
            (["--template", "{{ ''.__class__.mro() }}"], 1, "unsafe"),
        ],
    )
    def test_wrong(self, options: list[str], status: int, reason: str, produce: Command) -> None:
        """A wrong template is named. Templates run in a sandbox."""
        done = produce(*options, "-n", "1")
        assert done.status == status
        assert reason in done.stderr

    def test_the_rate(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Messages are sent no faster than at --rate."""
        from confluent_kafka.cli.messages import templates

        now = 100.0
        slept: list[float] = []

        def sleep(seconds: float) -> None:
            nonlocal now
            now += seconds
            slept.append(round(seconds, 3))

        monkeypatch.setattr("time.monotonic", lambda: now)
        monkeypatch.setattr("time.sleep", sleep)
        groups = list(templates.paced(iter([[b"a"] * 10, [b"b"] * 5]), 100))
        assert [len(group) for group in groups] == [5, 5, 5]
        assert slept == [0, 0.05, 0.05]
        assert [templates.parse_rate(text) for text in ("10", "10/s", "30/m")] == [10, 10, 0.5]


@needs("mock-transactions")
class TestTransactions:
    def test_committed(self, produce: Command, consumer: Consumer, kafka_topic: str) -> None:
        """Each transaction has --transaction-size messages; the last transaction has the remaining
        messages."""
        done = produce("--transaction-size", "2", stdin=b"1\n2\n3\n")
        assert done == (0, b"", "3 committed\n")
        assert values_of(read(consumer, kafka_topic, 3)) == [b"1", b"2", b"3"]

    def test_aborted(self, produce: Command, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """If a message is not valid, the open transaction is aborted."""
        options = ["--value", "int32", "--transaction-size", "2"]
        done = produce(*options, stdin=b"1\n2\n3\nx\n")
        assert (done.status, done.stderr.splitlines()[0]) == (1, "2 committed")
        brokers = ["-b", kafka_cluster.bootstrap_servers]
        shown = run("consume", kafka_topic, "-e", "-q", "--value", "int32", *brokers)
        assert shown.stdout == b"1\n2\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--value", "avro"], "--value avro: needs a schema registry"),
        (["--count", "1"], "--count: needs --template"),
        (["--register"], "--register: needs --schema"),
        (["--subject", "s"], "--subject: needs --value avro, protobuf, json-schema or auto"),
        (["--schema-id", "1", "--value", "json"], "--schema-id: needs --value avro"),
        (["--keep-partitions"], "--keep-partitions: needs --json"),
    ],
)
def test_wrong_usage(options: list[str], reason: str, produce: Command) -> None:
    """Wrong options are named, and nothing is sent."""
    done = produce(*options, stdin=b"x\n")
    assert (done.status, done.stdout) == (2, b"")
    assert reason in done.stderr
