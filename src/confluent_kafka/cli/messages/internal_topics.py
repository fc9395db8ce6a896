"""Decodes the messages that coordinators write to internal topics, as JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from confluent_kafka import Message, Uuid
from confluent_kafka.cli.messages.decoding import Decoded, Decoder, Failure
from confluent_kafka.cli.messages.text import text_or_base64
from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import Record, RecordsError

if TYPE_CHECKING:
    from confluent_kafka.protocol._messages import Message as ProtocolMessage

# Clients cannot read the topic of the controllers.
_TOPICS = records.INTERNAL_TOPICS - {"__cluster_metadata"}
# The length of the type at the start of a key, and of the version at the start of a value.
_NUMBER_BYTES = 2


class InternalRecords(Decoder):
    """Decodes keys, or values, of internal topics. The key contains the type of the value.

    Args:
        part: "key" or "value".
    """

    def __init__(self, part: str) -> None:
        self._reads_values = part == "value"

    def decode(self, messages: Sequence[Message], payloads: Sequence[bytes]) -> list[Decoded]:
        pairs = zip(messages, payloads, strict=True)
        return [self._read(message, payload) for message, payload in pairs]

    def _read(self, message: Message, payload: bytes) -> Decoded:
        topic = message.topic() or ""
        if topic not in _TOPICS:
            return Failure(f"the format internal is for {', '.join(sorted(_TOPICS))}")
        key, value = (message.key(), payload) if self._reads_values else (payload, None)
        try:
            found = records.internal(topic, Record(message.offset() or 0, key=key, value=value))
        except RecordsError as error:
            return Failure(error)
        decoded = found.value if self._reads_values else found.key
        shown = self._unknown(found.type, payload) if decoded is None else named(decoded)
        return json.dumps(shown, ensure_ascii=False).encode()

    def _unknown(self, number: int, payload: bytes) -> dict[str, Any]:
        """Return the numbers and the bytes of a record that a later version of Kafka wrote."""
        version = int.from_bytes(payload[:_NUMBER_BYTES], signed=True)
        return {
            "type": number,
            **({"version": version} if self._reads_values else {}),
            "base64": base64.b64encode(payload).decode(),
        }


def named(message: ProtocolMessage) -> dict[str, Any]:
    """Return a message of the protocol as a value for JSON: an object with the name of its type.

    Args:
        message: the message.
    """
    return {type(message).__name__: plain(message.as_dict())}


def plain(value: Any) -> Any:
    """Return a value of the protocol as JSON can represent it.

    Args:
        value: a field, or the fields of a message.
    """
    match value:
        case dict():
            return {name: plain(each) for name, each in value.items()}
        case list():
            return [plain(each) for each in value]
        case bytes():
            return text_or_base64(value)
        case Uuid():
            return str(value)
    return value
