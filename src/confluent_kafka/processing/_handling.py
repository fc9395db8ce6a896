"""One call of a handler, and what follows if it fails.

The code is written once, as coroutines. A Worker passes functions that never wait in the event
loop, and runs a coroutine to its end at once.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple, Protocol

from confluent_kafka import Message

from ._base import LOGGER
from ._dispatch import Window
from ._retry import headers_after
from ._settings import Settings
from ._statistics import Counters


class Means(Protocol):
    """How a worker waits and sends."""

    async def call(self, argument: Any) -> object:
        """Call the handler with a message, or with a list of messages."""

    async def is_closed_after(self, window: Window, seconds: float) -> bool:
        """Wait, and return whether the window was closed meanwhile."""

    async def send(self, topic: str, key: Any, value: Any, headers: Any) -> None:
        """Send a message, and wait until it is delivered."""

    async def close(self) -> None:
        """Close the producer. All calls of send() must have ended."""


class Received(NamedTuple):
    """A message, with its payload before it is deserialized."""

    message: Message
    key: Any
    value: Any


class Handling:
    """Handles the messages of a worker.

    Args:
        settings: the arguments of the worker.
        counters: the counters of the worker.
        means: how the worker waits and sends.
    """

    def __init__(self, settings: Settings, counters: Counters, means: Means) -> None:
        self._settings = settings
        self._counters = counters
        self.means = means

    async def handle(self, window: Window, messages: list[Message]) -> bool:
        """Deserialize messages, call the handler, and try again if it fails.

        Args:
            window: the window of the messages.
            messages: messages for one call of the handler.

        Returns:
            Whether they are done. If not, the window was closed while they waited.

        Raises:
            Exception: the handler raised it, and there is no topic for its messages.
        """
        received = [Received(one, one.key(), one.value()) for one in messages]
        readable = []
        for one in received:
            try:
                await self._settings.deserializers.deserialize(one.message)
            except Exception as error:
                await self._send_away([one], 1, error)
            else:
                readable.append(one)
        return not readable or await self._call(window, readable)

    async def again(self, window: Window, received: Received, error: Exception) -> bool:
        """Try a message again whose handler has failed; see handle().

        Args:
            window: the window of the message.
            received: the message.
            error: what the handler raised.
        """
        return await self._call(window, [received], error)

    async def _call(
        self, window: Window, received: list[Received], error: Exception | None = None
    ) -> bool:
        settings = self._settings
        messages = [one.message for one in received]
        attempt = 0 if error is None else 1
        while True:
            if error is not None:
                self._counters.add(failures=1)
                wait = settings.recovery.wait_after(attempt, error)
                if wait is None:
                    await self._send_away(received, attempt, error)
                    return True
                LOGGER.info("attempt %s failed, next one in %.1f s: %s", attempt, wait, error)
                if await self.means.is_closed_after(window, wait):
                    return False
            attempt += 1
            try:
                await self.means.call(messages[0] if settings.batch is None else messages)
            except Exception as caught:
                error = caught
            else:
                return True

    async def _send_away(self, received: list[Received], attempts: int, error: Exception) -> None:
        recovery = self._settings.recovery
        for message, key, value in received:
            place = f"{message.topic()} [{message.partition()}] at offset {message.offset()}"
            topic = recovery.topic_after(message.topic() or "", error)
            if topic is None:
                error.add_note(f"The worker ended at the message of {place}.")
                raise error
            headers = headers_after(message, attempts, error, time.time())
            await self.means.send(topic, key, value, headers)
            is_delayed = topic in recovery.delays
            self._counters.add(delayed=is_delayed, dead=not is_delayed)
            LOGGER.warning("the message of %s goes to %s after: %r", place, topic, error)
