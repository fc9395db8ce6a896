"""Convert payloads to Arrow columns and back, with confluent_kafka.columns and other packages.

Only one thread is measured. The cluster is not used.
"""

from __future__ import annotations

import argparse
import io
import json
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count, islice
from typing import Any

from benchmarks.workloads.common import Stopwatch, print_result

# Rows of one call: about the number that an ordinary consumer fetches.
BATCH = 10_000
BATCHES = 10  # different batches, which are decoded again and again

SCHEMA = {
    "type": "record",
    "name": "Reading",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "device", "type": "string"},
        {"name": "ok", "type": "boolean"},
        {"name": "value", "type": ["null", "float"]},
        {"name": "count", "type": "int"},
    ],
}
FIELDS = ("id", "at", "device", "ok", "value", "count")
Row = dict[str, Any]
Work = Callable[[Any], Any]


def varint(number: int) -> bytes:
    """Return Avro's encoding of a number."""
    number = number << 1 ^ number >> 63
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])


def readings() -> Iterator[Row]:
    """Yield an endless sequence of rows."""
    for number in count():
        yield {
            "id": 1_000_000 + number,
            "at": 1_700_000_000_000 + number,
            "device": f"sensor{number % 500:03d}",
            "ok": bool(number % 2),
            "value": None if number % 10 == 0 else number % 997 / 8,
            "count": number % 1000,
        }


def avro_payload(row: Row) -> bytes:
    """Return a reading of about 24 bytes."""
    device = row["device"].encode()
    value = b"\0" if row["value"] is None else b"\2" + struct.pack("<f", row["value"])
    numbers = [varint(row[name]) for name in ("id", "at", "count")]
    text = varint(len(device)) + device
    return b"".join((*numbers[:2], text, bytes([row["ok"]]), value, numbers[2]))


def json_payload(row: Row) -> bytes:
    """Return a reading as JSON."""
    return json.dumps(row).encode()


@cache
def message() -> Any:
    """Return the class of a reading in Protocol Buffers."""
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
    from google.protobuf.descriptor_pb2 import FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass

    file = FileDescriptorProto(name="reading.proto", syntax="proto3")
    reading = file.message_type.add(name="Reading")
    types = (
        *(Field.TYPE_INT64, Field.TYPE_INT64, Field.TYPE_STRING),
        *(Field.TYPE_BOOL, Field.TYPE_FLOAT, Field.TYPE_INT32),
    )
    for number, (name, kind) in enumerate(zip(FIELDS, types, strict=True), 1):
        reading.field.add(name=name, number=number, type=kind, label=Field.LABEL_OPTIONAL)
    pool = DescriptorPool()
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName("Reading"))


def protobuf_payload(row: Row) -> bytes:
    """Return a reading in Protocol Buffers; null becomes 0."""
    data: bytes = message()(**{name: row[name] or 0 for name in FIELDS}).SerializeToString()
    return data


def as_rows(rows: list[Row], kind: Any = None) -> Any:
    """Return rows as columns, which pyarrow makes."""
    import pyarrow

    return pyarrow.RecordBatch.from_pylist(rows, kind)


def arrow_schema() -> Any:
    """Return the types of the columns."""
    import pyarrow as pa

    kinds = (pa.int64(), pa.int64(), pa.string(), pa.bool_(), pa.float64(), pa.int32())
    return pa.schema(list(zip(FIELDS, kinds, strict=True)))


def as_typed_rows(rows: list[Row]) -> Any:
    """Return rows as columns with the types of arrow_schema()."""
    return as_rows(rows, arrow_schema())


def as_avro_rows(rows: list[Row]) -> Any:
    """Return rows as columns of the types that the Avro schema has."""
    import pyarrow as pa

    kinds = arrow_schema()
    at, value = pa.timestamp("ms"), pa.float32()
    kinds = kinds.set(1, pa.field("at", at)).set(4, pa.field("value", value))
    return as_rows(rows, kinds)


def as_arrow(payloads: list[bytes]) -> Any:
    """Return payloads as an Arrow array."""
    import pyarrow

    return pyarrow.array(payloads, pyarrow.binary())


# ---- Avro ----


def avro_columns() -> Work:
    """Return our decoder."""
    from confluent_kafka.columns import AvroDecoder

    return AvroDecoder(SCHEMA).decode


def avro_fastavro() -> Work:
    """Return fastavro's reader of rows, whose results pyarrow converts to columns."""
    import fastavro

    schema = fastavro.parse_schema(SCHEMA)

    def decode(payloads: Sequence[bytes]) -> Any:
        return as_rows(
            [fastavro.schemaless_reader(io.BytesIO(one), schema, None) for one in payloads]
        )

    return decode


