"""Parquet and Arrow files of `consume` and `dump` have the typed columns of schemas, and `load`
reads them back."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.testing import MockCluster, MockRegistry
from tests.support.command_line import Ended, run
from tests.support.waiting import TIMEOUT

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

import pyarrow as pa
from pyarrow import parquet

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

PRICE = {"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2}
FIRST = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "price", "type": PRICE},
        {"name": "weight", "type": "double"},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
    ],
}
NOTE = {"name": "note", "type": ["null", "string"], "default": None}
SECOND = FIRST | {"fields": [*FIRST["fields"], NOTE]}
TREE = {
    "type": "record",
    "name": "Tree",
    "fields": [{"name": "child", "type": ["null", "Tree"], "default": None}],
}
PROTO = """
syntax = "proto3";
message Flight { string carrier = 1; optional int32 delay = 2; }
"""
JSON_SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["id"],
}

Command = Callable[..., Ended]


@pytest.fixture
def registry() -> Iterator[MockRegistry]:
    with MockRegistry() as registry:
        yield registry


@pytest.fixture
def client(registry: MockRegistry) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": registry.url}) as client:
        yield client


@pytest.fixture
def command(kafka_cluster: MockCluster, registry: MockRegistry) -> Command:
    """Runs a command with the cluster and the registry. The topics are `source` and `target`."""
    for topic in ("source", "target"):
        kafka_cluster.create_topic(topic, 1)
    connection = ["-b", kafka_cluster.bootstrap_servers, "--registry", registry.url]
    return lambda *words: run(*words, *connection)


def order(number: int, **more: Any) -> dict[str, Any]:
    return {"id": number, "price": Decimal("1.50"), "weight": 0.5, "tags": ["a", "b"]} | more


def avro(client: SchemaRegistryClient, schema: Any, value: Any) -> bytes:
    """The value with the schema's id."""
    serialize = AvroSerializer(client, json.dumps(schema))
    data = serialize(value, SerializationContext("source", MessageField.VALUE, []))
    assert data is not None
    return data


def send(producer: Producer, *values: bytes | None) -> None:
    for value in values:
        producer.produce("source", value, b"k", 0, timestamp=1000)
    assert producer.flush(TIMEOUT) == 0


def table(file: Path) -> Any:
    if file.suffix == ".parquet":
        return parquet.read_table(file)
    with pa.ipc.open_file(file) as reader:
        return reader.read_all()


