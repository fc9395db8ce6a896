"""Keys and values of a source, decoded on the executors: whole Arrow batches at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name everybody knows it by
from pyspark.sql.types import StringType, StructField, StructType

from confluent_kafka.spark.read_options import includes_headers
from confluent_kafka.spark.schema import source_schema
from confluent_kafka.spark.write_options import write_options

from .dead_letters import REASON, DeadLetters
from .formats import Decoder
from .formats.choice import choose
from .model import Pipeline, Source
from .settings import kafka_settings

_PARTS = ("key", "value")


class UndecodableRow(ValueError):
    """A row could not be decoded, and there is no topic for dead letters."""


def decoded(messages: DataFrame, pipeline: Pipeline, source: Source) -> DataFrame:
    """Return messages with their keys and values decoded as a source says.

    Args:
        messages: the columns of the data source, headers among them if dead letters keep them.
        pipeline: where the registry and Kafka's properties are.
        source: what the keys and values are.

    Raises:
        ValueError: the registry, or its schema, is of no use.
    """
    parts = {part: getattr(source, part) for part in _PARTS}
    for part, decoding in parts.items():
        if decoding.format == "string":
            messages = messages.withColumn(part, F.col(part).cast("string"))
    chosen = {
        part: choose(decoding, _subject(source, part), pipeline.registry)
        for part, decoding in parts.items()
        if decoding.format not in ("raw", "string")
    }
    if not chosen:
        return messages
    types = {part: kind for part, (kind, _) in chosen.items()}
    types |= {part: StringType() for part, one in parts.items() if one.format == "string"}
    decoders = {part: decoder for part, (_, decoder) in chosen.items()}
    options = {name.lower(): text for name, text in source.options.items()}
    # Not asked of Spark, which may not analyse where Declarative Pipelines define views.
    schema = StructType(
        [
            StructField(field.name, types.get(field.name, field.dataType))
            for field in source_schema(headers=includes_headers(options)).fields
        ]
    )
    letters = None
    if source.dead_letter is not None:
        kafka = write_options(kafka_settings(pipeline), streaming=False).kafka
        letters = DeadLetters(source.dead_letter, kafka)
    return messages.mapInArrow(Rows(decoders, schema.fieldNames(), letters).decode, schema)


def _subject(source: Source, part: str) -> str | None:
    """Return whose schema a key or value has: as a topic's subjects are named by default."""
    given: str | None = getattr(source, part).subject
    if given is not None or len(source.topics) != 1:
        return given
    return f"{source.topics[0]}-{part}"


@dataclass(frozen=True)
class Rows:
    """Decodes batches of messages, on an executor.

    Args:
        decoders: those of the key and of the value, if they have one.
        columns: what is wanted of the batches, in order.
        letters: takes the rows that do not decode; None if they end the task.
    """

    decoders: Mapping[str, Decoder]
    columns: list[str]
    letters: DeadLetters | None

    def decode(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield each batch with its keys and values decoded, without the rows that fail.

        Raises:
            UndecodableRow: a row failed and has nowhere to go.
        """
        for batch in batches:
            yield self._decode(batch)

    def _decode(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        found = {name: batch.column(name) for name in self.columns}
        failures: dict[int, str] = {}
        for part, decode in self.decoders.items():
            found[part], failed = decode(batch.column(part))
            for row, reason in failed.items():
                failures.setdefault(row, f"{part}: {reason}")
        result = pa.RecordBatch.from_pydict(found)
        if not failures:
            return result
        if self.letters is None:
            raise UndecodableRow(_describe(batch, failures))
        self.letters.send(batch, failures)
        return result.filter(pa.array([row not in failures for row in range(batch.num_rows)]))


def _describe(batch: pa.RecordBatch, failures: Mapping[int, str]) -> str:
    row, reason = min(failures.items())
    place = {name: batch.column(name)[row].as_py() for name in ("topic", "partition", "offset")}
    return (
        f"{place['topic']} [{place['partition']}] offset {place['offset']} does not decode, "
        f"{reason}. A key 'dead_letter' of the source would name a topic for such rows "
        f"(header {REASON})."
    )
