"""The data source behind ``format("rdkafka")``."""

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
    """Reads and writes Kafka topics as Spark DataFrames, in batches and in streams.

    A read has these columns: ``key`` binary, ``value`` binary, ``topic`` string, ``partition`` int,
    ``offset`` bigint, ``timestamp`` timestamp, ``timestampType`` int and, with the option
    ``includeHeaders``, ``headers`` array<struct<key: string, value: binary>>. To read only some
    columns, name them: ``.schema("value binary, offset bigint")``.

    A write needs the column ``value`` (string or binary). It also writes ``key`` (string or
    binary), ``topic`` (string), ``partition`` (int) and ``headers`` if the frame has them. Like
    Spark's own sink, it ignores other columns.

    The options ``keyFormat`` and ``valueFormat`` decode keys and values into typed columns. The
    formats are ``avro``, ``protobuf`` and ``json-schema``, whose schemas are in a registry, and
    ``json``, whose columns an option names. The option ``mode`` decides what happens to a row that
    does not decode: ``FAILFAST`` fails the query, ``PERMISSIVE`` returns null and the reason in a
    column ``error``, and ``DROPMALFORMED`` drops the row. In a write, ``keyFormat`` and
    ``valueFormat`` encode typed columns.

    Reads and writes both require ``kafka.bootstrap.servers``. They also take the properties of
    Kafka's clients with the prefix ``kafka.``, under Java's or librdkafka's name.

    A read takes the options in Spark's guide to its Kafka source. Exactly one of ``subscribe``,
    ``subscribePattern`` and ``assign`` is required. With ``commitOffsetsToGroup``, a streaming
    query also commits its offsets to this group, for monitoring. docs/guides/spark.md lists all
    options.

    A write takes the option ``topic``, which takes precedence over the column. A streaming write
    also takes ``deliveryGuarantee``: ``at-least-once`` (the default) or ``exactly-once``, which has
    the options ``transactionalIdPrefix`` and ``markerTopic``. docs/guides/spark-writing.md
    describes them.

    A ValueError names the option or the column that is wrong. DataLoss names the offsets that no
    longer exist. A KafkaException contains an error of the brokers. Spark shows these errors inside
    its own exception.
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

        ``overwrite`` is true for the output mode ``complete``. Every batch then has all rows of the
        result, and the writer appends all of them to the topic, like Spark's own sink.
        """
        return RdKafkaStreamWriter(write_options(self.options, streaming=True), schema)
