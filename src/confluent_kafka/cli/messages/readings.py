"""Reads payloads of one schema as JSON texts: in columns, or one by one where columns cannot."""

from __future__ import annotations

import base64
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from confluent_kafka.cli.messages.decoding import Decoded, Failure, finite
from confluent_kafka.cli.messages.layouts import Layout
from confluent_kafka.cli.messages.payloads import Payloads, json_texts
from confluent_kafka.columns import (
    AvroColumns,
    AvroDecoder,
    AvroSchemaError,
    ProtobufColumns,
    ProtobufDecoder,
)
from confluent_kafka.columns._avro_schema import Record, parse


class Reads(ABC):
    """Reads payloads of one schema as JSON texts."""

    @abstractmethod
    def __call__(self, payloads: Sequence[bytes]) -> list[Decoded]:
        """Return the JSON text of each payload, or why there is none."""

    def layout(self, payload: bytes) -> Layout | None:
        """Return how a payload becomes an Arrow column; None if columns cannot represent it.

        Args:
            payload: the payload, which was read as JSON.
        """
        return None


_Slow = Callable[[bytes], object]

# The JSON text of a schema that is not a record is an object with this field.
_WRAPPING = b'{"value":'


class _Columns(Reads):
    """Reads payloads in C, as columns. Other payloads are read one by one.

    Args:
        decode: decodes payloads into columns.
        slow: reads a payload as an object; None if the package for that is not installed.
        kind: the format, "avro" or "protobuf", which leaves out fields that are not set.
        wrapped: whether the only column is the value itself.
    """

    def __init__(
        self,
        decode: Callable[[Any], Any],
        slow: _Slow | None,
        kind: str,
        *,
        wrapped: bool = False,
    ) -> None:
        self._decode = decode
        self._slow = slow
        self._wrapped = wrapped
        self._omits = kind == "protobuf"
        self._layout = Layout(decode, kind, wrapped)

    def __call__(self, payloads: Sequence[bytes]) -> list[Decoded]:
        texts, errors = json_texts(self._decode(Payloads(payloads)), omits=self._omits)
        found: list[Decoded] = list(texts)
        if self._wrapped:
            found = [text and text[len(_WRAPPING) : -1] for text in texts]
        for error in errors:
            at = f"{error.field}: " if error.field else ""
            failure = Failure(f"{at}{error.reason} (byte {error.offset})")
            found[error.row] = _slowly(self._slow, payloads[error.row], failure)
        return found

    def layout(self, payload: bytes) -> Layout | None:
        return self._layout


class _OneByOne(Reads):
    """Reads payloads of a schema that columns cannot represent.

    Args:
        slow: reads a payload as an object.
    """

    def __init__(self, slow: _Slow) -> None:
        self._slow = slow

    def __call__(self, payloads: Sequence[bytes]) -> list[Decoded]:
        return [_slowly(self._slow, payload, None) for payload in payloads]


def _slowly(slow: _Slow | None, payload: bytes, failure: Failure | None) -> Decoded:
    if slow is None:
        return failure
    try:
        text = json.dumps(_plain(slow(payload)), ensure_ascii=False, separators=(",", ":"))
    except Exception as error:  # of fastavro or protobuf, for a payload of another schema
        return failure or Failure(f"{type(error).__name__}: {error}")
    return text.encode()


def avro_of_registry(registry: Any, schema: Any, frame: int) -> Reads:
    """Return what reads Avro with a registry's schema.

    Args:
        registry: the SchemaRegistryClient.
        schema: the schema.
        frame: the size of the framing before each payload.
    """
    columns = AvroColumns(registry, schema=schema)
    named = list(columns._named_texts(schema))
    slow = _slow_avro(schema.schema_str, dict(named), frame)
    try:
        columns.decode(Payloads([]))
    except AvroSchemaError as error:
        return _one_by_one(slow, error)
    root = columns._parsed(schema, is_reader=True)
    return _Columns(columns.decode, slow, "avro", wrapped=not isinstance(root, Record))


def avro_of_text(text: str) -> Reads:
    """Return what reads Avro with a schema, without a registry's framing.

    Args:
        text: the schema.
    """
    wrapped = not isinstance(parse(text, "the schema"), Record)
    slow = _slow_avro(text, {}, 0)
    try:
        return _Columns(AvroDecoder(text).decode, slow, "avro", wrapped=wrapped)
    except AvroSchemaError as error:
        return _one_by_one(slow, error)


