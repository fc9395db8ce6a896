"""The parts that all workloads share: the messages, the clocks, and the output of results."""

from __future__ import annotations

import json
import time
from typing import Any

VALUE_SIZE = 100
TIMEOUT_SECONDS = 30

# The number of calls between two polls of the event queue, as in real produce loops.
MESSAGES_PER_POLL = 1000

# One value for each call between two polls. With a single value, the buffer would stay in the
# processor's nearest cache. The native program sends the same values.
VALUES = [b"%0*d" % (VALUE_SIZE, i) for i in range(MESSAGES_PER_POLL)]


class Stopwatch:
    """Wall time, and CPU time of the calling thread alone (immune to a busy machine)."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._thread = time.thread_time()

    def wall(self) -> float:
        """Return the seconds since the start."""
        return time.perf_counter() - self._wall

    def thread(self) -> float:
        """Return the seconds of CPU time that this thread has used since the start."""
        return time.thread_time() - self._thread


def print_result(**fields: Any) -> None:
    """Print the workload's result, the one line that the harness reads."""
    print(json.dumps(fields), flush=True)
