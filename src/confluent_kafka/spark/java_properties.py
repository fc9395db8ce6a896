"""Java's properties of clients as ``kafka.*`` options.

Spark's own source passes ``kafka.*`` to Java's clients, so users know Java's names. _java
translates them. This module refuses the properties that the source and the sink set themselves, and
warns of properties that have no effect.
"""

import logging
from collections.abc import Mapping
from typing import Literal

from confluent_kafka._java import Wording
from confluent_kafka._java import translate as translate_java

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
}

# The driver assigns the partitions, and the checkpoint holds the offsets.
_WITHOUT_EFFECT = frozenset({"auto.commit.interval.ms", "partition.assignment.strategy"})

_WORDING = Wording("option", "kafka.")


def translate(kafka: Mapping[str, str], client: Client) -> dict[str, str]:
    """Return librdkafka's configuration for properties with Java's or librdkafka's names.

    Args:
        kafka: the properties, without the prefix ``kafka.``.
        client: the kind of client that they configure.

    Raises:
        ValueError: a property cannot be translated, or is given under both names.
    """
    for name, reason in {**_RESERVED[client], **_REFUSED}.items():
        if name in kafka:
            raise ValueError(f"{_WORDING.named(name)} cannot be given: {reason}")
    found, left_out = translate_java(kafka, _WORDING, _WITHOUT_EFFECT)
    for name in left_out:
        _log.warning("%s has no effect here and is left out", _WORDING.named(name))
    return found
