"""Offsets in Spark's JSON, and how words such as "earliest" resolve."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark.admission import share_out
from confluent_kafka.spark.offsets import (
    Partition,
    Times,
    from_json,
    parse_bound,
    parse_times,
    to_json,
)
from confluent_kafka.spark.positions import resolve

A0, A1, B0 = Partition("a", 0), Partition("a", 1), Partition("b", 0)


def never(times: object) -> dict[Partition, int | None]:
    """Fail: the test expects that no time is looked up."""
    raise AssertionError


def test_words_and_json_are_bounds() -> None:
    """The words "earliest" and "latest" in any case, and JSON with its special offsets."""
    assert parse_bound(" Earliest ") == "earliest"
    assert parse_bound("latest") == "latest"
    assert parse_bound('{"a": {"0": 5, "1": -2}, "b": {"0": -1}}') == {A0: 5, A1: -2, B0: -1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("soon", "neither earliest nor latest nor JSON"),
        ("[1]", "not an object of topics"),
        ('{"a": 5}', "topic 'a': 5 is not an object of partitions"),
        ('{"a": {"first": 5}}', "'first' is not the number of a partition"),
        ('{"a": {"-1": 5}}', "'-1' is not the number of a partition"),
        ('{"a": {"0": -3}}', r"a \[0\]: -3 is not an offset"),
        ('{"a": {"0": 1.5}}', r"a \[0\]: 1.5 is not an offset"),
        ('{"a": {"0": true}}', r"a \[0\]: True is not an offset"),
        ('{"a": {"0": "5"}}', r"a \[0\]: '5' is not an offset"),
    ],
)
def test_wrong_json_is_refused_with_its_place(text: str, message: str) -> None:
    """The error names the wrong topic or partition."""
    with pytest.raises(ValueError, match=message):
        parse_bound(text)


def test_json_is_in_the_order_of_partition_numbers() -> None:
    """Spark compares offsets as text: the same offsets must give the same text."""
    offsets = {Partition("b", 10): 1, Partition("b", 9): 2, Partition("a", 0): 3}
    text = json.dumps(to_json(offsets))
    assert text == '{"a": {"0": 3}, "b": {"9": 2, "10": 1}}'
    assert from_json(json.loads(text)) == offsets


def test_bounds_resolve_to_offsets() -> None:
    """The words apply to every partition, -1 and -2 to a single partition."""
    first, last = {A0: 3, A1: 0}, {A0: 9, A1: 7}
    assert resolve("startingOffsets", "earliest", first, last, never) == first
    assert resolve("startingOffsets", "latest", first, last, never) == last
    assert resolve("startingOffsets", {A0: -2, A1: 5}, first, last, never) == {A0: 3, A1: 5}
    assert resolve("startingOffsets", {A0: 4, A1: -1}, first, last, never) == {A0: 4, A1: 7}


def test_json_names_exactly_the_partitions_there_are() -> None:
    """A missing partition would be skipped silently; an extra partition is a mistake."""
    first, last = {A0: 0, A1: 0}, {A0: 9, A1: 9}
    with pytest.raises(ValueError, match=r"startingOffsets leaves out a \[1\]"):
        resolve("startingOffsets", {A0: 0}, first, last, never)
    with pytest.raises(ValueError, match=r"endingOffsets names b \[0\]"):
        resolve("endingOffsets", {A0: 0, A1: 0, B0: 0}, first, last, never)


def total(starts: dict[Partition, int], ends: dict[Partition, int]) -> int:
    return sum(ends[one] - starts[one] for one in ends)


@pytest.mark.parametrize("most", [1, 2, 10, 99, 1_000])
def test_a_limit_advances_every_partition_by_the_same_fraction(most: int) -> None:
    """If one partition finished early, the watermark would pass the other partitions' rows."""
    starts, ends = {A0: 10, A1: 0, B0: 5}, {A0: 110, A1: 900, B0: 5}
    shared = share_out(starts, ends, most)
    taken = {one: shared[one] - starts[one] for one in ends}
    if most >= total(starts, ends):
        assert shared == ends
        return
    assert taken[B0] == 0
    assert total(starts, shared) <= max(most, 2)
    for one, size in ((A0, 100), (A1, 900)):
        assert abs(taken[one] - most * size / 1000) <= 1
        assert 1 <= taken[one] < size


def test_a_limit_reaches_the_end_in_the_end() -> None:
    """Rounding never leaves a partition permanently unread."""
    offsets: dict[Partition, int] = {A0: 0, A1: 0, B0: 0}
    ends: Any = {A0: 1, A1: 1_000, B0: 17}
    for _ in range(1_100):
        if offsets == ends:
            break
        offsets = share_out(offsets, ends, 7)
    assert offsets == ends


def test_timestamps_of_partitions_are_json() -> None:
    """The JSON contains milliseconds for every partition."""
    assert parse_times('{"a": {"0": 5, "1": 0}}') == {A0: 5, A1: 0}
    with pytest.raises(ValueError, match=r"a \[0\]: -2 is not a timestamp"):
        parse_times('{"a": {"0": -2}}')


def test_timestamps_resolve_to_the_first_offset_that_is_not_earlier() -> None:
    """Messages that were written after the latest offsets were requested are left for later."""

    def at(times: object) -> dict[Partition, int | None]:
        assert times == {A0: 100, A1: 100}
        return {A0: 4, A1: 12}

    times = Times("startingTimestamp", 100, error_if_none=True)
    assert resolve("startingOffsets", times, {A0: 0, A1: 0}, {A0: 9, A1: 9}, at) == {A0: 4, A1: 9}


def test_a_time_that_no_message_has_reached() -> None:
    """If all messages are earlier, the strategy decides: an error, or reading from the latest
    offset."""

    def at(times: object) -> dict[Partition, int | None]:
        return {A0: 4, A1: None}

    first, last = {A0: 0, A1: 0}, {A0: 9, A1: 9}
    of = {A0: 100, A1: 200}
    strict = Times("startingOffsetsByTimestamp", of, error_if_none=True)
    with pytest.raises(
        ValueError, match=r"startingOffsetsByTimestamp: no message of a \[1\] is at or after 200 ms"
    ):
        resolve("startingOffsets", strict, first, last, at)
    lenient = Times("startingOffsetsByTimestamp", of, error_if_none=False)
    assert resolve("startingOffsets", lenient, first, last, at) == {A0: 4, A1: 9}
    one = Times("endingOffsetsByTimestamp", {A0: 1}, error_if_none=False)
    with pytest.raises(ValueError, match=r"endingOffsetsByTimestamp leaves out a \[1\]"):
        resolve("endingOffsets", one, first, last, at)
