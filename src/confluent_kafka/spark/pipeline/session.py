"""The Spark session that a pipeline runs in."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping

from pyspark.sql import SparkSession

from confluent_kafka.spark.pyspark_internals import QUERY_LOGGERS

from .model import Pipeline

# Defaults for a program that shows its own progress. The pipeline's settings take precedence.
_DEFAULTS = {
    "spark.ui.showConsoleProgress": "false",
    # Failures are raised, and reported without the stack traces of two languages.
    "spark.log.level": "FATAL",
    "spark.sql.session.timeZone": "UTC",
}
if os.name == "posix":
    # Rows travel between the JVM and Python's workers without the cost of TCP.
    _DEFAULTS["spark.python.unix.domain.socket.enabled"] = "true"


def session(pipeline: Pipeline, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Start Spark with the settings of a pipeline, or return the existing session.

    The master comes from the first of these that sets it: the settings, the pipeline, the command
    line of ``spark-submit``, ``spark-defaults.conf``. The default is ``local[*]``.

    Args:
        pipeline: a pipeline, with its name and its table ``[spark]``.
        settings: Spark settings that take precedence over the pipeline's.
    """
    # Otherwise executors on this machine use the python3 on PATH, which can be another one.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name in QUERY_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    given = {**_DEFAULTS, **pipeline.spark, **(settings or {})}
    builder = SparkSession.builder.appName(pipeline.name)
    for name, text in given.items():
        builder = builder.config(name, text)
    return builder.getOrCreate()
