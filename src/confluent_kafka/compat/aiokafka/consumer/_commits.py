"""Converts the arguments of commit() to librdkafka's offsets."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError
from confluent_kafka import TopicPartition as Place

from ..._common.commits import NO_LONGER_MEMBER
from .. import errors
from .._failures import failure_of
from ..structs import TopicPartition


class Underway:
    """The commits that wait for their answers."""

    def __init__(self) -> None:
        self._count = 0
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def __enter__(self) -> None:
        self._count += 1
        self._is_idle.clear()

    def __exit__(self, *_: object) -> None:
        self._count -= 1
        if not self._count:
            self._is_idle.set()

    async def finish(self) -> None:
        """Wait until no commit is waiting."""
        await self._is_idle.wait()


def offsets_to_commit(offsets: Any) -> list[Place]:
    """Convert the offsets that an application commits.

    Args:
        offsets: by TopicPartition, an offset or (offset, metadata).

    Raises:
        TypeError: a partition or a metadata has a wrong type.
        ValueError: there is no offset, or an offset is not valid.
    """
    if not isinstance(offsets, Mapping) or not offsets:
        raise ValueError(
            f"offsets must be a dict of TopicPartition to offset, with at least one: {offsets!r}"
        )
    return [_place(partition, offsets[partition]) for partition in offsets]


def failure_of_commit(error: KafkaError) -> errors.KafkaError:
    """Return aiokafka's exception for a failed commit."""
    if error.code() in NO_LONGER_MEMBER or error.code() == KafkaError.FENCED_INSTANCE_ID:
        exception: errors.KafkaError = errors.CommitFailedError(error.str())
        return exception
    translated: errors.KafkaError = failure_of(error)
    return translated


def _place(partition: Any, value: Any) -> Place:
    if not isinstance(partition, TopicPartition):
        kind = type(partition).__name__
        raise TypeError(f"Key should be TopicPartition instance, not {kind}")
    offset, metadata = value, ""
    if isinstance(value, tuple) and len(value) == 2:
        offset, metadata = value
    if not isinstance(offset, int):
        raise ValueError(f"the offset of {partition} must be int or (int, str), not {value!r}")
    if offset < 0:
        raise ValueError(f"the offset of {partition} must not be negative, not {offset}")
    if not isinstance(metadata, str):
        kind = type(metadata).__name__
        raise TypeError(f"Metadata should be a string, not {kind}, for {partition}")
    # librdkafka would send an empty text as a byte, which other clients would see.
    return Place(partition.topic, partition.partition, offset, metadata or None)
