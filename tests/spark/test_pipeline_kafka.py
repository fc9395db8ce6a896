"""A pipeline on real brokers writes a topic exactly once and a database table, with pandas."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka import Producer
from confluent_kafka.spark.pipeline import load, start
from tests.integration.kafka_cluster import KafkaCluster
from tests.spark.committed import committed_values
from tests.support.real_kafka import MakeTopic
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.spark, pytest.mark.integration]

FILE = """\
name = "delays"
checkpoint = "${OUT}/checkpoint"
trigger = "availableNow"

[kafka]
bootstrap.servers = "${SERVERS}"
default.api.timeout.ms = 60000

[sources.flights]
topics = ["${FLIGHTS}"]
value = { format = "json", schema = "carrier STRING, delay INT" }
options.startingOffsets = "earliest"

[steps.flat]
sql = "SELECT value.carrier, value.delay FROM flights"

[steps.doubled]
map_in_pandas = "pandas_step:doubled"
input = "flat"
schema = "carrier STRING, delay INT"

[sinks.once]
input = "doubled"
topic = "${RESULTS}"
value = { format = "json", columns = ["delay"] }
options.deliveryGuarantee = "exactly-once"

[sinks.table]
input = "doubled"
format = "jdbc"
options.url = "jdbc:derby:${OUT}/database;create=true"
options.dbtable = "delays"
options.driver = "org.apache.derby.jdbc.EmbeddedDriver"
"""
STEP = """\
def doubled(frames):
    for frame in frames:
        yield frame.assign(delay=frame["delay"] * 2)
"""


def test_a_topic_exactly_once_and_a_table(
    spark: Any, kafka: KafkaCluster, make_topic: MakeTopic, tmp_path: Path
) -> None:
    """Both sinks have each row once, also after a second run with more rows."""
    flights, results = make_topic(2), make_topic(1)
    (tmp_path / "pandas_step.py").write_text(STEP)
    file = tmp_path / "delays.toml"
    file.write_text(FILE)
    environment = {
        "OUT": str(tmp_path),
        "SERVERS": str(kafka.config()["bootstrap.servers"]),
        "FLIGHTS": flights,
        "RESULTS": results,
    }
    for part in (range(10), range(10, 20)):
        with Producer(kafka.config()) as producer:
            for number in part:
                producer.produce(flights, b'{"carrier": "UA", "delay": %d}' % number)
            assert producer.flush(TIMEOUT) == 0
        start(spark, load(file, environment)).watch(lambda _: None, threading.Event())
    wanted = [2 * number for number in range(20)]
    found = committed_values(kafka, results)
    assert sorted(found) == sorted(f'{{"delay":{number}}}' for number in wanted)
    table = spark.read.format("jdbc").options(
        url=f"jdbc:derby:{tmp_path}/database",
        dbtable="delays",
        driver="org.apache.derby.jdbc.EmbeddedDriver",
    )
    assert sorted(row.delay for row in table.load().collect()) == wanted
