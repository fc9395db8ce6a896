"""The options of the data source ``rdkafka`` for sources, sinks and dead letters."""

from __future__ import annotations

from confluent_kafka.spark.parts import registry_options
from confluent_kafka.spark.write_options import EXACTLY_ONCE

from .model import ONE_COLUMN, Pipeline, Sink, Source


def kafka_settings(pipeline: Pipeline) -> dict[str, str]:
    """Return the options of all sources and sinks: the properties of Kafka's clients."""
    return {f"kafka.{name}": text for name, text in pipeline.kafka.items()}


def read_settings(pipeline: Pipeline, source: Source) -> dict[str, str]:
    """Return the options of a source. They take precedence over the pipeline's."""
    topics = {"subscribe": ",".join(source.topics)} if source.topics else {}
    return {**kafka_settings(pipeline), **topics, **source.options}


def write_settings(pipeline: Pipeline, sink: Sink) -> dict[str, str]:
    """Return the options of a topic sink. They take precedence over the pipeline's."""
    topic = {"topic": sink.topic} if sink.topic is not None else {}
    return {**kafka_settings(pipeline), **topic, **_payloads(pipeline, sink), **sink.options}


def _payloads(pipeline: Pipeline, sink: Sink) -> dict[str, str]:
    """Return the options for the formats and schemas that the writer encodes with."""
    settings: dict[str, str] = {}
    for part, encoding in (("key", sink.key), ("value", sink.value)):
        if encoding is None or encoding.format in ONE_COLUMN:
            continue
        given = {
            "Format": encoding.format,
            "Subject": encoding.subject,
            "Schema": encoding.schema,
            "Message": encoding.message,
        }
        settings |= {f"{part}{what}": text for what, text in given.items() if text is not None}
    return settings if pipeline.registry is None else settings | registry_options(pipeline.registry)


def exactly_once(sink: Sink) -> bool:
    """Whether a sink is a topic with exactly-once delivery."""
    given = {name.lower(): text.strip().lower() for name, text in sink.options.items()}
    return sink.format == "topic" and given.get("deliveryguarantee") == EXACTLY_ONCE
