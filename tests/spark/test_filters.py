"""Filters that Spark pushes down: the source applies some filters, and returns the other filters to
Spark."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from pyspark.sql.datasource import (
    DataSourceReader,
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
)

from confluent_kafka.spark.filters import Limits
from confluent_kafka.spark.offsets import Partition
from confluent_kafka.spark.ranges import OffsetRange
from confluent_kafka.spark.read_options import read_options
from confluent_kafka.spark.reader import RdKafkaReader
from confluent_kafka.spark.schema import Projection, source_schema

A0, A1, B0 = Partition("a", 0), Partition("a", 1), Partition("b", 0)
RANGES = [OffsetRange(one, 10, 100) for one in (A0, A1, B0)]
NOON = datetime(2013, 1, 1, 12, tzinfo=UTC)
NOON_MS = 1_357_041_600_000


def unasked(times: Mapping[Partition, int]) -> Mapping[Partition, int | None]:
    raise AssertionError("no time is asked for")


def pushed(*filters: Filter) -> tuple[list[OffsetRange], list[Filter]]:
    """The ranges that are read with the filters, and the filters that Spark must apply."""
    limits = Limits()
    left = list(limits.push(filters))
    return limits.narrow(RANGES, unasked), left


@pytest.mark.parametrize(
    ("one", "covered"),
    [
        (EqualTo(("partition",), 1), [A1]),
        (EqualNullSafe(("partition",), 1), [A1]),
        (Not(EqualTo(("partition",), 1)), [A0, B0]),
        (In(("partition",), (1, 7)), [A1]),
        (GreaterThan(("partition",), 0), [A1]),
        (LessThanOrEqual(("partition",), 0), [A0, B0]),
        (EqualTo(("topic",), "b"), [B0]),
        (Not(In(("topic",), ("b", "c"))), [A0, A1]),
        (IsNotNull(("partition",)), [A0, A1, B0]),
    ],
)
def test_filters_on_topic_and_partition_are_met(one: Filter, covered: list[Partition]) -> None:
    """The source applies these filters completely, so Spark need not apply them."""
    ranges, left = pushed(one)
    assert [each.partition for each in ranges] == covered
    assert left == []


@pytest.mark.parametrize(
    ("one", "start", "end"),
    [
        (EqualTo(("offset",), 20), 20, 21),
        (GreaterThan(("offset",), 20), 21, 100),
        (GreaterThanOrEqual(("offset",), 20), 20, 100),
        (LessThan(("offset",), 20), 10, 20),
        (LessThanOrEqual(("offset",), 20), 10, 21),
        (GreaterThan(("offset",), -5), 10, 100),
    ],
)
def test_filters_on_offset_are_met(one: Filter, start: int, end: int) -> None:
    """A filter on offsets becomes the bounds of the ranges."""
    ranges, left = pushed(one)
    assert [(each.start, each.end) for each in ranges] == [(start, end)] * 3
    assert left == []


def test_filters_are_met_together() -> None:
    """A message must pass all filters; Spark has none left to apply."""
    ranges, left = pushed(
        EqualTo(("partition",), 0), GreaterThan(("offset",), 50), LessThan(("offset",), 60)
    )
    assert ranges == [OffsetRange(A0, 51, 60), OffsetRange(B0, 51, 60)]
    assert left == []
    assert pushed(GreaterThan(("offset",), 50), LessThan(("offset",), 40))[0] == []


@pytest.mark.parametrize(
    ("one", "start", "end"),
    [
        (In(("offset",), (20, 40)), 20, 41),
        (Not(EqualTo(("offset",), 20)), 10, 100),
        (EqualTo(("offset",), None), 10, 100),
        (EqualTo(("key",), b"k"), 10, 100),
        (StringContains(("topic",), "a"), 10, 100),
        (IsNotNull(("key",)), 10, 100),
        (LessThan(("timestamp",), NOON), 10, 100),
    ],
)
def test_other_filters_are_left_to_spark(one: Filter, start: int, end: int) -> None:
    """The source returns the same object, because Spark compares filters by identity."""
    ranges, [left] = pushed(one)
    assert left is one
    assert [(each.start, each.end) for each in ranges] == [(start, end)] * 3


@pytest.mark.parametrize("kind", [EqualTo, GreaterThan, GreaterThanOrEqual])
def test_a_lower_limit_of_time_skips_what_is_surely_older(kind: Any) -> None:
    """The read starts at the first message of that time.

    Spark filters the later messages, because times may be unordered.
    """
    asked: list[Mapping[Partition, int]] = []

    def at(times: Mapping[Partition, int]) -> Mapping[Partition, int | None]:
        asked.append(times)
        return {A0: 40, A1: None, B0: 5}

    limits = Limits()
    one = kind(("timestamp",), NOON)
    assert list(limits.push([one])) == [one]
    assert limits.narrow(RANGES, at) == [OffsetRange(A0, 40, 100), OffsetRange(B0, 10, 100)]
    assert asked == [{A0: NOON_MS, A1: NOON_MS, B0: NOON_MS}]


def test_push_down_may_be_off() -> None:
    """If push-down is off, Spark refuses every query of a reader that defines pushFilters."""
    options = read_options(
        {"kafka.bootstrap.servers": "127.0.0.1:1", "subscribe": "a"}, streaming=False
    )
    reader = RdKafkaReader(options, Projection(source_schema(headers=False)))
    assert reader.pushFilters.__func__ is DataSourceReader.pushFilters
    one = EqualTo(("key",), b"k")
    assert list(reader.pushFilters([EqualTo(("partition",), 0), one])) == [one]