def avro_pyruhvro() -> Work:
    """Return a decoder in Rust."""
    import pyruhvro

    schema = json.dumps(SCHEMA)
    return lambda payloads: pyruhvro.deserialize_array(payloads, schema)


def avro_encoder() -> Work:
    """Return our encoder."""
    from confluent_kafka.columns import AvroEncoder

    return AvroEncoder(SCHEMA).encode


def avro_pyruhvro_writer() -> Work:
    """Return an encoder in Rust, in one thread."""
    import pyruhvro

    schema = json.dumps(SCHEMA)
    return lambda rows: pyruhvro.serialize_record_batch(rows, schema, 1)


def avro_fastavro_writer() -> Work:
    """Return fastavro's writer of rows."""
    import fastavro

    schema = fastavro.parse_schema(SCHEMA)

    def encode(rows: list[Row]) -> list[bytes]:
        payloads = []
        for row in rows:
            file = io.BytesIO()
            fastavro.schemaless_writer(file, schema, row)
            payloads.append(file.getvalue())
        return payloads

    return encode


# ---- Avro, nested ----

LINE = {
    "type": "record",
    "name": "Line",
    "fields": [
        {"name": "sku", "type": "string"},
        {"name": "count", "type": "int"},
        {"name": "price", "type": "double"},
    ],
}
CUSTOMER = {
    "type": "record",
    "name": "Customer",
    "fields": [{"name": "name", "type": "string"}, {"name": "age", "type": ["null", "int"]}],
}
ORDER = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "customer", "type": CUSTOMER},
        {"name": "lines", "type": {"type": "array", "items": LINE}},
        {"name": "tags", "type": {"type": "map", "values": "string"}},
    ],
}


def order_of(row: Row) -> Row:
    """Return an order with one to four lines, made from a reading."""
    number = row["id"] - 1_000_000
    return {
        "id": row["id"],
        "customer": {
            "name": f"customer {number % 1000}",
            "age": number % 90 if number % 3 else None,
        },
        "lines": [
            {"sku": f"sku-{(number + line) % 5000}", "count": line, "price": line * 1.25}
            for line in range(1, number % 4 + 2)
        ],
        "tags": {"channel": "web", "batch": f"b{number % 7}"},
    }


def order_payload(row: Row) -> bytes:
    """Return an order in Avro."""
    import fastavro

    file = io.BytesIO()
    fastavro.schemaless_writer(file, ORDER, order_of(row))
    return file.getvalue()


def as_orders(rows: list[Row]) -> Any:
    """Return orders as columns."""
    import pyarrow as pa

    line = pa.struct([("sku", pa.string()), ("count", pa.int32()), ("price", pa.float64())])
    kinds = {
        "id": pa.int64(),
        "customer": pa.struct([("name", pa.string()), ("age", pa.int32())]),
        "lines": pa.list_(line),
        "tags": pa.map_(pa.string(), pa.string()),
    }
    orders = [{**one, "tags": list(one["tags"].items())} for one in map(order_of, rows)]
    return as_rows(orders, pa.schema(list(kinds.items())))


def orders_columns() -> Work:
    """Return our decoder."""
    from confluent_kafka.columns import AvroDecoder

    return AvroDecoder(ORDER).decode


def orders_pyruhvro() -> Work:
    """Return a decoder in Rust."""
    import pyruhvro

    schema = json.dumps(ORDER)
    return lambda payloads: pyruhvro.deserialize_array(payloads, schema)


def orders_encoder() -> Work:
    """Return our encoder."""
    from confluent_kafka.columns import AvroEncoder

    return AvroEncoder(ORDER).encode


def orders_pyruhvro_writer() -> Work:
    """Return an encoder in Rust, in one thread."""
    import pyruhvro

    schema = json.dumps(ORDER)
    return lambda rows: pyruhvro.serialize_record_batch(rows, schema, 1)


# ---- JSON ----


def json_columns() -> Work:
    """Return our decoder."""
    from confluent_kafka.columns import JSONDecoder

    return JSONDecoder(arrow_schema()).decode


def json_orjson() -> Work:
    """Return orjson's reader of rows, whose results pyarrow converts to columns."""
    import orjson

    schema = arrow_schema()
    return lambda payloads: as_rows([orjson.loads(one) for one in payloads], schema)


