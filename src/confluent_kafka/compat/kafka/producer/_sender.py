"""The thread that settles futures while the application does other things."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading

from confluent_kafka import KafkaException, Producer

_log = logging.getLogger(__name__)

# Log records come without an event.
_LONGEST_WAIT = 0.5
# Seconds for which another thread may be serving what there is.
_TURN = 0.05
_PLENTY = 4096  # bytes: more than are ever there


class Sender:
    """Serves a producer's delivery reports: kafka-python's applications do not poll.

    The thread keeps the client, not the producer, which ends both when it is dropped.

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
        """Return whether it is the thread that calls this."""
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        """End the thread, and wait for it unless it is this one."""
        self._stopping = True
        with contextlib.suppress(OSError):  # it was stopped before, or cannot take more
            self._writer.send(b"\0")
        if not self.is_current():
            self._thread.join()

    def _run(self) -> None:
        with self._reader, self._writer:
            while not self._stopping:
                try:
                    self._serve()
                # A callback's: SystemExit, or anything with Future.error_on_callbacks. It must not
                # end the thread, without which no later future would be settled.
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
        except KafkaException as error:  # of librdkafka, which goes on by itself
            _log.error("%s", error)

    def _has_client(self) -> bool:
        """Return whether the client can still be served: it was not closed, nor is this a fork."""
        try:
            self._engine._queue_length()
        except RuntimeError:
            return False
        return True
