"""The Spark session that a pipeline runs in."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping

from pyspark.sql import SparkSession

from confluent_kafka.spark.pyspark_internals import QUERY_LOGGERS

from .model import Pipeline

# What suits a program that shows its progress itself; the pipeline's own settings go before.
_DEFAULTS = {
    "spark.ui.showConsoleProgress": "false",
    # What fails is raised, and said without the stacks of two languages.
    "spark.log.level": "FATAL",
    "spark.sql.session.timeZone": "UTC",
}
if os.name == "posix":
    # Rows go between the JVM and Python's workers without the costs of TCP.
    _DEFAULTS["spark.python.unix.domain.socket.enabled"] = "true"


def session(pipeline: Pipeline, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Start Spark as a pipeline says, or return the session that is there already.

    The master is that of the settings, of the pipeline, of ``spark-submit``'s command line or
    ``spark-defaults.conf``, or ``local[*]``.

    Args:
        pipeline: its name and its table ``[spark]``.
        settings: Spark's configuration that goes before the pipeline's.
    """
    # Executors of this machine take the python3 on PATH otherwise, which may be another one.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name in QUERY_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    given = {**_DEFAULTS, **pipeline.spark, **(settings or {})}
    builder = SparkSession.builder.appName(pipeline.name)
    for name, text in given.items():
        builder = builder.config(name, text)
    return builder.getOrCreate()
