"""Decoding of keys and values, and the formats that need no schema."""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from confluent_kafka import Message
from confluent_kafka.cli.base.terminal import printable
from confluent_kafka.cli.messages.kept import Kept

if TYPE_CHECKING:
    from confluent_kafka.cli.messages.layouts import Layout


class Format(StrEnum):
    """A format of keys or values."""

    AUTO = "auto"
    AVRO = "avro"
    PROTOBUF = "protobuf"
    JSON_SCHEMA = "json-schema"
    JSON = "json"
    STRING = "string"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT = "float"
    DOUBLE = "double"
    BYTES = "bytes"
    INTERNAL = "internal"


# How a registry names the formats that have schemas.
TYPES = {Format.AVRO: "AVRO", Format.PROTOBUF: "PROTOBUF", Format.JSON_SCHEMA: "JSON"}


class OnError(StrEnum):
    """What happens after a message that cannot be decoded."""

    STOP = "stop"
    CONTINUE = "continue"


class Failure(str):
    """Why a payload cannot be decoded."""

    __slots__ = ()


Decoded = bytes | None | Failure


class Undecodable(Exception):
    """A message cannot be decoded.

    Args:
        place: the index of the message in its batch.
        text: the message's topic, partition and offset, and the reason.
    """

    def __init__(self, place: int, text: str) -> None:
        super().__init__(text)
        self.place = place


class Decoder(ABC):
    """Decodes keys, or values, into JSON texts."""

    @abstractmethod
    def decode(self, messages: Sequence[Message], payloads: Sequence[bytes]) -> list[Decoded]:
        """Return the JSON text of each payload, or why there is none.

        Args:
            messages: the messages.
            payloads: their keys or values.
        """

    def shown(self, text: bytes) -> bytes:
        """Return what a format shows for a JSON text."""
        return text

    def layout_of(self, message: Message, payload: bytes) -> tuple[Layout, bytes] | None:
        """Return the Arrow column for a decoded payload, and the bytes that the column decodes.

        None if the payload has no schema, or if columns cannot represent the schema.

        Args:
            message: the message.
            payload: its key or value.
        """
        return None


class Simple(Decoder):
    """Decodes payloads that describe themselves, one by one."""

    def decode(self, messages: Sequence[Message], payloads: Sequence[bytes]) -> list[Decoded]:
        found: list[Decoded] = []
        for payload in payloads:
            try:
                found.append(self.read(payload))
            except (ValueError, RecursionError, struct.error) as error:
                found.append(Failure(error))
        return found

    @abstractmethod
    def read(self, payload: bytes) -> bytes:
        """Return the JSON text of a payload, or raise a ValueError."""


class Text(Simple):
    """Text in UTF-8."""

    def read(self, payload: bytes) -> bytes:
        try:
            return json.dumps(payload.decode(), ensure_ascii=False).encode()
        except UnicodeDecodeError as error:
            raise ValueError(f"not UTF-8: {error.reason} at byte {error.start}") from None

    def shown(self, text: bytes) -> bytes:
        found: str = json.loads(text)
        return found.encode()


class Bytes(Simple):
    """Bytes, which JSON has as base64."""

    def read(self, payload: bytes) -> bytes:
        return b'{"base64": "%s"}' % base64.b64encode(payload)

    def shown(self, text: bytes) -> bytes:
        return base64.b64decode(json.loads(text)["base64"])


class Json(Simple):
    """JSON."""

    def read(self, payload: bytes) -> bytes:
        return checked_json(payload)


class Number(Simple):
    """A number in big-endian order, as Kafka's serializers write it.

    Args:
        code: its format for struct.
    """

    def __init__(self, code: str) -> None:
        self._layout = struct.Struct(f">{code}")

    def read(self, payload: bytes) -> bytes:
        if len(payload) != self._layout.size:
            raise ValueError(f"{len(payload)} bytes instead of {self._layout.size}")
        [number] = self._layout.unpack(payload)
        if self._layout.format == ">f":
            number = _shortest(number)
        return json.dumps(finite(number)).encode()


