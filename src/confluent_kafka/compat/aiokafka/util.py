"""Small helpers that aiokafka's users may import."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, TypeVar

from .structs import OffsetAndMetadata, TopicPartition

__all__ = [
    "commit_structure_validate",
    "create_future",
    "create_task",
    "get_running_loop",
    "parse_kafka_version",
]

T = TypeVar("T")


def create_task(coro: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Run a coroutine in the running loop."""
    return get_running_loop().create_task(coro)


def create_future(loop: asyncio.AbstractEventLoop | None = None) -> asyncio.Future[Any]:
    """Make a future of a loop; None means the running loop."""
    return (loop or get_running_loop()).create_future()


def get_running_loop() -> asyncio.AbstractEventLoop:
    """Return the running loop.

    Raises:
        RuntimeError: no loop is running.
    """
    return asyncio.get_running_loop()


async def wait_for(fut: Awaitable[T], timeout: float | None) -> T:
    """Wait for an awaitable for at most ``timeout`` seconds; None waits without limit.

    Raises:
        TimeoutError: the time was over; the awaitable was cancelled.
    """
    return await asyncio.wait_for(fut, timeout)


def parse_kafka_version(api_version: str) -> tuple[int, int, int]:
    """Return a version of Kafka as numbers: "2.0" is (2, 0, 0).

    Raises:
        ValueError: it does not have two or three parts, or a part is not a number.
    """
    parts = [int(part) for part in str(api_version).split(".")]
    if len(parts) not in (2, 3):
        raise ValueError(api_version)
    major, minor, patch = (*parts, 0)[:3]
    return major, minor, patch


def commit_structure_validate(
    offsets: Mapping[TopicPartition, int | tuple[int, str] | OffsetAndMetadata],
) -> dict[TopicPartition, OffsetAndMetadata]:
    """Return offsets to commit, each with its metadata.

    Args:
        offsets: by partition, the offset of the next message to read, alone or with a text.

    Raises:
        ValueError: something else was given, or the dict is empty.
        TypeError: a key is not a TopicPartition, or a text is not a str.
    """
    if not isinstance(offsets, dict) or not offsets:
        raise ValueError(f"offsets must be a dict with at least one partition, not {offsets!r}")
    return {_partition(key): _offset(value) for key, value in offsets.items()}


def _partition(key: Any) -> TopicPartition:
    if not isinstance(key, TopicPartition):
        raise TypeError(
            f"Key should be TopicPartition instance: offsets must be by TopicPartition, not {key!r}"
        )
    return key


def _offset(value: Any) -> OffsetAndMetadata:
    if isinstance(value, int) and not isinstance(value, bool):
        return OffsetAndMetadata(value, "")
    match value:
        case (int(offset), str(metadata)):
            return OffsetAndMetadata(offset, metadata)
        case (int(), metadata):
            raise TypeError(
                f"Metadata should be a string: an offset's metadata must be str, not {metadata!r}"
            )
    raise ValueError(f"an offset must be int or OffsetAndMetadata(int, str), not {value!r}")
