"""The asyncio producer."""

from __future__ import annotations

import asyncio
import math
import weakref
from asyncio import get_running_loop
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from time import monotonic
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka._other_clients import PRODUCER, explaining

from ._callbacks import Callbacks
from ._client import _LONGEST_TURN, MAX_WORKERS, AIOClient, own_configuration
from ._readiness import Readiness, deadline

# Seconds after which a flush that was cancelled lets go of its thread.
_FLUSH_SLICE = 0.1

_OnDelivery = Callable[[KafkaError | None, Message], Any]


@explaining(PRODUCER)
class AIOProducer(AIOClient):
    """A producer whose deliveries are awaited.

    Messages are passed to librdkafka at once, which batches them (``linger.ms``, ``batch.size``);
    delivery reports arrive without poll(). Belongs to the event loop that it was created in.

    Args:
        producer_conf: the configuration of a Producer. ``error_cb``, ``throttle_cb``, ``stats_cb``
            and ``on_delivery`` may be coroutines and run in the event loop, whose exception
            handler gets their exceptions. ``oauth_cb`` may be a coroutine too; a plain function
            runs on a thread of its own.
        max_workers: threads for requests that a broker must answer.
        executor: runs these requests instead; it is not shut down.
        batch_size: for compatibility; librdkafka's ``batch.num.messages`` decides.
        buffer_timeout: for compatibility; librdkafka's ``linger.ms`` decides.

    Raises:
        KafkaException: the configuration is wrong; the error names the property.
        RuntimeError: no event loop is running in this thread.
    """

    _client: Producer

    def __init__(
        self,
        producer_conf: Mapping[str, Any],
        max_workers: int = MAX_WORKERS,
        executor: Executor | None = None,
        batch_size: int = 1000,
        buffer_timeout: float = 1.0,
    ) -> None:
        _check_number("batch_size", batch_size, "int")
        _check_number("buffer_timeout", buffer_timeout, "a number of seconds")
        conf = own_configuration(producer_conf)
        self._on_delivery: _OnDelivery | None = None
        if callable(conf.get("on_delivery")):
            self._on_delivery = conf.pop("on_delivery")
        self._only_errors = conf.get("delivery.report.only.error") in (True, "true")
        self._room = asyncio.Lock()
        self._waiting = 0  # calls of produce() that wait for room
        self._served = 0
        self._serving = False
        super().__init__(conf, max_workers, executor)
        self._send = self._client._send
        self._create_future = self._loop.create_future

    async def produce(
        self,
        topic: str,
        value: str | bytes | None = None,
        key: str | bytes | None = None,
        partition: int = -1,
        timestamp: int = 0,
        headers: Any = None,
        on_delivery: _OnDelivery | None = None,
        callback: _OnDelivery | None = None,
    ) -> asyncio.Future[Message]:
        """Put a message into the queue; waits while the queue is full.

        ::

            delivery = await producer.produce("topic", b"value")
            message = await delivery

        Args:
            topic: the topic.
            value: its value.
            key: its key.
            partition: -1 lets the partitioner choose.
            timestamp: milliseconds since the epoch; 0 is now.
            headers: a list of (name, value) pairs or a dict.
            on_delivery: also called, in the event loop, with (error, message).
            callback: another name for on_delivery.

        Returns:
            A future of the delivered message, or of KafkaException. Cancelling the future does not
            cancel the message.

        Raises:
            TypeError: an argument has the wrong type.
            RuntimeError: the producer is closed, or belongs to another event loop.
        """
        if get_running_loop() is not self._loop:
            self._check_loop()
        if monotonic() > self._turn_ends:
            await self._let_others()
        delivery: asyncio.Future[Message] = self._create_future()
        told: asyncio.Future[Message] | _Report = delivery
        on_delivery = on_delivery or callback or self._on_delivery
        if on_delivery is not None:
            told = _Report(delivery, on_delivery, self._callbacks, self._only_errors)
        try:
            # Behind those that wait for room already.
            if self._waiting or not self._send(
                told, topic, value, key, partition, timestamp, headers
            ):
                await self._in_turn(
                    partial(self._send, told, topic, value, key, partition, timestamp, headers)
                )
        except KafkaException as refused:
            delivery.set_exception(refused)
        return delivery

    async def poll(self, timeout: float = 0) -> int:
        """Wait for delivery reports or other callbacks, which are also served without poll().

        Args:
            timeout: seconds; -1 waits without limit, 0 does not wait.

        Returns:
            The number of reports and callbacks served meanwhile.

        Raises:
            RuntimeError: the producer is closed, or belongs to another event loop.
        """
        self._check_loop()
        until = deadline(self._loop, timeout)
        before = self._served
        if monotonic() > self._turn_ends:
            await self._let_others()
        while True:
            if self._closing is not None:
                raise self._is_closed()
            self._serve()
            if self._served > before or not await self._readiness.wait(until):
                return self._served - before

    async def flush(self, timeout: float = -1) -> int:
        """Send queued messages and wait until everything is delivered or has failed.

        Args:
            timeout: seconds; -1 waits without limit.

        Returns:
            Messages still outstanding.
        """
        until = deadline(self._loop, timeout)
        await self._request(self._client._expedite, 0)
        while (outstanding := len(self._client)) > 0 and (left := until - self._loop.time()) > 0:
            await self._request(self._client._expedite, min(left, _FLUSH_SLICE))
        return outstanding

    async def purge(
        self, in_queue: bool = True, in_flight: bool = True, blocking: bool = True
    ) -> None:
        """Drop messages: their futures raise _PURGE_QUEUE or _PURGE_INFLIGHT.

        Args:
            in_queue: messages not sent yet.
            in_flight: messages sent and not acknowledged: whether they arrive is then unknown.
            blocking: wait until the broker threads have released their messages.
        """
        await self._request(self._client.purge, in_queue, in_flight, blocking)

    async def init_transactions(self, timeout: float = -1) -> None:
        """Fence earlier producers with this transactional.id; see Producer.init_transactions()."""
        await self._request(self._client.init_transactions, timeout)

    async def begin_transaction(self) -> None:
        """Begin a transaction; see Producer.begin_transaction()."""
        await self._request(self._client.begin_transaction)

    async def send_offsets_to_transaction(
        self, positions: list[TopicPartition], group_metadata: Any, timeout: float = -1
    ) -> None:
        """Add offsets to the transaction; see Producer.send_offsets_to_transaction()."""
        await self._request(
            self._client.send_offsets_to_transaction, positions, group_metadata, timeout
        )

    async def commit_transaction(self, timeout: float = -1) -> None:
        """Flush and commit; see Producer.commit_transaction()."""
        await self._request(self._client.commit_transaction, timeout)

    async def abort_transaction(self, timeout: float = -1) -> None:
        """Abort the transaction; see Producer.abort_transaction()."""
        await self._request(self._client.abort_transaction, timeout)

    def __len__(self) -> int:
        """Messages and delivery reports outstanding."""
        return len(self._client)

    def __bool__(self) -> bool:
        return True

    def _make_client(self, conf: dict[str, Any]) -> Producer:
        return Producer(conf)

    def _make_readiness(self) -> Readiness:
        # The loop keeps the readiness, which must not keep a producer that nobody else has.
        serve = weakref.WeakMethod(self._serve)

        def ready() -> None:
            method = serve()
            if method is not None:
                method()

        return Readiness(self._client, self._loop, ready)

    def _callback_failed(self, error: BaseException) -> None:
        self._loop.call_exception_handler(
            {"message": "a callback of AIOProducer failed", "exception": error}
        )

    def _served_elsewhere(self) -> None:
        super()._served_elsewhere()
        self._serve()

    async def _in_turn(self, enqueue: Callable[[], bool]) -> None:
        """Wait for room, first come, first served, until all has been enqueued."""
        self._waiting += 1
        try:
            async with self._room:
                while not enqueue():
                    await self._readiness.wait(math.inf)
        finally:
            self._waiting -= 1

    def _serve(self) -> None:
        if self._closing is not None:
            return  # close() serves the rest
        try:
            served = self._client._settle(_LONGEST_TURN)
        except Exception as error:
            self._callback_failed(error)
        except BaseException:  # Ctrl-C in a callback has left the rest
            self._serve_soon()
            raise
        else:
            self._served += served
            if served:
                self._readiness.wake()  # there is room, and poll() counts
        # There is no event for what came while the queue was not empty.
        if self._is_left():
            self._serve_soon()

    def _is_left(self) -> bool:
        try:
            return self._client._queue_length() > 0
        except RuntimeError:  # made before a fork
            return False

    def _serve_soon(self) -> None:
        if not self._serving:
            self._serving = True
            self._loop.call_soon(self._serve_again)

    def _serve_again(self) -> None:
        self._serving = False
        self._serve()