def json_pyarrow() -> Work:
    """Return Arrow's own reader of lines."""
    import pyarrow
    from pyarrow import json as arrow_json

    parse = arrow_json.ParseOptions(explicit_schema=arrow_schema())

    def decode(lines: bytes) -> Any:
        read = arrow_json.ReadOptions(use_threads=False, block_size=len(lines) + 1)
        return arrow_json.read_json(pyarrow.BufferReader(lines), read, parse)

    return decode


def json_encoder() -> Work:
    """Return our encoder."""
    from confluent_kafka.columns import JSONEncoder

    return JSONEncoder(arrow_schema()).encode


def json_orjson_writer() -> Work:
    """Return orjson's writer of rows."""
    import orjson

    return lambda rows: [orjson.dumps(row) for row in rows]


# ---- Protocol Buffers ----


def protobuf_columns() -> Work:
    """Return our decoder."""
    from confluent_kafka.columns import ProtobufDecoder

    return ProtobufDecoder(message()).decode


def protobuf_rows() -> Work:
    """Return protobuf's reader of messages, whose fields pyarrow converts to columns."""
    reading = message()

    def decode(payloads: Sequence[bytes]) -> Any:
        rows = []
        for payload in payloads:
            found = reading()
            found.ParseFromString(payload)
            rows.append({name: getattr(found, name) for name in FIELDS})
        return as_rows(rows)

    return decode


def protobuf_encoder() -> Work:
    """Return our encoder."""
    from confluent_kafka.columns import ProtobufEncoder

    return ProtobufEncoder(message()).encode


def protobuf_writer() -> Work:
    """Return a function that converts rows to messages and writes these with protobuf."""
    reading = message()
    return lambda rows: [reading(**row).SerializeToString() for row in rows]


# Each name has the work, the function that makes one payload, and the function that makes a batch.
WORKS: dict[str, tuple[Callable[[], Work], Callable[[Row], Any], Callable[[list[Any]], Any]]] = {
    "avro-columns": (avro_columns, avro_payload, as_arrow),
    "avro-fastavro": (avro_fastavro, avro_payload, list),
    "avro-pyruhvro": (avro_pyruhvro, avro_payload, list),
    "avro-encoder": (avro_encoder, dict, as_rows),
    "avro-pyruhvro-writer": (avro_pyruhvro_writer, dict, as_avro_rows),
    "avro-typed-encoder": (avro_encoder, dict, as_avro_rows),
    "orders-columns": (orders_columns, order_payload, as_arrow),
    "orders-pyruhvro": (orders_pyruhvro, order_payload, list),
    "orders-encoder": (orders_encoder, dict, as_orders),
    "orders-pyruhvro-writer": (orders_pyruhvro_writer, dict, as_orders),
    "avro-fastavro-writer": (avro_fastavro_writer, dict, list),
    "json-columns": (json_columns, json_payload, as_arrow),
    "json-orjson": (json_orjson, json_payload, list),
    "json-encoder": (json_encoder, dict, as_typed_rows),
    "json-orjson-writer": (json_orjson_writer, dict, list),
    "json-pyarrow": (json_pyarrow, json_payload, b"\n".join),
    "protobuf-columns": (protobuf_columns, protobuf_payload, as_arrow),
    "protobuf-rows": (protobuf_rows, protobuf_payload, list),
    "protobuf-encoder": (protobuf_encoder, dict, as_typed_rows),
    "protobuf-writer": (protobuf_writer, dict, list),
}
# A fraction of the run's messages, because a reader of rows takes a minute for a million.
FRACTIONS = dict.fromkeys(
    (
        *("avro-fastavro", "avro-fastavro-writer", "json-orjson", "json-orjson-writer"),
        *("protobuf-rows", "protobuf-writer"),
    ),
    10,
)


def main() -> None:
    """Measure one work and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", help="not used")
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--work", choices=WORKS, required=True)
    parser.add_argument("--batch", type=int, default=BATCH, help="rows of a call")
    args = parser.parse_args()
    make_work, make_payload, gather = WORKS[args.work]
    rows = readings()
    # One large batch is enough: it does not fit into the processor's caches.
    count_of_batches = BATCHES if args.batch <= BATCH else 1
    batches = [
        gather([make_payload(row) for row in islice(rows, args.batch)])
        for _ in range(count_of_batches)
    ]
    work = make_work()
    work(batches[0])
    rounds = max(args.messages // FRACTIONS.get(args.work, 1) // args.batch, 1)
    stopwatch = Stopwatch()
    for number in range(rounds):
        work(batches[number % count_of_batches])
    print_result(
        messages=rounds * args.batch,
        call_seconds=stopwatch.wall(),
        thread_seconds=stopwatch.thread(),
    )


if __name__ == "__main__":
    main()
