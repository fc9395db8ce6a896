"""Names of methods in Kafka's Java client and in kafka-python, with their equivalents here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the clients must load neither of these modules
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    _C = TypeVar("_C")

PRODUCER = {
    "send": "produce()",
    "partitions_for": "list_topics(topic)",
    "partitionsFor": "list_topics(topic)",
}

CONSUMER = {
    "topics": "list_topics()",
    "partitions_for_topic": "list_topics(topic)",
    "partitionsFor": "list_topics(topic)",
    "beginning_offsets": "get_watermark_offsets()",
    "beginningOffsets": "get_watermark_offsets()",
    "end_offsets": "get_watermark_offsets()",
    "endOffsets": "get_watermark_offsets()",
    "seek_to_beginning": "seek() with OFFSET_BEGINNING",
    "seekToBeginning": "seek() with OFFSET_BEGINNING",
    "seek_to_end": "seek() with OFFSET_END",
    "seekToEnd": "seek() with OFFSET_END",
    "commit_sync": "commit(asynchronous=False)",
    "commitSync": "commit(asynchronous=False)",
    "commit_async": "commit()",
    "commitAsync": "commit()",
}

# AIOConsumer has some methods that Consumer does not have.
_OF_AIO = ("beginning_offsets", "end_offsets", "seek_to_beginning", "seek_to_end")
AIO_CONSUMER = {name: CONSUMER[name] for name in CONSUMER if name not in _OF_AIO} | {
    "beginningOffsets": "beginning_offsets()",
    "endOffsets": "end_offsets()",
    "seekToBeginning": "seek_to_beginning()",
    "seekToEnd": "seek_to_end()",
}


class Elsewhere:
    """A name that this class does not have. The AttributeError names what to call instead.

    It is a descriptor, because ``__getattr__`` or tp_getattro would make every method call 20 to
    45 ns slower: CPython does not specialise bytecode for classes that have one. For comparison, a
    call of produce() takes 150 ns. If the name is read from the class, the descriptor returns
    itself, as a property does. So tools can read every name that dir() lists.

    Args:
        name: the missing name.
        instead: what to call instead.
    """

    def __init__(self, name: str, instead: str) -> None:
        self._name = name
        self._instead = instead

    def __get__(self, client: object, kind: type) -> Elsewhere:
        if client is None:
            return self
        raise AttributeError(
            f"{kind.__name__!r} object has no attribute {self._name!r}: use {self._instead}",
            name=self._name,
            obj=client,
        )


def explaining(names: Mapping[str, str]) -> Callable[[type[_C]], type[_C]]:
    """Return a decorator for a class whose users may try names from other clients.

    Args:
        names: missing names, with what to call instead. A name that the class has is ignored.
    """

    def decorate(client: type[_C]) -> type[_C]:
        elsewhere = names.keys() - set(dir(client))
        for name in elsewhere:
            setattr(client, name, Elsewhere(name, names[name]))

        def __dir__(self: object) -> list[str]:  # noqa: N807
            listed = object.__dir__(self)
            return [name for name in listed if name not in elsewhere or hasattr(self, name)]

        client.__dir__ = __dir__  # type: ignore[method-assign]
        return client

    return decorate