class _Report:
    """Is settled in place of the future of a message that has an on_delivery, too.

    Args:
        delivery: the future; it may be cancelled.
        on_delivery: the callback; its exceptions end here.
        callbacks: run what it returns, if that is to be awaited.
        only_errors: call back for messages that failed only.
    """

    __slots__ = ("_callbacks", "_delivery", "_on_delivery", "_only_errors")

    def __init__(
        self,
        delivery: asyncio.Future[Message],
        on_delivery: _OnDelivery,
        callbacks: Callbacks,
        only_errors: bool,
    ) -> None:
        if not callable(on_delivery):
            raise TypeError(f"on_delivery must be callable, not {type(on_delivery).__name__}")
        self._delivery = delivery
        self._on_delivery = on_delivery
        self._callbacks = callbacks
        self._only_errors = only_errors

    def done(self) -> bool:
        """Return whether there is nothing to settle; the callback is called in any case."""
        return False

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop in whose thread it is settled."""
        return self._delivery.get_loop()

    def set_result(self, message: Message) -> None:
        """Tell of a message that was delivered."""
        if not self._delivery.done():
            self._delivery.set_result(message)
        if not self._only_errors:
            self._callbacks.call(self._on_delivery, None, message)

    def set_exception(self, exception: BaseException) -> None:
        """Tell of one that has failed, or of which there was no memory to tell more."""
        if not self._delivery.done():
            self._delivery.set_exception(exception)
        if isinstance(exception, KafkaException):
            self._callbacks.call(self._on_delivery, exception.error, exception.kafka_message)


def _check_number(name: str, value: float, wanted: str) -> None:
    """`value` has no effect, so any number will do: 0 and less are ways to switch a buffer off."""
    kinds = int if wanted == "int" else int | float
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")
