"""How far a stream is behind, computed from its progress."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark import source_metrics
from confluent_kafka.spark.lag import lag
from confluent_kafka.spark.offsets import Partition


def test_metrics_are_named_as_those_of_spark_s_own_source() -> None:
    """The metrics are the least, most and average lag; a new partition counts with all its
    messages."""
    source = SimpleNamespace(
        endOffset=json.dumps({"flights": {"0": 10, "1": 20}}),
        latestOffset=json.dumps({"flights": {"0": 15, "1": 20, "2": 7}}),
    )
    assert source_metrics(source) == {
        "minOffsetsBehindLatest": "0",
        "maxOffsetsBehindLatest": "7",
        "avgOffsetsBehindLatest": "4.0",
    }
    assert source_metrics(SimpleNamespace(endOffset="null", latestOffset=None)) == {}


def test_lag_that_is_not_known() -> None:
    """Sources other than Kafka topics, and sources without progress so far, have no lag."""
    assert lag(None, None) == {}
    assert lag('{"t": {"0": 3}}', "null") == {}
    # The query read messages that arrived after it had asked for the latest offset.
    assert lag('{"t": {"0": 3}}', '{"t": {"0": 2}}') == {Partition("t", 0): 0}
