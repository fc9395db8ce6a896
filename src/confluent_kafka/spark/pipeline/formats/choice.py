"""The decoder of a format, and the type of the column that it makes."""

from __future__ import annotations

from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType

from confluent_kafka.spark.pipeline.ddl import parse_ddl
from confluent_kafka.spark.pipeline.model import Decoding, Registry

from .json_rows import JsonDecoder
from .pieces import Decoder


def column_type(decoding: Decoding, subject: str | None, registry: Registry | None) -> DataType:
    """Return the type of a decoded column."""
    assert decoding.schema is not None
    return parse_ddl(decoding.schema)


def decoder(decoding: Decoding, kind: DataType, registry: Registry | None) -> Decoder:
    """Return what decodes a column into a type."""
    return JsonDecoder(to_arrow_type(kind, timezone="UTC"))
