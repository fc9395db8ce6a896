"""Record batches: the contents of partitions, in Produce, Fetch and the log files of brokers.

There are three formats. Since Kafka 0.11, brokers and clients write batches of format 2,
`RecordBatch`. Before that they wrote message sets, whose entries, `MessageSetEntry`, have format 0
or 1.
"""

from __future__ import annotations

from confluent_kafka.protocol.records._batch import RecordBatch
from confluent_kafka.protocol.records._codecs import (
    MAX_SIZE,
    Compression,
    available,
    compress,
    compress_snappy,
    decompress,
)
from confluent_kafka.protocol.records._control import Control, ControlType, control
from confluent_kafka.protocol.records._errors import (
    CodecUnavailableError,
    CorruptRecordsError,
    RecordsError,
    RecordsTooLargeError,
)
from confluent_kafka.protocol.records._internal import INTERNAL_TOPICS, Internal, internal
from confluent_kafka.protocol.records._message_set import MessageSetEntry, message_set
from confluent_kafka.protocol.records._reading import Batch, read, write
from confluent_kafka.protocol.records._record import Record

__all__ = [
    "INTERNAL_TOPICS",
    "MAX_SIZE",
    "Batch",
    "CodecUnavailableError",
    "Compression",
    "Control",
    "ControlType",
    "CorruptRecordsError",
    "Internal",
    "MessageSetEntry",
    "Record",
    "RecordBatch",
    "RecordsError",
    "RecordsTooLargeError",
    "available",
    "compress",
    "compress_snappy",
    "control",
    "decompress",
    "internal",
    "message_set",
    "read",
    "write",
]