def checked_json(payload: bytes) -> bytes:
    """Return a JSON text on one line, or raise a ValueError.

    Args:
        payload: the text.
    """
    try:
        found = json.loads(payload.decode())  # from bytes, it would guess the encoding
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if b"\n" in payload or b"\r" in payload:
        return json.dumps(found, ensure_ascii=False).encode()
    return payload


def finite(number: float) -> float | str:
    """Return a number as JSON can have it, in Protobuf's words if it is not finite.

    Args:
        number: the number.
    """
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _shortest(number: float) -> float:
    """Return the number with the fewest digits that has the same 32 bits."""
    packed = struct.pack(">f", number)
    texts = (f"{number:.{digits}g}" for digits in range(6, 10))
    return next((float(one) for one in texts if struct.pack(">f", float(one)) == packed), number)


SIMPLE: dict[Format, Decoder] = {
    Format.JSON: Json(),
    Format.STRING: Text(),
    Format.INT32: Number("i"),
    Format.INT64: Number("q"),
    Format.FLOAT: Number("f"),
    Format.DOUBLE: Number("d"),
    Format.BYTES: Bytes(),
}


class Decoding:
    """Decodes the keys and values of messages.

    Args:
        decoders: the decoders by part, "key" and "value". Other parts stay bytes.
        on_error: what happens after a message that cannot be decoded.

    Attributes:
        decoders (dict): the decoders.
        keeps_payloads (bool): whether the JSON texts are of the class Kept.
        failed (int): how many messages were not decoded.
    """

    def __init__(self, decoders: Mapping[str, Decoder], on_error: OnError) -> None:
        self.decoders = decoders
        self.keeps_payloads = False
        self.failed = 0
        self._on_error = on_error

    def apply(
        self, messages: Sequence[Message], places: list[int]
    ) -> tuple[list[int], Undecodable | None]:
        """Replace keys and values by JSON texts.

        Args:
            messages: the messages of a batch.
            places: the indexes of the messages to decode.

        Returns:
            The indexes of the messages that were decoded; if the command is to stop, only those
            before the failure, and the failure.
        """
        failures: dict[int, str] = {}
        for part, decoder in self.decoders.items():
            _replace(part, decoder, messages, places, failures, self.keeps_payloads)
        if not failures:
            return places, None
        if self._on_error is OnError.STOP:
            first = min(failures)
            failure = Undecodable(first, failures[first])
            return [place for place in places if place < first], failure
        self.failed += len(failures)
        for place in sorted(failures):
            print(f"error: {printable(failures[place])}", file=sys.stderr)
        return [place for place in places if place not in failures], None


_ACCESS = {
    "key": (Message.key, Message.set_key),
    "value": (Message.value, Message.set_value),
}


def _replace(
    part: str,
    decoder: Decoder,
    messages: Sequence[Message],
    places: list[int],
    failures: dict[int, str],
    keeps_payloads: bool,
) -> None:
    """Replace one part of the messages by its JSON text, and note the messages without one."""
    read, write = _ACCESS[part]
    filled, payloads = [], []
    for place in places:
        payload = read(messages[place])
        if payload is not None:
            filled.append(place)
            payloads.append(payload)
    texts = decoder.decode([messages[place] for place in filled], payloads)
    for place, payload, text in zip(filled, payloads, texts, strict=True):
        if isinstance(text, Failure):
            failures.setdefault(place, f"{place_of(messages[place])}: {part}: {text}")
        elif keeps_payloads and text is not None:
            kept = Kept(text)
            kept.payload = payload
            write(messages[place], kept)
        else:
            write(messages[place], text)


def place_of(message: Message) -> str:
    """Return where a message is, for error texts."""
    return f"{message.topic()} [{message.partition()}] offset {message.offset()}"
