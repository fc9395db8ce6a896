"""Producers, as a partition sees them: describe producers, and end their transactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.protocol import records
from confluent_kafka.testing._administration._brokers import Brokers, Refused, code_of, outcome

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext


@dataclass(slots=True)
class _Producer:
    """What the log of a partition shows of a producer. -1 stands for a missing value."""

    epoch: int = -1
    sequence: int = -1
    timestamp: int = -1
    coordinator_epoch: int = -1
    transaction_start: int = -1

    def add(self, batch: records.RecordBatch) -> None:
        """Continue with the producer's next batch."""
        if batch.is_control:
            self.transaction_start = -1
            for record in batch.records():
                marker: Any = records.control(record).message
                self.coordinator_epoch = marker.coordinator_epoch
            if batch.producer_epoch > self.epoch:
                self.sequence = -1
        else:
            self.sequence, self.timestamp = batch.last_sequence, batch.max_timestamp
            if batch.is_transactional and self.transaction_start < 0:
                self.transaction_start = batch.base_offset
        self.epoch = batch.producer_epoch


class Producers:
    """Answers requests about the producers of partitions.

    Args:
        brokers: the brokers, which have the partitions.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeProducersRequest: self._describe,
            protocol.WriteTxnMarkersRequest: self._write_markers,
        }

    # ---- described ----

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeProducersResponse

        def described(topic: str, number: int) -> Any:
            producers: dict[int, _Producer] = {}

            def step() -> None:
                self._check_replica(topic, number, context.broker_id)
                producers.update(self._producers(topic, number))

            ended = outcome(step)
            return response.PartitionResponse(
                partition_index=number,
                active_producers=[_described(*each) for each in producers.items()],
                **ended,
            )

        topics = [
            response.TopicResponse(
                name=topic.name,
                partitions=[described(topic.name, each) for each in topic.partition_indexes],
            )
            for topic in request.topics
        ]
        return response(topics=topics)

    def _producers(self, topic: str, number: int) -> dict[int, _Producer]:
        """Return the producers in the log of a partition by their ids."""
        producers: dict[int, _Producer] = {}
        for batch in records.read(self._brokers.cluster._records(topic, number), check_crc=False):
            if isinstance(batch, records.RecordBatch) and batch.producer_id >= 0:
                producers.setdefault(batch.producer_id, _Producer()).add(batch)
        return producers

    def _check_replica(self, topic: str, number: int, broker: int) -> None:
        """Refuse a request about a partition that the broker does not have."""
        topics = self._brokers.state().topics
        partitions = topics[topic].partitions if topic in topics else []
        if not 0 <= number < len(partitions):
            raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, "there is no such partition")
        if broker not in partitions[number].replicas:
            raise Refused(KafkaError.NOT_LEADER_FOR_PARTITION, "other brokers have the partition")

    # ---- ended ----

    def _write_markers(self, request: Any, context: RequestContext) -> Any:
        response = protocol.WriteTxnMarkersResponse

        def written(marker: Any, topic: str, number: int) -> Any:
            code = code_of(self._write, marker, topic, number, context.broker_id)
            return response.WritableTxnMarkerPartitionResult(
                partition_index=number, error_code=code
            )

        markers = [
            response.WritableTxnMarkerResult(
                producer_id=marker.producer_id,
                topics=[
                    response.WritableTxnMarkerTopicResult(
                        name=topic.name,
                        partitions=[
                            written(marker, topic.name, each) for each in topic.partition_indexes
                        ],
                    )
                    for topic in marker.topics
                ],
            )
            for marker in request.markers
        ]
        return response(markers=markers)

    def _write(self, marker: Any, topic: str, number: int, broker: int) -> None:
        self._check_replica(topic, number, broker)
        producer = self._producers(topic, number).get(marker.producer_id, _Producer())
        if marker.producer_epoch < producer.epoch:
            raise Refused(KafkaError.INVALID_PRODUCER_EPOCH, "the producer has a newer epoch")
        if marker.coordinator_epoch < producer.coordinator_epoch:
            raise Refused(KafkaError.TRANSACTION_COORDINATOR_FENCED, "there is a newer coordinator")
        self._brokers.cluster._write_marker(
            topic, number, marker.producer_id, marker.producer_epoch, marker.transaction_result
        )


def _described(producer_id: int, producer: _Producer) -> Any:
    return protocol.DescribeProducersResponse.ProducerState(
        producer_id=producer_id,
        producer_epoch=producer.epoch,
        last_sequence=producer.sequence,
        last_timestamp=producer.timestamp,
        coordinator_epoch=producer.coordinator_epoch,
        current_txn_start_offset=producer.transaction_start,
    )
