"""Plans as JSON, as kafka-reassign-partitions.sh reads and writes them."""

from __future__ import annotations

import json
import re

import pytest

from confluent_kafka.cli.reassignment.file import read, written

PLAN = {("b", 0): [3, 1], ("a", 1): [2], ("a", 0): [1]}
BEGIN = '{"version": 1, "partitions": '


def test_written_and_read() -> None:
    """A plan is the same after it was written and read. Its lines are sorted."""
    text = written(PLAN)
    assert read(text) == PLAN
    assert json.loads(text) == {
        "version": 1,
        "partitions": [
            {"topic": "a", "partition": 0, "replicas": [1]},
            {"topic": "a", "partition": 1, "replicas": [2]},
            {"topic": "b", "partition": 0, "replicas": [3, 1]},
        ],
    }
    assert read(written({})) == {}


def test_directories_of_kafka() -> None:
    """A plan may contain log_dirs, which kafka-reassign-partitions.sh writes. They are ignored."""
    item = '{"topic": "a", "partition": 0, "replicas": [1, 2], "log_dirs": ["any", "any"]}'
    assert read(f"{BEGIN}[{item}]}}") == {("a", 0): [1, 2]}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "Expecting value"),
        ("[]", 'needs an object with "version": 1'),
        ('{"partitions": []}', 'needs an object with "version": 1'),
        (BEGIN + "1}", '"partitions" must be a list'),
        (BEGIN + "[1]}", "partitions[0]: must be an object, not 1"),
        (BEGIN + '[{"topic": "a b"}]}', "partitions[0]: 'a b' cannot be a topic: "),
        (BEGIN + '[{"topic": "a", "partition": -1}]}', "partitions[0]: partition must be a whole"),
        (
            BEGIN + '[{"topic": "a", "partition": 0, "replicas": []}]}',
            "partitions[0]: replicas must be a list of brokers, not []",
        ),
        (
            BEGIN + '[{"topic": "a", "partition": 0, "replicas": [1, 1]}]}',
            "partitions[0]: replicas lists a broker twice: [1, 1]",
        ),
        (
            BEGIN + '[{"topic": "a", "partition": 0, "replicas": [1], "log_dirs": ["/d"]}]}',
            "partitions[0]: log_dirs can only be any",
        ),
        (
            BEGIN
            + ", ".join(['[{"topic": "a", "partition": 0, "replicas": [1]}'] * 2).replace(
                ", [", ", "
            )
            + "]}",
            "partitions[1]: is listed twice",
        ),
    ],
)
def test_wrong_plans(text: str, error: str) -> None:
    """The error names the partition, and what is wrong."""
    with pytest.raises(ValueError, match=f"^{re.escape(error)}"):
        read(text)
