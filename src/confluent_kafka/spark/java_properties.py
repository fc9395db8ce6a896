"""Turns properties of Kafka's Java clients into properties of librdkafka.

Spark's own source passes ``kafka.*`` to Java's clients, so users know Java's names. librdkafka has
most of these properties under the same name, and they pass unchanged. This module handles the other
ones. It renames properties that librdkafka calls differently. It drops properties without an effect
here, with a warning. It refuses properties that cannot be honoured. librdkafka itself refuses
unknown names.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Literal

from .java_security import translate_security

Client = Literal["consumer", "producer"]

_log = logging.getLogger(__name__)

_CLASS = "it names a Java class, and no Java client runs here"
_BYTES = "keys and values come as bytes: decode them with DataFrame operations"
_TEXT_OR_BYTES = "keys and values are written as they are, string or binary"

# Properties that the options of the source set, or that its exactness depends on.
_RESERVED: dict[Client, dict[str, str]] = {
    "consumer": {
        "auto.offset.reset": "startingOffsets says where to start",
        "enable.auto.commit": "Spark's checkpoint holds the offsets; for monitoring there is "
        "the option commitOffsetsToGroup",
        "enable.auto.offset.store": "Spark's checkpoint holds the offsets",
        "enable.partition.eof": "the source sets it to find the end of a range",
        "key.deserializer": _BYTES,
        "value.deserializer": _BYTES,
        "interceptor.classes": "an interceptor may change or drop what a query reads",
    },
    "producer": {
        "key.serializer": _TEXT_OR_BYTES,
        "value.serializer": _TEXT_OR_BYTES,
        "interceptor.classes": "an interceptor may change or drop what a query writes",
        "delivery.report.only.error": "the sink sets it to see what was not delivered",
        "partitioner.class": f"{_CLASS}: use kafka.partitioner (murmur2_random is Java's own) or "
        "a column partition",
        "partitioner.ignore.keys": "use kafka.partitioner with the value random",
    },
}

_REFUSED = {
    "metric.reporters": f"{_CLASS}: Spark's query progress and librdkafka's log tell what happens",
    "security.providers": _CLASS,
    "config.providers": f"{_CLASS}: resolve secrets before they are given as options",
}

# They change only the inner workings of a Java client, not what it reads or writes.
_WITHOUT_EFFECT = frozenset(
    {
        "auto.commit.interval.ms",
        "auto.include.jmx.reporter",
        "default.api.timeout.ms",
        "exclude.internal.topics",
        "max.block.ms",
        "max.poll.records",
        "metadata.max.idle.ms",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "partition.assignment.strategy",
        "partitioner.adaptive.partitioning.enable",
        "partitioner.availability.timeout.ms",
        "socket.connection.setup.timeout.max.ms",
        "throw.on.fetch.stable.offset.unsupported",
    }
)


def _same(text: str) -> str:
    return text


def _buffer_size(text: str) -> str:
    """Return 0 for -1: the system's default size is -1 in Java and 0 in librdkafka."""
    return "0" if text.strip() == "-1" else text


def _kilobytes(text: str) -> str:
    """Return bytes as kilobytes, at least one."""
    if not text.strip().isdecimal():
        raise ValueError(f"{text!r} is not a number of bytes")
    return str(max(1, int(text) // 1024))


_RENAMED: dict[str, tuple[str, Callable[[str], str]]] = {
    "buffer.memory": ("queue.buffering.max.kbytes", _kilobytes),
    "compression.gzip.level": ("compression.level", _same),
    "compression.lz4.level": ("compression.level", _same),
    "compression.zstd.level": ("compression.level", _same),
    "fetch.max.wait.ms": ("fetch.wait.max.ms", _same),
    "max.request.size": ("message.max.bytes", _same),
    "receive.buffer.bytes": ("socket.receive.buffer.bytes", _buffer_size),
    # In librdkafka this name means how long a broker waits for its followers.
    "request.timeout.ms": ("socket.timeout.ms", _same),
    "send.buffer.bytes": ("socket.send.buffer.bytes", _buffer_size),
}


def translate(kafka: Mapping[str, str], client: Client) -> dict[str, str]:
    """Return librdkafka's configuration for properties with Java's or librdkafka's names.

    Args:
        kafka: the properties, without the prefix ``kafka.``.
        client: the kind of client that they configure.

    Raises:
        ValueError: a property cannot be honoured, or is given under both names.
    """
    for name, reason in {**_RESERVED[client], **_REFUSED}.items():
        if name in kafka:
            raise ValueError(f"option kafka.{name} cannot be given: {reason}")
    found: dict[str, str] = {}
    for name, text in translate_security(kafka).items():
        if name in _WITHOUT_EFFECT or _of_other_codec(name, kafka):
            _log.warning("option kafka.%s has no effect here and is left out", name)
            continue
        new, convert = _RENAMED.get(name, (name, _same))
        if new in found or (new != name and new in kafka):
            raise ValueError(f"option kafka.{name} means kafka.{new} here, which is also given")
        try:
            found[new] = convert(text)
        except ValueError as error:
            raise ValueError(f"option kafka.{name}: {error}") from None
    return found


def _of_other_codec(name: str, kafka: Mapping[str, str]) -> bool:
    """Return whether it is the level of a codec that is not in use."""
    codec = kafka.get("compression.type", kafka.get("compression.codec", "none"))
    levels = {f"compression.{other}.level" for other in ("gzip", "lz4", "zstd")}
    return name in levels - {f"compression.{codec.strip().lower()}.level"}
