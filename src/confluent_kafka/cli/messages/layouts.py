"""Turns decoded keys and values into Arrow columns, and such columns back into JSON texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from confluent_kafka.cimpl import _split_frames
from confluent_kafka.cli.messages.payloads import Payloads
from confluent_kafka.columns import JSONEncoder, RowError

if TYPE_CHECKING:
    import pyarrow

# The metadata of a column: the format of its values, and the schema for JSON Schema.
_FORMAT, _SCHEMA = b"confluent_kafka.format", b"confluent_kafka.schema"
# A value that is not a record has a column with this name.
_WRAPPING = "value"


class Layout:
    """How payloads of one schema become a column.

    Args:
        decode: decodes payloads into rows.
        kind: the format, "avro", "protobuf" or "json".
        wrapped: whether the only column is the value itself.
        schema: the JSON Schema as text, for "json".
    """

    def __init__(
        self, decode: Callable[[Any], Any], kind: str, wrapped: bool, schema: str = ""
    ) -> None:
        self._decode = decode
        self._wrapped = wrapped
        self._metadata = {_FORMAT: kind.encode(), _SCHEMA: schema.encode()}

    @cached_property
    def field(self) -> pyarrow.Field:
        """The column as a field of Arrow. The name of the field does not matter."""
        import pyarrow as pa

        rows = pa.record_batch(self._decode(Payloads([])))
        kind = rows.schema.field(0).type if self._wrapped else pa.struct(list(rows.schema))
        return pa.field(_WRAPPING, kind, metadata=self._metadata)

    def is_like(self, other: Layout) -> bool:
        """Return whether another layout makes the same column.

        Args:
            other: the other layout.
        """
        return self is other or self.field.equals(other.field, check_metadata=True)

    def column(self, payloads: Sequence[bytes]) -> tuple[pyarrow.Array, list[RowError]]:
        """Return the payloads as an array, and the rows that are null because of an error.

        Args:
            payloads: the payloads.
        """
        import pyarrow as pa

        rows = self._decode(Payloads(payloads))
        array = pa.array(rows)
        return array.field(0) if self._wrapped else array, rows.errors


def is_typed(field: pyarrow.Field) -> bool:
    """Return whether a column of a file has typed values, instead of bytes or texts.

    Args:
        field: the column.
    """
    import pyarrow as pa

    kind = field.type
    plain = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.null())
    return _FORMAT in (field.metadata or {}) or kind not in plain


def json_texts_of(array: pyarrow.Array, field: pyarrow.Field) -> list[bytes | None]:
    """Return the JSON texts of a typed column.

    Args:
        array: the values.
        field: the column.

    Raises:
        ValueError: JSON cannot represent a value.
    """
    import pyarrow as pa

    metadata = field.metadata or {}
    schema = metadata.get(_SCHEMA, b"").decode() or None
    omits = metadata.get(_FORMAT) == b"protobuf"
    encoder = JSONEncoder(schema, schema_id=0, nulls="omit" if omits else "write")
    wrapped = not pa.types.is_struct(array.type)
    rows = pa.record_batch([array], [_WRAPPING]) if wrapped else _batch_of(array)
    encoded = encoder.encode(rows)
    # The encoder wrote the framing of a registry before each text, which this splits off.
    _, texts = _split_frames(encoded, None, "")
    for error in encoded.errors:
        if array[error.row].is_valid:
            raise ValueError(f"row {error.row}: {error.field}: {error.reason}")
    if wrapped and schema is None:
        skipped = len(f'{{"{_WRAPPING}":')
        texts = [text and text[skipped:-1] for text in texts]
    return [text if one.is_valid else None for text, one in zip(texts, array, strict=True)]


def _batch_of(array: pyarrow.StructArray) -> pyarrow.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(array.flatten(), schema=pa.schema(list(array.type)))
