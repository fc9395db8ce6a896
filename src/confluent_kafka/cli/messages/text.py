"""Conversions between messages and text: escapes, lines of JSON."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Collection
from typing import Any

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Message
from confluent_kafka._suggestions import did_you_mean

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[ntr0\\])")
_ESCAPED = {"n": b"\n", "t": b"\t", "r": b"\r", "0": b"\0", "\\": b"\\"}
_FIELDS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
_LINE = (
    b'{"topic": %s, "partition": %d, "offset": %d, "timestamp": %d, "key": %s, "value": %s, '
    b'"headers": %s}\n'
)


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


def timestamp_of(message: Message) -> int:
    """Return the timestamp of a message in milliseconds; -1 if it has none.

    Args:
        message: the message.
    """
    kind, milliseconds = message.timestamp()
    return -1 if kind == TIMESTAMP_NOT_AVAILABLE else milliseconds


def json_line(decoded: Collection[str] = ()) -> Callable[[Message], bytes]:
    """Return a function that returns a message as a line of JSON.

    Bytes that are not UTF-8 become ``{"base64": ...}``.

    Args:
        decoded: the parts that are JSON texts, "key" and "value".
    """
    key = _as_it_is if "key" in decoded else _json_of
    value = _as_it_is if "value" in decoded else _json_of

    def write(message: Message) -> bytes:
        headers = [[name, text_or_base64(one)] for name, one in message.headers() or ()]
        return _LINE % (
            json.dumps(message.topic(), ensure_ascii=False).encode(),
            message.partition() or 0,
            message.offset() or 0,
            timestamp_of(message),
            key(message.key()),
            value(message.value()),
            json.dumps(headers, ensure_ascii=False).encode() if headers else b"[]",
        )

    return write


def _json_of(payload: bytes | None) -> bytes:
    return json.dumps(text_or_base64(payload), ensure_ascii=False).encode()


def _as_it_is(payload: bytes | None) -> bytes:
    return b"null" if payload is None else payload


def from_json(
    line: bytes, encoded: Collection[str] = (), *, keep_partition: bool = False
) -> dict[str, Any]:
    """Return the message of a line that json_line() wrote, or that has fewer fields.

    Args:
        line: a JSON object with value, and any of the other fields.
        encoded: the parts that can be any JSON, "key" and "value"; the message has their JSON
            texts.
        keep_partition: whether the message has the partition of the line. Otherwise the
            partitioner chooses the partition of the copy by its key.

    Returns:
        An item for Producer.produce_batch(). The topic and offset of the line are ignored.

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
        part: _json_text(fields.get(part)) if part in encoded else _payload(fields.get(part), part)
        for part in ("key", "value")
    }
    if keep_partition:
        message["partition"] = _partition(fields.get("partition"))
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
            hint = did_you_mean(name, _FIELDS) or f"the fields are {', '.join(_FIELDS)}"
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


def _json_text(value: Any) -> bytes | None:
    return None if value is None else json.dumps(value, ensure_ascii=False).encode()


def _partition(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"partition must be a number of at least 0, not {value!r}")
    return value


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
