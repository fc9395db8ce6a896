"""Copies messages in transactions, together with the positions up to which they are copied."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.cli.messages.decoding import Undecodable
from confluent_kafka.cli.messages.kept import payload_of
from confluent_kafka.cli.messages.outputs import Resuming
from confluent_kafka.cli.topics.place import Place

# A transaction is committed after so many messages or seconds.
_MESSAGES = 10_000
_SECONDS = 1.0


class Copying(Resuming):
    """Writes messages to a topic, in transactions that also contain positions.

    Args:
        producer: the producer of the target cluster.
        positions: a consumer of the target cluster, whose group stores the positions.
        target: the topic to write.
        stored_for: the topic whose offsets of the group are the positions. The target cluster must
            have it.
        timeout: how many seconds a transaction may take to end.
        holds: whether positions must not be stored yet, because the filter may be wrong.

    Attributes:
        shown: is called after each batch with the messages that are copied or left out.
        committed (int): how many messages were copied.
        stored_for (str): the topic.
    """

    def __init__(
        self,
        producer: Producer,
        positions: Consumer,
        target: str,
        stored_for: str,
        timeout: float,
        holds: Callable[[], bool],
    ) -> None:
        self.shown: Callable[[list[Message]], object] = len
        self.committed = 0
        self.stored_for = stored_for
        self._producer = producer
        self._positions = positions
        self._target = target
        self._timeout = timeout
        self._holds = holds
        self._is_open = False
        self._open = 0
        self._reached: dict[int, int] = {}
        self._since = 0.0

    def __enter__(self) -> object:
        # This ends a transaction of an earlier run, so that its positions are known.
        self._producer.init_transactions(self._timeout)
        return self

    def __exit__(self, kind: object = None, *rest: object) -> None:
        if kind in (None, Undecodable):  # the messages before an undecodable one are committed
            self._commit()
        elif self._is_open:
            # If this call fails, the cluster aborts the transaction itself after its timeout.
            with contextlib.suppress(KafkaException):
                self._producer.abort_transaction(self._timeout)

    @property
    def copied(self) -> int:
        """How many messages were copied, including the messages of the open transaction."""
        return self.committed + self._open

    def write(self, messages: list[Message]) -> None:
        if not messages:
            return
        self._begin()
        batch: list[dict[str, Any]] = [_copied(message) for message in messages]
        sent = self._producer.produce_batch(self._target, batch, block=-1)
        if sent < len(batch):
            raise KafkaException(next(one["_error"] for one in batch if "_error" in one))
        self._producer.poll(0)
        self._open += len(messages)

    def reached(self, records: list[Message]) -> None:
        if records and not self._holds():
            self._begin()  # also for positions without messages
        for message in records:
            self._reached[message.partition() or 0] = (message.offset() or 0) + 1
        self.shown(records)

    def tick(self, written: int) -> None:
        is_old = time.monotonic() - self._since >= _SECONDS
        if self._is_open and (is_old or self._open >= _MESSAGES):
            self._commit()

    def _begin(self) -> None:
        if not self._is_open:
            self._producer.begin_transaction()
            self._is_open = True
            self._since = time.monotonic()

    def _commit(self) -> None:
        if not self._is_open:
            return
        offsets = [TopicPartition(self.stored_for, *one) for one in self._reached.items()]
        group = self._positions.consumer_group_metadata()
        self._producer.send_offsets_to_transaction(offsets, group, self._timeout)
        self._producer.commit_transaction(self._timeout)
        self.committed += self._open
        self._is_open = False
        self._open = 0
        self._reached = {}


def stored_positions(
    consumer: Consumer, places: list[Place], topic: str, timeout: float
) -> dict[Place, int]:
    """Return where the partitions that were copied before continue.

    Args:
        consumer: the consumer whose group stores the positions.
        places: the partitions of the source.
        topic: the topic whose offsets are the positions.
        timeout: how many seconds to wait.
    """
    asked = [TopicPartition(topic, number) for _, number in places]
    found = {one.partition: one for one in consumer.committed(asked, timeout)}
    for one in found.values():
        if one.error is not None:
            raise KafkaException(one.error)
    return {place: found[place[1]].offset for place in places if found[place[1]].offset >= 0}


def _copied(message: Message) -> dict[str, Any]:
    kind, milliseconds = message.timestamp()
    copied: dict[str, Any] = {
        "key": payload_of(message.key()),
        "value": payload_of(message.value()),
        "headers": message.headers() or [],
        "partition": message.partition(),
    }
    return copied | ({"timestamp": milliseconds} if kind else {})
