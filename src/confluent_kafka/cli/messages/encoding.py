"""Encoding of keys and values from text: the formats that need no schema."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka.cli.messages.decoding import Format, checked_json


class Misfit(ValueError):
    """A text cannot be encoded.

    Args:
        place: its index among the texts.
        reason: what is wrong.
    """

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(reason)
        self.place = place


class Encoder(ABC):
    """Encodes texts as keys or values.

    Attributes:
        takes_json (bool): whether the texts are JSON. With --json, a field can then be any JSON;
            otherwise it is a string, or base64.
    """

    takes_json = True

    @abstractmethod
    def encode(self, texts: Sequence[bytes]) -> list[bytes]:
        """Return the payload of each text.

        Args:
            texts: the texts.

        Raises:
            Misfit: one of them cannot be encoded.
        """


class Simple(Encoder):
    """Encodes texts one by one.

    Args:
        kind: a format that needs no schema.
    """

    def __init__(self, kind: Format) -> None:
        self._kind = kind
        self.takes_json = kind not in (Format.STRING, Format.BYTES)

    def encode(self, texts: Sequence[bytes]) -> list[bytes]:
        found = []
        for place, text in enumerate(texts):
            try:
                found.append(self._one(text))
            except ValueError as error:
                raise Misfit(place, str(error)) from None
        return found

    def _one(self, text: bytes) -> bytes:
        match self._kind:
            case Format.BYTES:
                return text
            case Format.JSON:
                return checked_json(text)
            case Format.STRING:
                try:
                    text.decode()
                except UnicodeDecodeError as error:
                    raise ValueError(f"not UTF-8: byte {error.start}") from None
                return text
        code, kind = _NUMBERS[self._kind]
        try:
            return struct.pack(f">{code}", kind(text))
        except (ValueError, struct.error, OverflowError):
            raise ValueError(f"{text.decode(errors='replace')!r} is not {self._kind}") from None


_NUMBERS: dict[Format, tuple[str, type[int] | type[float]]] = {
    Format.INT32: ("i", int),
    Format.INT64: ("q", int),
    Format.FLOAT: ("f", float),
    Format.DOUBLE: ("d", float),
}
SIMPLE = {Format.BYTES, Format.JSON, Format.STRING, *_NUMBERS}


def encode_messages(messages: Sequence[dict[str, Any]], encoders: Mapping[str, Encoder]) -> None:
    """Replace the keys and values of messages. Null stays null.

    Args:
        messages: the messages, as produce_batch() takes them.
        encoders: the encoders of the parts, "key" and "value".

    Raises:
        Misfit: a message cannot be encoded; the messages before it are.
    """
    first: Misfit | None = None
    for part, encoder in encoders.items():
        filled = [place for place, one in enumerate(messages) if one.get(part) is not None]
        try:
            payloads = encoder.encode([messages[place][part] for place in filled])
        except Misfit as error:
            place = filled[error.place]
            if first is None or place < first.place:
                first = Misfit(place, f"{part}: {error}")
            payloads = encoder.encode([messages[one][part] for one in filled[: error.place]])
        for place, payload in zip(filled, payloads, strict=False):
            messages[place][part] = payload
    if first is not None:
        raise first
