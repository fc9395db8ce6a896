"""The parts that all serializers share: subjects, the ids in messages, and base classes."""

from __future__ import annotations

import io
import struct
import threading
import uuid
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any

from confluent_kafka.error import SerializationError
from confluent_kafka.serialization import (
    Deserializer,
    MessageField,
    SerializationContext,
    Serializer,
)
from confluent_kafka.serialization._coroutines import run

from ._cache import Cache
from ._calls import Calls
from ._fields import FieldType
from .error import SchemaRegistryError
from .schema import Schema
from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient

__all__ = [
    "FALLBACK_TYPE",
    "KAFKA_CLUSTER_ID",
    "AssociatedNameStrategy",
    "AsyncAssociatedNameStrategy",
    "AsyncBaseDeserializer",
    "AsyncBaseSerde",
    "AsyncBaseSerializer",
    "BaseDeserializer",
    "BaseSerde",
    "BaseSerializer",
    "FieldType",
    "ParsedSchemaCache",
    "SchemaId",
    "SubjectNameStrategyType",
    "async_build_serde",
    "build_serde",
    "dual_schema_id_deserializer",
    "header_schema_id_serializer",
    "prefix_schema_id_deserializer",
    "prefix_schema_id_serializer",
    "record_subject_name_strategy",
    "reference_subject_name_strategy",
    "topic_record_subject_name_strategy",
    "topic_subject_name_strategy",
]

ID_MAGIC, GUID_MAGIC = b"\0", b"\1"
ID_SIZE, GUID_SIZE = 5, 17
"""The sizes of an id and of a GUID, with the byte before it."""
_ID = struct.Struct(">cI")
ID_HEADERS = {MessageField.KEY: "__key_schema_id", MessageField.VALUE: "__value_schema_id"}
"""The headers that contain the GUID of a key's schema, and of a value's schema."""


# --- subjects ---


def _topic_of(ctx: SerializationContext | None, strategy: str) -> str:
    if ctx is None or ctx.topic is None:
        raise ValueError(
            f"{strategy} needs a SerializationContext with the topic: give one, or use "
            "record_subject_name_strategy"
        )
    return ctx.topic


def topic_subject_name_strategy(ctx: SerializationContext | None, record_name: str | None) -> str:
    """Return ``<topic>-key`` or ``<topic>-value``.

    Args:
        ctx: the context of the message.
        record_name: the name of the schema's type.

    Raises:
        ValueError: there is no context.
    """
    topic = _topic_of(ctx, "topic_subject_name_strategy")
    return f"{topic}-{ctx.field}"  # type: ignore[union-attr]


def record_subject_name_strategy(
    ctx: SerializationContext | None, record_name: str | None
) -> str | None:
    """Return the name of the schema's type.

    Args:
        ctx: the context of the message.
        record_name: the name; None if the schema has none.
    """
    return record_name


def topic_record_subject_name_strategy(
    ctx: SerializationContext | None, record_name: str | None
) -> str | None:
    """Return ``<topic>-<name of the schema's type>``.

    Args:
        ctx: the context of the message.
        record_name: the name; None if the schema has none.

    Raises:
        ValueError: there is no context.
    """
    topic = _topic_of(ctx, "topic_record_subject_name_strategy")
    return None if record_name is None else f"{topic}-{record_name}"


def reference_subject_name_strategy(ctx: SerializationContext | None, schema_ref: Any) -> str:
    """Return the name of a reference.

    Args:
        ctx: the context of the message.
        schema_ref: the reference, with an attribute ``name``.
    """
    name: str = schema_ref.name
    return name


class SubjectNameStrategyType(StrEnum):
    """The built-in strategies for subject names."""

    NONE = "NONE"
    TOPIC = "TOPIC"
    RECORD = "RECORD"
    TOPIC_RECORD = "TOPIC_RECORD"
    ASSOCIATED = "ASSOCIATED"


STRATEGIES: dict[SubjectNameStrategyType, Callable[..., str | None]] = {
    SubjectNameStrategyType.TOPIC: topic_subject_name_strategy,
    SubjectNameStrategyType.RECORD: record_subject_name_strategy,
    SubjectNameStrategyType.TOPIC_RECORD: topic_record_subject_name_strategy,
}

