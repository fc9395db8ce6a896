"""The thread that settles futures in the background."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading

from confluent_kafka import KafkaException, Producer

_log = logging.getLogger(__name__)

# Log records come without an event.
_LONGEST_WAIT = 0.5
# How many seconds another thread may take to serve the events.
_TURN = 0.05
_PLENTY = 4096  # bytes: more than the pipe ever contains


class Sender:
    """Serves a producer's delivery reports, because kafka-python's applications do not poll.

    The thread refers to the client, not to the producer. A dropped producer ends the thread and the
    client.

    Args:
        engine: the client.
    """

    def __init__(self, engine: Producer) -> None:
        self._engine = engine
        self._stopping = False
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._reader.settimeout(_LONGEST_WAIT)
        engine.io_event_enable(self._writer.fileno())
        self._thread = threading.Thread(target=self._run, name="kafka-python-sender", daemon=True)
        self._thread.start()

    def is_current(self) -> bool:
        """Return whether the calling thread is this thread."""
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        """End the thread, and wait for it unless it is the calling thread."""
        self._stopping = True
        with contextlib.suppress(OSError):  # the pipe is closed, or is full
            self._writer.send(b"\0")
        if not self.is_current():
            self._thread.join()

    def _run(self) -> None:
        with self._reader, self._writer:
            while not self._stopping:
                try:
                    self._serve()
                # A callback's exception: SystemExit, or any exception with
                # Future.error_on_callbacks. It must not end the thread, because then no later
                # future would be settled.
                except BaseException:
                    if not self._has_client():
                        return
                    _log.exception("a callback of a future failed; the sender thread goes on")

    def _serve(self) -> None:
        """Wait until there is something to do, and do it."""
        with contextlib.suppress(TimeoutError):
            self._reader.recv(_PLENTY)
        try:
            self._engine.poll(0)
            while not self._stopping and self._engine._queue_length():
                self._engine.poll(_TURN)
        except KafkaException as error:  # an error of librdkafka, which continues by itself
            _log.error("%s", error)

    def _has_client(self) -> bool:
        """Return whether the client can be served: it is not closed, and this is not a fork."""
        try:
            self._engine._queue_length()
        except RuntimeError:
            return False
        return True
