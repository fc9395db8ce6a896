"""Makes Avro payloads with fastavro, and reads their columns with pyarrow."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import fastavro
import pyarrow as pa

from confluent_kafka.columns import AvroDecoder


def record(*fields: Any, name: str = "Row") -> dict[str, Any]:
    """The schema of a record. A field is a dict, or a pair of name and type."""
    return {
        "type": "record",
        "name": name,
        "fields": [
            one if isinstance(one, dict) else {"name": one[0], "type": one[1]} for one in fields
        ],
    }


def encode(schema: Any, values: Iterable[Any]) -> list[bytes]:
    """The values, each as a payload without framing."""
    parsed = fastavro.parse_schema(schema)
    result = []
    for value in values:
        buffer = io.BytesIO()
        fastavro.schemaless_writer(buffer, parsed, value)
        result.append(buffer.getvalue())
    return result


def read(decoder: AvroDecoder, payloads: list[bytes | None]) -> Any:
    """The rows as an array of structs. Checks that the rows have no errors."""
    rows = decoder.decode(pa.array(payloads, pa.binary()))
    assert rows.errors == []
    return valid(rows)


def valid(rows: Any) -> Any:
    """The rows as an array of structs, which pyarrow has validated."""
    array = pa.array(rows)
    array.validate(full=True)
    return array


def through(writer: Any, values: Iterable[Any], reader: Any = None, **options: Any) -> Any:
    """Encode values and decode them into a pyarrow array of structs."""
    return read(AvroDecoder(writer, reader, **options), list(encode(writer, values)))


def column(kind: Any, values: list[Any], **options: Any) -> Any:
    """Encode values of one type and decode them into a pyarrow array."""
    rows = through(record(("a", kind)), ({"a": value} for value in values), **options)
    return rows.field("a")
