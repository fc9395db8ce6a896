"""Kafka's protocol: every request, response and other message as an immutable class.

Each message is an attribute of this package, such as ``protocol.MetadataRequest``. Its class is
made at its first use. The structs of a message are attributes of its class
(``MetadataRequest.MetadataRequestTopic``). Fields have the protocol's names in snake case.
"""

from __future__ import annotations

from confluent_kafka.protocol._classes import message_class, request_class
from confluent_kafka.protocol._errors import MalformedMessageError, UnsupportedVersionError
from confluent_kafka.protocol._headers import request_header_version, response_header_version
from confluent_kafka.protocol._messages import Message, Request, Response, Struct
from confluent_kafka.protocol._tables import TABLES

__all__ = [
    "MalformedMessageError",
    "Message",
    "Request",
    "Response",
    "Struct",
    "UnsupportedVersionError",
    "message_class",
    "request_class",
    "request_header_version",
    "response_header_version",
]


def __getattr__(name: str) -> object:
    if name not in TABLES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    made = globals()[name] = message_class(name)
    return made


def __dir__() -> list[str]:
    return sorted({*globals(), *TABLES})
