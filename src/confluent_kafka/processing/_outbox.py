"""Messages that go to delay topics and dead-letter topics."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka._properties import properties

_SECONDS_BETWEEN_POLLS = 0.1


class Outbox:
    """A producer that several threads use.

    Args:
        config: its configuration.

    Raises:
        KafkaException: the configuration is wrong; the error names the property.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._producer = Producer(config)

    def send(self, topic: str, key: Any, value: Any, headers: Any) -> None:
        """Send a message, and wait until it is delivered.

        Args:
            topic: the topic.
            key: the key.
            value: the value.
            headers: the headers.

        Raises:
            KafkaException: the message was not delivered.
        """
        producer = self._producer
        reports: list[KafkaError | None] = []
        delivered = threading.Event()

        def report(error: KafkaError | None, message: Message) -> None:
            reports.append(error)
            delivered.set()

        producer.produce(topic, value, key, headers=headers, on_delivery=report, block=-1)
        while not delivered.is_set():  # another thread may serve this report
            producer.poll(_SECONDS_BETWEEN_POLLS)
        if reports[0] is not None:
            raise KafkaException(reports[0])

    def close(self) -> None:
        """Close the producer. All calls of send() must have ended."""
        self._producer.close(0)


def producing_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a consumer's configuration that a producer accepts, too.

    Args:
        config: the configuration of a consumer.
    """
    of_consumers = {
        name for each in properties() if each["client"] == "consumer" for name in each["names"]
    }
    return {name: value for name, value in config.items() if name not in of_consumers}
