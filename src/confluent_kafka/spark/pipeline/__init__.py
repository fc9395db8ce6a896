"""Pipelines over Kafka topics, declared in a file and run by Spark.

A file in TOML names sources, steps and sinks::

    name = "flights"
    checkpoint = "checkpoint"
    trigger = "availableNow"

    [kafka]
    bootstrap.servers = "broker:9092"

    [sources.flights]
    topics = ["flights"]
    value = { format = "json", schema = "carrier STRING, dep_delay INT" }

    [steps.delays]
    sql = "SELECT value.carrier, value.dep_delay FROM flights WHERE value.dep_delay > 0"

    [sinks.delays]
    input = "delays"
    topic = "delays"

``python -m confluent_kafka pipeline run FILE`` runs it. This does the same::

    pipeline = load("flights.toml")
    start(session(pipeline), pipeline).watch(print, threading.Event())

A `PipelineError` reports every problem that can be found without Spark, before anything starts.
"""

from confluent_kafka._concealing import conceal
from confluent_kafka.spark.formats.model import Decoding, Registry

from .check import check
from .loading import load, located
from .model import (
    Encoding,
    Pipeline,
    Sink,
    Source,
    Step,
    Watermark,
)
from .problems import PipelineError, Problem
from .progress import Progress
from .running import QueryFailed, Running, start
from .session import session

__all__ = [
    "Decoding",
    "Encoding",
    "Pipeline",
    "PipelineError",
    "Problem",
    "Progress",
    "QueryFailed",
    "Registry",
    "Running",
    "Sink",
    "Source",
    "Step",
    "Watermark",
    "check",
    "conceal",
    "load",
    "located",
    "session",
    "start",
]
