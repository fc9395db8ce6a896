"""Messages from templates, for load and tests."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import click

from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.messages.closing_batches import close_batches

_BATCH = 1000
# At a rate, messages are sent in so many groups a second.
_GROUPS = 20


class Template:
    """Renders texts from a template of Jinja, in its sandbox.

    The templates have ``seq`` (0, 1, 2 ...), ``uuid()``, ``now()`` (milliseconds since 1970),
    ``today()`` (a date and time in UTC), ``choice(...)`` and ``randint(from, to)``.

    Args:
        text: the template.
        option: the option that has it, for messages.
    """

    def __init__(self, text: str, option: str) -> None:
        try:
            from jinja2 import StrictUndefined, TemplateError
            from jinja2.sandbox import SandboxedEnvironment
        except ImportError as error:
            fail(f"{option} needs Jinja, the extra [template]: pip install jinja2 ({error})")
        self._option = option
        self._failure = TemplateError
        self._numbers = itertools.count()
        environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
        environment.globals = dict(_FUNCTIONS)
        try:
            self._template = environment.from_string(text)
        except TemplateError as error:
            raise click.BadParameter(str(error), param_hint=option) from None

    def render(self) -> bytes:
        """Return the next text."""
        try:
            return self._template.render(seq=next(self._numbers)).encode()
        except (self._failure, ValueError, TypeError, ArithmeticError, LookupError) as error:
            raise ValueError(f"{self._option}: {error}") from None


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "uuid": lambda: str(uuid4()),
    "now": lambda: time.time_ns() // 1_000_000,
    "today": lambda: datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    "choice": lambda *values: random.choice(values),
    "randint": random.randint,
}


def blanks(count: int | None) -> Iterator[list[bytes]]:
    """Yield batches of empty records, for as many messages as templates are to make.

    Args:
        count: how many records; None is no end.
    """
    left = count
    while left is None or left > 0:
        size = _BATCH if left is None else min(_BATCH, left)
        yield [b""] * size
        left = None if left is None else left - size


def parse_rate(text: str) -> float:
    """Return the messages a second of an argument such as 1000, 1000/s or 30/m.

    Args:
        text: the argument.
    """
    number, slash, unit = text.partition("/")
    seconds = _UNITS.get(unit if slash else "s")
    try:
        rate = float(number)
    except ValueError:
        rate = 0
    if seconds is None or not 0 < rate < float("inf"):
        raise click.BadParameter(f"{text!r} is not a rate such as 1000/s, 30/m or 5/h")
    return rate / seconds


_UNITS = {"s": 1, "m": 60, "h": 3600}


def paced(batches: Iterator[list[bytes]], rate: float) -> Iterator[list[bytes]]:
    """Yield batches in time: no more than `rate` texts a second.

    Args:
        batches: the batches.
        rate: how many texts a second.
    """
    size = max(1, int(rate / _GROUPS))
    start, sent = time.monotonic(), 0
    try:
        for batch in batches:
            for first in range(0, len(batch), size):
                group = batch[first : first + size]
                time.sleep(max(0.0, start + sent / rate - time.monotonic()))
                yield group
                sent += len(group)
    finally:
        close_batches(batches)
