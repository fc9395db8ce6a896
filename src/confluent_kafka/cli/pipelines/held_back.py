"""Hold back what a program writes to stderr while it starts, until it has started or failed."""

from __future__ import annotations

import os
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2
_DELAY = 0.25
"""Seconds by which output after the block is delayed, so that it can still be dropped."""


@contextmanager
def held_back(dropped: threading.Event) -> Iterator[None]:
    """Drop what is written to stderr inside the block, unless the block raises.

    Programs that were started inside the block keep writing to the same pipe after it. Their
    output is then passed on to stderr, with a short delay.

    Args:
        dropped: once it is set, their output is dropped again, including output that waits to be
            passed on. The programs receive Ctrl-C too, maybe before this process does.
    """
    shown = os.dup(_STDERR)
    reading, writing = os.pipe()
    stream = _Stream(reading, shown, dropped)
    sys.stderr.flush()
    os.dup2(writing, _STDERR)
    os.close(writing)
    threading.Thread(target=stream.pass_on, daemon=True).start()
    try:
        yield
    except Exception:
        stream.keep = True
        raise
    finally:
        sys.stderr.flush()
        os.write(_STDERR, stream.end)
        os.dup2(shown, _STDERR)
        stream.ended.wait()


class _Stream:
    """The output from a pipe: dropped up to a mark, and passed on after it.

    Args:
        reading: the pipe.
        shown: the file descriptor that gets the output.
        dropped: once it is set, the output after the mark is dropped, too.
    """

    def __init__(self, reading: int, shown: int, dropped: threading.Event) -> None:
        self._reading = reading
        self._shown = shown
        self._dropped = dropped
        self.end = uuid.uuid4().bytes
        """The mark, which is written into the pipe itself, and so keeps its place in the output."""
        self.keep = False
        """Whether to pass on the output before the mark, too; set before the mark is written."""
        self.ended = threading.Event()
        """Set when the mark has arrived, and the output before it has been passed on."""

    def pass_on(self) -> None:
        """Read until no process has the pipe open."""
        held = b""
        while self.end not in held:
            held += os.read(self._reading, 65_536)
        before, _, after = held.partition(self.end)
        self._show((before if self.keep else b"") + after)
        self.ended.set()
        lines = _Lines()
        while data := os.read(self._reading, 65_536):
            passed = lines.add(data)
            if not self._dropped.wait(_DELAY):
                self._show(passed)
        self._show(lines.rest())

    def _show(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._shown, data) :]


class _Lines:
    """Passes lines on, without the tracebacks of PySpark about broken pipes.

    When Spark no longer needs a Python worker, it closes the worker's socket. The worker can then
    print a traceback, although nothing has failed.
    """

    _BEGIN = b"Traceback (most recent call last):"

    def __init__(self) -> None:
        self._incomplete = b""
        self._held: list[bytes] = []
        self._open = 0  # workers can print at the same time, so their lines can be mixed
        self._harmless = True

    def add(self, data: bytes) -> bytes:
        """Return the lines that are complete now. A traceback counts when its last line is there.

        Args:
            data: the next part of the output.
        """
        *lines, self._incomplete = (self._incomplete + data).split(b"\n")
        return b"".join(self._line(line) for line in lines)

    def rest(self) -> bytes:
        """Return the lines that were still incomplete at the end of the output."""
        return self._text() + self._incomplete

    def _text(self) -> bytes:
        return b"".join(line + b"\n" for line in self._held)

    def _line(self, line: bytes) -> bytes:
        if line.startswith(self._BEGIN):
            self._open += 1
        elif not self._open:
            return line + b"\n"
        elif line.startswith(b"  "):
            is_frame = line.startswith(b'  File "')
            self._harmless &= not is_frame or b"pyspark" in line
        else:
            self._open -= 1
            self._harmless &= line.startswith(b"BrokenPipeError: ")
        self._held.append(line)
        if self._open:
            return b""
        shown = b"" if self._harmless else self._text()
        self._held, self._harmless = [], True
        return shown
