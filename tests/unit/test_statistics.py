"""confluent_kafka.statistics converts librdkafka's JSON into objects."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer
from confluent_kafka.statistics import (
    BrokerStatistics,
    GroupStatistics,
    PartitionStatistics,
    Statistics,
    TopicStatistics,
    TransactionStatistics,
    WindowStatistics,
    from_json,
)
from tests.support.clients import config, partitions
from tests.support.scripts import check_script
from tests.support.waiting import wait_until


def names(kind: type[Any]) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


def live(client: Any) -> dict[str, Any]:
    """The JSON of a client's first statistics that have a topic."""
    told: list[dict[str, Any]] = []
    settings = {
        "statistics.interval.ms": 10,
        "stats_cb": lambda text: told.append(json.loads(text)),
    }
    more = {"enable.idempotence": True} if client is Producer else {}
    with client(config(settings | more)) as opened:
        if client is Producer:
            opened.produce("topic", partition=0)
            opened.produce("topic")
        else:
            opened.assign(partitions())
        wait_until(lambda: told and told[-1]["topics"], lambda: opened.poll(0.02))
        if client is Producer:
            opened.purge()
            opened.flush(5)
    return told[-1]


@pytest.mark.parametrize("client", [Producer, Consumer])
def test_every_field(client: Any) -> None:
    """Each field that librdkafka reports has an attribute.

    The exceptions are the brokers' partitions, which the topics have, and a misspelt duplicate of a
    field.
    """
    data = live(client)
    (broker, *_) = data["brokers"].values()
    (topic,) = data["topics"].values()
    (partition, *_) = topic["partitions"].values()
    assert set(data) <= names(Statistics)
    assert set(broker) - {"toppars"} <= names(BrokerStatistics)
    assert set(broker["rtt"]) == names(WindowStatistics)
    assert set(topic) == names(TopicStatistics)
    assert set(partition) - {"commited_offset"} <= names(PartitionStatistics)
    if client is Producer:
        assert set(data["eos"]) <= names(TransactionStatistics)
    else:
        assert set(data["cgrp"]) == names(GroupStatistics)


def test_values() -> None:
    """Values are at the same places as in the JSON.

    Missing values have defaults, and unknown values are left out.
    """
    statistics = from_json(
        '{"name": "n", "new": 1, "topics": {"t": {"topic": "t", "partitions": {"-1":'
        ' {"partition": -1, "consumer_lag": 7}}, "batchcnt": {"avg": 3}}}, "cgrp": {"state": "up"}}'
    )
    assert statistics == Statistics(
        name="n",
        topics={
            "t": TopicStatistics(
                topic="t",
                batchcnt=WindowStatistics(avg=3),
                partitions={-1: PartitionStatistics(partition=-1, consumer_lag=7)},
            )
        },
        cgrp=GroupStatistics(state="up"),
    )
    assert statistics.brokers == {}
    assert statistics.eos is None


def test_they_are_values() -> None:
    """Statistics with equal contents are equal. They can be pickled, and cannot be changed."""
    statistics = from_json('{"name": "n", "brokers": {"b": {"nodeid": 1, "req": {"Fetch": 2}}}}')
    assert pickle.loads(pickle.dumps(statistics)) == statistics
    with pytest.raises(dataclasses.FrozenInstanceError):
        statistics.name = "m"  # type: ignore[misc]


def test_no_json() -> None:
    """A text that is not JSON raises a ValueError."""
    with pytest.raises(ValueError, match="Expecting value"):
        from_json("x")


def test_stats_is_the_first_to_load_them() -> None:
    """stats() returns objects even if nothing has imported confluent_kafka.statistics."""
    script = """
    import confluent_kafka._values.statistics as statistics

    print(statistics.from_json('{"name": "n"}').name, statistics.Statistics.__module__)
    """
    assert check_script(script) == "n confluent_kafka.statistics\n"
