"""Transactions of a fixed number of messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from confluent_kafka import Producer


def transactional(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of a producer that has transactions.

    Args:
        config: the configuration; its transactional.id is kept.
    """
    return {"transactional.id": f"confluent-kafka-produce-{uuid4()}"} | config


class Transactions:
    """Commits after each `size` messages. Messages after the last commit can be aborted.

    Args:
        producer: the producer.
        size: the number of messages of a transaction.
        timeout: how many seconds a request may take.

    Attributes:
        committed (int): how many messages were committed.
    """

    def __init__(self, producer: Producer, size: int, timeout: float) -> None:
        self.committed = 0
        self._producer = producer
        self._size = size
        self._timeout = timeout
        self._open = 0
        producer.init_transactions(timeout)
        producer.begin_transaction()

    def parts(self, messages: list[Any]) -> Iterator[list[Any]]:
        """Yield the messages of each transaction, and commit it when it is full.

        Args:
            messages: the next messages.
        """
        start = 0
        while start < len(messages):
            part = messages[start : start + self._size - self._open]
            yield part
            start += len(part)
            self._open += len(part)
            if self._open == self._size:
                self.commit()
                self._producer.begin_transaction()

    def commit(self) -> None:
        """Commit the open transaction."""
        self._producer.commit_transaction(self._timeout)
        self.committed += self._open
        self._open = 0

    def abort(self) -> None:
        """Abort the open transaction."""
        self._producer.abort_transaction(self._timeout)
        self._open = 0
