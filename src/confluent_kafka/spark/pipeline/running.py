"""A pipeline that runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from .failures import cause
from .model import Pipeline
from .plan import queries, views, writer
from .progress import Progress, progress

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

# Seconds between looks at the queries.
_EVERY = 0.2


class QueryFailed(RuntimeError):
    """A query ended with an error; the message says which and why."""


class Running:
    """The queries of a pipeline; `start` makes one.

    Args:
        started: the queries.
    """

    def __init__(self, started: list[StreamingQuery]) -> None:
        self.queries = started
        self._seen: dict[str, int] = {}

    def watch(self, show: Callable[[Progress], None], stopped: threading.Event) -> None:
        """Tell about every micro-batch until all queries have ended; leave none behind.

        Args:
            show: called with each micro-batch, in order.
            stopped: ends the queries when it is set.

        Raises:
            QueryFailed: a query failed; the others have been stopped.
        """
        try:
            active = True
            while active and not stopped.is_set():
                active = all(query.exception() is None for query in self.queries) and any(
                    query.isActive for query in self.queries
                )
                self._tell(show)
                if active:
                    stopped.wait(_EVERY)
            for query in self.queries:
                error = query.exception()
                if error is not None:
                    raise QueryFailed(f"query {query.name}: {cause(error)}") from error
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop the queries that still run; each can go on from its checkpoint."""
        with ExitStack() as stops:
            # Each is stopped, also where another one fails to.
            for query in self.queries:
                if query.isActive:
                    stops.callback(query.stop)

    def _tell(self, show: Callable[[Progress], None]) -> None:
        for query in self.queries:
            last = query.lastProgress
            seen = self._seen.get(query.name, -1)
            if last is None or last.batchId <= seen:
                continue
            for update in query.recentProgress:
                if update.batchId > seen:
                    show(progress(update))
            self._seen[query.name] = last.batchId


def start(spark: SparkSession, pipeline: Pipeline) -> Running:
    """Start the queries of a pipeline.

    Raises:
        PipelineError: the pipeline is not valid, or Spark refuses a part of it.
        QueryFailed: a query cannot start.
    """
    made = views(spark, pipeline)
    running = Running([])
    try:
        for query in queries(pipeline):
            running.queries.append(writer(pipeline, query, made[query.input]).start())
    except PySparkException as error:
        running.stop()
        raise QueryFailed(f"query {query.name}: {cause(error)}") from error
    return running
