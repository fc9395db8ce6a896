"""From a declared pipeline to Spark's views and queries."""

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
from pyspark.sql import functions as F  # noqa: N812 - the name everybody knows it by

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
    """The same from run to run, as it names the query's directory of the checkpoint."""
    input: str
    sinks: dict[str, Sink]

    @property
    def topic(self) -> Sink | None:
        """Its sink, if that is a topic and the only one: Spark then writes to it as it goes.

        Not with the mode update: Spark has that for its own sinks, not for a data source in Python.
        """
        [first, *others] = self.sinks.values()
        alone = first.format == "topic" and not others
        return first if alone and first.output_mode != "update" else None


def queries(pipeline: Pipeline) -> list[Query]:
    """Return the queries of a pipeline: one for each view that has sinks.

    One query with several sinks, rather than one query each, reads its topics and keeps its
    state once, so all sinks get the same rows. A topic that is written to exactly once has a
    query of its own: its transactions are those of the query's own writer.
    """
    found: dict[str, Query] = {}
    for name, sink in pipeline.sinks.items():
        query = f"{sink.input}.{name}" if exactly_once(sink) else sink.input
        found.setdefault(query, Query(query, sink.input, {})).sinks[name] = sink
    return list(found.values())


def views(spark: SparkSession, pipeline: Pipeline) -> dict[str, DataFrame]:
    """Return the views of a pipeline by name; they are temporary views of the session, too.

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
            # What is written in a micro-batch would be looked at in the first one only.
            made[sink.input].select(*sink.partition_by)
            if sink.format == "topic":
                _check_payloads(pipeline, sink, messages(sink, made[sink.input]))
        with _blaming(("sinks", name, "output_mode")):
            check_output_mode(made[sink.input], sink.output_mode)
    return made


def source_view(spark: SparkSession, pipeline: Pipeline, name: str) -> DataFrame:
    """Return the view of a source.

    Raises:
        PipelineError: Spark or the registry refuse it.
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
        spark: the session, which knows the views that SQL reads.
        pipeline: the pipeline.
        name: the step.
        view_of: returns the view of a name in lower case.

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
            # What spark.sql() returns does not know that it reads streams; a query over it does.
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
        # Each write would compute the rows, and their state, without it.
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
        """Write the files of a micro-batch in the place of those of an earlier attempt.

        A query with a new checkpoint counts its batches from 0 again. Its id in the path keeps it
        from files that another query, or the same one with another checkpoint, has written.
        """
        if self._id is None:
            self._id = checkpoint_id(rows.sparkSession, self._checkpoint)
        (
            rows.write.mode("overwrite")
            .options(**sink.options)
            # All files of the attempt, whatever its rows were: not only those in its directories.
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
    """Return the messages that a topic gets for rows, as the data source writes them."""
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
    """Refuse columns that the formats or the registry's schemas do not take, before it starts.

    Raises:
        ValueError: there is such a column, or the registry has no schema of use.
    """
    given = {name.lower(): text for name, text in write_settings(pipeline, sink).items()}
    payloads = write_options(given, streaming=True).payloads
    # A schema that is to be registered is when the query starts.
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
    """Return a function that executors need not have: its module goes along, if it is no package.

    A module that stands beside the pipeline's file is not installed on the executors.
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
    """Say which key of the pipeline an error of Spark is about."""
    try:
        yield
    except PipelineError:
        raise
    except (PySparkException, ValueError, ImportError) as error:
        raise PipelineError([Problem(key, cause(error))]) from error
