"""Encodes JSON texts with a registry's schema: in columns, or one by one where columns cannot."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from confluent_kafka.cimpl import _split_frames
from confluent_kafka.cli.messages.avro_defaults import Defaults
from confluent_kafka.cli.messages.encoding import Encoder, Misfit
from confluent_kafka.cli.messages.payloads import Payloads
from confluent_kafka.columns import (
    AvroColumns,
    AvroDecoder,
    AvroEncoder,
    AvroSchemaError,
    JSONDecoder,
    ProtobufDecoder,
    ProtobufEncoder,
)
from confluent_kafka.columns._avro_schema import Record, parse

_Slow = Callable[[object], bytes | None]


class Registered(Encoder):
    """Encodes JSON texts in the framing of a registry.

    Args:
        columns: decodes texts into columns, and encodes the columns; None if columns cannot have
            the schema.
        slow: encodes an object, for texts that columns cannot have; None if there is none.
        fill: adds the fields that an object leaves out; None if all must be there.
    """

    def __init__(
        self,
        columns: tuple[Any, Any] | None,
        slow: _Slow | None,
        fill: Callable[[Any], Any] | None = None,
    ) -> None:
        self._columns = columns
        self._slow = slow
        self._fill = fill

    def encode(self, texts: Sequence[bytes]) -> list[bytes]:
        found, reasons = self._fast(texts)
        for place, payload in enumerate(found):
            if payload is None:
                found[place] = self._slowly(place, texts[place], reasons.get(place, ""))
        return [payload for payload in found if payload is not None]

    def _fast(self, texts: Sequence[bytes]) -> tuple[list[bytes | None], dict[int, str]]:
        if self._columns is None:
            return [None] * len(texts), {}
        decoder, encoder = self._columns
        rows = decoder.decode(Payloads(texts))
        encoded = encoder.encode(rows)
        names, bodies = _split_frames(encoded, None, "")
        found = [
            None if name is None or body is None else name + body
            for name, body in zip(names, bodies, strict=True)
        ]
        reasons = {}
        for error in (*rows.errors, *encoded.errors):
            at = f"{error.field}: " if error.field else ""
            reasons[error.row] = f"{at}{error.reason}"
            found[error.row] = None
        return found, reasons

    def _slowly(self, place: int, text: bytes, reason: str) -> bytes:
        """Encode a text that is not in all fields what columns need."""
        try:
            value = json.loads(text.decode())
        except ValueError as error:
            raise Misfit(place, f"not JSON: {error}") from None
        if self._fill is not None:
            value = self._fill(value)
            [payload], reasons = self._fast([json.dumps(value).encode()])
            if payload is not None:
                return payload
            reason = reasons.get(0, reason)
        if self._slow is None:
            raise Misfit(place, reason)
        try:
            payload = self._slow(value)
        except Exception as error:  # SerializationError, which may also be a TypeError
            raise Misfit(place, str(error)) from None
        assert payload is not None
        return payload


class Subject:
    """Where a schema stands in the registry, and what is written with it.

    Args:
        topic: the topic of the messages.
        part: "key" or "value".
        name: the subject; None for the topic's own.
    """

    def __init__(self, topic: str, part: str, name: str | None) -> None:
        self.topic = topic
        self.part = part
        self.name = name or f"{topic}-{part}"


def registered(registry: Any, subject: Subject, schema: Any, schema_id: int) -> Encoder:
    """Return the encoder for a schema of the registry.

    Args:
        registry: the SchemaRegistryClient.
        subject: where the schema stands.
        schema: the schema.
        schema_id: its id.

    Raises:
        ImportError: a package for the format is missing.
        ValueError: the schema cannot be read.
    """
    return _ENCODERS[schema.schema_type](registry, subject, schema, schema_id)


def _avro(registry: Any, subject: Subject, schema: Any, schema_id: int) -> Encoder:
    from confluent_kafka.schema_registry.avro import AvroSerializer

    conf = {"validate.strict": True, "validate.strict.allow.default": True}
    slow = _serializer(AvroSerializer(registry, conf=conf | _conf(subject, schema_id)), subject)
    *references, own = AvroColumns(registry, schema=schema)._documents(schema, is_reader=False)
    if not isinstance(parse(own, "the schema", references), Record):
        return Registered(None, slow)
    try:
        reads = AvroDecoder(own, writer_references=references)
        # A field that is missing may have another default than null, which columns do not know.
        texts = JSONDecoder(reads, missing="error", extra="error")
    except (AvroSchemaError, ValueError):  # recursive, or with a union of several types
        return Registered(None, slow)
    writes = AvroEncoder(own, schema_id=schema_id, references=references, registered=True)
    return Registered((texts, writes), slow, Defaults(own, references).fill)


def _protobuf(registry: Any, subject: Subject, schema: Any, schema_id: int) -> Encoder:
    from confluent_kafka.columns._protobuf_descriptor import message_indexes_of
    from confluent_kafka.columns._protobuf_registered import compile_registered

    message = compile_registered(schema, registry).message(None)
    texts = JSONDecoder(ProtobufDecoder(message), extra="error")
    indexes = message_indexes_of(message)
    writes = ProtobufEncoder(message, schema_id=schema_id, message_indexes=indexes)
    return Registered((texts, writes), None)


def _json(registry: Any, subject: Subject, schema: Any, schema_id: int) -> Encoder:
    from confluent_kafka.schema_registry.json_schema import JSONSerializer

    conf = _conf(subject, schema_id)
    return Registered(None, _serializer(JSONSerializer(None, registry, conf=conf), subject))


def _conf(subject: Subject, schema_id: int) -> dict[str, Any]:
    return {
        "auto.register.schemas": False,
        "use.schema.id": schema_id,
        "subject.name.strategy": lambda context, name: subject.name,
    }


def _serializer(serializer: Any, subject: Subject) -> _Slow:
    from confluent_kafka.serialization import MessageField, SerializationContext

    context = SerializationContext(subject.topic, MessageField(subject.part))
    return lambda value: serializer(value, context)


_ENCODERS: dict[str, Callable[[Any, Subject, Any, int], Encoder]] = {
    "AVRO": _avro,
    "JSON": _json,
    "PROTOBUF": _protobuf,
}
