"""Partitions with offsets that have no records, as compaction and transactions leave them."""

from __future__ import annotations

from collections.abc import Iterable

from confluent_kafka.protocol.records import Record, RecordBatch
from confluent_kafka.testing import MockCluster
from tests.support.record_batches import sent


def batch_with_holes(first: int, kept: Iterable[int], last: int) -> bytes:
    """A batch of the offsets `first` to `last`, of which only those `kept` have a record."""
    records = [
        Record(offset=offset, timestamp=1000, key=None, value=b"%d" % offset, headers=())
        for offset in kept
    ]
    return RecordBatch.of(records, base_offset=first, last_offset=last).encode()


def append_holes(
    cluster: MockCluster, topic: str, kept: Iterable[int], last: int, first: int = 0
) -> None:
    """Appends such a batch to partition 0, whose end is `first`. Values are the offsets."""
    sent(cluster, topic, batch_with_holes(first, kept, last))
