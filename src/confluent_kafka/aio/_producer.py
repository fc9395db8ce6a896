"""The asyncio producer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaException, Message, Producer, TopicPartition
from confluent_kafka._other_clients import PRODUCER, explaining

from ._client import _LONGEST_TURN, MAX_WORKERS, AIOClient, own_configuration
from ._deliveries import Deliveries, OnDelivery, Report
from ._readiness import Readiness, deadline
from ._steps import ABORT, BEGIN, COMMIT, INIT, SEND_OFFSETS, Steps
from ._threads import on_daemon_thread
from ._transaction import Transaction

if TYPE_CHECKING:
    from confluent_kafka.columns.batch import ColumnEncoder

# A flush waits in slices of so many seconds: a cancelled flush then soon releases its thread.
_FLUSH_SLICE = 0.1

# Messages that produce_many() takes from its iterable at a time.
_CHUNK = 1000


@explaining(PRODUCER)
class AIOProducer(AIOClient):
    """A producer for asyncio: you await the deliveries of messages.

    The producer passes messages to librdkafka at once, which batches them (``linger.ms``,
    ``batch.size``). Delivery reports arrive without poll(). A producer belongs to the event loop
    that it was created in.

    Args:
        producer_conf: the configuration of a Producer. ``error_cb``, ``throttle_cb``, ``stats_cb``
            and ``on_delivery`` may be coroutines and run in the event loop, whose exception
            handler gets their exceptions. ``oauth_cb`` may be a coroutine too; a plain function
            runs on a thread of its own.
        max_workers: the number of threads for requests that a broker must answer.
        executor: runs these requests instead; the producer does not shut it down. Python waits for
            the threads of a ThreadPoolExecutor before it exits: if no broker answers, a cancelled
            request keeps the process alive until the request times out.
        batch_size: accepted for compatibility, without effect; set ``batch.num.messages`` instead.
        buffer_timeout: accepted for compatibility, without effect; set ``linger.ms`` instead.

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
        self._on_delivery: OnDelivery | None = None
        if callable(conf.get("on_delivery")):
            self._on_delivery = conf.pop("on_delivery")
        self._only_errors = conf.get("delivery.report.only.error") in (True, "true")
        self._room = asyncio.Lock()
        self._close_timeout = -1.0
        self._undelivered = 0  # the number of messages when close() began
        self._waiting = 0  # the number of produce() calls that wait for room
        self._served = 0
        self._serving = False
        super().__init__(conf, max_workers, executor)
        self._steps = Steps(self._client, self._loop)

    async def produce(
        self,
        topic: str,
        value: str | bytes | None = None,
        key: str | bytes | None = None,
        partition: int = -1,
        timestamp: int = 0,
        headers: Any = None,
        on_delivery: OnDelivery | None = None,
        callback: OnDelivery | None = None,
    ) -> asyncio.Future[Message]:
        """Put a message into the queue; wait while the queue is full.

        ::

            delivery = await producer.produce("topic", b"value")
            message = await delivery

        Args:
            topic: the topic.
            value: the value of the message.
            key: the key of the message.
            partition: -1 lets the partitioner choose.
            timestamp: milliseconds since the epoch; 0 is now.
            headers: a list of (name, value) pairs or a dict.
            on_delivery: called in the event loop with (error, message), in addition to the future.
            callback: another name for on_delivery.

        Returns:
            A future. Its result is the delivered message; it fails with KafkaException. Cancelling
            the future does not cancel the message.

        Raises:
            TypeError: an argument has the wrong type.
            RuntimeError: the producer is closed, or belongs to another event loop.
        """
        if on_delivery is None:
            on_delivery = callback if callback is not None else self._on_delivery
        if on_delivery is None and not self._waiting:
            try:
                delivery: asyncio.Future[Message] | None = self._client._send_now(
                    topic, value, key, partition, timestamp, headers
                )
            except KafkaException as refused:
                return self._refused(refused)
            if delivery is not None:
                return delivery
        fields = (topic, value, key, partition, timestamp, headers)
        return await self._produce_slowly(on_delivery, fields)

    async def produce_batch(
        self,
        topic: str,
        messages: list[Any],
        partition: int = -1,
        callback: OnDelivery | None = None,
        on_delivery: OnDelivery | None = None,
    ) -> int:
        """Put a list of messages into the queue; wait while the queue is full.

        A dict that cannot be enqueued does not stop the other messages. It gets an ``_error`` item
        with the KafkaError; when you pass the dict again and it is enqueued, the item is removed.
        No future is made: ``on_delivery`` and flush() report deliveries. If you need a future, use
        produce_many().

        Args:
            topic: the topic.
            messages: dicts with ``value``, ``key``, ``headers``, ``timestamp`` (milliseconds),
                ``partition``, ``callback`` and ``on_delivery``, as produce() takes them; any other
                object is taken as the value. Do not change the list before the call returns.
            partition: for messages that name no partition; -1 lets the partitioner choose.
            callback: another name for on_delivery.
            on_delivery: called in the event loop with (error, message), for messages that have no
                callback of their own.

        Returns:
            How many messages were enqueued.

        Raises:
            TypeError, ValueError, OverflowError: a field of a message is wrong; the error names the
                message's index. The messages before it are enqueued.
            KafkaException: a message that is not a dict could not be enqueued.
            RuntimeError: the producer is closed, or belongs to another event loop.
        """
        if on_delivery is None:
            on_delivery = callback if callback is not None else self._on_delivery
        told = None if on_delivery is None else self._report(on_delivery)
        return await self._send_list(told, topic, messages, partition, self._report)

    async def produce_many(
        self, topic: str, messages: Iterable[Any], partition: int = -1
    ) -> asyncio.Future[int]:
        """Put many messages into the queue, with one future for all of them.

        ::

            deliveries = await producer.produce_many("topic", lines)
            print(await deliveries, "delivered")

        Args:
            topic: the topic.
            messages: dicts as for produce_batch(), or values as produce() takes them, in any
                iterable. The producer reads the iterable as room becomes free in the queue. A dict
                that cannot be enqueued gets an ``_error`` item.
            partition: for messages that name no partition; -1 lets the partitioner choose.

        Returns:
            A future. Its result is the number of delivered messages, which is all of them. If some
            messages were not delivered, the future raises an ExceptionGroup. It contains a
            KafkaException for each of these messages, with the message as its ``kafka_message``.

        Raises:
            TypeError, ValueError, OverflowError: a field of a message is wrong; the messages before
                it are enqueued.
            RuntimeError: the producer is closed, or belongs to another event loop.
        """
        self._check_open()
        if isinstance(messages, str | bytes):  # iterating would send each character or byte
            raise TypeError(
                f"messages must be an iterable of messages, not {type(messages).__name__}"
            )
        deliveries = Deliveries(self._create_future())
        wrap = partial(self._report, delivery=deliveries)
        told = deliveries if self._on_delivery is None else wrap(self._on_delivery)
        rest = iter(messages)
        while chunk := [_as_dict(message) for message in islice(rest, _CHUNK)]:
            deliveries.expect(len(chunk))
            if await self._send_list(told, topic, chunk, partition, wrap) < len(chunk):
                deliveries.refuse(topic, (message for message in chunk if "_error" in message))
        deliveries.seal()
        return deliveries.future

    async def produce_arrow(
        self,
        batch: Any,
        topic: str | None = None,
        *,
        on_delivery: OnDelivery | None = None,
        partition_count: int | None = None,
        key: ColumnEncoder | None = None,
        value: ColumnEncoder | None = None,
    ) -> int:
        """Put the rows of an Arrow record batch into the queue; wait while the queue is full.

        Args:
            batch: an object of pyarrow, polars, DuckDB and others with ``__arrow_c_array__`` or
                ``__arrow_c_stream__``; its columns are those of Producer.produce_arrow().
            topic: the topic of all rows, instead of the column ``topic``.
            on_delivery: called in the event loop with (error, message), for each row.
            partition_count: how many partitions ``topic`` has. Rows are then enqueued partition by
                partition, which saves CPU time; rows with the same key keep their order.
            key: the encoder of the column ``key``, which runs in a thread: AvroColumns or another
                encoder of confluent_kafka.columns.
            value: the encoder of the column ``value``. If there is no such column and no ``key``
                is given, it encodes each row as a whole.

        Returns:
            How many rows were enqueued, which is all of them.

        Raises:
            KafkaException: a row could not be enqueued; the error names its index. The rows before
                it are enqueued; with ``partition_count``, any other row may be enqueued.
            TypeError, ValueError: a column has a wrong name or type, there is no topic, or a row
                cannot be encoded. Nothing has been enqueued.
            SchemaRegistryError: the registry could not be asked for the encoder's schemas.
            RuntimeError: the producer is closed, or belongs to another event loop.
        """
        self._check_open()
        if key is not None or value is not None:
            batch = await self._encoded(batch, key, value)
        if on_delivery is None:
            on_delivery = self._on_delivery
        told = None if on_delivery is None else self._report(on_delivery)
        rows = self._client._import_rows(batch, topic, partition_count)
        next_row = count = 0

        def step() -> bool:
            nonlocal next_row, count
            next_row, count = self._client._send_rows(told, rows, next_row, _LONGEST_TURN)
            return next_row == count

        await self._in_turn(step)
        return count

    async def _encoded(
        self, batch: Any, key: ColumnEncoder | None, value: ColumnEncoder | None
    ) -> Any:
        """Encode in a thread, because encoding may have to ask a schema registry."""
        from confluent_kafka.columns import encode_batch

        for name, encoder in (("key", key), ("value", value)):
            if encoder is not None and not hasattr(encoder, "_encode_batch"):
                raise TypeError(
                    f"{name} must be AvroColumns or another encoder of confluent_kafka.columns, "
                    f"not {type(encoder).__name__}"
                )
        encoding = partial(encode_batch, batch, key=key, value=value)
        return await on_daemon_thread(self._loop, encoding, "encode")

    async def poll(self, timeout: float = 0) -> int:
        """Wait for delivery reports and other callbacks. They are also served without poll().

        Args:
            timeout: seconds; -1 waits without limit, 0 does not wait.

        Returns:
            The number of reports and callbacks that were served during the call.

        Raises:
            RuntimeError: the producer is closed, or belongs to another event loop.
        """
        self._check_loop()
        until = self._deadline(timeout)
        before = self._served
        if not self._client._is_turn:
            await self._let_others()
        while True:
            if self._closing is not None:
                raise self._closed_error()
            self._serve()
            if self._served > before or not await self._readiness.wait(until):
                return self._served - before

    async def flush(self, timeout: float = -1) -> int:
        """Send the queued messages, and wait until each is delivered or has failed.

        Args:
            timeout: seconds; -1 waits without limit.

        Returns:
            The number of messages that are still outstanding.
        """
        until = self._deadline(timeout)
        await self._request(self._client._expedite, 0)
        while (outstanding := len(self._client)) > 0 and (left := until - self._loop.time()) > 0:
            await self._request(self._client._expedite, min(left, _FLUSH_SLICE))
        return outstanding

    async def purge(
        self, in_queue: bool = True, in_flight: bool = True, blocking: bool = True
    ) -> None:
        """Drop messages: their futures fail with _PURGE_QUEUE or _PURGE_INFLIGHT.

        If the task is cancelled, the call still waits until the purge has ended. Otherwise the
        purge would also drop messages that are produced afterwards.

        Args:
            in_queue: drop messages that have not been sent yet.
            in_flight: drop messages that were sent and not acknowledged. Whether they arrive is
                then unknown.
            blocking: wait until the broker threads have released their messages.
        """
        purging = asyncio.ensure_future(
            self._request(self._client.purge, in_queue, in_flight, blocking)
        )
        try:
            await asyncio.shield(purging)
        except asyncio.CancelledError:
            await asyncio.wait([purging])
            raise

    async def init_transactions(self, timeout: float = -1) -> None:
        """Fence earlier producers with this transactional.id; see Producer.init_transactions().

        If the waiting task is cancelled, this step continues, as every step of a transaction does.
        The next call of a step waits for its end. If the next call is init_transactions() again, it
        returns the result of the cancelled call. If it is another step and the cancelled call
        failed, it raises the error of the cancelled call.
        """
        await self._step(INIT, partial(self._client.init_transactions, timeout), timeout)

    async def begin_transaction(self) -> None:
        """Begin a transaction; see Producer.begin_transaction().

        If the task is cancelled meanwhile, the producer aborts the transaction.
        """
        await self._step(BEGIN, self._client.begin_transaction, -1)

    async def send_offsets_to_transaction(
        self, positions: list[TopicPartition], group_metadata: Any, timeout: float = -1
    ) -> None:
        """Add offsets to the transaction; see Producer.send_offsets_to_transaction()."""
        send = self._client.send_offsets_to_transaction
        await self._step(SEND_OFFSETS, partial(send, positions, group_metadata, timeout), timeout)

    async def commit_transaction(self, timeout: float = -1) -> None:
        """Flush and commit; see Producer.commit_transaction()."""
        await self._step(COMMIT, partial(self._client.commit_transaction, timeout), timeout)

    async def abort_transaction(self, timeout: float = -1) -> None:
        """Abort the transaction; see Producer.abort_transaction()."""
        await self._step(ABORT, partial(self._client.abort_transaction, timeout), timeout)

    async def _step(self, name: str, call: Callable[[], None], timeout: float) -> None:
        self._check_open()
        try:
            with self._ended_by_closing():
                await self._steps.take(name, call, timeout)
        finally:
            if not self._loop.is_closed():  # the loop was closed while this call was pending
                self._served_elsewhere()

    def transaction(self, timeout: float = -1) -> Transaction:
        """Return a transaction for an ``async with`` block, which begins and commits it.

        ::

            await producer.init_transactions()
            async with producer.transaction() as transaction:
                await producer.produce("topic", b"value")
                await transaction.send_offsets(consumer)

        An exception in the block aborts the transaction, and so does a commit that fails for good.
        If the task is cancelled while the block begins, the producer aborts the transaction. If it
        is cancelled while the block ends, the commit or abort continues, and the next block waits
        for it.

        Args:
            timeout: seconds for each of its requests; -1 waits for the rest of
                transaction.timeout.ms.

        Returns:
            The transaction. It can be entered once.
        """
        return Transaction(self, timeout)

    async def close(self, timeout: float = -1) -> bool:
        """Flush, then close the client. After that, all futures are settled.

        Cancelling the task that waits does not stop the closing. The closing does not delay the end
        of the process. If an exception or a cancellation ends an ``async with`` block, the block
        flushes for at most 5 s. Closing a closed client does nothing.

        Args:
            timeout: seconds to flush; after that the remaining messages are dropped, as by
                purge(). -1 flushes without limit (at most until the delivery.timeout.ms of each
                message).

        Returns:
            True.

        Raises:
            RuntimeError: called from one of the client's callbacks, or from another event loop.
        """
        deadline(self._loop, timeout)  # raises if the timeout is not a number
        if self._closing is None:
            self._close_timeout = timeout
            self._undelivered = len(self._client)
        return await super().close()

    def _what_is_left(self) -> str:
        return f"; messages that were not delivered when it began: {self._undelivered}"

    def __len__(self) -> int:
        """The number of outstanding messages and delivery reports."""
        return len(self._client)

    def __bool__(self) -> bool:
        return True

    def _make_client(self, conf: dict[str, Any]) -> Producer:
        return Producer(conf)

    def _close_client(self) -> None:
        self._client.close(self._close_timeout)

    def _make_readiness(self) -> Readiness:
        return Readiness(self._client, self._loop, self._serve)

    def _callback_failed(self, error: BaseException) -> None:
        self._loop.call_exception_handler(
            {"message": "a callback of AIOProducer failed", "exception": error}
        )

    def _served_elsewhere(self) -> None:
        super()._served_elsewhere()
        self._serve()

    def _refused(self, error: KafkaException) -> asyncio.Future[Message]:
        delivery: asyncio.Future[Message] = self._create_future()
        delivery.set_exception(error)
        return delivery

    async def _produce_slowly(
        self, on_delivery: OnDelivery | None, fields: tuple[Any, ...]
    ) -> asyncio.Future[Message]:
        """Produce with rarely needed checks: of the loop, of waiting tasks, and of room."""
        self._check_loop()
        if not self._client._is_turn:
            await self._let_others()
        delivery: asyncio.Future[Message] = self._create_future()
        told = delivery if on_delivery is None else self._report(on_delivery, delivery)
        enqueue = partial(self._client._send, told, *fields)
        try:
            # Queue behind the calls that already wait for room; this also notices a closing client.
            if self._waiting or self._closing is not None or not enqueue():
                await self._in_turn(enqueue)
        except KafkaException as refused:
            return self._refused(refused)
        return delivery

    def _report(
        self,
        on_delivery: OnDelivery,
        delivery: asyncio.Future[Message] | Deliveries | None = None,
    ) -> Report:
        try:
            return Report(self._loop, self._callbacks, self._only_errors, on_delivery, delivery)
        except TypeError:
            self._client._check_open()  # the error of a closed client takes precedence
            raise

    async def _send_list(
        self,
        told: Any,
        topic: str,
        messages: list[Any],
        partition: int,
        wrap: Callable[[OnDelivery], Report],
    ) -> int:
        """Put messages into the queue, and return how many were enqueued."""
        self._check_loop()
        next_one = enqueued = 0

        def step() -> bool:
            nonlocal next_one, enqueued
            next_one, more = self._client._send_batch(
                told, topic, messages, partition, wrap, next_one, _LONGEST_TURN
            )
            enqueued += more
            return next_one >= len(messages)

        await self._in_turn(step)
        return enqueued

    async def _in_turn(self, step: Callable[[], bool]) -> None:
        """Repeat a step whenever there is room, until it returns True. Calls wait in FIFO order."""
        self._waiting += 1
        try:
            with self._ended_by_closing():
                async with self._room:
                    while not step():
                        if not self._client._is_turn:
                            await self._let_others()
                        else:
                            await self._readiness.wait(math.inf)
        finally:
            self._waiting -= 1

    def _serve(self) -> None:
        if self._closing is not None:
            return  # close() serves the remaining events
        try:
            served = self._client._settle(_LONGEST_TURN)
        except Exception as error:
            self._callback_failed(error)
        except BaseException:  # Ctrl-C in a callback has left events unserved
            self._serve_soon()
            raise
        else:
            self._served += served
            if served:
                self._readiness.wake()  # there may be room, and poll() counts served events
        # Events that arrive while the queue is not empty cause no wake-up.
        if self._is_left():
            self._serve_soon()

    def _is_left(self) -> bool:
        try:
            return self._client._queue_length() > 0
        except RuntimeError:  # the client was created before a fork
            return False

    def _serve_soon(self) -> None:
        if not self._serving:
            self._serving = True
            self._loop.call_soon(self._serve_again)

    def _serve_again(self) -> None:
        self._serving = False
        self._serve()


def _as_dict(message: Any) -> Any:
    """Return a dict, which can record a refusal. None stays None, and is refused as a mistake."""
    return message if message is None or isinstance(message, dict) else {"value": message}


def _check_number(name: str, value: float, wanted: str) -> None:
    """Check that an argument without effect is a number. Any number is accepted."""
    kinds = int if wanted == "int" else int | float
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")
