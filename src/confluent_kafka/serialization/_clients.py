"""The serializers and deserializers (serdes) of a client. All kinds of clients use this code."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import time
import weakref
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, ClassVar, Protocol

from confluent_kafka.cimpl import Consumer, Message, TopicPartition, _Client
from confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    KeySerializationError,
    ValueDeserializationError,
    ValueSerializationError,
)

from . import DeserializerBuilder, MessageField, SerializationContext, SerializerBuilder
from ._types import K, V

_CLUSTER_ID_SECONDS = 5.0


class Serdes:
    """The serdes of a client's configuration. It records which of them the client built.

    Args:
        conf: the configuration of the client.
        awaits: whether to await results of serdes that are awaitable.

    Raises:
        TypeError: a serde is not callable, or a builder is not a builder.
        ValueError: a serde and a builder are given for the same field.
    """

    _kind: str
    _builder: type[Any]
    _failures: ClassVar[Mapping[MessageField, Callable[[Exception, Message], Exception]]]

    def __init__(self, conf: Mapping[str, Any], *, awaits: bool = False) -> None:
        self.rest = dict(conf)
        self._awaits = awaits
        self._owned: list[Any] = []
        self._serdes: list[tuple[int, MessageField, Callable[..., Any]]] = []
        try:
            for place, field in enumerate(self._failures):
                serde = self._take(f"{field}.{self._kind}", field is MessageField.KEY)
                if serde is not None:
                    self._serdes.append((place, field, serde))
        except BaseException:
            self.close()
            raise

    @property
    def convert_something(self) -> bool:
        """Whether there is a serde."""
        return bool(self._serdes)

    async def convert(
        self, topic: str, pair: list[Any], headers: Any, message: Callable[[], Message]
    ) -> None:
        """Replace a key and a value with the results of the serdes.

        Args:
            topic: the topic of the message.
            pair: its key and its value.
            headers: the headers for the serdes.
            message: the message, for errors.
        """
        for place, field, serde in self._serdes:
            try:
                made = serde(pair[place], SerializationContext(topic, field, headers))
                if self._awaits and inspect.isawaitable(made):
                    made = await made
            except Exception as error:
                raise self._failures[field](error, message()) from error
            pair[place] = made

    def _take(self, name: str, is_key: bool) -> Callable[..., Any] | None:
        serde = self.rest.pop(name, None)
        maker = self.rest.pop(f"{name}.builder", None)
        if serde is not None and maker is not None:
            raise ValueError(f"{name} and {name}.builder are mutually exclusive: give one of them")
        if maker is not None:
            if not isinstance(maker, self._builder):
                wanted = f"a {self._builder.__name__}"
                raise TypeError(f"{name}.builder must be {wanted}, not {type(maker).__name__}")
            serde, self.rest = maker.build(dict(self.rest), is_key)
            self._owned.append(serde)
        if serde is None:
            return None
        if not callable(serde):
            raise TypeError(f"{name} must be callable, not {type(serde).__name__}")
        chosen: Callable[..., Any] = serde
        return chosen

    def set_cluster_id_resolver(
        self,
        resolver: Callable[[], str | None],
        awaited: Callable[[], Awaitable[str | None]] | None = None,
    ) -> None:
        """Pass a resolver to the serdes that accept one. A plain function need not accept one.

        Args:
            resolver: returns the cluster's id, or None while it is unknown.
            awaited: the awaitable variant, for serdes that await it.
        """
        for _, _, serde in self._serdes:
            take = getattr(serde, "set_cluster_id_resolver", None)
            if take is not None:
                take(resolver)
            take_awaited = getattr(serde, "set_async_cluster_id_resolver", None)
            if take_awaited is not None and awaited is not None:
                take_awaited(awaited)

    def close(self) -> None:
        """Close the serdes that the client built; the caller closes all other serdes."""
        for serde in self.take_owned():
            serde.close()

    def take_owned(self) -> list[Any]:
        """Return the serdes that the client built; the caller must close them."""
        owned, self._owned = self._owned, []
        return owned


class Serializers(Serdes):
    """The serializers of a producer."""

    _kind = "serializer"
    _builder = SerializerBuilder
    _failures: ClassVar = {
        MessageField.KEY: KeySerializationError,
        MessageField.VALUE: ValueSerializationError,
    }

    async def serialize(self, topic: str, key: Any, value: Any, headers: Any) -> tuple[Any, ...]:
        """Return the key and the value as bytes, and a copy of the headers.

        The copy includes the headers that the serializers added.

        Raises:
            KeySerializationError: the key serializer raised.
            TypeError: the headers are neither a dict nor a list of pairs.
            ValueSerializationError: the value serializer raised.
        """

        def message() -> Message:
            return Message(topic=topic, key=key, value=value, headers=headers)

        own = _own_headers(headers)
        pair = [key, value]
        await self.convert(topic, pair, own, message)
        return *pair, own or None


class Deserializers(Serdes):
    """The deserializers of a consumer."""

    _kind = "deserializer"
    _builder = DeserializerBuilder
    _failures: ClassVar = {
        MessageField.KEY: KeyDeserializationError,
        MessageField.VALUE: ValueDeserializationError,
    }

    async def deserialize(self, message: Message) -> Message[Any, Any]:
        """Replace a message's key and value with objects, and return the message.

        Raises:
            ConsumeError: the message is an error.
            KeyDeserializationError: the key deserializer raised; the message keeps its bytes.
            ValueDeserializationError: the value deserializer raised.
        """
        failure = message.error()
        if failure is not None:
            raise ConsumeError(failure, kafka_message=message)
        topic: Any = message.topic()
        pair = [message.key(), message.value()]
        await self.convert(topic, pair, message.headers(), lambda: message)
        message.set_key(pair[0])
        message.set_value(pair[1])
        return message


def _own_headers(headers: Any) -> Any:
    """Return a copy of a message's headers that serializers may add to.

    Raises:
        TypeError: the headers are neither a dict nor a list of pairs.
    """
    if headers is None:
        return []
    if isinstance(headers, Mapping):
        return dict(headers)
    if not isinstance(headers, list | tuple):
        kind = type(headers).__name__
        raise TypeError(f"headers must be a dict or a list of (name, value) pairs, not {kind}")
    return list(headers)


def cluster_id_of(client: _Client) -> Callable[[], str | None]:
    """Return a function that returns the cluster's id. It does not keep the client alive."""
    known = weakref.ref(client)

    def resolve() -> str | None:
        alive = known()
        return None if alive is None else alive.cluster_id(_CLUSTER_ID_SECONDS)

    return resolve


