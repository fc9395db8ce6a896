"""The parts of a pipeline: the dataclasses into which a TOML file is read.

Programs can also create them directly. Names and defaults are the same as in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from confluent_kafka.spark.formats.model import Decoding, Registry

SinkFormat: TypeAlias = Literal["topic", "parquet", "console", "jdbc"]
OutputMode: TypeAlias = Literal["append", "update", "complete"]


@dataclass(frozen=True, kw_only=True)
class Watermark:
    """How late rows can arrive."""

    column: str
    delay: str
    """The longest delay, as an interval such as ``10 minutes``."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Topics to read. The view has Kafka's columns, with decoded key and value."""

    topics: tuple[str, ...] = ()
    key: Decoding = field(default_factory=Decoding)
    value: Decoding = field(default_factory=Decoding)
    columns: tuple[str, ...] = ()
    """The columns of the view; by default all columns."""
    watermark: Watermark | None = None
    dead_letter: str | None = None
    """The topic for rows that cannot be decoded. Without it, such a row fails the query."""
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Options of the data source ``rdkafka``."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A view over other views: SQL, or a Python function over the batches of one view."""

    sql: str | None = None
    map_in_arrow: str | None = None
    """``module:function``. It takes and returns an iterator of Arrow record batches."""
    map_in_pandas: str | None = None
    """``module:function``. It takes and returns an iterator of pandas data frames."""
    input: str | None = None
    """The view that the function reads."""
    schema: str | None = None
    """The columns of the batches that a function returns, in Spark's DDL."""
    watermark: Watermark | None = None


ONE_COLUMN = ("raw", "string")
"""The formats that consist of one column without changes. All other formats have fields."""


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """How columns become the bytes of a key or a value.

    In TOML, you can write a string instead of a table: it is the ``format``.
    """

    format: Literal["raw", "string", "json", "avro", "json-schema", "protobuf"] = "json"
    columns: tuple[str, ...] = ()
    """raw, string: exactly one column. Other formats: the fields; by default all columns."""
    subject: str | None = None
    """Formats with a registry: the subject; by default ``<topic>-value`` or ``<topic>-key``."""
    schema: str | None = None
    """Formats with a registry: the schema to write with; by default the latest of the subject."""
    message: str | None = None
    """protobuf: the full name of the message; by default the first one of the schema."""


@dataclass(frozen=True, kw_only=True)
class Sink:
    """The destination of the rows of a view."""

    input: str
    format: SinkFormat = "topic"
    topic: str | None = None
    key: Encoding | None = None
    value: Encoding = field(default_factory=Encoding)
    headers: str | None = None
    """The column with the headers, for the format topic."""
    path: str | None = None
    """The directory, for the format parquet."""
    partition_by: tuple[str, ...] = ()
    """The columns that become directories, for the format parquet."""
    output_mode: OutputMode = "append"
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Options of the format, with their names in Spark."""


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """A declared pipeline."""

    name: str
    checkpoint: str
    """The directory of the checkpoints, with a directory for each query."""
    sources: Mapping[str, Source]
    sinks: Mapping[str, Sink]
    steps: Mapping[str, Step] = field(default_factory=dict)
    trigger: str = "0 seconds"
    """``availableNow``, or the interval between micro-batches."""
    kafka: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Properties of Kafka's clients, for all sources, sinks and dead letters."""
    spark: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Spark's configuration."""
    registry: Registry | None = None
