"""Stores the offsets of processed messages only."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import TYPE_CHECKING

from .common import OffsetCommitRequest, OffsetOutOfRangeError, check_error

if TYPE_CHECKING:
    from .consumer import SimpleConsumer

__all__ = ["OffsetCommitContext"]


class OffsetCommitContext:
    """Stores offsets at the end of a block, up to the messages that were marked in it.

    Messages that were read in the block and not marked are read again. ::

        consumer = SimpleConsumer(client, group, topic, auto_commit=False)
        consumer.provide_partition_info()

        with OffsetCommitContext(consumer) as context:
            for partition, message in consumer.get_messages(100, block=False):
                if not process(message):
                    break
                context.mark(partition, message.offset)

    The context is true if a message was marked.

    Args:
        consumer: a consumer without auto_commit; or any object with ``offsets`` by partition, and
            with ``seek(0, 1)``, which makes it continue at these offsets. commit() also needs its
            ``client``, ``group`` and ``topic``.
    """

    def __init__(self, consumer: SimpleConsumer) -> None:
        self.consumer = consumer
        self.initial_offsets: dict[int, int] = {}
        self.high_water_mark: dict[int, int] = {}
        self.logger = logging.getLogger("kafka.context")

    def mark(self, partition: int, offset: int) -> None:
        """Mark a message and all messages before it as processed.

        Args:
            partition: the partition of the message.
            offset: the offset of the message.
        """
        self.high_water_mark[partition] = max(offset + 1, self.high_water_mark.get(partition, 0))

    def __bool__(self) -> bool:
        return bool(self.high_water_mark)

    def __enter__(self) -> OffsetCommitContext:
        self.initial_offsets = dict(self.consumer.offsets)
        self.high_water_mark = {}
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if isinstance(exc_value, OffsetOutOfRangeError):
            self.logger.info("offset out of range: %s", exc_value)
            self.handle_out_of_range()
            return True
        if exc_value is not None:
            self.rollback()
            return False
        self.commit()
        return False

    def commit(self) -> None:
        """Store the offsets that follow the marked messages, and continue there.

        Raises:
            KafkaError: the same errors as in KafkaClient.send_offset_commit_request().
        """
        if self.high_water_mark:
            self.commit_partition_offsets(self.high_water_mark)
        self.update_consumer_offsets({**self.initial_offsets, **self.high_water_mark})

    def rollback(self) -> None:
        """Read the messages of the block again."""
        self.update_consumer_offsets(self.initial_offsets)

    def commit_partition_offsets(self, partition_offsets: dict[int, int]) -> None:
        """Store offsets.

        Args:
            partition_offsets: the next offsets to read, by partition.

        Raises:
            KafkaError: the same errors as in KafkaClient.send_offset_commit_request().
        """
        consumer = self.consumer
        answers = consumer.client.send_offset_commit_request(
            consumer.group,  # type: ignore[arg-type]
            [
                OffsetCommitRequest(consumer.topic, partition, offset, None)
                for partition, offset in partition_offsets.items()
            ],
        )
        for answer in answers:
            check_error(answer)

    def update_consumer_offsets(self, partition_offsets: dict[int, int]) -> None:
        """Make the consumer continue at offsets.

        Args:
            partition_offsets: the offsets by partition.
        """
        self.consumer.offsets.update(partition_offsets)
        self.consumer.seek(0, 1)

    def handle_out_of_range(self) -> None:
        """Make the consumer continue at the beginnings of its partitions."""
        self.consumer.seek(0, 0)
