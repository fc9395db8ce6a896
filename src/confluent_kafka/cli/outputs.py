"""Where messages go: stdout, or a file in the format of its name."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable

from confluent_kafka import Message


class Output(ABC):
    """Writes messages."""

    @abstractmethod
    def write(self, messages: list[Message]) -> None:
        """Write messages."""


class Lines(Output):
    """Writes messages to stdout.

    Args:
        line: turns a message into bytes.
    """

    def __init__(self, line: Callable[[Message], bytes]) -> None:
        self._line = line

    def write(self, messages: list[Message]) -> None:
        sys.stdout.buffer.writelines(map(self._line, messages))
        sys.stdout.buffer.flush()
