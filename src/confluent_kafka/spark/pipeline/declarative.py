"""A pipeline as a part of Spark Declarative Pipelines, which ``spark-pipelines`` runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from pyspark import pipelines
from pyspark.sql import DataFrame, SparkSession

from .check import check
from .model import Pipeline
from .plan import messages, source_view, step_view
from .problems import Key, PipelineError, Problem
from .settings import write_settings
from .sql import streaming


def declare(pipeline: Pipeline) -> None:
    """Define a pipeline's views, sinks and flows in the file that ``spark-pipelines`` reads.

    Sources and steps become temporary views, and each sink gets its own flow. Declarative Pipelines
    determine the checkpoints, the trigger and Spark's configuration.

    Args:
        pipeline: a pipeline with steps in SQL, and with sinks that append to topics or Parquet.

    Raises:
        PipelineError: the pipeline is not valid, or Declarative Pipelines do not support a part.
    """
    problems = check(pipeline)
    for name, step in pipeline.steps.items():
        # Functions ask Spark for the columns of the view, which definitions may not do.
        if step.sql is None:
            part = "map_in_arrow" if step.map_in_arrow is not None else "map_in_pandas"
            message = "Declarative Pipelines have no Python functions over views: only sql"
            problems.append(Problem(("steps", name, part), message))
    for name, sink in pipeline.sinks.items():
        key: Key = ("sinks", name)
        if sink.format not in ("topic", "parquet"):
            message = f"Declarative Pipelines do not support {sink.format}: use topic or parquet"
            problems.append(Problem((*key, "format"), message))
        if sink.output_mode != "append":
            problems.append(Problem((*key, "output_mode"), "Declarative Pipelines append only"))
    if problems:
        raise PipelineError(problems)
    views = {name.lower() for name in (*pipeline.sources, *pipeline.steps)}
    steps = {
        name: dataclasses.replace(step, sql=streaming(step.sql or "", views))
        for name, step in pipeline.steps.items()
    }
    pipeline = dataclasses.replace(pipeline, steps=steps)
    for name in pipeline.sources:
        _define(pipelines.temporary_view(name=name), source_view, pipeline, name)
    for name in pipeline.steps:
        _define(pipelines.temporary_view(name=name), _step, pipeline, name)
    for name, sink in pipeline.sinks.items():
        if sink.format == "topic":
            pipelines.create_sink(name, "rdkafka", write_settings(pipeline, sink))
        else:
            options = {**sink.options, "path": sink.path or ""}
            pipelines.create_sink(name, "parquet", options)
        _define(pipelines.append_flow(target=name, name=f"to_{name}"), _flow, pipeline, name)


def _define(
    define: Callable[[Callable[[], DataFrame]], object],
    make: Callable[[SparkSession, Pipeline, str], DataFrame],
    pipeline: Pipeline,
    name: str,
) -> None:
    def query() -> DataFrame:
        return make(_session(), pipeline, name)

    query.__name__ = name
    define(query)


def _step(spark: SparkSession, pipeline: Pipeline, name: str) -> DataFrame:
    return step_view(spark, pipeline, name, spark.readStream.table)


def _flow(spark: SparkSession, pipeline: Pipeline, name: str) -> DataFrame:
    sink = pipeline.sinks[name]
    rows = spark.readStream.table(sink.input)
    return messages(sink, rows) if sink.format == "topic" else rows


def _session() -> SparkSession:
    spark = SparkSession.getActiveSession()
    assert spark is not None, "spark-pipelines has a session"
    return spark
