"""What ``AIOConsumer.pause_while()`` returns."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Self

from confluent_kafka import Consumer, TopicPartition

_SECONDS_BETWEEN_POLLS = 0.1


class AIOPauseWhile:
    """The block of ``AIOConsumer.pause_while()``. You can enter it again after it has ended.

    Args:
        consumer: the consumer whose assignment is paused.
        check: raises if the block must not begin, for example in another event loop.
        is_held_up: returns whether a rebalance callback runs. Then the block must not poll: a poll
            would end the rebalance early.
    """

    def __init__(
        self, consumer: Consumer, check: Callable[[], object], is_held_up: Callable[[], bool]
    ) -> None:
        self._consumer = consumer
        self._check = check
        self._is_held_up = is_held_up
        # Not a task: frameworks cancel all tasks of a loop, and the polling must not end then.
        self._polling: asyncio.TimerHandle | None = None
        self._lost: list[TopicPartition] = []

    @property
    def lost(self) -> list[TopicPartition]:
        """The partitions that the group has revoked in the block so far.

        A partition stays in the list even if the group has assigned it again. After the block, the
        list does not change. It is empty if the consumer was closed in the block.
        """
        return self._lost if self._polling is None else self._consumer._pause_lost()

    async def __aenter__(self) -> Self:
        self._check()
        self._consumer._pause_begin()
        self._lost = []
        self._poll_later()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._polling is not None:
            self._polling.cancel()
            self._polling = None
        with contextlib.suppress(RuntimeError):  # closed in the block: there is nothing to resume
            self._consumer._pause_end()
            self._lost = self._consumer._pause_lost()

    def _poll_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._polling = loop.call_later(_SECONDS_BETWEEN_POLLS, self._poll)

    def _poll(self) -> None:
        with contextlib.suppress(RuntimeError):  # closed in the block: polling ends
            if not self._is_held_up():
                self._consumer._pause_serve()
            self._poll_later()
