"""What a program writes to stderr while it starts, kept until it is known whether that matters."""

from __future__ import annotations

import os
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2
_DELAY = 0.25
"""Seconds for which what comes after the block waits, so that it can still be dropped."""


@contextmanager
def held_back(dropped: threading.Event) -> Iterator[None]:
    """Drop what is written to stderr inside the block, unless the block raises.

    Programs that are started inside go on writing to the same pipe: what comes after the block
    is passed on to stderr, a moment later.

    Args:
        dropped: when it is set, what these programs write is dropped again, with what they have
            written in the moment before. Ctrl-C reaches them, too, and perhaps first.
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
    """What comes out of a pipe: dropped up to a mark, passed on behind it.

    Args:
        reading: the pipe.
        shown: where what is not dropped goes.
        dropped: set when what comes behind the mark is to be dropped, too.
    """

    def __init__(self, reading: int, shown: int, dropped: threading.Event) -> None:
        self._reading = reading
        self._shown = shown
        self._dropped = dropped
        self.end = uuid.uuid4().bytes
        """The mark, which is written into the pipe itself: nothing before it can come later."""
        self.keep = False
        """Whether what came before the mark is passed on, too; set before it is written."""
        self.ended = threading.Event()
        """The mark has come, and what was kept is out."""

    def pass_on(self) -> None:
        """Read until nobody has the pipe any more."""
        held = b""
        while self.end not in held:
            held += os.read(self._reading, 65_536)
        before, _, after = held.partition(self.end)
        self._show((before if self.keep else b"") + after)
        self.ended.set()
        while data := os.read(self._reading, 65_536):
            if not self._dropped.wait(_DELAY):
                self._show(data)

    def _show(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._shown, data) :]
