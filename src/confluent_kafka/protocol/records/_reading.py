"""Converts bytes to batches, and batches to bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from confluent_kafka.protocol.records._batch import RecordBatch
from confluent_kafka.protocol.records._errors import CorruptRecordsError
from confluent_kafka.protocol.records._message_set import MessageSetEntry, entry_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

Batch: TypeAlias = RecordBatch | MessageSetEntry

# The position of the format's number, which is the same in all formats.
_MAGIC = 16


def read(
    data: bytes | bytearray | memoryview | mmap, *, check_crc: bool = True, start: int = 0
) -> Iterator[Batch]:
    """Yield the batches in an answer to Fetch, in a Produce request, or in a broker's log file.

    A broker cuts off its answer at a size limit, so the last batch may be incomplete; it is left
    out. All positions come from the sizes of the batches before.

    Args:
        data: batches of any formats, one after the other.
        check_crc: whether a wrong checksum raises an error. If not, check the batch's `is_valid`.
        start: the position of `data` in its source, for error texts.

    Raises:
        CorruptRecordsError: a batch has a wrong size or checksum, or an unknown format.
    """
    pos, view = 0, memoryview(data)
    try:
        while (size := entry_size(view, pos, start)) is not None and size <= len(view) - pos:
            with view[pos : pos + size] as part:
                batch = _decoded(part, start + pos)
            if check_crc and not batch.is_valid:
                raise CorruptRecordsError(f"the CRC of the batch at byte {start + pos} is wrong")
            yield batch
            pos += size
    finally:
        view.release()  # otherwise a memory-mapped file could not be closed


def _decoded(data: memoryview, pos: int) -> Batch:
    magic = data[_MAGIC]
    if magic == RecordBatch.magic:
        return RecordBatch.decode(data)
    if magic in (0, 1):
        return MessageSetEntry.decode(data)
    raise CorruptRecordsError(f"the batch at byte {pos} has format {magic}: there are 0, 1 and 2")


def write(batches: Iterable[Batch]) -> bytes:
    """Return the bytes of batches, one after the other.

    Args:
        batches: batches of any formats.

    Raises:
        RecordsError: a number does not fit into its field.
    """
    return b"".join(batch.encode() for batch in batches)
