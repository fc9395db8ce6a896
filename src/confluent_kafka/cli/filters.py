"""Filters of messages: by key, by header, and by an expression on decoded fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from confluent_kafka import Message
from confluent_kafka.cli.decoding import place_of
from confluent_kafka.cli.ending import fail
from confluent_kafka.cli.text import timestamp_of

Keeps = Callable[[Message], bool]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# What the compiler writes before its reason: INVALID_ARGUMENT: ERROR: <input>:1:14: ...
_ORIGIN = re.compile(r".*?<input>:(\d+):(\d+): ")


def key_is(keys: list[str]) -> Keeps:
    """Return a filter that keeps messages with one of these keys.

    Args:
        keys: the keys as text.
    """
    wanted = {key.encode() for key in keys}
    return lambda message: message.key() in wanted


def has_headers(headers: Mapping[str, str]) -> Keeps:
    """Return a filter that keeps messages with all of these headers.

    Args:
        headers: the values by name.
    """
    wanted = {(name, value.encode()) for name, value in headers.items()}
    return lambda message: wanted.issubset(message.headers() or ())


class Where:
    """Keeps messages for which an expression in CEL is true.

    A message for which the expression has no value, for example because a field is missing, is left
    out and counted.

    Args:
        text: the expression.
        decoded: the parts of a message that are JSON texts, "key" and "value".

    Raises:
        click.BadParameter: the expression is wrong.
    """

    def __init__(self, text: str, decoded: set[str]) -> None:
        try:
            from cel_expr_python import cel
        except ImportError as error:
            fail(f"--where needs cel-expr-python: pip install cel-expr-python ({error})")
        self.failed = 0
        self.first = ""
        self._decoded = decoded
        variables = {
            "topic": cel.Type.STRING,
            "partition": cel.Type.INT,
            "offset": cel.Type.INT,
            "timestamp": cel.Type.TIMESTAMP,
            "headers": cel.Type.DYN,
            "key": cel.Type.DYN,
            "value": cel.Type.DYN,
        }
        try:
            self._program = cel.NewEnv(variables=variables).compile(text)
        except RuntimeError as error:
            raise click.BadParameter(_reason(str(error)), param_hint="--where") from None
        kind = self._program.return_type()
        if kind not in (cel.Type.BOOL, cel.Type.DYN):
            raise click.BadParameter(f"is {kind}, not true or false", param_hint="--where")

    def __call__(self, message: Message) -> bool:
        found = self._program.eval(data=self._fields(message)).value()
        if isinstance(found, bool):
            return found
        self.failed += 1
        self.first = self.first or f"{place_of(message)}: {found}"
        return False

    def _fields(self, message: Message) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "topic": message.topic(),
            "partition": message.partition(),
            "offset": message.offset(),
            "headers": {name: _text(value) for name, value in message.headers() or ()},
            "key": self._part("key", message.key()),
            "value": self._part("value", message.value()),
        }
        milliseconds = timestamp_of(message)
        if milliseconds >= 0:  # without the variable, an expression that uses it has no value
            fields["timestamp"] = _EPOCH + timedelta(milliseconds=milliseconds)
        return fields

    def _part(self, name: str, payload: bytes | None) -> Any:
        if payload is not None and name in self._decoded:
            return json.loads(payload, parse_int=_integer)
        return _text(payload)


def _text(value: bytes | None) -> str | bytes | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return value


def _integer(text: str) -> int | float:
    """Return an integer that CEL can have: its integers have 64 bits."""
    number = int(text)
    return number if -(2**63) <= number < 2**63 else float(number)


def _reason(text: str) -> str:
    first = text.splitlines()[0]
    return _ORIGIN.sub(lambda found: f"line {found[1]}, column {found[2]}: ", first)
