"""keyFormat and valueFormat: keys and values as columns of their schemas."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from confluent_kafka.spark.read_options import decoded_columns
from confluent_kafka.spark.schema import source_schema
from confluent_kafka.testing import MockCluster
from tests.support.documents import block_with, run
from tests.support.schema_registry import FakeRegistry, running_registry

from .test_pipeline_formats import FLIGHT, avro, framed
from .topics import fill

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def registry() -> Iterator[FakeRegistry]:
    with running_registry() as one:
        yield one


@pytest.fixture
def load(spark: Any, cluster: MockCluster, registry: FakeRegistry) -> Callable[..., Any]:
    """Load a topic whose values are Avro, with more options."""

    def read(topic: str, schema: str | None = None, **options: str) -> Any:
        reader = spark.read.format("rdkafka")
        reader = reader.option("kafka.bootstrap.servers", cluster.bootstrap_servers)
        reader = reader.option("subscribe", topic).option("valueFormat", "avro")
        reader = reader.option("schema.registry.url", registry.url).options(**options)
        return (reader.schema(schema) if schema else reader).load()

    return read


@pytest.fixture
def flights(cluster: MockCluster, registry: FakeRegistry, new_topic: Callable[..., str]) -> str:
    """Three flights: the first has an older schema, and the second is cut."""
    topic = new_topic(partitions=1)
    older = {**FLIGHT, "fields": FLIGHT["fields"][:1]}
    first = registry.register(f"{topic}-value", json.dumps(older))
    second = registry.register(f"{topic}-value", json.dumps(FLIGHT))
    good = framed(second, avro(FLIGHT, {"carrier": "DL", "delay": 7}))
    rows = [framed(first, avro(older, {"carrier": "UA"})), good[:-1], good, None]
    fill(cluster, topic, [{"value": row, "partition": 0, "key": b"k"} for row in rows])
    return topic


def test_values_are_structs(load: Callable[..., Any], flights: str) -> None:
    """Queries name the fields; a row that does not decode is null, with the reason in a column."""
    frame = load(flights, mode="PERMISSIVE")
    assert frame.schema["value"].dataType.simpleString() == "struct<carrier:string,delay:int>"
    assert frame.schema["error"].dataType.simpleString() == "string"
    rows = frame.select("value.carrier", "value.delay", "key", "error").orderBy("offset").collect()
    assert [(row.carrier, row.delay) for row in rows] == [
        *[("UA", None), (None, None), ("DL", 7), (None, None)]
    ]
    assert {bytes(row.key) for row in rows} == {b"k"}
    assert [row.error for row in rows] == [
        *[None, "value: corrupt Avro: the payload ends within a value, at byte 9 of delay"],
        *[None, None],
    ]


def test_the_guide(spark: Any, cluster: MockCluster, registry: FakeRegistry, flights: str) -> None:
    """The code in docs/guides/spark.md reads the fields of rows that decode."""
    text = block_with("docs/guides/spark.md", '.option("valueFormat", "avro")')
    for shown, here in (
        ('"localhost:9092"', repr(cluster.bootstrap_servers)),
        ('"http://localhost:8081"', repr(registry.url)),
        ('"flights"', repr(flights)),
    ):
        assert shown in text
        text = text.replace(shown, here)
    read = run(text, spark=spark)["flights"]
    rows = read.where("error is null").select("value.carrier").orderBy("offset").collect()
    assert [row.carrier for row in rows] == ["UA", "DL", None]


def test_fields_that_are_always_null(
    load: Callable[..., Any],
    cluster: MockCluster,
    registry: FakeRegistry,
    new_topic: Callable[..., str],
) -> None:
    """Avro's type null is a column as well: Spark's VOID."""
    topic = new_topic(partitions=1)
    fields = [{"name": "a", "type": "null"}, {"name": "b", "type": "int"}]
    known = registry.register(
        f"{topic}-value", json.dumps({"type": "record", "name": "R", "fields": fields})
    )
    fill(cluster, topic, [{"value": framed(known, b"\2"), "partition": 0}])
    frame = load(topic, valueFormat="avro")
    assert frame.schema["value"].dataType.simpleString() == "struct<a:void,b:int>"
    assert [tuple(row.value) for row in frame.collect()] == [(None, 1)]


def test_bad_rows_are_dropped(load: Callable[..., Any], flights: str) -> None:
    """With DROPMALFORMED, the result has only rows that decode, and tombstones."""
    frame = load(flights, mode="dropmalformed")
    assert "error" not in frame.columns
    rows = frame.select("offset", "value").orderBy("offset").collect()
    assert [row.offset for row in rows] == [0, 2, 3]
    assert rows[2].value is None


def test_a_bad_row_ends_the_query(load: Callable[..., Any], flights: str) -> None:
    """By default the query fails, and the error names the row's place and the reason."""
    with pytest.raises(Exception, match="does not decode") as raised:
        load(flights).select("value").collect()
    assert f"{flights}" in str(raised.value)
    assert "offset 1" in str(raised.value)
    assert "mode PERMISSIVE" in str(raised.value)