def _one_by_one(slow: _Slow | None, error: AvroSchemaError) -> Reads:
    if slow is None:
        raise error
    return _OneByOne(slow)


def _slow_avro(text: str, named: Mapping[str, str], frame: int) -> _Slow | None:
    try:
        from confluent_kafka.schema_registry import Schema, _avro
        from confluent_kafka.schema_registry.error import SchemaParseException
    except ImportError:
        return None
    references = {name: Schema(one, "AVRO") for name, one in named.items()}
    try:
        parsed = _avro.parse(Schema(text, "AVRO"), references, "the schema")
    except SchemaParseException:  # fastavro is stricter than the columns in some points
        return None
    read = _avro.reader(parsed, None, "the schema", False)
    return lambda payload: read(payload[frame:])


class ProtobufOfRegistry(Reads):
    """Reads Protobuf with a registry's schema.

    Args:
        registry: the SchemaRegistryClient.
        schema: the schema.
        frame: the size of the framing before the message indexes of each payload.
    """

    def __init__(self, registry: Any, schema: Any, frame: int) -> None:
        from confluent_kafka.columns._protobuf_registered import compile_registered

        self._registry = registry
        self._frame = frame
        self._file = compile_registered(schema, registry).message(None).file
        self._readings: dict[tuple[int, ...], Reads] = {}

    def __call__(self, payloads: Sequence[bytes]) -> list[Decoded]:
        found: list[Decoded] = [None] * len(payloads)
        groups: dict[Reads, list[int]] = {}
        for place, payload in enumerate(payloads):
            try:
                groups.setdefault(self._reading(payload), []).append(place)
            except Exception as error:  # a wrong payload, or a type without a column
                found[place] = Failure(error)
        for reads, places in groups.items():
            texts = reads([payloads[place] for place in places])
            for place, text in zip(places, texts, strict=True):
                found[place] = text
        return found

    def layout(self, payload: bytes) -> Layout | None:
        return self._reading(payload).layout(payload)

    def _reading(self, payload: bytes) -> Reads:
        """Return the reader of the message type that the indexes of a payload name."""
        from confluent_kafka.schema_registry.serde import read_indexes

        indexes = tuple(read_indexes(payload, self._frame)[0])
        if indexes not in self._readings:
            message = _message_at(self._file, indexes)
            columns = ProtobufColumns(self._registry, message)
            self._readings[indexes] = _protobuf(columns.decode, message, self._frame)
        return self._readings[indexes]


def protobuf_of_text(text: str) -> Reads:
    """Return what reads Protobuf with the first message of a .proto text, without framing.

    Args:
        text: the schema.
    """
    from confluent_kafka.columns._protobuf_registered import compile_registered
    from confluent_kafka.schema_registry import Schema

    message = compile_registered(Schema(text, "PROTOBUF"), None).message(None)
    return _protobuf(ProtobufDecoder(message).decode, message, None)


def _protobuf(decode: Callable[[Any], Any], message: Any, frame: int | None) -> Reads:
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.message_factory import GetMessageClass

    from confluent_kafka.schema_registry.serde import read_indexes

    kind = GetMessageClass(message)

    def slow(payload: bytes) -> object:
        start = 0 if frame is None else read_indexes(payload, frame)[1]
        return MessageToDict(kind.FromString(payload[start:]), preserving_proto_field_name=True)

    return _Columns(decode, slow, "protobuf")


def _message_at(file: Any, indexes: Sequence[int]) -> Any:
    """Return the message at a path of indexes in a file."""
    levels = list(file.message_types_by_name.values())
    found = None
    for index in indexes:
        if not 0 <= index < len(levels):
            raise ValueError(f"the schema has no message with the indexes {list(indexes)}")
        found = levels[index]
        levels = list(found.nested_types)
    return found


def _plain(value: Any) -> Any:
    """Return an object as a value for JSON, in the form in which JSONEncoder writes columns."""
    match value:
        case dict():
            return {str(name): _plain(one) for name, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case bytes():
            return base64.b64encode(value).decode()
        case float():
            return finite(value)
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case date() | time():
            return value.isoformat()
        case Decimal() | UUID() | timedelta():
            return str(value)
    return value
