"""The data source: what Spark looks for when it reads ``format("rdkafka")``."""

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from .read_options import decoded_columns, includes_headers, read_options
from .reader import RdKafkaReader
from .schema import Projection, source_schema
from .stream import RdKafkaStreamReader
from .stream_writer import RdKafkaStreamWriter
from .write_options import write_options
from .writer import RdKafkaWriter


class RdKafkaDataSource(DataSource):
    """Kafka topics as Spark DataFrames: reads and writes, of batches and of streams.

    Columns of a read: ``key`` binary, ``value`` binary, ``topic`` string, ``partition`` int,
    ``offset`` long, ``timestamp`` timestamp, ``timestampType`` int and, with the option
    ``includeHeaders``, ``headers`` array<struct<key: string, value: binary>>. A schema given
    with ``.schema("value binary, offset bigint")`` leaves the other columns out.

    Columns of a write: ``value`` and, if there, ``key`` (string or binary), ``topic`` (string),
    ``partition`` (int) and ``headers``; others are left out, as Spark's own sink does.

    The options ``keyFormat`` and ``valueFormat`` (``avro``, ``protobuf``, ``json-schema`` with a
    schema registry, ``json`` with a schema of its own) make keys and values columns of their
    schemas; the option ``mode`` says what happens to rows that do not decode: ``FAILFAST``,
    ``PERMISSIVE`` (null, and the reason in a column ``error``) or ``DROPMALFORMED``. Writes have
    them, too: columns of other types than bytes are then written as payloads; see
    docs/guides/spark-writing.md.

    Options for both: ``kafka.bootstrap.servers`` (required) and any other property of Kafka's
    clients behind ``kafka.``, in Java's or in librdkafka's names.

    Options of a read are those of Spark's guide to its Kafka source, and
    ``commitOffsetsToGroup``, a group that a streaming query's offsets are committed to for
    monitoring. One of ``subscribe``, ``subscribePattern`` and ``assign`` is required. See
    docs/guides/spark.md for all of them.

    Options of a write: ``topic``, which goes before the column, and of a streaming one
    ``deliveryGuarantee`` (``at-least-once``; ``exactly-once``, to which belong
    ``transactionalIdPrefix`` and ``markerTopic``).

    Errors: a ValueError names the option or the column that is wrong; DataLoss says which
    offsets are gone; what brokers refuse is a KafkaException. Spark shows each of them as part
    of its own exception.
    """

    @classmethod
    def name(cls) -> str:
        """Return the format's name."""
        return "rdkafka"

    def schema(self) -> StructType:
        """Return the columns of a read."""
        typed = decoded_columns(self.options)
        return source_schema(headers=includes_headers(self.options), typed=typed)

    def reader(self, schema: StructType) -> RdKafkaReader:
        """Return the reader of a batch query."""
        projection = Projection(schema, decoded_columns(self.options))
        return RdKafkaReader(read_options(self.options, streaming=False), projection)

    def streamReader(self, schema: StructType) -> RdKafkaStreamReader:  # noqa: N802
        """Return the reader of a streaming query."""
        projection = Projection(schema, decoded_columns(self.options))
        return RdKafkaStreamReader(read_options(self.options, streaming=True), projection)

    def writer(self, schema: StructType, overwrite: bool) -> RdKafkaWriter:
        """Return the writer of a batch query.

        Raises:
            ValueError: the mode is ``overwrite``; a topic can only be appended to.
        """
        if overwrite:
            raise ValueError("mode overwrite: a topic can only be appended to, use mode('append')")
        return RdKafkaWriter(write_options(self.options, streaming=False), schema)

    def streamWriter(self, schema: StructType, overwrite: bool) -> RdKafkaStreamWriter:  # noqa: N802
        """Return the writer of a streaming query.

        ``overwrite`` stands for the output mode ``complete``: every batch then has all rows of
        the result, and each is written behind the last, as Spark's own sink does.
        """
        return RdKafkaStreamWriter(write_options(self.options, streaming=True), schema)
