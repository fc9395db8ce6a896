"""`consume` decodes keys and values, filters them, and reports what it cannot decode."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer, Message, Producer
from confluent_kafka.testing import MockCluster, MockRegistry
from tests.support.command_line import Ended, run
from tests.support.kafka import NO_BROKER, committed, send
from tests.support.waiting import TIMEOUT

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka.schema_registry import (
    Schema,
    SchemaRegistryClient,
    header_schema_id_serializer,
)
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

Consume = Callable[..., Ended]

FLIGHT = {
    "type": "record",
    "name": "Flight",
    "fields": [
        {"name": "carrier", "type": "string"},
        {"name": "delay", "type": ["null", "int"], "default": None},
    ],
}
TREE = {
    "type": "record",
    "name": "Tree",
    "fields": [
        {"name": "size", "type": "double"},
        {"name": "child", "type": ["null", "Tree"], "default": None},
    ],
}
PROTO = """
syntax = "proto3";
package air;
message Plane { string name = 1; }
message Flight {
  message Leg { int64 miles = 1; }
  string carrier = 1;
  optional int32 delay = 2;
  Leg leg = 3;
}
"""


@pytest.fixture(scope="module")
def registry() -> Iterator[MockRegistry]:
    with MockRegistry() as registry:
        yield registry


@pytest.fixture(scope="module")
def client(registry: MockRegistry) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": registry.url}) as client:
        yield client


@pytest.fixture
def consume(
    kafka_cluster: MockCluster, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> Consume:
    """`consume` of the test's topic to its end."""
    monkeypatch.delenv("SCHEMA_REGISTRY_URL", raising=False)

    def consume(*options: str) -> Ended:
        return run("consume", kafka_topic, "-e", "-b", kafka_cluster.bootstrap_servers, *options)

    return consume


def avro(client: SchemaRegistryClient, schema: Any, value: Any, **conf: Any) -> bytes:
    """The value with the schema's id."""
    text = schema if isinstance(schema, str) else json.dumps(schema)
    serialize = AvroSerializer(client, text, conf={"subject.name.strategy.type": "RECORD"} | conf)
    data = serialize(value, SerializationContext("t", MessageField.VALUE, []))
    assert data is not None
    return data


def lines(done: Ended) -> list[Any]:
    """The values in JSON, of a command that succeeded."""
    assert done.status == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("kind", ["avro", "auto"])
def test_avro(
    kind: str,
    registry: MockRegistry,
    client: SchemaRegistryClient,
    consume: Consume,
    producer: Producer,
    kafka_topic: str,
) -> None:
    """Each value is decoded with its own schema, including values that do not fit into columns,
    such as records that contain themselves; a tombstone stays null."""
    flights = [{"carrier": "UA", "delay": 5}, {"carrier": "DL", "delay": None}]
    tree = {"size": 1.5, "child": {"size": math.inf, "child": None}}
    first, second = [avro(client, FLIGHT, one) for one in flights]
    texts = avro(
        client,
        {"type": "array", "items": "string"},
        ["a", "b"],
        **{"subject.name.strategy.type": "TOPIC"},
    )
    send(producer, kafka_topic, [first, avro(client, TREE, tree), second, None, texts])
    found = lines(consume("--value", kind, "--registry", registry.url, "--json", "-q"))
    shown = {"size": 1.5, "child": {"size": "Infinity", "child": None}}
    assert [one["value"] for one in found] == [flights[0], shown, flights[1], None, ["a", "b"]]


def test_a_header_names_the_schema(
    registry: MockRegistry,
    client: SchemaRegistryClient,
    consume: Consume,
    producer: Producer,
    kafka_topic: str,
) -> None:
    """The schema can also be named by a GUID in a header."""
    serialize = AvroSerializer(
        client,
        json.dumps(FLIGHT),
        conf={
            "schema.id.serializer": header_schema_id_serializer,
            "subject.name.strategy.type": "RECORD",
        },
    )
    headers: list[tuple[str, bytes]] = []
    data = serialize(
        {"carrier": "UA", "delay": 1}, SerializationContext("t", MessageField.VALUE, headers)
    )
    producer.produce(kafka_topic, data, headers=headers)
    assert producer.flush(TIMEOUT) == 0
    assert lines(consume("--value", "auto", "--registry", registry.url, "-q")) == [
        {"carrier": "UA", "delay": 1}
    ]


