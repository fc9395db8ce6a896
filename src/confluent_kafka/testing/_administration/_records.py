"""Records: delete them, and find them by time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.protocol import records
from confluent_kafka.testing._administration._brokers import Brokers, Refused, code_of
from confluent_kafka.testing._administration._state import Partition, State

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_LATEST, _EARLIEST, _OF_MAX_TIMESTAMP = -1, -2, -3
_EARLIEST_LOCAL, _LATEST_TIERED, _EARLIEST_PENDING_UPLOAD = -4, -5, -6
_HIGH_WATERMARK = -1
_READ_COMMITTED = 1

# The last version of ListOffsets that the mock brokers answer. Kafka added the offsets of tiered
# storage in later versions.
_LAST_OF_MOCK_BROKERS = 7

# The first version of ListOffsets with leader epochs in its answers.
_WITH_LEADER_EPOCH = 4


class Records:
    """Answers requests about the records of partitions.

    Args:
        brokers: the brokers, which have the records.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DeleteRecordsRequest: self._delete,
            protocol.ListOffsetsRequest: self._list_offsets,
        }

    # ---- deleted ----

    def _delete(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DeleteRecordsResponse

        def deleted(topic: str, partition: Any) -> Any:
            number, low = partition.partition_index, -1

            def step() -> None:
                nonlocal low
                low = self._delete_before(topic, number, partition.offset, context.broker_id)

            code = code_of(step)
            return response.DeleteRecordsPartitionResult(
                partition_index=number, low_watermark=low, error_code=code
            )

        topics = [
            response.DeleteRecordsTopicResult(
                name=topic.name, partitions=[deleted(topic.name, each) for each in topic.partitions]
            )
            for topic in request.topics
        ]
        return response(topics=topics)

    def _delete_before(self, topic: str, number: int, offset: int, broker: int) -> int:
        partition = _led(self._brokers.state(), topic, number, broker)
        first = partition.end if offset == _HIGH_WATERMARK else offset
        if not 0 <= first <= partition.end:
            raise Refused(KafkaError.OFFSET_OUT_OF_RANGE, f"the last offset is {partition.end}")
        if first <= partition.start:
            return partition.start
        self._brokers.cluster._delete_records(topic, number, first)
        return first

    # ---- found by their time ----

    def _list_offsets(self, request: Any, context: RequestContext) -> Any:
        times = {each.timestamp for topic in request.topics for each in topic.partitions}
        if times <= {_LATEST, _EARLIEST} and context.version <= _LAST_OF_MOCK_BROKERS:
            return None  # the mock brokers answer this themselves
        state = self._brokers.state()
        response = protocol.ListOffsetsResponse

        def found(topic: str, asked: Any) -> Any:
            number = asked.partition_index
            answer = response.ListOffsetsPartitionResponse(partition_index=number)

            def step() -> None:
                nonlocal answer
                partition = _led(state, topic, number, context.broker_id)
                if request.isolation_level == _READ_COMMITTED and asked.timestamp == _LATEST:
                    offset, time = partition.stable, -1
                else:
                    offset, time = self._offset_of(topic, number, partition, asked.timestamp)
                answer = answer.replace(offset=offset, timestamp=time)
                if context.version >= _WITH_LEADER_EPOCH and offset >= 0:
                    answer = answer.replace(leader_epoch=partition.leader_epoch)

            return answer.replace(error_code=code) if (code := code_of(step)) else answer

        topics = [
            response.ListOffsetsTopicResponse(
                name=topic.name, partitions=[found(topic.name, each) for each in topic.partitions]
            )
            for topic in request.topics
        ]
        return response(topics=topics)

    def _offset_of(
        self, topic: str, number: int, partition: Partition, timestamp: int
    ) -> tuple[int, int]:
        """Return the requested offset and the time of its record; -1 for a missing one."""
        if timestamp == _LATEST:
            return partition.end, -1
        if timestamp in (_EARLIEST, _EARLIEST_LOCAL):
            return partition.start, -1
        if timestamp in (_LATEST_TIERED, _EARLIEST_PENDING_UPLOAD):
            return -1, -1  # there is no tiered storage
        if timestamp < _OF_MAX_TIMESTAMP:
            raise Refused(KafkaError.INVALID_REQUEST, f"there is no time {timestamp}")
        known = [
            (offset, time)
            for offset, time in self._times(topic, number)
            if offset >= partition.start
        ]
        if timestamp == _OF_MAX_TIMESTAMP:
            return max(known, key=_time_of, default=(-1, -1))
        return next((each for each in known if each[1] >= timestamp), (-1, -1))

    def _times(self, topic: str, number: int) -> list[tuple[int, int]]:
        """Return the offset and the time of every record."""
        data = self._brokers.cluster._records(topic, number)
        return [
            (record.offset, record.timestamp)
            for batch in records.read(data, check_crc=False)
            for record in batch.records()
        ]


_time_of: Callable[[tuple[int, int]], int] = lambda record: record[1]  # noqa: E731


def _led(state: State, topic: str, number: int, broker: int) -> Partition:
    """Return the partition. Refuse the request if this broker does not lead it."""
    partitions = state.topics[topic].partitions if topic in state.topics else []
    if not 0 <= number < len(partitions):
        raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, "there is no such partition")
    if partitions[number].leader != broker:
        raise Refused(KafkaError.NOT_LEADER_FOR_PARTITION, "another broker leads the partition")
    return partitions[number]
