"""Values of share consumers (KIP-932)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum

TYPE_CHECKING = False  # importing it from typing would load typing
if TYPE_CHECKING:
    from typing import overload

    from confluent_kafka.cimpl import Message


class AcknowledgeType(IntEnum):
    """The outcome of a record. librdkafka: rd_kafka_share_AcknowledgeType_t (KIP-932, KIP-1222).

    ``ACCEPT``: the record is processed. ``RELEASE``: deliver it again, to any member of the group.
    ``REJECT``: never deliver it again. ``RENEW``: you are still processing it, and its lock starts
    again; acknowledge it again later.
    """

    ACCEPT = 1
    RELEASE = 2
    REJECT = 3
    RENEW = 4


class Messages:
    """The records that one ``ShareConsumer.poll()`` returned: a sequence of ``Message``.

    Later calls do not change it. A slice of it is a ``Messages`` too.

    Args:
        messages: an iterable of Message.

    librdkafka: rd_kafka_messages_t.
    """

    __slots__ = ("_messages",)

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = tuple(messages)

    def count(self) -> int:
        """The number of messages; the same as ``len()``."""
        return len(self._messages)

    def is_empty(self) -> bool:
        """Whether there are no messages; the same as ``not messages``."""
        return not self._messages

    def records(self) -> list[Message]:
        """The messages as a new list."""
        return list(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __contains__(self, message: object) -> bool:
        return message in self._messages

    def __reversed__(self) -> Iterator[Message]:
        return reversed(self._messages)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int, /) -> Message: ...
        @overload
        def __getitem__(self, index: slice, /) -> Messages: ...

    def __getitem__(self, index: int | slice, /) -> Message | Messages:
        if isinstance(index, slice):
            return Messages(self._messages[index])
        return self._messages[index]

    def __repr__(self) -> str:
        return f"Messages({list(self._messages)!r})"