def values(command: Command, topic: str) -> list[Any]:
    """The decoded values of a topic."""
    done = command("consume", topic, "-e", "-q", "--json", "--value", "auto")
    assert done.status == 0, done.stderr
    return [json.loads(line)["value"] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_avro(
    suffix: str,
    command: Command,
    producer: Producer,
    client: SchemaRegistryClient,
    tmp_path: Path,
) -> None:
    """The column `value` is a struct with the types of the schema: decimals, lists, numbers that
    JSON does not have. A tombstone is null. `load` sends the same values."""
    rows = [order(1), order(2, weight=math.nan), order(3, weight=-math.inf)]
    send(producer, None, *(avro(client, FIRST, row) for row in rows))
    file = tmp_path / f"orders.{suffix}"
    assert command("consume", "source", "-e", "-q", "--value", "avro", "-o", str(file)).status == 0
    column = table(file)["value"]
    fields = {field.name: field.type for field in column.type}
    assert fields == {
        "id": pa.int64(),
        "price": pa.decimal128(6, 2),
        "weight": pa.float64(),
        "tags": pa.list_(pa.string()),
    }
    assert [column[0].as_py(), column[1].as_py()] == [None, rows[0]]
    assert math.isnan(column[2].as_py()["weight"])
    assert column[3].as_py() == rows[2]
    plain = [order(4, tags=[]), order(5)]
    send(producer, *(avro(client, FIRST, row) for row in plain))
    again = ["consume", "source", "--from", "4", "-e", "-q", "--value", "avro", "--overwrite"]
    assert command(*again, "-o", str(file)).status == 0
    options = ["--value", "avro", "--subject", "source-value"]
    assert command("load", "target", str(file), "-q", *options) == (0, b"", "")
    assert values(command, "target") == values(command, "source")[4:]


def test_json_values(
    command: Command, producer: Producer, client: SchemaRegistryClient, tmp_path: Path
) -> None:
    """With --json-values the column has JSON texts, also of several schemas."""
    send(producer, avro(client, FIRST, order(1)), avro(client, SECOND, order(2, note="n")))
    file = tmp_path / "orders.parquet"
    options = ["-e", "-q", "--value", "avro", "-o", str(file)]
    assert command("consume", "source", *options, "--json-values").status == 0
    assert table(file)["value"].type == pa.string()
    assert [json.loads(one.as_py()) for one in table(file)["value"]] == values(command, "source")
    assert command("consume", "source", "--json-values").status == 2


def test_two_schemas_in_one_file(
    command: Command, producer: Producer, client: SchemaRegistryClient, tmp_path: Path
) -> None:
    """One file has one schema. If a message has another schema, the error names the message, and
    no file is written."""
    send(producer, avro(client, FIRST, order(1)), avro(client, SECOND, order(2, note="n")))
    file = tmp_path / "orders.parquet"
    done = command("consume", "source", "-e", "-q", "--value", "avro", "-o", str(file))
    assert done.status == 1
    assert done.stderr.startswith("error: source [0] offset 1 has another schema")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file_format", ["parquet", "arrow"])
def test_two_schemas_in_a_dump(
    file_format: str,
    command: Command,
    producer: Producer,
    client: SchemaRegistryClient,
    tmp_path: Path,
) -> None:
    """A message with another schema begins another file. Tombstones fit into every file. `load`
    sends all files."""
    first, second = avro(client, FIRST, order(1)), avro(client, SECOND, order(2, note="n"))
    send(producer, None, first, None, first, second, None, second, first)
    folder = tmp_path / "dump"
    options = ["--value", "avro", "--file-format", file_format, "-o", str(folder)]
    done = command("dump", "source", "-e", *options)
    assert done == (0, b"", "8 messages in 3 files\n")
    files = sorted(folder.glob(f"source-*.{file_format}"))
    counts = [(len(table(file)), "note" in str(table(file)["value"].type)) for file in files]
    assert counts == [(4, False), (3, True), (1, False)]
    assert command("load", "target", str(folder), "-q", "--value", "json").status == 0
    shown = command("consume", "target", "-e", "-q", "--json", "--value", "json")
    loaded = [json.loads(line)["value"] for line in shown.stdout.splitlines()]
    assert loaded == values(command, "source")


def test_partitions_with_different_schemas(
    command: Command,
    kafka_cluster: MockCluster,
    producer: Producer,
    client: SchemaRegistryClient,
    tmp_path: Path,
) -> None:
    """While some partitions have reached a new schema and others have not, a dump does not begin a
    file for each change. Each partition keeps its order over the files."""
    kafka_cluster.create_topic("wide", 2)
    for number in range(20):
        schema = SECOND if number >= 4 + 12 * (number % 2) else FIRST
        value = avro(client, schema, order(number) | ({"note": None} if schema is SECOND else {}))
        producer.produce("wide", value, b"k", number % 2)
        assert producer.flush(TIMEOUT) == 0  # a batch of its own
    folder = tmp_path / "dump"
    options = ["--value", "avro", "--file-format", "parquet", "-o", str(folder)]
    assert command("dump", "wide", "-e", *options).stderr == "20 messages in 2 files\n"
    rows = [row for file in sorted(folder.glob("*.parquet")) for row in table(file).to_pylist()]
    for partition in range(2):
        offsets = [row["offset"] for row in rows if row["partition"] == partition]
        assert offsets == list(range(10))


def test_a_schema_without_columns(
    command: Command, producer: Producer, client: SchemaRegistryClient, tmp_path: Path
) -> None:
    """Columns cannot represent a record that contains itself: the column has JSON texts."""
    send(producer, avro(client, TREE, {"child": {"child": None}}))
    file = tmp_path / "trees.parquet"
    done = command("consume", "source", "-e", "-q", "--value", "avro", "-o", str(file))
    assert done.status == 0
    assert [json.loads(one.as_py()) for one in table(file)["value"]] == [{"child": {"child": None}}]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize(
    ("schema", "value", "kind"),
    [
        ("string", "é", "string"),
        ({"type": "array", "items": "int"}, [1, 2], "list<item: int32>"),
        ({"type": "record", "name": "Empty", "fields": []}, {}, None),
    ],
)
def test_other_shapes(
    suffix: str,
    schema: Any,
    value: Any,
    kind: str | None,
    command: Command,
    producer: Producer,
    client: SchemaRegistryClient,
    tmp_path: Path,
) -> None:
    """A value that is not a record becomes a column of the type of the value. A record without
    fields is JSON text. `load` sends the same values."""
    send(producer, avro(client, schema, value), None)
    file = tmp_path / f"file.{suffix}"
    done = command("consume", "source", "-e", "-q", "--value", "avro", "-o", str(file))
    assert done.status == 0
    if kind is not None:
        # Parquet calls the items elements.
        assert str(table(file)["value"].type).replace("element", "item") == kind
    assert command("load", "target", str(file), "-q", "--value", "json").status == 0
    shown = command("consume", "target", "-e", "-q", "--json", "--value", "json")
    assert [json.loads(line)["value"] for line in shown.stdout.splitlines()] == [value, None]


def test_protobuf(
    command: Command, producer: Producer, client: SchemaRegistryClient, tmp_path: Path
) -> None:
    """Protobuf has the columns of its message. Fields that are not set stay unset."""
    pytest.importorskip("google.protobuf", reason="protobuf is not installed")
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    schema_id = client.register_schema("flights-value", Schema(PROTO, "PROTOBUF"))
    framing = b"\0" + schema_id.to_bytes(4, "big") + b"\0"
    send(producer, framing + b"\n\x02UA\x10\x05", framing + b"\n\x02DL")
    file = tmp_path / "flights.parquet"
    done = command("consume", "source", "-e", "-q", "--value", "protobuf", "-o", str(file))
    assert done.status == 0, done.stderr
    assert table(file)["value"].to_pylist() == [
        {"carrier": "UA", "delay": 5},
        {"carrier": "DL", "delay": None},
    ]
    options = ["--value", "protobuf", "--subject", "flights-value"]
    assert command("load", "target", str(file), "-q", *options) == (0, b"", "")
    assert values(command, "target") == [{"carrier": "UA", "delay": 5}, {"carrier": "DL"}]


def test_json_schema(
    command: Command, producer: Producer, client: SchemaRegistryClient, tmp_path: Path
) -> None:
    """JSON with a schema has the columns of the schema; a field that may be missing is missing
    again after `load`. A value that the columns would lose is an error that says what to do."""
    pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema_id = client.register_schema("json-value", Schema(json.dumps(JSON_SCHEMA), "JSON"))
    framing = b"\0" + schema_id.to_bytes(4, "big")
    send(producer, framing + b'{"id": 1}', framing + b'{"id": 2, "note": "n"}')
    file = tmp_path / "file.parquet"
    options = ["consume", "source", "-e", "-q", "--value", "json-schema", "-o", str(file)]
    assert command(*options).status == 0
    assert table(file)["value"].to_pylist() == [{"id": 1, "note": None}, {"id": 2, "note": "n"}]
    encoding = ["--value", "json-schema", "--subject", "json-value"]
    assert command("load", "target", str(file), "-q", *encoding) == (0, b"", "")
    assert values(command, "target") == [{"id": 1}, {"id": 2, "note": "n"}]
    send(producer, framing + b'{"id": 3, "other": 1}')
    done = command(*options, "--overwrite")
    assert done.status == 1
    assert "source [0] offset 2: value: " in done.stderr
    assert "use --json-values" in done.stderr


def test_a_file_with_a_schema(
    command: Command, producer: Producer, client: SchemaRegistryClient, tmp_path: Path
) -> None:
    """The schema can come from a file; keys can have columns, too."""
    schema = tmp_path / "order.avsc"
    schema.write_text(json.dumps(FIRST))
    value = avro(client, FIRST, order(1))[5:]
    send(producer, value)
    file = tmp_path / "file.parquet"
    options = ["--schema", str(schema), "--key", "string", "-o", str(file)]
    assert command("consume", "source", "-e", "-q", *options).status == 0
    [row] = table(file).to_pylist()
    assert (row["value"], row["key"]) == (order(1), '"k"')


def test_where(
    command: Command, producer: Producer, client: SchemaRegistryClient, tmp_path: Path
) -> None:
    """--where uses decoded values, even if the file has typed columns."""
    pytest.importorskip("cel_expr_python", reason="cel-expr-python is not installed")
    send(producer, *(avro(client, FIRST, order(number)) for number in range(3)))
    file = tmp_path / "file.parquet"
    options = ["--value", "avro", "--where", "value.id > 1", "-o", str(file)]
    assert command("consume", "source", "-e", "-q", *options).status == 0
    assert table(file)["value"].to_pylist() == [order(2)]
