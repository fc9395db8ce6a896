"""The requests and answers of Kafka 0.8.2 as bytes.

Today's brokers do not support most of these versions, so KafkaClient sends other versions. These
functions are for programs that write and read the bytes themselves.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias, TypeVar

from .codec import gzip_decode, gzip_encode, snappy_decode, snappy_encode
from .common import (
    BrokerMetadata,
    BufferUnderflowError,
    ChecksumError,
    ConsumerFetchSizeTooSmall,
    ConsumerMetadataResponse,
    FetchRequest,
    FetchResponse,
    Message,
    MetadataResponse,
    OffsetAndMessage,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetRequest,
    OffsetResponse,
    PartitionMetadata,
    ProduceRequest,
    ProduceResponse,
    ProtocolError,
    TopicMetadata,
    UnsupportedCodecError,
)
from .util import (
    crc32,
    group_by_topic_and_partition,
    kafka_bytestring,
    read_int_string,
    read_short_string,
    relative_unpack,
    write_int_string,
    write_short_string,
)

__all__ = [
    "ALL_CODECS",
    "ATTRIBUTE_CODEC_MASK",
    "CODEC_GZIP",
    "CODEC_NONE",
    "CODEC_SNAPPY",
    "KafkaProtocol",
    "create_gzip_message",
    "create_message",
    "create_message_set",
    "create_snappy_message",
]

ATTRIBUTE_CODEC_MASK = 0x03
CODEC_NONE = 0x00
CODEC_GZIP = 0x01
CODEC_SNAPPY = 0x02
ALL_CODECS = (CODEC_NONE, CODEC_GZIP, CODEC_SNAPPY)

# An item of a batch: a value, or a pair of value and key.
_Given: TypeAlias = "bytes | tuple[bytes | None, bytes | None] | None"
_T = TypeVar("_T")

# The replica id of a consumer, in requests to fetch and to list offsets.
_CONSUMER = -1


class KafkaProtocol:
    """Encodes requests to bytes with their sizes, and decodes answers from bytes without sizes.

    An answer that is too short raises BufferUnderflowError.
    """

    PRODUCE_KEY = 0
    FETCH_KEY = 1
    OFFSET_KEY = 2
    METADATA_KEY = 3
    OFFSET_COMMIT_KEY = 8
    OFFSET_FETCH_KEY = 9
    CONSUMER_METADATA_KEY = 10

    # --- producing ---

    @classmethod
    def encode_produce_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        payloads: Iterable[ProduceRequest] | None = None,
        acks: int = 1,
        timeout: int = 1000,
    ) -> bytes:
        """Return a request to produce.

        Args:
            client_id: the id of the client.
            correlation_id: the number with which the answer begins.
            payloads: one for each partition.
            acks: how many replicas must have the messages; -1 means all in-sync replicas.
            timeout: how long the broker may wait for the replicas, in milliseconds.
        """
        body = struct.pack(">hi", acks, timeout)
        body += _by_topic(payloads, lambda each: write_int_string(_message_set(each.messages)))
        return _request(cls.PRODUCE_KEY, client_id, correlation_id, body)

    @classmethod
    def decode_produce_response(cls, data: bytes) -> Iterator[ProduceResponse]:
        """Yield a ProduceResponse for each partition."""
        for topic, partition, (error, offset), _ in _partitions(data, ">hq"):
            yield ProduceResponse(topic, partition, error, offset)

    # --- fetching ---

    @classmethod
    def encode_fetch_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        payloads: Iterable[FetchRequest] | None = None,
        max_wait_time: int = 100,
        min_bytes: int = 4096,
    ) -> bytes:
        """Return a request to fetch.

        Args:
            client_id: the id of the client.
            correlation_id: the number with which the answer begins.
            payloads: one for each partition.
            max_wait_time: how long the broker may wait for `min_bytes`, in milliseconds.
            min_bytes: how many bytes of messages the answer should have.
        """
        body = struct.pack(">iii", _CONSUMER, max_wait_time, min_bytes)
        body += _by_topic(payloads, lambda each: struct.pack(">qi", each.offset, each.max_bytes))
        return _request(cls.FETCH_KEY, client_id, correlation_id, body)

    @classmethod
    def decode_fetch_response(cls, data: bytes) -> Iterator[FetchResponse]:
        """Yield a FetchResponse for each partition, with an iterator of OffsetAndMessage.

        The iterator raises ConsumerFetchSizeTooSmall if there is not one whole message. It also
        raises ChecksumError, ProtocolError and the errors of gzip_decode().
        """
        for topic, partition, (error, end), messages in _partitions(data, ">hq", read_int_string):
            yield FetchResponse(topic, partition, error, end, _messages(messages or b""))

    # --- offsets by time ---

    @classmethod
    def encode_offset_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        payloads: Iterable[OffsetRequest] | None = None,
    ) -> bytes:
        """Return a request for offsets.

        Args:
            client_id: the id of the client.
            correlation_id: the number with which the answer begins.
            payloads: one for each partition.
        """
        body = struct.pack(">i", _CONSUMER)
        body += _by_topic(payloads, lambda each: struct.pack(">qi", each.time, each.max_offsets))
        return _request(cls.OFFSET_KEY, client_id, correlation_id, body)

    @classmethod
    def decode_offset_response(cls, data: bytes) -> Iterator[OffsetResponse]:
        """Yield an OffsetResponse for each partition."""
        for topic, partition, (error,), offsets in _partitions(data, ">h", _int64s):
            yield OffsetResponse(topic, partition, error, offsets)

    # --- the cluster ---

    @classmethod
    def encode_metadata_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        topics: Iterable[bytes | str] | None = None,
        payloads: Iterable[bytes | str] | None = None,
    ) -> bytes:
        """Return a request for topics and brokers.

        Args:
            client_id: the id of the client.
            correlation_id: the number with which the answer begins.
            topics: the topics; None means all.
            payloads: the topics, instead of `topics`.
        """
        names = list(map(kafka_bytestring, (topics if payloads is None else payloads) or ()))
        body = struct.pack(">i", len(names)) + b"".join(map(write_short_string, names))
        return _request(cls.METADATA_KEY, client_id, correlation_id, body)

    @classmethod
    def decode_metadata_response(cls, data: bytes) -> MetadataResponse:
        """Return the brokers and topics of the cluster."""
        brokers, pos = _array(data, 4, _broker)
        topics, _ = _array(data, pos, _topic)
        return MetadataResponse(brokers, topics)

    # --- coordinators ---

    @classmethod
    def encode_consumer_metadata_request(
        cls, client_id: bytes, correlation_id: int, payloads: bytes
    ) -> bytes:
        """Return a request for the coordinator of a group.

        Args:
            client_id: the id of the client.
            correlation_id: the number with which the answer begins.
            payloads: the group.
        """
        body = write_short_string(payloads)
        return _request(cls.CONSUMER_METADATA_KEY, client_id, correlation_id, body)

    @classmethod
    def decode_consumer_metadata_response(cls, data: bytes) -> ConsumerMetadataResponse:
        """Return the coordinator of a group."""
        (_, error, node), pos = relative_unpack(">ihi", data, 0)
        host, pos = read_short_string(data, pos)
        (port,), _ = relative_unpack(">i", data, pos)
        return ConsumerMetadataResponse(error, node, host or b"", port)

    # --- committed offsets ---

    @classmethod
    def encode_offset_commit_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        group: bytes,
        payloads: Iterable[OffsetCommitRequest],
    ) -> bytes:
        """Return a request to commit.

        Args:
            client_id: the id of the client.
            correlation_id: the number with which the answer begins.
            group: the group of the offsets.
            payloads: one for each partition.
        """
        body = write_short_string(group) + _by_topic(
            payloads,
            lambda each: struct.pack(">q", each.offset) + write_short_string(each.metadata),
        )
        return _request(cls.OFFSET_COMMIT_KEY, client_id, correlation_id, body)

    @classmethod
    def decode_offset_commit_response(cls, data: bytes) -> Iterator[OffsetCommitResponse]:
        """Yield an OffsetCommitResponse for each partition."""
        for topic, partition, (error,), _ in _partitions(data, ">h"):
            yield OffsetCommitResponse(topic, partition, error)

    @classmethod
    def encode_offset_fetch_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        group: bytes,
        payloads: Iterable[OffsetFetchRequest],
        from_kafka: bool = False,
    ) -> bytes:
        """Return a request for committed offsets.

        Args:
            client_id: the id of the client.
            correlation_id: the number with which the answer begins.
            group: the group of the offsets.
            payloads: one for each partition.
            from_kafka: whether to read offsets stored in Kafka (version 1) instead of ZooKeeper
                (version 0).
        """
        body = write_short_string(group) + _by_topic(payloads, lambda each: b"")
        version = 1 if from_kafka else 0
        return _request(cls.OFFSET_FETCH_KEY, client_id, correlation_id, body, version)

    @classmethod
    def decode_offset_fetch_response(cls, data: bytes) -> Iterator[OffsetFetchResponse]:
        """Yield an OffsetFetchResponse for each partition."""
        for topic, partition, (offset,), (metadata, error) in _partitions(data, ">q", _why):
            yield OffsetFetchResponse(topic, partition, offset, metadata, error)


# --- requests -----------------------------------------------------------------------------


def _request(
    api_key: int, client_id: bytes, correlation_id: int, body: bytes, version: int = 0
) -> bytes:
    header = struct.pack(">hhi", api_key, version, correlation_id) + write_short_string(client_id)
    return write_int_string(header + body)


def _by_topic(payloads: Iterable[Any] | None, encode: Callable[[Any], bytes]) -> bytes:
    """Encode arrays of topics and of their partitions; `encode` encodes each partition."""
    grouped = group_by_topic_and_partition(payloads or ())
    parts = [struct.pack(">i", len(grouped))]
    for topic, partitions in grouped.items():
        parts += (write_short_string(topic), struct.pack(">i", len(partitions)))
        for partition, payload in partitions.items():
            parts += (struct.pack(">i", partition), encode(payload))
    return b"".join(parts)


# --- answers ------------------------------------------------------------------------------


def _nothing(data: bytes, pos: int) -> tuple[None, int]:
    return None, pos


def _partitions(
    data: bytes, form: str, rest: Callable[[bytes, int], tuple[Any, int]] = _nothing
) -> Iterator[tuple[bytes, int, tuple[Any, ...], Any]]:
    """Yield topic, partition, the numbers that `form` unpacks, and the result of `rest`."""
    (_, topics), pos = relative_unpack(">ii", data, 0)
    for _ in range(topics):
        topic, pos = read_short_string(data, pos)
        (partitions,), pos = relative_unpack(">i", data, pos)
        for _ in range(partitions):
            (partition,), pos = relative_unpack(">i", data, pos)
            numbers, pos = relative_unpack(form, data, pos)
            more, pos = rest(data, pos)
            yield topic or b"", partition, numbers, more


def _array(
    data: bytes, pos: int, read: Callable[[bytes, int], tuple[_T, int]]
) -> tuple[list[_T], int]:
    (count,), pos = relative_unpack(">i", data, pos)
    items = []
    for _ in range(count):
        item, pos = read(data, pos)
        items.append(item)
    return items, pos


def _counted(data: bytes, pos: int, form: str) -> tuple[tuple[int, ...], int]:
    (count,), pos = relative_unpack(">i", data, pos)
    if not 0 <= count <= len(data) - pos:  # check before a struct of that size is compiled
        raise BufferUnderflowError(f"{count} numbers, and {len(data) - pos} bytes are left")
    return relative_unpack(f">{count}{form}", data, pos)


def _int32s(data: bytes, pos: int) -> tuple[tuple[int, ...], int]:
    return _counted(data, pos, "i")


def _int64s(data: bytes, pos: int) -> tuple[tuple[int, ...], int]:
    return _counted(data, pos, "q")


def _why(data: bytes, pos: int) -> tuple[tuple[bytes | None, int], int]:
    """The metadata of a committed offset, and an error code."""
    metadata, pos = read_short_string(data, pos)
    (error,), pos = relative_unpack(">h", data, pos)
    return (metadata, error), pos


def _broker(data: bytes, pos: int) -> tuple[BrokerMetadata, int]:
    (node,), pos = relative_unpack(">i", data, pos)
    host, pos = read_short_string(data, pos)
    (port,), pos = relative_unpack(">i", data, pos)
    return BrokerMetadata(node, host or b"", port), pos


def _topic(data: bytes, pos: int) -> tuple[TopicMetadata, int]:
    (error,), pos = relative_unpack(">h", data, pos)
    name, pos = read_short_string(data, pos)
    topic = name or b""

    def partition(data: bytes, pos: int) -> tuple[PartitionMetadata, int]:
        (error, number, leader), pos = relative_unpack(">hii", data, pos)
        replicas, pos = _int32s(data, pos)
        isr, pos = _int32s(data, pos)
        return PartitionMetadata(topic, number, leader, replicas, isr, error), pos

    partitions, pos = _array(data, pos, partition)
    return TopicMetadata(topic, error, partitions), pos


# --- messages -----------------------------------------------------------------------------


def create_message(payload: bytes | None, key: bytes | None = None) -> Message:
    """Return a message.

    Args:
        payload: the value of the message.
        key: the key of the message.
    """
    return Message(0, CODEC_NONE, key, payload)


def create_gzip_message(
    payloads: Iterable[_Given], key: bytes | None = None, compresslevel: int | None = None
) -> Message:
    """Return a message that contains other messages, compressed by gzip.

    Args:
        payloads: values, or pairs of value and key.
        key: the key of the outer message.
        compresslevel: the level for gzip_encode().
    """
    packed = gzip_encode(_message_set(_created(payloads)), compresslevel)
    return Message(0, CODEC_GZIP, key, packed)


def create_snappy_message(payloads: Iterable[_Given], key: bytes | None = None) -> Message:
    """Return a message that contains other messages, compressed by snappy.

    Args:
        payloads: values, or pairs of value and key.
        key: the key of the outer message.
    """
    return Message(0, CODEC_SNAPPY, key, snappy_encode(_message_set(_created(payloads))))


def create_message_set(
    messages: Iterable[_Given],
    codec: int = CODEC_NONE,
    key: bytes | None = None,
    compresslevel: int | None = None,
) -> list[Message]:
    """Return a list of messages, or of one message that contains all of them.

    Args:
        messages: values, or pairs of value and key.
        codec: one of ALL_CODECS.
        key: the key of the outer message, if the messages are compressed.
        compresslevel: the level for gzip.

    Raises:
        UnsupportedCodecError: there is no such codec.
    """
    if codec == CODEC_NONE:
        return _created(messages)
    if codec == CODEC_GZIP:
        return [create_gzip_message(messages, key, compresslevel)]
    if codec == CODEC_SNAPPY:
        return [create_snappy_message(messages, key)]
    raise UnsupportedCodecError(f"codec must be one of {ALL_CODECS}, not {codec!r}")


def _created(given: Iterable[_Given]) -> list[Message]:
    if isinstance(given, bytes):  # whose items are numbers
        raise TypeError("messages must be a list of values, or of pairs of value and key")
    pairs = ((one, None) if one is None or isinstance(one, bytes) else one for one in given)
    return [create_message(value, key) for value, key in pairs]


def _message_set(messages: Iterable[Message]) -> bytes:
    """Encode messages; the broker sets their offsets."""
    return b"".join(bytes(8) + write_int_string(_message(each)) for each in messages)


def _message(message: Message) -> bytes:
    if message.magic != 0:
        raise ProtocolError(f"the magic number of a message must be 0, not {message.magic!r}")
    body = struct.pack(">bb", message.magic, message.attributes)
    body += write_int_string(message.key) + write_int_string(message.value)
    return struct.pack(">I", crc32(body)) + body


def _messages(data: bytes, wrapped: bool = False) -> Iterator[OffsetAndMessage]:
    """Yield the messages of a set and the messages inside them; skip a last one that is cut off."""
    pos = 0
    while pos < len(data):
        try:
            (offset,), body = relative_unpack(">q", data, pos)
            message, end = read_int_string(data, body)
        except BufferUnderflowError:
            if pos == 0:
                raise ConsumerFetchSizeTooSmall from None
            return
        yield from _decoded(message or b"", offset, wrapped)
        pos = end


def _decoded(data: bytes, offset: int, wrapped: bool) -> Iterator[OffsetAndMessage]:
    (crc, magic, attributes), pos = relative_unpack(">Ibb", data, 0)
    if crc != crc32(data[4:]):
        raise ChecksumError("Message checksum failed")
    if magic != 0:
        raise ProtocolError(f"the magic number of a message must be 0, not {magic}")
    key, pos = read_int_string(data, pos)
    value, _ = read_int_string(data, pos)
    codec = attributes & ATTRIBUTE_CODEC_MASK
    if codec == CODEC_NONE:
        yield OffsetAndMessage(offset, Message(magic, attributes, key, value))
    elif wrapped:
        raise ProtocolError("a compressed message has another one in it")
    elif codec == CODEC_GZIP:
        yield from _messages(gzip_decode(value), wrapped=True)
    elif codec == CODEC_SNAPPY:
        yield from _messages(snappy_decode(value or b""), wrapped=True)
