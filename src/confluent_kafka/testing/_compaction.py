"""Compaction of a partition's log, as Kafka's log cleaner does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from confluent_kafka.cimpl import TIMESTAMP_LOG_APPEND_TIME
from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import RecordBatch
from confluent_kafka.testing._transactions import transactions

if TYPE_CHECKING:
    from confluent_kafka.protocol.records import Record
    from confluent_kafka.protocol.records._reading import Batch


def compacted(data: bytes, *, keep_tombstones: bool) -> list[RecordBatch]:
    """Return the compacted batches of a log.

    Offsets do not change. The compacted part ends at the first open transaction. Records of aborted
    transactions and records without a key are removed. The markers of transactions stay. The last
    batch of the log stays even if all of its records go, because it has the log's last offset.

    Args:
        data: the batches of the log.
        keep_tombstones: whether the newest record of a key stays if its value is null.
    """
    batches = list(records.read(data, check_crc=False))
    found = list(transactions(batches))
    aborted = {number for each in found if each.aborted for number in each.batches}
    stable = min((each.batches[0] for each in found if each.marker is None), default=len(batches))
    newest = {
        record.key: record.offset
        for number, batch in enumerate(batches[:stable])
        if number not in aborted and not _is_control(batch)
        for record in batch.records()
    }

    def stays(record: Record) -> bool:
        if record.key is None or newest[record.key] != record.offset:
            return False
        return keep_tombstones or record.value is not None

    written: list[RecordBatch] = []
    for number, batch in enumerate(batches):
        if isinstance(batch, RecordBatch) and (number >= stable or batch.is_control):
            written.append(batch)
            continue
        kept = list(batch.records())
        if number < stable:
            kept = [] if number in aborted else [each for each in kept if stays(each)]
        if kept or number == len(batches) - 1:
            written.append(rewritten(batch, kept))
    return written


def _is_control(batch: Batch) -> bool:
    return isinstance(batch, RecordBatch) and batch.is_control


def rewritten(batch: Batch, kept: Sequence[Record]) -> RecordBatch:
    """Return a batch in format 2 with only some of the records, at the same offsets."""
    if not isinstance(batch, RecordBatch):
        first = next(batch.records()).offset
        return RecordBatch.of(kept, base_offset=first, last_offset=batch.last_offset)
    append_time = batch.timestamp_type == TIMESTAMP_LOG_APPEND_TIME
    return RecordBatch.of(
        kept,
        compression=batch.compression,
        base_offset=batch.base_offset,
        last_offset=batch.last_offset,
        partition_leader_epoch=batch.partition_leader_epoch,
        producer_id=batch.producer_id,
        producer_epoch=batch.producer_epoch,
        base_sequence=batch.base_sequence,
        log_append_time=batch.max_timestamp if append_time else None,
        transactional=batch.is_transactional,
    )
