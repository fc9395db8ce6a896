"""Conversions between messages and text: escapes, formats, lines of JSON."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Message
from confluent_kafka._suggestions import did_you_mean

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[ntr0\\])")
_ESCAPED = {"n": b"\n", "t": b"\t", "r": b"\r", "0": b"\0", "\\": b"\\"}
_FIELDS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
_TOKEN = re.compile(r"%(.)?", re.DOTALL)


def unescape(text: str) -> bytes:
    r"""Return the bytes of an argument: its escapes are replaced, the rest is encoded as UTF-8.

    Args:
        text: the argument, with the escapes ``\n``, ``\t``, ``\r``, ``\0``, ``\\`` and ``\xHH``.
    """
    parts = []
    end = 0
    for found in _ESCAPE.finditer(text):
        parts.append(text[end : found.start()].encode())
        escape = found[1]
        parts.append(_ESCAPED.get(escape) or bytes.fromhex(escape[1:]))
        end = found.end()
    parts.append(text[end:].encode())
    return b"".join(parts)


def _timestamp(message: Message) -> int:
    kind, milliseconds = message.timestamp()
    return -1 if kind == TIMESTAMP_NOT_AVAILABLE else milliseconds


def _date(message: Message) -> bytes:
    milliseconds = _timestamp(message)
    if milliseconds < 0:
        return b""
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):  # not in milliseconds, or after the year 9999
        return b"%d" % milliseconds
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()


def _headers(message: Message) -> bytes:
    return b",".join(
        name.encode() + b"=" + (b"NULL" if value is None else value)
        for name, value in message.headers() or []
    )


def _bytes_of(value: bytes | None) -> bytes:
    return b"" if value is None else value


def _length(value: bytes | None) -> bytes:
    return b"%d" % (-1 if value is None else len(value))


_TOKENS: dict[str, Callable[[Message], bytes]] = {
    "t": lambda message: (message.topic() or "").encode(),
    "p": lambda message: b"%d" % (message.partition() or 0),
    "o": lambda message: b"%d" % (message.offset() or 0),
    "k": lambda message: _bytes_of(message.key()),
    "K": lambda message: _length(message.key()),
    "s": lambda message: _bytes_of(message.value()),
    "S": lambda message: _length(message.value()),
    "h": _headers,
    "T": lambda message: b"%d" % _timestamp(message),
    "D": _date,
    "%": lambda message: b"%",
}


def formatter(text: str) -> Callable[[Message], bytes]:
    """Return a function that formats messages according to a format string.

    Args:
        text: with the tokens %t topic, %p partition, %o offset, %k key, %K its length in
            bytes (-1: null), %s value, %S its length, %h headers as name=value,..., %T
            timestamp in milliseconds (-1: none), %D the same as a date in UTC, %%; and the
            escapes of unescape().

    Raises:
        ValueError: the text contains an unknown token.
    """
    parts: list[bytes | Callable[[Message], bytes]] = []
    end = 0
    for found in _TOKEN.finditer(text):
        if found[1] not in _TOKENS:
            known = " ".join(f"%{name}" for name in _TOKENS)
            raise ValueError(f"{found[0]!r} is not a token: there are {known}")
        parts.append(unescape(text[end : found.start()]))
        parts.append(_TOKENS[found[1]])
        end = found.end()
    parts.append(unescape(text[end:]))

    def write(message: Message) -> bytes:
        return b"".join(part if isinstance(part, bytes) else part(message) for part in parts)

    return write


def as_json(message: Message) -> bytes:
    """Return a message as a line of JSON. Bytes that are not UTF-8 become ``{"base64": ...}``.

    Args:
        message: a consumed message.
    """
    fields = {
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": _timestamp(message),
        "key": text_or_base64(message.key()),
        "value": text_or_base64(message.value()),
        "headers": [[name, text_or_base64(value)] for name, value in message.headers() or []],
    }
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def from_json(line: bytes) -> dict[str, Any]:
    """Return the message of a line that as_json() wrote, or that has fewer fields.

    Args:
        line: a JSON object with value, and any of the other fields.

    Returns:
        An item for Producer.produce_batch(). The topic, partition and offset of the line are
        ignored: the partitioner chooses the partition of the copy by its key.

    Raises:
        ValueError: says which field is wrong.
    """
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise ValueError(f"must be a JSON object, not {type(fields).__name__}")
    _check_fields(fields)
    message: dict[str, Any] = {
        "key": _payload(fields.get("key"), "key"),
        "value": _payload(fields["value"], "value"),
    }
    timestamp = fields.get("timestamp", -1)
    if not isinstance(timestamp, int) or isinstance(timestamp, bool):
        raise ValueError(f"timestamp must be milliseconds as int, not {timestamp!r}")
    if timestamp >= 0:
        message["timestamp"] = timestamp
    headers = fields.get("headers") or []
    if not isinstance(headers, list) or not all(
        isinstance(header, list) and len(header) == 2 and isinstance(header[0], str)
        for header in headers
    ):
        raise ValueError("headers must be a list of [name, value]")
    message["headers"] = [(name, _payload(value, f"header {name}")) for name, value in headers]
    return message


def _check_fields(fields: dict[str, Any]) -> None:
    """Refuse unknown fields: a misspelled "value" would become null, which deletes a key."""
    for name in fields:
        if name not in _FIELDS:
            hint = did_you_mean(name, _FIELDS) or f"there are {', '.join(_FIELDS)}"
            raise ValueError(f"unknown field {name!r}: {hint}")
    if "value" not in fields:
        raise ValueError('has no value: write "value": null for a message without one')


def text_or_base64(value: bytes | None) -> str | dict[str, str] | None:
    """What JSON has for bytes: text if they are UTF-8, else ``{"base64": ...}``.

    Args:
        value: the bytes; None is null.
    """
    if value is None:
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _payload(value: Any, name: str) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and list(value) == ["base64"] and isinstance(value["base64"], str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except binascii.Error as error:
            raise ValueError(f"{name}: {error}") from None
    raise ValueError(f"{name} must be a string, null or {{'base64': ...}}, not {value!r}")
