"""Records that Kafka itself writes: the ends of transactions, and changes in the metadata log."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple

from confluent_kafka.protocol._classes import message_class
from confluent_kafka.protocol._errors import MalformedMessageError, UnsupportedVersionError
from confluent_kafka.protocol._messages import Message
from confluent_kafka.protocol.records._errors import CorruptRecordsError
from confluent_kafka.protocol.records._record import Record

_KEY = struct.Struct(">hh")
_VERSION = struct.Struct(">h")


class ControlType(IntEnum):
    """The type of a control record."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


class Control(NamedTuple):
    """The meaning of a control record.

    Attributes:
        type: a `ControlType`; an int if this package does not know it.
        version: the version of the value.
        message: the value: an `EndTxnMarker`, `LeaderChangeMessage`, `SnapshotHeaderRecord`,
            `SnapshotFooterRecord`, `KRaftVersionRecord` or `VotersRecord` of the protocol; None if
            this package does not know the type or the version.
    """

    type: int
    version: int
    message: Message | None


_MESSAGES = {
    ControlType.ABORT: "EndTxnMarker",
    ControlType.COMMIT: "EndTxnMarker",
    ControlType.LEADER_CHANGE: "LeaderChangeMessage",
    ControlType.SNAPSHOT_HEADER: "SnapshotHeaderRecord",
    ControlType.SNAPSHOT_FOOTER: "SnapshotFooterRecord",
    ControlType.KRAFT_VERSION: "KRaftVersionRecord",
    ControlType.KRAFT_VOTERS: "VotersRecord",
}


def control(record: Record) -> Control:
    """Return the meaning of a record from a control batch.

    Args:
        record: a record from a batch with `is_control`.

    Raises:
        CorruptRecordsError: it is not a control record.
    """
    key, value = record.key or b"", record.value or b""
    if len(key) < _KEY.size or len(value) < _VERSION.size:
        raise CorruptRecordsError(f"the record at offset {record.offset} is not a control record")
    _, number = _KEY.unpack_from(key)
    (version,) = _VERSION.unpack_from(value)
    if number not in _MESSAGES:
        return Control(number, version, None)
    kind = ControlType(number)
    # In the marker of a transaction the version comes first; in the other types it is a field.
    body = value[_VERSION.size :] if kind <= ControlType.COMMIT else value
    try:
        return Control(kind, version, message_class(_MESSAGES[kind]).decode(body, version))
    except UnsupportedVersionError:
        return Control(kind, version, None)
    except MalformedMessageError as error:
        raise CorruptRecordsError(
            f"the control record at offset {record.offset} is not valid: {error}"
        ) from None
