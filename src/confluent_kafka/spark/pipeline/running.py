"""Run a pipeline."""

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

# Seconds between checks of the queries.
_EVERY = 0.2
# Spark waits ten seconds for the Python process of a source or sink. This cannot be configured, and
# is too short on a busy machine.
_NOT_STARTED = "Python worker failed to connect back"
# How often a query is started without a completed micro-batch.
_STARTS = 3


class QueryFailed(RuntimeError):
    """A query ended with an error. The message contains the query and the reason."""


def _failure(name: str, error: BaseException) -> QueryFailed:
    return QueryFailed(f"query {name}: {cause(error)}")


@dataclass
class _Started:
    """A query, and the writer that can start it again."""

    writer: DataStreamWriter
    query: StreamingQuery
    starts: int = 1
    seen: int = -1  # the last micro-batch that was shown

    def start_again(self) -> bool:
        """Start the query again if Python did not start in time; return whether it was started.

        The query continues from its checkpoint, with the micro-batch that failed.
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
    """The running queries of a pipeline. `start` returns it."""

    def __init__(self) -> None:
        self._started: list[_Started] = []

    def add(self, writer: DataStreamWriter) -> None:
        """Start a query.

        Args:
            writer: the writer that starts it.
        """
        self._started.append(_Started(writer, writer.start()))

    def watch(self, show: Callable[[Progress], None], stopped: threading.Event) -> None:
        """Show each micro-batch until all queries have ended, and stop all queries at the end.

        Args:
            show: called with each micro-batch, in order.
            stopped: when it is set, the queries are stopped.

        Raises:
            QueryFailed: a query failed. The other queries have been stopped.
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
        """Stop all running queries. Each can continue from its checkpoint later."""
        with ExitStack() as stops:
            # Every query is stopped, even if stopping another one fails.
            for one in self._started:
                if one.query.isActive:
                    stops.callback(one.query.stop)

    def _runs(self) -> bool:
        """Return whether no query has failed, and at least one is running."""
        return not self._failed() and any(one.query.isActive for one in self._started)

    def _failed(self) -> list[_Started]:
        return [one for one in self._started if one.query.exception() is not None]

    def _start_again(self) -> bool:
        """Return whether queries have failed, and all of them could be started again."""
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
