"""All undocumented parts of PySpark that the package uses.

Each part is imported where it is used. If a release of PySpark changes a part, only the feature
that needs it breaks, with an error that names the feature.
"""

import io
import json
import re
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import pyarrow as pa
import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSourceReader, Filter
from pyspark.sql.types import DataType, StructType

QUERY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Loggers that write every raised error, with the plan, and therefore with all options."""

_EXACTLY_ONCE = "deliveryGuarantee=exactly-once"


class UnsupportedPySpark(RuntimeError):
    """A feature needs a part of PySpark that the installed release does not have."""


class StreamingTask(NamedTuple):
    """The query, the batch and the output partition of a task."""

    query: str
    """The id in the query's checkpoint."""
    batch: int
    partition: int


def to_arrow_schema(schema: StructType) -> pa.Schema:
    """Return the Arrow schema that Spark compares record batches with.

    Raises:
        UnsupportedPySpark: this PySpark does not provide it.
    """
    with _needed_for("reading"):
        from pyspark.sql.pandas import types

        return types.to_arrow_schema(schema, timezone="UTC")


def to_arrow_type(kind: DataType) -> pa.DataType:
    """Return the Arrow type for one of Spark's types.

    Raises:
        UnsupportedPySpark: this PySpark does not provide it.
    """
    with _needed_for("decoding"):
        from pyspark.sql.pandas import types

        return types.to_arrow_type(kind, timezone="UTC")


def pickle_by_value(module: ModuleType) -> None:
    """Send a module's functions to the executors together with their code.

    Raises:
        UnsupportedPySpark: this PySpark cannot do that.
    """
    with _needed_for("a Python function that the executors do not have"):
        from pyspark import cloudpickle

        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]


class OptionalPushFilters:
    """Provides `DataSourceReader.pushFilters` also for sessions whose push-down is off.

    If push-down is off in Spark, which is the default, Spark refuses every query whose reader has
    this method. Spark recognizes the method by its ``__func__``, which this object does not have.
    Filters that are not pushed down are not lost: Spark applies them itself.

    Args:
        push: takes filters and yields the filters that Spark must apply, too.
    """

    def __init__(self, push: Callable[[Iterable[Filter]], Iterator[Filter]]) -> None:
        # It is an attribute of the instance, because a function of the class would become a method.
        self.__func__ = DataSourceReader.pushFilters
        self._push = push

    def __call__(self, filters: list[Filter]) -> Iterable[Filter]:
        return list(self._push(filters))


def streaming_task() -> StreamingTask:
    """Return the query, the batch and the partition of the task on this thread.

    Raises:
        UnsupportedPySpark: Spark does not provide them.
    """
    context = pyspark.TaskContext.get()
    if context is None:
        raise _unsupported(_EXACTLY_ONCE, "there is no TaskContext")
    query = context.getLocalProperty("sql.streaming.queryId")
    batch = context.getLocalProperty("streaming.sql.batchId")
    if query is None or batch is None:
        raise _unsupported(_EXACTLY_ONCE, "a task has no id of its query and its batch")
    return StreamingTask(query, int(batch), context.partitionId())


def checkpoint_id(spark: SparkSession, checkpoint: str) -> str:
    """Return the id of a checkpoint's query; a new checkpoint has a new id.

    Args:
        spark: the session, which reads the file from any file system.
        checkpoint: the directory of a query that has started.

    Raises:
        UnsupportedPySpark: there is no id in the place where Spark 4.3 writes it.
    """
    # Spark treats these characters as patterns.
    path = re.sub(r"([][{}*?\\])", r"\\\1", checkpoint)
    rows = spark.read.text(f"{path}/metadata").collect()
    try:
        [row] = rows
        return str(uuid.UUID(json.loads(row.value)["id"]))
    except (ValueError, LookupError, TypeError) as error:
        found = [row.value for row in rows]
        raise _unsupported(
            "writing Parquet", f"{checkpoint}/metadata has no id of a query: {found}"
        ) from error


def check_output_mode(frame: DataFrame, mode: str) -> None:
    """Check that a streaming query over a frame supports an output mode, without starting it.

    Spark itself checks this only when a query starts. With Spark Connect only the server checks it,
    because there is no JVM in this process.

    Args:
        frame: the frame that the query writes.
        mode: append, update or complete.

    Raises:
        AnalysisException: the query does not support the mode, such as ``append`` for aggregates
            without a watermark.
        UnsupportedPySpark: this PySpark does not provide it.
    """
    jvm: Any = getattr(frame.sparkSession, "_jvm", None)
    if jvm is None:
        return
    with _needed_for("checking the output mode"):
        checker = jvm.org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
        modes = jvm.org.apache.spark.sql.streaming.OutputMode
        plan = frame._jdf.queryExecution().analyzed()
        checker.checkForStreaming(plan, getattr(modes, mode.capitalize())())


def check_input_stream() -> None:
    """Check that tasks can find `input_stream`, as far as this is possible on the driver.

    Raises:
        UnsupportedPySpark: tasks cannot find it.
    """
    _message_receiver()


def input_stream() -> io.BufferedReader | io.BufferedRWPair:
    """Return the stream from which the current task reads its record batches.

    Spark does not pass this stream on. It is a local variable of the worker's main function, which
    is further up the call stack.

    Raises:
        UnsupportedPySpark: there is no such variable.
    """
    receiver = _message_receiver()
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        for local in frame.f_locals.values():
            if isinstance(local, receiver):
                stream = getattr(local, "_infile", None)
                if isinstance(stream, io.BufferedReader | io.BufferedRWPair):
                    return stream
        frame = frame.f_back
    raise _unsupported(_EXACTLY_ONCE, "a task does not find the stream of its rows")


def _message_receiver() -> type:
    with _needed_for(_EXACTLY_ONCE):
        from pyspark import messages

        return messages.SparkSocketMessageReceiver


@contextmanager
def _needed_for(feature: str) -> Iterator[None]:
    try:
        yield
    except (ImportError, AttributeError) as error:
        raise _unsupported(feature, str(error)) from error


def _unsupported(feature: str, reason: str) -> UnsupportedPySpark:
    return UnsupportedPySpark(
        f"{feature} does not work with PySpark {pyspark.__version__}: {reason}. Use PySpark 4.3"
    )
