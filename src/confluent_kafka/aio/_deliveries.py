"""Objects that the producer settles instead of a message's own future.

The extension calls only ``done()``, ``set_result()``, ``set_exception()`` and ``get_loop()`` of a
future. The classes in this module have the same methods.
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
        future: its result is the number of delivered messages, or an ExceptionGroup of failures.
    """

    def __init__(self, future: asyncio.Future[int]) -> None:
        self.future = future
        self._expected = 0
        self._delivered = 0
        self._failures: list[Exception] = []
        self._sealed = False

    def expect(self, count: int) -> None:
        """Expect this number of additional messages."""
        self._expected += count

    def refuse(self, topic: str, messages: Iterable[dict[str, Any]]) -> None:
        """Record messages that were not enqueued; each of them contains its error."""
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
        """Return False, so that every message is counted."""
        return False

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the event loop in whose thread messages are counted."""
        return self.future.get_loop()

    def set_result(self, _: Message) -> None:
        """Count a delivered message."""
        self._delivered += 1
        self._end()

    def set_exception(self, exception: Exception) -> None:
        """Count a failed message."""
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
    """Calls an on_delivery callback, and settles the future of the delivery if there is one.

    Args:
        loop: the event loop in which it is settled.
        callbacks: awaits the result of the callback, if it is awaitable.
        only_errors: call the callback only for messages that failed.
        on_delivery: the callback; its exceptions are reported and not raised.
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
        """Return False, so that the callback is called in any case."""
        return False

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the event loop in whose thread this object is settled."""
        return self._loop

    def set_result(self, message: Message) -> None:
        """Report a delivered message."""
        if self._delivery is not None and not self._delivery.done():
            self._delivery.set_result(message)
        if not self._only_errors:
            self._callbacks.call(self._on_delivery, None, message)

    def set_exception(self, exception: Exception) -> None:
        """Report a message that failed, or whose report could not be built for lack of memory."""
        if self._delivery is not None and not self._delivery.done():
            self._delivery.set_exception(exception)
        if isinstance(exception, KafkaException) and exception.kafka_message is not None:
            self._callbacks.call(self._on_delivery, exception.error, exception.kafka_message)
