"""Dead letters, written to the embedded cluster without Spark."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

import pyarrow as pa

from confluent_kafka.spark import clients
from confluent_kafka.spark.pipeline.dead_letters import DeadLetters
from confluent_kafka.testing import MockCluster

from .topics import messages


def test_a_dead_letter_keeps_its_timestamp(
    cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """The timestamp is exact to the millisecond, even if floating-point seconds would not be."""
    topic = new_topic(1)
    # For these timestamps, seconds as a float times 1,000 are less than the milliseconds.
    times = [1087159735574, 1085424483567, 2174942257365]
    batch = pa.record_batch(
        {
            "key": pa.array([b"k"] * 3),
            "value": pa.array([b"v"] * 3),
            "topic": ["t"] * 3,
            "partition": [0] * 3,
            "offset": [1, 2, 3],
            "timestamp": pa.array([1000 * one for one in times], pa.timestamp("us", tz="UTC")),
            "headers": pa.array([None] * 3),
        }
    )
    letters = DeadLetters(topic, {"bootstrap.servers": cluster.bootstrap_servers})
    letters.send(batch, dict.fromkeys(range(3), "bad"))
    assert [one.timestamp()[1] for one in messages(cluster, topic, 3)] == times
    clients.producers.close()
