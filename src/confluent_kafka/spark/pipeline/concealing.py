"""Passwords, kept out of what is printed: Spark's plans and errors have the options in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .model import Pipeline

# As Spark's own spark.redaction.regex, with what Kafka's clients and JDBC have besides.
_SECRET = re.compile(r"secret|password|passwd|token|access.?key|jaas|ssl\.key\.pem", re.IGNORECASE)
_SHOWN = "*****"


def conceal(text: str, pipeline: Pipeline) -> str:
    """Return a text without the values of a pipeline's settings whose names speak of secrets."""
    for secret in sorted(_secrets(pipeline), key=len, reverse=True):
        text = text.replace(secret, _SHOWN)
    return text


def _secrets(pipeline: Pipeline) -> Iterator[str]:
    registry = pipeline.registry
    if registry is not None and registry.password:
        yield registry.password
    tables: list[Mapping[str, str]] = [
        pipeline.kafka,
        pipeline.spark,
        *(source.options for source in pipeline.sources.values()),
        *(sink.options for sink in pipeline.sinks.values()),
    ]
    for table in tables:
        yield from (value for name, value in table.items() if value and _SECRET.search(name))
