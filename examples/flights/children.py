"""Starts and ends the child processes of the demo."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
# A process that does not end by itself is killed after this number of seconds.
_GRACE = 5.0
_LAST_LINES = 15


class Child:
    """A module of this package that runs as a process of its own.

    The child is the leader of its own session, so Ctrl-C reaches only the demo. The demo then ends
    the child and all processes that the child has started.

    Args:
        module: the name of the module in this package.
        settings: the first message to the process.
        log: the file for standard error; its folder is the working directory of the process.
        on_event: called in a thread with each message from the process.
    """

    def __init__(
        self,
        module: str,
        settings: dict[str, Any],
        log: Path,
        on_event: Callable[[dict[str, Any]], None],
    ) -> None:
        self._name = module
        self._log = log
        self._on_event = on_event
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.{module}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=log.parent,
                env={**os.environ, "PYTHONPATH": _python_path()},
                start_new_session=True,
            )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.send(settings)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the process. If the process has ended, `check` reports that."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def finish(self) -> None:
        """Close the input of the process, which means that no more messages come."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def check(self) -> bool:
        """Return whether the process has ended.

        Raises:
            ChildFailed: the process failed.
        """
        code = self._process.poll()
        if code is None:
            return False
        # The last messages of the process may still be in the pipe.
        self._listener.join(_GRACE)
        if code != 0:
            tail = self._log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
            raise ChildFailed(
                "\n".join([f"{self._name} ended with code {code}; {self._log} ends with:", *tail])
            )
        return True

    def stop(self) -> None:
        """End the process now, with all processes that it has started."""
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + _GRACE
        while self._alive() and time.monotonic() < deadline:
            time.sleep(0.02)
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _alive(self) -> bool:
        self._process.poll()
        return self._signal(0)

    def _signal(self, number: int) -> bool:
        """Send a signal to all processes of the child; return False if there are none."""
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return False
        return True

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._on_event(json.loads(line))


def _python_path() -> str:
    """Return an import path that leads to this package from any working directory."""
    return os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))


class ChildFailed(RuntimeError):
    """A process failed; the message contains the end of its log."""
