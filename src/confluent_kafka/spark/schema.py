"""The columns of the data source, which are the same as in Spark's own Kafka source."""

from collections.abc import Callable, Collection

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from confluent_kafka._suggestions import did_you_mean

from .offsets import Partition
from .pyspark_internals import to_arrow_schema
from .typed import ERROR, TypedColumns

_HEADERS = ArrayType(
    StructType([StructField("key", StringType()), StructField("value", BinaryType())])
)
_READABLE = StructType(
    [
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("timestamp", TimestampType()),
        StructField("timestampType", IntegerType()),
        StructField("headers", _HEADERS),
    ]
)
_TEXT_OR_BYTES = (StringType(), BinaryType())
_WRITABLE: dict[str, tuple[DataType, ...]] = {
    "key": _TEXT_OR_BYTES,
    "value": _TEXT_OR_BYTES,
    "topic": (StringType(),),
    "partition": (IntegerType(),),
    "headers": (_HEADERS,),
}


def source_schema(*, headers: bool, typed: TypedColumns | None = None) -> StructType:
    """Return the columns of a read.

    Args:
        headers: whether ``headers`` is among them.
        typed: the types of decoded keys and values; None if they stay bytes.
    """
    fields = _readable(typed)
    return StructType([one for one in fields.values() if headers or one.name != "headers"])


def _readable(typed: TypedColumns | None) -> dict[str, StructField]:
    fields = {one.name: one for one in _READABLE.fields}
    return fields if typed is None else fields | {one.name: one for one in typed.fields}


class Projection:
    """Narrows batches of messages to the columns of a schema.

    Args:
        schema: the columns that Spark expects: all of the source's columns, or the ones that the
            user named with ``.schema(...)``, in the user's order.
        typed: the types of decoded keys and values; None if they stay bytes.

    Raises:
        ValueError: a column is unknown, or its type is not the type that the source has.
    """

    def __init__(self, schema: StructType, typed: TypedColumns | None = None) -> None:
        for field in schema.fields:
            _check_readable(field, _readable(typed))
        names = schema.fieldNames()
        needed = set(names) if typed is None else typed.needed(names)
        # The columns to fetch: the range reader always needs the offset.
        self.columns: list[str] = sorted(needed | {"offset"})
        # Spark compares the batches with this schema. It comes from Spark's own function, so it
        # cannot differ.
        self._schema = to_arrow_schema(schema)
        self._typed = typed

    def __call__(
        self, batch: pa.RecordBatch, partition_at: Callable[[int], Partition]
    ) -> pa.RecordBatch:
        """Return the schema's columns of a batch that has ``columns``.

        Args:
            batch: messages.
            partition_at: returns the partition of a row, for errors.

        Raises:
            UndecodableRow: a row does not decode, and the mode is FAILFAST.
        """
        if self._typed is None and batch.schema.equals(self._schema):
            return batch
        names = self._schema.names
        errors = None
        if self._typed is not None:
            batch, errors = self._typed.decode(batch, names, partition_at)
        columns = [
            errors if name == ERROR and errors is not None else batch.column(name) for name in names
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)


def writable_columns(
    schema: StructType, *, topic_given: bool, encoded: Collection[str] = ()
) -> list[str]:
    """Return the names of a DataFrame's columns that are written; other columns are left out.

    Args:
        schema: the columns of the DataFrame.
        topic_given: whether the option ``topic`` names the topic of every row.
        encoded: which of ``key`` and ``value`` are encoded; they may have any type.

    Raises:
        ValueError: the column ``value``, the topic or a column to encode is missing, or a column
            has a type that cannot be written.
    """
    names = []
    for field in schema.fields:
        allowed = _WRITABLE.get(field.name)
        if allowed is None:
            continue
        written = field.name in encoded or any(_alike(field.dataType, one) for one in allowed)
        if not written:
            raise ValueError(
                f"column {field.name} is {field.dataType.simpleString()}; it must be "
                f"{' or '.join(one.simpleString() for one in allowed)}: cast it"
            )
        names.append(field.name)
    if "value" not in names:
        example = "struct('*')" if "value" in encoded else "to_json(struct('*'))"
        raise ValueError(
            f"there is no column value to write, only {', '.join(schema.fieldNames())}: "
            f"rename one, for example with {example}.alias('value')"
        )
    if "key" in encoded and "key" not in names:
        raise ValueError("option keyFormat: there is no column key to encode")
    if topic_given:
        return [name for name in names if name != "topic"]
    if "topic" not in names:
        raise ValueError("there is neither an option topic nor a column topic: give one of them")
    return names


def _check_readable(field: StructField, readable: dict[str, StructField]) -> None:
    known = {one.name: one.dataType for one in readable.values()}
    if field.name not in known:
        hint = did_you_mean(field.name, known, f"there are {', '.join(known)}")
        raise ValueError(f"the source has no column {field.name!r}: {hint}")
    if not _alike(field.dataType, known[field.name]):
        raise ValueError(
            f"column {field.name} is {known[field.name].simpleString()}, not "
            f"{field.dataType.simpleString()}: leave its type and cast it after load()"
        )


def _alike(given: DataType, wanted: DataType) -> bool:
    """Return whether two types are the same, apart from which parts may be null."""
    return given.simpleString() == wanted.simpleString()
