"""Everything that the package uses of PySpark and that PySpark does not document.

Each part is imported where it is used. A release of PySpark that changes one of them breaks only
the feature that needs it, with an error that says so.
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
"""Loggers that write every error that is raised, with the plan and so with all options."""

_EXACTLY_ONCE = "deliveryGuarantee=exactly-once"


class UnsupportedPySpark(RuntimeError):
    """A feature needs a part of PySpark that the installed version does not have."""


class StreamingTask(NamedTuple):
    """Which part of a streaming query a task is."""

    query: str
    """The id that the query's checkpoint keeps."""
    batch: int
    partition: int


def to_arrow_schema(schema: StructType) -> pa.Schema:
    """Return the Arrow schema that Spark compares record batches with.

    Raises:
        UnsupportedPySpark: this PySpark does not say.
    """
    with _needed_for("reading"):
        from pyspark.sql.pandas import types

        return types.to_arrow_schema(schema, timezone="UTC")


def to_arrow_type(kind: DataType) -> pa.DataType:
    """Return the Arrow type that Spark takes for one of its own.

    Raises:
        UnsupportedPySpark: this PySpark does not say.
    """
    with _needed_for("decoding"):
        from pyspark.sql.pandas import types

        return types.to_arrow_type(kind, timezone="UTC")


def pickle_by_value(module: ModuleType) -> None:
    """Send a module's functions to the executors with their code.

    Raises:
        UnsupportedPySpark: this PySpark cannot.
    """
    with _needed_for("a Python function that the executors do not have"):
        from pyspark import cloudpickle

        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]


class OptionalPushFilters:
    """The method `DataSourceReader.pushFilters`, without the demand that push-down is on.

    A reader with such a method cannot be used at all while push-down is off in Spark, as it is by
    default: Spark refuses every query then. It knows the method by its ``__func__``. Nothing is
    lost with the filters that are not pushed: Spark applies them itself.

    Args:
        push: takes filters and yields those that Spark must apply too.
    """

    def __init__(self, push: Callable[[Iterable[Filter]], Iterator[Filter]]) -> None:
        # An attribute of the instance: one of the class would become a method.
        self.__func__ = DataSourceReader.pushFilters
        self._push = push

    def __call__(self, filters: list[Filter]) -> Iterable[Filter]:
        return list(self._push(filters))


def streaming_task() -> StreamingTask:
    """Return which part of a streaming query the task of this thread is.

    Raises:
        UnsupportedPySpark: Spark does not say.
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
    """Return the id of the query that a checkpoint belongs to; a new checkpoint has a new one.

    Args:
        spark: reads the file, on whichever file system it is.
        checkpoint: the directory of a query that has started.

    Raises:
        UnsupportedPySpark: there is none where Spark 4.3 writes it.
    """
    # Spark takes these for patterns.
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
    """Check that a streaming query over a frame can have an output mode, without starting it.

    Spark does so itself when a query starts, and only then; so does the server of a session of
    Spark Connect, which has no JVM here to ask.

    Args:
        frame: what the query reads.
        mode: append, update or complete.

    Raises:
        AnalysisException: it cannot, such as aggregates without a watermark that are appended.
        UnsupportedPySpark: this PySpark does not say.
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
    """Check on the driver that tasks can find `input_stream`, as far as that is known there.

    Raises:
        UnsupportedPySpark: they cannot.
    """
    _message_receiver()


def input_stream() -> io.BufferedReader | io.BufferedRWPair:
    """Return the stream that the current task reads its record batches from.

    Spark hands it to nobody: it is found in a local variable of the worker's main function, which
    has called the caller of this one.

    Raises:
        UnsupportedPySpark: it is not there.
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
