"""Sends messages at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from confluent_kafka import KafkaError, Message, Producer

COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
"""The names of compressions by the numbers of their codecs."""

# How long the election of a leader or a connection may take, in milliseconds.
_ELECTION = 10_000
_LONGEST_ACK = 900_000  # milliseconds

# The broker's limit applies, not librdkafka's.
_LARGEST_MESSAGE = 1_000_000_000

# How long the messages of one request wait in the queue to become one batch, in milliseconds. Other
# threads may delay this one meanwhile.
_LINGER = 1_000

# Seconds between two checks of a wait whether there is still a broker.
_SLICE = 0.1


class Delivery(NamedTuple):
    """A way to send messages; each one has a librdkafka producer."""

    acks: int
    timeout: int
    """How long the broker waits for its replicas, in milliseconds."""
    codec: int = 0
    level: int | None = None


class Report:
    """The result of messages for a partition.

    Attributes:
        offset: the offset of the first message; -1 if it is unknown.
        error: the first error.
    """

    __slots__ = ("error", "offset")

    def __init__(self) -> None:
        self.error: KafkaError | None = None
        self.offset = -1

    def __call__(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.error = self.error or error
        elif self.offset < 0:
            offset = message.offset()
            self.offset = -1 if offset is None else offset


class _Outage:
    """Whether librdkafka has reported that no broker answers."""

    def __init__(self) -> None:
        self.is_on = False

    def __call__(self, error: KafkaError) -> None:
        if error.code() == KafkaError._ALL_BROKERS_DOWN:
            self.is_on = True


class Sender:
    """A Producer that sends messages at once, without retries.

    Args:
        conf: librdkafka's configuration.
        timeout: the timeout of every operation in seconds.
        delivery: how to send.
    """

    def __init__(self, conf: Mapping[str, Any], timeout: float, delivery: Delivery) -> None:
        ack = max(1, min(_LONGEST_ACK, delivery.timeout))
        limit = max(2, min(int(timeout * 1000), ack + _ELECTION))
        self._timeout = timeout
        self._outage = _Outage()
        own = {
            "acks": delivery.acks if delivery.acks in (0, 1) else -1,
            "request.timeout.ms": ack,
            "message.timeout.ms": limit,
            "linger.ms": min(_LINGER, limit - 1),  # flush() ends the wait
            "retries": 0,
            "message.max.bytes": _LARGEST_MESSAGE,
            "compression.type": COMPRESSIONS[delivery.codec],
            "error_cb": self._outage,
        }
        if delivery.level is not None:
            own["compression.level"] = delivery.level
        self._producer = Producer({**own, **conf})

    def send(self, batches: list[tuple[str, int, Any]]) -> list[Report]:
        """Send messages and wait until each is delivered or has failed.

        Args:
            batches: topics, partitions and iterables of Message.

        Returns:
            The result of each batch.
        """
        self._producer.poll(0)  # outdated reports about brokers
        self._outage.is_on = False
        reports = [self._put(*batch) for batch in batches]
        while self._producer.flush(_SLICE):
            if self._outage.is_on:
                self._producer.purge()
        return reports

    def close(self) -> None:
        """Drop the remaining messages."""
        self._producer.close(0)

    def _put(self, topic: str, partition: int, messages: Any) -> Report:
        report = Report()
        rows = [{"value": one.value, "key": one.key} for one in messages]
        count = self._producer.produce_batch(
            topic, rows, partition, on_delivery=report, block=self._timeout
        )
        if count < len(rows):
            report.error = next(row["_error"] for row in rows if "_error" in row)
        return report
