"""Exactly once: each task writes its rows and which batch they are of in one transaction.

The transactional id names the query and the task's partition. Registering it fences whoever had
it before, after which the marker is final: either the batch is in, and there is nothing to do, or
it is not, and no earlier attempt can bring it in any more.
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
    """A batch that is in Kafka already came again with other rows."""


class _Overtaken(Exception):
    """A producer of an earlier task was fenced since: a new one has to take its place."""


@dataclass(frozen=True)
class Task:
    """What a task writes: a batch of a query, in one of the query's output partitions."""

    query: str
    batch: int
    partition: int

    @staticmethod
    def current() -> "Task":
        """Return what the task that this thread runs writes."""
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
    """Write the rows of one task, unless an earlier attempt has.

    Args:
        batches: the rows.
        source: tells whether these are all of them.
        task: which batch and which partition they are of.
        options: with `WriteOptions.transactions`.
        columns: which columns are written.

    Raises:
        KafkaException: a row was refused or not delivered, or a later attempt of the task has
            taken its place. Nothing of this attempt can be read then with
            ``isolation.level=read_committed``.
        ValueError: a row has no topic, or a partition that cannot be; the same holds.
        IncompleteInput: Spark failed to compute the rows; the same holds.
        PlanChanged: an earlier attempt had other rows.
    """
    settings = options.transactions
    assert settings is not None
    identity = f"{settings.id_prefix}-{task.query}-{task.partition}"
    config = transactions.transactional_config(options.kafka, identity)
    batches = filter(operator.attrgetter("num_rows"), batches)
    first = next(batches, None)
    if first is None:
        # Nothing to write needs no transaction, but an earlier attempt may have written something.
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
    """Whether the batch is in Kafka already.

    Raises:
        PlanChanged: a later one is, so this one is not what comes next.
    """
    if marker is None:
        return False
    if marker.next_batch > task.batch + 1:
        raise PlanChanged(
            f"{task}: batch {marker.next_batch - 1} is in Kafka already (group {identity!r}). The "
            "checkpoint is older than what was written, or another run of the query uses it"
        )
    return marker.next_batch == task.batch + 1


def _compare(task: Task, marker: Marker | None, contents: Contents) -> None:
    """Check that a batch that is in has the rows that this attempt has.

    Raises:
        PlanChanged: it has not.
    """
    assert marker is not None
    written = marker.contents
    if written is None or written == contents:
        return
    what = f"{written.rows} rows and this one has {contents.rows}"
    if written.rows == contents.rows:
        what = f"{written.rows} rows and this one has as many, but others"
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
        """Whether the batch is in Kafka already.

        Raises:
            PlanChanged: a later one is, so this one is not what comes next.
        """
        return _is_in(self._task, self._producer.marker(self._topic), self._producer.id)

    def skip(
        self, batches: Iterator[pa.RecordBatch], source: TaskInput, columns: Sequence[str]
    ) -> Written:
        """Read the rows, which are in already, and check that they are the same ones."""
        contents = sum((_contents(batch, columns) for batch in batches), start=Contents())
        source.check_complete()
        _compare(self._task, self._producer.marker(self._topic), contents)
        return Written(0)

    def begin(self) -> None:
        """Begin the transaction.

        Raises:
            _Overtaken: the producer is left from an earlier task, and another process has
                written for this partition since.
        """
        self._producer.producer.begin_transaction()
        if not self._left_over:
            return
        try:
            # Of no effect, since a later one goes before it, but refused if fenced.
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
