"""Sends messages and counts how many are delivered."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaError, Message, Producer
from confluent_kafka.cli.base.ending import configuring, fail
from confluent_kafka.cli.messages.encoding import Encoder, Misfit, encode_messages
from confluent_kafka.cli.messages.inputs import Input

if TYPE_CHECKING:
    from confluent_kafka.cli.messages.load_progress import LoadProgress
    from confluent_kafka.cli.messages.sending_display import Display
    from confluent_kafka.cli.messages.transacting import Transactions


# How many seconds the messages on their way have after Ctrl-C.
_GRACE = 5.0


class NoMessage(Exception):
    """A part of the input is not a message."""


class Sender:
    """Sends messages, counts how many are delivered, and shows that on a display.

    Args:
        producer: the producer.
        topic: the topic.
        partition: the partition of messages that name none.
        display: the display; None shows nothing.
        encoders: the encoders of "key" and "value". Other parts are sent as they are.
        transactions: None sends without transactions.
        progress: records how many messages are delivered, and shows which messages need not be
            sent. None sends all messages.
    """

    def __init__(
        self,
        producer: Producer,
        topic: str,
        partition: int,
        display: Display | None,
        encoders: Mapping[str, Encoder],
        transactions: Transactions | None,
        progress: LoadProgress | None = None,
    ) -> None:
        self._progress = progress
        self._reached: tuple[str, int] | None = None
        self._encoders = encoders
        self._transactions = transactions
        self._producer = producer
        self._topic = topic
        self._partition = partition
        self._display = display
        self._read = 0
        self._sent = 0
        self._delivered = 0
        self._failed = 0
        self._first_error: KafkaError | None = None

    def send(self, source: Input) -> None:
        """Enqueue all records. If a record is not a message, the records before it are sent.

        Args:
            source: the records.
        """
        number = 0
        skipped = 0 if self._progress is None else self._progress.delivered(source.name)
        if skipped and source.skip is not None:
            source.skip(skipped)
            number = skipped
        for batch in source.batches:
            self._read += source.measure(batch)
            new = batch[max(0, skipped - number) :]
            number += len(batch) - len(new)
            lines: list[bytes] = []
            messages, wrong = self._messages(new, source, lines)
            for part in self._transactions.parts(messages) if self._transactions else [messages]:
                self._enqueue(part)
            if lines:
                sys.stdout.buffer.writelines(lines[: len(messages)])
                sys.stdout.buffer.flush()
            number += len(messages)
            self._reached = (source.name, number)
            if wrong is not None:
                self._store_progress()
                raise NoMessage(f"{number + 1}: {wrong}")
            if self._progress is not None and self._progress.is_due():
                self._store_progress()
        self._store_progress()

    def _messages(
        self, batch: list[Any], source: Input, lines: list[bytes]
    ) -> tuple[list[dict[str, Any]], ValueError | None]:
        """Return the messages up to the first invalid record, and the error of this record.

        Args:
            batch: the records.
            source: where they come from.
            lines: gets what stdout shows of the records, as they were before they were encoded.
        """
        messages: list[dict[str, Any]] = []
        wrong: ValueError | None = None
        for record in batch:
            try:
                messages.append(source.make(record))
            except ValueError as error:
                wrong = error
                break
            if source.line is not None:
                lines.append(source.line(record, messages[-1]))
        try:
            encode_messages(messages, self._encoders)
        except Misfit as error:
            return messages[: error.place], error
        return messages, wrong

    def _enqueue(self, messages: list[dict[str, Any]]) -> None:
        enqueued = self._producer.produce_batch(
            self._topic, messages, self._partition, on_delivery=self._on_delivery, block=-1
        )
        self._sent += len(messages)
        if enqueued < len(messages):
            for message in messages:
                if "_error" in message:
                    self._count_failure(message["_error"])
        self._producer.poll(0)
        self._show()

    def _store_progress(self, timeout: float = -1) -> None:
        """Wait until all messages are delivered, and record that."""
        if self._progress is None or self._reached is None:
            return
        left = self._producer.flush(timeout)
        if not left and not self._failed:
            self._progress.store(*self._reached)

    def finish(self, timeout: float, refused: str | None) -> None:
        """Wait until the messages on their way are delivered.

        Args:
            timeout: how many seconds to wait.
            refused: the reason why the input was not read to its end, or None.
        """
        if self._transactions is not None and (self._failed or refused is not None):
            self._transactions.abort()
        elif self._transactions is not None:
            self._transactions.commit()
        left = self._producer.flush(timeout)
        self._show()
        if left:
            self._failed += left
            self._first_error = self._first_error or KafkaError(
                KafkaError._TIMED_OUT, f"{left:,} not delivered within {timeout:g} s"
            )

    def abandon(self, timeout: float, quiet: bool) -> None:
        """Wait for the messages on their way, and report how many messages were delivered.

        Another Ctrl-C ends the wait.

        Args:
            timeout: how many seconds to wait.
            quiet: whether to report nothing.
        """
        try:
            if self._transactions is not None:
                self._transactions.abort()
            self._producer.flush(timeout)
            self._store_progress(0)
        finally:
            if not quiet and self._transactions is not None:
                print(f"{self._transactions.committed:,} committed", file=sys.stderr)
            elif not quiet:
                lost = self._failed + len(self._producer)
                print(f"{self._delivered:,} delivered, {lost:,} not delivered", file=sys.stderr)

    def conclude(self, refused: str | None, quiet: bool) -> None:
        """Report the outcome. The status is 1 if a message was invalid or not delivered.

        Args:
            refused: the reason why the input was not read to its end, or None.
            quiet: whether to report no numbers.
        """
        if not quiet and self._transactions is not None:
            print(f"{self._transactions.committed:,} committed", file=sys.stderr)
        elif not quiet:
            print(f"{self._delivered:,} delivered, {self._failed:,} failed", file=sys.stderr)
        if refused is not None:
            fail(refused)
        if self._first_error is not None:
            fail(f"topic {self._topic!r}: {self._first_error.str()}")

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self._delivered += 1
        else:
            self._count_failure(error)

    def _count_failure(self, error: KafkaError) -> None:
        self._failed += 1
        self._first_error = self._first_error or error

    def _show(self) -> None:
        if self._display is not None and self._sent:
            done = self._delivered + self._failed
            self._display.update(self._delivered, self._read * done / self._sent)


def send_inputs(
    topic: str,
    partition: int,
    config: dict[str, Any],
    inputs: list[Input],
    encoders: Mapping[str, Encoder],
    transaction_size: int | None,
    timeout: float,
    quiet: bool,
    resume: Callable[[str], LoadProgress] | None = None,
) -> None:
    """Send the messages of all inputs, and report the outcome.

    Args:
        topic: the topic.
        partition: the partition of messages that name none.
        config: the configuration of the producer.
        inputs: the inputs.
        encoders: the encoders of keys and values.
        transaction_size: how many messages a transaction has; None for no transactions.
        timeout: how many seconds to wait for the cluster, and at the end for deliveries.
        quiet: whether to show neither progress nor a summary.
        resume: returns the progress of an earlier run, for the id of the cluster. None sends all
            messages.
    """
    if transaction_size is not None:
        from confluent_kafka.cli.messages.transacting import Transactions, transactional

        config = transactional(config)
    with configuring():
        producer = Producer(config)
    try:
        producer.connect(timeout)
        transactions = (
            None if transaction_size is None else Transactions(producer, transaction_size, timeout)
        )
        progress = None
        if resume is not None:
            progress = resume(str(producer.list_topics(topic, timeout).cluster_id))
        # A display would overwrite what is typed, and what is printed.
        printed = sys.stdout.isatty() and any(one.line is not None for one in inputs)
        typed = printed or any(one.typed for one in inputs)
        display = None
        if not quiet and not typed and sys.stderr.isatty():
            from confluent_kafka.cli.messages.sending_display import Display

            sizes = [one.size for one in inputs]
            display = Display(None if None in sizes else sum(size or 0 for size in sizes))
        sender = Sender(producer, topic, partition, display, encoders, transactions, progress)
        try:
            with display or contextlib.nullcontext():
                refused = _send_all(sender, inputs)
                sender.finish(timeout, refused)
        except (KeyboardInterrupt, OSError):  # OSError: stdin cannot be read, or stdout written
            sender.abandon(min(timeout, _GRACE), quiet)
            raise
    finally:
        producer.close(0)
    sender.conclude(refused, quiet)


def _send_all(sender: Sender, inputs: list[Input]) -> str | None:
    """Send the messages of all sources. Stop at the first invalid one, and return the reason."""
    try:
        for one in inputs:
            try:
                sender.send(one)
            except NoMessage as error:
                return f"{one.name}, message {error}"
        return None
    finally:
        for one in inputs:
            one.close()
