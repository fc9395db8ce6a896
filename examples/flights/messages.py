"""Sends and receives messages between the processes of the demo, as lines of JSON."""

import json
import sys
from typing import Any


def send(event: str, **values: Any) -> None:
    """Report an event to the parent process."""
    print(json.dumps({"event": event, **values}), flush=True)


def receive() -> dict[str, Any]:
    """Return the next message of the parent process.

    Raises:
        SystemExit: the parent process has ended.
    """
    line = sys.stdin.readline()
    if not line:
        raise SystemExit("nobody is waiting for this process any more")
    message: dict[str, Any] = json.loads(line)
    return message