def test_protobuf(
    registry: MockRegistry,
    client: SchemaRegistryClient,
    consume: Consume,
    producer: Producer,
    kafka_topic: str,
    tmp_path: Path,
) -> None:
    """The message indexes choose the message of the schema. Fields that are not set are left
    out."""
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    number = client.register_schema("protobuf", Schema(PROTO, "PROTOBUF"))
    frame = b"\0" + number.to_bytes(4)
    values = [
        frame + b"\0" + b"\n\x02B7",  # the first message
        frame + b"\x02\x02" + b"\n\x02UA\x10\x05",  # the second one
        frame + b"\x04\x02\x00" + b"\x08\x07",  # the one inside it
    ]
    send(producer, kafka_topic, values)
    assert lines(consume("--value", "protobuf", "--registry", registry.url, "-q")) == [
        {"name": "B7"},
        {"carrier": "UA", "delay": 5},
        {"miles": 7},
    ]
    send(producer, kafka_topic, [frame + b"\x02\x12", b"\n\x02B8"])
    done = consume("--value", "auto", "--registry", registry.url, "--from", "3")
    assert done.status == 1
    assert "offset 3: value: the schema has no message with the indexes [9]" in done.stderr
    file = tmp_path / "air.proto"
    file.write_text(PROTO)
    assert lines(consume("--schema", str(file), "--from", "4", "-q")) == [{"name": "B8"}]


def test_json_schema(
    registry: MockRegistry,
    client: SchemaRegistryClient,
    consume: Consume,
    producer: Producer,
    kafka_topic: str,
) -> None:
    """A value of JSON Schema is shown as JSON on one line."""
    number = client.register_schema("json", Schema('{"type": "object"}', "JSON"))
    send(producer, kafka_topic, [b"\0" + number.to_bytes(4) + b'{\n"id": 1}'])
    assert lines(consume("--value", "json-schema", "--registry", registry.url, "-q")) == [{"id": 1}]


def test_the_schema_of_a_file(
    client: SchemaRegistryClient,
    consume: Consume,
    producer: Producer,
    kafka_topic: str,
    tmp_path: Path,
) -> None:
    """--schema decodes values without a registry's id."""
    file = tmp_path / "flight.avsc"
    file.write_text(json.dumps(FLIGHT))
    send(producer, kafka_topic, [avro(client, FLIGHT, {"carrier": "UA", "delay": 5})[5:], b"\x04U"])
    done = consume("--schema", str(file))
    assert done.stdout == b'{"carrier":"UA","delay":5}\n'
    assert done.stderr == (
        f"error: {kafka_topic} [0] offset 1: value: carrier: the payload ends within a value "
        "(byte 1)\n1 message\n"
    )
    for text, reason in (("{", "--schema"), ('{"type": "nothing"}', "--schema")):
        file.write_text(text)
        refused = consume("--schema", str(file))
        assert (refused.status, reason in refused.stderr) == (2, True)
    other = tmp_path / "schema.json"
    other.write_text("{}")
    assert "JSON needs no schema" in consume("--schema", str(other)).stderr


@pytest.mark.parametrize(
    ("kind", "payload", "shown", "value"),
    [
        ("string", "é\n".encode(), "é\n\n".encode(), "é\n"),
        ("int32", b"\xff\xff\xff\xfe", b"-2\n", -2),
        ("int64", b"\0\0\0\1\0\0\0\0", b"4294967296\n", 2**32),
        ("float", struct.pack(">f", 0.1), b"0.1\n", 0.1),
        ("double", struct.pack(">d", math.nan), b'"NaN"\n', "NaN"),
        ("bytes", b"\xff\0", b"\xff\0\n", {"base64": "/wA="}),
        ("json", b'{"a": [1]}', b'{"a": [1]}\n', {"a": [1]}),
    ],
)
def test_formats_without_a_schema(
    kind: str,
    payload: bytes,
    shown: bytes,
    value: object,
    consume: Consume,
    producer: Producer,
    kafka_topic: str,
) -> None:
    """Keys and values of each format are shown as text, and with --json as values of JSON."""
    producer.produce(kafka_topic, payload, payload)
    assert producer.flush(TIMEOUT) == 0
    assert consume("--value", kind, "-q").stdout == shown
    [found] = lines(consume("--value", kind, "--key", kind, "--json", "-q"))
    assert (found["key"], found["value"]) == (value, value)


