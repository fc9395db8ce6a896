"""Decoding with schemas: of a schema registry, or of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from confluent_kafka import Message
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.messages.decoding import (
    TYPES,
    Decoded,
    Decoder,
    Failure,
    Format,
)
from confluent_kafka.cli.messages.json_readings import JsonOfRegistry
from confluent_kafka.cli.messages.layouts import Layout
from confluent_kafka.cli.messages.readings import (
    ProtobufOfRegistry,
    Reads,
    avro_of_registry,
    avro_of_text,
    protobuf_of_text,
)

# The number of bytes that name a schema, by their first byte: with its id, and with its GUID.
_NAME_SIZES = {b"\0": 5, b"\1": 17}

_SUFFIXES = {".avsc": Format.AVRO, ".proto": Format.PROTOBUF}


class FromRegistry(Decoder):
    """Decodes payloads that name their schema, with the registry's schemas.

    Args:
        registry: the SchemaRegistryClient.
        kind: the format that the schemas must have; AUTO takes every format.
        part: "key" or "value".
    """

    def __init__(self, registry: Any, kind: Format, part: str) -> None:
        self._registry = registry
        self._type = TYPES.get(kind)
        self._header = f"__{part}_schema_id"
        self._readings: dict[bytes, Reads | Failure] = {}

    def decode(self, messages: Sequence[Message], payloads: Sequence[bytes]) -> list[Decoded]:
        found: list[Decoded] = [None] * len(payloads)
        groups: dict[bytes, list[tuple[int, bytes]]] = {}
        for place, (message, payload) in enumerate(zip(messages, payloads, strict=True)):
            framed = self._framed(message, payload)
            size = _NAME_SIZES.get(framed[:1])
            if size is None or len(framed) < size:
                found[place] = Failure(
                    "does not begin with the id of a schema, but with "
                    f"{framed[:5].hex(' ') or 'nothing'}"
                )
            else:
                groups.setdefault(framed[:size], []).append((place, framed))
        for name, members in groups.items():
            for place, text in zip(
                (place for place, _ in members),
                self._read(name, [framed for _, framed in members]),
                strict=True,
            ):
                found[place] = text
        return found

    def layout_of(self, message: Message, payload: bytes) -> tuple[Layout, bytes] | None:
        framed = self._framed(message, payload)
        reads = self._readings[framed[: _NAME_SIZES[framed[:1]]]]
        assert isinstance(reads, Reads)  # the payload was decoded
        layout = reads.layout(framed)
        return None if layout is None else (layout, framed)

    def _framed(self, message: Message, payload: bytes) -> bytes:
        """Return a payload with its framing, which can be in a header."""
        for name, value in message.headers() or ():
            if name == self._header and value is not None:
                return value + payload
        return payload

    def _read(self, name: bytes, payloads: list[bytes]) -> list[Decoded]:
        reads = self._readings.get(name)
        if reads is None:
            reads = self._readings[name] = self._reading(name)
        return [reads] * len(payloads) if isinstance(reads, Failure) else reads(payloads)

    def _reading(self, name: bytes) -> Reads | Failure:
        shown = _shown(name)
        try:
            schema = self._schema(name)
        except Exception as error:
            if getattr(error, "http_status_code", None) != HTTPStatus.NOT_FOUND:
                fail(str(error))
            return Failure(f"the registry has no schema {shown}")
        kind = schema.schema_type
        if self._type is not None and kind != self._type:
            return Failure(f"schema {shown} is {kind}, not {self._type}")
        try:
            return _READERS[kind](self._registry, schema, len(name))
        except ValueError as error:
            return Failure(f"schema {shown}: {error}")

    def _schema(self, name: bytes) -> Any:
        if name[:1] == b"\0":
            return self._registry.get_schema(int.from_bytes(name[1:]))
        return self._registry.get_schema_by_guid(_shown(name))


class FromFile(Decoder):
    """Decodes payloads without framing, with the schema of a file.

    Args:
        file: the file: .avsc, or .proto, whose first message is used.
        kind: the format of the schema; AUTO takes it from the name of the file.
        option: the option that has the file, for the message.
    """

    def __init__(self, file: Path, kind: Format, option: str) -> None:
        if kind is Format.AUTO:
            kind = _SUFFIXES.get(file.suffix, kind)
        if kind not in (Format.AVRO, Format.PROTOBUF):
            raise click.BadParameter(
                f"{file}: must be Avro (.avsc) or Protobuf (.proto). JSON needs no schema",
                param_hint=option,
            )
        try:
            text = file.read_text(encoding="utf-8")
            self._reads = avro_of_text(text) if kind is Format.AVRO else protobuf_of_text(text)
        except (OSError, ValueError) as error:
            raise click.BadParameter(f"{file}: {error}", param_hint=option) from None
        except ImportError as error:
            fail(f"{option}: {error}")

    def decode(self, messages: Sequence[Message], payloads: Sequence[bytes]) -> list[Decoded]:
        return self._reads(payloads)

    def layout_of(self, message: Message, payload: bytes) -> tuple[Layout, bytes] | None:
        layout = self._reads.layout(payload)
        return None if layout is None else (layout, payload)


_READERS: dict[str, Callable[[Any, Any, int], Reads]] = {
    "AVRO": avro_of_registry,
    "JSON": JsonOfRegistry,
    "PROTOBUF": ProtobufOfRegistry,
}


def _shown(name: bytes) -> str:
    """Return the id or the GUID of a schema, as people write it."""
    return str(int.from_bytes(name[1:])) if name[:1] == b"\0" else str(UUID(bytes=name[1:]))
