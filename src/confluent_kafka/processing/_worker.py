"""A consumer whose messages are handled by threads."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from types import TracebackType
from typing import Any, Self

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.serialization._clients import cluster_id_of
from confluent_kafka.serialization._coroutines import run

from ._base import LOGGER, BaseWorker, places_of, records_of
from ._dispatch import Unit, Window
from ._handling import Handling, Received
from ._outbox import Outbox
from ._settings import Settings
from ._signals import StoppingAtSignals


class Worker(BaseWorker):
    """Handles the messages of topics on several threads, and commits what is done.

    The worker joins the group ``group.id``. It commits an offset only when the handler has returned
    for every message before it. If the process is killed, another member gets the messages whose
    offsets were not committed again: at least once. When partitions are revoked, and in close(),
    the worker begins no messages after the last one that is done, waits for the handlers that run,
    and commits. So another member repeats nothing.

    ``run()`` handles messages until ``stop()``, SIGTERM or Ctrl-C. Instead, you can call ``step()``
    again and again inside a ``with`` block.

    Args:
        config: the configuration of a Consumer, with ``group.id``. Deserializers are configured as
            for a DeserializingConsumer, and run on the worker's threads.
        topics: the topics to subscribe to; ``^`` begins a regular expression.
        handler: is called with a Message, or with a list of Message if `batch` is given. The worker
            ignores what it returns. If it raises an exception, `retry` applies.
        concurrency: ``"key"``: the worker handles messages of a partition that have the same key
            one after the other, in the order of the log. Messages without a key have no order.
            ``"partition"``: it handles all messages of a partition in the order of the log.
            ``"none"``: messages have no order.
        workers: the number of threads.
        batch: how many messages the handler gets in one call at most. The messages of a call are of
            one partition, and with ``concurrency="key"`` they have the same key. A call does not
            wait until so many messages are there. If it raises an exception, all have failed.
        retry: what to do with messages whose handler failed. With None, the worker ends with the
            first exception.
        max_messages: how many messages are in flight at most: received, and not handled.
        max_bytes: how many bytes of values are in flight at most. The messages of one turn, up to
            1,000, can exceed this limit.
        commit_interval: seconds between two commits.
        drain_timeout: seconds to wait for handlers when partitions are revoked, and in close(). If
            a handler takes longer, its messages are late: another member gets them again.
        producer_config: properties for the producer that sends to delay topics and dead-letter
            topics, in addition to `config`.

    Raises:
        KafkaException: the configuration is wrong; the error names the property.
        TypeError: an argument has another type.
        ValueError: an argument is out of its range; ``group.id`` is missing; or `config` has
            ``enable.auto.commit`` or ``enable.auto.offset.store``.
    """

    def _open(self) -> None:
        settings = self._settings
        means = _Blocking(settings)
        try:
            self._consumer = Consumer(settings.consuming | {"on_commit": self._on_commit})
        except BaseException:
            run(means.close())
            raise
        settings.deserializers.set_cluster_id_resolver(cluster_id_of(self._consumer))
        self._ready: queue.SimpleQueue[Unit | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._current: list[Unit | None] = [None] * settings.workers
        self._freed = threading.Event()  # a thread has ended a unit of a closed window
        # A signal handler may call stop() at any moment. A put() into this queue never waits for a
        # lock that the interrupted code holds; threading.Event.set() would.
        self._room: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._waits_for_room = False
        self._enough = 1
        self._handling = Handling(settings, self._counters, means)
        self._stopped = False
        self._closing = threading.RLock()

    def _hand_out(self, unit: Unit) -> None:
        self._ready.put(unit)

    # The owner's thread.

    def run(self) -> None:
        """Handle messages until stop(), SIGTERM or Ctrl-C, then close the worker.

        On the main thread, the first SIGTERM or Ctrl-C lets the handlers that run end, for up to
        `drain_timeout` seconds, and the worker commits. A second Ctrl-C raises KeyboardInterrupt.

        Raises:
            Exception: a handler raised it, and `retry` has no topic for the message.
            KafkaException: the consumer failed, or a message could not be delivered to a topic.
        """
        with StoppingAtSignals(self.stop), self:
            while not self._stopped:
                self.step()

    def step(self, timeout: float = 1.0) -> int:
        """Take messages that have arrived, give them to the threads, and commit if it is time.

        Args:
            timeout: seconds to wait for messages.

        Returns:
            How many messages were done since the last call.

        Raises:
            RuntimeError: the worker is closed.
            Exception: as run(). Only close() can follow.
        """
        self._start()
        try:
            self._turn(timeout)
        except BaseException as error:
            # Messages may be lost between the consumer and the dispatch: no further turn.
            self._failed(error)
            self._is_raised = True
            raise
        if self._failure is not None:
            self._is_raised = True
            raise self._failure
        return self._new_count()

    def _turn(self, timeout: float) -> None:
        messages = self._take(self._until_next_turn(timeout))
        due, early = self._delays.split(records_of(messages), time.time())
        for place in early:
            self._consumer.pause([place])
            self._consumer.seek(place)
        self._dispatch.add(due)
        self._dispatch.collect()
        if offsets := self._offsets_if_due():
            self._consumer.commit(offsets=offsets, asynchronous=True)

    def drain(self, timeout: float = 30.0) -> bool:
        """Wait until no message is in flight, and commit.

        Args:
            timeout: seconds to wait.

        Returns:
            Whether no message is in flight.

        Raises:
            RuntimeError: the worker is closed.
            Exception: as run().
        """
        self._start()
        until = time.monotonic() + timeout
        while self._dispatch.messages and time.monotonic() < until:
            self.step(0.01)
        if offsets := self._dispatch.positions():
            self._commit(offsets)
        return not self._dispatch.messages

    def stop(self) -> None:
        """Let run() end. Another thread or a signal handler may call it."""
        self._stopped = True
        self._wake()

    def close(self) -> None:
        """Wait for the handlers that run, commit, and leave the group.

        The worker waits for up to `drain_timeout` seconds. It handles waiting messages only if a
        later message of their partition is done. Another member gets the other messages.
        """
        self._close()
        self._raise_failure()

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()
        if kind is None:
            self._raise_failure()

    def _close(self) -> None:
        self._check_thread()
        with self._closing:  # another thread that closes the worker waits
            if self._closed:
                return
            self._closed = True
            try:
                self._drain(self._dispatch.close())
            finally:  # also after a Ctrl-C
                self._has_drained = True
                self._close_clients()

    def _close_clients(self) -> None:
        try:
            self._consumer.close()
        finally:
            for _ in self._threads:
                self._ready.put(None)
            if not any(self._current):
                for thread in self._threads:
                    thread.join()
                run(self._handling.means.close())
            self._settings.deserializers.close()

    def _start(self) -> None:
        if self._closed:
            raise RuntimeError("the worker is closed: create another one")
        self._check_thread()
        if self._threads:
            return
        self._consumer.subscribe(
            self._settings.topics,
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_lost,
        )
        for number in range(self._settings.workers):
            name = f"confluent-kafka-worker-{number}"
            thread = threading.Thread(target=self._work, args=(number,), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def _check_thread(self) -> None:
        if threading.current_thread() in self._threads:
            raise RuntimeError("a handler cannot run or close its worker: call stop()")

    def _take(self, timeout: float) -> list[Message]:
        """Return messages, or wait until there is room for some."""
        consumer = self._consumer
        if self._is_paused and self._can_resume():
            waiting = self._delays.is_waiting
            here = consumer.assignment()
            consumer.resume([each for each in here if not waiting((each.topic, each.partition))])
            self._is_paused = False
        if not self._is_paused and (due := self._delays.now_due(time.time())):
            consumer.resume(due)
        room = self._room_left()
        must_pause = self._must_pause(room)
        self._enough = self._enough_done()
        self._waits_for_room = self._is_paused or not room
        try:
            if room:
                messages = consumer.consume(room, 0)
                return messages if messages or timeout <= 0 else _listed(consumer.poll(timeout))
            if not self._is_paused and not must_pause:
                if not self._dispatch.done:
                    self._wait_for_wake(timeout)
                return []
            # Partitions that were assigned since the last turn are not paused yet.
            consumer.pause(consumer.assignment())
            self._is_paused = True
            return _listed(consumer.poll(timeout))
        finally:
            self._waits_for_room = False

    def _wait_for_wake(self, seconds: float) -> None:
        """Wait until _wake() is called."""
        with contextlib.suppress(queue.Empty):
            self._room.get(timeout=seconds)
        while not self._room.empty():
            self._room.get_nowait()

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._dispatch.assign(places_of(partitions))

    def _on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        places = places_of(partitions)
        windows = self._dispatch.close(places)
        offsets: list[TopicPartition] = []
        try:
            if not self._has_drained:
                self._drain(windows)
        finally:
            # If the group assigns them again, they must not be paused.
            consumer.resume(partitions)
            self._delays.forget(places)
            offsets = self._dispatch.settle(windows)
        try:
            if offsets:
                self._commit(offsets)
        except KafkaException as error:
            LOGGER.warning("the last offsets of %s are not committed: %s", places, error)

    def _commit(self, offsets: list[TopicPartition]) -> None:
        """Commit, and wait for the answer."""
        try:
            self._consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException as error:
            if error.args[0].code() != KafkaError._INTR:  # of wakeup(), which means another call
                raise
            self._consumer.commit(offsets=offsets, asynchronous=False)

    def _on_lost(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        places = places_of(partitions)
        self._delays.forget(places)
        self._dispatch.settle(self._dispatch.close(places))
        LOGGER.warning("the group gave %s to other members before their messages were done", places)

    def _drain(self, windows: list[Window]) -> None:
        """Wait until closed windows are drained, for up to drain_timeout."""
        closed = set(windows)
        until = time.monotonic() + self._settings.drain_timeout
        # A thread reports what is done before it has nothing in hand.
        while any(unit is not None and unit[0] in closed for unit in self._current) or (
            not self._dispatch.is_drained(windows)
        ):
            left = until - time.monotonic()
            if left <= 0:
                self._warn_of_late_handlers()
                return
            self._freed.wait(min(left, 0.1))
            self._freed.clear()

    def _wake(self) -> None:
        if self._waits_for_room:
            self._room.put(None)
        with contextlib.suppress(RuntimeError):  # closed meanwhile
            self._consumer.wakeup()

    # The other threads.

    def _work(self, number: int) -> None:
        work, current, get = self._dispatch, self._current, self._ready.get
        handle = self._handle_each if self._is_simple() else self._handle_batches
        while (unit := get()) is not None:
            current[number] = unit
            try:
                handle(unit)
            except BaseException as error:
                unit[0].is_abandoned = True
                current[number] = None
                self._failed(error)
                self._freed.set()
                self._wake()
                continue
            window, key, messages = unit
            if key is not None or messages:
                work.idle.append(unit)
            current[number] = None
            if not window.is_open:
                self._freed.set()
            elif messages:  # they came just now, and the owner may not look again soon
                self._wake()
            if self._waits_for_room and len(work.done) >= self._enough:
                self._wake()

    def _handle_each(self, unit: Unit) -> None:
        (window, _, messages), done = unit, self._dispatch.done
        handler, sends = self._settings.handler, self._settings.recovery.sends
        while messages and (window.is_open or window.may_begin(messages[0])):
            message = messages.pop(0)
            # A topic gets the payload as it was before the handler got the message.
            received = Received(message, message.key(), message.value()) if sends else None
            try:
                handler(message)
            except Exception as error:
                received = received or Received(message, None, None)
                if not run(self._handling.again(window, received, error)):
                    window.is_abandoned = True
                    return
            done.append((window, (message.offset(),)))  # type: ignore[arg-type]

    def _handle_batches(self, unit: Unit) -> None:
        (window, _, messages), done = unit, self._dispatch.done
        most = self._settings.batch or 1
        while messages and (window.is_open or window.may_begin(messages[0])):
            batch = [messages.pop(0) for _ in range(min(most, len(messages)))]
            offsets: list[Any] = [message.offset() for message in batch]
            if not run(self._handling.handle(window, batch)):
                window.is_abandoned = True
                return
            done.append((window, offsets))


class _Blocking:
    """How a thread waits and sends."""

    def __init__(self, settings: Settings) -> None:
        self._handler = settings.handler
        self._outbox = Outbox(settings.producing) if settings.recovery.sends else None

    async def call(self, argument: Any) -> object:
        return self._handler(argument)

    async def is_closed_after(self, window: Window, seconds: float) -> bool:
        return window.closed.wait(seconds)

    async def send(self, topic: str, key: Any, value: Any, headers: Any) -> None:
        assert self._outbox is not None
        self._outbox.send(topic, key, value, headers)

    async def close(self) -> None:
        if self._outbox is not None:
            self._outbox.close()


def _listed(message: Message | None) -> list[Message]:
    return [] if message is None else [message]
