"""Columns that a read can have, and columns that a write accepts."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from pyspark.sql.types import (
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from confluent_kafka.spark.schema import Projection, source_schema, writable_columns


def struct(**columns: object) -> StructType:
    return StructType([StructField(name, kind) for name, kind in columns.items()])  # type: ignore[arg-type]


def test_columns_are_those_of_spark_s_source() -> None:
    """A query of Spark's own source needs only the other name of the format."""
    assert source_schema(headers=True).simpleString() == (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,"
        "timestamp:timestamp,timestampType:int,headers:array<struct<key:string,value:binary>>>"
    )
    assert source_schema(headers=False).fieldNames()[-1] == "timestampType"


def test_a_schema_may_leave_columns_out() -> None:
    """Headers are fetched only if their column is wanted."""
    assert Projection(struct(value=BinaryType())).columns == ["offset", "value"]
    assert "headers" in Projection(source_schema(headers=True)).columns


def test_an_unknown_column_is_refused_with_the_nearest_name() -> None:
    """A misspelt column would otherwise fail deep in a task."""
    with pytest.raises(ValueError, match="no column 'offsets': did you mean 'offset'"):
        Projection(struct(offsets=LongType()))


def test_another_type_is_refused() -> None:
    """The source does not convert: bytes stay bytes."""
    with pytest.raises(ValueError, match="column value is binary, not string"):
        Projection(struct(value=StringType()))


def test_columns_of_a_write() -> None:
    """A write sends the columns that Spark's sink has, and leaves other columns out."""
    schema = struct(
        value=StringType(), key=BinaryType(), timestamp=TimestampType(), topic=StringType()
    )
    assert writable_columns(schema, topic_given=False) == ["value", "key", "topic"]
    assert writable_columns(schema, topic_given=True) == ["value", "key"]


def test_a_write_needs_a_value_and_a_topic() -> None:
    """The errors name the missing column and the ways to give a topic."""
    with pytest.raises(ValueError, match="no column value to write, only key"):
        writable_columns(struct(key=BinaryType()), topic_given=True)
    with pytest.raises(ValueError, match="neither an option topic nor a column topic"):
        writable_columns(struct(value=BinaryType()), topic_given=False)


def test_a_column_of_another_type_cannot_be_written() -> None:
    """A number is refused: the user must choose how to write it as bytes."""
    with pytest.raises(ValueError, match="column value is int; it must be string or binary"):
        writable_columns(struct(value=IntegerType()), topic_given=True)
