"""The guide docs/guides/dataframes.md does what it says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

pytest.importorskip("polars", reason="polars is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

import polars

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.columns import AvroColumns, AvroDecoder, JSONDecoder, read_topic
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.testing import MockCluster
from tests.support.documents import block_with, run
from tests.support.waiting import TIMEOUT

PAGE = "docs/guides/dataframes.md"
TEXT = AvroDecoder('"string"')


@pytest.fixture
def config(kafka_cluster: MockCluster) -> dict[str, Any]:
    return {"bootstrap.servers": kafka_cluster.bootstrap_servers, "auto.offset.reset": "earliest"}


def test_a_topic(capsys: pytest.CaptureFixture[str]) -> None:
    """Avro with a registry in memory comes out as a data frame with the schema's types."""
    names = run(block_with(PAGE, "FLIGHT = {"))
    flights = names["frame"]
    assert flights["carrier"].to_list() == ["UA", "DL", "UA"]
    assert flights["delay"].to_list() == [2, None, 11]
    assert flights.schema["at"] == polars.Datetime("ms", "UTC")
    assert flights.schema["delay"] == polars.Int32
    assert "(3, 4)" in capsys.readouterr().out
    # What the guide goes on with.
    run(block_with(PAGE, 'JSONEncoder(nulls="omit")'), frame=flights)


def test_the_last_hour(
    config: dict[str, Any],
    kafka_cluster: MockCluster,
    producer: Producer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Messages since a time are read, and progress is counted in offsets."""
    kafka_cluster.create_topic("flights")
    producer.produce("flights", b"\4UA")
    assert producer.flush(TIMEOUT) == 0
    text = block_with(PAGE, "timedelta(hours=1)")
    run(text, config=config, flights=TEXT, read_topic=read_topic)
    assert capsys.readouterr().out == "1 messages, 1 of 1 offsets\n"


def test_json(config: dict[str, Any], kafka_cluster: MockCluster, producer: Producer) -> None:
    """Objects of JSON come out as a data frame with the types of a JSON Schema."""
    kafka_cluster.create_topic("orders")
    producer.produce("orders", b'{"id": 1, "at": "2026-01-01T00:00:00+01:00", "tags": ["new"]}')
    producer.produce("orders", b'{"tags": [], "id": 2, "other": {}}')
    assert producer.flush(TIMEOUT) == 0
    names = run(block_with(PAGE, "ORDER = {"), config=config, polars=polars, read_topic=read_topic)
    orders = names["orders"].sort("id")
    assert orders["tags"].to_list() == [["new"], []]
    assert orders["at"].to_list() == [datetime(2025, 12, 31, 23, tzinfo=UTC), None]


def test_models_of_pydantic() -> None:
    """What the page says of each column is so."""
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    bookings = run(block_with(PAGE, "class Booking"), JSONDecoder=JSONDecoder, __name__=__name__)[
        "bookings"
    ]
    text = '{"id":1,"seats":{"a":2},"details":{"meal": "vegan"},"connecting":[{"id":2}]}'
    rows = polars.Series(bookings.decode(polars.Series([text]))).struct.unnest()
    assert rows["details"].to_list() == ['{"meal": "vegan"}']
    assert rows["connecting"].to_list() == [['{"id":2}']]


def test_bad_payloads(
    kafka_topic: str,
    producer: Producer,
    consumer: Consumer,
    kafka_cluster: MockCluster,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What cannot be decoded is named, and its bytes go to another topic."""
    kafka_cluster.create_topic("flights-dead")
    producer.produce(kafka_topic, b"\4UA")
    producer.produce(kafka_topic, b"\4U")
    assert producer.flush(TIMEOUT) == 0
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    text = block_with(PAGE, "dead_letters").replace("1000, timeout=1", f"2, timeout={TIMEOUT}")
    run(text, consumer=consumer, flights=TEXT, polars=polars, dead_letters=producer)
    assert producer.flush(TIMEOUT) == 0
    assert capsys.readouterr().out == "1 1  the payload ends within a value\n"
    consumer.assign([TopicPartition("flights-dead", 0, 0)])
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.value() == b"\4U"


def test_columns_are_written(
    config: dict[str, Any], kafka_cluster: MockCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows of a data frame are messages with the registry's schema; bad ones are named."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    kafka_cluster.create_topic("flights")
    schema = {
        "type": "record",
        "name": "Flight",
        "fields": [
            {"name": "carrier", "type": "string"},
            {"name": "delay", "type": ["null", "int"]},
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        ],
    }
    rows = {"carrier": ["UA", "DL"], "delay": [None, 2**40], "at": [0, 0], "more": [1, 2]}
    names = {"json": json, "Producer": Producer, "config": config, "FLIGHT": schema}
    with SchemaRegistryClient({"url": "mock://"}) as registry:
        text = block_with(PAGE, "AvroEncoder(FLIGHT")
        run(text, registry=registry, frame=polars.DataFrame(rows), **names)
        with read_topic(config, "flights", value=AvroColumns(registry, "flights-value")) as reader:
            values = [row for batch in reader for row in polars.DataFrame(batch)["value"]]
    assert [row and (row["carrier"], row["delay"]) for row in values] == [("UA", None), None]
    assert capsys.readouterr().out == "1 delay an integer of more than 32 bits\n"


def test_json_is_written() -> None:
    """Rows of a data frame are texts without their nulls."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    rows = {"carrier": ["UA", "DL"], "delay": [None, 2.5], "at": [0, 1], "more": [1, 2]}
    names = run(block_with(PAGE, 'JSONEncoder(nulls="omit")'), frame=polars.DataFrame(rows))
    assert pyarrow.array(names["texts"]).to_pylist() == [
        b'{"carrier":"UA","at":0}',
        b'{"carrier":"DL","delay":2.5,"at":1}',
    ]
