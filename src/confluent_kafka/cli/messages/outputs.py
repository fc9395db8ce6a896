"""Where messages go: stdout, or a file."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager

from confluent_kafka import Message


class Output(AbstractContextManager[object]):
    """Writes messages inside a ``with`` block. After an exception, a file is left out."""

    @abstractmethod
    def write(self, messages: list[Message]) -> None:
        """Write messages.

        Args:
            messages: the messages.
        """


class Lines(Output):
    """Writes messages to stdout.

    Args:
        line: turns a message into bytes.
    """

    def __init__(self, line: Callable[[Message], bytes]) -> None:
        self._line = line

    def __exit__(self, *exception: object) -> None:
        pass

    def write(self, messages: list[Message]) -> None:
        sys.stdout.buffer.writelines(map(self._line, messages))
        sys.stdout.buffer.flush()


class Resuming(Output):
    """Writes messages together with the positions from which the next run continues."""

    @abstractmethod
    def reached(self, records: list[Message]) -> None:
        """Note messages that are written, or left out by a filter.

        Args:
            records: the messages.
        """

    @abstractmethod
    def tick(self, written: int) -> None:
        """Called after each batch, and whenever no message came for a moment.

        Args:
            written: how many messages were written in all.
        """
