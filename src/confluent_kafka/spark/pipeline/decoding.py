"""Decode keys and values of a source on the executors, a whole Arrow batch at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the usual name
from pyspark.sql.types import StructField, StructType

from confluent_kafka.spark.formats import Decoder
from confluent_kafka.spark.formats.choice import choose
from confluent_kafka.spark.formats.model import REGISTERED
from confluent_kafka.spark.read_options import includes_headers
from confluent_kafka.spark.schema import source_schema
from confluent_kafka.spark.write_options import write_options

from .dead_letters import REASON, DeadLetters
from .model import Pipeline, Source
from .settings import kafka_settings

_PARTS = ("key", "value")
# The columns that decoding needs, and that name a row which cannot be decoded.
_MESSAGE = ["key", "value", "topic", "partition", "offset", "timestamp"]
_DECODED = "__decoded"


class UndecodableRow(ValueError):
    """A row cannot be decoded, and the source has no topic for dead letters."""


def decoded(messages: DataFrame, pipeline: Pipeline, source: Source) -> DataFrame:
    """Return messages with decoded keys and values.

    Args:
        messages: the columns of the data source, with headers if `needs_headers` is true.
        pipeline: the pipeline with the registry and Kafka's properties.
        source: the source with the formats of the keys and values.

    Raises:
        ValueError: the registry or its schema cannot be used.
    """
    parts = {part: getattr(source, part) for part in _PARTS}
    for part, decoding in parts.items():
        if decoding.format == "string":
            messages = messages.withColumn(part, F.col(part).cast("string"))
    chosen = {
        part: choose(decoding, part, _subject(source, part), pipeline.registry)
        for part, decoding in parts.items()
        if decoding.format not in ("raw", "string")
    }
    if not chosen:
        return messages
    result = StructType([StructField(part, kind) for part, (kind, _) in chosen.items()])
    decoders = {part: decoder for part, (_, decoder) in chosen.items()}
    letters = None
    if source.dead_letter is not None:
        kafka = write_options(kafka_settings(pipeline), streaming=False).kafka
        letters = DeadLetters(source.dead_letter, kafka)
    wanted = [*_MESSAGE, "headers"] if needs_headers(source) else _MESSAGE
    rows = Rows(decoders, wanted, letters)

    def decode(*columns: pa.Array) -> pa.Array:
        return rows.decode(columns)

    # This is a column, because mapInArrow would ask Spark for the input's columns, which
    # Declarative Pipelines forbid. It is nondeterministic, so that Spark evaluates it only once.
    whole = F.arrow_udf(decode, result)  # type: ignore[attr-defined]  # its stub lacks it
    whole = whole.asNondeterministic()
    options = {name.lower(): text for name, text in source.options.items()}
    names = source_schema(headers=includes_headers(options)).fieldNames()
    columns = [F.col(f"{_DECODED}.{name}" if name in chosen else name) for name in names]
    messages = messages.withColumn(_DECODED, whole(*wanted))
    # Null is a row that was not decoded. Without the filter, unused columns would not be decoded.
    return messages.where(F.col(_DECODED).isNotNull()).select(*columns)


def needs_headers(source: Source) -> bool:
    """Whether headers are read: dead letters keep them, and they can name the schema of a row."""
    formats = {source.key.format, source.value.format}
    return source.dead_letter is not None or not formats.isdisjoint(REGISTERED)


def _subject(source: Source, part: str) -> str | None:
    """Return the subject of a key or value: the configured one, or the default of its topic."""
    given: str | None = getattr(source, part).subject
    if given is not None or len(source.topics) != 1:
        return given
    return f"{source.topics[0]}-{part}"


@dataclass(frozen=True)
class Rows:
    """Decodes messages, on an executor.

    Args:
        decoders: the decoders of the key and of the value, if they have one.
        names: the names of the columns of messages.
        letters: takes the rows that cannot be decoded; None if such a row ends the task.
    """

    decoders: Mapping[str, Decoder]
    names: list[str]
    letters: DeadLetters | None

    def decode(self, columns: Sequence[pa.Array]) -> pa.StructArray:
        """Return the decoded keys and values, with null for a row that fails.

        Raises:
            UndecodableRow: a row failed, and there is no topic for dead letters.
        """
        batch = pa.RecordBatch.from_arrays(list(columns), names=self.names)
        headers = batch.column("headers") if "headers" in self.names else None
        found: dict[str, pa.Array] = {}
        failures: dict[int, str] = {}
        for part, decode in self.decoders.items():
            found[part], failed = decode(batch.column(part), headers)
            for row, reason in failed.items():
                failures.setdefault(row, f"{part}: {reason}")
        mask = None
        if failures:
            if self.letters is None:
                raise UndecodableRow(_describe(batch, failures))
            self.letters.send(batch, failures)
            mask = pa.array([row in failures for row in range(batch.num_rows)])
        return pa.StructArray.from_arrays(list(found.values()), names=list(found), mask=mask)


def _describe(batch: pa.RecordBatch, failures: Mapping[int, str]) -> str:
    row, reason = min(failures.items())
    place = {name: batch.column(name)[row].as_py() for name in ("topic", "partition", "offset")}
    return (
        f"{place['topic']} [{place['partition']}] offset {place['offset']} does not decode, "
        f"{reason}. To send such rows to a topic, with the reason in the header {REASON}, set the "
        "source's key 'dead_letter'."
    )
