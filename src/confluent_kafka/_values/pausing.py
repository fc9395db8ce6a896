"""What ``Consumer.pause_while()`` returns."""

from __future__ import annotations

import contextlib
import threading
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition

_SECONDS_BETWEEN_POLLS = 0.1


class PauseWhile:
    """The block of ``Consumer.pause_while()``. You can enter it again after it has ended.

    Args:
        consumer: the consumer whose assignment is paused.
    """

    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._lost: list[TopicPartition] = []

    @property
    def lost(self) -> list[TopicPartition]:
        """The partitions that the group has revoked in the block so far.

        A partition stays in the list even if the group has assigned it again. After the block, the
        list does not change. It is empty if the consumer was closed in the block.
        """
        return self._lost if self._thread is None else self._consumer._pause_lost()

    def __enter__(self) -> PauseWhile:
        self._consumer._pause_begin()
        self._lost = []
        self._ended.clear()
        self._thread = threading.Thread(
            target=self._poll, name="confluent_kafka.pause_while", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with contextlib.suppress(RuntimeError):  # closed in the block: there is nothing to resume
            self._consumer._pause_end()
            self._lost = self._consumer._pause_lost()

    def _poll(self) -> None:
        with contextlib.suppress(RuntimeError):  # the consumer was closed in the block
            while not self._ended.wait(_SECONDS_BETWEEN_POLLS):
                self._consumer._pause_serve()
