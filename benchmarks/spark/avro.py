"""Messages in Avro, as a registry's serializers write them."""

from __future__ import annotations

import json
import random

import pyarrow as pa

from benchmarks.spark.topics import send
from confluent_kafka.columns import AvroEncoder
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

SCHEMA = json.dumps(
    {
        "type": "record",
        "name": "Flight",
        "fields": [
            {"name": "number", "type": "long"},
            {"name": "carrier", "type": "string"},
            {"name": "delay", "type": "int"},
            {"name": "price", "type": "double"},
            {"name": "cancelled", "type": "boolean"},
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        ],
    }
)
_BATCH_ROWS = 40_000
_START = 1_700_000_000_000


def fill_avro(bootstrap: str, registry: str, topic: str, partitions: int, messages: int) -> float:
    """Register the schema for a topic, and fill its partitions; return the duration in seconds."""
    with SchemaRegistryClient({"url": registry}) as client:
        schema_id = client.register_schema(f"{topic}-value", Schema(SCHEMA, "AVRO"))
    encoder = AvroEncoder(SCHEMA, schema_id=schema_id)
    batch = _batch(_BATCH_ROWS // partitions * partitions, partitions)
    return send(bootstrap, topic, partitions, messages, batch, encoder)


def _batch(rows: int, partitions: int) -> pa.RecordBatch:
    """Return rows that go to all partitions in turn."""
    draw = random.Random(5)
    columns = {
        "number": pa.array([draw.randrange(10_000) for _ in range(rows)]),
        "carrier": pa.array([draw.choice(["LH", "UA", "AF", "BA"]) for _ in range(rows)]),
        "delay": pa.array([draw.randrange(-30, 300) for _ in range(rows)], pa.int32()),
        "price": pa.array([draw.random() * 1000 for _ in range(rows)]),
        "cancelled": pa.array([draw.random() < 0.02 for _ in range(rows)]),
        "at": pa.array([_START + row for row in range(rows)], pa.timestamp("ms", "UTC")),
    }
    return pa.record_batch(
        {
            "value": pa.StructArray.from_arrays(list(columns.values()), list(columns)),
            "partition": pa.array([row % partitions for row in range(rows)], pa.int32()),
        }
    )
