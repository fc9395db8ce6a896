"""The requests of the old protocol, in versions that today's brokers have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from confluent_kafka import protocol

from .common import (
    BrokerMetadata,
    ConsumerMetadataResponse,
    FetchRequest,
    MetadataResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    PartitionMetadata,
    TopicAndPartition,
    TopicMetadata,
)

# Every broker since Kafka 2.1 has these.
METADATA = 4
FETCH = 10  # the first version whose answer may use zstd
LIST_OFFSETS = 1
OFFSET_COMMIT = 2
OFFSET_FETCH = 1
FIND_COORDINATOR = 0

_NO_SESSION = -1
_LARGEST_ANSWER = 100_000_000  # bytes; librdkafka refuses larger answers


def text(name: bytes | str) -> str:
    """Return a name in the form of the protocol's classes."""
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name


def by_topic(payloads: Iterable[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Return payloads by their topics."""
    grouped = defaultdict(list)
    for payload in payloads:
        grouped[text(payload.topic)].append(payload)
    return iter(grouped.items())


def metadata_request(topics: Iterable[bytes | str]) -> protocol.MetadataRequest:
    """Return the request for topics; for all topics if none are given."""
    names = [protocol.MetadataRequest.MetadataRequestTopic(name=text(name)) for name in topics]
    return protocol.MetadataRequest(topics=names or None)


def metadata_response(answer: protocol.MetadataResponse) -> MetadataResponse:
    """Return the answer in the form of the old protocol."""
    brokers = [BrokerMetadata(one.node_id, one.host.encode(), one.port) for one in answer.brokers]
    return MetadataResponse(brokers, [_topic(one) for one in answer.topics])


def _topic(answer: protocol.MetadataResponse.MetadataResponseTopic) -> TopicMetadata:
    name = (answer.name or "").encode()
    partitions = [
        PartitionMetadata(
            name,
            one.partition_index,
            one.leader_id,
            tuple(one.replica_nodes),
            tuple(one.isr_nodes),
            one.error_code,
        )
        for one in answer.partitions
    ]
    return TopicMetadata(name, answer.error_code, partitions)


def coordinator_request(group: bytes | str) -> protocol.FindCoordinatorRequest:
    """Return the request for a group's coordinator."""
    return protocol.FindCoordinatorRequest(key=text(group))


def coordinator_response(answer: protocol.FindCoordinatorResponse) -> ConsumerMetadataResponse:
    """Return the answer in the form of the old protocol."""
    return ConsumerMetadataResponse(
        answer.error_code, answer.node_id, answer.host.encode(), answer.port
    )


def fetch_request(
    payloads: Iterable[FetchRequest], max_wait_time: int, min_bytes: int
) -> protocol.FetchRequest:
    """Return the request for messages of a broker's partitions."""
    kind = protocol.FetchRequest
    return kind(
        max_wait_ms=max_wait_time,
        min_bytes=min_bytes,
        max_bytes=_LARGEST_ANSWER,
        session_epoch=_NO_SESSION,
        topics=[
            kind.FetchTopic(
                topic=topic,
                partitions=[
                    kind.FetchPartition(
                        partition=one.partition,
                        fetch_offset=one.offset,
                        partition_max_bytes=one.max_bytes,
                    )
                    for one in some
                ],
            )
            for topic, some in by_topic(payloads)
        ],
    )


def offsets_request(times: Iterable[Any]) -> protocol.ListOffsetsRequest:
    """Return the request for offsets.

    Args:
        times: OffsetRequests.
    """
    kind = protocol.ListOffsetsRequest
    return kind(
        topics=[
            kind.ListOffsetsTopic(
                name=topic,
                partitions=[
                    kind.ListOffsetsPartition(partition_index=one.partition, timestamp=one.time)
                    for one in some
                ],
            )
            for topic, some in by_topic(times)
        ]
    )


def commit_request(
    group: str, payloads: Iterable[OffsetCommitRequest]
) -> protocol.OffsetCommitRequest:
    """Return the request to store offsets, of a group that has no members."""
    kind = protocol.OffsetCommitRequest
    return kind(
        group_id=group,
        topics=[
            kind.OffsetCommitRequestTopic(
                name=topic,
                partitions=[
                    kind.OffsetCommitRequestPartition(
                        partition_index=one.partition,
                        committed_offset=one.offset,
                        committed_metadata=None if one.metadata is None else text(one.metadata),
                    )
                    for one in some
                ],
            )
            for topic, some in by_topic(payloads)
        ],
    )


def commit_responses(answer: protocol.OffsetCommitResponse) -> list[OffsetCommitResponse]:
    """Return the answer in the form of the old protocol."""
    return [
        OffsetCommitResponse(topic.name.encode(), one.partition_index, one.error_code)
        for topic in answer.topics
        for one in topic.partitions
    ]


def committed_request(
    group: str, payloads: Iterable[OffsetFetchRequest]
) -> protocol.OffsetFetchRequest:
    """Return the request for a group's offsets."""
    kind = protocol.OffsetFetchRequest
    return kind(
        group_id=group,
        topics=[
            kind.OffsetFetchRequestTopic(
                name=topic, partition_indexes=[one.partition for one in some]
            )
            for topic, some in by_topic(payloads)
        ],
    )


def committed_responses(answer: protocol.OffsetFetchResponse) -> list[OffsetFetchResponse]:
    """Return the answer in the form of the old protocol."""
    return [
        OffsetFetchResponse(
            topic.name.encode(),
            one.partition_index,
            one.committed_offset,
            (one.metadata or "").encode(),
            one.error_code,
        )
        for topic in answer.topics
        for one in topic.partitions
    ]


def parts_of_fetch(
    answer: protocol.FetchResponse,
) -> Iterator[tuple[TopicAndPartition, protocol.FetchResponse.PartitionData]]:
    """Return the parts of an answer by their partitions."""
    for topic in answer.responses:
        for part in topic.partitions:
            yield TopicAndPartition(topic.topic.encode(), part.partition_index), part


def parts_of_offsets(
    answer: protocol.ListOffsetsResponse,
) -> Iterator[tuple[TopicAndPartition, Any]]:
    """Return the parts of an answer by their partitions."""
    for topic in answer.topics:
        for part in topic.partitions:
            yield TopicAndPartition(topic.name.encode(), part.partition_index), part
