"""Runs the producer, which sends every flight and counts the deliveries."""

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaError, Message, Producer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from .data import SCHEMA, Event

# In seconds: how long produce() may wait for room in the queue, and flush() for the brokers.
_PATIENCE = 60.0
_STATISTICS_MS = 200


@dataclass
class Deliveries:
    """The deliveries of the messages."""

    sent: int = 0
    delivered: int = 0
    failed: int = 0
    first_error: str = ""
    transmitted: list[tuple[float, int]] = field(default_factory=list)
    """Pairs of a time in seconds since 1970, and the number of messages sent until then."""
    round_trip: float = 0.0
    """The average round trip of the slowest broker, in milliseconds."""

    @property
    def waiting(self) -> int:
        """The number of messages that are not delivered yet."""
        return self.sent - self.delivered - self.failed

    def report(self, error: KafkaError | None, message: Message) -> None:
        """Count one message, as the delivery callback."""
        if error is None:
            self.delivered += 1
            return
        self.failed += 1
        self.first_error = self.first_error or f"{message.topic()}: {error.str()}"

    def statistics(self, text: str) -> None:
        """Read the values for the display from librdkafka's statistics."""
        values = json.loads(text)
        self.transmitted.append((time.time(), values["txmsgs"]))
        averages = [broker["rtt"]["avg"] / 1e3 for broker in values["brokers"].values()]
        self.round_trip = max(averages, default=0.0)


def produce(
    servers: str,
    registry: str,
    topic: str,
    events: Iterable[Event],
    deliveries: Deliveries,
    show: Callable[[], None],
) -> None:
    """Send events as Avro, count the deliveries, and call `show` for all new statistics.

    The serializer registers the schema.
    """

    def statistics(text: str) -> None:
        deliveries.statistics(text)
        show()

    config: dict[str, Any] = {
        "bootstrap.servers": servers,
        "client.id": "flights",
        "enable.idempotence": True,
        # The embedded cluster keeps 5 MB of each partition, so the flights fit only with
        # compression.
        "compression.type": "zstd",
        "linger.ms": 50,
        "statistics.interval.ms": _STATISTICS_MS,
        "stats_cb": statistics,
    }
    place = SerializationContext(topic, MessageField.VALUE)
    with SchemaRegistryClient({"url": registry}) as client, Producer(config) as producer:
        serialize = AvroSerializer(client, SCHEMA)
        try:
            for event in events:
                producer.produce(
                    topic,
                    serialize(event.value, place),
                    event.key,
                    headers=event.headers,
                    timestamp=event.timestamp,
                    on_delivery=deliveries.report,
                    block=_PATIENCE,
                )
                deliveries.sent += 1
                producer.poll(0)
            producer.flush(_PATIENCE)
        finally:
            # After Ctrl-C or with missing brokers, messages are left in the queue. They are
            # dropped, because close() would wait for them.
            producer.purge()
    show()
