"""A repeated commit does not replace the offsets of a later commit."""

from __future__ import annotations

import threading

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition, protocol
from confluent_kafka.testing import MockCluster, RequestContext
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = pytest.mark.kafka_topic(partitions=2)

Request = protocol.OffsetCommitRequest
Response = protocol.OffsetCommitResponse
SENT_AGAIN = [
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.NOT_COORDINATOR_FOR_GROUP,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
]


class Refusal:
    """Answers the first commits with an error."""

    def __init__(self, cluster: MockCluster, code: int, times: int = 1) -> None:
        self._code = code
        self._times = times
        self.seen: list[dict[tuple[str, int], int]] = []
        self.first = threading.Event()
        cluster.on_request(Request.api_key, self._answer)

    def _answer(self, request: Request, context: RequestContext) -> Response | None:
        self.seen.append(
            {
                (topic.name, each.partition_index): each.committed_offset
                for topic in request.topics
                for each in topic.partitions
            }
        )
        if len(self.seen) > self._times:
            return None
        self.first.set()
        return Response(
            topics=[
                Response.OffsetCommitResponseTopic(
                    name=topic.name,
                    partitions=[
                        Response.OffsetCommitResponsePartition(
                            partition_index=each.partition_index, error_code=self._code
                        )
                        for each in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )


def consumer_of(cluster: MockCluster, topic: str, results: list[object]) -> Consumer:
    """A consumer with two partitions, which has found its coordinator."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": topic,
            "enable.auto.commit": False,
            "retry.backoff.ms": 200,
            "on_commit": lambda error, offsets: results.append(error),
        }
    )
    consumer.assign([TopicPartition(topic, 0), TopicPartition(topic, 1)])
    consumer.committed([TopicPartition(topic, 0)], timeout=TIMEOUT)
    return consumer


def committed(consumer: Consumer, topic: str) -> list[int]:
    partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
    return [each.offset for each in consumer.committed(partitions, timeout=TIMEOUT)]


@needs("older-commit", "mock-on-request")
@pytest.mark.parametrize("code", SENT_AGAIN)
def test_a_later_commit_stays(kafka_cluster: MockCluster, kafka_topic: str, code: int) -> None:
    """The earlier commit is not repeated, because the later one has committed all its
    partitions."""
    results: list[object] = []
    refusal = Refusal(kafka_cluster, code)
    consumer = consumer_of(kafka_cluster, kafka_topic, results)
    consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 1)], asynchronous=True)
    assert refusal.first.wait(TIMEOUT)
    consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 4)], asynchronous=False)
    wait_until(lambda: len(results) == 1, lambda: consumer.poll(0.01))
    assert committed(consumer, kafka_topic)[0] == 4
    first, *later = [each[kafka_topic, 0] for each in refusal.seen]
    assert (first, set(later)) == (1, {4})
    (error,) = results
    assert isinstance(error, KafkaError)
    assert error.code() == KafkaError._NO_OFFSET
    consumer.close()


@needs("older-commit", "mock-on-request")
def test_the_other_partitions_are_committed(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Only the partitions of the later commit are left out of the repeated commit."""
    results: list[object] = []
    refusal = Refusal(kafka_cluster, KafkaError.COORDINATOR_LOAD_IN_PROGRESS)
    consumer = consumer_of(kafka_cluster, kafka_topic, results)
    both = [TopicPartition(kafka_topic, 0, 1), TopicPartition(kafka_topic, 1, 2)]
    consumer.commit(offsets=both, asynchronous=True)
    assert refusal.first.wait(TIMEOUT)
    consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 4)], asynchronous=False)
    wait_until(lambda: len(results) == 1, lambda: consumer.poll(0.01))
    assert results == [None]
    assert committed(consumer, kafka_topic) == [4, 2]
    assert refusal.seen[2] == {(kafka_topic, 1): 2}
    consumer.close()


@needs("older-commit", "mock-on-request")
@pytest.mark.parametrize("code", SENT_AGAIN)
def test_a_commit_is_sent_again(kafka_cluster: MockCluster, kafka_topic: str, code: int) -> None:
    """Without a later commit, a repeated commit takes effect, even if it moves the offset back."""
    results: list[object] = []
    refusal = Refusal(kafka_cluster, code)
    consumer = consumer_of(kafka_cluster, kafka_topic, results)
    consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 4)], asynchronous=False)
    assert len(refusal.seen) == 2
    assert committed(consumer, kafka_topic)[0] == 4
    consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 1)], asynchronous=False)
    assert committed(consumer, kafka_topic)[0] == 1
    consumer.close()


@needs("older-commit", "mock-on-request")
def test_it_is_not_sent_for_ever(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A commit is repeated twice; then the broker's error is raised."""
    refusal = Refusal(kafka_cluster, KafkaError.COORDINATOR_LOAD_IN_PROGRESS, times=100)
    consumer = consumer_of(kafka_cluster, kafka_topic, [])
    with pytest.raises(KafkaException, match="load"):
        consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 4)], asynchronous=False)
    assert len(refusal.seen) == 3
    consumer.close()


@needs("older-commit", "mock-on-request")
@pytest.mark.parametrize("code", SENT_AGAIN)
def test_close_sends_its_commit_again(
    kafka_cluster: MockCluster, kafka_topic: str, code: int
) -> None:
    """If the coordinator is not ready, the last commit in close() is repeated, and not lost."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        producer.produce(kafka_topic, b"v", partition=0)
    refusal = Refusal(kafka_cluster, code)
    consumer = Consumer(
        {
            "bootstrap.servers": kafka_cluster.bootstrap_servers,
            "group.id": kafka_topic,
            "auto.offset.reset": "earliest",
            "auto.commit.interval.ms": 3_600_000,
        }
    )
    consumer.subscribe([kafka_topic])
    assert len(consumer.consume(1, TIMEOUT)) == 1
    consumer.close()
    assert [each[kafka_topic, 0] for each in refusal.seen] == [1, 1]
    other = consumer_of(kafka_cluster, kafka_topic, [])
    assert committed(other, kafka_topic)[0] == 1
    other.close()
