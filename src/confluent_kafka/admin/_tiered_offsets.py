"""Offsets in tiered storage, which librdkafka cannot look up."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import by_topic
from confluent_kafka.cimpl import TopicPartition

EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING_UPLOAD = -4, -5, -6
# The first version of ListOffsets with these numbers: older versions take them for timestamps.
OLDEST = {EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11}

_NO_REPLICA = -1  # the replica id of a client
_REMOTE_TIMEOUT_MS = 60_000  # the time that the leader has for a lookup in tiered storage


def tiered_request(
    specs: Mapping[TopicPartition, int], isolation_level: int, places: list[TopicPartition]
) -> protocol.ListOffsetsRequest:
    """Return the message to the leader of some partitions.

    Args:
        specs: the numbers of the OffsetSpecs, for these and other partitions.
        isolation_level: the number of an IsolationLevel.
        places: the partitions.
    """
    message = protocol.ListOffsetsRequest
    return message(
        replica_id=_NO_REPLICA,
        isolation_level=isolation_level,
        topics=[
            message.ListOffsetsTopic(
                name=topic,
                partitions=[
                    message.ListOffsetsPartition(
                        partition_index=each.partition, timestamp=specs[each]
                    )
                    for each in some
                ],
            )
            for topic, some in by_topic(places).items()
        ],
        timeout_ms=_REMOTE_TIMEOUT_MS,
    )
