"""Filters of messages: by key, by header, and by an expression on decoded fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from confluent_kafka import Message
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.messages.decoding import place_of
from confluent_kafka.cli.messages.text import timestamp_of

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

    Attributes:
        succeeded (int): how many messages the expression had a value for.
        failed (int): how many messages it had no value for.
        first (str): the first of these messages, and the reason.

    Raises:
        click.BadParameter: the expression is wrong.
    """

    def __init__(self, text: str, decoded: set[str]) -> None:
        try:
            from cel_expr_python import cel
        except ImportError as error:
            fail(
                "--where needs cel-expr-python, the extra [where]: pip install cel-expr-python "
                f"({error})"
            )
        self.succeeded = self.failed = 0
        self.first = ""
        # Fields that the text does not name need not be made for each message.
        self._used = {name for name in _FIELDS if re.search(rf"\b{name}\b", text)}
        self._decoded = decoded & self._used
        self._bytes = [part for part in ("value", "key") if part in self._used - decoded]
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
            self.succeeded += 1
            return found
        self.failed += 1
        self.first = self.first or f"{place_of(message)}: {found}"
        return False

    @property
    def fails(self) -> bool:
        """Whether the expression had a value for none of the messages."""
        return self.failed > 0 and self.succeeded == 0

    def problem(self) -> list[str]:
        """Return lines: how many messages the expression had no value for, why, and what helps."""
        return [
            f"--where: no value for {counted(self.failed, 'message')}: {self.first}",
            *(
                f"the {part} is not decoded: use --{part} json or --{part} auto"
                for part in self._bytes
            ),
        ]

    def _fields(self, message: Message) -> dict[str, Any]:
        fields = {name: _FIELDS[name](message) for name in self._used}
        for part in self._decoded:
            if fields[part] is not None:
                fields[part] = json.loads(fields[part], parse_int=_integer)
        if fields.get("timestamp", 0) is None:
            del fields["timestamp"]  # so that an expression which uses it has no value
        return fields


def _timestamp(message: Message) -> datetime | None:
    milliseconds = timestamp_of(message)
    return None if milliseconds < 0 else _EPOCH + timedelta(milliseconds=milliseconds)


_FIELDS: dict[str, Callable[[Message], Any]] = {
    "topic": Message.topic,
    "partition": Message.partition,
    "offset": Message.offset,
    "timestamp": _timestamp,
    "headers": lambda one: {name: _text(value) for name, value in one.headers() or ()},
    "key": lambda one: _text(one.key()),
    "value": lambda one: _text(one.value()),
}


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