@contextlib.contextmanager
def closing(client: _Client, close_own: Callable[[], None]) -> Iterator[None]:
    """Close the objects that belong to a client, if the block has closed the client.

    If close() was refused (as in a callback) or interrupted by a signal, the client stays open and
    continues to use these objects.

    Args:
        client: the client that the block closes.
        close_own: closes the objects that belong to the client.
    """
    try:
        yield
    finally:
        if client._closed:
            close_own()


next_take = itertools.count(2).__next__  # the values 0 and 1 have other meanings in the extension


class GivesBack(Protocol):
    """A consumer that can take messages back; blocking or asyncio."""

    def _give_back(self, take: int, /) -> None: ...


class Taking:
    """Gives its block a number for the messages that the block takes.

    ``_hand_out(number)`` of the consumer records that the application gets the messages. If the
    block raises or is cancelled before that, the messages are given back, and the next call returns
    them again.

    Args:
        consumer: the consumer that the messages are taken from.
    """

    __slots__ = ("_consumer", "_take")

    def __init__(self, consumer: GivesBack) -> None:
        self._consumer = consumer
        self._take = next_take()

    def __enter__(self) -> int:
        return self._take

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with contextlib.suppress(RuntimeError):  # closed in between: no offset was stored
                self._consumer._give_back(self._take)


def take_deserialized(
    consumer: Consumer,
    timeout: float,
    deserialize: Callable[[Message], Message[K, V]],
    failures: type[Exception] | tuple[type[Exception], ...],
) -> Message[K, V] | None:
    """Return the next message, deserialized, as poll() does.

    If the partition was revoked or moved while the message was deserialized, the call goes on with
    the next message.

    Args:
        consumer: the consumer that the messages are taken from.
        timeout: seconds to wait; -1 waits without limit.
        deserialize: replaces the key and the value of a message by objects, and returns the
            message.
        failures: the exceptions that ``deserialize`` raises for a message that it cannot
            deserialize. Such a message is skipped.
    """
    began = time.monotonic()
    left = timeout
    while True:
        take = next_take()
        # Python runs signal handlers where a Python function begins, for example an __exit__(). No
        # Python function may begin between taking a message and giving it back, or after handing it
        # out: a KeyboardInterrupt there would lose the message.
        try:
            message = consumer._take_one(left, take)
            if message is None:
                return None
            try:
                result = deserialize(message)
            except failures:
                if consumer._hand_out(take):
                    raise
            else:
                if consumer._hand_out(take):
                    return result
            consumer._give_back(take)
        except BaseException:
            if not consumer._closed:  # a closed consumer has stored no offset
                consumer._give_back(take)
            raise
        if timeout > 0:
            left = max(0, began + timeout - time.monotonic())


def place_of(message: Message) -> TopicPartition | None:
    """Return the partition and offset of a message; None if the message is an error."""
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    if message.error() is not None or topic is None or partition is None or offset is None:
        return None
    return TopicPartition(topic, partition, offset)
