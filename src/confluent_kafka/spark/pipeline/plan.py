"""Turn a declared pipeline into Spark's views and queries."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the usual name

from confluent_kafka.spark.pyspark_internals import (
    check_output_mode,
    checkpoint_id,
    pickle_by_value,
)
from confluent_kafka.spark.write_options import write_options

from .check import check, function
from .decoding import decoded, needs_headers
from .failures import cause
from .graph import order
from .model import ONE_COLUMN, Encoding, Pipeline, Sink, Step, Watermark
from .problems import Key, PipelineError, Problem
from .settings import exactly_once, read_settings, write_settings

if TYPE_CHECKING:
    from pyspark.sql.streaming.readwriter import DataStreamWriter


@dataclass(frozen=True)
class Query:
    """A streaming query: one view, and the sinks that its rows go to."""

    name: str
    """The name, which is the same in each run: it is also the name of the checkpoint directory."""
    input: str
    sinks: dict[str, Sink]

    @property
    def topic(self) -> Sink | None:
        """The only sink, if it is a topic. Spark can then write to it directly.

        It is None in the mode update, which Spark does not support for data sources in Python.
        """
        [first, *others] = self.sinks.values()
        alone = first.format == "topic" and not others
        return first if alone and first.output_mode != "update" else None


def queries(pipeline: Pipeline) -> list[Query]:
    """Return the queries of a pipeline: one for each view that has sinks.

    All sinks of a view share a query, which reads the topics once and has one state. So all sinks
    get the same rows. A topic with exactly-once delivery has its own query, because the writer of a
    query owns the transactions.
    """
    found: dict[str, Query] = {}
    for name, sink in pipeline.sinks.items():
        query = f"{sink.input}.{name}" if exactly_once(sink) else sink.input
        found.setdefault(query, Query(query, sink.input, {})).sinks[name] = sink
    return list(found.values())


def views(spark: SparkSession, pipeline: Pipeline) -> dict[str, DataFrame]:
    """Return the views of a pipeline by name. They are also temporary views of the session.

    Raises:
        PipelineError: the pipeline is not valid, or Spark refuses a part of it.
    """
    if problems := check(pipeline):
        raise PipelineError(problems)
    made: dict[str, DataFrame] = {}
    for name in pipeline.sources:
        made[name] = source_view(spark, pipeline, name)
        made[name].createOrReplaceTempView(name)
    for name in order(pipeline)[0]:
        frames = {other.lower(): frame for other, frame in made.items()}
        made[name] = step_view(spark, pipeline, name, frames.__getitem__)
        made[name].createOrReplaceTempView(name)
    for name, sink in pipeline.sinks.items():
        with _blaming(("sinks", name)):
            # Otherwise Spark would check these columns only in the first micro-batch.
            made[sink.input].select(*sink.partition_by)
            if sink.format == "topic":
                _check_payloads(pipeline, sink, messages(sink, made[sink.input]))
        with _blaming(("sinks", name, "output_mode")):
            check_output_mode(made[sink.input], sink.output_mode)
    return made


def source_view(spark: SparkSession, pipeline: Pipeline, name: str) -> DataFrame:
    """Return the view of a source.

    Raises:
        PipelineError: Spark or the registry refuses it.
    """
    source, key = pipeline.sources[name], ("sources", name)
    with _blaming(key):
        frame = spark.readStream.format("rdkafka").options(**_read_options(pipeline, name))
        view = decoded(frame.load(), pipeline, source)
        if source.columns:
            view = view.select(*source.columns)
    return _watermarked(view, source.watermark, key)


def step_view(
    spark: SparkSession, pipeline: Pipeline, name: str, view_of: Callable[[str], DataFrame]
) -> DataFrame:
    """Return the view of a step.

    Args:
        spark: the session, which has the views that SQL reads.
        pipeline: the pipeline.
        name: the step.
        view_of: returns the view with a name, which is in lower case.

    Raises:
        PipelineError: Spark refuses it.
    """
    step, key = pipeline.steps[name], ("steps", name)
    if step.sql is not None:
        with _blaming((*key, "sql")):
            view = spark.sql(step.sql)
    else:
        view = _mapped(view_of((step.input or "").lower()), step, key)
    return _watermarked(view, step.watermark, key)


def writer(pipeline: Pipeline, query: Query, view: DataFrame) -> DataStreamWriter:
    """Return a query, ready to start."""
    topic = query.topic
    if topic is not None:
        options = write_settings(pipeline, topic)
        prepared = messages(topic, view).writeStream.format("rdkafka").options(**options)
    else:
        prepared = view.writeStream.foreachBatch(_Batches(pipeline, query))
    [mode] = {sink.output_mode for sink in query.sinks.values()}
    prepared = (
        prepared.queryName(query.name)
        .outputMode(mode)
        .option("checkpointLocation", _checkpoint(pipeline, query))
    )
    if pipeline.trigger == "availableNow":
        return prepared.trigger(availableNow=True)
    return prepared.trigger(processingTime=pipeline.trigger)


def plans(spark: SparkSession, pipeline: Pipeline) -> Iterator[tuple[Query, str]]:
    """Yield the queries of a pipeline with Spark's plan of each.

    Raises:
        PipelineError: the pipeline is not valid, or Spark refuses a part of it.
    """
    made = views(spark, pipeline)
    for query in queries(pipeline):
        text = io.StringIO()
        with redirect_stdout(text):
            # The result of spark.sql() does not show that it reads streams; a query over it does.
            made[query.input].select("*").explain()
        yield query, text.getvalue().strip()


def _checkpoint(pipeline: Pipeline, query: Query) -> str:
    return f"{pipeline.checkpoint.rstrip('/')}/{query.name}"


class _Batches:
    """Writes each micro-batch of a query to all its sinks."""

    def __init__(self, pipeline: Pipeline, query: Query) -> None:
        self._pipeline = pipeline
        self._sinks = query.sinks
        self._checkpoint = _checkpoint(pipeline, query)
        self._id: str | None = None

    def __call__(self, rows: DataFrame, batch: int) -> None:
        if len(self._sinks) == 1:
            self._write(rows, batch)
            return
        # Without this, each write would compute the rows and their state again.
        rows.persist()
        try:
            self._write(rows, batch)
        finally:
            rows.unpersist()

    def _write(self, rows: DataFrame, batch: int) -> None:
        for name, sink in self._sinks.items():
            if sink.format == "topic":
                _write_topic(self._pipeline, sink, rows)
            elif sink.format == "parquet":
                self._write_parquet(sink, rows, batch)
            elif sink.format == "jdbc":
                rows.write.format("jdbc").mode("append").options(**sink.options).save()
            else:
                print(f"{name}, batch {batch}", flush=True)
                rows.show(int(sink.options.get("numRows", "20")), truncate=False)

    def _write_parquet(self, sink: Sink, rows: DataFrame, batch: int) -> None:
        """Write the files of a micro-batch, and replace the files of an earlier attempt.

        A query with a new checkpoint counts its batches from 0 again. The id of the checkpoint in
        the path protects the files of other queries, and of the same query with another checkpoint.
        """
        if self._id is None:
            self._id = checkpoint_id(rows.sparkSession, self._checkpoint)
        (
            rows.write.mode("overwrite")
            .options(**sink.options)
            # Replace all files of the attempt, not only those in directories that have new rows.
            .option("partitionOverwriteMode", "static")
            .partitionBy(*sink.partition_by)
            .parquet(f"{(sink.path or '').rstrip('/')}/query={self._id}/batch={batch:05}")
        )


def _write_topic(pipeline: Pipeline, sink: Sink, rows: DataFrame) -> None:
    (
        messages(sink, rows)
        .write.format("rdkafka")
        .options(**write_settings(pipeline, sink))
        .mode("append")
        .save()
    )


def messages(sink: Sink, rows: DataFrame) -> DataFrame:
    """Return the messages for the rows of a view, in the form that the data source writes."""
    columns = [_encoded(sink.value).alias("value")]
    if sink.key is not None:
        columns.append(_encoded(sink.key).alias("key"))
    if sink.headers is not None:
        columns.append(F.col(sink.headers).alias("headers"))
    return rows.select(*columns)


def _encoded(encoding: Encoding) -> Column:
    if encoding.format not in ONE_COLUMN:
        return F.struct(*(encoding.columns or ("*",)))  # the writer encodes it
    [column] = encoding.columns
    return F.col(column).cast("string" if encoding.format == "string" else "binary")


def _check_payloads(pipeline: Pipeline, sink: Sink, rows: DataFrame) -> None:
    """Check before the start that formats and schemas of the registry accept the columns.

    Raises:
        ValueError: a column is not accepted, or the registry has no usable schema.
    """
    given = {name.lower(): text for name, text in write_settings(pipeline, sink).items()}
    payloads = write_options(given, streaming=True).payloads
    # A schema that has to be registered is registered when the query starts.
    if not any(one.register for one in payloads.parts.values()):
        payloads.encoder(rows.schema, sink.topic)


def _read_options(pipeline: Pipeline, name: str) -> dict[str, str]:
    source = pipeline.sources[name]
    settings = read_settings(pipeline, source)
    if needs_headers(source):
        settings = {key: text for key, text in settings.items() if key.lower() != "includeheaders"}
        settings["includeHeaders"] = "true"
    return settings


def _mapped(frame: DataFrame, step: Step, key: Key) -> DataFrame:
    assert step.schema is not None
    if step.map_in_arrow is not None:
        with _blaming((*key, "map_in_arrow")):
            return frame.mapInArrow(_travelling(function(step.map_in_arrow)), step.schema)
    assert step.map_in_pandas is not None
    with _blaming((*key, "map_in_pandas")):
        return frame.mapInPandas(_travelling(function(step.map_in_pandas)), step.schema)


def _travelling(found: Callable[..., Iterator[object]]) -> Callable[..., Iterator[object]]:
    """Return a function that Spark sends to the executors together with its module.

    A module beside the pipeline's file is not installed on the executors, so Spark sends its code.
    A package is not sent: you must install it on the executors.
    """
    module = sys.modules.get(getattr(found, "__module__", ""))
    path = Path(getattr(module, "__file__", None) or "")
    if module is None or "." in module.__name__ or "site-packages" in path.parts:
        return found
    if isinstance(found, FunctionType):
        pickle_by_value(module)
    return found


def _watermarked(view: DataFrame, watermark: Watermark | None, key: Key) -> DataFrame:
    if watermark is None:
        return view
    with _blaming((*key, "watermark")):
        return view.withWatermark(watermark.column, watermark.delay)


@contextmanager
def _blaming(key: Key) -> Iterator[None]:
    """Add the key of the pipeline to an error of Spark."""
    try:
        yield
    except PipelineError:
        raise
    except (PySparkException, ValueError, ImportError) as error:
        raise PipelineError([Problem(key, cause(error))]) from error
