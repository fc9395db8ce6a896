"""The transactions in a partition's log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import ControlType, RecordBatch

if TYPE_CHECKING:
    from confluent_kafka.protocol.records._reading import Batch


@dataclass(slots=True)
class Transaction:
    """A transaction in a partition: the batches of one producer.

    Attributes:
        first: the first batch.
        batches: the positions of the batches in the list of all batches.
        marker: the batch that ends the transaction; None if the transaction is open.
        aborted: whether it was aborted, according to the marker.
    """

    first: RecordBatch
    batches: list[int] = field(default_factory=list)
    marker: RecordBatch | None = None
    aborted: bool = False


def transactions(batches: Sequence[Batch]) -> Iterator[Transaction]:
    """Yield the ended transactions of a log, in order of their ends, and then the open ones."""
    running: dict[int, Transaction] = {}
    for number, batch in enumerate(batches):
        if not isinstance(batch, RecordBatch) or not batch.is_transactional:
            continue
        if not batch.is_control:
            running.setdefault(batch.producer_id, Transaction(batch)).batches.append(number)
            continue
        ended = running.pop(batch.producer_id, None)
        if ended is not None:
            ended.marker = batch
            ended.aborted = any(each == ControlType.ABORT for each in _controls(batch))
            yield ended
    yield from running.values()


def _controls(batch: RecordBatch) -> Iterator[int]:
    return (records.control(each).type for each in batch.records())
