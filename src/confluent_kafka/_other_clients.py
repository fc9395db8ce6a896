"""Names of methods in Kafka's Java client and kafka-python, and what to call here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # the import of the clients loads neither
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

# AIOConsumer has more than Consumer.
_OF_AIO = ("beginning_offsets", "end_offsets", "seek_to_beginning", "seek_to_end")
AIO_CONSUMER = {name: CONSUMER[name] for name in CONSUMER if name not in _OF_AIO} | {
    "beginningOffsets": "beginning_offsets()",
    "endOffsets": "end_offsets()",
    "seekToBeginning": "seek_to_beginning()",
    "seekToEnd": "seek_to_end()",
}


class Elsewhere:
    """A name that is not here: the AttributeError says what to call.

    A descriptor, as ``__getattr__`` and tp_getattro cost every call of a method 20 to 45 ns (a
    produce() takes 150): CPython does not specialise bytecode for classes that have one. Of a
    class it returns itself, as a property does, so that tools may read all that dir() lists.

    Args:
        name: the name.
        instead: what to call.
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
    """A decorator of a class whose users may try names of other clients.

    Args:
        names: by them, what to call. Those that the class has stay what they are.
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
