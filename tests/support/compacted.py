"""Makes partitions in which some offsets have no records, as after compaction and transactions."""

from __future__ import annotations

from collections.abc import Iterable

from confluent_kafka.protocol.records import Record, RecordBatch
from confluent_kafka.testing import MockCluster
from tests.support.record_batches import sent


def batch_with_holes(first: int, kept: Iterable[int], last: int) -> bytes:
    """A batch of the offsets `first` to `last`. Only the offsets in `kept` have a record."""
    records = [
        Record(offset=offset, timestamp=1000, key=None, value=b"%d" % offset, headers=())
        for offset in kept
    ]
    return RecordBatch.of(records, base_offset=first, last_offset=last).encode()


def append_holes(
    cluster: MockCluster, topic: str, kept: Iterable[int], last: int, first: int = 0
) -> None:
    """Append such a batch to partition 0, which ends at `first`.

    Each value is the record's offset.
    """
    sent(cluster, topic, batch_with_holes(first, kept, last))
