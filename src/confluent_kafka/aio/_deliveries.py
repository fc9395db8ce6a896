"""What the producer settles in place of a message's own future.

The extension uses of a future only ``done()``, ``set_result()``, ``set_exception()`` and
``get_loop()``: these classes have them, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message

from ._callbacks import Callbacks

OnDelivery = Callable[[KafkaError | None, Message], Any]


class Deliveries:
    """Counts the deliveries of many messages, for one future.

    Args:
        future: gets how many were delivered, or an ExceptionGroup of those that failed.
    """

    def __init__(self, future: asyncio.Future[int]) -> None:
        self.future = future
        self._expected = 0
        self._delivered = 0
        self._failures: list[Exception] = []
        self._sealed = False

    def expect(self, count: int) -> None:
        """Wait for as many messages more."""
        self._expected += count

    def refuse(self, topic: str, messages: Iterable[dict[str, Any]]) -> None:
        """Note messages that were not enqueued, with the error that each of them has."""
        for one in messages:
            error = one["_error"]
            failure = KafkaException(error)
            failure.kafka_message = Message(
                topic, one.get("partition"), key=one.get("key"), value=one.get("value"), error=error
            )
            self.set_exception(failure)

    def seal(self) -> None:
        """Expect no more messages."""
        self._sealed = True
        self._end()

    def done(self) -> bool:
        """Return False: each message counts."""
        return False

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop in whose thread messages are counted."""
        return self.future.get_loop()

    def set_result(self, _: Message) -> None:
        """Count a message that was delivered."""
        self._delivered += 1
        self._end()

    def set_exception(self, exception: Exception) -> None:
        """Count one that has failed."""
        self._failures.append(exception)
        self._end()

    def _end(self) -> None:
        failed = len(self._failures)
        if not self._sealed or self._delivered + failed < self._expected or self.future.done():
            return
        if failed:
            text = f"{failed} of {self._expected} messages were not delivered"
            self.future.set_exception(ExceptionGroup(text, self._failures))
        else:
            self.future.set_result(self._delivered)


class Report:
    """Tells an on_delivery, and the delivery's future if there is one.

    Args:
        loop: where it is settled.
        callbacks: run what the callback returns, if that is to be awaited.
        only_errors: call back for messages that failed only.
        on_delivery: the callback; its exceptions end here.
        delivery: the future, which may be cancelled, or Deliveries.
    """

    __slots__ = ("_callbacks", "_delivery", "_loop", "_on_delivery", "_only_errors")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        callbacks: Callbacks,
        only_errors: bool,
        on_delivery: OnDelivery,
        delivery: asyncio.Future[Message] | Deliveries | None,
    ) -> None:
        if not callable(on_delivery):
            raise TypeError(f"on_delivery must be callable, not {type(on_delivery).__name__}")
        self._loop = loop
        self._callbacks = callbacks
        self._only_errors = only_errors
        self._on_delivery = on_delivery
        self._delivery = delivery

    def done(self) -> bool:
        """Return False: the callback is called in any case."""
        return False

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop in whose thread it is settled."""
        return self._loop

    def set_result(self, message: Message) -> None:
        """Tell of a message that was delivered."""
        if self._delivery is not None and not self._delivery.done():
            self._delivery.set_result(message)
        if not self._only_errors:
            self._callbacks.call(self._on_delivery, None, message)

    def set_exception(self, exception: Exception) -> None:
        """Tell of one that has failed, or of which there was no memory to tell more."""
        if self._delivery is not None and not self._delivery.done():
            self._delivery.set_exception(exception)
        if isinstance(exception, KafkaException) and exception.kafka_message is not None:
            self._callbacks.call(self._on_delivery, exception.error, exception.kafka_message)
