"""Prepare the saved log of a partition for a new cluster."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import ControlType, Record, RecordBatch
from confluent_kafka.testing._compaction import rewritten
from confluent_kafka.testing._transactions import Transaction, transactions

if TYPE_CHECKING:
    from confluent_kafka.protocol.records._reading import Batch

_CONTROL_KEY = struct.Struct(">hh")
_END_MARKER = struct.Struct(">hi")


@dataclass(frozen=True, slots=True)
class Aborted:
    """An aborted transaction: its first offset, and the offset before its marker."""

    producer_id: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Log:
    """A log whose transactions have all ended.

    Attributes:
        batches: the batches, in format 2.
        end: the offset after the last batch.
        aborted: the aborted transactions.
    """

    batches: list[RecordBatch]
    end: int
    aborted: list[Aborted]

    @classmethod
    def read(cls, data: bytes, end: int) -> Log:
        """Parse a log, and abort the transactions that are still open in it.

        Args:
            data: the batches.
            end: the offset after the last record.

        Raises:
            RecordsError: the data are not whole batches of records.
        """
        batches = _whole(data)
        found = list(transactions(batches))
        markers = list(_markers([each for each in found if each.marker is None], end))
        aborted = [
            Aborted(each.first.producer_id, each.first.base_offset, each.marker.base_offset - 1)
            for each in transactions([*batches, *markers])
            if each.aborted and each.marker is not None
        ]
        current = [*map(_in_format_2, batches), *markers]
        return cls(current, end + len(markers), aborted)


def _whole(data: bytes) -> list[Batch]:
    batches = list(records.read(data, check_crc=False))
    size = sum(each.size for each in batches)
    if size < len(data):
        raise records.CorruptRecordsError(f"the batch at byte {size} is cut off")
    return batches


def _in_format_2(batch: Batch) -> RecordBatch:
    return batch if isinstance(batch, RecordBatch) else rewritten(batch, list(batch.records()))


def _markers(still_open: Sequence[Transaction], end: int) -> Iterator[RecordBatch]:
    """For each open transaction, yield the batch that aborts it."""
    for offset, each in enumerate(still_open, end):
        marker = Record(
            offset=offset,
            timestamp=int(time.time() * 1000),
            key=_CONTROL_KEY.pack(0, ControlType.ABORT),
            value=_END_MARKER.pack(0, 0),
            headers=(),
        )
        yield RecordBatch.of(
            [marker],
            producer_id=each.first.producer_id,
            producer_epoch=each.first.producer_epoch,
            transactional=True,
            control=True,
        )
