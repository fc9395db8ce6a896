"""Records of internal topics: the state of groups, transactions and the cluster."""

from __future__ import annotations

import struct
from functools import cache
from typing import NamedTuple

from confluent_kafka.protocol import _wire
from confluent_kafka.protocol._classes import message_class
from confluent_kafka.protocol._errors import MalformedMessageError, UnsupportedVersionError
from confluent_kafka.protocol._messages import Message
from confluent_kafka.protocol._tables import TABLES
from confluent_kafka.protocol.records._errors import CorruptRecordsError, RecordsError
from confluent_kafka.protocol.records._record import Record

_NUMBER = struct.Struct(">h")
# The names of the topics' writers in the tables of messages.
_OWNERS = {
    "__consumer_offsets": "group",
    "__transaction_state": "transaction",
    "__share_group_state": "share",
    "__cluster_metadata": "metadata",
}
_METADATA = "__cluster_metadata"
INTERNAL_TOPICS = frozenset(_OWNERS)


class Internal(NamedTuple):
    """The meaning of a record in an internal topic.

    Attributes:
        type: the type of the record; docs/guides/protocol.md lists the types.
        key: a message of the protocol; None in __cluster_metadata, and if this package does not
            know the type.
        value: a message of the protocol; None for a tombstone, and if this package does not know
            the type or the version.
    """

    type: int
    key: Message | None
    value: Message | None


def internal(topic: str, record: Record) -> Internal:
    """Return the meaning of a record from an internal topic.

    Args:
        topic: one of INTERNAL_TOPICS.
        record: a record from a batch without `is_control`.

    Raises:
        RecordsError: the topic is not one of INTERNAL_TOPICS.
        CorruptRecordsError: the record does not have the form that Kafka writes.
    """
    if topic not in INTERNAL_TOPICS:
        known = ", ".join(sorted(INTERNAL_TOPICS))
        raise RecordsError(f"{topic!r} is not an internal topic: there are {known}")
    try:
        return _metadata(record) if topic == _METADATA else _of_coordinator(topic, record)
    except (MalformedMessageError, _wire.Wrong, IndexError, struct.error) as error:
        raise CorruptRecordsError(
            f"the record at offset {record.offset} is not one of {topic}: {error}"
        ) from None


def _of_coordinator(topic: str, record: Record) -> Internal:
    """Read a record of a coordinator: the key begins with the type, the value with the version."""
    owner = _OWNERS[topic]
    key = record.key or b""
    (number,) = _NUMBER.unpack_from(key)
    value = None
    if record.value is not None:
        (version,) = _NUMBER.unpack_from(record.value)
        value = _decoded(f"{owner}-value", number, version, record.value[_NUMBER.size :])
    return Internal(number, _decoded(f"{owner}-key", number, 0, key[_NUMBER.size :]), value)


def _metadata(record: Record) -> Internal:
    """Read a record without key: the value begins with the varints 1, type and version."""
    data = record.value or b""
    _, pos = _varint(data, 0)
    kind, pos = _varint(data, pos)
    version, pos = _varint(data, pos)
    return Internal(kind, None, _decoded("metadata", kind, version, data[pos:]))


def _varint(data: bytes, pos: int) -> tuple[int, int]:
    first = data[pos]
    return (first, pos + 1) if first < 0x80 else _wire.longer(data, pos + 1, first)


def _decoded(kind: str, number: int, version: int, data: bytes) -> Message | None:
    name = _names(kind).get(number)
    if name is None:
        return None
    try:
        return message_class(name).decode(data, version)
    except UnsupportedVersionError:
        return None


@cache
def _names(kind: str) -> dict[int, str]:
    """Return the names of all messages of a kind, by their types."""
    heads = ((name, text.split(maxsplit=2)) for name, text in TABLES.items())
    return {int(head[1]): name for name, head in heads if head[0] == kind}