KAFKA_CLUSTER_ID = "subject.name.strategy.kafka.cluster.id"
FALLBACK_TYPE = "subject.name.strategy.fallback.type"
_ABSENT = frozenset({404, 405, 501})


def _fallback(conf: Mapping[str, Any] | None) -> SubjectNameStrategyType:
    """Return the strategy for topics without an associated subject.

    Raises:
        ValueError: the configuration names an unknown strategy.
    """
    given = None if conf is None else conf.get(FALLBACK_TYPE)
    if given is None:
        return SubjectNameStrategyType.TOPIC
    known = [one.value for one in SubjectNameStrategyType if one.value != "ASSOCIATED"]
    kind = str(given).upper()
    if kind == "ASSOCIATED":
        why = "ASSOCIATED cannot be used as a fallback strategy."
    elif kind not in known:
        why = f"Valid values are: {', '.join(known)}"
    else:
        return SubjectNameStrategyType(kind)
    raise ValueError(f"Invalid value for {FALLBACK_TYPE}: {given!s:.100}. {why}")


def _strategy_type(given: object) -> SubjectNameStrategyType:
    """Return the strategy that a configuration names, in upper or lower case.

    Raises:
        ValueError: there is no such strategy.
    """
    if not isinstance(given, str):
        raise ValueError(f"Unknown subject.name.strategy.type: {given!r:.100}")
    known = [one.value for one in SubjectNameStrategyType]
    kind = given.upper()
    if kind not in known:
        raise ValueError(
            f"Invalid subject.name.strategy.type: {given:.100}. Valid values are: {known}"
        )
    if kind == "NONE":
        raise ValueError(
            "Invalid subject.name.strategy.type: SubjectNameStrategyType.NONE. NONE cannot be used "
            "as a subject name strategy."
        )
    return SubjectNameStrategyType(kind)


class _Associations:
    """Finds the subjects that the registry associates with topics, or asks a fallback strategy.

    Args:
        cache_capacity: how many answers to cache.
    """

    def __init__(self, cache_capacity: int = 1000) -> None:
        self._subjects: Cache[str] = Cache(cache_capacity)
        self._resolver: Callable[[], Any] | None = None

    async def _find(
        self,
        ctx: SerializationContext | None,
        record_name: str | None,
        calls: Calls,
        conf: Mapping[str, Any] | None,
        cluster: str | None,
    ) -> str | None:
        topic = _topic_of(ctx, type(self).__name__)
        assert ctx is not None
        kind = _fallback(conf)
        namespace = (conf or {}).get(KAFKA_CLUSTER_ID) or cluster or "-"
        key = (namespace, topic, ctx.field)
        known = self._subjects.get(key)
        if known is not None:
            return known
        since = self._subjects.forgotten
        try:
            # Make a list: the result of a test's mock is true in a condition, but contains nothing.
            found = list(
                await calls.get_associations_by_resource_name(
                    topic, namespace, "topic", [str(ctx.field)]
                )
            )
        except SchemaRegistryError as error:
            # Most registries do not support associations.
            if error.http_status_code not in _ABSENT:
                raise
            found = []
        if found and namespace == "-" and self._resolver is not None:
            raise SerializationError(
                f"subjects are associated with topics named {topic!r}, and the cluster's id, which "
                f"selects one, is not known yet: try again, or set {KAFKA_CLUSTER_ID}"
            )
        if len(found) > 1:
            names = ", ".join(sorted(one.subject for one in found))
            raise SerializationError(
                f"several subjects are associated with topic {topic!r}: {names}"
            )
        if found:
            return self._subjects.put(key, found[0].subject, since)
        if kind not in STRATEGIES:
            raise SerializationError(f"No associated subject found for topic {topic}")
        return STRATEGIES[kind](ctx, record_name)


