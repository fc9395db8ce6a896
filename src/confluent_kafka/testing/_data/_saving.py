"""Read the topics and logs of a cluster, to save them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import RecordBatch
from confluent_kafka.testing._administration._state import Partition, State
from confluent_kafka.testing._data._topics import SavedPartition, SavedTopic

if TYPE_CHECKING:
    from confluent_kafka.cimpl import MockCluster


def topics_and_logs(
    cluster: MockCluster, state: State
) -> tuple[list[SavedTopic], dict[str, bytes]]:
    """Return the topics in the state of a cluster, and the contents of their logs by path."""
    topics, logs = [], dict[str, bytes]()
    for topic in state.topics.values():
        partitions = []
        for number, partition in enumerate(topic.partitions):
            data = cluster._records(topic.name, number)
            saved = _partition(f"{topic.name}-{number}", partition, data)
            partitions.append(saved)
            if saved.log is not None:
                logs[saved.log] = data
        topics.append(SavedTopic(topic.name, topic.id, partitions))
    return topics, logs


def _partition(folder: str, partition: Partition, data: bytes) -> SavedPartition:
    log = None
    if data:
        # As in Kafka, the name of the file is the first offset in it.
        log = f"{folder}/{_first_offset(data):020d}.log"
    return SavedPartition(
        start=partition.start,
        end=partition.end,
        leader=partition.leader,
        leader_epoch=partition.leader_epoch,
        replicas=partition.replicas,
        log=log,
        size=len(data),
        crc32=zlib.crc32(data),
    )


def _first_offset(data: bytes) -> int:
    first = next(records.read(data, check_crc=False))
    return first.base_offset if isinstance(first, RecordBatch) else first.last_offset
