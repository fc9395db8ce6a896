"""Positions in a topic at which to start or to stop, as options name them."""

from __future__ import annotations

from datetime import UTC, datetime

import click


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
    def parse(cls, argument: str, option: str, *, counts_back: bool = False) -> Bound:
        """Return the position that an argument names.

        Args:
            argument: the text.
            option: the option that has this value, for the message.
            counts_back: whether -N means the last N messages.
        """
        if argument in {"beginning", "end"}:
            return cls(argument)
        if argument.isdecimal():
            return cls("offset", int(argument))
        if counts_back and argument.startswith("-") and argument[1:].isdecimal():
            return cls("last", int(argument[1:]))
        try:
            moment = datetime.fromisoformat(argument).astimezone(UTC)
        except (ValueError, OverflowError):
            last = ", -N" if counts_back else ""
            raise click.BadParameter(
                f"{argument!r} is not beginning, end, an offset{last} or a time such as "
                "2026-01-31T12:00 (local) or 2026-01-31T12:00Z",
                param_hint=option,
            ) from None
        return cls("time", int(moment.timestamp() * 1000))
