"""The parameters and the figures that the benchmarks share."""

from __future__ import annotations

from array import array
from typing import Annotated

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.values import topic_name

MILLION = 1_000_000
QUANTILES = ("p50 ms", "p95 ms", "p99 ms")
THROUGHPUT = ("messages", "seconds", "messages/s", "MB/s")

Topic = Annotated[str, argument(parse=topic_name, help="Topic to write to or read from.")]
Count = Annotated[int, option("--count", "-n", min=1, help="Number of messages.")]
Size = Annotated[int, option("--size", "-s", min=0, help="Size of a value in bytes.")]
Timeout = Annotated[
    float, option(min=0.1, max=3600, help="Give up after this many seconds without a message.")
]


def throughput(messages: int, size: int, seconds: float) -> tuple[float, ...]:
    """Return the values of the columns THROUGHPUT.

    Args:
        messages: the number of messages.
        size: the sum of their sizes in bytes.
        seconds: how long they took.
    """
    rates = round(messages / seconds), round(size / seconds / 1e6, 2)
    return messages, round(seconds, 6), *rates


def quantiles(latencies: array[float]) -> tuple[float, ...]:
    """Return the values of the columns QUANTILES.

    Args:
        latencies: seconds, sorted; at least one.
    """
    count = len(latencies)
    return tuple(
        round(latencies[min(count - 1, int(count * share))] * 1000, 2)
        for share in (0.5, 0.95, 0.99)
    )


def check_error(error: KafkaError) -> None:
    """Raise the error of a consumer without a group, unless it is about the group.

    An unpatched librdkafka looks for a coordinator, although the consumer uses no group.

    Args:
        error: the error of a message.
    """
    if error.code() != KafkaError.GROUP_AUTHORIZATION_FAILED:
        raise KafkaException(error)
