"""A commit fails for some partitions: the errors that callers and callbacks get."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.compat.aiokafka import TopicPartition as AIOKafkaPartition
from confluent_kafka.compat.aiokafka import errors as aiokafka_errors
from confluent_kafka.compat.kafka import OffsetAndMetadata, errors
from confluent_kafka.compat.kafka import TopicPartition as KafkaPythonPartition
from confluent_kafka.protocol import OffsetCommitRequest
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.aiokafka_consumer import reading
from tests.support.kafka_python import consumers_at
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [
    needs("mixed-commit", "mock-on-request"),
    pytest.mark.kafka_topic(partitions=4),
]
LARGE = KafkaError.OFFSET_METADATA_TOO_LARGE
FORBIDDEN = KafkaError.TOPIC_AUTHORIZATION_FAILED
OFFSETS = [3, 4, 5, 6]


@pytest.fixture(params=[{1: LARGE}, {0: FORBIDDEN, 2: LARGE}, {3: FORBIDDEN}])
def refused(request: pytest.FixtureRequest, kafka_cluster: MockCluster) -> dict[int, int]:
    """The errors by partition with which the coordinator refuses commits. It accepts other
    partitions."""
    kind = OffsetCommitRequest.response_class

    def answer(commit: Any, _context: Any) -> Any:
        topics = [
            kind.OffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    kind.OffsetCommitResponsePartition(
                        partition_index=each.partition_index,
                        error_code=request.param.get(each.partition_index, 0),
                    )
                    for each in topic.partitions
                ],
            )
            for topic in commit.topics
        ]
        return kind(topics=topics)

    kafka_cluster.on_request(OffsetCommitRequest.api_key, answer)
    return dict(request.param)


def places(topic: str) -> list[TopicPartition]:
    return [TopicPartition(topic, number, offset) for number, offset in enumerate(OFFSETS)]


def named(text: str) -> set[int]:
    """The partitions in the text of an exception."""
    return {int(number) for number in re.findall(r" \[(\d+)\] \(Broker: ", text)}


def test_commit(kafka_topic: str, refused: dict[int, int], make_consumer: MakeConsumer) -> None:
    """The exception names the partitions that failed, each with its reason."""
    consumer = make_consumer()
    with pytest.raises(KafkaException) as caught:
        consumer.commit(offsets=places(kafka_topic), asynchronous=False)
    error = caught.value.args[0]
    assert error.code() in refused.values()
    assert named(error.str()) == refused.keys()
    for number, code in refused.items():
        assert f"{kafka_topic} [{number}] ({KafkaError(code).str()})" in error.str()


@needs("mixed-commit")
def test_on_commit(kafka_topic: str, refused: dict[int, int], make_consumer: MakeConsumer) -> None:
    """Each partition has its own error; committed partitions have none."""
    told: list[dict[int, int | None]] = []

    def on_commit(error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        assert error is not None
        told.append({each.partition: each.error and each.error.code() for each in partitions})

    consumer: Consumer = make_consumer({"on_commit": on_commit})
    consumer.commit(offsets=places(kafka_topic))
    wait_until(lambda: told, lambda: consumer.poll(0.02))
    assert told == [dict.fromkeys(range(4)) | refused]


def test_the_next_answer(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If an attempt is repeated, its error does not appear in the next answer."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError.COORDINATOR_LOAD_IN_PROGRESS])
    with Consumer(config | {"retry.backoff.ms": 10}) as consumer:
        committed = consumer.commit(offsets=places(kafka_topic), asynchronous=False)
    assert committed is not None
    assert [each.error for each in committed] == [None] * 4


def test_aio(kafka_cluster: MockCluster, kafka_topic: str, refused: dict[int, int]) -> None:
    """An awaited commit() raises the same error."""

    async def run() -> str:
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
        async with AIOConsumer(config) as consumer:
            with pytest.raises(KafkaException) as caught:
                await consumer.commit(offsets=places(kafka_topic), asynchronous=False)
            text: str = caught.value.args[0].str()
            return text

    assert named(asyncio.run(asyncio.wait_for(run(), TIMEOUT))) == refused.keys()


def test_aiokafka(kafka_cluster: MockCluster, kafka_topic: str, refused: dict[int, int]) -> None:
    """compat.aiokafka's commit() raises the same error."""

    async def run() -> str:
        partitions = [AIOKafkaPartition(kafka_topic, number) for number in range(4)]
        async with reading(
            kafka_cluster.bootstrap_servers, *partitions, group_id="group"
        ) as consumer:
            with pytest.raises(aiokafka_errors.KafkaError) as caught:
                await consumer.commit(dict(zip(partitions, OFFSETS, strict=True)))
            return str(caught.value)

    assert named(asyncio.run(asyncio.wait_for(run(), TIMEOUT))) == refused.keys()


def test_kafka_python(
    kafka_cluster: MockCluster, kafka_topic: str, refused: dict[int, int]
) -> None:
    """compat.kafka's commit() and commit_async() report the same error."""
    partitions = [KafkaPythonPartition(kafka_topic, number) for number in range(4)]
    offsets = {
        each: OffsetAndMetadata(at, "", -1) for each, at in zip(partitions, OFFSETS, strict=True)
    }
    answers: list[Any] = []
    with consumers_at(kafka_cluster.bootstrap_servers) as make:
        consumer = make(group_id="group")
        consumer.assign(partitions)
        with pytest.raises(errors.KafkaError) as caught:
            consumer.commit(offsets)
        consumer.commit_async(offsets, callback=lambda _, answer: answers.append(answer))
        wait_until(lambda: answers, lambda: consumer.poll(timeout_ms=20))
    assert named(str(caught.value)) == named(str(answers[0])) == refused.keys()
