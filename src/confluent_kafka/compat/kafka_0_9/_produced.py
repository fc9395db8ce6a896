"""The messages of a produce request, and its answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.protocol import records

from ._requests import text
from ._sender import COMPRESSIONS, Report
from .common import (
    ChecksumError,
    FailedPayloadsError,
    Message,
    ProduceRequest,
    ProduceResponse,
    UnknownTopicOrPartitionError,
    UnsupportedCodecError,
)

_CODEC_BITS = 7

# librdkafka finds these errors before it sends a request.
_UNKNOWN = frozenset({KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC})


class CompressedRequest(ProduceRequest):
    """Messages that librdkafka will compress.

    Attributes:
        codec: the codec's number.
        level: the level of the compression; None means the codec's default.
    """

    codec = 0
    level: int | None = None


def compressed(
    topic: bytes, partition: int, messages: Any, codec: int, level: int | None
) -> ProduceRequest:
    """Return a request whose messages are compressed when they are sent."""
    if not codec:
        return ProduceRequest(topic, partition, messages)
    request = CompressedRequest(topic, partition, messages)
    request.codec, request.level = codec, level
    return request


def by_codec(
    payloads: Iterable[ProduceRequest],
) -> dict[tuple[int, int | None], list[ProduceRequest]]:
    """Return payloads with uncompressed messages, by codec and level.

    Raises:
        UnsupportedCodecError: there is no such codec.
        ChecksumError: messages are damaged.
    """
    grouped = defaultdict(list)
    for payload in payloads:
        codec, level = getattr(payload, "codec", 0), getattr(payload, "level", None)
        messages = list(payload.messages)
        wrapped = max((one.attributes & _CODEC_BITS for one in messages), default=0)
        if wrapped >= len(COMPRESSIONS):
            raise UnsupportedCodecError(f"Codec {wrapped:#04x} unsupported")
        if wrapped:
            codec = wrapped
            messages = [bare for one in messages for bare in _unwrapped(one)]
        grouped[codec, level].append(payload._replace(messages=messages))
    return grouped


def _unwrapped(message: Message) -> Iterable[Message]:
    """Return the messages inside a message of create_gzip_message() or a similar function."""
    entry = records.MessageSetEntry(
        offset=0,
        crc=0,
        magic=0,
        attributes=message.attributes,
        key=message.key,
        value=message.value,
    )
    try:
        return [Message(0, 0, one.key, one.value) for one in entry.records()]
    except records.CodecUnavailableError as failure:
        raise UnsupportedCodecError(str(failure)) from failure
    except records.RecordsError as failure:
        raise ChecksumError(str(failure)) from failure


def batches(payloads: Iterable[ProduceRequest]) -> list[tuple[str, int, Any]]:
    """Return payloads in the form for Sender.send()."""
    return [(text(one.topic), one.partition, one.messages) for one in payloads]


def response(payload: ProduceRequest, report: Report) -> ProduceResponse | FailedPayloadsError:
    """Return the answer to a payload; FailedPayloadsError if there was none."""
    error = report.error
    if error is None:
        return ProduceResponse(payload.topic, payload.partition, 0, report.offset)
    code = UnknownTopicOrPartitionError.errno if error.code() in _UNKNOWN else error.code()
    if code < -1:
        failed = FailedPayloadsError(payload)
        failed.__cause__ = KafkaException(error)
        return failed
    return ProduceResponse(payload.topic, payload.partition, code, -1)
