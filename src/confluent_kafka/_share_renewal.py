"""Renewing the locks of a share consumer's records while they are processed (KIP-1222)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import ConcurrentModificationException, IllegalStateException, ShareConsumer

__all__ = ["renewing"]

# The consumer is inside another call, which is short: commit_sync(), for example.
_BUSY_SECONDS = 0.1
# Seconds between two checks while the duration of the locks is unknown: the first poll() sets it.
_UNKNOWN_SECONDS = 0.5


@contextmanager
def renewing(consumer: ShareConsumer, every: float | None = None) -> Iterator[None]:
    """Renew the locks of the records that wait for an acknowledgement, inside a ``with`` block.

    A thread calls ``consumer.renew()`` again and again until the block ends. So a record may take
    longer than the group's ``share.record.lock.duration.ms``. You can call all methods of the
    consumer inside the block. ``renew()`` also sends acknowledgements that have not been sent, and
    the callback of ``set_acknowledgement_commit_callback()`` can run in the thread.

    A renewal that a broker refuses does not end the block: the callback gets the error, and the
    record's later acknowledgement fails with ``INVALID_RECORD_STATE``.

    Args:
        consumer: a ShareConsumer with ``share.acknowledgement.mode=explicit``.
        every: seconds between two renewals; None: a third of the locks' duration.

    Raises:
        IllegalStateException: the mode of the consumer is implicit, or it is closed.
        ValueError: ``every`` is not above 0.
        Exception: a callback of the consumer raised it in the thread.

    Source: KIP-1222.
    """
    if every is not None and every <= 0:
        raise ValueError(f"every is {every}: it must be above 0 (seconds)")
    consumer.renew()
    renewal = _Renewal(consumer, every)
    thread = threading.Thread(target=renewal.run, name="confluent-kafka-renewing", daemon=True)
    thread.start()
    try:
        yield
    finally:
        renewal.end.set()
        thread.join()
    if renewal.error is not None:
        raise renewal.error


class _Renewal:
    """What the thread does, and the exception that ended it."""

    def __init__(self, consumer: ShareConsumer, every: float | None) -> None:
        self.end = threading.Event()
        self.error: BaseException | None = None
        self._consumer = consumer
        self._every = every

    def run(self) -> None:
        wait = self._every or _UNKNOWN_SECONDS
        while not self.end.wait(wait):
            try:
                wait = self._every or self._third_of_lock()
                self._consumer.renew()
            except ConcurrentModificationException:
                wait = _BUSY_SECONDS
            except IllegalStateException:
                return  # the block has closed the consumer
            except BaseException as error:
                self.error = error
                return

    def _third_of_lock(self) -> float:
        lock = self._consumer.acquisition_lock_timeout_ms()
        return _UNKNOWN_SECONDS if lock is None else lock / 3000