def test_what_nobody_asks_for_is_not_decoded(load: Callable[..., Any], flights: str) -> None:
    """Without the value column in its schema, a query also reads bad rows."""
    rows = load(flights, "offset bigint, key binary").orderBy("offset").collect()
    assert [row.offset for row in rows] == [0, 1, 2, 3]


def test_a_stream(
    spark: Any,
    cluster: MockCluster,
    registry: FakeRegistry,
    load: Callable[..., Any],
    flights: str,
    tmp_path: Any,
) -> None:
    """Micro-batches have the same columns as batch reads."""
    stream = (
        spark.readStream.format("rdkafka")
        .option("kafka.bootstrap.servers", cluster.bootstrap_servers)
        .option("subscribe", flights)
        .option("startingOffsets", "earliest")
        .option("valueFormat", "avro")
        .option("schema.registry.url", registry.url)
        .option("mode", "PERMISSIVE")
        .load()
    )
    assert stream.schema == load(flights, mode="PERMISSIVE").schema
    query = (
        stream.select("value.carrier")
        .writeStream.format("memory")
        .queryName("typed_flights")
        .option("checkpointLocation", str(tmp_path))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    found = [row.carrier for row in spark.table("typed_flights").collect()]
    assert sorted(found, key=str) == ["DL", None, None, "UA"]


# ---- options ----


BROKERS = {"kafka.bootstrap.servers": "localhost:1", "subscribe": "t"}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"valueformat": "xml"}, "option valueFormat: 'xml' is none of raw, json, avro"),
        ({"valueformat": "avro"}, "option valueFormat avro needs schema.registry.url"),
        ({"valueformat": "json"}, "option valueFormat json needs valueSchema"),
        ({"valueschema": "a INT"}, "option valueSchema needs a valueFormat other than raw"),
        (
            {"valueformat": "json", "valueschema": "m MAP<INT, INT>"},
            "the field 'm' is a map whose keys are not strings",
        ),
        ({"mode": "strict"}, "option mode: 'strict' is none of FAILFAST, PERMISSIVE"),
        (
            {
                "subscribe": "a,b",
                "valueformat": "avro",
                "schema.registry.url": "http://localhost:1",
            },
            "option valueSubject is required where there are several topics",
        ),
    ],
)
def test_wrong_options(options: dict[str, str], wanted: str) -> None:
    """Each wrong option is refused by name before anything is read."""
    with pytest.raises(ValueError, match=wanted.replace(".", r"\.")):
        decoded_columns(BROKERS | options)


def test_json_without_a_registry() -> None:
    """Plain JSON uses the user's schema, and needs no headers."""
    typed = decoded_columns(BROKERS | {"valueformat": "json", "valueschema": "a INT, b STRING"})
    assert typed is not None
    schema = source_schema(headers=False, typed=typed)
    assert schema["value"].dataType.simpleString() == "struct<a:int,b:string>"
    assert typed.needed(["value", "offset"]) == {"value", "offset"}


def test_bytes_stay_bytes() -> None:
    """Without the options nothing is decoded."""
    assert decoded_columns(BROKERS) is None
    assert decoded_columns(BROKERS | {"keyformat": "raw"}) is None
