"""Keys go to the partition of the Java client's hash, or of librdkafka's own hash."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from confluent_kafka import consistent, fnv1a, murmur2
from tests.integration.conftest import MakeTopic, kafka_home
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import read
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

PROGRAM = Path(__file__).parent / "java" / "Partitions.java"
PARTITIONS = 7
RNG = random.Random(5)
KEYS = [
    b"",
    b"\x00",
    b"a",
    "ü☃".encode(),
    *(RNG.randbytes(RNG.randrange(1, 50)) for _ in range(500)),
]


@pytest.fixture(scope="module")
def java_partitions() -> list[int]:
    """The partitions that the Java client chooses for KEYS."""
    if shutil.which("javac") is None:
        pytest.skip("the Java client's partitioner needs a JDK")
    command = ["java", "-Xshare:auto", "-cp", f"{kafka_home()}/libs/*", str(PROGRAM)]
    answer = subprocess.run(
        [*command, str(PARTITIONS)],
        input="".join(f"{key.hex()}\n" for key in KEYS),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    return [int(line) for line in answer.stdout.split()]


def chosen(kafka: KafkaCluster, topic: str, partitioner: str) -> list[int | None]:
    """The partitions in which a consumer finds KEYS."""
    with writer(kafka, {"partitioner": partitioner}) as producer, reader(kafka) as consumer:
        for number, key in enumerate(KEYS):
            producer.produce(topic, b"%d" % number, key)
        assert producer.flush(TIMEOUT) == 0
        messages = read(consumer, topic, len(KEYS), PARTITIONS)
    messages.sort(key=lambda message: int(message.value()))
    assert [message.key() for message in messages] == KEYS
    return [message.partition() for message in messages]


@pytest.mark.parametrize("partitioner", ["murmur2", "murmur2_random"])
def test_as_the_java_client(
    kafka: KafkaCluster, make_topic: MakeTopic, java_partitions: list[int], partitioner: str
) -> None:
    """A key is always in the same partition, because the producer chooses as the Java client
    does."""
    assert chosen(kafka, make_topic(PARTITIONS), partitioner) == java_partitions


def test_murmur2_is_the_java_clients(java_partitions: list[int]) -> None:
    """murmur2(), for applications that choose partitions themselves, returns the Java client's
    choice."""
    assert [murmur2(key, PARTITIONS) for key in KEYS] == java_partitions


@pytest.mark.parametrize("partitioner", ["consistent", "fnv1a"])
def test_librdkafkas_own(kafka: KafkaCluster, make_topic: MakeTopic, partitioner: str) -> None:
    """The module's functions return the same partitions as the producer's partitioners."""
    function = {"consistent": consistent, "fnv1a": fnv1a}[partitioner]
    found = chosen(kafka, make_topic(PARTITIONS), partitioner)
    assert found == [function(key, PARTITIONS) for key in KEYS]


@pytest.mark.parametrize("partitioner", ["murmur2_random", "consistent_random", "fnv1a_random"])
def test_null_keys_are_spread(kafka: KafkaCluster, make_topic: MakeTopic, partitioner: str) -> None:
    """Messages without a key go to any partition: every partition gets some of them."""
    config = {"partitioner": partitioner, "sticky.partitioning.linger.ms": 0}
    topic = make_topic(PARTITIONS)
    with writer(kafka, config) as producer, reader(kafka) as consumer:
        for _ in range(500):  # 7 * (6/7)**500: practically every partition gets some
            producer.produce(topic, b"v")
        assert producer.flush(TIMEOUT) == 0
        messages = read(consumer, topic, 500, PARTITIONS)
    assert {message.partition() for message in messages} == set(range(PARTITIONS))
