"""A pipeline that runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from .failures import cause
from .model import Pipeline
from .plan import queries, views, writer
from .progress import Progress, progress

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

# Seconds between looks at the queries.
_EVERY = 0.2
# Spark gives the Python process of a source or a sink ten seconds to start, which cannot be
# configured: too short where a machine is busy, or stands still for a moment.
_NOT_STARTED = "Python worker failed to connect back"
# How often a query is started without a micro-batch of its own in between.
_STARTS = 3


class QueryFailed(RuntimeError):
    """A query ended with an error; the message says which and why."""


def _failure(name: str, error: BaseException) -> QueryFailed:
    return QueryFailed(f"query {name}: {cause(error)}")


@dataclass
class _Started:
    """A query, and what starts it once more."""

    writer: DataStreamWriter
    query: StreamingQuery
    starts: int = 1
    seen: int = -1  # the last micro-batch that was told about

    def start_again(self) -> bool:
        """Start a query that ended because Spark did not wait for Python; false for all others.

        It goes on from its checkpoint, with the micro-batch that it ended in.
        """
        if self.starts == _STARTS or _NOT_STARTED not in str(self.query.exception()):
            return False
        self.starts += 1
        try:
            self.query = self.writer.start()
        except PySparkException as error:
            raise _failure(self.query.name, error) from error
        return True


class Running:
    """The queries of a pipeline; `start` makes one."""

    def __init__(self) -> None:
        self._started: list[_Started] = []

    def add(self, writer: DataStreamWriter) -> None:
        """Start one more query.

        Args:
            writer: what starts it.
        """
        self._started.append(_Started(writer, writer.start()))

    def watch(self, show: Callable[[Progress], None], stopped: threading.Event) -> None:
        """Tell about every micro-batch until all queries have ended; leave none behind.

        Args:
            show: called with each micro-batch, in order.
            stopped: ends the queries when it is set.

        Raises:
            QueryFailed: a query failed; the others have been stopped.
        """
        try:
            more = True
            while more and not stopped.is_set():
                runs = self._runs()
                self._tell(show)
                more = runs or self._start_again()
                if more:
                    stopped.wait(_EVERY)
            for one in self._started:
                error = one.query.exception()
                if error is not None:
                    raise _failure(one.query.name, error) from error
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop the queries that still run; each can go on from its checkpoint."""
        with ExitStack() as stops:
            # Each is stopped, also where another one fails to.
            for one in self._started:
                if one.query.isActive:
                    stops.callback(one.query.stop)

    def _runs(self) -> bool:
        """Return whether none has failed, and one still runs."""
        return not self._failed() and any(one.query.isActive for one in self._started)

    def _failed(self) -> list[_Started]:
        return [one for one in self._started if one.query.exception() is not None]

    def _start_again(self) -> bool:
        """Return whether all that have failed could be started again, and there are some."""
        failed = self._failed()
        return bool(failed) and all(one.start_again() for one in failed)

    def _tell(self, show: Callable[[Progress], None]) -> None:
        for one in self._started:
            last = one.query.lastProgress
            if last is None or last.batchId <= one.seen:
                continue
            for update in one.query.recentProgress:
                if update.batchId > one.seen:
                    show(progress(update))
            one.seen = last.batchId
            one.starts = 1


def start(spark: SparkSession, pipeline: Pipeline) -> Running:
    """Start the queries of a pipeline.

    Raises:
        PipelineError: the pipeline is not valid, or Spark refuses a part of it.
        QueryFailed: a query cannot start.
    """
    made = views(spark, pipeline)
    running = Running()
    try:
        for query in queries(pipeline):
            running.add(writer(pipeline, query, made[query.input]))
    except PySparkException as error:
        running.stop()
        raise _failure(query.name, error) from error
    return running