def test_on_error(consume: Consume, producer: Producer, kafka_topic: str) -> None:
    """A message that cannot be decoded is reported with its place and the reason. The command
    stops there, or continues; its exit status is 1."""
    send(producer, kafka_topic, [b"\0\0\0\1", b"two", None, b"\0\0\0\4"])
    reason = f"error: {kafka_topic} [0] offset 1: value: 3 bytes instead of 4\n"
    assert consume("--value", "int32") == (1, b"1\n", f"{reason}1 message\n")
    done = consume("--value", "int32", "--on-error", "continue")
    assert (done.status, done.stdout) == (1, b"1\n\n4\n")
    assert done.stderr == (
        f"{reason}3 messages, 1 not decoded\nerror: 1 message could not be decoded\n"
    )


def test_on_error_in_a_group(
    consume: Consume, producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """A group commits only the messages before a message that cannot be decoded."""
    send(producer, kafka_topic, [b"\0\0\0\1", b"two", b"\0\0\0\3"])
    assert consume("--value", "int32", "-g", "group").status == 1
    assert committed(consumer, kafka_topic) == 1
    assert consume("--value", "int32", "-g", "group", "--on-error", "continue").stdout == b"3\n"
    assert committed(consumer, kafka_topic) == 3


def test_messages_that_a_filter_leaves_out_are_committed(
    consume: Consume, producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """A group does not read again what a filter has left out; after --count it continues after the
    last message that was written."""
    for number in range(5):
        producer.produce(kafka_topic, b"%d" % number, b"ab"[number % 2 :][:1], partition=0)
    assert producer.flush(TIMEOUT) == 0
    assert consume("-g", "group", "--key-is", "b", "-n", "1").stdout == b"1\n"
    assert committed(consumer, kafka_topic) == 2
    assert consume("-g", "group", "--key-is", "b").stdout == b"3\n"
    assert committed(consumer, kafka_topic) == 5


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--value", "avro"], "--value avro: needs a schema registry: give --registry URL"),
        (["--key", "auto"], "--key auto: needs a schema registry: give --registry URL"),
        (["--value", "axro"], "--value: 'axro' is not one of auto, avro,"),
        (["-s", "i", "--value", "json"], "--unpack: cannot be combined with --value or --schema"),
        (["-s", "x"], "--unpack: 'x' must consist of the letters <>bBhHiIqQcs$"),
        (["-s", "id=i"], "--unpack: 'id=i': needs LETTERS, key=LETTERS or value=LETTERS"),
        (["-s", "i", "-s", "value=i"], "--unpack: 'value=i': needs LETTERS, key="),
        (["--header", "x"], "--header: 'x': needs NAME=VALUE"),
        (["--follow"], "--follow: cannot be combined with --until or --exit-at-end"),
        (["--registry", "ftp://x", "--value", "auto"], "url"),
    ],
)
def test_wrong_usage(options: list[str], reason: str, consume: Consume) -> None:
    """Wrong options are named, and nothing is read."""
    done = consume(*options)
    assert (done.status, done.stdout) == (2, b"")
    assert reason in done.stderr


