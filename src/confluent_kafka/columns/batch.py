"""Consumed messages whose keys or values are columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import Any

from confluent_kafka._values.frames import to_pandas
from confluent_kafka._values.rows import RowError
from confluent_kafka.cimpl import (
    DecodedRows,
    EncodedRows,
    MessageBatch,
    TopicPartition,
    _add_header,
    _ColumnBatch,
    _decode_rows,
    _RowProgram,
)


class DecodedBatch:
    """Messages as Arrow columns, with decoded keys or values. consume_arrow() returns it.

    It has the columns of MessageBatch, but `key` and `value` are structs if they were decoded.
    pyarrow.record_batch(batch), polars.DataFrame(batch), a DuckDB query and
    pandas.DataFrame.from_arrow(batch) read it; len(batch) is the number of messages.

    Attributes:
        eof (list): the partitions whose end was reached while the batch was fetched.
        errors (dict of str to list of RowError): for "key" and "value", if they were decoded: the
            messages whose payloads could not be decoded. They are null in the column; `raw` has
            their bytes.
        raw (MessageBatch): the messages as they were received.
    """

    __slots__ = ("_columns", "eof", "errors", "raw")

    def __init__(
        self,
        raw: Any,
        columns: _ColumnBatch,
        errors: Mapping[str, list[RowError]],
        eof: list[TopicPartition],
    ) -> None:
        self.raw = raw
        self.eof = eof
        self.errors = dict(errors)
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        bad = sum(map(len, self.errors.values()))
        return f"DecodedBatch({len(self)} messages, {bad} bad payloads)"

    def __arrow_c_schema__(self) -> object:
        """Return the columns' names and types, by the Arrow PyCapsule protocol."""
        return self._columns.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return the columns, by the Arrow PyCapsule protocol, without a copy."""
        return self._columns.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the columns as a stream of one record batch."""
        return self._columns.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Return the messages as a pandas.DataFrame.

        Raises:
            ImportError: pandas or pyarrow is not installed.
        """
        return to_pandas(self)


class ColumnDecoder(ABC):
    """Decodes payloads into columns, as a separate step or inside consume_arrow()."""

    # Whether decode() also takes the headers of messages; consume_arrow() then fetches them.
    _reads_headers = False

    @abstractmethod
    def decode(self, payloads: Any) -> DecodedRows:
        """Decode an array of payloads; see the decoder classes."""

    def _decode_batch(self, batch: Any, key: Any, value: Any, headers: bool) -> DecodedBatch:
        """Decode a batch of consume_arrow(), which calls this method of one of its decoders."""
        return decode_fetched(batch, key, value, headers)


class ProgramDecoder(ColumnDecoder):
    """A decoder for payloads that all have one schema.

    Args:
        program: the compiled program that reads them.
    """

    def __init__(self, program: _RowProgram) -> None:
        self._program = program

    def __arrow_c_schema__(self) -> object:
        """Return the type of the rows, as a capsule of the Arrow PyCapsule protocol."""
        return self._program.__arrow_c_schema__()

    def decode(self, payloads: Any) -> DecodedRows:
        """Decode an array of payloads.

        Args:
            payloads: an array of binary, large binary or string values with the Arrow PyCapsule
                protocol: from pyarrow or polars, or a column of a MessageBatch.

        Returns:
            DecodedRows: a row for each payload. A row is null if its payload is null or cannot be
            decoded; `errors` lists the payloads that cannot be decoded.

        Raises:
            TypeError: `payloads` has another type.
            ValueError: its data is not valid.
            OverflowError: the rows have more than 2 GiB of strings or 2^31 items in one column.
        """
        return _decode_rows(payloads, self._program)


def decode_batch(batch: Any, *, key: Any = None, value: Any = None) -> DecodedBatch:
    """Decode the keys or values of consumed messages.

    Args:
        batch (MessageBatch): a batch from consume_arrow(), with the columns to decode. If headers
            name the schemas, as a registry's serializers can do, it must have the headers as well.
        key: the decoder of keys: AvroColumns, an AvroDecoder, or another object with decode();
            None leaves keys as bytes.
        value: the decoder of values; None leaves values as bytes.

    Returns:
        DecodedBatch.

    Raises:
        KeyError: the batch does not have the column.
        TypeError: an argument has a wrong type.
        Exception: a decode() raised it.
    """
    if not hasattr(batch, "eof"):
        raise TypeError(
            "batch must be a MessageBatch, which consume_arrow() returns, not "
            f"{type(batch).__name__}; a decoder's decode() takes any array"
        )
    _check_can("decode", key=key, value=value)
    return decode_fetched(batch, key, value, headers=True)


def _check_can(method: str, **codecs: Any) -> None:
    for name, codec in codecs.items():
        if codec is not None and not hasattr(codec, method):
            raise TypeError(
                f"{name} must have {method}(), which {type(codec).__name__} does not have"
            )


def decode_fetched(batch: Any, key: Any, value: Any, headers: bool) -> DecodedBatch:
    """Decode the keys or values; keep the column of headers only if `headers` is true."""
    return _decoded(batch, _ColumnBatch(batch), key, value, batch.eof, headers)


def decode_until(
    batch: MessageBatch,
    end: int,
    *,
    key: ColumnDecoder | None,
    value: ColumnDecoder | None,
    headers: bool,
) -> DecodedBatch:
    """Decode the messages of one partition before offset `end`.

    Args:
        batch: the messages.
        end: the first offset to leave out.
        key: the decoder of keys.
        value: the decoder of values.
        headers: whether to keep the column of headers.
    """
    columns = _ColumnBatch(batch).until("offset", end)
    return _decoded(columns, columns, key, value, batch.eof, headers)


def reads_headers(*decoders: Any) -> bool:
    """Return whether one of the decoders needs the headers of messages; a decoder may be None."""
    return any(getattr(one, "_reads_headers", False) for one in decoders)


def _decoded(
    raw: Any,
    columns: _ColumnBatch,
    key: Any,
    value: Any,
    eof: list[TopicPartition],
    headers: bool,
) -> DecodedBatch:
    decoders = {"key": key, "value": value}
    decoded = {
        part: _decoded_part(decoder, columns, part)
        for part, decoder in decoders.items()
        if decoder is not None
    }
    errors = {part: rows.errors for part, rows in decoded.items()}
    columns = columns.replaced(decoded)
    if not headers and "headers" in columns.names():
        columns = _ColumnBatch.of(
            {name: columns.column(name) for name in columns.names() if name != "headers"}
        )
    return DecodedBatch(raw, columns, errors, eof)


def _decoded_part(decoder: Any, columns: _ColumnBatch, part: str) -> Any:
    payloads = columns.column(part)
    if not reads_headers(decoder):
        return decoder.decode(payloads)
    headers = columns.column("headers") if "headers" in columns.names() else None
    return decoder.decode(payloads, headers, part=part)


class ColumnEncoder(ABC):
    """Encodes rows of columns into payloads, as a separate step or inside produce_arrow()."""

    @abstractmethod
    def encode(self, batch: Any) -> EncodedRows:
        """Encode each row of a batch; see the encoder classes."""

    def _mark(self) -> bytes | None:
        """Return the value of a header that names the schema; None if no header is needed."""
        return None

    def _encode_batch(self, batch: Any, key: Any, value: Any) -> EncodedBatch:
        """Encode a batch for produce_arrow(), which calls this method of one of its encoders."""
        return encode_batch(batch, key=key, value=value)


class EncodedBatch:
    """Messages with encoded keys or values, for produce_arrow(); see encode_batch()."""

    __slots__ = ("_chunks",)

    def __init__(self, chunks: tuple[_ColumnBatch, ...]) -> None:
        self._chunks = chunks

    def __len__(self) -> int:
        return sum(map(len, self._chunks))

    def __arrow_c_schema__(self) -> object:
        """Return the columns' names and types, by the Arrow PyCapsule protocol."""
        return self._chunks[0].__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the columns as a stream of record batches, by the Arrow PyCapsule protocol."""
        return _ColumnBatch.stream_of(self._chunks)


def encode_batch(
    batch: Any, *, key: ColumnEncoder | None = None, value: ColumnEncoder | None = None
) -> EncodedBatch:
    """Encode the keys or values of messages.

    Args:
        batch: a record batch, table or data frame. `value` encodes its column `value`, a struct; if
            there is no such column, it encodes each row as a whole. `key` encodes its column `key`.
        key: the encoder of keys: AvroColumns, an AvroEncoder, or another object with encode(); None
            leaves keys as they are.
        value: the encoder of values; None leaves values as they are.

    Returns:
        EncodedBatch: it has a chunk for each chunk of the batch, or one empty chunk.

    Raises:
        KeyError: there is no column `key`.
        TypeError: an argument has a wrong type.
        ValueError: a row cannot be encoded.
        Exception: an encode() raised it.
    """
    _check_can("encode", key=key, value=value)
    encoded: list[_ColumnBatch] = []
    first_row = 0
    for chunk in _ColumnBatch.chunks_of(batch):
        encoded.append(_encoded(chunk, first_row, key, value))
        first_row += len(chunk)
    return EncodedBatch(tuple(encoded))


def _encoded(
    chunk: _ColumnBatch, first_row: int, key: ColumnEncoder | None, value: ColumnEncoder | None
) -> _ColumnBatch:
    if value is not None and key is None and "value" not in chunk.names():
        rows = _ColumnBatch.of({"value": _all_of(value.encode(chunk), "value", first_row)})
        return _marked(rows, "value", value)
    encoders = {"key": key, "value": value}
    used = {name: encoder for name, encoder in encoders.items() if encoder is not None}
    encoded = {
        name: _all_of(encoder.encode(chunk.column(name)), name, first_row)
        for name, encoder in used.items()
    }
    rows = chunk.replaced(encoded)
    for name, encoder in used.items():
        rows = _marked(rows, name, encoder)
    return rows


def _marked(rows: _ColumnBatch, part: str, encoder: Any) -> _ColumnBatch:
    """Add the header that names the schema of keys or values, if the encoder needs it."""
    mark = encoder._mark() if isinstance(encoder, ColumnEncoder) else None
    return rows if mark is None else add_mark(rows, part, mark)


def add_mark(rows: _ColumnBatch, part: str, mark: bytes) -> _ColumnBatch:
    """Add a header to messages, except to those whose payload is null.

    Args:
        rows: the messages, with encoded payloads.
        part: the column of the payloads, "key" or "value".
        mark: the value of the header, which names the schema.
    """
    columns: dict[str, Any] = {name: rows.column(name) for name in rows.names()}
    own = columns.get("headers")
    before = None if own is None else _ColumnBatch.of({"headers": own})
    columns["headers"] = _add_header(columns[part], before, header_name(part), mark)
    return _ColumnBatch.of(columns)


@cache
def header_name(part: str) -> str:
    """Return the name of the header that names the schema of a key or value."""
    from confluent_kafka.schema_registry.serde import ID_HEADERS
    from confluent_kafka.serialization import MessageField

    if part not in ("key", "value"):
        raise ValueError(f"part must be 'key' or 'value', not {part!r}")
    return ID_HEADERS[MessageField(part)]


def _all_of(rows: EncodedRows, name: str, first_row: int) -> EncodedRows:
    """Raise if any payload could not be encoded: then no message is sent."""
    if rows.errors:
        first = rows.errors[0]
        field = f"{name}.{first.field}" if first.field else name
        raise ValueError(f"row {first_row + first.row}: {field}: {first.reason}")
    return rows
