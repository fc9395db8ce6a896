"""Positions in a topic, as all options name them: --from, --until, --to, --at and --before."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import click

_NAMES = {"beginning": "beginning", "earliest": "beginning", "end": "end", "latest": "end"}
_TIMES = (
    "a time such as 2026-01-31T12:00 (local) or 2026-01-31T12:00Z, or a duration back from now "
    "such as -1h or PT1H"
)


_DIGITS = 100


class Bound:
    """A position: the beginning, the end, an offset, a count back from the end, or a time.

    Attributes:
        kind: beginning, end, offset, last or time.
        number: the offset, the count, or the time in milliseconds since 1970.
    """

    def __init__(self, kind: str, number: int = 0) -> None:
        self.kind = kind
        self.number = number

    @classmethod
    def parse(
        cls,
        argument: str,
        option: str | None,
        *,
        counts_back: bool = False,
        offsets: bool = True,
        others: tuple[str, ...] = (),
    ) -> Bound:
        """Return the position that an argument names.

        Args:
            argument: the text.
            option: the option that has this value, for the message; None if Click adds it.
            counts_back: whether -N means the last N messages.
            offsets: whether an offset is allowed.
            others: further words that the caller understands, for the message.
        """
        if argument in _NAMES:
            return cls(_NAMES[argument])
        if offsets and _is_number(argument):
            return cls("offset", int(argument))
        if counts_back and argument.startswith("-") and _is_number(argument[1:]):
            return cls("last", int(argument[1:]))
        moment = None if argument.isdecimal() else _milliseconds(argument)
        if moment is None:
            words = ["earliest", "latest", *others, *(["an offset"] if offsets else [])]
            words += ["-N"] if counts_back else []
            message = f"{argument!r} is not {', '.join(words)}, {_TIMES}"
            raise click.BadParameter(message, param_hint=option)
        return cls("time", moment)


def _is_number(text: str) -> bool:
    """Return whether a text is a number that is short enough for Python to read."""
    return text.isdecimal() and len(text) <= _DIGITS


def _milliseconds(text: str) -> int | None:
    """Return a time in milliseconds since 1970, or None if the text is not one."""
    # Here, because most commands that read messages get no time.
    from confluent_kafka.cli.base.durations import seconds_of

    back = seconds_of(text.removeprefix("-"))
    if back is not None:
        return max(0, int((time.time() - back) * 1000))
    try:
        return int(datetime.fromisoformat(text).astimezone(UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
