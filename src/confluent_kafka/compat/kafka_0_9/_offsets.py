"""Offsets in the form of the oldest brokers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .common import (
    OffsetFetchResponse,
    OffsetRequest,
    OffsetResponse,
    UnknownTopicOrPartitionError,
)

_END, _BEGINNING = -1, -2


def found(
    payloads: list[OffsetRequest], ask: Callable[[list[OffsetRequest]], list[Any]]
) -> list[Any]:
    """Return the offsets of partitions like the protocol's version 0, the highest first.

    Version 0 returned the first offset of each file of a partition that was older than a time.
    Today's brokers return the first message that is not older. Here, a partition counts as one
    file.

    Args:
        payloads: partitions and times.
        ask: returns the parts of the answers to ListOffsets for payloads, or exceptions.

    Returns:
        OffsetResponses, or the exceptions.
    """
    answers = dict(zip(payloads, ask(payloads), strict=True))
    none_newer = [one for one, part in answers.items() if _is_none(part)]
    answers.update(_asked_again(none_newer, _END, ask))
    lists = [one for one in payloads if one.max_offsets > 1 and one.time != _BEGINNING]
    begins = dict(_asked_again(lists, _BEGINNING, ask))
    return [_response(one, answers[one], begins.get(one)) for one in payloads]


def _is_none(part: Any) -> bool:
    """Return whether all messages are older."""
    return not isinstance(part, Exception) and not part.error_code and part.offset < 0


def _asked_again(payloads: list[OffsetRequest], time: int, ask: Callable[..., list[Any]]) -> Any:
    parts = ask([one._replace(time=time) for one in payloads]) if payloads else []
    return zip(payloads, parts, strict=True)


def _response(payload: OffsetRequest, part: Any, begin: Any) -> Any:
    failed = next((one for one in (part, begin) if isinstance(one, Exception)), None)
    if failed is not None:
        return failed
    offsets: tuple[int, ...] = ()
    if not part.error_code:
        lower = (begin.offset,) if begin is not None and begin.offset < part.offset else ()
        offsets = (part.offset, *lower)[: payload.max_offsets]
    return OffsetResponse(payload.topic, payload.partition, part.error_code, offsets)


def as_unknown(answer: Any) -> Any:
    """Replace a group's missing offset by the error that ZooKeeper's offsets had."""
    if isinstance(answer, OffsetFetchResponse) and not answer.error and answer.offset < 0:
        return answer._replace(error=UnknownTopicOrPartitionError.errno)
    return answer
