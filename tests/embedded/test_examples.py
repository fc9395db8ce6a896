"""The examples that no document contains run unchanged."""

from __future__ import annotations

import pytest

from confluent_kafka import Message, Producer
from confluent_kafka.testing import MockCluster
from examples import long_work


def test_long_work(
    kafka_cluster: MockCluster, kafka_topic: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each message is processed and committed, so a second run has nothing to do."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        for number in range(3):
            producer.produce(kafka_topic, b"%d" % number, partition=0)
        assert producer.flush(30) == 0
    seen: list[bytes | None] = []

    def work(message: Message) -> None:
        seen.append(message.value())

    assert long_work.run(kafka_cluster.bootstrap_servers, kafka_topic, work, 6) == 3
    assert seen == [b"0", b"1", b"2"]
    assert capsys.readouterr().out.splitlines()[-1] == "done: offset 2, 0 to go"
    assert long_work.run(kafka_cluster.bootstrap_servers, kafka_topic, work, 1) == 0
