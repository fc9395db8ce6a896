"""From bytes to batches, and back."""

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

# Where all formats have their number.
_MAGIC = 16


def read(
    data: bytes | bytearray | memoryview | mmap, *, check_crc: bool = True, start: int = 0
) -> Iterator[Batch]:
    """The batches of Fetch's answer, of a request to produce, or of a broker's file, one at a time.

    A broker cuts its answer off at a size, so the last batch may not be whole: it is left out. The
    sizes of the others say where it begins.

    Args:
        data: batches of any formats, one after the other.
        check_crc: whether a wrong checksum is an error. If not, `is_valid` of the batch says it.
        start: where `data` begins in what it was taken from, for the texts of errors.

    Raises:
        CorruptRecordsError: a batch has a wrong size or checksum, or a format that there is not.
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
        view.release()  # or a file could not be unmapped


def _decoded(data: memoryview, pos: int) -> Batch:
    magic = data[_MAGIC]
    if magic == RecordBatch.magic:
        return RecordBatch.decode(data)
    if magic in (0, 1):
        return MessageSetEntry.decode(data)
    raise CorruptRecordsError(f"the batch at byte {pos} has format {magic}: there are 0, 1 and 2")


def write(batches: Iterable[Batch]) -> bytes:
    """The bytes of batches, one after the other.

    Args:
        batches: of any formats.

    Raises:
        RecordsError: a number does not fit into its field.
    """
    return b"".join(batch.encode() for batch in batches)
