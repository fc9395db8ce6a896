"""Formats of messages: the argument of ``consume --format``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo

from confluent_kafka import Message
from confluent_kafka.cli.messages.text import timestamp_of, unescape

_TOKEN = re.compile(r"%(?:h\{(?P<header>[^}]*)\}|(?P<letter>.)?)", re.DOTALL)

Shown = Callable[[bytes], bytes]
Piece = Callable[[Message], bytes]


def _date(message: Message, zone: tzinfo | None) -> bytes:
    milliseconds = timestamp_of(message)
    if milliseconds < 0:
        return b""
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):  # not in milliseconds, or after the year 9999
        return b"%d" % milliseconds
    text = moment.isoformat(timespec="milliseconds")
    return (text if zone is None else text.replace("+00:00", "Z")).encode()


def _headers(message: Message) -> bytes:
    return b",".join(
        name.encode() + b"=" + (b"NULL" if value is None else value)
        for name, value in message.headers() or []
    )


def _length(value: bytes | None) -> int:
    return -1 if value is None else len(value)


_PLAIN: dict[str, Piece] = {
    "t": lambda message: (message.topic() or "").encode(),
    "p": lambda message: b"%d" % (message.partition() or 0),
    "o": lambda message: b"%d" % (message.offset() or 0),
    "h": _headers,
    "T": lambda message: b"%d" % timestamp_of(message),
    "D": lambda message: _date(message, UTC),
    "L": lambda message: _date(message, None),
    "%": lambda message: b"%",
}


def formatter(text: str, shown: Mapping[str, Shown], null: bytes = b"") -> Piece:
    """Return a function that formats messages according to a format string.

    Args:
        text: with the tokens %t topic, %p partition, %o offset, %k key, %K its length in
            bytes (-1: null), %s value, %S its length, %R its length as 4 bytes in big-endian
            order, %h headers as name=value,..., %h{name} the last header of this name, %T
            timestamp in milliseconds (-1: none), %D the same as a date in UTC, %L in local
            time, %%; and the escapes of unescape().
        shown: for decoded parts, "key" and "value": turns the JSON text into what is shown.
        null: what %k and %s show for null.

    Raises:
        ValueError: the text contains an unknown token.
    """
    tokens = _PLAIN | _of_payloads(shown, null)
    parts: list[bytes | Piece] = []
    end = 0
    for found in _TOKEN.finditer(text):
        parts.append(unescape(text[end : found.start()]))
        parts.append(_piece(found, tokens))
        end = found.end()
    parts.append(unescape(text[end:]))

    def write(message: Message) -> bytes:
        return b"".join(part if isinstance(part, bytes) else part(message) for part in parts)

    return write


def _of_payloads(shown: Mapping[str, Shown], null: bytes) -> dict[str, Piece]:
    """Return the tokens of keys and values. Lengths are measured in the shown text."""
    key = _reading(Message.key, shown.get("key"))
    value = _reading(Message.value, shown.get("value"))

    def text_of(payload: bytes | None) -> bytes:
        return null if payload is None else payload

    return {
        "k": lambda message: text_of(key(message)),
        "K": lambda message: b"%d" % _length(key(message)),
        "s": lambda message: text_of(value(message)),
        "S": lambda message: b"%d" % _length(value(message)),
        "R": lambda message: _length(value(message)).to_bytes(4, "big", signed=True),
    }


def _reading(
    read: Callable[[Message], bytes | None], shown: Shown | None
) -> Callable[[Message], bytes | None]:
    if shown is None:
        return read

    def payload(message: Message) -> bytes | None:
        text = read(message)
        return None if text is None else shown(text)

    return payload


def _piece(found: re.Match[str], tokens: Mapping[str, Piece]) -> Piece:
    name, letter = found["header"], found["letter"]
    if name is not None:
        return lambda message: _header(message, name)
    if letter not in tokens:
        known = " ".join(f"%{one}" for one in tokens)
        raise ValueError(f"{found[0]!r} is not a token: the tokens are {known} %h{{NAME}}")
    return tokens[letter]


def _header(message: Message, name: str) -> bytes:
    values = [value for one, value in message.headers() or () if one == name]
    return (values[-1] if values else None) or b""
