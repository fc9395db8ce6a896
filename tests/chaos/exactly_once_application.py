"""The application of exactly_once.py: copies messages in transactions until it is killed.

It follows the documentation of transactions: a transaction commits the consumed offsets together
with its output. After any error in a transaction, the consumer returns to the committed offsets.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

BATCH = 100
REQUEST_SECONDS = 30


class Application:
    def __init__(self, settings: dict[str, Any]) -> None:
        self._output = settings["output"]
        self._consumer = Consumer(
            settings["client"]
            | {
                "group.id": settings["name"],
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "session.timeout.ms": 2000,
                "heartbeat.interval.ms": 300,
            }
        )
        self._producer = Producer(
            settings["client"]
            | {
                "transactional.id": settings["transactional.id"],
                "transaction.timeout.ms": settings["transaction.timeout.ms"],
                "linger.ms": 5,
            }
        )
        self._working = False
        self._rebalanced = False
        self._consumer.subscribe([settings["source"]], on_revoke=self._on_revoke)

    def _on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._rebalanced = True

    def run(self) -> None:
        self._producer.init_transactions(REQUEST_SECONDS)
        while True:
            messages = self._consumer.consume(BATCH, 0.1)
            if self._rebalanced:
                # Another member may own some of the partitions now, and starts at their committed
                # offsets.
                self._rebalanced = False
                self._back_to_committed()
                continue
            messages = [message for message in messages if message.error() is None]
            if messages:
                self._in_transaction(messages)

    def _in_transaction(self, messages: list[Message]) -> None:
        self._producer.begin_transaction()
        self._say_once()
        try:
            for message in messages:
                self._producer.produce(
                    self._output, message.value(), message.key(), block=REQUEST_SECONDS
                )
            self._producer.send_offsets_to_transaction(
                self._consumer.position(self._consumer.assignment()),
                self._consumer.consumer_group_metadata(),
                REQUEST_SECONDS,
            )
            self._producer.commit_transaction(REQUEST_SECONDS)
        except KafkaException as exception:
            error: KafkaError = exception.args[0]
            if not error.txn_requires_abort():
                raise
            self._producer.abort_transaction(REQUEST_SECONDS)
            self._back_to_committed()

    def _back_to_committed(self) -> None:
        """Assign the partitions without an offset, so that each starts at its committed offset."""
        assigned = [
            TopicPartition(each.topic, each.partition) for each in self._consumer.assignment()
        ]
        if assigned:
            self._consumer.assign(assigned)

    def _say_once(self) -> None:
        """Tell the scenario that a transaction is open; the scenario reads no further output."""
        if not self._working:
            self._working = True
            print("in a transaction", flush=True)


if __name__ == "__main__":
    Application(json.loads(sys.argv[1])).run()
