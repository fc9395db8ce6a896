"""How many messages a second a command processes, as lines on stderr."""

from __future__ import annotations

import sys
import time

from confluent_kafka.cli.base.terminal import counted

_EVERY = 10.0


class Rates:
    """Shows the number of messages and their rate at regular intervals."""

    def __init__(self) -> None:
        self._shown_at = time.monotonic()
        self._before = 0

    def tick(self, written: int) -> None:
        """Show a line if the last one is long enough ago.

        Args:
            written: how many messages there are now.
        """
        elapsed = time.monotonic() - self._shown_at
        if elapsed >= _EVERY:
            rate = (written - self._before) / elapsed
            print(f"{counted(written, 'message')}, {rate:,.1f}/s", file=sys.stderr)
            self._shown_at += elapsed
            self._before = written
