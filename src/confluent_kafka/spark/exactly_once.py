"""Exactly once: each task writes its rows and the number of their batch in one transaction.

The transactional id names the query and the task's partition. A task first registers this id, which
fences every earlier producer with it. From then on no earlier attempt can change the number (the
marker). If the marker contains the batch, the batch is in Kafka and nothing is left to do.
Otherwise this attempt writes it.
"""

import itertools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cimpl import _row_digest

from . import transactions
from .pyspark_internals import streaming_task
from .sending import Sender
from .task_input import TaskInput
from .transactions import Contents, Marker, TransactionalProducer
from .write_options import WriteOptions
from .writer import Written


class PlanChanged(RuntimeError):
    """A batch that is already in Kafka came again with other rows."""


class _Overtaken(Exception):
    """A producer of an earlier task was fenced meanwhile: a new producer must replace it."""


@dataclass(frozen=True)
class Task:
    """The output of a task: one partition of one batch of a query."""

    query: str
    batch: int
    partition: int

    @staticmethod
    def current() -> "Task":
        """Return the output of the task that runs on this thread."""
        return Task(*streaming_task())

    def __str__(self) -> str:
        return f"batch {self.batch} of query {self.query}, task {self.partition}"


def write_exactly_once(
    batches: Iterator[pa.RecordBatch],
    source: TaskInput,
    task: Task,
    options: WriteOptions,
    columns: Sequence[str],
) -> Written:
    """Write the rows of one task, unless an earlier attempt has written them.

    Args:
        batches: the rows.
        source: shows whether all rows have arrived.
        task: the batch and the partition of the rows.
        options: with `WriteOptions.transactions`.
        columns: which columns are written.

    Raises:
        KafkaException: a row was refused or not delivered, or a later attempt of the task has
            replaced this one. Readers with ``isolation.level=read_committed`` then see no row of
            this attempt.
        ValueError: a row has no topic, or its partition does not exist; readers see no row either.
        IncompleteInput: Spark failed to compute the rows; readers see no row either.
        PlanChanged: an earlier attempt had other rows.
    """
    settings = options.transactions
    assert settings is not None
    identity = f"{settings.id_prefix}-{task.query}-{task.partition}"
    config = transactions.transactional_config(options.kafka, identity)
    batches = filter(operator.attrgetter("num_rows"), batches)
    first = next(batches, None)
    if first is None:
        # Without rows no transaction is needed, but an earlier attempt may have written some.
        source.check_complete()
        marker = transactions.fetch_marker(config, settings.marker_topic)
        if _is_in(task, marker, identity):
            _compare(task, marker, Contents())
        return Written(0)
    batches = itertools.chain([first], batches)
    while True:
        try:
            with transactions.producers.borrow(config) as producer:
                attempt = _Attempt(producer, task, settings.marker_topic)
                if attempt.is_in():
                    return attempt.skip(batches, source, columns)
                attempt.begin()
                sender = Sender(producer.producer, options.topic, columns)
                return attempt.write(batches, source, sender, columns)
        except _Overtaken:
            continue


def _is_in(task: Task, marker: Marker | None, identity: str) -> bool:
    """Return whether the batch is already in Kafka.

    Raises:
        PlanChanged: a later batch is already in Kafka, so this batch is not the next one.
    """
    if marker is None:
        return False
    if marker.next_batch > task.batch + 1:
        raise PlanChanged(
            f"{task}: batch {marker.next_batch - 1} is in Kafka already (group {identity!r}). The "
            "checkpoint is older than this batch, or another run of the query uses it, too"
        )
    return marker.next_batch == task.batch + 1


def _compare(task: Task, marker: Marker | None, contents: Contents) -> None:
    """Check that a batch in Kafka has the same rows as this attempt.

    Raises:
        PlanChanged: it has other rows.
    """
    assert marker is not None
    written = marker.contents
    if written is None or written == contents:
        return
    what = f"{written.rows} rows, but this attempt has {contents.rows}"
    if written.rows == contents.rows:
        what = f"{written.rows} rows, and this attempt has as many, but other rows"
    raise PlanChanged(
        f"{task}: an earlier attempt wrote {what}. Exactly once needs a batch to have the same "
        "rows in the same tasks whenever it is run; nothing more was written"
    )


def _contents(batch: pa.RecordBatch, columns: Sequence[str]) -> Contents:
    return Contents(batch.num_rows, _row_digest(batch.select(columns)))


class _Attempt:
    """One attempt of a task, with a producer of its own."""

    def __init__(self, producer: TransactionalProducer, task: Task, marker_topic: str) -> None:
        self._producer = producer
        self._task = task
        self._topic = marker_topic
        self._left_over = producer.lent_before
        producer.lent_before = True

    def is_in(self) -> bool:
        """Return whether the batch is already in Kafka.

        Raises:
            PlanChanged: a later batch is already in Kafka, so this batch is not the next one.
        """
        return _is_in(self._task, self._producer.marker(self._topic), self._producer.id)

    def skip(
        self, batches: Iterator[pa.RecordBatch], source: TaskInput, columns: Sequence[str]
    ) -> Written:
        """Read the rows, and check that they are the same as the rows in Kafka."""
        contents = sum((_contents(batch, columns) for batch in batches), start=Contents())
        source.check_complete()
        _compare(self._task, self._producer.marker(self._topic), contents)
        return Written(0)

    def begin(self) -> None:
        """Begin the transaction.

        Raises:
            _Overtaken: the producer comes from an earlier task, and another process has written for
                this partition since then.
        """
        self._producer.producer.begin_transaction()
        if not self._left_over:
            return
        try:
            # A later marker replaces this one. The brokers refuse it if the producer is fenced.
            self._producer.mark(self._topic, Marker(self._task.batch, None))
        except KafkaException as failure:
            if transactions.is_fenced(failure):
                raise _Overtaken from None
            raise

    def write(
        self,
        batches: Iterator[pa.RecordBatch],
        source: TaskInput,
        sender: Sender,
        columns: Sequence[str],
    ) -> Written:
        """Write the rows and commit them with the marker."""
        contents = Contents()
        try:
            for batch in batches:
                sender.send(batch)
                contents += _contents(batch, columns)
            sender.flush()
            source.check_complete()
            self._producer.commit(self._topic, Marker(self._task.batch + 1, contents))
        except KafkaException as failure:
            if not transactions.is_fenced(failure):
                raise
            raise self._fenced(failure.args[0]) from None
        return Written(contents.rows)

    def _fenced(self, error: KafkaError) -> KafkaException:
        return KafkaException(
            KafkaError(
                error.code(),
                f"{self._task}: another attempt of this task has taken over "
                f"transactional.id {self._producer.id!r}, or the task took longer than option "
                f"kafka.transaction.timeout.ms; nothing of this attempt is visible to "
                f"read_committed readers: {error.str()}",
            )
        )