class AssociatedNameStrategy(_Associations):
    """Returns the subject that the registry associates with a topic, or the topic's default.

    Args:
        cache_capacity: how many answers to cache.
    """

    def __call__(
        self,
        ctx: SerializationContext | None,
        record_name: str | None,
        schema_registry_client: SchemaRegistryClient,
        conf: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Return a subject.

        Args:
            ctx: the context of the message.
            record_name: the name of the schema's type.
            schema_registry_client: the registry.
            conf: ``subject.name.strategy.kafka.cluster.id`` and
                ``subject.name.strategy.fallback.type``: TOPIC (the default), RECORD,
                TOPIC_RECORD or NONE.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
            SerializationError: there are several subjects, or none and no fallback.
        """
        return run(self.find(ctx, record_name, schema_registry_client._calls, conf))

    async def find(
        self,
        ctx: SerializationContext | None,
        record_name: str | None,
        calls: Calls,
        conf: Mapping[str, Any] | None,
    ) -> str | None:
        """Return a subject.

        The coroutine suspends only if the methods of `calls` suspend.
        """
        known = conf is not None and conf.get(KAFKA_CLUSTER_ID)
        cluster = None if known or self._resolver is None else self._resolver()
        return await self._find(ctx, record_name, calls, conf, cluster)

    def set_cluster_id_resolver(self, resolver: Callable[[], str | None]) -> None:
        """Set a function that returns the id of the topic's cluster."""
        self._resolver = resolver

    def clear_cache(self) -> None:
        """Forget all answers."""
        self._subjects.clear()


class AsyncAssociatedNameStrategy(_Associations):
    """AssociatedNameStrategy for AsyncSchemaRegistryClient.

    Args:
        cache_capacity: how many answers to cache.
    """

    async def __call__(
        self,
        ctx: SerializationContext | None,
        record_name: str | None,
        schema_registry_client: AsyncSchemaRegistryClient,
        conf: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Return a subject, as AssociatedNameStrategy does."""
        return await self.find(ctx, record_name, schema_registry_client, conf)

    async def find(
        self,
        ctx: SerializationContext | None,
        record_name: str | None,
        calls: Calls,
        conf: Mapping[str, Any] | None,
    ) -> str | None:
        """Return a subject."""
        known = conf is not None and conf.get(KAFKA_CLUSTER_ID)
        cluster = None if known or self._resolver is None else await self._resolver()
        return await self._find(ctx, record_name, calls, conf, cluster)

    def set_async_cluster_id_resolver(self, resolver: Callable[[], Awaitable[str | None]]) -> None:
        """Set a function that returns the id of the topic's cluster."""
        self._resolver = resolver

    async def clear_cache(self) -> None:
        """Forget all answers."""
        self._subjects.clear()


# --- ids in messages ---


class SchemaId:
    """The schema of a message, and the message's type in it if the schema has several.

    Args:
        schema_type: ``AVRO``, ``JSON`` or ``PROTOBUF``.
        schema_id: the id of the schema.
        guid: its GUID.
        message_indexes: for Protobuf: the path of the message type in its file.
    """

    __slots__ = ("guid", "id", "message_indexes", "schema_type")

    def __init__(
        self,
        schema_type: str,
        schema_id: int | None = None,
        guid: str | uuid.UUID | None = None,
        message_indexes: list[int] | None = None,
    ) -> None:
        self.schema_type: str = schema_type
        self.id = schema_id
        self.guid = uuid.UUID(guid) if isinstance(guid, str) else guid
        self.message_indexes = message_indexes

    def from_bytes(self, payload: io.BytesIO) -> io.BytesIO:
        """Read the id at the start of a stream, and return the stream after it.

        Raises:
            SerializationError: the stream does not begin with an id.
        """
        start = payload.tell()
        data = payload.read()
        payload.seek(start + self.parse(data))
        return payload

    def parse(self, data: bytes) -> int:
        """Read the id at the start of some bytes, and return its size.

        Raises:
            SerializationError: the bytes do not begin with an id.
        """
        if len(data) >= ID_SIZE and data[:1] == ID_MAGIC:
            self.id, end = int.from_bytes(data[1:ID_SIZE], "big"), ID_SIZE
        elif len(data) >= GUID_SIZE and data[:1] == GUID_MAGIC:
            self.guid, end = uuid.UUID(bytes=bytes(data[1:GUID_SIZE])), GUID_SIZE
        else:
            raise SerializationError(_no_id(data))
        if self.schema_type == "PROTOBUF":
            self.message_indexes, end = read_indexes(data, end)
        return end

    def id_to_bytes(self) -> bytes:
        """Return the bytes of the id, as at the start of messages.

        Raises:
            SerializationError: there is no id.
        """
        try:
            return _ID.pack(ID_MAGIC, self.id) + self._indexes()
        except struct.error as error:
            why = "Schema ID is not set" if self.id is None else f"no id of 32 bits: {self.id!r}"
            raise SerializationError(why) from error

    def guid_to_bytes(self) -> bytes:
        """Return the bytes of the GUID, in the form that headers contain.

        Raises:
            SerializationError: there is no GUID.
        """
        if self.guid is None:
            raise SerializationError(
                "Schema GUID is not set: the registry returned none, and a header needs it: use "
                "prefix_schema_id_serializer"
            )
        return GUID_MAGIC + self.guid.bytes + self._indexes()

    def _indexes(self) -> bytes:
        if self.schema_type != "PROTOBUF" or self.message_indexes is None:
            return b""
        return write_indexes(self.message_indexes)


def _no_id(data: bytes) -> str:
    begin = f" that begin with {data[:5].hex(' ')}" if data else ""
    return (
        f"{len(data)} bytes{begin} are not a message of a schema registry's serializer: such "
        "messages begin with the magic byte 00 and the four bytes of a schema's id"
    )


def write_indexes(indexes: list[int]) -> bytes:
    """Return a message's path as zigzag varints. The path of the first message is one zero byte."""
    if indexes == [0]:
        return b"\0"
    return b"".join(write_varint(one) for one in (len(indexes), *indexes))


def write_varint(number: int) -> bytes:
    """Return a count as a zigzag varint."""
    number <<= 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_indexes(data: bytes, start: int) -> tuple[list[int], int]:
    """Return the path of a message that is encoded at a position, and its end.

    Raises:
        SerializationError: there is no path.
    """
    count, start = read_varint(data, start)
    indexes = []
    for _ in range(count):
        index, start = read_varint(data, start)
        indexes.append(index)
    return indexes or [0], start


def read_varint(data: bytes, start: int) -> tuple[int, int]:
    """Return the count that is encoded at a position, and its end.

    Raises:
        SerializationError: there is no number.
    """
    shift = number = 0
    while start < len(data) and shift < 35:
        byte = data[start]
        start += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            if number & 1:
                break
            return number >> 1, start
        shift += 7
    raise SerializationError("corrupt Protobuf: no message index after the schema's id")


def prefix_schema_id_serializer(
    payload: bytes, ctx: SerializationContext | None, schema_id: SchemaId
) -> bytes:
    """Put the id before the payload.

    Args:
        payload: the serialized object.
        ctx: the context of the message.
        schema_id: the schema.
    """
    return schema_id.id_to_bytes() + payload


def header_schema_id_serializer(
    payload: bytes, ctx: SerializationContext | None, schema_id: SchemaId
) -> bytes:
    """Put the GUID into a header, and leave the payload as it is.

    Args:
        payload: the serialized object.
        ctx: the context of the message; a header is added to it.
        schema_id: the schema.

    Raises:
        SerializationError: the context has no headers, or the schema has no GUID.
    """
    add_header(ctx, schema_id.guid_to_bytes())
    return payload


def add_header(ctx: SerializationContext | None, guid: bytes) -> None:
    """Put a GUID into the headers of a message.

    Raises:
        SerializationError: the message has no headers.
    """
    if ctx is None:
        raise SerializationError("SerializationContext is required for header_schema_id_serializer")
    headers = ctx.headers
    if headers is None:
        raise SerializationError(
            "Missing headers: header_schema_id_serializer needs a SerializationContext with "
            "headers, a list or dict"
        )
    name = ID_HEADERS[MessageField.KEY if ctx.field == MessageField.KEY else MessageField.VALUE]
    if isinstance(headers, dict):
        headers[name] = guid
    elif isinstance(headers, list):
        headers.append((name, guid))
    else:
        raise SerializationError(
            f"Invalid headers type: headers must be a list or dict, not {type(headers).__name__}"
        )


def header_of(ctx: SerializationContext | None) -> bytes | None:
    """Return the GUID, and the bytes after it, from the headers of a message."""
    headers = None if ctx is None else ctx.headers
    if not headers or ctx is None:
        return None
    name = ID_HEADERS.get(ctx.field)
    if isinstance(headers, dict):
        found = headers.get(name)
    else:
        found = next((value for key, value in reversed(headers) if key == name), None)
    return found if isinstance(found, bytes) else None


def prefix_schema_id_deserializer(
    payload: bytes, ctx: SerializationContext | None, schema_id: SchemaId
) -> io.BytesIO:
    """Read the id at the start of a payload; return a stream of the rest.

    Args:
        payload: the received bytes.
        ctx: the context of the message.
        schema_id: gets the id.

    Raises:
        SerializationError: the payload does not begin with an id.
    """
    return schema_id.from_bytes(io.BytesIO(payload))


def dual_schema_id_deserializer(
    payload: bytes, ctx: SerializationContext | None, schema_id: SchemaId
) -> io.BytesIO:
    """Read the GUID from a header, or the id at the start of a payload; return the rest.

    Args:
        payload: the received bytes.
        ctx: the context of the message.
        schema_id: gets the GUID or the id.

    Raises:
        SerializationError: the message has neither.
    """
    header = header_of(ctx)
    if header is None:
        return prefix_schema_id_deserializer(payload, ctx, schema_id)
    schema_id.from_bytes(io.BytesIO(header))
    return io.BytesIO(payload)


# --- base classes ---


class ParsedSchemaCache:
    """A cache of parsed schemas, for custom serdes. Several threads may use it."""

    def __init__(self) -> None:
        self.lock: threading.Lock = threading.Lock()
        self.parsed_schemas: dict[Schema, Any] = {}

    def set(self, schema: Schema, parsed_schema: Any) -> None:
        """Cache the parsed form of a schema.

        Args:
            schema: the schema.
            parsed_schema: its parsed form.
        """
        with self.lock:
            self.parsed_schemas[schema] = parsed_schema

    def get_parsed_schema(self, schema: Schema) -> Any:
        """Return the parsed form of a schema; None if it is not cached.

        Args:
            schema: the schema.
        """
        with self.lock:
            return self.parsed_schemas.get(schema)

    def clear(self) -> None:
        """Forget everything."""
        with self.lock:
            self.parsed_schemas.clear()


class _Serde:
    """A registry's client, and how subjects are named."""

    def __init__(self) -> None:
        self._client: Any = None
        self._owns_client = False
        self._strategy: Any = topic_subject_name_strategy
        self._strategy_conf: Mapping[str, Any] | None = None

    def configure_subject_name_strategy(
        self,
        subject_name_strategy_type: SubjectNameStrategyType | str | None = None,
        subject_name_strategy_conf: Mapping[str, Any] | None = None,
        subject_name_strategy: Callable[..., str | None] | None = None,
    ) -> None:
        """Set how subjects are named.

        Args:
            subject_name_strategy_type: one of SubjectNameStrategyType; ASSOCIATED by default.
            subject_name_strategy_conf: the configuration of that strategy.
            subject_name_strategy: a function of (context, name of the type), which takes
                precedence.

        Raises:
            TypeError: its configuration is not a dict.
            ValueError: there is no such strategy.
        """
        conf = subject_name_strategy_conf
        if conf is not None and not isinstance(conf, Mapping):
            raise TypeError(f"subject.name.strategy.conf must be a dict, not {type(conf).__name__}")
        self._strategy_conf = conf
        if subject_name_strategy is not None:
            if not callable(subject_name_strategy):
                kind = type(subject_name_strategy).__name__
                raise ValueError(f"subject.name.strategy must be callable, not {kind}")
            self._strategy = subject_name_strategy
            return
        kind = _strategy_type(subject_name_strategy_type or SubjectNameStrategyType.ASSOCIATED)
        self._strategy = STRATEGIES.get(kind) or self._associated()

    def _associated(self) -> Any:
        raise NotImplementedError

    def configure_validation_rules(self, conf: Mapping[str, Any]) -> None:
        """Check that no validation rules are enabled, since this client cannot run them.

        Args:
            conf: ``validation.rules.execution``: only ``DISABLED`` is supported.

        Raises:
            ValueError: they are enabled.
        """
        execution = conf.get("validation.rules.execution")
        if execution not in (None, "DISABLED") or conf.get("validation.rules.executor") is not None:
            raise ValueError(
                "validation.rules.execution must be DISABLED: this client runs no rules"
            )

    def own_schema_registry_client(self) -> None:
        """Make close() close the registry's client too."""
        self._owns_client = True


class BaseSerde(_Serde):
    """The base of blocking serializers and deserializers."""

    def _associated(self) -> Any:
        return AssociatedNameStrategy()

    def set_cluster_id_resolver(self, resolver: Callable[[], str | None]) -> None:
        """Set a function that returns the id of the cluster, to find associated subjects."""
        if isinstance(self._strategy, AssociatedNameStrategy):
            self._strategy.set_cluster_id_resolver(resolver)

    def close(self) -> None:
        """Close the registry's client if this object owns it."""
        if self._owns_client:
            self._client.close()


class BaseSerializer(BaseSerde, Serializer):
    """The base of blocking serializers."""


class BaseDeserializer(BaseSerde, Deserializer):
    """The base of blocking deserializers."""


class AsyncBaseSerde(_Serde):
    """The base of awaiting serializers and deserializers."""

    def _associated(self) -> Any:
        return AsyncAssociatedNameStrategy()

    def set_async_cluster_id_resolver(self, resolver: Callable[[], Awaitable[str | None]]) -> None:
        """Set a function that returns the id of the cluster, to find associated subjects."""
        if isinstance(self._strategy, AsyncAssociatedNameStrategy):
            self._strategy.set_async_cluster_id_resolver(resolver)

    async def aclose(self) -> None:
        """Close the registry's client if this object owns it."""
        if self._owns_client:
            await self._client.aclose()


class AsyncBaseSerializer(AsyncBaseSerde, Serializer):
    """The base of awaiting serializers."""


class AsyncBaseDeserializer(AsyncBaseSerde, Deserializer):
    """The base of awaiting deserializers."""


def build_serde(
    schema_registry_client: SchemaRegistryClient | None,
    schema_registry_conf: Mapping[str, Any] | None,
    construct: Callable[[SchemaRegistryClient], Any],
    init: Callable[[Any], object] | None = None,
) -> Any:
    """Return a serde, which closes a client that was made for it.

    Args:
        schema_registry_client: the client to use.
        schema_registry_conf: the configuration of a client to make, if there is none.
        construct: makes the serde.
        init: called with the serde.
    """
    client = schema_registry_client or SchemaRegistryClient.new_client(schema_registry_conf or {})
    try:
        serde = construct(client)
        if init is not None:
            init(serde)
    except BaseException:
        if schema_registry_client is None:
            client.close()
        raise
    if schema_registry_client is None:
        serde.own_schema_registry_client()
    return serde


async def async_build_serde(
    schema_registry_client: AsyncSchemaRegistryClient | None,
    schema_registry_conf: Mapping[str, Any] | None,
    construct: Callable[[AsyncSchemaRegistryClient], Awaitable[Any]],
    init: Callable[[Any], object] | None = None,
) -> Any:
    """Return a serde, as build_serde() does, with a client that awaits."""
    conf = schema_registry_conf or {}
    client = schema_registry_client or AsyncSchemaRegistryClient.new_client(conf)
    try:
        serde = await construct(client)
        if init is not None:
            init(serde)
    except BaseException:
        if schema_registry_client is None:
            await client.aclose()
        raise
    if schema_registry_client is None:
        serde.own_schema_registry_client()
    return serde