def test_the_registry(
    registry: MockRegistry,
    client: SchemaRegistryClient,
    consume: Consume,
    producer: Producer,
    kafka_topic: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The configuration or the environment can name the registry, and other commands ignore it. A
    registry that does not answer ends the command; a schema that it does not have is the
    message's failure."""
    send(producer, kafka_topic, [avro(client, FLIGHT, {"carrier": "UA"}), b"\0\0\0\xff\xff"])
    file = tmp_path / "cluster.properties"
    file.write_text(f"schema.registry.url={registry.url}\n")
    value = b'{"carrier":"UA","delay":null}\n'
    assert consume("-n1", "--value", "auto", "-F", str(file)).stdout == value
    option = f"schema.registry.url={registry.url}"
    assert consume("-n1", "--value", "auto", "-X", option).stdout == value
    assert consume("-n1", "-X", option).status == 0
    monkeypatch.setenv("SCHEMA_REGISTRY_URL", registry.url)
    done = consume("--value", "auto")
    assert done.stdout == value
    assert "offset 1: value: the registry has no schema 65535" in done.stderr
    options = ["-X", "schema.registry.max.retries=0", "--value", "auto"]
    silent = consume("--registry", f"http://{NO_BROKER}", *options)
    assert silent.status == 1
    assert "schema registry:" in silent.stderr


def test_unpacking(consume: Consume, producer: Producer, kafka_topic: str) -> None:
    """-s unpacks binary keys and values, with the letters of kcat."""
    producer.produce(kafka_topic, b"\x01\xff\x02\0xyz", b"\0\0\0\x07")
    assert producer.flush(TIMEOUT) == 0
    done = consume("-s", "key=i$", "-s", "bB<hs", "-f", "%k|%s|%S\n", "-q")
    assert done.stdout == b"7|1 255 2 xyz|11\n"
    [found] = lines(consume("-s", "key=i$", "-s", "cB<hcs$", "--json", "-q"))
    assert (found["key"], found["value"]) == (7, ["\x01", 255, 2, "x", "yz"])
    assert "offset 0: value: 5 bytes are left at the end ($)" in consume("-s", "h$").stderr
    assert "value: q needs 8 bytes at byte 0, but there are 7" in consume("-s", "q").stderr


def test_cheap_filters(consume: Consume, producer: Producer, kafka_topic: str) -> None:
    """--key-is and --header work without decoding. If --header is given twice, a message needs both
    headers."""
    for value, key, headers in (
        (b"1", b"a", [("x", b"1"), ("y", b"2")]),
        (b"2", b"b", [("x", b"1")]),
        (b"3", None, None),
    ):
        producer.produce(kafka_topic, value, key, headers=headers)
    assert producer.flush(TIMEOUT) == 0
    assert consume("--key-is", "a", "--key-is", "b").stdout == b"1\n2\n"
    assert consume("--header", "x=1", "--header", "y=2") == (0, b"1\n", "1 message\n")
    assert consume("--key-is", "c", "--fail-if-empty") == (
        1,
        b"",
        "0 messages\nerror: no message was found\n",
    )


class TestWhere:
    @pytest.fixture(autouse=True)
    def cel(self) -> None:
        pytest.importorskip("cel_expr_python", reason="cel-expr-python is not installed")

    def test_fields(self, consume: Consume, producer: Producer, kafka_topic: str) -> None:
        """An expression can use the fields of decoded values, and all other parts of a message."""
        for number in range(4):
            value = json.dumps({"id": number, "lines": [{"n": number}], "big": 2**64}).encode()
            headers = [("source", b"import")]
            producer.produce(kafka_topic, value, b"k%d" % number, 0, headers=headers)
        assert producer.flush(TIMEOUT) == 0
        for where, expected in (
            ("value.id > 2", [3]),
            ("value.lines.exists(one, one.n == 1)", [1]),
            ("key == 'k2' && headers.source == 'import'", [2]),
            ("partition == 0 && offset >= 2", [2, 3]),
            ("timestamp > timestamp('2001-01-01T00:00:00Z') && value.id < 1", [0]),
            ("value.big > 1 && value.id == 0", [0]),
        ):
            done = consume("--value", "json", "--where", where, "-f", r"%o\n", "-q")
            assert [int(one) for one in done.stdout.split()] == expected, (where, done)

    def test_no_value(self, consume: Consume, producer: Producer, kafka_topic: str) -> None:
        """A message for which the expression has no value is left out, and counted."""
        send(producer, kafka_topic, [b'{"id": 1}', b"{}", b"null"])
        done = consume("--value", "json", "--where", "value.id == 1")
        assert done[:2] == (0, b'{"id": 1}\n')
        assert done.stderr.startswith(
            f"1 message, 2 without a value of --where ({kafka_topic} [0] offset 1: "
        )

    @pytest.mark.parametrize("quiet", [[], ["-q"]])
    def test_no_value_for_any_message(
        self, quiet: list[str], consume: Consume, producer: Producer, kafka_topic: str
    ) -> None:
        """If an expression cannot be evaluated for any message, the command fails, with advice."""
        send(producer, kafka_topic, [b'{"id": 8}', b'{"id": 9}'])
        done = consume("--where", "value.id > 7", *quiet)
        assert done[:2] == (1, b"")
        error, advice, *summary = done.stderr.splitlines()
        assert error.startswith(
            f"error: --where: no value for 2 messages: {kafka_topic} [0] offset 0: "
        )
        assert advice == "error: the value is not decoded: use --value json or --value auto"
        assert summary == ([] if quiet else ["0 messages"])
        done = consume("--value", "json", "--where", "value.number > 7", *quiet)
        assert done[:2] == (1, b"")
        error, *summary = done.stderr.splitlines()
        assert error.startswith("error: --where: no value for 2 messages: ")
        assert summary == ([] if quiet else ["0 messages"])
        assert consume("--where", "value == 'x'", "-q") == (0, b"", "")

    def test_no_value_until_ctrl_c(
        self,
        consume: Consume,
        producer: Producer,
        kafka_topic: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """After Ctrl-C, the command still reports that the expression had no value."""
        from confluent_kafka.cli.messages.filters import Where

        evaluate = Where.__call__

        def interrupted(where: Where, message: Message) -> bool:
            evaluate(where, message)
            raise KeyboardInterrupt

        monkeypatch.setattr(Where, "__call__", interrupted)
        send(producer, kafka_topic, [b'{"id": 8}'])
        done = consume("--where", "value.id > 7", "-q")
        assert done.status == 130
        assert done.stderr.startswith("note: --where: no value for 1 message: ")

    @pytest.mark.parametrize(
        ("where", "reason"),
        [
            ("value.id >", "--where: line 1, column 11: Syntax error"),
            ("id == 1", "--where: line 1, column 1: undeclared reference to 'id'"),
            ("offset + 1", "--where: is INT, not true or false"),
        ],
    )
    def test_wrong(self, where: str, reason: str, consume: Consume) -> None:
        """A wrong expression is refused before anything is read."""
        done = consume("--where", where)
        assert done.status == 2
        assert reason in done.stderr


def test_patterns(kafka_cluster: MockCluster, producer: Producer) -> None:
    """A topic that begins with ^ is a regular expression, with a group and without."""
    for topic in ("log-a", "log-b", "other"):
        kafka_cluster.create_topic(topic)
        send(producer, topic, [topic.encode()])
    brokers = ["-b", kafka_cluster.bootstrap_servers, "-q"]
    for group in ([], ["-g", "group", "-n", "2"]):
        done = run("consume", "^log-.*", "-e", *group, *brokers)
        assert sorted(done.stdout.split()) == [b"log-a", b"log-b"]
    assert sorted(run("consume", "^log", "other", "-e", *brokers).stdout.split()) == [
        b"log-a",
        b"log-b",
        b"other",
    ]
    none = run("consume", "^nothing", "-e", *brokers)
    assert none == (1, b"", "error: no topic matches '^nothing'\n")
    wrong = run("consume", "^(", "-e", *brokers)
    assert wrong.status == 2
    assert "'^(' is not a regular expression" in wrong.stderr


def test_tokens_of_formats(consume: Consume, producer: Producer, kafka_topic: str) -> None:
    """-f can show a header by its name, lengths as bytes, and the local time."""
    headers = [("a", b"1"), ("b", None), ("a", b"2")]
    producer.produce(kafka_topic, b"abc", partition=0, timestamp=1000, headers=headers)
    assert producer.flush(TIMEOUT) == 0
    done = consume("-f", "%h{a}|%h{b}|%h{c}|%R%s|%D|", "-q")
    assert done.stdout == b"2|||\0\0\0\3abc|1970-01-01T00:00:01.000Z|"
    local = consume("-f", "%L", "-q").stdout.decode()
    assert local[19:] == ".000+00:00" or local[-6] in "+-"


def test_null(consume: Consume, producer: Producer, kafka_topic: str) -> None:
    """With -Z, null keys and values are NULL, and empty ones are empty. Lengths stay -1."""
    for key, value in ((None, b"v"), (b"k", None), (b"", b"")):
        producer.produce(kafka_topic, value, key, 0)
    assert producer.flush(TIMEOUT) == 0
    shown = consume("-f", "%k=%s %K,%S|", "-q", "-Z")
    assert shown == (0, b"NULL=v -1,1|k=NULL 1,-1|= 0,0|", "")
    assert consume("-f", "%k=%s|", "-q").stdout == b"=v|k=|=|"
    assert consume("-Z", "-q", "--value", "string").stdout == b"v\nNULL\n\n"
    both = consume("-Z", "--json")
    assert (both.status, "--null: cannot be combined with --json" in both.stderr) == (2, True)
